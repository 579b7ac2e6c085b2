"""How a submitted bot stands: ``python -m arena.bot status``."""

import sys
import time
from pathlib import Path
from typing import Final, NoReturn

import grpc

from arena.bot.command import Parser, add_tls, place, plain, read_token, tls_of
from arena.bot.dial import Refused, dial_channel, refusal
from arena.bot.tls import Tls
from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

WAIT_S: Final = 30.0  # for one answer of the arena
LOOK_EVERY_S: Final = 1.0


def status(*, arena: str, token: str, tls: Tls | None = None) -> pb.BotStatus:
    """What the arena at ``arena`` ("HOST:PORT") says of the bot that ``token`` belongs to; `Refused` in one line."""
    tls = tls or Tls()
    with dial_channel(arena, tls) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(wire.STATUS_METHOD)
        metadata = (("authorization", f"Bearer {token}"),)
        made = call.future(pb.StatusRequest().SerializeToString(), timeout=WAIT_S, metadata=metadata)
        try:
            return pb.BotStatus.FromString(made.result())
        except grpc.RpcError:
            raise refusal(made, arena, tls) from None


def lines(said: pb.BotStatus) -> list[str]:
    """The same in words; what fails comes with the command that repeats it."""
    if said.standing == pb.STANDING_ADMITTED:
        return [f"{said.name} is admitted"]
    if said.standing == pb.STANDING_SUSPENDED:
        return [f"{said.name} is suspended by whoever runs the arena"]
    if said.standing == pb.STANDING_ON_TRIAL:
        return [f"{said.name} is on trial: {said.reason}"]
    if said.standing != pb.STANDING_REFUSED:
        return [f"{said.name} stands in a way that this kit does not know ({said.standing})"]
    left = said.attempts_left
    again = f"submit it again, {left} times at the most" if left else "its invitation is good for no further attempt"
    return [f"{said.name} is refused: {said.reason}", f"repeat it: {said.repeat}", f"then mend it and {again}"]


def watch(*, arena: str, token: str, tls: Tls, wait: bool) -> bool:
    """Print how the bot stands, and with ``wait`` whatever is news until its trial is over; whether it was refused."""
    before: list[str] = []
    while True:
        said = status(arena=arena, token=token, tls=tls)
        now = lines(said)
        if now != before:
            print("\n".join(now), flush=True)  # noqa: T201
            before = now
        if not wait or said.standing != pb.STANDING_ON_TRIAL:
            return said.standing in (pb.STANDING_REFUSED, pb.STANDING_SUSPENDED)
        time.sleep(LOOK_EVERY_S)


def main(arguments: list[str] | None = None) -> NoReturn:
    """The command. Exit status 0: admitted or on trial; 1: refused, suspended, or the arena says nothing; 2: usage."""
    parser = Parser(prog="python -m arena.bot status", description="Ask how a bot stands.")
    parser.add_argument("--arena", type=place, metavar="HOST:PORT", required=True, help="the arena")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="its first line is the bot's token")
    parser.add_argument("--wait", action="store_true", help="until the trial is over")
    add_tls(parser)
    given = parser.parse_args(arguments)
    token = read_token(parser, given.token_file)
    try:
        refused = watch(arena=given.arena, token=token, tls=tls_of(parser, given), wait=given.wait)
    except (Refused, OSError) as error:
        sys.exit(f"status: {plain(error)}")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(int(refused))
