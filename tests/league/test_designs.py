from collections import Counter
from itertools import permutations

import pytest

from arena.league.designs import design, orbits_per_repetition
from arena.league.galois import add, field, prime_power, subtract

# Entrants and seats of which the whole repetition is exact: cyclic-field blocks, multiples of one, and found by search.
MENDELSOHN = [(5, 4), (9, 4), (13, 4), (17, 4), (25, 4), (7, 3), (11, 5), (31, 10), (3, 2), (49, 4)]
AFFINE = [(4, 4), (8, 4), (7, 4), (16, 4), (11, 4), (8, 3), (5, 5), (25, 5), (4, 2)]
SEARCHED = [(6, 4), (10, 4), (12, 4), (20, 4), (6, 2)]


def neighbours(entrants: int, seats: int, orbits: int) -> dict[int, Counter[tuple[int, int]]]:
    """By distance t: how often the second point sits t seats after the first."""
    after: dict[int, Counter[tuple[int, int]]] = {t: Counter() for t in range(1, seats)}
    drawn = design(entrants, seats)
    for orbit in range(orbits):
        for table in drawn.orbit(orbit):
            for (i, a), (j, b) in permutations(enumerate(table), 2):
                after[(j - i) % seats][a, b] += 1
    return after


@pytest.mark.parametrize("order", [2, 3, 4, 5, 8, 9, 16, 25, 27, 49, 64, 81, 97, 121, 128])
def test_powers_of_the_generator_are_all_but_zero(order: int) -> None:
    assert sorted(field(order).powers) == list(range(1, order))


@pytest.mark.parametrize("order", [4, 5, 8, 9, 25])
def test_multiplication_distributes_over_addition(order: int) -> None:
    gf = field(order)
    for a in range(order):
        for b in range(order):
            sum_ = add(a, b, gf.characteristic)
            assert subtract(sum_, b, gf.characteristic) == a
            for c in range(order):
                products = gf.multiply(a, c), gf.multiply(b, c)
                assert gf.multiply(sum_, c) == add(*products, gf.characteristic)


def test_only_powers_of_primes_have_a_field() -> None:
    powers = [n for n in range(1, 33) if prime_power(n) is not None]
    assert powers == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]
    with pytest.raises(ValueError, match="no field of 12 elements"):
        field(12)


@pytest.mark.parametrize(("entrants", "seats"), MENDELSOHN + AFFINE + SEARCHED)
def test_every_ordered_pair_sits_at_every_distance_equally_often(entrants: int, seats: int) -> None:
    count = orbits_per_repetition(entrants, seats)
    times = count * seats / (entrants - 1)
    for counted in neighbours(entrants, seats, count).values():
        assert len(counted) == entrants * (entrants - 1)
        assert set(counted.values()) == {times}


@pytest.mark.parametrize(
    ("entrants", "orbits", "tables"), [(4, 3, 12), (5, 1, 5), (8, 7, 56), (9, 2, 18), (13, 3, 39), (17, 4, 68)]
)
def test_exact_designs_of_four_seats_have_the_published_sizes(entrants: int, orbits: int, tables: int) -> None:
    assert orbits_per_repetition(entrants, 4) == orbits
    assert orbits * entrants == tables


def test_a_repetition_is_full_for_twenty_bots_and_reduced_for_a_hundred() -> None:
    assert orbits_per_repetition(20, 4) == 19
    assert orbits_per_repetition(100, 4) == 25


@pytest.mark.parametrize(("entrants", "seats"), [(1, 4), (3, 4), (5, 4), (8, 4), (12, 4), (40, 3), (21, 2)])
def test_every_orbit_seats_every_bot_once_in_every_seat(entrants: int, seats: int) -> None:
    drawn = design(entrants, seats)
    for orbit in range(len(drawn.blocks)):
        columns = zip(*drawn.orbit(orbit), strict=True)
        assert all(sorted(column) == list(range(drawn.points)) for column in columns)
        assert all(len(set(table)) == seats for table in drawn.orbit(orbit))


@pytest.mark.parametrize(("entrants", "seats"), [(12, 4), (20, 4), (23, 4), (13, 4), (100, 4), (6, 6)])
def test_every_prefix_of_orbits_is_nearly_balanced(entrants: int, seats: int) -> None:
    together: Counter[tuple[int, int]] = Counter()
    drawn = design(entrants, seats)
    for orbit in range(len(drawn.blocks)):
        for table in drawn.orbit(orbit):
            together.update(permutations(table, 2))
        meetings = [together[a, b] for a, b in permutations(range(entrants), 2)]
        # Drawn at random, 100 tables of 20 bots have pairs that meet 0 times and pairs that meet 10 times.
        assert max(meetings) - min(meetings) <= 4


def test_the_search_is_a_function_of_the_size_alone() -> None:
    first = design(6, 4).blocks
    design.cache_clear()
    assert design(6, 4).blocks == first


@pytest.mark.parametrize(("entrants", "seats", "shown"), [(0, 4, "0"), (-3, 4, "-3"), (8, 1, "1"), (8, 11, "11")])
def test_sizes_that_cannot_be_seated_are_refused(entrants: int, seats: int, shown: str) -> None:
    with pytest.raises(ValueError, match=f"not {shown}$"):
        orbits_per_repetition(entrants, seats)
