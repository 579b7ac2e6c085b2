"""The bot's end of a stream, in either direction of dialling. All of it runs on asyncio's side."""

import asyncio
from contextlib import suppress
from typing import Protocol

import grpc

from arena.gateway import wire
from arena.v1 import arena_pb2 as pb


class Link(Protocol):
    """A stream's bot's end, on asyncio's side."""

    async def write(self, data: bytes) -> None:
        """Send bytes."""
        ...

    async def read(self) -> bytes | None:
        """The next frame; None at the end of the stream."""
        ...

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended, when it has."""
        ...

    async def close(self) -> None:
        """Drop the connection."""
        ...


class DialsIn:
    """The bot is the client."""

    def __init__(self, target: str, token: str | None, credentials: grpc.ChannelCredentials | None = None) -> None:
        options = (("grpc.use_local_subchannel_pool", 1),)
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(target, options=options)
        else:
            self._channel = grpc.aio.secure_channel(target, credentials, options=options)
        dial: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(wire.METHOD)
        self._call = dial(metadata=() if token is None else (("authorization", f"Bearer {token}"),))

    async def taken(self) -> None:
        """Wait until the arena has the call."""
        await self._call.initial_metadata()

    async def write(self, data: bytes) -> None:
        await self._call.write(data)

    async def read(self) -> bytes | None:
        try:
            data = await self._call.read()
        except grpc.aio.AioRpcError:
            return None
        return data if isinstance(data, bytes) else None

    async def status(self) -> tuple[grpc.StatusCode, str]:
        return await self._call.code(), await self._call.details() or ""

    async def close(self) -> None:
        self._call.cancel()
        await self._channel.close()


class IsDialled:
    """The bot is the server, of one call; later ones are refused. `start` it, then have `port` dialled."""

    def __init__(self, credentials: grpc.ServerCredentials | None = None) -> None:
        self._credentials = credentials
        self._server: grpc.aio.Server | None = None
        self._called: asyncio.Future[grpc.aio.ServicerContext[bytes, bytes]] | None = None
        self._released = asyncio.Event()
        self._goodbye: pb.Goodbye | None = None
        self.nonce = b""
        self.port = 0
        self.calls = 0
        self.end: tuple[grpc.StatusCode, str] = (grpc.StatusCode.OK, "")  # what the bot says when it is released

    async def start(self, address: str = "127.0.0.1:0") -> None:
        """Listen."""
        self._called = asyncio.get_running_loop().create_future()
        self._server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(wire.BOT_SERVICE, {"Play": handler}),)
        )
        if self._credentials is None:
            self.port = self._server.add_insecure_port(address)
        else:
            self.port = self._server.add_secure_port(address, self._credentials)
        await self._server.start()

    async def _play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        assert self._called is not None
        self.calls += 1
        if self._called.done():
            context.set_code(grpc.StatusCode.UNAVAILABLE)
            return
        for key, value in context.invocation_metadata() or ():
            if key == wire.NONCE_KEY:
                self.nonce = bytes.fromhex(str(value))
        self._called.set_result(context)
        await self._released.wait()
        context.set_code(self.end[0])
        context.set_details(self.end[1])

    async def _context(self) -> grpc.aio.ServicerContext[bytes, bytes]:
        assert self._called is not None
        return await asyncio.shield(self._called)

    async def called(self) -> bytes:
        """Wait for the call; its nonce."""
        await self._context()
        return self.nonce

    async def write(self, data: bytes) -> None:
        context = await self._context()
        with suppress(grpc.aio.BaseError):  # the call is over, as who reads will see
            await context.write(data)

    async def read(self) -> bytes | None:
        context = await self._context()
        if self._goodbye is not None:
            return None
        try:
            data: object = await context.read()
        except grpc.aio.BaseError:
            return None
        if not isinstance(data, bytes):
            return None
        for message in pb.ArenaFrame.FromString(data).messages:
            if message.HasField("goodbye"):
                self._goodbye = message.goodbye
                self._released.set()
                return None
        return data

    async def status(self) -> tuple[grpc.StatusCode, str]:
        if self._goodbye is None:
            return grpc.StatusCode.CANCELLED, ""
        code = next(code for code in grpc.StatusCode if code.value[0] == self._goodbye.status)
        return code, self._goodbye.reason

    async def release(self, code: grpc.StatusCode = grpc.StatusCode.OK, reason: str = "") -> None:
        """End the call from the bot's side."""
        await self._context()
        self.end = (code, reason)
        self._released.set()

    async def close(self) -> None:
        assert self._server is not None
        await self._server.stop(None)
