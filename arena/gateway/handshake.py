"""How a stream begins: a token that names a bot, then Hello. What is wrong with either is told in one line."""

import asyncio
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

import grpc
from google.protobuf.message import DecodeError

from arena.gateway import wire
from arena.gateway.connection import Context, End, Limits
from arena.rules.catalogue import VARIANTS
from arena.v1 import arena_pb2 as pb

_BEARER: Final = "bearer "


class Call(Context, Protocol):
    """What the handshake uses of a call."""

    def invocation_metadata(self) -> Iterable[tuple[str, str | bytes]] | None:
        """The headers."""
        ...


@dataclass(frozen=True, slots=True)
class Greeting:
    """A Hello that is accepted."""

    name: str  # the bot's, from its token
    version: int  # the newest that both sides speak
    tables: int
    software: str
    variants: tuple[str, ...]  # those of them that exist


async def shake(call: Call, authenticate: Callable[[str], str | None], limits: Limits) -> Greeting | End:
    """On asyncio's side: who it is and what it says, or why it is not let in."""
    token = _token(call)
    if token is None:
        return End(grpc.StatusCode.UNAUTHENTICATED, 'no token: the metadata needs "authorization: Bearer TOKEN"')
    name = authenticate(token)
    if name is None:
        return End(grpc.StatusCode.UNAUTHENTICATED, "this token is not known here")
    try:
        async with asyncio.timeout(limits.hello_s):
            data = await call.read()
    except TimeoutError:
        return End(grpc.StatusCode.DEADLINE_EXCEEDED, f"{name}: no Hello within {limits.hello_s:g} s")
    if not isinstance(data, bytes):
        return End(grpc.StatusCode.FAILED_PRECONDITION, f"{name}: the stream ended before Hello")
    if len(data) > limits.frame:
        reason = f"{name}: a frame of {len(data)} bytes; {limits.frame} is the limit"
        return End(grpc.StatusCode.RESOURCE_EXHAUSTED, reason)
    return _read(name, data)


def _token(call: Call) -> str | None:
    for key, value in call.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value[: len(_BEARER)].lower() == _BEARER:
            return value[len(_BEARER) :].strip()
    return None


def _read(name: str, data: bytes) -> Greeting | End:
    try:
        messages = pb.BotFrame.FromString(data).messages
    except DecodeError:
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: not a BotFrame: {data[:20]!r}")
    kind = messages[0].WhichOneof("kind") if messages else None
    if kind != "hello" or len(messages) != 1:
        said = kind or "nothing that is known" if len(messages) <= 1 else f"{len(messages)} messages"
        return End(grpc.StatusCode.FAILED_PRECONDITION, f"{name}: the first frame must be Hello alone, not {said}")
    hello = messages[0].hello
    oldest, newest = wire.VERSIONS
    theirs = (hello.oldest_version, hello.newest_version)
    version = min(newest, theirs[1])
    if version < max(oldest, theirs[0]):
        said = f"the bot speaks versions {theirs[0]} to {theirs[1]} of the protocol, the arena {oldest} to {newest}"
        return End(grpc.StatusCode.FAILED_PRECONDITION, f"{name}: {said}")
    if not 1 <= hello.tables <= wire.TABLES_LIMIT:
        said = f"Hello.tables must be 1 to {wire.TABLES_LIMIT}, not {hello.tables}"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}")
    if len(hello.software) > wire.SOFTWARE_LIMIT:
        said = f"Hello.software has {len(hello.software)} characters; {wire.SOFTWARE_LIMIT} is the limit"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}")
    software = "".join(one for one in hello.software if unicodedata.category(one)[0] != "C")
    variants = tuple(one for one in VARIANTS if one in hello.variants)
    if hello.variants and not variants:
        said = f"none of the variants in Hello.variants is known, e.g. {hello.variants[0][:40]!r}"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}")
    return Greeting(name, version, hello.tables, software, variants)
