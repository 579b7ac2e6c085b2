"""Dials in to an arena and plays, across lost connections, until the arena closes or refuses the bot.

The main thread thinks; another reads, so that pings are answered while the bot thinks. All questions that are there
are answered before the answers are sent together, unless thinking takes long.
"""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Final

import grpc

from arena.bot.author import Author, Bot, Choose
from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

BATCH_S: Final = 0.005  # answers wait no longer than this for others
SILENCE_S: Final = 60.0  # without a frame, not even a ping: the connection is dead
BACKOFF_S: Final = (0.1, 5.0)  # the shortest and the longest pause before dialling again
_PERMANENT: Final = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.ABORTED,  # another process has taken our place: dialling again would take it back, for ever
}


class Refused(Exception):  # noqa: N818
    """The arena does not want this bot, or there is none. The text is one line."""


class _Broken(Exception):  # noqa: N818
    """A stream ended with a status."""

    def __init__(self, code: grpc.StatusCode, reason: str) -> None:
        """``reason`` is one line."""
        super().__init__(reason)
        self.code = code
        self.reason = reason


class _Session:
    """One stream."""

    def __init__(self, channel: grpc.Channel, token: str, hello: pb.Hello) -> None:
        """Dial and say hello."""
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._incoming: SimpleQueue[tuple[pb.ArenaFrame, float] | _Broken | None] = SimpleQueue()
        self.send([pb.BotMessage(hello=hello)])
        dial: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.METHOD)
        self._call = dial(iter(self._outgoing.get, None), metadata=(("authorization", f"Bearer {token}"),))
        self._reader = threading.Thread(target=self._read, name="arena-reader", daemon=True)
        self._reader.start()

    def send(self, messages: list[pb.BotMessage]) -> None:
        """One frame."""
        self._outgoing.put(pb.BotFrame(messages=messages).SerializeToString())

    def _read(self) -> None:
        try:
            for data in self._call:
                now = time.monotonic()
                frame = pb.ArenaFrame.FromString(data)
                pongs = [
                    pb.BotMessage(pong=pb.Pong(nonce=message.ping.nonce))
                    for message in frame.messages
                    if message.HasField("ping")
                ]
                if pongs:
                    self.send(pongs)
                self._incoming.put((frame, now))
            self._incoming.put(None)
        except grpc.RpcError:
            code = self._call.code()
            self._incoming.put(_Broken(code, " ".join((self._call.details() or code.name).split())))

    def frames(self) -> Iterator[tuple[pb.ArenaFrame, float] | None]:
        """Frames with the time when they came, and None whenever no more is there yet. `_Broken` at the end."""
        while True:
            if self._incoming.empty():
                yield None
            try:
                item = self._incoming.get(timeout=SILENCE_S)
            except Empty:
                return
            if item is None:
                return
            if isinstance(item, _Broken):
                raise item
            yield item

    def close(self) -> None:
        """End the stream and its threads."""
        self._outgoing.put(None)
        self._call.cancel()
        self._reader.join()


@contextmanager
def _session(address: str, token: str, hello: pb.Hello) -> Iterator[_Session]:
    with grpc.insecure_channel(address, options=(("grpc.max_receive_message_length", 4 * 1024 * 1024),)) as channel:
        session = _Session(channel, token, hello)
        try:
            yield session
        finally:
            session.close()


def _play(session: _Session, author: Author) -> Iterator[pb.Welcome]:
    """Answer until the stream ends; yields the arena's Welcome when it comes."""
    answers: list[pb.BotMessage] = []
    due = 0.0
    for item in session.frames():
        if item is None:
            if answers:
                session.send(answers)
                answers = []
            continue
        frame, received_at = item
        for message in frame.messages:
            if message.HasField("question"):
                answer = author.answer(message.question, received_at)
                now = time.monotonic()
                if not answers:
                    due = received_at + BATCH_S
                if answer is not None:
                    answers.append(answer)
                if answers and now > due:
                    session.send(answers)
                    answers = []
            elif message.HasField("welcome"):
                yield message.welcome
            else:
                author.tell(message)


def connect(
    bot: Bot | Choose, *, address: str, token: str, tables: int = 8, software: str = "", patience_s: float = 30.0
) -> str:
    """Play in the arena at ``address`` ("HOST:PORT") as the bot that ``token`` belongs to, at up to ``tables`` at once.

    Dials again by itself when the connection is lost. Returns the reason in one line when the arena, once reached,
    has been out of reach for ``patience_s``; raises `Refused` where it does not want the bot or was never there.
    """
    author = Author(bot)
    oldest, newest = wire.VERSIONS
    hello = pb.Hello(oldest_version=oldest, newest_version=newest, tables=tables, software=software)
    welcomed = False
    pause_s = BACKOFF_S[0]
    alive_at = time.monotonic()
    while True:
        reason = "the arena ended the stream"
        greeted = False
        try:
            with _session(address, token, hello) as session:
                for _welcome in _play(session, author):
                    welcomed = greeted = True
                    pause_s = BACKOFF_S[0]
        except _Broken as error:
            reason = error.reason
            if error.code in _PERMANENT:
                raise Refused(f"the arena at {address} refused: {reason}") from None
        if greeted:
            alive_at = time.monotonic()
        if time.monotonic() - alive_at >= patience_s:
            said = f"the arena at {address} is out of reach for {patience_s:g} s: {reason}"
            if welcomed:
                return said
            raise Refused(said)
        time.sleep(pause_s * random.uniform(0.5, 1.5))  # noqa: S311  so that not all come back at once
        pause_s = min(pause_s * 2, BACKOFF_S[1])
