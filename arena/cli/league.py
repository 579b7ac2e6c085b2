"""`arena run`, `status`, `tokens`: a league from its file to its site."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from sqlmodel import Session

from arena.cli.options import DatabaseOption, NewDatabaseOption
from arena.cli.report import Language, LanguageOption, report
from arena.cli.words import count
from arena.league.book import shown
from arena.league.config import ConfigError, LeagueFile, read_league, with_budget
from arena.league.tokens import make_tokens, read_tokens
from arena.store import attempts, read
from arena.store.database import open_database
from arena.store.league import count_deals, count_fixtures
from arena.store.lock import has_arena

if TYPE_CHECKING:
    from arena.cli.watch import Watcher

LeagueArgument = Annotated[Path, typer.Argument(metavar="LEAGUE.toml", help="The league file.")]
BEACON_LENGTH = 256


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(status)
    app.command()(tokens)


def run(
    league: LeagueArgument,
    db: NewDatabaseOption = None,
    site: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The site. Default: beside the file, with .site.")
    ] = None,
    hours: Annotated[float | None, typer.Option(min=0, help="End after so many hours, instead of the file's.")] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help='End at this time, "07:00" or a date and time.')
    ] = None,
    beacon: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The public value for which a league with a beacon waits.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be played, and how long.")] = False,
    lang: LanguageOption = Language.EN,
    log: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also write what happens as JSON Lines; with - to stderr, for people."),
    ] = None,
    metrics: Annotated[
        int | None, typer.Option(min=0, max=65535, metavar="PORT", help="Metrics for Prometheus, on this machine.")
    ] = None,
) -> int:
    """Play a league, or go on with it. Stop it at any time; nothing that was played is lost.

    With a time to end, complete orbits are appended until then.
    """
    file = _with_budget(read_league(league), hours, until)
    public = None if beacon is None else _beacon(file, beacon)
    where = site or league.with_suffix(".site")
    database = str(league.with_suffix(".db")) if db is None else db
    from arena.cli.play import check_server, play_league  # the gateway, and all that plays: only this command needs it

    check_server(file.server)
    if dry_run:
        from arena.cli.forecast import forecast

        for line in forecast(file, database):
            typer.echo(line)
        return 0
    from arena.cli.progress import heard_or_not

    say = heard_or_not(typer.echo)
    tokens = read_tokens(league.parent / file.tokens)
    with ExitStack() as stack:
        watchers: list[Watcher] = []
        if metrics is not None:
            from arena.cli.metrics import served_metrics

            watchers.append(stack.enter_context(served_metrics(metrics, say)))
        if log is not None:
            from arena.cli.log import open_log  # structlog is large, and nothing else needs it

            watchers.append(stack.enter_context(open_log(log, say)))
        play_league(
            file,
            database=database,
            site=where,
            tokens=tokens,
            say=say,
            lang=lang,
            watchers=watchers,
            beacon=public,
        )
    return report(database, where, lang)


def status(db: DatabaseOption) -> int:
    """Say where the leagues of a database stand. Works beside a running league."""
    engine = open_database(db, write=False)
    running = has_arena(engine)
    typer.echo("an arena is playing" if running else "no arena is playing")
    with Session(engine) as session:
        leagues = read.leagues(session=session)
        for league in leagues:
            for line in _standing(session, league, running=running):
                typer.echo(line)
    if not leagues:
        typer.echo("there is no league in it")
    engine.dispose()
    return 0


def _standing(session: Session, league: read.LeagueRow, *, running: bool) -> Iterator[str]:
    """Where a league stands: lines."""
    finished, total = count_fixtures(session=session, league_id=league.id)
    state = f"finished {league.finished_at}" if league.finished_at else "not finished"
    deals = count_deals(session=session, league_id=league.id)
    yield f"{league.name}: {league.variant}, {finished} of {total} matches, {deals} deals, {state}"
    ends = attempts.attempts_by_end(session=session, league_id=league.id)
    if running and (tables := ends.get(None, 0)):
        yield f"  {count(tables, 'table')} in play"
    last = attempts.last_activity(session=session, league_id=league.id)
    if last:
        yield f"  a match was last begun or ended {last}"
    if running and (away := attempts.away(session=session, league_id=league.id)):
        others = {name: f" (here as another version: {here_as})" if here_as else "" for name, here_as in away.items()}
        yield f"  waiting for {', '.join(name + other for name, other in others.items())}"
    if faults := ends.get(attempts.FAULT, 0):
        yield f"  begun anew after a fault of the arena's own: {count(faults, 'match')}"


def _with_budget(file: LeagueFile, hours: float | None, until: str | None) -> LeagueFile:
    """The file with these instead of its own."""
    try:
        return with_budget(file, hours, until)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from None


def _beacon(file: LeagueFile, text: str) -> bytes:
    """The text as it is bound into the deals."""
    if not file.beacon:
        raise typer.BadParameter("--beacon is for a league whose file has beacon = true")
    if not (text.isprintable() and text.strip() and len(text) <= BEACON_LENGTH):
        raise typer.BadParameter(f"--beacon: 1 to {BEACON_LENGTH} printable characters, not {shown(text)}")
    return text.encode()


def tokens(league: LeagueArgument) -> int:
    """Make the file of tokens that the league file names, one for each bot."""
    file = read_league(league)
    path = league.parent / file.tokens
    make_tokens(path, [bot.name for bot in file.bots])
    typer.echo(f"{path}: {count(len(file.bots), 'line')} TOKEN NAME, one for each bot, readable by you only")
    return 0
