"""Bots that are submitted by a call. What an invitation is and where names are kept is the business of an `Office`."""

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

import grpc
from google.protobuf.message import DecodeError

from arena.gateway import wire
from arena.gateway.addresses import AddressError, parse
from arena.gateway.connection import End
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
class Entered:
    """A bot that has been entered, durably. It is on trial."""

    name: str
    token: str


class Standing(Enum):
    """What has come of a submission."""

    ON_TRIAL = pb.STANDING_ON_TRIAL
    ADMITTED = pb.STANDING_ADMITTED
    REFUSED = pb.STANDING_REFUSED
    SUSPENDED = pb.STANDING_SUSPENDED


@dataclass(frozen=True, slots=True)
class Status:
    """How a submitted bot stands."""

    standing: Standing
    reason: str = ""  # of a refusal: the step that failed, and why, in one line
    repeat: str = ""  # of a refusal: the command that takes the step again
    attempts_left: int = 0

    @property
    def closed_to(self) -> End | None:
        """Why a bot that stands so may not even dial in; None where it may."""
        if self.standing is Standing.REFUSED:
            reason = f"it has failed its trial: {self.reason}"
        elif self.standing is Standing.SUSPENDED:
            reason = "suspended by whoever runs the arena"
        else:
            return None
        return End(grpc.StatusCode.PERMISSION_DENIED, reason, "auth")


class Unable(Exception):  # noqa: N818
    """Nobody can be entered now. The text is one line for whoever runs the arena, and not for the author."""


class Office(Protocol):
    """Who knows about submitted bots."""

    def apply(self, application: Application) -> Entered | Refusal:
        """Enter a bot; may take a moment, and is called in a thread. `Unable` where the author is not at fault."""
        ...

    def status(self, name: str) -> Status | None:
        """How the bot stands; None where nothing was submitted under this name, and it plays."""
        ...


class NoOffice:
    """An arena without submissions."""

    def apply(self, _application: Application) -> Refusal:
        """No."""
        return CLOSED

    def status(self, _name: str) -> None:
        """Nothing was submitted."""


CLOSED: Final = Refusal(Fault.CLOSED, "this arena takes no submissions")
LATER: Final = End(grpc.StatusCode.UNAVAILABLE, "nobody can be entered here now; try again later", "submit")
_TEXT: Final = 256  # characters of a text that are looked at


async def answer(data: bytes, office: Office) -> Entered | End:
    """On asyncio's side: what becomes of a submission; `Unable` as the office raises it."""
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
    found = await asyncio.to_thread(office.apply, application)
    return _end(found) if isinstance(found, Refusal) else found


def report(name: str, status: Status | None, doing: str) -> bytes | End:
    """The answer to who asks how his bot stands; ``doing`` is what its trial is at."""
    if status is None:
        return End(grpc.StatusCode.UNIMPLEMENTED, f"{name}: nothing was submitted, and so there is no trial", "status")
    on_trial = status.standing is Standing.ON_TRIAL
    said = pb.BotStatus(
        name=name,
        standing=status.standing.value,
        reason=doing if on_trial else status.reason,
        repeat=status.repeat,
        attempts_left=status.attempts_left,
    )
    return said.SerializeToString()


def _end(refusal: Refusal) -> End:
    return End(refusal.fault.value, refusal.reason, "submit")
