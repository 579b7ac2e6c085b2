"""Scripted seats: what a bot does, as data, on a clock that the test turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import trio

from arena.clock import Clock, TimeControl
from arena.rules import cards as c
from arena.rules.cards import Card
from arena.rules.deal import Deal, Question
from arena.rules.match import Match
from arena.rules.variant import fallback
from arena.rules.view import view
from arena.seat import DealOver, Late, MatchOver, OpenRequest, Rejection, Request, Start


@dataclass(frozen=True)
class Says:
    """One answer: after so many seconds these faces; None: nothing ever comes."""

    faces: Sequence[Card] | None
    after_s: float = 0.0
    malformed: str = ""
    thought_s: float | None = None  # that it says it thought


Script = Callable[[Request, int], Says]
FRESH = TimeControl()


def legal(request: Request, _attempt: int) -> Says:
    """The lowest legal cards, at once."""
    return Says(lowest(request))


def lowest(request: Request) -> tuple[Card, ...]:
    """The fallback's faces."""
    question = request.question
    return tuple(card % c.FACES for card in fallback(question.legal, question.number))


@dataclass(frozen=True)
class Answered:
    """What was heard, and when it had been read."""

    faces: tuple[Card, ...]
    at: float
    malformed: str


@dataclass(eq=False)
class Put(OpenRequest):
    """A question that remembers the answers to it."""

    answers: list[Answered] = field(default_factory=list)

    def hear(self, faces: tuple[Card, ...], at: float, malformed: str = "") -> None:
        self.answers.append(Answered(faces, at, malformed))


def put(
    decision: int, question: Question, deal: Deal, match: Match, control: TimeControl = FRESH, started: float = 0.0
) -> Put:
    """A question of the deal as a referee puts it, to a player with all of its time."""
    clock, seen = Clock.full(control), view(deal, question.seat)
    return Put(decision, question, seen, match, clock, started, clock.left_s(), 0.0, None, None)


def silent(_request: Request, _attempt: int) -> Says:
    """Nothing ever."""
    return Says(None)


def illegal(request: Request, _attempt: int) -> Says:
    """A card that is held and not legal, where there is one; else one that is not held."""
    hand = request.view.hand
    wrong = c.faces_of(hand & ~request.question.legal) or c.faces_of(c.PACK & ~hand)
    return Says(wrong[: request.question.number], thought_s=0.025)


@dataclass
class FakeSeat:
    """A seat that follows a script and remembers what it was told."""

    script: Script = legal
    name: str = "fake"
    latency: float = 0.0
    outages: Sequence[tuple[float, float]] = ()  # from, to: when it cannot be reached
    requests: list[OpenRequest] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    accepted: list[int] = field(default_factory=list)
    deals: list[DealOver] = field(default_factory=list)
    overs: list[MatchOver] = field(default_factory=list)
    _asked_at: float = 0.0
    _attempt: int = 0
    _closed: set[int] = field(default_factory=set)
    _thought_s: float | None = None  # says the answer that is heard now
    _late: dict[int, Late] = field(default_factory=dict)

    def start(self, start: Start) -> None:
        self.starts.append(start)

    def ask(self, request: OpenRequest) -> None:
        self.requests.append(request)
        request.sent_at = self._asked_at = trio.current_time()
        self._say(0)

    def retry(self, rejection: Rejection) -> None:
        self.rejections.append(rejection)
        self._asked_at = trio.current_time()
        self._say(self._attempt + 1)

    def close(self, decision: int, rejection: Rejection | None) -> None:
        self._closed.add(decision)
        if rejection is None:
            self.accepted.append(decision)
        else:
            self.rejections.append(rejection)

    def deal_over(self, over: DealOver) -> None:
        self.deals.append(over)

    def match_over(self, over: MatchOver) -> None:
        self.overs.append(over)

    def away_s(self) -> float:
        now = trio.current_time()
        return sum(max(0.0, min(now, end) - start) for start, end in self.outages)

    def thought_s(self) -> float | None:
        return self._thought_s

    def late(self, decision: int) -> Late | None:
        return self._late.get(decision)

    def latency_s(self) -> float:
        return self.latency

    def read_at(self) -> float:
        """When what comes now counts as read; for subclasses."""
        return trio.current_time()

    def _say(self, attempt: int) -> None:
        self._attempt = attempt
        request = self.requests[-1]
        says = self.script(request, attempt)
        if says.faces is not None:
            trio.lowlevel.spawn_system_task(self._answer, request, says, self._asked_at)

    async def _answer(self, request: OpenRequest, says: Says, asked_at: float) -> None:
        assert says.faces is not None
        await trio.sleep_until(asked_at + says.after_s)
        if request.decision in self._closed:
            self._late.setdefault(request.decision, Late(trio.current_time() - request.started, says.thought_s))
        else:
            self._thought_s = says.thought_s
            request.hear(tuple(says.faces), self.read_at(), says.malformed)
