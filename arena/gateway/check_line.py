"""Where the bot under examination comes from: it dials in here, or it is dialled. On asyncio only.

A `Line` is one stream of it, whoever has made the call.
"""

import asyncio
import os
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

import grpc

from arena.gateway import listen, outgoing
from arena.gateway.addresses import IP, Place, allowed, not_found
from arena.gateway.connection import GOODBYE_S, End
from arena.gateway.dialer import NONCE, Terms, target
from arena.gateway.handshake import bearer
from arena.gateway.outgoing import Outgoing
from arena.gateway.tls import ServerTls

WAITING: Final = 4  # calls of one bot
UNREAD: Final = 1024 * 1024  # bytes that a bot may say before it is listened to
ALERT_S: Final = 1.0  # after a handshake, for the other side's objection to it


class Line:
    """One stream of the bot. What it says is read as it comes, and waits here."""

    def __init__(
        self,
        read: Callable[[], Awaitable[object]],
        write: Callable[[bytes], Awaitable[None]],
        end: Callable[[End], None],
        *,
        token: str | None = None,
        nonce: bytes = b"",
        why: Callable[[], str] = lambda: "",
    ) -> None:
        """``token`` came with a call of the bot's; ``nonce`` went with one of ours.

        ``why`` says what the other side has told of the end, in one line, "" for nothing.
        """
        self.token: Final = token
        self.nonce: Final = nonce
        self.why: Final = why
        self.over: Final = asyncio.Event()  # nothing more will come
        self._frames: Final[asyncio.Queue[bytes | None]] = asyncio.Queue()
        self._unread = 0  # bytes in them
        self._read: Final = read
        self._write: Final = write
        self._end: Final = end
        self._reader: Final = asyncio.get_running_loop().create_task(self._take())

    async def _take(self) -> None:
        with suppress(grpc.aio.BaseError, grpc.RpcError, asyncio.CancelledError):
            while isinstance(data := await self._read(), bytes):
                self._frames.put_nowait(data)
                self._unread += len(data)
                if self._unread > UNREAD:
                    self._end(End(grpc.StatusCode.RESOURCE_EXHAUSTED, f"flooding: {self._unread} bytes at once"))
                    break
        self.over.set()
        self._frames.put_nowait(None)

    @property
    def silent(self) -> bool:
        """Whether nothing waits to be read."""
        return not self._unread

    async def frame(self) -> bytes | None:
        """The next frame; None at the end of the stream."""
        data = await self._frames.get()
        if data is None:
            self._frames.put_nowait(None)
        else:
            self._unread -= len(data)
        return data

    async def write(self, data: bytes) -> None:
        """Send a frame; on a stream that is over, nothing."""
        with suppress(grpc.aio.BaseError, grpc.RpcError, asyncio.InvalidStateError):
            await self._write(data)

    async def end(self, code: grpc.StatusCode, reason: str) -> None:
        """End the stream with this status, and wait until the bot has seen it or is gone."""
        self._end(End(code, reason))
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.over.wait()
        self.forget()

    def say(self, end: End) -> None:
        """End the stream with this status."""
        self._end(end)

    def forget(self) -> None:
        """Nothing more is of interest."""
        self._reader.cancel()


class Target(Protocol):
    """The bot under examination."""

    dialled: bool  # by us
    calls: int  # how often it has been connected
    refusal: End | None  # what every further call is answered with

    async def find(self) -> str:
        """The numbers of its address, "" where it has none; AddressError where there are none to be dialled."""
        ...

    async def reach(self) -> None:
        """A connection to the address, and no more; OSError in one line where nobody listens there."""
        ...

    async def secure(self) -> str:
        """The version of TLS that it speaks, "" where it need not; OSError in one line where the handshake fails."""
        ...

    async def line(self) -> Line:
        """The next stream, as soon as there is one; OSError in one line where we cannot make it."""
        ...

    def forget(self) -> None:
        """Streams that nobody has asked for yet: the bot is another process from here on."""
        ...


@dataclass
class Door:
    """Bots that dial in."""

    dialled: bool = False
    calls: int = 0
    refusal: End | None = None
    port: int = 0
    called: asyncio.Event = field(default_factory=asyncio.Event)  # at least once
    lines: asyncio.Queue[Line] = field(default_factory=asyncio.Queue)  # of calls that nobody has asked for yet

    async def find(self) -> str:
        """It dials in."""
        return ""

    async def reach(self) -> None:
        """It dials in."""

    async def secure(self) -> str:
        """It dials in."""
        return ""

    async def line(self) -> Line:
        """The next call, but for those that were given up before anything was said."""
        while True:
            line = await self.lines.get()
            if not line.over.is_set() or not line.silent:
                return line

    def close(self, end: End) -> None:
        """Whoever waits is told this, and so is who calls from now on."""
        self.refusal = end
        while not self.lines.empty():
            self.lines.get_nowait().say(end)

    def forget(self) -> None:
        """The calls that have come until now: who has made them has ended."""
        while not self.lines.empty():
            self.lines.get_nowait().forget()

    async def play(self, _requests: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
        """ArenaService.Play."""
        await context.send_initial_metadata(())
        end = await self.receive(context)
        context.set_code(end.code)
        context.set_details(end.reason)

    async def receive(self, context: "grpc.aio.ServicerContext[bytes, bytes]") -> End:
        """One call from its start to its end; why it is over."""
        self.calls += 1
        ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()

        def finish(end: End) -> None:
            if not ended.done():
                ended.set_result(end)

        if self.refusal is not None:
            return self.refusal
        if self.lines.qsize() >= WAITING:
            return End(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{WAITING} calls of this bot wait already; try again")
        line = Line(context.read, context.write, finish, token=bearer(context))
        self.lines.put_nowait(line)
        self.called.set()
        try:
            return await ended
        finally:
            line.forget()

    async def no_call(self, _requests: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
        """ArenaService.Submit and Status: not here."""
        context.set_code(grpc.StatusCode.UNIMPLEMENTED)
        context.set_details("this is no league; it only checks a bot")


@asynccontextmanager
async def opened_door(address: str, tls: ServerTls | None, *, insecure: bool = False) -> AsyncIterator[Door]:
    """Listen at ``address`` for as long as the block lasts; OSError in one line where that is not possible."""
    listen.check_address(address, plain=tls is None and not insecure)
    door = Door()
    server, door.port = await listen.start(
        address, tls, {"Play": door.play, "Submit": door.no_call, "Status": door.no_call}
    )
    try:
        yield door
    finally:
        door.refusal = End(grpc.StatusCode.UNAVAILABLE, "the check is over")
        await server.stop(0.5)


class Caller:
    """A bot with an address, dialled as the arena would. One stream at a time: a new one puts the last one down."""

    def __init__(self, place: Place, terms: Terms) -> None:
        """Nothing is looked up yet."""
        self.dialled = True
        self.calls = 0
        self.refusal: End | None = None
        self._place: Final = place
        self._terms: Final = terms
        self._addresses: tuple[IP, ...] = ()  # that its name has stood for; the first is dialled
        self._call: AsyncExitStack = AsyncExitStack()

    async def find(self) -> str:
        """What its name stands for, looked up this once."""
        place, loop = self._place, asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise not_found(place, error) from None
        numbers = [str(where[0]) for *_, where in found]
        self._addresses = allowed(place, numbers, allow_private=self._terms.allow_private)
        return ", ".join(map(str, self._addresses))

    async def reach(self) -> None:
        """Connect and hang up. Of several addresses, the first where somebody listens is the one from here on."""
        said = f"{self._place} has no address"
        for address in self._addresses:
            try:
                _, writer = await asyncio.open_connection(str(address), self._place.port)
            except OSError as error:
                said = f"{self._place} ({address}): {os.strerror(error.errno) if error.errno else error}"
                continue
            writer.transport.abort()  # there is nothing to say, and no goodbye to wait for
            self._addresses = (address,)
            return
        raise OSError(said)

    async def secure(self) -> str:
        """Shake hands and hang up."""
        (address,) = self._addresses
        if self._terms.plain(address):
            return ""
        place, context = self._place, self._terms.tls.context()
        try:
            reader, writer = await asyncio.open_connection(
                str(address), place.port, ssl=context, server_hostname=place.host
            )
        except ssl.SSLCertVerificationError as error:
            raise OSError(f"{place}: its certificate is refused: {error.verify_message}") from None
        except OSError as error:
            raise OSError(f"{place}: no TLS: {_reason(error)}") from None
        try:
            shaken = writer.get_extra_info("ssl_object")
            if shaken.selected_alpn_protocol() != "h2":
                raise OSError(f"{place}: it does not offer HTTP/2 (ALPN h2)")
            with suppress(TimeoutError):
                async with asyncio.timeout(ALERT_S):  # that our own certificate is refused comes after the handshake
                    if not await reader.read(1):
                        raise OSError(f"{place}: it hangs up after the handshake, as one does that wants a certificate")
        except ssl.SSLError as error:
            raise OSError(f"{place}: it ends the handshake: {_reason(error)}") from None
        finally:
            writer.transport.abort()
        return str(shaken.version())

    async def line(self) -> Line:
        """A new call."""
        await self.close()
        self.calls += 1
        place, (address,) = self._place, self._addresses
        nonce = secrets.token_bytes(NONCE)
        credentials = None if self._terms.plain(address) else self._terms.tls.credentials()
        dial = outgoing.dialled(target(place, address), credentials, str(place), nonce)
        call = await self._call.enter_async_context(dial)
        line = Line(
            call.read,
            call.write,
            lambda end: self._say(call, end),
            nonce=nonce,
            why=lambda: call.details and call.why(),
        )
        self._call.callback(line.forget)
        return line

    def forget(self) -> None:
        """Nobody dials in."""

    async def close(self) -> None:
        """Put down what there is."""
        await self._call.aclose()

    def _say(self, call: Outgoing, end: End) -> None:
        task = asyncio.get_running_loop().create_task(call.say(end))
        self._call.push_async_callback(lambda: task)


def _reason(error: OSError) -> str:
    said = error.reason if isinstance(error, ssl.SSLError) else error.strerror
    return (said or str(error) or "the connection was closed").replace("_", " ").lower()


@asynccontextmanager
async def calling(place: Place, terms: Terms) -> AsyncIterator[Caller]:
    """The bot at ``place``, for as long as the block lasts."""
    caller = Caller(place, terms)
    try:
        yield caller
    finally:
        await caller.close()
