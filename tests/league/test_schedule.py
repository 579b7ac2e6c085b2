import hashlib
from collections import Counter
from collections.abc import Callable
from itertools import combinations, islice, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league.designs import orbits_per_repetition
from arena.league.schedule import (
    Duplicate,
    Evenness,
    Fixture,
    balance,
    fixtures,
    gauntlet,
    packed,
    relabelled,
    schedule_hash,
)

KEY = bytes(range(32))
# Of every kind of design, and of sizes that are found fast.
ENTRANTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 17, 25, 49)


def scheduled(
    entrants: int, seats: int, orbits: int, key: bytes = KEY, duplicate: Duplicate = "round"
) -> list[Fixture]:
    return list(fixtures(entrants=entrants, seats=seats, orbits=orbits, event_key=key, duplicate=duplicate))


@settings(deadline=None, max_examples=40)
@given(entrants=st.sampled_from(ENTRANTS), seats=st.integers(2, 4), orbits=st.integers(1, 4))
def test_every_bot_plays_once_in_every_seat_of_every_orbit(entrants: int, seats: int, orbits: int) -> None:
    schedule = scheduled(entrants, seats, orbits)
    points = max(entrants, seats)
    assert len(schedule) == orbits * points
    places = Counter((f.repetition, f.orbit, seat, bot) for f in schedule for seat, bot in enumerate(f.seats))
    assert len(places) == orbits * points * seats
    assert set(places.values()) == {1}
    assert {bot for f in schedule for bot in f.seats} == set(range(points))


@settings(deadline=None, max_examples=40)
@given(entrants=st.sampled_from(ENTRANTS), seats=st.integers(2, 4))
def test_no_bot_sits_twice_in_a_round(entrants: int, seats: int) -> None:
    seated = Counter((f.orbit, f.round, bot) for f in scheduled(entrants, seats, 1) for bot in f.seats)
    assert max(seated.values()) == 1


def test_fixtures_are_numbered_in_playing_order() -> None:
    schedule = scheduled(9, 4, 5)
    assert [f.number for f in schedule] == list(range(45))
    order = [(f.repetition, f.orbit, f.round) for f in schedule]
    assert order == sorted(order)
    assert schedule[-1].repetition == 2


@pytest.mark.parametrize(("entrants", "seats"), [(7, 4), (9, 4), (20, 4)])
def test_a_longer_schedule_begins_with_the_shorter_one(entrants: int, seats: int) -> None:
    short, long = scheduled(entrants, seats, 3), scheduled(entrants, seats, 5)
    assert long[: len(short)] == short


@settings(deadline=None, max_examples=30)
@given(entrants=st.sampled_from(ENTRANTS), first=st.integers(0, 5), more=st.integers(0, 2))
def test_a_schedule_may_be_made_from_any_orbit_on(entrants: int, first: int, more: int) -> None:
    rest = list(fixtures(entrants=entrants, seats=4, orbits=first + more, event_key=KEY, first=first))
    assert rest == scheduled(entrants, 4, first + more)[first * max(entrants, 4) :]
    groups = list(gauntlet(seats=4, groups=first + more, first=first))
    assert groups == list(gauntlet(seats=4, groups=first + more))[first * 4 :]


def test_every_ordered_pair_meets_equally_often_at_nine_bots() -> None:
    even = balance(scheduled(9, 4, 2), entrants=9, seats=4)
    assert (even.tables, even.pairs.least, even.pairs.most) == (18, 3, 3)
    assert all((n.least, n.most, n.ideal) == (1, 1, 1.0) for n in even.neighbours)


@settings(deadline=None)
@given(data=st.data(), entrants=st.integers(2, 5), seats=st.integers(2, 4))
def test_the_balance_of_any_schedule_is_what_one_counts_in_it(data: st.DataObject, entrants: int, seats: int) -> None:
    # Of a schedule that is anything but even; the numbers from the entrants' on are house bots.
    tables = data.draw(st.lists(st.permutations(range(entrants + seats - 1)).map(lambda all_: tuple(all_[:seats]))))
    schedule = [Fixture(number, 0, 0, number, "s", table) for number, table in enumerate(tables)]

    def evenness(counts: list[int]) -> Evenness:
        return Evenness(min(counts), max(counts), sum(counts) / len(counts))

    def apart(a: int, b: int, t: int) -> int:
        return sum(table[seat] == a and table[(seat + t) % seats] == b for table in tables for seat in range(seats))

    bots = range(entrants)
    found = balance(schedule, entrants=entrants, seats=seats)
    assert found.tables == len(tables)
    assert found.appearances == evenness([sum(bot in table for table in tables) for bot in bots])
    assert found.seats == evenness([sum(table[s] == bot for table in tables) for bot in bots for s in range(seats)])
    assert found.pairs == evenness([sum({a, b} <= {*table} for table in tables) for a, b in combinations(bots, 2)])
    assert found.neighbours == tuple(
        evenness([apart(a, b, t) for a, b in permutations(bots, 2)]) for t in range(1, seats)
    )


def test_twenty_bots_meet_equally_often_in_380_tables() -> None:
    even = balance(scheduled(20, 4, 19), entrants=20, seats=4)
    assert (even.tables, even.appearances.least, even.appearances.most) == (380, 76, 76)
    assert (even.pairs.least, even.pairs.most) == (12, 12)
    assert {(n.least, n.most) for n in even.neighbours} == {(4, 4)}


def test_a_hundred_bots_meet_two_to_four_times_in_2500_tables() -> None:
    schedule = scheduled(100, 4, 25)
    whole = balance(schedule, entrants=100, seats=4)
    assert (whole.tables, whole.appearances.least, whole.appearances.most) == (2500, 100, 100)
    assert (whole.seats.least, whole.seats.most) == (25, 25)
    assert whole.pairs.least >= 2
    assert whole.pairs.most <= 4
    part = balance(schedule[:900], entrants=100, seats=4)
    assert part.pairs.most <= 2


def test_no_bot_runs_ahead_by_more_than_an_orbit_at_any_prefix() -> None:
    played: Counter[int] = Counter(dict.fromkeys(range(100), 0))
    for fixture in fixtures(entrants=100, seats=4, orbits=25, event_key=KEY):
        played.update(fixture.seats)
        assert max(played.values()) - min(played.values()) <= 4


def test_rounds_are_few() -> None:
    # Eight bots fill two tables, so four rounds are the fewest an orbit can have; each stream is used at two tables.
    schedule = scheduled(8, 4, 7)
    assert set(Counter(f.stream for f in schedule).values()) == {2}
    # Forty bots fill thirteen tables: four rounds at best, and greedy packing loses at most as many again.
    assert max(f.round for f in scheduled(40, 3, 3)) < 8


@settings(deadline=None, max_examples=40)
@given(
    entrants=st.sampled_from((*ENTRANTS, 6, 12, 20, 24)),
    seats=st.integers(2, 5),
    key=st.binary(min_size=32, max_size=32),
)
def test_after_any_match_no_bot_is_far_ahead_of_another(entrants: int, seats: int, key: bytes) -> None:
    # Level play is out of reach: any two tables of nine bots share one, which is then two ahead of who is at neither.
    played = dict.fromkeys(range(max(entrants, seats)), 0)
    ahead = []
    for fixture in scheduled(entrants, seats, 3, key):
        for bot in fixture.seats:
            played[bot] += 1
        ahead.append(max(played.values()) - min(played.values()))
    assert max(ahead) <= 3
    assert ahead[len(played) - 1 :: len(played)] == [0, 0, 0], "after an orbit all have played as often"


@pytest.mark.parametrize("entrants", [4, 5, 8, 9, 13, 16, 17, 20, 25, 100])
def test_at_tables_of_four_bots_stay_within_two_matches_of_each_other(entrants: int) -> None:
    played = Counter(dict.fromkeys(range(entrants), 0))
    for fixture in scheduled(entrants, 4, 5):
        played.update(fixture.seats)
        assert max(played.values()) - min(played.values()) <= 2


def test_packing_keeps_every_table() -> None:
    tables = [(a, b) for a in range(6) for b in range(6) if a != b]
    rounds = packed(tables)
    assert sorted(table for round_ in rounds for table in round_) == sorted(tables)


def test_house_bots_fill_the_seats_that_entrants_leave() -> None:
    schedule = scheduled(2, 4, orbits_per_repetition(2, 4))
    assert {bot for f in schedule for bot in f.seats} == {0, 1, 2, 3}
    even = balance(schedule, entrants=2, seats=4)
    assert (even.appearances.least, even.pairs.least, even.pairs.most) == (12, 12, 12)


def test_one_entrant_has_no_pairs() -> None:
    even = balance(scheduled(1, 4, 3), entrants=1, seats=4)
    assert (even.appearances.least, even.pairs.most, even.pairs.ideal) == (12, 0, 0.0)


def test_bots_are_relabelled_in_each_repetition_and_by_each_key() -> None:
    permutations = {relabelled(9, key, repetition) for key in (KEY, bytes(32)) for repetition in range(4)}
    assert len(permutations) == 8
    assert all(sorted(labels) == list(range(9)) for labels in permutations)
    assert scheduled(9, 4, 2) != scheduled(9, 4, 2, key=bytes(32))


def test_relabelling_is_the_documented_one() -> None:
    # HMAC-SHA256 by its definition (RFC 2104), so that a verifier in another language has a value to meet.
    def lot(entrant: int) -> bytes:
        message = b"HEARTS-ARENA-1/relabel" + (1).to_bytes(8, "big") + entrant.to_bytes(8, "big")
        inner, outer = (bytes(b ^ pad for b in KEY.ljust(64, b"\0")) for pad in (0x36, 0x5C))
        return hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()

    assert relabelled(5, KEY, 1) == tuple(sorted(range(5), key=lot))


@pytest.mark.parametrize(
    ("duplicate", "shared_by"),
    [
        ("round", lambda f: (f.repetition, f.orbit, f.round)),
        ("orbit", lambda f: (f.repetition, f.orbit)),
        ("off", lambda f: f.number),
    ],
)
def test_a_stream_is_shared_exactly_as_asked(duplicate: Duplicate, shared_by: Callable[[Fixture], object]) -> None:
    schedule = scheduled(13, 4, 7, duplicate=duplicate)
    pairs = {(shared_by(f), f.stream) for f in schedule}
    assert len(pairs) == len({key for key, _ in pairs}) == len({stream for _, stream in pairs})


def test_streams_are_named_by_their_place() -> None:
    kinds: tuple[Duplicate, ...] = ("round", "orbit", "off")
    last = {kind: scheduled(9, 4, 3, duplicate=kind)[-1].stream for kind in kinds}
    assert last["orbit"] == "orbit0/rep1"
    assert last["off"] == "orbit0/rep1/table8"
    assert last["round"].startswith("orbit0/rep1/round")


def test_a_schedule_is_lazy() -> None:
    endless = fixtures(entrants=8, seats=4, orbits=10**12, event_key=KEY)
    assert len(list(islice(endless, 3))) == 3


def test_the_hash_is_of_the_documented_lines() -> None:
    schedule = scheduled(5, 4, 2)
    lines = "".join(
        f"{f.number} {f.repetition} {f.orbit} {f.round} {f.stream} {','.join(map(str, f.seats))}\n" for f in schedule
    )
    assert schedule_hash(schedule) == hashlib.sha256(lines.encode()).hexdigest()
    assert schedule_hash(schedule[:-1]) != schedule_hash(schedule)


def test_golden_schedules_stay_as_they_are() -> None:
    # A league is resumed and verified by making its schedule again: a change here breaks every league of before.
    made = {(n, k, o): schedule_hash(scheduled(n, k, o)) for n, k, o in GOLDEN}
    assert made == GOLDEN


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_a_gauntlet_plays_each_stream_in_every_rotation(seats: int) -> None:
    schedule = list(gauntlet(seats=seats, groups=3))
    assert [f.number for f in schedule] == list(range(3 * seats))
    for group in range(3):
        matches = [f for f in schedule if f.stream == f"group{group}"]
        assert sorted(f.seats.index(0) for f in matches) == list(range(seats))
        assert all(sorted(f.seats) == list(range(seats)) for f in matches)
        assert len({(f.orbit, f.round) for f in matches}) == seats


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        ({"entrants": 0}, "not 0"),
        ({"seats": 11}, "not 11"),
        ({"orbits": -1}, "-1 orbits"),
        ({"event_key": b"short"}, "not 5"),
        ({"duplicate": "rounds"}, "'rounds'"),
    ],
)
def test_bad_arguments_are_refused_at_once(wrong: dict[str, object], shown: str) -> None:
    right: dict[str, object] = {
        "entrants": 8,
        "seats": 4,
        "orbits": 1,
        "event_key": KEY,
        "duplicate": "round",
    }
    with pytest.raises(ValueError, match=shown):
        fixtures(**(right | wrong))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="-2 groups"):
        gauntlet(seats=4, groups=-2)


# Of every kind of design: entrants, seats, orbits.
GOLDEN = {
    (2, 4, 4): "b69922fa9ead6786610626b4993e9791dea564f974d538f8801b6530c1e7076e",
    (7, 4, 7): "94311083bd0741cdd1cd54587dc8936105985f252fae9dc11121cb894a7f29b6",
    (9, 4, 3): "021043a47b37e4f131f35e173e715dbf71753013ba4445354cbfdf503df3e9d9",
    (10, 5, 10): "698d069900dd83336af42a0496305475b5d0dd5a1c1c3324de39b359b0ca5ad3",
    (13, 3, 5): "3b716faab112e5a8744fee3d28f0e250bc3f63c99d467fac77a35f619e40850c",
    (16, 4, 16): "90eb39902fa27c60ccb5c2e33727320db13631a1f6cea423f82f68ef1591f031",
    (25, 4, 7): "bd721241b0c95ca1611e9a914004668d51d0cf610eb70d05345dd171dea42967",
    (28, 4, 8): "79e4222b43252735026f110aaa9449f3acb5cd29e4e01e19657e07b3d378bb0e",
    (125, 4, 2): "51a59b8d35274079758357fd9286a1ca45023d7292c9b9f7a6114c1aee3ef3bb",
    (40, 3, 14): "e344fdb1b1b91c056bf545ba1a54ef6cac9d2147ca2609320274c35b1590b9c3",
    (8, 4, 7): "adb1609ec0143f80ab2fa28061a825d3c42b678de104244f62fd91f5ae73879d",
    (20, 4, 19): "bd0adae1dd1f37ec3bc05eaafab4b61c36c7551604c20d2592572076314304f6",
}
