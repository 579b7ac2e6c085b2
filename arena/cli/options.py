"""What several commands take in the same form."""

import json

import typer

from arena.rules.variant import OptionValue


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
