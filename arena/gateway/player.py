"""A bot as the arena knows it: by name, across connections. Its seats at tables are what the referee asks."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from arena.gateway import encoder, wire
from arena.gateway.encoder import TableEncoder
from arena.gateway.tape import Tape
from arena.rules.cards import Card
from arena.seat import DealOver, Late, MatchOver, OpenRequest, Reason, Rejection, Start

MISSED_KEPT: Final = 1024
"""How many decisions are remembered as closed by time, so that a late answer is told so."""


class Link(Protocol):
    """What a player needs of its connection. None of this waits."""

    def send(self, frame: bytes) -> None:
        """Hand a frame to the transport as soon as it is free."""
        ...

    def send_question(self, frame: bytes, request: OpenRequest) -> None:
        """As `send`, and note in ``request`` when that was."""
        ...

    def accepted(self, decision: int) -> None:
        """Tell with the next frame that an answer counts."""
        ...

    def latency_s(self) -> float:
        """The shortest time that a ping took, in seconds; 0 before the first."""
        ...


@dataclass(slots=True)
class Missed:
    """A question that was closed because its time was over."""

    started: float  # when it was put, in seconds
    tape: Tape | None  # where a late answer is noted
    late: Late | None = None  # the first one


class Presence(Enum):
    """Whether a bot can be given matches."""

    AWAY = "away"
    PLAYING = "playing"
    LEAVING = "leaving"


class Player:
    """A bot, by name. It is the same one after a reconnect, and so are its open decisions."""

    def __init__(self, name: str, now: Callable[[], float]) -> None:
        """Not connected yet."""
        self.name: Final = name
        self.now: Final = now
        self.presence = Presence.AWAY
        self.software = ""  # what it calls itself
        self.variants: tuple[str, ...] = ()  # that it plays; empty: whatever there is
        self.last_reason = "never connected"  # why it is away, one line
        self.link: Link | None = None
        self.pending: dict[int, PlayerSeat] = {}  # that are asked, by decision
        self.seats: dict[tuple[int, int], PlayerSeat] = {}  # in progress, by table and seat
        self.frame = b""  # that is read now, or was last
        self._declared = 0
        self._missed: dict[int, Missed] = {}  # by decision
        self.been_away_s = 0.0  # in earlier absences, all in all
        self.been_away_since: float | None = now()

    @property
    def connected(self) -> bool:
        """Whether it can be reached now."""
        return self.link is not None

    @property
    def tables(self) -> int:
        """At how many tables it may be at once; 0 when it is away or leaving."""
        return self._declared if self.presence is Presence.PLAYING else 0

    def away_s(self) -> float:
        """How long in all it has been out of reach, in seconds, now included."""
        since = self.been_away_since
        return self.been_away_s if since is None else self.been_away_s + self.now() - since

    def attach(self, link: Link, tables: int, software: str, variants: tuple[str, ...]) -> None:
        """It has connected (again): it gets its matches and open questions on the new link."""
        if self.been_away_since is not None:
            self.been_away_s += self.now() - self.been_away_since
            self.been_away_since = None
        self.link = link
        self.presence = Presence.PLAYING
        self._declared, self.software, self.variants = tables, software, variants
        for seat in self.seats.values():
            if seat.tape is not None:
                seat.tape.remark("the bot is connected")
            seat.send(seat.welcome())
        now = self.now()
        for seat in self.pending.values():
            seat.ask_again(link, now)

    def detach(self, link: Link, reason: str) -> bool:
        """The link has ended; False when another has replaced it before."""
        if self.link is not link:
            return False
        self.link = None
        for seat in self.seats.values():
            if seat.tape is not None:
                seat.tape.remark(f"the connection is lost: {reason}")
        self.presence = Presence.AWAY
        self.last_reason = reason
        self.been_away_since = self.now()
        return True

    def leave(self) -> bool:
        """It wants no new matches; False when that is known."""
        news = self.presence is Presence.PLAYING
        if news:
            self.presence = Presence.LEAVING
        return news

    def answer(self, decision: int, faces: tuple[Card, ...], malformed: str, now: float) -> Rejection | None:
        """An answer was read at ``now``. None: it is judged; else why it is not, which costs nothing."""
        seat = self.pending.get(decision)
        # A second answer in the same frame: nobody has been told yet what was wrong with the first.
        if seat is not None and seat.heard_at != now:
            seat.heard_at = now
            seat.answer = self.frame
            assert seat.request is not None, "that is what is answered"
            seat.request.hear(faces, now, malformed)
            return None
        missed = self._missed.get(decision)
        if missed is not None:
            if missed.late is None:
                missed.late = Late(now - missed.started, wire.thoughts(self.frame).get(decision))
            rejection = Rejection(decision, Reason.LATE, "", "the time was over", 0, 0)
            tape = missed.tape
            if tape is not None:
                tape.heard(self.frame, decision, now)
                tape.said(encoder.rejection(rejection))
            return rejection
        return Rejection(decision, Reason.STALE, "", "not open: answered already, or never asked", 0, 0)

    def remember_missed(self, decision: int, missed: Missed) -> None:
        """It was closed because the time was over."""
        self._missed[decision] = missed
        if len(self._missed) > MISSED_KEPT:
            del self._missed[next(iter(self._missed))]

    def late(self, decision: int) -> Late | None:
        """The first answer that came when the time was over; None: none, or too long ago."""
        missed = self._missed.get(decision)
        return None if missed is None else missed.late


class PlayerSeat:
    """A player's seat at one table: what the referee talks to (`arena.seat.Seat`)."""

    __slots__ = (
        "_away_before_s", "_encoder", "_index", "_start", "_table",
        "answer", "heard_at", "player", "request", "tape",
    )  # fmt: skip

    def __init__(self, player: Player, table: int, index: int, encoder: TableEncoder, tape: Tape | None = None) -> None:
        """``encoder`` is shared by the seats of the table; ``tape`` is where its traffic is noted."""
        self.player: Final = player
        self._table: Final = table
        self._index: Final = index
        self._encoder: Final = encoder
        self.tape: Final = tape
        self._start: Start | None = None
        self.request: OpenRequest | None = None  # that is open
        self.heard_at = -math.inf  # when the frame with the last answer to it was read
        self.answer = b""  # that frame, until the answer is judged
        self._away_before_s = player.away_s()

    @property
    def name(self) -> str:
        """The bot's name."""
        return self.player.name

    @property
    def number(self) -> int:
        """The seat at the table, known from the start of the match."""
        assert self._start is not None, "the match has not begun"
        return self._start.seat

    def _question(self, request: OpenRequest, left_s: float, now: float) -> bytes:
        """The frame with the open question, to be sent."""
        assert self._start is not None, "the match has not begun"
        frame = self._encoder.question(self._start.match_id, request, left_s)
        if self.tape is not None:
            self.tape.asked(frame, request.decision, now)
        return frame

    def welcome(self) -> bytes:
        """The frame that says where the bot sits."""
        assert self._start is not None, "a seat is listed when its match starts"
        return self._encoder.start(self._start)

    def start(self, start: Start) -> None:
        """Tell that the match begins."""
        self._start = start
        self._away_before_s = self.player.away_s()
        self.player.seats[self._table, self._index] = self
        self.send(self.welcome())

    def ask(self, request: OpenRequest) -> None:
        """Put the question, on every connection that there is before it is closed."""
        player = self.player
        self.request = request
        self.heard_at = -math.inf
        player.pending[request.decision] = self
        link = player.link
        if link is not None:
            link.send_question(self._question(request, request.limit_s, request.started), request)

    def ask_again(self, link: Link, now: float) -> None:
        """Put the open question on another connection, with the time that is left, grace included."""
        request = self.request
        assert request is not None, "nothing is asked"
        excused = min(self.away_s() - request.away_before_s, request.clock.grace_s)
        # a microsecond at least, as it is still open
        left_s = max(request.limit_s - (now - request.started - excused), 1e-6)
        frame = self._question(request, left_s, now)
        if request.sent_at is not None:  # its time counts from then
            link.send(frame)
        else:
            link.send_question(frame, request)
        if request.rejection is not None:
            self.send(encoder.rejection(request.rejection))

    def retry(self, rejection: Rejection) -> None:
        """Say why the answer does not count, and that another may be given."""
        self._note_answer(rejection.decision)
        self.send(encoder.rejection(rejection))

    def _note_answer(self, decision: int) -> None:
        """On the tape, if one has just been heard, before what comes of it."""
        answer, self.answer = self.answer, b""
        if answer and self.tape is not None:
            self.tape.heard(answer, decision, self.heard_at)

    def close(self, decision: int, rejection: Rejection | None) -> None:
        """The question is closed: answered (None), or without a valid answer, for the reason given."""
        player, request = self.player, self.request
        assert request is not None, "nothing is asked"
        link, tape = player.link, self.tape
        del player.pending[decision]
        self.request = None
        if rejection is None and link is not None:
            link.accepted(decision)
            if tape is not None:
                tape.accepted(self.answer, decision, self.heard_at, request.sent_at)
            self.answer = b""
            return
        self._note_answer(decision)
        if rejection is None:
            return
        if rejection.reason is Reason.LATE:
            player.remember_missed(decision, Missed(request.started, tape))
        if link is not None:
            frame = encoder.rejection(rejection)
            link.send(frame)
            if tape is not None:
                tape.refused(frame, decision, request.sent_at)

    def deal_over(self, over: DealOver) -> None:
        """Tell how a deal ended."""
        if self.player.link is not None:
            self.send(self._encoder.deal_over(over))

    def match_over(self, over: MatchOver) -> None:
        """Tell how the match ended; the player forgets the seat."""
        self.send(self._encoder.match_over(over))
        self.forget()

    def forget(self) -> None:
        """The table is gone, at the end of its match or without one."""
        if self.player.seats.get((self._table, self._index)) is self:
            del self.player.seats[self._table, self._index]
        if self.request is not None:
            self.player.pending.pop(self.request.decision, None)
            self.request = None

    def away_s(self) -> float:
        """How long in all the player has been out of reach since the start of the match, in seconds."""
        player = self.player
        away_s = player.away_s() if player.link is None else player.been_away_s
        return away_s - self._away_before_s

    def thought_s(self) -> float | None:
        """How long the bot says that it thought, in the answer that is heard now, in seconds; None: it does not say."""
        assert self.request is not None, "nothing is asked"
        return wire.thoughts(self.player.frame).get(self.request.decision)

    def late(self, decision: int) -> Late | None:
        """What has come too late to this question; None: nothing yet, or it was not remembered."""
        return self.player.late(decision)

    def latency_s(self) -> float:
        """The network's part of an answer's time as far as it is known, in seconds."""
        link = self.player.link
        return 0.0 if link is None else link.latency_s()

    def send(self, frame: bytes) -> None:
        """Where the bot is connected; else it is told when it comes back."""
        link = self.player.link
        if link is not None:
            link.send(frame)
            if self.tape is not None:
                self.tape.said(frame)
