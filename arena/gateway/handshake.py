"""How a stream begins: whose it is, then Hello. What is wrong with either is told in one line.

A bot that dials in names itself by its token; one that we have dialled proves in its Hello that it has the token.
"""

import asyncio
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
class Identity:
    """Who a bot is, or should be."""

    name: str
    key: bytes | None  # of both sides' proofs, `wire.key_of` its token; None: neither side can prove anything
    nonce: bytes = b""  # ours, where the bot has yet to prove itself


@dataclass(frozen=True, slots=True)
class Greeting:
    """A Hello that is accepted."""

    name: str  # the bot's
    proof: bytes  # ours for the bot, b"" where it has not asked
    version: int  # the newest that both sides speak
    tables: int
    software: str
    variants: tuple[str, ...]  # those of them that exist


def identify(call: Call, authenticate: Callable[[str], str | None]) -> Identity | End:
    """Who dials in, or why it is not let in."""
    token = bearer(call)
    if token is None:
        reason = 'no token: the metadata needs "authorization: Bearer TOKEN"'
        return End(grpc.StatusCode.UNAUTHENTICATED, reason, "auth")
    name = authenticate(token)
    if name is None:
        return End(grpc.StatusCode.UNAUTHENTICATED, "this token is not known here", "auth")
    return Identity(name, wire.key_of(token))


async def greet(call: Context, identity: Identity, limits: Limits) -> Greeting | End:
    """On asyncio's side: what the bot says in its Hello, or why it is not let in."""
    name = identity.name
    try:
        async with asyncio.timeout(limits.hello_s):
            data = await call.read()
    except TimeoutError:
        return End(grpc.StatusCode.DEADLINE_EXCEEDED, f"{name}: no Hello within {limits.hello_s:g} s", "hello")
    if not isinstance(data, bytes):
        return End(grpc.StatusCode.FAILED_PRECONDITION, f"{name}: the stream ended before Hello", "hello")
    if len(data) > limits.frame:
        reason = f"{name}: a frame of {len(data)} bytes; {limits.frame} is the limit"
        return End(grpc.StatusCode.RESOURCE_EXHAUSTED, reason, "hello")
    return _read(identity, data)


async def first(call: Call, limit_s: float) -> bytes | End:
    """On asyncio's side: the message of a call that has one, or why there is none."""
    try:
        async with asyncio.timeout(limit_s):
            data = await call.read()
    except TimeoutError:
        return End(grpc.StatusCode.DEADLINE_EXCEEDED, f"no message within {limit_s:g} s", "submit")
    if not isinstance(data, bytes):
        return End(grpc.StatusCode.FAILED_PRECONDITION, "the call ended before its message", "submit")
    return data


def bearer(call: Call) -> str | None:
    """The token of a call, as it is; None where its headers have none."""
    for key, value in call.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value[: len(_BEARER)].lower() == _BEARER:
            return value[len(_BEARER) :].strip()
    return None


def _read(identity: Identity, data: bytes) -> Greeting | End:
    name = identity.name
    try:
        messages = pb.BotFrame.FromString(data).messages
    except DecodeError:
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: not a BotFrame: {data[:20]!r}", "hello")
    kind = messages[0].WhichOneof("kind") if messages else None
    if kind != "hello" or len(messages) != 1:
        said = kind or "nothing that is known" if len(messages) <= 1 else f"{len(messages)} messages"
        reason = f"{name}: the first frame must be Hello alone, not {said}"
        return End(grpc.StatusCode.FAILED_PRECONDITION, reason, "hello")
    hello = messages[0].hello
    if identity.nonce and identity.key is not None:
        said = "missing" if not hello.proof else "wrong"
        if not wire.proved(hello.proof, identity.key, wire.HELLO_PROOF, identity.nonce):
            reason = f"{name}: Hello.proof is {said}: it has not the bot's token"
            return End(grpc.StatusCode.UNAUTHENTICATED, reason, "auth")
    oldest, newest = wire.VERSIONS
    theirs = (hello.oldest_version, hello.newest_version)
    version = min(newest, theirs[1])
    if version < max(oldest, theirs[0]):
        said = f"the bot speaks versions {theirs[0]} to {theirs[1]} of the protocol, the arena {oldest} to {newest}"
        return End(grpc.StatusCode.FAILED_PRECONDITION, f"{name}: {said}", "version")
    if not 1 <= hello.tables <= wire.TABLES_LIMIT:
        said = f"Hello.tables must be 1 to {wire.TABLES_LIMIT}, not {hello.tables}"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}", "hello")
    if hello.nonce and len(hello.nonce) not in wire.NONCE_BYTES:
        said = f"Hello.nonce must have 16 to 64 bytes, not {len(hello.nonce)}"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}", "hello")
    if len(hello.software) > wire.SOFTWARE_LIMIT:
        said = f"Hello.software has {len(hello.software)} characters; {wire.SOFTWARE_LIMIT} is the limit"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}", "hello")
    software = "".join(filter(str.isprintable, hello.software))
    variants = tuple(one for one in VARIANTS if one in hello.variants)
    if hello.variants and not variants:
        said = f"none of the variants in Hello.variants is known, e.g. {hello.variants[0][:40]!r}"
        return End(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {said}", "hello")
    proof = b""
    if hello.nonce and identity.key is not None:
        proof = wire.proof(identity.key, wire.WELCOME_PROOF, hello.nonce)
    return Greeting(name, proof, version, hello.tables, software, variants)
