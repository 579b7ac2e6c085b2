"""The `arena` command. Exit status 0: done; 1: something is wrong with the data or a bot; 2: wrong usage.

Errors are one line on standard error that says what and where, with the value; a traceback is a mistake of ours.
"""

import gc
import os
import sys
from typing import Final

import typer
from sqlalchemy.exc import DBAPIError

from arena.cli import bench, check, data, demo, league, practice, records, submit, transcript
from arena.league.config import ConfigError
from arena.store.database import DatabaseError

GARBAGE: Final = 5_000, 10, 50
"""When the collector looks: after so many new objects, and every so many times at older ones."""

app = typer.Typer(
    name="arena",
    help="Tournaments for Hearts-playing bots.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
for module in (league, data, records, bench, demo, submit, check, practice, transcript):
    module.register(app)


def main() -> None:
    """The console script."""
    # What has been imported stays; looking through it for garbage again and again costs a run some percent of its time.
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    sys.exit(_run())


def _run() -> int:
    try:
        result = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except typer.Exit as error:
        return error.exit_code
    except typer.TyperException as error:
        print(f"arena: {error.format_message()}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        print("arena: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except BrokenPipeError:
        # Who reads our output has gone; what is buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except DBAPIError as error:
        print(f"arena: the database: {str(error.orig).splitlines()[0]}", file=sys.stderr)  # noqa: T201
        return 1
    except (ConfigError, DatabaseError) as error:
        print(f"arena: {error}", file=sys.stderr)  # noqa: T201
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"arena: {where}{error.strerror or error}", file=sys.stderr)  # noqa: T201
        return 1
    return result if isinstance(result, int) else 0
