"""`arena gauntlet`: is the new version of a bot better than the old one?"""

import secrets
from pathlib import Path
from typing import Annotated, Final

import typer
from sqlalchemy import Engine
from sqlmodel import Session

from arena.cli.options import NewDatabaseOption
from arena.cli.play import check_server, describe, holding, make_runner, serve
from arena.cli.progress import Progress, heard_or_not
from arena.gateway.server import Gateway
from arena.league.budget import Budget
from arena.league.config import ConfigError, LeagueFile, read_league
from arena.league.create import Opened, open_league
from arena.league.decisions import Decisions
from arena.league.gauntlet import Gauntlet, gauntlet_of, standing_words, verdict_words
from arena.league.tokens import read_tokens
from arena.rules.deck import SEED_BYTES
from arena.stats.gauntlet import Plan
from arena.store.database import in_one_line, open_database
from arena.store.lock import sole_arena

USUAL: Final = Plan()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(gauntlet)


def gauntlet(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new version: a bot of the league file.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The old version: another one.")],
    league: Annotated[
        Path, typer.Option("--league", metavar="LEAGUE.toml", help="It says rules, times, server and tokens.")
    ],
    db: NewDatabaseOption = None,
    gain: Annotated[float, typer.Option(min=0.01, help="Points a deal that are worth knowing of.")] = USUAL.better,
    least: Annotated[int, typer.Option(min=2, help="Groups before a verdict.")] = USUAL.groups_min,
    most: Annotated[int, typer.Option(min=2, help="Groups after which it is too close to tell.")] = USUAL.groups_max,
) -> int:
    """Find out whether NEW is better than OLD, and stop when it is known.

    NEW sits at tables with copies of OLD: one process of each, and OLD plays all other seats. Each deal is played with
    NEW in every seat. Stop it at any time; a second call goes on where it stood.
    """
    if most < least:
        raise typer.BadParameter(f"--most {most} is less than --least {least}")
    plan = Plan(better=gain, groups_min=least, groups_max=most, groups_expected=max(least, USUAL.groups_expected))
    file = read_league(league)
    check_server(file.server)
    made, players = gauntlet_of(file, new, old, plan)
    tokens = read_tokens(league.parent / file.tokens)
    engine = open_database(str(league.with_suffix(".db")) if db is None else db, create=True)
    try:
        with in_one_line(engine), sole_arena(engine) as holds:
            opened = _opened(engine, made, players)
            state = Gauntlet(engine, opened, plan)
            budget = Budget(file.schedule.hours, file.schedule.until)
            progress = Progress(heard_or_not(typer.echo), extra=lambda: standing_words(state.look()))

            async def play(gateway: Gateway) -> None:
                runner = make_runner(engine, opened, gateway, budget, progress.tell, tokens, Decisions())
                progress.follow(runner)
                await runner.run(lambda: state.wants_more(runner.total // made.game.seats))
                progress.finish()

            finished = False
            try:
                finished = not describe(engine, opened, typer.echo)
                if not finished:
                    serve(made, tokens=tokens, progress=progress, play=play, beside=(holding(engine, holds),))
            finally:
                for line in verdict_words(state.look(), new, old, plan, finished=finished):
                    typer.echo(line)
    finally:
        engine.dispose()
    return 0


def _opened(engine: Engine, made: LeagueFile, players: tuple[str, ...]) -> Opened:
    """The gauntlet's league, new or as it was begun; ConfigError where that was with other settings."""
    try:
        with Session(engine) as session, session.begin():
            return open_league(session=session, file=made, seed=secrets.token_bytes(SEED_BYTES), players=players)
    except ConfigError as error:
        # Its orbits are what the option says, and no key of the file.
        raise ConfigError(str(error).replace(": schedule.orbits was", ": --least was")) from None
