"""Bots that break one rule of the protocol each, by the name of the `arena check` step that must tell."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

import grpc

from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

TOKEN: Final = "a-token-of-the-tests"
Call: TypeAlias = "grpc.aio.StreamStreamCall[bytes, bytes]"


class Crash(Exception):  # noqa: N818
    """The bot could not bear it."""


class Bot:
    """A bot that does everything right. What it breaks, a subclass overrides."""

    token: str | None = TOKEN
    pause_s = 0.01  # before it dials again; doubles while it is refused
    options: tuple[tuple[str, int], ...] = (("grpc.use_local_subchannel_pool", 1),)
    final: tuple[grpc.StatusCode, ...] = (grpc.StatusCode.ABORTED, grpc.StatusCode.UNAUTHENTICATED)

    def __init__(self) -> None:
        """It has not dialled yet."""
        self.calls = 0
        self.tables: set[int] = set()
        self.decisions: dict[int, pb.Question] = {}

    async def run(self, address: str) -> None:
        """Until it is cancelled, or for good refused."""
        pause_s = self.pause_s
        while True:
            self.calls += 1
            async with grpc.aio.insecure_channel(address, options=self.options) as channel:
                dial: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.METHOD)
                metadata = () if self.token is None else (("authorization", f"Bearer {self.token}"),)
                call = dial(metadata=metadata)
                try:
                    await call.write(self.first())
                    while isinstance(data := await call.read(), bytes):
                        pause_s = self.pause_s
                        for message in self.frame(data):
                            await call.write(pb.BotFrame(messages=[message]).SerializeToString())
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError, Crash):
                    pass
                if call.done() and await call.code() in self.final:
                    return
                call.cancel()
            await asyncio.sleep(pause_s)
            pause_s *= 2

    def hello(self) -> pb.Hello:
        return pb.Hello(
            oldest_version=1, newest_version=1, tables=4, software="broken 1", variants=["classic", "widow"]
        )

    def first(self) -> bytes:
        return pb.BotFrame(messages=[pb.BotMessage(hello=self.hello())]).SerializeToString()

    def frame(self, data: bytes) -> list[pb.BotMessage]:
        said: list[pb.BotMessage] = []
        for message in pb.ArenaFrame.FromString(data).messages:
            said += self.message(message)
        return said

    def message(self, message: pb.ArenaMessage) -> list[pb.BotMessage]:
        kind = message.WhichOneof("kind")
        if kind == "ping":
            return self.pong(message.ping.nonce)
        if kind == "question":
            self.decisions[message.question.decision] = message.question
            return self.question(message.question)
        if kind == "match_start":
            self.tables.add(message.match_start.table)
        if kind == "rejection":
            return self.rejection(message.rejection)
        return []

    def pong(self, nonce: int) -> list[pb.BotMessage]:
        return [pb.BotMessage(pong=pb.Pong(nonce=nonce))]

    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        if question.ask not in wire.ASK_OF:
            return []
        return answer(question, question.legal[: question.count])

    def rejection(self, rejection: pb.Rejection) -> list[pb.BotMessage]:
        question = self.decisions.get(rejection.decision)
        return self.question(question) if rejection.tries and question is not None else []


def answer(question: pb.Question, cards: object) -> list[pb.BotMessage]:
    return [pb.BotMessage(answer=pb.Answer(decision=question.decision, cards=cards))]  # type: ignore[arg-type] # also wrong ones


def hello_of(**fields: object) -> type[Bot]:
    """A bot whose Hello is otherwise."""

    class Otherwise(Bot):
        def hello(self) -> pb.Hello:
            said = super().hello()
            said.MergeFrom(pb.Hello(**fields))  # type: ignore[arg-type] # fields of different types
            for name, value in fields.items():
                if not value:
                    said.ClearField(name)  # type: ignore[arg-type] # one of them
            return said

    return Otherwise


def first_of(*messages: pb.BotMessage, raw: bytes = b"") -> type[Bot]:
    """A bot whose first frame is otherwise."""

    class Otherwise(Bot):
        def first(self) -> bytes:
            return raw or pb.BotFrame(messages=messages).SerializeToString()

    return Otherwise


def crashing(when: Callable[[Bot, pb.ArenaMessage], object]) -> type[Bot]:
    """A bot that a message brings down."""

    class Crashing(Bot):
        def message(self, message: pb.ArenaMessage) -> list[pb.BotMessage]:
            if when(self, message):
                raise Crash
            return super().message(message)

    return Crashing


def saying(what: Callable[[Bot, pb.Question], list[pb.BotMessage]]) -> type[Bot]:
    """A bot that answers questions otherwise."""

    class Saying(Bot):
        def question(self, question: pb.Question) -> list[pb.BotMessage]:
            return what(self, question)

    return Saying


def right(bot: Bot, question: pb.Question) -> list[pb.BotMessage]:
    return Bot.question(bot, question)


class NoToken(Bot):
    token = None


class OtherToken(Bot):
    token = "another"


class NoPong(Bot):
    def pong(self, nonce: int) -> list[pb.BotMessage]:
        return []


class SmallNonce(Bot):
    def pong(self, nonce: int) -> list[pb.BotMessage]:
        return super().pong(nonce & 0xFFFF_FFFF)


class OneAtATime(Bot):
    def frame(self, data: bytes) -> list[pb.BotMessage]:
        return super().frame(data)[:1]


class Chatty(Bot):
    def pong(self, nonce: int) -> list[pb.BotMessage]:
        return [pb.BotMessage(leave=pb.Leave()), *super().pong(nonce)]


class AnswersOnce(Bot):
    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        before, self.tables = self.tables, self.tables | {-question.decision}
        return [] if -question.decision in before else super().question(question)


class IllegalAgain(Bot):
    def rejection(self, rejection: pb.Rejection) -> list[pb.BotMessage]:
        question = self.decisions.get(rejection.decision)
        return answer(question, [99]) if rejection.tries and question is not None else []


class CrashesAtRejections(Bot):
    def rejection(self, rejection: pb.Rejection) -> list[pb.BotMessage]:
        if rejection.reason not in (pb.REASON_ILLEGAL, pb.REASON_MALFORMED, pb.REASON_LATE):
            raise Crash
        return super().rejection(rejection)


class CrashesAtEmpty(Bot):
    def frame(self, data: bytes) -> list[pb.BotMessage]:
        if not pb.ArenaFrame.FromString(data).messages:
            raise Crash
        return super().frame(data)


class CrashesAtUnknown(Bot):
    def frame(self, data: bytes) -> list[pb.BotMessage]:
        if b"future" in data:
            raise Crash
        return super().frame(data)


class ReadsLittle(Bot):
    options = (*Bot.options, ("grpc.max_receive_message_length", 100_000))


class DialsOnce(Bot):
    async def run(self, address: str) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(1000):
                self.pause_s = 1000.0
                await super().run(address)


class ChangesItsMind(Bot):
    def hello(self) -> pb.Hello:
        said = super().hello()
        said.software = f"broken {self.calls}"
        return said


class Hammering(Bot):
    pause_s = 0.0


class NeverStops(Bot):
    final = ()


def not_legal(question: pb.Question) -> list[int]:
    """A face that may not be played."""
    return [value for value in range(1, 53) if value not in question.legal][:1]


def one_discard(bot: Bot, question: pb.Question) -> list[pb.BotMessage]:
    """Too few cards to discard."""
    return answer(question, question.legal[:1]) if question.ask == pb.ASK_DISCARD else right(bot, question)


def no_trick(bot: Bot, question: pb.Question) -> list[pb.BotMessage]:
    """Nothing once a trick has been taken in a game with a widow."""
    return [] if question.rules.variant == "widow" and question.view.tricks else right(bot, question)


def any_game(bot: Bot, question: pb.Question) -> list[pb.BotMessage]:
    """Anything in a game that it does not know."""
    return answer(question, [99]) if question.rules.variant == "future" else right(bot, question)


def strange_table(bot: Bot, message: pb.ArenaMessage) -> bool:
    """The end of a deal at a table that it does not know."""
    return message.HasField("deal_end") and message.deal_end.table not in bot.tables


BROKEN: Final[dict[str, list[type[Bot]]]] = {
    "token": [NoToken, OtherToken],
    "hello": [
        first_of(pb.BotMessage(answer=pb.Answer(decision=1))),
        first_of(pb.BotMessage(hello=Bot().hello()), pb.BotMessage(pong=pb.Pong())),
        first_of(),
        first_of(raw=b"GET / HTTP/1.1"),
    ],
    "version": [hello_of(oldest_version=2, newest_version=3), hello_of(oldest_version=0, newest_version=0)],
    "tables": [hello_of(tables=0), hello_of(tables=5000)],
    "software": [hello_of(software="x" * 65)],
    "variants": [hello_of(variants=["Classic"])],
    "ready": [NoPong, SmallNonce],
    "question": [
        saying(lambda _bot, _question: []),
        saying(lambda _bot, question: answer(question, [])),
        saying(lambda _bot, question: answer(question, [99])),
        saying(lambda _bot, question: answer(question, [*question.legal[:1], *question.legal[:1]])),
        saying(lambda _bot, question: answer(question, not_legal(question))),
    ],
    "two-tables": [OneAtATime],
    "silence": [Chatty],
    "sent-twice": [AnswersOnce],
    "stale": [CrashesAtRejections],
    "late": [crashing(lambda _bot, message: message.question.decision and message.question.clock.left_us < 1000)],
    "refused": [IllegalAgain],
    "last-try": [crashing(lambda _bot, message: message.rejection.reason == pb.REASON_MALFORMED)],
    "pass classic": [saying(lambda bot, question: [] if question.ask == pb.ASK_PASS else right(bot, question))],
    "discard widow": [saying(one_discard)],
    "play widow": [saying(no_trick)],
    "deal classic": [crashing(lambda _bot, message: message.HasField("deal_end"))],
    "match": [crashing(lambda _bot, message: message.HasField("match_end"))],
    "match-restart": [crashing(lambda bot, message: message.match_start.table in bot.tables)],
    "strange-table": [crashing(strange_table)],
    "complete-question": [saying(lambda bot, question: right(bot, question) if question.table in bot.tables else [])],
    "empty-frame": [CrashesAtEmpty],
    "unknown-fields": [CrashesAtUnknown],
    "unknown-message": [crashing(lambda _bot, message: message.WhichOneof("kind") is None)],
    "unknown-reason": [CrashesAtRejections],
    "unknown-ask": [crashing(lambda _bot, message: message.question.ask == 99)],
    "unknown-rules": [saying(any_game)],
    "large-frame": [ReadsLittle],
    "reconnect": [DialsOnce],
    "broken-stream": [DialsOnce],
    "open-question": [AnswersOnce],
    "same-hello": [ChangesItsMind],
    "closing": [Hammering],
    "replaced": [NeverStops],
    "token-refused": [NeverStops],
}  # fmt: skip
"""By the step that must fail for each of them."""
