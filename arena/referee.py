"""One question, one clock, one answer or fault.

The ladder: an answer that the rules forbid is explained and may be corrected once on the same clock; uncorrected it
is a revoke (G8). An answer that does not come in time is replaced by the fallback. The third strike, an empty bank,
spent grace or a second stopped deal end the bot's right to play: the house plays the seat to the end of the match.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import trio

from arena import house
from arena.clock import Clock, TimeControl
from arena.fault import Consequence, Fault, Kind
from arena.rules import cards as c
from arena.rules.cards import Card
from arena.rules.clauses import CLAUSES
from arena.rules.deal import Deal, IllegalAnswer, MalformedAnswer, Question
from arena.rules.match import Match
from arena.rules.variant import fallback
from arena.rules.view import view
from arena.seat import OpenRequest, Reason, Rejection, Seat

TRIES = 2  # answers to one question
STRIKES = 3  # unanswered questions until the seat is lost
STOPS = 2  # stopped deals until the seat is lost
HANDED_S = 0.02  # the most that a question takes from being put until the transport has it; else the arena is late
LOOK_S = 0.05  # a clock that stands still is looked at no more often than this


class Policy(Enum):
    """What becomes of an illegal answer that is not corrected."""

    REVOKE = "stop"  # the deal stops at once and costs every penalty point (G8)
    SUBSTITUTE = "substitute"  # the fallback is played


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

    async def settle(self, deal: Deal, players: Sequence[Player], match: Match) -> None:
        """Put every question of the deal until it is complete, by its end or by a revoke.

        Returns within the seats' time, however the players behave.
        """
        hearing = Hearing(self, deal, players, match)
        try:
            hearing.go_on()
            while not hearing.over:
                await hearing.wait()
                hearing.expire()
        finally:
            hearing.open.clear()  # where the table is given up, nobody is listened to any more
        if hearing.error is not None:
            raise hearing.error


class Hearing:
    """The open questions of a deal: all of a pass at once, then one after the other, with one timer for all.

    An answer is heard where it was read, and the next question put, without waking the table's task: that costs more
    than everything else about a question. The task has to do with time only, and with the end.
    """

    __slots__ = (
        "_now", "_players", "_putting", "_revoked", "_rings_at", "_task", "deal", "error", "match", "open", "referee",
    )  # fmt: skip

    def __init__(self, referee: Referee, deal: Deal, players: Sequence[Player], match: Match) -> None:
        """Nothing is asked yet."""
        self.referee = referee
        self.deal = deal
        self.match = match
        self.open: list[Asked] = []
        self.error: Exception | None = None  # ours
        self._now = trio.lowlevel.current_clock().current_time
        self._players = players
        self._putting = False
        self._revoked: list[int] = []  # seats
        self._task: trio.lowlevel.Task | None = None  # that waits …
        self._rings_at = math.inf  # … until then at the most

    @property
    def over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.deal.complete or self.error is not None

    def go_on(self) -> None:
        """Put what there is to be asked, until somebody has to be waited for or the deal is complete.

        While cards are passed everybody is heard before a revoke stops the deal, so that it does not matter who was
        first; of several, the first in seat order has stopped it.
        """
        deal, players = self.deal, self._players
        self._putting = True  # a seat that answers while it is asked does not lead here again
        while not self.open and not deal.complete:
            if self._revoked:
                deal.stop(min(self._revoked))
                break
            for question in deal.pending():
                player = players[question.seat]
                if player.forfeited:
                    deal.answer(question.seat, house.choose(question, view(deal, question.seat)))
                else:
                    self._put(question, player)
        self._putting = False

    def _put(self, question: Question, player: Player) -> None:
        """A question, whose clock runs from now on."""
        referee, clock, seat, now = self.referee, player.clock, player.seat, self._now
        lag_s = referee.lag_s
        started = now()
        limit_s = clock.left_s()
        credit_s = seat.latency_s()
        if credit_s > clock.control.credit_s:
            credit_s = clock.control.credit_s
        deadline = started + limit_s + credit_s
        asked = Asked(
            next(referee.decisions), question, view(self.deal, question.seat), self.match, clock, started, limit_s,
            seat.away_s(), None, None, self, player, credit_s, deadline, deadline, lag_s(started),
        )  # fmt: skip
        self.open.append(asked)
        if clock.empty():
            asked.pass_over()
            return
        if deadline < self._rings_at:
            self._wake()
        seat.ask(asked)

    def settled(self, asked: "Asked", *, revoked: bool) -> None:
        """A question has been answered in the deal, or its seat has revoked."""
        self.open.remove(asked)
        if revoked:
            self._revoked.append(asked.question.seat)

    def heard(self) -> None:
        """Somebody has been heard, for whose answer the table's task was not woken."""
        if not self.open and not self._putting:
            self.go_on()
            if self.deal.complete:
                self._wake()

    def fail(self, error: Exception) -> None:
        """It went wrong outside the table's task, in which it is to be raised."""
        self.error = error
        self._wake()

    def expire(self) -> None:
        """In the table's task: those whose time is over are not waited for."""
        if self.error is None:
            for asked in tuple(self.open):
                asked.expire()
            self.go_on()

    async def wait(self) -> None:
        """In the table's task: until there is nothing more to wait for, or somebody's time may be over.

        One timer serves all questions. It is wound up again where it rings before the time of those that are open, and
        where a question has less time than the one that it was set for.
        """
        self._rings_at = min(asked.wake_at for asked in self.open)
        with trio.CancelScope(deadline=self._rings_at):
            self._task = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._give_up)

    def _give_up(self, _raise_cancel: object) -> trio.lowlevel.Abort:
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED

    def _wake(self) -> None:
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task = None


@dataclass(slots=True, eq=False)
class Asked(OpenRequest):
    """A question under way."""

    hearing: Hearing
    player: Player
    credit_s: float  # for the network, as it was known when the question was put
    deadline: float
    wake_at: float  # when to see whether it is over; the deadline, or later where the clock has stood still
    lag_before_s: float
    tries: int = TRIES
    excused_s: float = 0.0  # that the deadline has been moved by

    def hear(self, faces: tuple[Card, ...], at: float, malformed: str = "") -> None:
        """An answer has come: it is entered in the deal, or refused, or too late."""
        hearing = self.hearing
        if self not in hearing.open:
            return  # the table has been given up
        try:
            if at > self.deadline and at > self._moved(at):
                self._time_over(at)
            else:
                self._judge(faces, at, malformed)
            hearing.heard()
        except Exception as error:  # noqa: BLE001  ours, and not for who has read the answer
            hearing.fail(error)

    def _judge(self, faces: tuple[Card, ...], at: float, malformed: str) -> None:
        """Enter the answer in the deal, or say what is wrong with it."""
        hearing = self.hearing
        try:
            if malformed:
                raise MalformedAnswer(malformed)  # noqa: TRY301  one ladder for both ways to be malformed
            hearing.deal.answer(self.question.seat, faces)
        except IllegalAnswer as error:
            message = f"{error.clause}: {CLAUSES[error.clause]}"
            self._refuse(faces, at, Kind.ILLEGAL, Reason.ILLEGAL, error.clause, message)
            return
        except MalformedAnswer as error:
            self._refuse(faces, at, Kind.MALFORMED, Reason.MALFORMED, "", str(error))
            return
        self._charge(at)
        self.clock.reward()
        self.player.seat.close(self.decision, None)
        hearing.settled(self, revoked=False)

    def _refuse(
        self, faces: tuple[Card, ...], at: float, kind: Kind, reason: Reason, clause: str, message: str
    ) -> None:
        """Have it corrected, if that is still allowed."""
        self.tries -= 1
        consequence = Consequence.RETRY
        if not self.tries:
            stops = self.hearing.referee.policy is Policy.REVOKE
            consequence = Consequence.STOPPED if stops else Consequence.FALLBACK
        self._fault(kind, clause, message, consequence, _written(faces), at)
        legal = self.question.legal if self.tries else 0
        rejection = self.rejection = Rejection(self.decision, reason, clause, message, legal, self.tries)
        if rejection.tries:
            self.player.seat.retry(rejection)
            return
        self._charge(at)
        self.player.seat.close(self.decision, rejection)
        self._lose()

    def expire(self) -> None:
        """See whether the time is over. After a refused answer it is a revoke that was not corrected."""
        now = trio.current_time()
        if now < self.deadline or now < self._moved(now):
            # A connection that is lost just before the deadline moves it on by as little, again and again.
            self.wake_at = max(self.deadline, now + LOOK_S) if self.excused_s else self.deadline
        else:
            self._time_over()

    def pass_over(self) -> None:
        """The bank is empty: nothing is asked."""
        self._time_over(asked=False)

    def _time_over(self, came_at: float | None = None, *, asked: bool = True) -> None:
        """The consequences; an answer that came then was too late. Where the bank is empty, nothing was asked."""
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
        stops = refused is not None and self.hearing.referee.policy is Policy.REVOKE
        consequence = Consequence.STOPPED if stops else Consequence.FALLBACK
        self._fault(Kind.UNREACHABLE if away > 0 else Kind.TIMEOUT, "", message, consequence, "", came_at)
        if asked:
            seat.close(self.decision, Rejection(self.decision, Reason.LATE, "", message, 0, 0))
        if spent or player.clock.empty():
            self._forfeit("the grace is spent" if spent else "the bank is empty")
        if refused is not None:
            self._lose()
            return
        self._strike()
        self._fall_back()

    def _lose(self) -> None:
        """An illegal answer that was not corrected."""
        self._strike()
        if self.hearing.referee.policy is Policy.SUBSTITUTE:
            self._fall_back()
            return
        self.player.stops += 1
        if self.player.stops >= STOPS:
            self._forfeit(f"{STOPS} deals stopped by revokes")
        self.hearing.settled(self, revoked=True)

    def _moved(self, now: float) -> float:
        """The deadline, moved for a connection lost within the grace and for what the arena itself was late."""
        away = min(self.player.seat.away_s() - self.away_before_s, self.clock.grace_s)
        excused = away + self.hearing.referee.lag_s(now) - self.lag_before_s
        if excused > self.excused_s:
            self.deadline += excused - self.excused_s
            self.excused_s = excused
        return self.deadline

    def _charge(self, at: float) -> None:
        """Charge the time of an answer, less what the arena lost and what grace covers."""
        # From when it was handed to the transport, for the first time: on another connection it is sent again.
        sent_at, started, lag_s = self.sent_at, self.started, self.hearing.referee.lag_s
        if sent_at is None:
            sent_at = started
        elif sent_at > started + HANDED_S:
            sent_at = started + HANDED_S
        elapsed_s = at - sent_at
        player = self.player
        clock = player.clock
        away = player.seat.away_s() - self.away_before_s
        if away > 0:
            if away > clock.grace_s:
                away = clock.grace_s
            clock.grace_s -= away
            elapsed_s -= away
        elapsed_s -= lag_s(at) - self.lag_before_s
        player.thinking_s.append(clock.charge(elapsed_s if elapsed_s > 0 else 0.0, self.credit_s))

    def _fall_back(self) -> None:
        question = self.question
        self.hearing.deal.answer(question.seat, fallback(question.legal, question.number))
        self.hearing.settled(self, revoked=False)

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
        came_at: float | None,
    ) -> None:
        deal, question, now, started = self.hearing.deal, self.question, trio.current_time(), self.started
        trick = len(deal.tricks) if deal.seats else None
        self.player.faults.append(
            Fault(
                question.seat, deal.number, trick, self.decision, kind, question.ask.value,
                clause, reason, consequence, answer[:200], self.limit_s,
                now - started,
                None if self.sent_at is None else self.sent_at - started,
                None if came_at is None else max(0.0, came_at - started),  # a guess may come before
                self.hearing.referee.lag_s(now) - self.lag_before_s,
                None if came_at is None else self.player.seat.thought_s(),
            )
        )  # fmt: skip


def _written(faces: Sequence[Card]) -> str:
    """The beginning of an answer as it is noted, whatever is in it."""
    return " ".join([c.name(face) if 0 <= face < c.FACES else str(face) for face in faces[:20]])
