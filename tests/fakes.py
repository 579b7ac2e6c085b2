"""Scripted seats: what a bot does, as data, on a clock that the test turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import trio

from arena.rules import cards as c
from arena.rules.cards import Card
from arena.rules.variant import fallback
from arena.seat import DealOver, MatchOver, Rejection, Reply, Request, Start


@dataclass(frozen=True)
class Says:
    """One answer: after so many seconds these faces; None: nothing ever comes."""

    faces: Sequence[Card] | None
    after_s: float = 0.0
    malformed: str = ""


Script = Callable[[Request, int], Says]


def legal(request: Request, _attempt: int) -> Says:
    """The lowest legal cards, at once."""
    return Says(lowest(request))


def lowest(request: Request) -> tuple[Card, ...]:
    """The fallback's faces."""
    question = request.question
    return tuple(card % c.FACES for card in fallback(question.legal, question.number))


def silent(_request: Request, _attempt: int) -> Says:
    """Nothing ever."""
    return Says(None)


def illegal(request: Request, _attempt: int) -> Says:
    """A card that is held and not legal, where there is one; else one that is not held."""
    hand = request.view.hand
    wrong = c.faces_of(hand & ~request.question.legal) or c.faces_of(c.PACK & ~hand)
    return Says(wrong[: request.question.number])


@dataclass
class FakeSeat:
    """A seat that follows a script and remembers what it was told."""

    script: Script = legal
    name: str = "fake"
    latency: float = 0.0
    outages: Sequence[tuple[float, float]] = ()  # from, to: when it cannot be reached
    requests: list[Request] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    accepted: list[int] = field(default_factory=list)
    deals: list[DealOver] = field(default_factory=list)
    overs: list[MatchOver] = field(default_factory=list)
    _due: dict[int, tuple[float, float, Says]] = field(default_factory=dict)
    _attempt: int = 0

    def start(self, start: Start) -> None:
        self.starts.append(start)

    async def ask(self, request: Request) -> Reply:
        if request.decision not in self._due:
            self.requests.append(request)
            self._attempt = 0
            self._script(request)
        return await self._reply(request.decision)

    async def retry(self, rejection: Rejection) -> Reply:
        if not self.rejections or self.rejections[-1] is not rejection:
            self.rejections.append(rejection)
            self._attempt += 1
            self._script(self.requests[-1])
        return await self._reply(rejection.decision)

    def close(self, decision: int, rejection: Rejection | None) -> None:
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

    def latency_s(self) -> float:
        return self.latency

    def _script(self, request: Request) -> None:
        now = trio.current_time()
        says = self.script(request, self._attempt)
        self._due[request.decision] = now, now + says.after_s, says

    async def _reply(self, decision: int) -> Reply:
        sent, due, says = self._due[decision]
        if says.faces is None:
            await trio.sleep_forever()
        await trio.sleep_until(due)
        assert says.faces is not None
        return Reply(tuple(says.faces), sent, trio.current_time(), says.malformed)
