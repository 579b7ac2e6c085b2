"""`arena new`, `arena schedule`: a league before it is played."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final

import typer
from sqlmodel import Session

from arena.cli.words import count
from arena.league.config import LeagueFile, read_league
from arena.league.create import orbits_of, planned
from arena.league.schedule import EVENT_KEY_BYTES, Balance, Fixture, balance, schedule_hash
from arena.league.template import template
from arena.store import read
from arena.store.database import DatabaseError, open_database
from arena.store.league import fixtures_of

EXAMPLE_KEY: Final = bytes(EVENT_KEY_BYTES)
SCHEDULE: Final = "hearts-arena/schedule@1"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(new)
    app.command()(schedule)


def new(league: Annotated[Path, typer.Argument(metavar="LEAGUE.toml", help="The file to be written.")]) -> int:
    """Write a new league file, with every key and what it means. A file that is there is left alone."""
    text = template(league)
    with league.open("x", encoding="utf-8") as file:
        file.write(text)
    typer.echo(f"{league}: name the bots in it, then: arena tokens {league}")
    return 0


def schedule(
    league: Annotated[Path, typer.Argument(metavar="LEAGUE.toml", help="The league file.")],
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="Where the league has been created already.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs, one object a league.")] = False,
) -> int:
    """Print who plays whom, where and on which deals, and how even that is.

    Which bot has which place is drawn under the league's secret key when it is created. Before that, it is shown as an
    example key draws it: tables, rounds and their balance are the same.
    """
    for file in read_league(league).leagues:
        plan = _example(file) if db is None else _created(db, file.name)
        said = balance(plan.fixtures, entrants=plan.bots, seats=plan.seats)
        if as_json:
            typer.echo(_as_json(plan, said))
        else:
            for line in _in_words(plan, said):
                typer.echo(line)
    return 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """A league's schedule."""

    league: str
    variant: str
    names: tuple[str, ...]  # by number, the house's last
    bots: int
    seats: int
    fixtures: tuple[Fixture, ...]
    example: bool  # drawn, but not under the key of a league


def _example(file: LeagueFile) -> _Plan:
    """The schedule as the example key draws it."""
    bots, seats = len(file.bots), file.game.seats
    names = tuple(bot.name for bot in file.bots) + file.house
    drawn = file.schedule.format == "league"  # a gauntlet leaves nothing to be drawn
    schedule = tuple(planned(file, EXAMPLE_KEY, orbits_of(file)))
    return _Plan(file.name, file.game.variant, names, bots, seats, schedule, drawn)


def _created(db: str, name: str) -> _Plan:
    """The schedule in the database."""
    with Session(open_database(db, write=False)) as session:
        row = next((one for one in read.leagues(session=session) if one.name == name), None)
        if row is None:
            raise DatabaseError(f"{db}: league {name!r} has not been created there")
        entrants = read.entrants(session=session, league=row.id)
        schedule = tuple(fixtures_of(session=session, league_id=row.id))
    bots = sum(one.ranked for one in entrants)
    return _Plan(name, row.variant, tuple(one.name for one in entrants), bots, row.seats, schedule, False)


def _as_json(plan: _Plan, said: Balance) -> str:
    return json.dumps(
        {
            "format": SCHEDULE,
            "league": plan.league,
            "entrants": list(plan.names),
            "example": plan.example,
            "hash": schedule_hash(plan.fixtures),
            "balance": asdict(said),
            "fixtures": [asdict(one) for one in plan.fixtures],
        },
        ensure_ascii=False,
    )


def _in_words(plan: _Plan, said: Balance) -> Iterator[str]:
    orbits = len({(one.repetition, one.orbit) for one in plan.fixtures})
    streams = len({one.stream for one in plan.fixtures})
    yield (
        f"{plan.league}: {plan.variant}, {count(plan.bots, 'bot')} at tables of {plan.seats}, orbits {orbits},"
        f" matches {said.tables}, deal streams {streams}"
    )
    counts = [
        ("matches of a bot", said.appearances),
        ("of a bot in one seat", said.seats),
        ("of two bots", said.pairs),
        *((f"one {distance} to the left of another", one) for distance, one in enumerate(said.neighbours, 1)),
    ]
    for what, one in counts:
        yield f"  {what:<29}{one.least} to {one.most}, ideal {one.ideal:.4g}"
    digest = schedule_hash(plan.fixtures)
    if plan.example:
        yield (
            f"  hash {digest} under an example key of 32 zero bytes: who takes which bot's place is drawn under the"
            " league's secret key when it is created"
        )
    else:
        yield f"  hash {digest}"
    width = [max(len(plan.names[one.seats[seat]]) for one in plan.fixtures) for seat in range(plan.seats)]
    rounds = groupby(plan.fixtures, lambda one: (one.repetition, one.orbit, one.round))
    for (repetition, orbit, round_), tables in rounds:
        yield f"repetition {repetition}, orbit {orbit}, round {round_}"
        for table in tables:
            seated = "  ".join(plan.names[bot].ljust(width[seat]) for seat, bot in enumerate(table.seats))
            yield f"  {table.number:>5}  {seated}  {table.stream}"
