"""Sums by bot and stream are those of the rows, exactly, at tables of any size."""

import random
from fractions import Fraction

import pytest

from arena.stats.clusters import Primary, clusters, overall, scores
from arena.stats.rows import MatchRow, placements, wins
from tests.stats.synthetic_league import match

BOTS = "abcdefghij"


def league(seed: int) -> list[MatchRow]:
    """Matches of all sizes, some of which ended before their first deal."""
    draw = random.Random(seed)
    rows = []
    for fixture in range(30):
        bots = draw.sample(BOTS, draw.randrange(2, len(BOTS) + 1))
        points = [draw.randrange(6) for _ in bots]
        rows.append(match(fixture, points, bots=bots, stream=f"s{draw.randrange(20)}", deals=draw.randrange(3)))
    return rows


def measured(rows: list[MatchRow], bot: str, primary: Primary) -> Fraction:
    """The measure of a bot over these rows, in all of which it sits."""
    own = [(row, seat) for row in rows for seat, one in enumerate(row.seats) if one.bot == bot]
    if primary == "points":
        deals = sum(row.deals for row in rows)
        return Fraction(-sum(row.seats[seat].points for row, seat in own), deals) if deals else Fraction(0)
    share = placements if primary == "placement" else wins
    shares = [share([one.place for one in row.seats])[seat] for row, seat in own]
    return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("primary", ["placement", "points", "wins"])
def test_a_measure_is_that_of_the_rows_on_each_stream_and_over_all(primary: Primary, seed: int) -> None:
    rows = league(seed)
    found = clusters(rows)
    assert found.keys() == {seat.bot for row in rows for seat in row.seats}
    for bot, by_stream in found.items():
        own = [row for row in rows if bot in [seat.bot for seat in row.seats]]
        on = {
            stream: [row for row in own if row.stream == stream] for stream in dict.fromkeys(row.stream for row in own)
        }
        each = {stream: measured(here, bot, primary) for stream, here in on.items()}
        assert scores(by_stream, primary) == each
        mean_of_means = sum(each.values(), Fraction(0)) / len(each)
        assert overall(by_stream, primary) == (mean_of_means if primary == "placement" else measured(own, bot, primary))
        for stream, here in on.items():
            assert by_stream[stream].matches == len(here)
            assert by_stream[stream].deals == sum(row.deals for row in here)


def test_of_nothing_there_is_nothing() -> None:
    assert clusters([]) == {}
    assert overall({}, "placement") == overall({}, "points") == overall({}, "wins") == 0
