import dataclasses
import math
import random
from collections import Counter
from fractions import Fraction
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.clusters import Primary, clusters
from arena.stats.intervals import Estimate
from arena.stats.rows import MatchRow, SeatRow
from arena.stats.standings import Standing, placement, points_per_deal, standings, wins
from arena.stats.thinking import Thinking, merged
from arena.stats.tiers import STREAMS_MIN
from tests.stats.synthetic_league import KEY, league, match

PRIMARIES: tuple[Primary, ...] = ("placement", "points", "wins")


def by_bot(rows: list[MatchRow], primary: Primary = "placement") -> dict[str, Standing]:
    return {line.bot: line for line in standings(rows, key=KEY, primary=primary)}


def figures(value: object) -> list[float]:
    """Every number in a standing, however deep."""
    if dataclasses.is_dataclass(value):
        return [n for field in dataclasses.fields(value) for n in figures(getattr(value, field.name))]
    if isinstance(value, tuple):
        return [n for item in value for n in figures(item)]
    return [float(value)] if isinstance(value, int | float | Fraction) else []


@st.composite
def small_leagues(draw: st.DrawFn) -> list[MatchRow]:
    """A few matches of a few bots, with ties and shared streams."""
    return [
        match(
            fixture,
            draw(st.lists(st.integers(0, 12), min_size=3, max_size=3)),
            bots=draw(st.permutations("abcd"))[:3],
            stream=f"s{draw(st.integers(0, 3))}",
            deals=draw(st.integers(1, 9)),
            orbit=fixture // 4,
        )
        for fixture in range(draw(st.integers(1, 10)))
    ]


@settings(deadline=None, max_examples=30)
@given(rows=small_leagues(), primary=st.sampled_from(PRIMARIES), data=st.data())
def test_the_order_of_results_does_not_matter(rows: list[MatchRow], primary: Primary, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rows))
    tables = [standings(order, key=KEY, primary=primary) for order in (rows, shuffled)]
    assert repr(tables[0]) == repr(tables[1])


@settings(deadline=None, max_examples=30)
@given(rows=small_leagues(), primary=st.sampled_from(PRIMARIES))
def test_every_figure_is_finite_and_ranks_are_those_of_a_competition(rows: list[MatchRow], primary: Primary) -> None:
    table = standings(rows, key=KEY, primary=primary)
    assert all(math.isfinite(figure) for line in table for figure in figures(line))
    ranks = [line.rank for line in table]
    assert ranks == sorted(ranks)
    assert all(line.rank == 1 + sum(rank < line.rank for rank in ranks) for line in table)


def test_a_whole_league_does_not_depend_on_the_order_of_results() -> None:
    rows = league([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4], orbits=8, seed=1)
    shuffled = list(rows)
    random.Random(3).shuffle(shuffled)
    assert repr(standings(shuffled, key=KEY)) == repr(standings(rows, key=KEY))


@pytest.mark.parametrize("primary", PRIMARIES)
def test_bots_that_win_or_lose_everything_have_finite_figures(primary: Primary) -> None:
    rows = [match(n, [0, 5, 6, 26], bots="abcd") for n in range(40)]
    table = standings(rows, key=KEY, primary=primary)
    assert table[0].bot == "a"
    assert all(math.isfinite(figure) for line in table for figure in figures(line))
    best, worst = table[0], by_bot(rows, primary)["d"]
    for share in (best.placement, best.wins):
        assert share.value == 1
        assert share.interval is not None
        assert 0.8 < share.interval.low < share.interval.high == 1
    assert worst.placement.value == 0
    assert best.tier == 1
    assert worst.tier != 1


@pytest.mark.parametrize("matches", [0, 1])
def test_no_streams_or_one_give_values_without_intervals(matches: int) -> None:
    table = standings([match(n, [1, 2, 3], bots="abc") for n in range(matches)], key=KEY)
    assert [line.bot for line in table] == list("abc")[: 3 * matches]
    for line in table:
        assert line.placement.interval is line.points_per_deal.interval is line.wins.interval is None
        assert (line.ranks, line.tier, line.behind) == (None, None, None)
        assert all(math.isfinite(figure) for figure in figures(line))


def test_a_standing_adds_up_what_happened() -> None:
    rows = [
        match(0, [0, 30, 26], bots="abc", stream="one", deals=4),
        match(1, [10, 10, 40], bots="bac", stream="one", deals=6),
    ]
    line = by_bot(rows)["a"]
    assert (line.matches, line.deals, line.streams, line.moons) == (2, 10, 1, 1)
    assert line.points_per_deal == Estimate(1.0, None)
    assert line.placement.value == 0.875  # first, then a shared first
    assert line.wins.value == 0.75
    assert line.chips == Fraction(56, 3) + 10
    assert (line.thinking.count, line.thinking.max_ns) == (4, 2000)
    assert [split.matches for split in line.by_seat] == [1, 1, 0]
    assert [split.points_per_deal for split in line.by_seat] == [0, pytest.approx(10 / 6), 0]


@pytest.mark.parametrize("seed", range(10))
def test_every_column_adds_up_what_the_rows_say_of_its_bot(seed: int) -> None:
    draw = random.Random(seed)
    rows = []
    for fixture in range(30):
        made = match(
            fixture,
            [draw.randrange(9) for _ in range(3)],
            bots=draw.sample("abcdz", 3),
            stream=f"s{draw.randrange(24)}",
            orbit=draw.randrange(2),
            deals=draw.randrange(1, 9),
        )
        seats = tuple(
            seat._replace(
                ranked=seat.bot != "z",
                chips=Fraction(draw.randrange(-50, 50), 3),
                moons=draw.randrange(5),
                moons_suffered=draw.randrange(5),
                faults=draw.randrange(5),
                forfeited=draw.random() < 0.3,
            )
            for seat in made.seats
        )
        rows.append(dataclasses.replace(made, seats=seats))
    first = sum(row.orbit == 0 for row in rows)
    table = standings(rows, key=KEY, orbit_sizes={0: first, 1: 31 - first})  # the other orbit is not complete
    assert {line.bot for line in table} == {seat.bot for row in rows for seat in row.seats} - {"z"}
    for line in table:
        own = [
            (row, at, one) for row in rows if row.orbit == 0 for at, one in enumerate(row.seats) if one.bot == line.bot
        ]
        assert (line.matches, line.deals) == (len(own), sum(row.deals for row, _, _ in own))
        assert line.streams == len({row.stream for row, _, _ in own})
        assert line.chips == sum(one.chips for _, _, one in own)
        assert line.moons == sum(one.moons for _, _, one in own)
        assert line.moons_suffered == sum(one.moons_suffered for _, _, one in own)
        assert line.faults == sum(one.faults for _, _, one in own)
        assert line.forfeits == sum(one.forfeited for _, _, one in own)
        assert line.thinking == merged(Thinking.from_text(one.thinking) for _, _, one in own)
        # Averaged within a stream, and then over the streams.
        by_stream: dict[str, list[float]] = {}
        for row, at, _ in own:
            by_stream.setdefault(row.stream, []).append(placed(row, at))
        assert line.placement.value == pytest.approx(fmean(map(fmean, by_stream.values())) if own else 0)
        assert line.points_per_deal.value == pytest.approx(points_a_deal(own))
        assert line.wins.value == pytest.approx(fmean(won(row, at) for row, at, _ in own) if own else 0)
        for seat, split in enumerate(line.by_seat):
            there = [one for one in own if one[1] == seat]
            assert split.matches == len(there)
            assert split.placement == pytest.approx(fmean(placed(row, seat) for row, _, _ in there) if there else 0)
            assert split.points_per_deal == pytest.approx(points_a_deal(there))


def placed(row: MatchRow, seat: int) -> float:
    """How many of the others a seat is ahead of, a tie being half."""
    place = row.seats[seat].place
    ahead = [(other.place > place) + (other.place == place) / 2 for at, other in enumerate(row.seats) if at != seat]
    return fmean(ahead)


def won(row: MatchRow, seat: int) -> float:
    first = [at for at, one in enumerate(row.seats) if one.place == 1]
    return (seat in first) / len(first)


def points_a_deal(matches: list[tuple[MatchRow, int, SeatRow]]) -> float:
    return sum(one.points for _, _, one in matches) / sum(row.deals for row, _, _ in matches) if matches else 0.0


def test_of_a_bot_with_no_match_that_counts_nothing_is_said_whatever_the_league_tells() -> None:
    rows = [match(n, [0, 5, 6], bots="abc") for n in range(STREAMS_MIN)]
    late = match(STREAMS_MIN, [3, 9], bots="yz", orbit=1)
    table = by_bot([*rows, late])
    part = {line.bot: line for line in standings([*rows, late], key=KEY, orbit_sizes={0: len(rows), 1: 2})}
    assert all(table[bot].tier is not None and table[bot].ranks is not None for bot in "abcyz")
    assert [(part[bot].tier is None, part[bot].ranks is None) for bot in "abcyz"] == [(False, False)] * 3 + [
        (True, True)
    ] * 2


def test_placements_of_a_complete_league_average_a_half() -> None:
    table = standings(league([0, 1, 2, 3, 4, 5, 6, 7], orbits=7, seed=9), key=KEY)
    assert sum(line.placement.value for line in table) == pytest.approx(4)
    assert sum(line.wins.value for line in table) == pytest.approx(2)
    assert sum(line.ranks.first for line in table if line.ranks) == pytest.approx(1)


def test_house_bots_play_but_are_not_listed() -> None:
    rows = [match(n, [1, 2, 3], bots="abz", house=2) for n in range(5)]
    table = by_bot(rows)
    assert set(table) == {"a", "b"}
    assert table["b"].placement.value == 0.5


def test_the_primary_measure_decides_the_ranks() -> None:
    # a wins once and is last otherwise; b is always second; c has the fewest points.
    results = [[0, 20, 21], [50, 20, 19], [50, 20, 19], [99, 30, 29]]
    rows = [match(n, points, bots="abc", deals=10) for n, points in enumerate(results)]
    assert [line.bot for line in standings(rows, key=KEY, primary="points")] == ["c", "b", "a"]
    assert [line.bot for line in standings(rows, key=KEY, primary="wins")] == ["c", "a", "b"]
    assert [line.bot for line in standings(rows, key=KEY, primary="placement")] == ["c", "b", "a"]


def test_equal_placements_are_split_by_points_a_deal() -> None:
    rows = [match(0, [5, 9], bots="ab"), match(1, [7, 9], bots="ba")]
    assert [(line.bot, line.rank) for line in standings(rows, key=KEY)] == [("a", 1), ("b", 2)]


def test_equal_points_are_split_by_the_tables_they_shared() -> None:
    # Both have a mean placement of a half and five points a match; b beat a where they met.
    rows = [
        match(0, [4, 6], bots="ba"),
        match(1, [4, 6], bots="ax", house=1),
        match(2, [6, 4], bots="bx", house=1),
    ]
    assert [(line.bot, line.rank) for line in standings(rows, key=KEY)] == [("b", 1), ("a", 2)]


def test_bots_that_nothing_tells_apart_share_a_rank() -> None:
    rows = [match(0, [4, 6, 9], bots="abc"), match(1, [4, 6, 9], bots="bac")]
    assert [(line.bot, line.rank) for line in standings(rows, key=KEY)] == [("a", 1), ("b", 1), ("c", 3)]


def test_only_complete_orbits_count_but_the_strength_uses_all() -> None:
    whole = league([0, 0.5, 1, 1.5, 2, 2, 2, 2], orbits=3, seed=4)
    sizes = dict(Counter(row.orbit for row in whole))
    kept = [row for row in whole if row.orbit < 2]
    part = standings(whole[:-1], key=KEY, orbit_sizes=sizes)
    complete = standings(kept, key=KEY)
    assert [dataclasses.replace(line, strength=None) for line in part] == [
        dataclasses.replace(line, strength=None) for line in complete
    ]
    everything = {line.bot: line.strength for line in standings(whole[:-1], key=KEY)}
    assert {line.bot: line.strength for line in part} == everything


@pytest.mark.parametrize("primary", PRIMARIES)
def test_a_bot_with_no_match_that_counts_is_last(primary: Primary) -> None:
    rows = [match(0, [3, 9], bots="ab"), match(1, [3, 9], bots="zy", orbit=1)]
    table = standings(rows, key=KEY, primary=primary, orbit_sizes={0: 1, 1: 2})
    assert [(line.bot, line.rank, line.matches) for line in table] == [
        ("a", 1, 1),
        ("b", 2, 1),
        ("y", 3, 0),
        ("z", 3, 0),
    ]
    assert table[-1].placement == Estimate(0.0, None)
    assert table[-1].strength is not None


def test_intervals_of_leagues_cover_95_per_cent() -> None:
    # The truth of each bot is its mean over all the leagues, which is many times as sure as one league. The estimates
    # are made as those of a standing, without the bootstrap.
    leagues = [clusters(league([0, 0.2, 0.4, 0.6, 0.8], orbits=8, seed=seed)) for seed in range(250)]
    for estimate in (placement, points_per_deal, wins):
        covered = 0
        for bot in "abcde":
            found = [estimate(tuple(by_stream[bot].values())) for by_stream in leagues]
            truth = math.fsum(one.value for one in found) / len(found)
            for one in found:
                assert one.interval is not None
                covered += one.interval.low <= truth <= one.interval.high
        assert 0.93 <= covered / (5 * 250) <= 0.97, estimate.__name__


def test_what_is_possible_of_ranks_is_not_said_from_fewer_than_twenty_streams() -> None:
    # Whoever is first on all of two streams is first in every draw from them, whether it is the best or not.
    for streams in (2, STREAMS_MIN - 1, STREAMS_MIN):
        table = standings([match(n, [0, 5, 6, 26], bots="abcd") for n in range(streams)], key=KEY)
        said = streams == STREAMS_MIN
        assert [line.ranks is not None for line in table] == [said] * 4
        assert [line.tier is not None for line in table] == [said] * 4


def test_ranks_of_a_league_hold_the_true_ones() -> None:
    skills = [0, 0.5, 1.0, 1.5]
    inside = 0
    for seed in range(40):
        table = by_bot(league(skills, orbits=8, seed=seed))
        for rank, bot in enumerate("abcd", start=1):
            chance = table[bot].ranks
            assert chance is not None
            inside += chance.low <= rank <= chance.high
    assert inside >= 0.93 * 160
