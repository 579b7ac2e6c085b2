"""What several commands take in the same form."""

import json
from typing import Final

import typer

from arena.rules.variant import OptionValue

HOUR_S: Final = 3600.0
"""As long as anything is waited for."""


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
