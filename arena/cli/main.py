"""The `arena` command. Exit status 0: done; 1: something is wrong with the data or a bot; 2: wrong usage.

Errors are one line on standard error that says what and where, with the value; a traceback is a mistake of ours.
"""

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

import typer
from sqlalchemy.exc import DBAPIError

from arena.cli.garbage import look_rarely
from arena.store.database import DatabaseError

COMMANDS: Final = {
    "league": ("run", "status", "tokens"),
    "report": ("report",),
    "gauntlet": ("gauntlet",),
    "plan": ("new", "schedule"),
    "data": ("leagues", "standings", "export", "import", "verify"),
    "records": ("replay", "deal", "variants"),
    "bench": ("bench",),
    "demo": ("demo",),
    "submit": ("invite", "bots"),
    "check": ("check",),
    "practice": ("play",),
    "transcript": ("transcript",),
}
"""By module, in the order in which help lists them. Only the module of the command that is given is imported."""


class _Commands(typer.core.TyperGroup):
    """Imports a command when it is asked for: all of them together take a second to import."""

    def list_commands(self, ctx: Any) -> list[str]:
        self._import(COMMANDS)
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # All of them where there is none of that name: one may be meant.
        self._import([module for module, names in COMMANDS.items() if cmd_name in names] or COMMANDS)
        return super().get_command(ctx, cmd_name)

    def _import(self, modules: Iterable[str]) -> None:
        own = typer.Typer(rich_markup_mode=None, add_completion=False)
        for module in modules:
            import_module(f"arena.cli.{module}").register(own)
        self.commands.update(typer.main.get_group(own).commands)


app = typer.Typer(
    cls=_Commands,
    name="arena",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback()
def _arena() -> None:
    """Tournaments for Hearts-playing bots."""


def main() -> None:
    """The console script."""
    # gRPC would write a line of its own for every stranger whose handshake fails; what it says of errors it still does.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    look_rarely()
    sys.exit(_run())


def _message(error: typer.TyperException) -> str:
    """What is wrong with the command, with the value of the option, which typer may leave out."""
    said: str = error.format_message()
    if isinstance(error, typer.BadParameter) and error.param is None:
        said = error.message  # which names the options itself
    for option in getattr(getattr(error, "param", None), "opts", ()):
        given = [after for word, after in pairwise(sys.argv) if word == option]
        given += [word.removeprefix(f"{option}=") for word in sys.argv if word.startswith(f"{option}=")]
        if len(given) == 1 and repr(given[0]) not in said:
            return f"{said}, not {given[0]!r}"
    return said


def _say(text: str) -> None:
    """On one line, whatever is in the name of a file."""
    plain = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    print(f"arena: {plain}", file=sys.stderr)  # noqa: T201


def _run() -> int:
    try:
        result = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except typer.Exit as error:
        return error.exit_code
    except typer.TyperException as error:
        _say(_message(error))
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        _say("interrupted")
        return 130
    except BrokenPipeError:
        # Who reads our output has gone; what is buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except DBAPIError as error:
        _say(f"the database: {str(error.orig).splitlines()[0]}")
        return 1
    except DatabaseError as error:
        _say(str(error))
        return 1
    except ValueError as error:
        from arena.league.config import ConfigError  # whoever raises it has imported it; for the others it is large

        if not isinstance(error, ConfigError):
            raise
        _say(str(error))
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{error.strerror or error}")
        return 1
    return result if isinstance(result, int) else 0
