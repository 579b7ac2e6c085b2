import math
import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.rows import MatchRow
from arena.stats.strength import strengths
from tests.stats.synthetic_league import match
from tests.strategies import PROFILE


def drawn(ratings: dict[str, float], matches: int, seed: int) -> list[MatchRow]:
    """Matches whose rankings are drawn from the Plackett–Luce model: by Gumbel noise on the log strengths."""
    draw = random.Random(seed)
    rows: list[MatchRow] = []
    for fixture in range(matches):
        bots = draw.sample(sorted(ratings), 4)
        noisy = {bot: ratings[bot] * math.log(10) / 400 - math.log(draw.expovariate(1)) for bot in bots}
        order = sorted(bots, key=lambda bot: -noisy[bot])
        rows.append(match(fixture, [order.index(bot) for bot in bots], bots=bots))
    return rows


def test_known_strengths_are_recovered() -> None:
    known = {bot: 1300.0 + 50 * number for number, bot in enumerate("abcdefghi")}
    found = strengths(drawn(known, 4000, 3))
    assert found == pytest.approx(known, abs=25)


def test_the_strengths_solve_the_equation_of_the_model() -> None:
    rows = drawn(dict.fromkeys("abcdef", 1500.0), 40, 2)
    found = strengths(rows)
    # The ghost's strength is the one unknown of the scale: half a win and half a loss are even for it on the whole.
    w = {bot: 10 ** (strength / 400) for bot, strength in found.items()}
    low, high = min(w.values()), max(w.values())
    for _ in range(200):
        ghost = math.sqrt(low * high)
        even = sum(x / (x + ghost) for x in w.values()) > len(w) / 2
        low, high = (ghost, high) if even else (low, ghost)
    for bot in w:
        won, chances = 0.5, 1 / (w[bot] + ghost)
        for row in rows:
            left = [seat.bot for seat in sorted(row.seats, key=lambda seat: seat.place)]
            while len(left) > 1 and bot in left:
                won += left[0] == bot
                chances += 1 / sum(w[other] for other in left)
                left.pop(0)
        assert won / chances == pytest.approx(w[bot], rel=1e-6)


def test_two_bots_are_symmetric() -> None:
    rows = [match(n, [1, 2] if n % 3 else [2, 1], bots="ab") for n in range(30)]
    mirrored = [match(n, [2, 1] if n % 3 else [1, 2], bots="ab") for n in range(30)]
    found, swapped = strengths(rows), strengths(mirrored)
    assert found["a"] + found["b"] == pytest.approx(3000)
    assert (found["a"], found["b"]) == pytest.approx((swapped["b"], swapped["a"]))
    # Twenty wins to ten are 120 points, of which the ghost takes a few.
    assert 110 < found["a"] - found["b"] < 400 * math.log10(2)


def test_a_tie_is_the_average_of_its_orders() -> None:
    tied = strengths([match(n, [5, 5, 9], bots="abc") for n in range(20)])
    orders = strengths([match(n, [5, 6, 9] if n % 2 else [6, 5, 9], bots="abc") for n in range(20)])
    assert tied["a"] == tied["b"]
    assert tied["a"] > 1500 > tied["c"]
    assert tied == pytest.approx(orders, abs=1)


@PROFILE
@given(seats=st.integers(2, 6), matches=st.integers(1, 8))
def test_bots_that_always_tie_are_equal(seats: int, matches: int) -> None:
    bots = [f"bot{n}" for n in range(seats)]
    found = strengths([match(n, [3] * seats, bots=bots) for n in range(matches)])
    assert found == pytest.approx(dict.fromkeys(bots, 1500.0))


@settings(deadline=None)
@given(matches=st.integers(1, 80))
def test_winning_or_losing_everything_is_finite(matches: int) -> None:
    found = strengths([match(n, [0, 7, 8, 20], bots="abcd") for n in range(matches)])
    assert all(math.isfinite(strength) for strength in found.values())
    assert found["a"] > found["b"] > found["c"] > found["d"]
    assert abs(found["a"] - 1500) < 2500


def test_bots_that_never_met_are_still_on_one_scale() -> None:
    apart = [match(n, [1, 2], bots="ab" if n % 2 else "cd") for n in range(20)]
    found = strengths(apart)
    assert (found["a"], found["b"]) == pytest.approx((found["c"], found["d"]))


def test_the_order_of_results_does_not_matter() -> None:
    rows = drawn(dict.fromkeys("abcde", 1500.0), 4, 1)
    assert len({repr(strengths(order)) for order in permutations(rows)}) == 1


def test_house_bots_have_strengths_but_do_not_move_the_average() -> None:
    rows = [match(n, [1, 2, 9], bots="abz", house=2) for n in range(10)]
    found = strengths(rows)
    assert found["a"] + found["b"] == pytest.approx(3000)
    assert found["z"] < found["b"]


def test_no_matches_have_no_strengths() -> None:
    assert strengths([]) == {}
