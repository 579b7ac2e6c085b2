"""A conversation with the bot under examination: meet it, ask it, and see that it answers as it should."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import grpc
from google.protobuf.message import DecodeError

from arena import house
from arena.clock import Clock, TimeControl
from arena.gateway import handshake, wire
from arena.gateway.check_line import Line, Target
from arena.gateway.connection import End, Limits
from arena.gateway.encoder import TableEncoder, frame
from arena.gateway.handshake import Greeting, Identity
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal, Question
from arena.rules.deck import dealt
from arena.rules.match import Match, dealer_of
from arena.rules.variant import Rules
from arena.rules.view import view
from arena.seat import DealOver, MatchOver, Request, Start
from arena.v1 import arena_pb2 as pb


class Failed(Exception):  # noqa: N818
    """The bot has not done what it should. The text is one line."""


class Skipped(Exception):  # noqa: N818
    """A step is not for this bot. The text says why."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the bot may take, in seconds."""

    connect_s: float = 30.0  # to be there, at first and after a lost connection
    answer_s: float = 2.0  # for an answer, as it is told
    slack_s: float = 1.0  # for the way there and back
    pong_s: float = 15.0  # for the answer to a ping
    quiet_s: float = 3.0  # in which a bot that was refused must not dial again


class _Given:
    """A call that has said this and no more."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self) -> object:
        return self._data

    async def write(self, message: bytes) -> None:
        raise AssertionError(message)


class _Nobody:
    """No bot."""

    dialled = False
    calls = 0
    refusal: End | None = None

    async def find(self) -> str:
        return ""

    async def reach(self) -> None:
        pass

    async def secure(self) -> str:
        return ""

    async def line(self) -> Line:
        raise AssertionError("there is nobody")

    def forget(self) -> None:
        pass


@dataclass
class Seat:
    """The bot's seat at a table of the examination."""

    table: int
    name: str  # of its match, by which bots draw lots
    rules: Rules
    index: int
    match: Match
    encoder: TableEncoder

    @property
    def start(self) -> bytes:
        """The frame with MatchStart."""
        names = tuple("you" if seat == self.index else f"house {seat}" for seat in range(self.rules.players))
        return self.encoder.start(Start(self.name, self.index, names, self.rules, self.match))


class Exam:
    """One bot's. Steps use it one after the other."""

    def __init__(self, target: Target, key: bytes, patience: Patience, seed: int = 0, name: str = "you") -> None:
        """``key`` is `wire.key_of` the bot's token; ``seed`` chooses the cards, those of each step by themselves."""
        self.target: Final = target
        self.patience: Final = patience
        self.hello = pb.Hello()
        self.first: bytes | None = None  # frame of the first stream
        self.line: Line | None = None
        self.stray: Counter[str] = Counter()  # what came that nobody had asked for
        self.gone: Callable[[], Awaitable[str]] | None = None  # what has become of its process, "" while it runs
        self.restart: Callable[[], Awaitable[None]] | None = None  # end its process and start it again
        self.key: Final = key
        self._seed: Final = seed
        self._name: Final = name
        self._control: Final = TimeControl(move_s=patience.answer_s, bank_s=60 * patience.answer_s)
        self._decision = 0  # the last one asked
        self._tables: Final = itertools.count(1)
        self.begin("")
        self._nonces: Final = itertools.count(2**64 - 1, -1)  # as large as they get
        self._pinged: Final[set[int]] = set()
        self._pongs: Final[set[int]] = set()
        self._answers: Final[dict[int, list[int]]] = {}

    @classmethod
    def of_nobody(cls) -> "Exam":
        """For who wants to see the list of steps."""
        return cls(_Nobody(), b"", Patience())

    def begin(self, step: str) -> None:
        """From here on cards are drawn and matches named for this step: the same, whatever was before it."""
        self.rng = random.Random(f"{self._seed} {step}")  # noqa: S311  cards
        self._names = (f"check/{step}/{number}" for number in itertools.count())

    # --- meeting

    async def dial(self) -> Line:
        """The bot's next stream."""
        said = "dial in" if not self.target.dialled else "answer the call"
        try:
            async with asyncio.timeout(self.patience.connect_s):
                self.line = await self._next_line()
        except TimeoutError:
            raise Failed(f"it did not {said} within {self.patience.connect_s:g} s") from None
        except OSError as error:
            raise Failed(str(error)) from None
        return self.line

    async def _next_line(self) -> Line:
        """Also while its process may end instead."""
        waiting = asyncio.ensure_future(self.target.line())
        try:
            while True:
                done, _ = await asyncio.wait((waiting,), timeout=0.1)
                if done:
                    return waiting.result()
                if self.gone is not None and (why := await self.gone()):
                    raise Failed(why)
        finally:
            waiting.cancel()

    async def read_hello(self, line: Line) -> bytes:
        """Its first frame."""
        limit_s = Limits().hello_s
        try:
            async with asyncio.timeout(limit_s):
                data = await line.frame()
        except TimeoutError:
            raise Failed(f"no Hello within {limit_s:g} s") from None
        if data is None:
            raise Failed(f"the stream ended before Hello{await self._why(line)}")
        return data

    async def welcome(self, line: Line, data: bytes) -> Greeting:
        """Judge its Hello as the arena would, and let it in."""
        identity = Identity(self._name, self.key, line.nonce)
        greeting = await handshake.greet(_Given(data), identity, Limits())
        if isinstance(greeting, End):
            await line.end(greeting.code, greeting.reason)
            raise Failed(greeting.reason.removeprefix(f"{self._name}: "))
        welcome = pb.Welcome(
            version=greeting.version, name=self._name, league="check", tables=greeting.tables, proof=greeting.proof
        )
        await line.write(frame(pb.ArenaMessage(welcome=welcome)))
        return greeting

    async def meet(self) -> Line:
        """The line that is up, or a new one, as soon as it has said Hello and is in."""
        if self.line is not None and not self.line.over.is_set() and self.hello.tables:
            return self.line
        line = await self.dial()
        data = await self.read_hello(line)
        await self.welcome(line, data)
        self.hello = pb.BotFrame.FromString(data).messages[0].hello
        return line

    async def drop(self, code: grpc.StatusCode, reason: str) -> None:
        """End its stream."""
        line, self.line = self.line, None
        if line is not None:
            await line.end(code, reason)

    # --- talking

    async def send(self, *frames: bytes) -> None:
        """Frames joined to one, on the line that is up: a bot that has let it go in the middle of a step fails."""
        line = self.line
        if line is None or line.over.is_set():
            raise Failed(f"it ended the stream{await self._why(line)}")
        await line.write(b"".join(frames))

    async def wait(self, true: Callable[[], object], within_s: float, missing: Callable[[], str]) -> None:
        """Read until it is true; Failed with what is missing where the time or the stream is over before."""
        line = self.line
        assert line is not None, "nobody is there"
        try:
            async with asyncio.timeout(within_s):
                while not true():
                    data = await line.frame()
                    if data is None:
                        raise Failed(f"{missing()}: it ended the stream{await self._why(line)}")
                    self._take(data)
        except TimeoutError:
            raise Failed(f"{missing()} within {within_s:g} s") from None

    def _take(self, data: bytes) -> None:
        try:
            messages = pb.BotFrame.FromString(data).messages
        except DecodeError:
            raise Failed(f"not a BotFrame: {data[:20]!r}") from None
        if len(data) > wire.FRAME_LIMIT or len(messages) > wire.MESSAGES_LIMIT:
            raise Failed(f"a frame of {len(data)} bytes and {len(messages)} messages is too large")
        for message in messages:
            kind = message.WhichOneof("kind")
            if kind == "answer":
                decision = message.answer.decision
                if not 1 <= decision <= self._decision:
                    self.stray["an answer to nothing"] += 1
                    continue
                if decision in self._answers:
                    self.stray["a second answer"] += 1
                self._answers[decision] = list(message.answer.cards)
            elif kind == "pong":
                if message.pong.nonce in self._pinged:
                    self._pinged.remove(message.pong.nonce)
                    self._pongs.add(message.pong.nonce)
                else:
                    self.stray["a pong to nothing"] += 1
            elif kind == "hello":
                raise Failed("it said Hello again on the same stream")
            else:
                self.stray[kind or "a message of an unknown kind"] += 1
        if self.stray.total() > Limits().useless:
            raise Failed(f"flooding: {dict(self.stray)}, which nobody asked for")

    async def _why(self, line: Line | None) -> str:
        why = ("" if line is None else line.why(), "" if self.gone is None else await self.gone())
        return "".join(f"; {one}" for one in why if one)

    # --- asking

    def sit(self, rules: Rules, index: int | None = None) -> Seat:
        """A seat at a new table."""
        table = next(self._tables)
        seat = self.rng.randrange(rules.players) if index is None else index
        return Seat(table, next(self._names), rules, seat, Match(rules), TableEncoder(table))

    def question(self, seat: Seat, deal: Deal, asked: Question, left_s: float | None = None) -> pb.Question:
        """What the arena would ask in this position."""
        self._decision += 1
        clock, seen = Clock.full(self._control), view(deal, asked.seat)
        request = Request(self._decision, asked, seen, seat.match, clock, 0.0, clock.left_s(), 0.0)
        return wire.question_message(seat.table, seat.name, request, left_s or self._control.move_s)

    async def position(self, rules: Rules, ask: Ask) -> tuple[Seat, Deal, Question]:
        """A seat somewhere in a deal, where it is asked for that; the seats before it have played as the house does.

        In an arena others play meanwhile, and are not kept waiting.
        """
        while True:
            number = self.rng.randrange(8)
            deal = self.deal(rules, number)
            steps = self.rng.randrange(len(rules.pack)) if ask is Ask.PLAY else 0
            while not deal.complete:
                asked = self.rng.choice(deal.pending())
                if asked.ask is ask and steps <= 0:
                    seat = self.sit(rules, asked.seat)
                    seat.match.deals = number
                    return seat, deal, asked
                steps -= 1
                deal.answer(asked.seat, house.choose(asked, view(deal, asked.seat)))
                await asyncio.sleep(0)

    def deal(self, rules: Rules, number: int) -> Deal:
        """A deal with cards of the examination's own."""
        cards = dealt(self.rng.randbytes(32), rules, dealer_of(number, rules.players))
        return Deal(rules, number, cards.dealer, cards.hands, cards.rest)

    async def ask(self, questions: Sequence[pb.Question], before: Iterable[bytes] = ()) -> None:
        """Ask all of these in one frame, after what comes ``before``; Failed where one has no legal answer in time."""
        for one in questions:
            self._answers.pop(one.decision, None)
        await self.send(*before, *[frame(pb.ArenaMessage(question=one)) for one in questions])
        await self.answered(questions)

    async def answered(self, questions: Sequence[pb.Question], *, slack_s: float | None = None) -> None:
        """Wait for legal answers to questions that were sent."""
        open_ones = {one.decision: one for one in questions}
        limit_s = max(one.clock.left_us for one in questions) / 1e6 + (
            self.patience.slack_s if slack_s is None else slack_s
        )

        def missing() -> str:
            one = next(iter(still()))
            return f"no answer to decision {one.decision} ({said(one)}, {one.clock.left_us / 1e6:g} s)"

        def still() -> list[pb.Question]:
            return [one for one in open_ones.values() if one.decision not in self._answers]

        await self.wait(lambda: not still(), limit_s, missing)
        for one in questions:
            wrong = illegal(one, self._answers[one.decision])
            if wrong:
                raise Failed(f"decision {one.decision}, {said(one)}: {wrong}")

    def faces(self, question: pb.Question) -> tuple[int, ...]:
        """What it has answered."""
        return tuple(value - 1 for value in self._answers[question.decision])

    def has_answered(self, question: pb.Question) -> bool:
        """Whether it has, since it was last asked."""
        return question.decision in self._answers

    def forget(self, question: pb.Question) -> None:
        """Its answer, so that one may be waited for; the question may be another arena's."""
        self._decision = max(self._decision, question.decision)
        self._answers.pop(question.decision, None)

    async def ping(self, before: Iterable[bytes] = ()) -> None:
        """Send a ping, after what comes ``before``, and wait for its pong: what was sent has been read."""
        nonce = next(self._nonces)
        self._pinged.add(nonce)
        await self.send(*before, frame(pb.ArenaMessage(ping=pb.Ping(nonce=nonce))))
        await self.wait(
            lambda: nonce in self._pongs, self.patience.pong_s, lambda: f"no Pong with the nonce {nonce} of the Ping"
        )

    async def play_deal(self, seat: Seat, number: int) -> None:
        """A whole deal with the bot in its seat and the house in the others, and its DealEnd."""
        deal = self.deal(seat.rules, number)
        while not deal.complete:
            for asked in deal.pending():
                if asked.seat != seat.index:
                    deal.answer(asked.seat, house.choose(asked, view(deal, asked.seat)))
                    continue
                question = self.question(seat, deal, asked)
                await self.ask([question])
                deal.answer(asked.seat, self.faces(question))
        points, moon = deal.scores()
        seat.match.enter(points)
        over = DealOver(number, points, moon, None, seat.match, view(deal, seat.index))
        await self.send(seat.encoder.deal_over(over))

    async def end_match(self, seat: Seat) -> None:
        """MatchEnd."""
        places = tuple(1 + sum(other < own for other in seat.match.totals) for own in seat.match.totals)
        await self.send(seat.encoder.match_over(MatchOver(seat.match.totals, places, seat.match.chips, False)))


def games(hello: pb.Hello) -> list[Rules]:
    """The games that a bot says it plays, four at a table where there are tables of four."""
    names = [name for name in VARIANTS if name in hello.variants or not hello.variants]
    return [rules_of(name, 4 if 4 in VARIANTS[name].players else VARIANTS[name].players[0]) for name in names]


def said(question: pb.Question) -> str:
    """What is asked, in a few words."""
    asked = {pb.ASK_PASS: "a pass", pb.ASK_PLAY: "a play", pb.ASK_DISCARD: "a discard"}.get(question.ask, "a new ask")
    return f"{asked} in {question.rules.variant}"


def illegal(question: pb.Question, cards: Sequence[int]) -> str:
    """What is wrong with an answer, "" for a legal one."""
    _, malformed = wire.answer_faces(cards)
    if malformed:
        return f"malformed: {malformed}"
    if len(cards) != question.count:
        return f"{len(cards)} cards where {question.count} were asked for"
    over = Counter(cards) - Counter(question.legal)
    if over:
        return f"{pb.Card.Name(pb.Card.ValueType(next(iter(over))))} is not among the legal cards"
    return ""
