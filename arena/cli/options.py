"""What several commands take in the same form."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.rules.variant import OptionValue

HOUR_S: Final = 3600.0
"""As long as anything is waited for."""

DatabaseOption = Annotated[str, typer.Option("--db", metavar="URL", help="The database: a path of SQLite, or a URL.")]
NewDatabaseOption = Annotated[
    str | None, typer.Option("--db", metavar="URL", help="The database. Default: beside the file, with .db.")
]
VariantOption = Annotated[str, typer.Option(help="See `arena variants`.")]
GameOptions = Annotated[list[str] | None, typer.Option(help="NAME=VALUE, the value as JSON or plain text.")]
CommandOption = Annotated[str, typer.Option(help="Start this program, which dials in at {address}.")]
TokenFileOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Its first line is the bot's token.")]
CaOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Who signed the bot's certificate, in PEM.")]
ConnectOption = Annotated[
    float, typer.Option(min=0.1, max=HOUR_S, metavar="S", help="Seconds for the bot to be there.")
]


def game_option(text: str) -> tuple[str, OptionValue]:
    """An option of a variant, written NAME=VALUE: its name, and the value as in JSON or else as a word."""
    name, _, value = text.partition("=")
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value
    if parsed is not None and not isinstance(parsed, bool | int | str):
        raise typer.BadParameter(f"option {name}: {value!r} is no value of an option")
    return name, parsed
