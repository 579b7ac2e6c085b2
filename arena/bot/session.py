"""One stream between a bot and an arena, whoever has dialled: frames in, frames out, and whether the arena is ours.

The main thread thinks; another reads, so that pings are answered while the bot thinks. All questions that are there
are answered before the answers are sent together, unless thinking takes long.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Final

import grpc
from google.protobuf.message import DecodeError

from arena.bot.author import Author
from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

BATCH_S: Final = 0.005  # answers wait no longer than this for others
SILENCE_S: Final = 60.0  # without a frame, not even a ping: the connection is dead
NONCE: Final = 32  # bytes
FRAME_LIMIT: Final = 4 * 1024 * 1024  # bytes of an ArenaFrame


class Broken(Exception):  # noqa: N818
    """A stream ended with a status."""

    def __init__(self, code: grpc.StatusCode, reason: str, *, told: bool = False) -> None:
        """``reason`` is one line; ``told``: the arena's own, which it need not be told."""
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.told = told


class Session:
    """One stream. `read` runs in a thread of its own, everything else in any."""

    def __init__(
        self, hello: pb.Hello, key: bytes | None, met: Callable[["Session"], None] = lambda _session: None
    ) -> None:
        """Say ``hello``; with a ``key`` (`wire.key_of` the token) the arena must prove that it has it too.

        ``met`` is called by the reader when it has.
        """
        self._key: Final = key
        self._met: Final = met
        self._nonce: Final = secrets.token_bytes(NONCE) if key is not None else b""
        self._outgoing: Final[SimpleQueue[bytes | None]] = SimpleQueue()
        self._incoming: Final[SimpleQueue[tuple[pb.ArenaFrame, float] | Broken | None]] = SimpleQueue()
        self.welcome: pb.Welcome | None = None  # and so the arena has proved itself
        self.greeted: Final = threading.Event()  # it has, or the stream is over
        self.end: Broken | None = None  # why it is over
        self.lost = False  # it is over: nobody will get what is said now
        self.heard_at = time.monotonic()  # when the last frame came
        first = pb.Hello(nonce=self._nonce)
        first.MergeFrom(hello)
        self.send([pb.BotMessage(hello=first)])

    def send(self, messages: list[pb.BotMessage]) -> None:
        """One frame."""
        self._outgoing.put(pb.BotFrame(messages=messages).SerializeToString())

    def outgoing(self) -> Iterator[bytes]:
        """Frames to be written, until it is over."""
        return iter(self._outgoing.get, None)

    def over(self, reason: Broken | None) -> None:
        """Nothing more is to be read or written; the first reason counts."""
        self.end = self.end or reason
        self.lost = True
        self._incoming.put(reason)
        self._outgoing.put(None)
        self.greeted.set()

    def read(self, frames: Iterable[bytes]) -> Broken | None:
        """Take frames until they end; why they are not to be gone on with, or None. Errors of ``frames`` are raised."""
        for data in frames:
            now = self.heard_at = time.monotonic()
            try:
                frame = pb.ArenaFrame.FromString(data)
            except DecodeError:
                return Broken(grpc.StatusCode.INVALID_ARGUMENT, f"not an ArenaFrame: {data[:20]!r}")
            wrong = self._first(frame) if self.welcome is None else None
            if wrong is not None:
                return wrong
            pongs = []
            for message in frame.messages:
                kind = message.WhichOneof("kind")
                if kind == "ping":
                    pongs.append(pb.BotMessage(pong=pb.Pong(nonce=message.ping.nonce)))
                elif kind == "goodbye":
                    return _goodbye(message.goodbye)
            if pongs:
                self.send(pongs)
            self._incoming.put((frame, now))
        return None

    def _first(self, frame: pb.ArenaFrame) -> Broken | None:
        """Note the Welcome that an arena begins with; what is wrong with it, or None."""
        kind = frame.messages[0].WhichOneof("kind") if frame.messages else None
        if kind == "goodbye":
            return _goodbye(frame.messages[0].goodbye)
        if kind != "welcome":
            said = kind or "nothing that is known"
            return Broken(grpc.StatusCode.FAILED_PRECONDITION, f"the arena must begin with Welcome, not {said}")
        welcome = frame.messages[0].welcome
        if self._key is not None and not wire.proved(welcome.proof, self._key, wire.WELCOME_PROOF, self._nonce):
            wrong = "wrong" if welcome.proof else "missing"
            reason = f"Welcome.proof is {wrong}: this is not the arena that this token is for"
            return Broken(grpc.StatusCode.UNAUTHENTICATED, reason)
        self.welcome = welcome
        self._met(self)
        self.greeted.set()
        return None

    def frames(self) -> Iterator[tuple[pb.ArenaFrame, float] | None]:
        """Frames with the time when they came, and None whenever no more is there yet. `Broken` at the end."""
        while True:
            if self._incoming.empty():
                yield None
            try:
                item = self._incoming.get(timeout=SILENCE_S)
            except Empty:
                return
            if item is None:
                return
            if isinstance(item, Broken):
                raise item
            yield item


def _goodbye(message: pb.Goodbye) -> Broken:
    """What a goodbye says."""
    codes = {code.value[0]: code for code in grpc.StatusCode}
    code = codes.get(message.status, grpc.StatusCode.UNKNOWN)
    return Broken(code, " ".join(message.reason.split())[:200] or code.name, told=True)


def play(session: Session, author: Author) -> None:
    """Answer until the stream ends; `Broken` where it ends with a status.

    What is still to be answered when it has ended is not thought about: it comes again on the next stream.
    """
    answers: list[pb.BotMessage] = []
    answered: dict[int, pb.Question] = {}  # and not accepted yet, by decision: the answer may be refused
    due = 0.0
    for item in session.frames():
        if item is None:
            if answers:
                session.send(answers)
                answers = []
            continue
        frame, received_at = item
        for decision in frame.accepted:
            answered.pop(decision, None)
        # A question that comes again, and one answer to it was refused on the stream before: the next one is the last.
        refused = {one.rejection.decision for one in frame.messages if one.rejection.tries}
        for message in frame.messages:
            answer = None
            if message.HasField("question"):
                question = message.question
                if question.decision in refused:
                    answered[question.decision] = question
                elif not session.lost:
                    answer = author.answer(question, received_at)
                if answer is not None:
                    answered[question.decision] = question
            elif message.HasField("rejection"):
                said = message.rejection
                # Of two answers to a question, on two connections, the later is stale while the first is judged.
                before = None if said.reason == pb.REASON_STALE else answered.pop(said.decision, None)
                if before is None or not said.tries:
                    author.tell(message)
                else:
                    answer = author.correct(before, said)
            else:
                author.tell(message)
            if answer is not None:
                if not answers:
                    due = received_at + BATCH_S
                answers.append(answer)
            if answers and time.monotonic() > due:
                session.send(answers)
                answers = []
