"""Results of made-up matches, for the statistics to be right about."""

import random
from collections.abc import Sequence
from fractions import Fraction

from arena.league.schedule import fixtures
from arena.stats.rows import MatchRow, SeatRow
from arena.stats.thinking import Thinking

KEY = bytes(range(32))


def match(
    fixture: int,
    points: Sequence[int],
    *,
    bots: Sequence[str],
    stream: str | None = None,
    orbit: int = 0,
    deals: int = 10,
    house: int | None = None,
) -> MatchRow:
    """A match that ended with these points; bots from the index ``house`` on are house bots by name order."""
    ranked = set(bots) if house is None else set(sorted(set(bots))[:house])
    return MatchRow(
        fixture,
        orbit,
        stream or f"stream{fixture}",
        deals,
        tuple(
            SeatRow(
                bot=bot,
                ranked=bot in ranked,
                points=total,
                place=1 + sum(other < total for other in points),
                chips=Fraction(sum(points), len(points)) - total,
                moons=int(total == 0),
                moons_suffered=0,
                faults=0,
                forfeited=False,
                thinking=Thinking(2, 1000 * (fixture + 1), 1000 * (fixture + 1), ((8, 2),)).to_text(),
            )
            for bot, total in zip(bots, points, strict=True)
        ),
    )


def league(skills: Sequence[float], *, orbits: int, seed: int, seats: int = 4) -> list[MatchRow]:
    """A league of bots ``a``, ``b``, … whose points a deal are about 6.5 + skill; deals are lucky to a seat."""
    draw = random.Random(seed)
    luck: dict[str, list[float]] = {}
    rows: list[MatchRow] = []
    schedule = fixtures(entrants=len(skills), seats=seats, orbits=orbits, event_key=KEY)
    for fixture in schedule:
        here = luck.setdefault(fixture.stream, [draw.gauss(0, 1.2) for _ in range(seats)])
        deals = draw.randrange(7, 15)
        points = [
            max(0, round(deals * (6.5 + skills[bot] + here[seat] + draw.gauss(0, 1.8))))
            for seat, bot in enumerate(fixture.seats)
        ]
        rows.append(
            match(
                fixture.number,
                points,
                bots=[chr(ord("a") + bot) for bot in fixture.seats],
                stream=fixture.stream,
                orbit=fixture.number // max(len(skills), seats),
                deals=deals,
            )
        )
    return rows
