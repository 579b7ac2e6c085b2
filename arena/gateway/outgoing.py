"""A call that the arena makes, as a connection sees it. It runs on asyncio's side of the bridge."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import grpc

from arena.gateway import encoder, wire
from arena.gateway.connection import CUT, GOODBYE_S, TRANSPORT_LIMIT, End
from arena.gateway.saying import one_line

OPTIONS: Final = (
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT),
    ("grpc.enable_http_proxy", 0),  # we go where we looked, and nowhere else
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.service_config_disable_resolution", 1),
)
INSTANCE: Final = secrets.token_hex(16)  # of this process: a bot that plays for it is not to leave it for another


class Outgoing:
    """The call as a Context and a Parting."""

    def __init__(self, call: grpc.aio.StreamStreamCall[bytes, bytes]) -> None:
        """Made, and perhaps not connected yet."""
        self._call: Final = call
        self.status: grpc.StatusCode | None = None  # the bot's or the transport's, when the call is over
        self.details = ""  # to it, one line

    async def read(self) -> object:
        """The next frame, or grpc.aio.EOF at the end of whatever kind, which is noted."""
        try:
            data = await self._call.read()
        except grpc.aio.AioRpcError as error:
            self.status = error.code()
            self.details = one_line(error.details() or "")
            return grpc.aio.EOF
        if not isinstance(data, bytes):
            self.status = grpc.StatusCode.OK
        return data

    async def write(self, message: bytes) -> None:
        """Returns when the transport has taken the frame, or has lost the call, of which the reader hears more."""
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.write(message)

    async def say(self, end: End) -> None:
        """Goodbye, to a bot that has not got to be a connection."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.write(encoder.goodbye(end.code.value[0], end.reason))
                await self.close()

    async def close(self) -> None:
        """Nothing more is to be written."""
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.done_writing()

    def why(self) -> str:
        """Why it is over, as far as the other side or gRPC has told."""
        if self.status is None or self.status is grpc.StatusCode.OK:
            return CUT
        return f"the bot ended the call: {self.status.name} {self.details}".rstrip()


@asynccontextmanager
async def dialled(
    target: str, credentials: grpc.ChannelCredentials | None, authority: str, nonce: bytes
) -> AsyncIterator[Outgoing]:
    """A call to a bot, for as long as the block lasts.

    ``target`` is numbers, as gRPC writes them; ``authority`` is the host and port that the certificate must be for.
    """
    options = (*OPTIONS, ("grpc.default_authority", authority))
    if credentials is None:
        channel = grpc.aio.insecure_channel(target, options=options)
    else:
        channel = grpc.aio.secure_channel(target, credentials, options=options)
    async with channel:
        make: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.BOT_METHOD)
        call = make(metadata=((wire.NONCE_KEY, nonce.hex()), (wire.INSTANCE_KEY, INSTANCE)))
        try:
            yield Outgoing(call)
        finally:
            if not call.done():
                with suppress(TimeoutError):
                    async with asyncio.timeout(GOODBYE_S):
                        await call.code()  # the bot's end of it, after our goodbye
            call.cancel()
