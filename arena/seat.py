"""What the referee needs of a player: a `Seat`. Connections, house bots and the tests' fakes are seats."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import NamedTuple, Protocol

from arena.clock import Clock
from arena.rules.cards import Card, Cards
from arena.rules.deal import Question
from arena.rules.match import Match
from arena.rules.variant import Rules
from arena.rules.view import View


class Late(NamedTuple):
    """The first answer that came when its question had been closed, as its time was over."""

    came_s: float  # from when the question was put until the answer was read
    thought_s: float | None  # that the bot says it thought; None: it does not say


class Reason(Enum):
    """Why an answer does not count."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    LATE = "late"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that does not count, explained."""

    decision: int
    reason: Reason
    clause: str  # of the rules, "" where none is named
    message: str
    legal: Cards  # 0 unless another try is left
    tries: int  # left on the same clock


@dataclass(slots=True, eq=False)
class Request:
    """A question as it is put to a seat. Times are seconds on trio's clock."""

    decision: int  # names it, unique in this arena process
    question: Question
    view: View
    match: Match  # the ledger before this deal
    clock: Clock  # the seat's
    started: float  # when it was put
    limit_s: float  # what the answer may take from then on
    away_before_s: float  # what the seat's `away_s` was then


@dataclass(slots=True, eq=False)
class OpenRequest(Request, ABC):
    """A question that waits for its answer, and what becomes of it. Who puts it hears the answers."""

    sent_at: float | None  # when the transport took it for the first time, noted by the seat; None until then
    rejection: Rejection | None  # of the last answer, where another may be given

    @abstractmethod
    def hear(self, faces: tuple[Card, ...], at: float, malformed: str = "") -> None:
        """An answer was read ``at``: these faces in the order given, 0 to 51, or why it is no set of cards at all.

        It may come while the question is put, and raises nothing.
        """


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins, or goes on after a restart of the arena."""

    match_id: str
    seat: int
    names: tuple[str, ...]  # by seat
    rules: Rules
    match: Match


@dataclass(frozen=True, slots=True)
class DealOver:
    """A deal is complete and entered in the ledger."""

    number: int
    points: tuple[int, ...]
    moon: int | None
    stopped: int | None
    match: Match
    view: View  # the seat's last one: the tricks of the whole deal


@dataclass(frozen=True, slots=True)
class MatchOver:
    """A match is over."""

    totals: Sequence[int]
    places: Sequence[int]
    chips: Sequence[Fraction]
    forfeited: bool  # this seat's player had lost the right to play


class Seat(Protocol):
    """One player at one table. Nothing here waits: what a player answers is told to who has asked."""

    @property
    def name(self) -> str:
        """The bot's name."""
        ...

    def start(self, start: Start) -> None:
        """Tell that the match begins."""
        ...

    def ask(self, request: OpenRequest) -> None:
        """Put the question, across lost connections if need be. It hears each answer until it is closed."""
        ...

    def retry(self, rejection: Rejection) -> None:
        """Say why the answer to the open question does not count, and that another may be given."""
        ...

    def close(self, decision: int, rejection: Rejection | None) -> None:
        """The question is closed: answered (None), or without a valid answer, for the reason given."""
        ...

    def deal_over(self, over: DealOver) -> None:
        """Tell how a deal ended."""
        ...

    def match_over(self, over: MatchOver) -> None:
        """Tell how the match ended. Nothing more is asked of this seat."""
        ...

    def away_s(self) -> float:
        """How long in all the player has been out of reach since the start of the match, in seconds."""
        ...

    def thought_s(self) -> float | None:
        """How long the bot says that it thought, in the answer that is heard now, in seconds; None: it does not say."""
        ...

    def late(self, decision: int) -> Late | None:
        """What has come too late to this question; None: nothing yet, or it was not remembered."""
        ...

    def latency_s(self) -> float:
        """The network's part of an answer's time as far as it is known, in seconds."""
        ...
