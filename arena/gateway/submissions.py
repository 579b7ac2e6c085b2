"""Bots that are submitted by a call. What an invitation is and where names are kept is the business of `Apply`."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from arena.gateway import wire
from arena.gateway.addresses import AddressError, parse
from arena.gateway.connection import End
from arena.gateway.dialer import Dial
from arena.rules.catalogue import VARIANTS
from arena.v1 import arena_pb2 as pb


@dataclass(frozen=True, slots=True)
class Application:
    """What an author has submitted, its values possible in themselves."""

    invite: str
    name: str  # as it was given; not judged yet
    address: str  # "HOST:PORT", or "" where the bot dials in
    tables: int  # 0: what its Hello says
    variants: tuple[str, ...]
    software: str


class Fault(Enum):
    """Why a bot is not entered."""

    INVITE = grpc.StatusCode.PERMISSION_DENIED  # not one of ours, or used
    TAKEN = grpc.StatusCode.ALREADY_EXISTS  # the name
    VALUE = grpc.StatusCode.INVALID_ARGUMENT
    CLOSED = grpc.StatusCode.UNIMPLEMENTED


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a bot is not entered, as its author is told."""

    fault: Fault
    reason: str  # one line


@dataclass(frozen=True, slots=True)
class Admitted:
    """A bot that has been entered, durably."""

    name: str
    token: str
    dial: Dial | None  # to be dialled from now on


Apply: TypeAlias = Callable[[Application], Admitted | Refusal]
_TEXT: Final = 256  # characters of a text that are looked at


def closed(_application: Application) -> Refusal:
    """An arena that takes no submissions."""
    return Refusal(Fault.CLOSED, "this arena takes no submissions")


async def answer(data: bytes, apply: Apply) -> Admitted | End:
    """On asyncio's side: what becomes of a submission. ``apply`` runs in a thread."""
    if apply is closed:
        return _end(closed(Application("", "", "", 0, (), "")))
    try:
        said = pb.Submission.FromString(data[: wire.FRAME_LIMIT])
        address = str(parse(said.address)) if said.address else ""
    except DecodeError:
        return _end(Refusal(Fault.VALUE, f"not a Submission: {data[:20]!r}"))
    except AddressError as error:
        return _end(Refusal(Fault.VALUE, f"address: {error}"))
    unknown = [one for one in said.variants if one not in VARIANTS]
    if unknown:
        reason = f"variants: {unknown[0][:40]!r} is not known; there are {', '.join(VARIANTS)}"
        return _end(Refusal(Fault.VALUE, reason))
    if said.tables > wire.TABLES_LIMIT:
        return _end(Refusal(Fault.VALUE, f"tables must be at most {wire.TABLES_LIMIT}, not {said.tables}"))
    software = said.software[:_TEXT]
    if len(software) > wire.SOFTWARE_LIMIT or not all(char.isprintable() for char in software):
        reason = f"software must have at most {wire.SOFTWARE_LIMIT} printable characters: {software[:80]!r}"
        return _end(Refusal(Fault.VALUE, reason))
    variants = tuple(one for one in VARIANTS if one in said.variants)
    application = Application(said.invite[:_TEXT], said.name[:_TEXT], address, said.tables, variants, software)
    found = await asyncio.to_thread(apply, application)
    return _end(found) if isinstance(found, Refusal) else found


def _end(refusal: Refusal) -> End:
    return End(refusal.fault.value, refusal.reason, "submit")
