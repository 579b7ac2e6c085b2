"""The command line of a bot file."""

import argparse
import math
import os
import sys
from pathlib import Path
from typing import NoReturn

from arena.bot.author import Bot, Choose
from arena.bot.dial import Refused, connect
from arena.bot.service import serve
from arena.bot.tls import Tls
from arena.gateway import wire


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line, with status 2."""

    def error(self, message: str) -> NoReturn:
        """End the program."""
        self.exit(2, f"{self.prog}: error: {message}\n")


def run(bot: Bot | Choose, arguments: list[str] | None = None) -> None:
    """Make a program of a bot: dial in to the arena that the command line or the environment names, and play.

    ``--arena`` or ARENA_ADDRESS, ``--token-file`` or ARENA_TOKEN; with ``--serve`` the arena dials instead. Does not
    return: the exit status is 0 when the arena has closed, 1 when it refuses the bot or is not there, 2 for wrong
    usage.
    """
    program = Path(sys.argv[0]).name
    parser = Parser(prog=program, description="A bot for the Hearts arena.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--arena", type=place, metavar="HOST:PORT", help="where to dial in; else ARENA_ADDRESS")
    where.add_argument("--serve", type=place, metavar="HOST:PORT", help="be dialled by the arena, at this address")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="its first line is the bot's token")
    parser.add_argument(
        "--tables", type=tables, default=8, metavar="N", help="play at up to N tables at once (default 8)"
    )
    parser.add_argument("--software", default=program, help=argparse.SUPPRESS)
    parser.add_argument(
        "--patience", type=_seconds, metavar="S", help="seconds to wait for a lost arena (30; --serve: ever)"
    )
    add_tls(parser)
    given = parser.parse_args(arguments)
    address = given.serve or given.arena or os.environ.get("ARENA_ADDRESS")
    if not address:
        parser.error("no arena: give --arena HOST:PORT, or set ARENA_ADDRESS")
    try:
        place(address)
    except argparse.ArgumentTypeError as error:
        parser.error(f"ARENA_ADDRESS: {error}")
    tls = tls_of(parser, given)
    token = read_token(parser, given.token_file)
    play = connect
    patience_s = 30.0
    if given.serve:
        play, patience_s = serve, math.inf
    try:
        reason = play(
            bot,
            address=address,
            token=token,
            tables=given.tables,
            software=given.software[:64],
            patience_s=patience_s if given.patience is None else given.patience,
            tls=tls,
        )
    except (Refused, OSError) as error:
        sys.exit(f"{program}: {plain(error)}")
    except KeyboardInterrupt:
        sys.exit(130)
    print(f"{program}: {reason}", file=sys.stderr)  # noqa: T201
    sys.exit(0)


def place(text: str) -> str:
    """HOST:PORT, as it is given. gRPC would take another port for one that cannot be."""
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdecimal() and len(port) < 6 and int(port) <= 65535):
        raise argparse.ArgumentTypeError(f"not HOST:PORT: {text[:80]!r}")
    return text


def tables(text: str) -> int:
    """How many tables at once."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    if not 1 <= number <= wire.TABLES_LIMIT:
        raise argparse.ArgumentTypeError(f"must be 1 to {wire.TABLES_LIMIT}, not {text[:80]!r}")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"must be a number from 0, not {text[:80]!r}")
    return number


def plain(error: Exception) -> str:
    """An error in one line: which file, where it is of one, and what."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def read_token(parser: argparse.ArgumentParser, file: Path | None) -> str:
    """The bot's token, of the file or else of ARENA_TOKEN; wrong usage where there is none."""
    token = os.environ.get("ARENA_TOKEN", "")
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8-sig").partition("\n")[0].strip()
        except (OSError, UnicodeDecodeError) as error:
            parser.error(f"cannot read the token in {file}: {getattr(error, 'strerror', None) or error}")
    if not token.isascii() or not token.isprintable() or not token:
        parser.error("no token: give --token-file FILE, or set ARENA_TOKEN; it is one line of plain text")
    return token


def add_tls(parser: argparse.ArgumentParser) -> None:
    """The options of certificates."""
    parser.add_argument("--ca", type=Path, metavar="FILE", help="who signed the other side's certificate, in PEM")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="the bot's own certificate, in PEM")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the key of that certificate, in PEM")
    parser.add_argument("--insecure", action="store_true", help="without TLS, also where others may listen")


def tls_of(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Tls:
    """What those options say; wrong usage where a certificate has no key."""
    if (given.certificate is None) != (given.key is None):
        parser.error("--certificate and --key go together")
    return Tls(given.ca, given.certificate, given.key, given.insecure)
