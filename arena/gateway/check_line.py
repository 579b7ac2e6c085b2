"""Where the bot under examination comes from: it dials in here, or it is dialled. On asyncio only.

A `Line` is one stream of it, whoever has made the call.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

import grpc

from arena.gateway import listen, outgoing
from arena.gateway.addresses import Place
from arena.gateway.connection import GOODBYE_S, End
from arena.gateway.outgoing import Outgoing
from arena.gateway.tls import ClientTls, ServerTls


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
    ) -> None:
        """``token`` came with a call of the bot's; ``nonce`` went with one of ours."""
        self.token: Final = token
        self.nonce: Final = nonce
        self.over: Final = asyncio.Event()  # nothing more will come
        self._frames: Final[asyncio.Queue[bytes | None]] = asyncio.Queue()
        self._read: Final = read
        self._write: Final = write
        self._end: Final = end
        self._reader: Final = asyncio.get_running_loop().create_task(self._take())

    async def _take(self) -> None:
        with suppress(grpc.aio.BaseError, grpc.RpcError, asyncio.CancelledError):
            while isinstance(data := await self._read(), bytes):
                self._frames.put_nowait(data)
        self.over.set()
        self._frames.put_nowait(None)

    async def frame(self) -> bytes | None:
        """The next frame; None at the end of the stream."""
        data = await self._frames.get()
        if data is None:
            self._frames.put_nowait(None)
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

    def forget(self) -> None:
        """Nothing more is of interest."""
        self._reader.cancel()


class Target(Protocol):
    """The bot under examination."""

    dialled: bool  # by us
    calls: int  # how often it has been connected
    refusal: End | None  # what every further call is answered with

    async def find(self) -> str:
        """The numbers of its address, "" where it has none; OSError in one line where nobody knows them."""
        ...

    async def reach(self) -> None:
        """A connection to the address, and no more; OSError in one line where nobody listens there."""
        ...

    async def line(self) -> Line:
        """The next stream, as soon as there is one; OSError in one line where we cannot make it."""
        ...


def _token(context: "grpc.aio.ServicerContext[bytes, bytes]") -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value[:7].lower() == "bearer ":
            return value[7:].strip()
    return None


@dataclass
class Door:
    """Bots that dial in."""

    dialled: bool = False
    calls: int = 0
    refusal: End | None = None
    port: int = 0
    lines: asyncio.Queue[Line] = field(default_factory=asyncio.Queue)

    async def find(self) -> str:
        """It dials in."""
        return ""

    async def reach(self) -> None:
        """It dials in."""

    async def line(self) -> Line:
        """The next call."""
        return await self.lines.get()

    async def play(self, _requests: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
        """ArenaService.Play."""
        self.calls += 1
        ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()

        def finish(end: End) -> None:
            if not ended.done():
                ended.set_result(end)

        await context.send_initial_metadata(())
        if self.refusal is not None:
            finish(self.refusal)
        else:
            line = Line(context.read, context.write, finish, token=_token(context))
            self.lines.put_nowait(line)
        end = await ended
        context.set_code(end.code)
        context.set_details(end.reason)

    async def submit(self, _data: bytes, context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
        """ArenaService.Submit: not here."""
        context.set_code(grpc.StatusCode.UNIMPLEMENTED)
        context.set_details("this is no league; it only checks a bot")
        return b""


@asynccontextmanager
async def opened_door(address: str, tls: ServerTls | None, *, insecure: bool = False) -> AsyncIterator[Door]:
    """Listen at ``address`` for as long as the block lasts; OSError in one line where that is not possible."""
    listen.check_address(address, plain=tls is None and not insecure)
    door = Door()
    server, door.port = await listen.start(address, tls, door.play, door.submit)
    try:
        yield door
    finally:
        door.refusal = End(grpc.StatusCode.UNAVAILABLE, "the check is over")
        await server.stop(0.5)


class Caller:
    """A bot with an address. It has one stream at a time: the one before is put down when the next is made."""

    def __init__(self, place: Place, tls: ClientTls | None) -> None:
        """``tls`` None: in the clear."""
        self.dialled = True
        self.calls = 0
        self.refusal: End | None = None
        self._place: Final = place
        self._tls: Final = tls
        self._call: AsyncExitStack = AsyncExitStack()

    async def find(self) -> str:
        """What its name stands for."""
        place, loop = self._place, asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise OSError(f"{place}: {error.strerror}") from None
        return ", ".join(dict.fromkeys(str(address[4][0]) for address in found))

    async def reach(self) -> None:
        """Connect and hang up."""
        try:
            _, writer = await asyncio.open_connection(self._place.host, self._place.port)
        except OSError as error:
            raise OSError(f"{self._place}: {os.strerror(error.errno) if error.errno else error}") from None
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def line(self) -> Line:
        """A new call."""
        await self.close()
        self.calls += 1
        place = self._place
        nonce = secrets.token_bytes(32)
        credentials = self._tls.credentials() if self._tls is not None else None
        call = await self._call.enter_async_context(outgoing.dialled(f"dns:///{place}", credentials, str(place), nonce))
        line = Line(call.read, call.write, lambda end: self._say(call, end), nonce=nonce)
        self._call.callback(line.forget)
        return line

    async def close(self) -> None:
        """Put down what there is."""
        await self._call.aclose()

    def _say(self, call: Outgoing, end: End) -> None:
        task = asyncio.get_running_loop().create_task(call.say(end))
        self._call.push_async_callback(lambda: task)


@asynccontextmanager
async def calling(place: Place, tls: ClientTls | None) -> AsyncIterator[Caller]:
    """The bot at ``place``, for as long as the block lasts."""
    caller = Caller(place, tls)
    try:
        yield caller
    finally:
        await caller.close()
