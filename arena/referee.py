"""One question, one clock, one answer or fault.

The ladder: an answer that the rules forbid is explained and may be corrected once on the same clock; uncorrected it
is a revoke (G8). An answer that does not come in time is replaced by the fallback. The third strike, an empty bank,
spent grace or a second stopped deal end the bot's right to play: the house plays the seat to the end of the match.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import trio

from arena import house
from arena.clock import Clock, TimeControl
from arena.rules import cards as c
from arena.rules.cards import Card
from arena.rules.clauses import CLAUSES
from arena.rules.deal import Deal, IllegalAnswer, MalformedAnswer, Question
from arena.rules.match import Match
from arena.rules.variant import fallback
from arena.rules.view import view
from arena.seat import Reason, Rejection, Reply, Request, Seat

TRIES = 2  # answers to one question
STRIKES = 3  # unanswered questions until the seat is lost
STOPS = 2  # stopped deals until the seat is lost
HANDED_S = 0.02  # the most that a question takes from being put until the transport has it; else the arena is late
LOOK_S = 0.05  # a clock that stands still is looked at no more often than this


class Policy(Enum):
    """What becomes of an illegal answer that is not corrected."""

    REVOKE = "stop"  # the deal stops at once and costs every penalty point (G8)
    SUBSTITUTE = "substitute"  # the fallback is played


class Kind(Enum):
    """What a fault is."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"


class Consequence(Enum):
    """What a fault led to."""

    RETRY = "retry"
    FALLBACK = "fallback"
    STOPPED = "stopped"
    STAND_IN = "stand-in"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a bot, with everything that its author will ask."""

    seat: int
    deal: int
    trick: int | None  # from 0; None before the first lead
    decision: int
    kind: Kind
    ask: str
    clause: str  # "" where none is named
    reason: str  # one line
    consequence: Consequence
    answer: str  # what came, shortened
    limit_s: float  # that the answer might have taken
    measured_s: float  # that it took


@dataclass(slots=True)
class Player:
    """A seat's standing in a match."""

    seat: Seat
    clock: Clock
    strikes: int = 0
    stops: int = 0  # deals stopped by its revokes
    forfeited: bool = False  # the house plays for it
    faults: list[Fault] = field(default_factory=list)  # of the deal in progress
    thinking_s: list[float] = field(default_factory=list)  # charged for each answer of the deal in progress


def _no_lag(_now: float) -> float:
    return 0.0


@dataclass(slots=True)
class Referee:
    """Puts questions for all tables of a league."""

    control: TimeControl
    decisions: Iterator[int]
    policy: Policy = Policy.REVOKE
    lag_s: Callable[[float], float] = _no_lag  # what the arena's own loop has lost up to that moment

    def put(self, deal: Deal, question: Question, player: Player, match: Match, decision: int | None = None) -> "Asked":
        """A question whose clock runs from now on. ``decision`` is its number, the next one if it is not given."""
        clock, seat = player.clock, player.seat
        number = next(self.decisions) if decision is None else decision
        started = trio.current_time()
        limit_s = clock.left_s
        credit_s = seat.latency_s()
        if credit_s > clock.control.credit_s:
            credit_s = clock.control.credit_s
        deadline = started + limit_s + credit_s
        return Asked(
            self,
            deal,
            Request(number, question, view(deal, question.seat), match, clock),
            player,
            started,
            limit_s,
            credit_s,
            deadline,
            deadline,
            seat.away_s(),
            self.lag_s(started),
        )

    async def settle(
        self, deal: Deal, question: Question, player: Player, match: Match, decision: int | None = None
    ) -> bool:
        """Put the question until it is answered in the deal; False when the seat revokes instead.

        Returns within the seat's time, however the player behaves.
        """
        if player.forfeited:
            await _play_for(deal, question)
            return True
        asked = self.put(deal, question, player, match, decision)
        while True:
            with trio.CancelScope(deadline=asked.wake_at):
                return await asked.wait()
            answered = asked.expire()
            if answered is not None:
                return answered

    async def settle_in_turn(self, deal: Deal, players: Sequence[Player], match: Match) -> None:
        """Put one question after the other until the deal is complete, by its end or by a revoke.

        One timer serves them all: it is set for the first question and moved only when a later one has less time. If it
        rings before the time of the question that is open, it is wound up again.
        """
        asked: Asked | None = None
        while not deal.complete:
            with trio.CancelScope() as timer:
                while not deal.complete:
                    if asked is None:
                        question = deal.pending()[0]
                        player = players[question.seat]
                        if player.forfeited:
                            await _play_for(deal, question)
                            continue
                        asked = self.put(deal, question, player, match)
                    if asked.wake_at < timer.deadline:
                        timer.deadline = asked.wake_at
                    if not await asked.wait():
                        deal.stop(asked.seat)
                    asked = None
            if asked is not None:
                answered = asked.expire()
                if answered is None:
                    continue
                if not answered:
                    deal.stop(asked.seat)
                asked = None


async def _play_for(deal: Deal, question: Question) -> None:
    """The house answers for a bot that has lost the right to; other tables may go on first."""
    await trio.lowlevel.checkpoint()
    deal.answer(question.seat, house.choose(question, view(deal, question.seat)))


@dataclass(slots=True)
class Asked:
    """A question under way."""

    referee: Referee
    deal: Deal
    request: Request
    player: Player
    started: float
    limit_s: float
    credit_s: float  # for the network, as it was known when the question was put
    deadline: float
    wake_at: float  # when to see whether it is over; the deadline, or later where the clock has stood still
    away_before_s: float
    lag_before_s: float
    tries: int = TRIES
    excused_s: float = 0.0  # that the deadline has been moved by
    rejection: Rejection | None = None  # of the last answer

    @property
    def seat(self) -> int:
        """The seat that is asked."""
        return self.request.question.seat

    async def wait(self) -> bool:
        """Until it is answered in the deal; False for a revoke. After time was added, it is waited for again."""
        seat = self.player.seat
        if self.player.clock.empty:
            return self._time_over(asked=False)
        while True:
            # Asked again, a seat goes on waiting; nothing is sent twice.
            reply = await (seat.ask(self.request) if self.rejection is None else seat.retry(self.rejection))
            received_at = reply.received_at
            if received_at > self.deadline and received_at > self._moved(received_at):
                return self._time_over()
            self.rejection = self.apply(reply)
            if self.rejection is None:
                seat.close(self.request.decision, None)
                return True
            if not self.rejection.tries:
                return self.fail(self.rejection)

    def apply(self, reply: Reply) -> Rejection | None:
        """Enter the answer in the deal; what is wrong with it where that fails."""
        try:
            if reply.malformed:
                raise MalformedAnswer(reply.malformed)  # noqa: TRY301  one ladder for both ways to be malformed
            self.deal.answer(self.request.question.seat, reply.faces)
        except IllegalAnswer as error:
            message = f"{error.clause}: {CLAUSES[error.clause]}"
            return self._refuse(reply, Kind.ILLEGAL, Reason.ILLEGAL, error.clause, message)
        except MalformedAnswer as error:
            return self._refuse(reply, Kind.MALFORMED, Reason.MALFORMED, "", str(error))
        # From when it was handed to the transport, for the first time: on another connection it is sent again.
        received_at, sent_at, handed_at = reply.received_at, reply.sent_at, self.started + HANDED_S
        if sent_at > handed_at:
            sent_at = handed_at
        self._charge(received_at - sent_at if sent_at < received_at else 0.0, received_at)
        self.player.clock.reward()
        return None

    def _refuse(self, reply: Reply, kind: Kind, reason: Reason, clause: str, message: str) -> Rejection:
        self.tries -= 1
        consequence = Consequence.RETRY
        if not self.tries:
            stops = self.referee.policy is Policy.REVOKE
            consequence = Consequence.STOPPED if stops else Consequence.FALLBACK
        self._fault(kind, clause, message, consequence, _written(reply.faces))
        legal = self.request.question.legal if self.tries else 0
        return Rejection(self.request.decision, reason, clause, message, legal, self.tries)

    def fail(self, rejection: Rejection) -> bool:
        """No try is left."""
        now = trio.current_time()
        self._charge(now - self.started, now)
        self.player.seat.close(self.request.decision, rejection)
        return self._lose()

    def expire(self) -> bool | None:
        """The time is over: True if the fallback has answered, False for a revoke, None if there is time after all.

        After a refused answer it is a revoke that was not corrected.
        """
        now = trio.current_time()
        if now < self.deadline or now < self._moved(now):
            # A connection that is lost just before the deadline moves it on by as little, again and again.
            self.wake_at = max(self.deadline, now + LOOK_S) if self.excused_s else self.deadline
            return None
        return self._time_over()

    def _time_over(self, *, asked: bool = True) -> bool:
        """The consequences. Where the bank is empty, nothing was asked."""
        refused = self.rejection
        player, seat = self.player, self.player.seat
        elapsed = trio.current_time() - self.started
        away = seat.away_s() - self.away_before_s
        player.clock.grace_s = max(0.0, player.clock.grace_s - away)
        spent = away > 0 and player.clock.grace_s == 0
        player.thinking_s.append(player.clock.charge(self.limit_s, 0.0))
        message = f"no answer within {self.limit_s:.3f} s" if asked else "not asked, as the bank has no time left"
        if away > 0:
            message += f"; the connection was lost for {away:.3f} s of {elapsed:.3f} s"
        if spent:
            message += f", and the grace of {player.clock.control.grace_s:g} s is spent"
        stops = refused is not None and self.referee.policy is Policy.REVOKE
        consequence = Consequence.STOPPED if stops else Consequence.FALLBACK
        self._fault(Kind.UNREACHABLE if away > 0 else Kind.TIMEOUT, "", message, consequence, "", elapsed)
        if asked:
            seat.close(self.request.decision, Rejection(self.request.decision, Reason.LATE, "", message, 0, 0))
        if spent or player.clock.empty:
            self._forfeit("the grace is spent" if spent else "the bank is empty")
        if refused is not None:
            return self._lose()
        self._strike()
        self._fall_back()
        return True

    def _lose(self) -> bool:
        """An illegal answer that was not corrected."""
        self._strike()
        if self.referee.policy is Policy.SUBSTITUTE:
            self._fall_back()
            return True
        self.player.stops += 1
        if self.player.stops >= STOPS:
            self._forfeit(f"{STOPS} deals stopped by revokes")
        return False

    def _moved(self, now: float) -> float:
        """The deadline, moved for a connection lost within the grace and for what the arena itself was late."""
        away = min(self.player.seat.away_s() - self.away_before_s, self.player.clock.grace_s)
        excused = away + self.referee.lag_s(now) - self.lag_before_s
        if excused > self.excused_s:
            self.deadline += excused - self.excused_s
            self.excused_s = excused
        return self.deadline

    def _charge(self, elapsed_s: float, until: float) -> None:
        """Charge the time of an answer, less what the arena lost and what grace covers."""
        player = self.player
        clock = player.clock
        away = player.seat.away_s() - self.away_before_s
        if away > 0:
            if away > clock.grace_s:
                away = clock.grace_s
            clock.grace_s -= away
            elapsed_s -= away
        elapsed_s -= self.referee.lag_s(until) - self.lag_before_s
        player.thinking_s.append(clock.charge(elapsed_s if elapsed_s > 0 else 0.0, self.credit_s))

    def _fall_back(self) -> None:
        question = self.request.question
        self.deal.answer(question.seat, fallback(question.legal, question.number))

    def _strike(self) -> None:
        self.player.strikes += 1
        if self.player.strikes >= STRIKES:
            self._forfeit(f"{STRIKES} questions without an answer of its own")

    def _forfeit(self, why: str) -> None:
        """From the next question on the house plays."""
        if not self.player.forfeited:
            self.player.forfeited = True
            last = self.player.faults[-1]
            reason = f"{last.reason}; the house plays on: {why}"
            self.player.faults[-1] = replace(last, consequence=Consequence.STAND_IN, reason=reason)

    def _fault(
        self,
        kind: Kind,
        clause: str,
        reason: str,
        consequence: Consequence,
        answer: str,
        measured_s: float | None = None,
    ) -> None:
        deal, question = self.deal, self.request.question
        trick = len(deal.tricks) if deal.seats else None
        measured = trio.current_time() - self.started if measured_s is None else measured_s
        self.player.faults.append(
            Fault(
                question.seat, deal.number, trick, self.request.decision, kind, question.ask.value,
                clause, reason, consequence, answer[:200], self.limit_s, measured,
            )
        )  # fmt: skip


def _written(faces: Sequence[Card]) -> str:
    """The beginning of an answer as it is noted, whatever is in it."""
    return " ".join([c.name(face) if 0 <= face < c.FACES else str(face) for face in faces[:20]])
