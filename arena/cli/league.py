"""`arena run`, `status`, `report`, `tokens`: a league from its file to its site."""

from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import Session

from arena.cli.play import play_league
from arena.league.config import read_league
from arena.league.tokens import make_tokens, read_tokens
from arena.store import read
from arena.store.database import open_database
from arena.store.league import count_fixtures
from reports.site import write_site

LeagueArgument = Annotated[Path, typer.Argument(metavar="LEAGUE.toml", help="The league file.")]
DatabaseOption = Annotated[str, typer.Option("--db", metavar="URL", help="The database: a path of SQLite, or a URL.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(status)
    app.command()(report)
    app.command()(tokens)


def run(
    league: LeagueArgument,
    db: Annotated[str | None, typer.Option("--db", metavar="URL", help="Default: beside the file, with .db.")] = None,
    site: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: beside the file, with .site.")] = None,
) -> int:
    """Play a league, or go on with it. Stop it at any time; nothing that was played is lost."""
    file = read_league(league)
    where = site or league.with_suffix(".site")
    database = db or str(league.with_suffix(".db"))
    play_league(file, database=database, site=where, tokens=read_tokens(league.parent / file.tokens), say=typer.echo)
    typer.echo(f"site: {_write(database, where)}")
    return 0


def status(db: DatabaseOption) -> int:
    """Say where the leagues of a database stand. Works beside a running league."""
    with Session(open_database(db, write=False)) as session:
        for league in read.leagues(session=session):
            finished, total = count_fixtures(session=session, league_id=league.id)
            state = f"finished {league.finished_at}" if league.finished_at else "not finished"
            typer.echo(f"{league.name}: {league.variant}, {finished} of {total} matches, {state}")
    return 0


def report(
    db: DatabaseOption, site: Annotated[Path, typer.Option(metavar="DIR", help="Where the site goes.")] = Path("site")
) -> int:
    """Write the site of a database."""
    typer.echo(f"site: {_write(db, site)}")
    return 0


def tokens(league: LeagueArgument) -> int:
    """Make the file of tokens that the league file names, one for each bot."""
    file = read_league(league)
    path = league.parent / file.tokens
    make_tokens(path, [bot.name for bot in file.bots])
    typer.echo(f"{path}: one line TOKEN NAME for each of {len(file.bots)} bots, readable by you only")
    return 0


def _write(db: str, site: Path) -> Path:
    with Session(open_database(db, write=False)) as session:
        return write_site(session, directory=site)
