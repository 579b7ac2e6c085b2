"""One stream of one bot: frames in, frames out, both bounded. It runs on asyncio's side of the bridge."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import grpc
from google.protobuf.message import DecodeError

from arena.gateway import encoder, wire
from arena.gateway.bridge import Bridge
from arena.gateway.player import Player
from arena.seat import OpenRequest
from arena.v1 import arena_pb2 as pb

TRANSPORT_LIMIT: Final = 1024 * 1024
"""Bytes of a message above which gRPC itself ends the stream; frames between ours and this one are told why."""

GOODBYE_S: Final = 0.5
"""What a bot that we have dialled has for each of these: taking our last word, and ending its side."""

CUT: Final = f"the bot closed the stream, the connection was lost, or a frame was above {TRANSPORT_LIMIT} bytes"
"""What is known when gRPC says no more than that a stream is over."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may do to us. Times in seconds, sizes in bytes."""

    hello_s: float = 10.0  # from the start of the call until Hello has come
    strangers: int = 256  # calls that have not said Hello, from everywhere …
    strangers_peer: int = 64  # … and from one address
    ping_s: float = 5.0  # between pings
    dead_s: float = 15.0  # without an answer to a ping until the connection is closed; looked at every `ping_s`
    frame: int = wire.FRAME_LIMIT  # of a BotFrame
    messages: int = wire.MESSAGES_LIMIT  # of a BotFrame
    unread: int = 1024 * 1024  # waiting for a bot that does not read
    useless: int = 2000  # messages in a second that do nothing; a kilobyte of nothing counts as one more


@dataclass(frozen=True, slots=True)
class End:
    """Why a connection is over, as the bot is told and as it is noted."""

    code: grpc.StatusCode
    reason: str  # one line
    step: str = "play"  # which failed: dns, tcp, tls, auth, version, hello, or play


class Traffic:
    """What all connections of a gateway have in common: how much they read."""

    QUIET: Final = 3  # turns of the loop without a frame, and the lull has come
    TURNS: Final = 12  # at the most

    def __init__(self) -> None:
        """Nothing was read."""
        self.reads = 0  # frames

    async def lull(self) -> None:
        """Return when no frame has been read for a moment, far below a millisecond: what has come is read first."""
        quiet, seen = 0, self.reads
        for _ in range(self.TURNS):
            await asyncio.sleep(0)
            quiet = quiet + 1 if seen == self.reads else 0
            if quiet == self.QUIET:
                return
            seen = self.reads


class Pace:
    """When one connection's writer writes.

    Handing a frame to the transport costs as much as ten questions in it. So who has something to say to a bot that was
    asked a moment ago, and is known to answer at once, waits for that answer, while more is gathered. A bot that thinks
    is not waited for, and nobody longer than `PATIENCE_S`.
    """

    PATIENCE_S: Final = 0.002

    def __init__(self, loop: asyncio.AbstractEventLoop, traffic: Traffic, patience_s: float = PATIENCE_S) -> None:
        """Nothing is asked."""
        self.prompt = False  # it answered at once, the last time
        self._loop: Final = loop
        self._traffic: Final = traffic
        self._patience_s: Final = patience_s
        self._asked_at = 0.0
        self._answering = False
        self._waiting: asyncio.Future[None] | None = None  # the writer

    def asked(self) -> None:
        """A frame with questions is about to be handed to the transport."""
        self._asked_at = self._loop.time()
        self._answering = self.prompt

    def heard(self) -> None:
        """The bot has sent a frame."""
        self._traffic.reads += 1
        self.prompt = self._loop.time() - self._asked_at < self._patience_s
        self._go_on()

    async def ready(self) -> None:
        """Return when it is time to write."""
        if self._answering:
            self._waiting = self._loop.create_future()
            timer = self._loop.call_later(self._patience_s, self._give_up)
            await self._waiting
            timer.cancel()
        await self._traffic.lull()

    def _give_up(self) -> None:
        self.prompt = False
        self._go_on()

    def _go_on(self) -> None:
        self._answering = False
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)


class Context(Protocol):
    """The part of a call that a connection uses, with bytes for messages: one that came, or one that we made."""

    async def read(self) -> object:
        """The next frame, or grpc.aio.EOF."""
        ...

    async def write(self, message: bytes) -> None:
        """Returns when the transport has taken the frame."""
        ...


class Parting(Protocol):
    """What the end of a call that we made takes; a call that came has a status instead."""

    async def close(self) -> None:
        """Nothing more is to be written."""
        ...

    def why(self) -> str:
        """What is known of why it is over, one line."""
        ...


class Connection:
    """The stream of one bot after its Hello. All of its methods but `run` may be called from trio's side."""

    def __init__(
        self,
        bridge: Bridge,
        context: Context,
        player: Player,
        limits: Limits,
        traffic: Traffic,
        leaves: Callable[[], None],
        parting: Parting | None = None,
    ) -> None:
        """``leaves`` is called when the bot says that it leaves; ``parting`` is for a call that we made."""
        self._context: Final = context
        self._player: Final = player
        self._limits: Final = limits
        self._leaves: Final = leaves
        self._parting: Final = parting
        self._bridge: Final = bridge
        self._now: Final = bridge.now
        self._pace: Final = Pace(bridge.loop, traffic)
        self._ended: Final[asyncio.Future[End]] = bridge.loop.create_future()
        self._frames: list[bytes] = []  # to be written
        self._unread = 0  # bytes in them
        self._writing = False  # the transport has yet to take what was written before them
        self._asked: list[OpenRequest] = []  # questions in them
        self._accepted: list[int] = []
        self._writer: asyncio.Future[None] | None = None  # a free writer waits for it
        self._useless = 0
        self._useless_since = 0.0
        self._pings = 0  # sent; the nonce of the last
        self._ping_at = 0.0  # when the last ping was sent
        self._awaited = False  # its pong
        self._round_trip_s = 0.0  # the shortest

    def latency_s(self) -> float:
        """The shortest time that a ping took, in seconds; 0 before the first."""
        return self._round_trip_s

    def send(self, frame: bytes) -> None:
        """Write the frame with whatever else is ready when the stream is free; after the end, nothing."""
        if self._ended.done():
            return
        self._frames.append(frame)
        self._unread += len(frame)
        if self._writer is not None:
            self._wake_writer()
        elif self._unread > self._limits.unread and self._writing:
            self._frames.clear()
            self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, f"the bot does not read: {self._unread} bytes wait for it")

    def send_question(self, frame: bytes, request: OpenRequest) -> None:
        """As `send`, and note in ``request`` when the transport has it."""
        self._asked.append(request)
        self.send(frame)

    def accepted(self, decision: int) -> None:
        """Told with the next frame, at the latest the next ping."""
        self._accepted.append(decision)

    def end(self, code: grpc.StatusCode, reason: str) -> None:
        """Close the stream; the first reason counts."""
        if self._ended.done():
            return
        self._ended.set_result(End(code, reason))
        if self._parting is not None:  # there is no status to give
            self._frames.append(encoder.goodbye(code.value[0], reason))
            self._wake_writer()

    def _wake_writer(self) -> None:
        """If it is waiting."""
        writer, self._writer = self._writer, None
        if writer is not None and not writer.done():
            writer.set_result(None)

    def ping(self) -> None:
        """Send a ping, or close the connection if it has left the last one unanswered for too long."""
        now = self._now()
        if not self._awaited:
            self._pings += 1
            self._awaited = True
            self._ping_at = now
            self.send(encoder.frame(pb.ArenaMessage(ping=pb.Ping(nonce=self._pings))))
        elif now - self._ping_at >= self._limits.dead_s:
            self.end(grpc.StatusCode.DEADLINE_EXCEEDED, f"no answer to a ping for {now - self._ping_at:.1f} s")

    async def run(self) -> End:
        """On asyncio's side: carry frames until the stream ends; why it did."""
        loop = self._bridge.loop
        tasks = (loop.create_task(self._read()), loop.create_task(self._write()))
        try:
            await asyncio.wait((self._ended, *tasks), return_when=asyncio.FIRST_COMPLETED)
            if self._parting is not None and self._ended.done():
                # Before the reader is cancelled, and the call with it, which could overtake what is said.
                await asyncio.wait(tasks[1:], timeout=GOODBYE_S)
                if tasks[1].done():
                    await self._parting.close()
                    await asyncio.wait(tasks[:1], timeout=GOODBYE_S)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()  # an error in there is ours
        return self._ended.result()

    async def _write(self) -> None:
        """The one writer of the stream: all that is ready, whenever the stream is free."""
        context, frames = self._context, self._frames
        try:
            while True:
                if not frames:
                    if self._ended.done():
                        return
                    self._writer = self._bridge.loop.create_future()
                    await self._writer
                await self._pace.ready()
                if self._accepted:
                    frames.append(pb.ArenaFrame(accepted=self._accepted).SerializeToString())
                    self._accepted.clear()
                data = b"".join(frames)
                frames.clear()
                self._unread = 0
                if self._asked:
                    now = self._now()
                    for request in self._asked:
                        request.sent_at = now
                    self._asked.clear()
                    self._pace.asked()
                self._writing = True
                await context.write(data)
                self._writing = False
        except (grpc.aio.BaseError, grpc.RpcError) as error:
            self.end(grpc.StatusCode.UNAVAILABLE, f"the connection was lost while writing: {error}"[:200])

    async def _read(self) -> None:
        """The one reader of the stream."""
        context, limit = self._context, self._limits.frame
        try:
            while not self._ended.done():
                data = await context.read()
                if not isinstance(data, bytes):
                    self.end(grpc.StatusCode.OK, CUT if self._parting is None else self._parting.why())
                elif len(data) > limit:
                    self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, f"a frame of {len(data)} bytes; {limit} is the limit")
                else:
                    self._player.frame = data
                    self._frame(data, self._bridge.came_by())
                    self._pace.heard()
                    self._bridge.wake()
        except (grpc.aio.BaseError, grpc.RpcError) as error:
            self.end(grpc.StatusCode.UNAVAILABLE, f"the connection was lost while reading: {error}"[:200])

    def _frame(self, data: bytes, now: float) -> None:
        """Everything that a frame says, which had come by ``now``."""
        try:
            messages = pb.BotFrame.FromString(data).messages
        except DecodeError:
            self.end(grpc.StatusCode.INVALID_ARGUMENT, f"not a BotFrame: {data[:20]!r}")
            return
        if len(messages) > self._limits.messages:
            reason = f"{len(messages)} messages in a frame; {self._limits.messages} is the limit"
            self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, reason)
            return
        useless = 0
        answer = self._player.answer
        for message in messages:
            said = message.answer
            cards = said.cards
            kind = "answer" if cards else message.WhichOneof("kind")  # an answer with cards, nearly always
            if kind == "answer":
                faces, malformed = wire.answer_faces(cards)
                rejection = answer(said.decision, faces, malformed, now)
                if rejection is not None:
                    useless += 1
                    self.send(encoder.rejection(rejection))
            elif kind == "pong":
                useless += not self._pong(message.pong.nonce, now)
            elif kind == "leave":
                useless += not self._leave()
            else:
                useless += 1
        if useless == len(messages):
            useless += 1 + len(data) // 1024
        if useless:
            self._count_useless(useless, now)

    def _pong(self, nonce: int, now: float) -> bool:
        """Whether it is the answer to the last ping."""
        if not self._awaited or nonce != self._pings:
            return False
        self._awaited = False
        took = max(0.0, now - self._ping_at)  # one that was guessed may have come before its ping went
        self._round_trip_s = min(took, self._round_trip_s) if self._round_trip_s else took
        return True

    def _leave(self) -> bool:
        news = self._player.leave()
        if news:
            self._leaves()
        return news

    def _count_useless(self, number: int, now: float) -> None:
        if now - self._useless_since > 1:
            self._useless_since = now
            self._useless = 0
        self._useless += number
        if self._useless > self._limits.useless:
            self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, f"flooding: {self._useless} useless messages in a second")
