"""Dials the bots that have an address, again and again, and says which step failed.

Everything that waits for the network is asyncio's (`outgoing`); the pauses and the look-up are trio's.
"""

import os
import random
import secrets
import shlex
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import grpc
import trio

from arena.gateway import handshake, outgoing
from arena.gateway.addresses import IP, AddressError, Place, look_up, parse
from arena.gateway.bridge import Bridge
from arena.gateway.connection import GOODBYE_S, Context, End, Limits, Parting
from arena.gateway.handshake import Greeting, Identity
from arena.gateway.player import Player
from arena.gateway.tls import ClientTls

PAUSES_S: Final = (0.2, 30.0)  # the shortest and the longest between two dials; it doubles
NONCE: Final = 32  # bytes
_STEPS: Final = {
    grpc.StatusCode.UNAUTHENTICATED: "auth",
    grpc.StatusCode.PERMISSION_DENIED: "auth",
    grpc.StatusCode.FAILED_PRECONDITION: "version",
}


@dataclass(frozen=True, slots=True)
class Dial:
    """A bot that is to be dialled."""

    name: str
    address: str  # "HOST:PORT"
    key: bytes | None  # `wire.key_of` its token; None: it is taken at its word, and cannot know us either


@dataclass(frozen=True, slots=True)
class Terms:
    """How bots may be dialled."""

    allow_private: bool = False  # addresses of this machine and of private networks
    tls: ClientTls = field(default_factory=ClientTls)
    insecure: bool = False  # never TLS; else only this machine is dialled without, and not where `tls` names a CA

    def plain(self, address: IP) -> bool:
        """Whether to dial there without TLS."""
        return self.insecure or (address.is_loopback and self.tls.ca is None)


def target(place: Place, address: IP) -> str:
    """Where a call goes, as gRPC writes it: to the number that the name has stood for, and to no other."""
    return f"ipv4:{address}:{place.port}" if address.version == 4 else f"ipv6:[{address}]:{place.port}"


def repeat(address: str, step: str, terms: Terms) -> str:
    """The command that dials a bot as the arena does, to see how far it gets; FILE stands for that of the token."""
    words = ["arena", "check", address, "--token-file", "FILE"]
    words += ["--ca", str(terms.tls.ca)] if terms.tls.ca is not None else []
    words += ["--insecure"] if terms.insecure else []
    return shlex.join([*words, "--step", {"auth": "ready"}.get(step, step)])


class Host(Protocol):
    """What the dialler needs of the gateway."""

    @property
    def limits(self) -> Limits:
        """What a bot may do."""
        ...

    def player(self, name: str) -> Player:
        """The bot of that name."""
        ...

    async def host(self, context: Context, hello: Greeting, parting: Parting | None) -> End:
        """On asyncio's side: the connection from Welcome to its end."""
        ...

    async def wait_change(self) -> None:
        """Until a bot comes or goes."""
        ...


@dataclass(slots=True)
class _Line:
    """One bot's."""

    dial: Dial
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    met: bool = False  # in conversation: it ends when the connection does
    over: trio.Event = field(default_factory=trio.Event)  # no more dials


class Dialer:
    """All lines. `add` and `drop` from either side of the bridge; `work` in trio."""

    def __init__(self, bridge: Bridge, host: Host, terms: Terms, failed: Callable[[str, str, str], None]) -> None:
        """``failed`` is called with a bot's name, what is wrong and the command that repeats it, when that is news."""
        self._bridge: Final = bridge
        self._host: Final = host
        self._terms: Final = terms
        self._failed: Final = failed
        self._lines: Final[dict[str, _Line]] = {}
        self._new: Final[list[_Line]] = []
        self._something = trio.Event()
        self._closing = False

    def add(self, dial: Dial) -> None:
        """Dial it from now on, at this address and no other."""
        self.drop(dial.name)
        line = self._lines[dial.name] = _Line(dial)
        self._new.append(line)
        self._something.set()
        self._bridge.wake()

    def drop(self, name: str) -> None:
        """Dial it no more. A connection that stands is not touched."""
        line = self._lines.pop(name, None)
        if line is not None:
            line.over.set()
            if not line.met:
                line.scope.cancel()
                self._bridge.wake()

    async def work(self) -> None:
        """Until `close`, however long goodbyes take then."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                while not self._closing:
                    for line in self._new:
                        nursery.start_soon(self._keep, line)
                    self._new.clear()
                    self._something = trio.Event()
                    await self._something.wait()
                nursery.cancel_scope.deadline = trio.current_time() + 4 * GOODBYE_S

    def close(self) -> None:
        """No more dials; who is in conversation is about to be told so."""
        for name in tuple(self._lines):
            self.drop(name)
        self._closing = True
        self._something.set()

    async def _keep(self, line: _Line) -> None:
        """Dial until the line is over."""
        dial, player = line.dial, self._host.player(line.dial.name)
        pause_s, said = PAUSES_S[0], ""
        with line.scope:
            while not line.over.is_set():
                while player.connected:  # by itself, or by a line before this one
                    await self._host.wait_change()
                since = trio.current_time()
                end = await self._attempt(line)
                if line.met:
                    line.met, said = False, ""
                    if trio.current_time() - since >= max(1.0, pause_s):
                        pause_s = PAUSES_S[0]
                elif not player.connected:
                    player.last_reason = f"{end.step}: {end.reason}"
                    if player.last_reason != said:
                        said = player.last_reason
                        self._failed(dial.name, said, repeat(dial.address, end.step, self._terms))
                with trio.move_on_after(pause_s * random.uniform(0.5, 1.5)):  # noqa: S311  not all at once
                    await line.over.wait()
                pause_s = min(2 * pause_s, PAUSES_S[1])

    async def _attempt(self, line: _Line) -> End:
        """One look-up and a call to what it found, to its end."""
        limit_s = self._host.limits.hello_s
        try:
            place = parse(line.dial.address)
            with trio.fail_after(limit_s):
                addresses = await look_up(place, allow_private=self._terms.allow_private)
        except AddressError as error:
            return End(grpc.StatusCode.UNAVAILABLE, str(error), "dns")
        except trio.TooSlowError:
            reason = f"{line.dial.address}: no answer within {limit_s:g} s"
            return End(grpc.StatusCode.UNAVAILABLE, reason, "dns")
        end = End(grpc.StatusCode.UNAVAILABLE, f"{place} has no address", "dns")
        for address in addresses:
            try:
                end = await self._bridge.aio(self._call(line, place, address))
            except OSError as error:  # of our own certificates' files
                return End(grpc.StatusCode.UNAVAILABLE, str(error), "tls")
            if end.step == "tcp":
                end = await self._diagnosed(end, place, address)
            if end.step != "tcp":
                break
        return end

    async def _call(self, line: _Line, place: Place, address: IP) -> End:
        """On asyncio's side: one call from its start to its end."""
        credentials = None if self._terms.plain(address) else self._terms.tls.credentials()
        nonce = secrets.token_bytes(NONCE)
        async with outgoing.dialled(target(place, address), credentials, str(place), nonce) as call:
            hello = await handshake.greet(call, Identity(line.dial.name, line.dial.key, nonce), self._host.limits)
            if isinstance(hello, End):
                if call.status is None:
                    await call.say(hello)
                    return hello
                if call.status is grpc.StatusCode.UNAVAILABLE:
                    return End(call.status, call.details, "tcp")  # or what is found when one looks
                reason = f"the bot ended the call: {call.status.name} {call.details}".rstrip()
                return End(call.status, reason, _STEPS.get(call.status, "hello"))
            line.met = True
            return await self._host.host(call, hello, call)

    async def _diagnosed(self, end: End, place: Place, address: IP) -> End:
        """Which step it was that gRPC calls unavailable: does anybody listen there at all?"""
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        try:
            with trio.fail_after(self._host.limits.hello_s), trio.socket.socket(family) as probe:
                await probe.connect((str(address), place.port))
        except (OSError, trio.TooSlowError) as error:
            said = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "no answer"
            return End(end.code, f"{place} ({address}): {said}", "tcp")
        step = "hello" if self._terms.plain(address) else "tls"
        return End(end.code, f"{place} ({address}): {end.reason}", step)
