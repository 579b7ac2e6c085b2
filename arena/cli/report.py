"""`arena report`: the site of a database. It is called all through a run: nothing is imported that it does not need."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from sqlmodel import Session

from arena.cli.options import DatabaseOption
from arena.store.database import open_database
from reports.site import write_site


class Language(StrEnum):
    """What the first page of a site is written in."""

    EN = "en"
    RU = "ru"


LanguageOption = Annotated[
    Language, typer.Option("--lang", help="Language of the site's first page; the other is one click away.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    db: DatabaseOption,
    site: Annotated[Path, typer.Option(metavar="DIR", help="Where the site goes.")] = Path("site"),
    lang: LanguageOption = Language.EN,
) -> int:
    """Write the site of a database."""
    with Session(open_database(db, write=False)) as session:
        typer.echo(f"site: {write_site(session, directory=site, lang=lang)}")
    return 0
