"""Enters a bot in an arena with an invitation: ``python -m arena.bot submit``."""

import errno
import os
import sys
from pathlib import Path
from typing import NoReturn

import grpc

from arena.bot.command import Parser, add_tls, place, plain, tables, tls_of
from arena.bot.dial import Refused, dial_channel, refusal
from arena.bot.status import watch
from arena.bot.tls import Tls
from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

WAIT_S = 30.0  # for the arena's answer


def submit(submission: pb.Submission, *, arena: str, tls: Tls | None = None) -> pb.Admission:
    """What the arena at ``arena`` ("HOST:PORT") gives: the bot's token, once. `Refused` in one line if it does not."""
    tls = tls or Tls()
    with dial_channel(arena, tls) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(wire.SUBMIT_METHOD)
        made = call.future(submission.SerializeToString(), timeout=WAIT_S)
        try:
            return pb.Admission.FromString(made.result())
        except grpc.RpcError:
            raise refusal(made, arena, tls) from None


def main(arguments: list[str] | None = None) -> NoReturn:
    """The command. Exit status 0: the bot is entered and its token is in the file; 1: it is not; 2: wrong usage.

    With --wait 0 says that it was admitted, and 1 that it was refused.
    """
    parser = Parser(prog="python -m arena.bot submit", description="Enter a bot in an arena.")
    parser.add_argument("--arena", type=place, metavar="HOST:PORT", required=True, help="the arena")
    parser.add_argument("--invite", metavar="CODE", required=True, help="the invitation, good once")
    parser.add_argument("--name", required=True, help="for the table of results; 1 to 64 characters")
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", required=True, help="where the token goes; a new file"
    )
    parser.add_argument("--again", action="store_true", help="it was not admitted: the token of before is replaced")
    parser.add_argument("--wait", action="store_true", help="until its trial is over")
    parser.add_argument(
        "--address", metavar="HOST:PORT", default="", help="where the arena dials the bot; else it dials in"
    )
    parser.add_argument(
        "--tables", type=tables, metavar="N", default=0, help="the most tables at once; else what it says"
    )
    parser.add_argument("--variants", nargs="*", metavar="VARIANT", default=[], help="that it plays; else all")
    parser.add_argument("--software", metavar="TEXT", default="", help="what it is, and its version")
    add_tls(parser)
    given = parser.parse_args(arguments)
    tls = tls_of(parser, given)
    try:
        submission = pb.Submission(
            invite=given.invite,
            name=given.name,
            address=given.address,
            tables=given.tables,
            variants=given.variants,
            software=given.software,
        )
    except UnicodeEncodeError as error:
        parser.error(f"not UTF-8: {error.object!a}")
    path: Path = given.token_file
    new = path.with_name(path.name + ".new")
    try:
        if path.exists() and not given.again:
            raise FileExistsError(errno.EEXIST, "it is there already; give --again if this bot was submitted before")
        # Before the arena is asked: it says the token once.
        file = os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii")
    except OSError as error:
        sys.exit(f"submit: {error.filename or path}: {error.strerror}")
    try:
        with file:
            admission = submit(submission, arena=given.arena, tls=tls)
            file.write(admission.token + "\n")
        new.replace(path)
    except (Refused, OSError, KeyboardInterrupt) as error:
        new.unlink(missing_ok=True)
        sys.exit(130 if isinstance(error, KeyboardInterrupt) else f"submit: {plain(error)}")
    print(f"{admission.name} is entered, and on trial; its token is in {path}, readable by you only")  # noqa: T201
    how = f"serve at {given.address}" if given.address else f"dial in at {given.arena}"
    print(f"start it now, to {how} with --token-file {path}", flush=True)  # noqa: T201
    if not given.wait:
        print(f"python -m arena.bot status --wait --arena {given.arena} --token-file {path}")  # noqa: T201
        sys.exit(0)
    try:
        sys.exit(int(watch(arena=given.arena, token=admission.token, tls=tls, wait=True)))
    except (Refused, OSError) as error:
        sys.exit(f"submit: {plain(error)}")
    except KeyboardInterrupt:
        sys.exit(130)
