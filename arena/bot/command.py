"""The command line of a bot file."""

import argparse
import os
import sys
from pathlib import Path

from arena.bot.author import Bot, Choose
from arena.bot.dial import Refused, connect


def run(bot: Bot | Choose, arguments: list[str] | None = None) -> None:
    """Make a program of a bot: dial in to the arena that the command line or the environment names, and play.

    ``--arena`` or ARENA_ADDRESS, ``--token-file`` or ARENA_TOKEN. Does not return: the exit status is 0 when the arena
    has closed, 1 when it refuses the bot or is not there, 2 for wrong usage.
    """
    program = Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(prog=program, description="A bot for the Hearts arena.")
    parser.add_argument(
        "--arena", metavar="HOST:PORT", default=os.environ.get("ARENA_ADDRESS"), help="where to dial in"
    )
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="its first line is the bot's token")
    parser.add_argument("--tables", type=int, default=8, metavar="N", help="play at up to N tables at once (default 8)")
    parser.add_argument("--software", default=program, help=argparse.SUPPRESS)
    parser.add_argument("--patience", type=float, default=30.0, metavar="S", help="seconds to wait for a lost arena")
    given = parser.parse_args(arguments)
    if not given.arena:
        parser.error("no arena: give --arena HOST:PORT, or set ARENA_ADDRESS")
    token = os.environ.get("ARENA_TOKEN", "")
    if given.token_file is not None:
        try:
            token = given.token_file.read_text().partition("\n")[0].strip()
        except (OSError, UnicodeDecodeError) as error:
            parser.error(f"cannot read the token in {given.token_file}: {error}")
    if not token.isascii() or not token.isprintable() or not token:
        parser.error("no token: give --token-file FILE, or set ARENA_TOKEN; it is one line of plain text")
    try:
        reason = connect(
            bot,
            address=given.arena,
            token=token,
            tables=given.tables,
            software=given.software[:64],
            patience_s=given.patience,
        )
    except Refused as error:
        sys.exit(f"{program}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    print(f"{program}: {reason}", file=sys.stderr)  # noqa: T201
    sys.exit(0)
