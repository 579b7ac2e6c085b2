"""The hot path of the wire: one question to bytes.

A serialised message is the concatenation of its fields, so a question is put together from pieces: what all seats of a
table have in common is kept as bytes and grows with the deal, and only what belongs to the seat that is asked is made
anew. `wire.question_message` says what has to come out. In the same way frames may be joined: their concatenation is
one frame with all their messages.
"""

from functools import lru_cache
from math import floor  # of a time that is never negative; `int` takes twice as long
from typing import Final

from google.protobuf.descriptor import Descriptor

from arena.gateway import wire
from arena.gateway.wire import VALUES, packed
from arena.rules.cards import Card, Cards
from arena.rules.deal import Ask
from arena.rules.match import Match
from arena.rules.settle import Settlement
from arena.rules.tricks import ALL_ROTATIONS, Trick
from arena.rules.view import View
from arena.seat import DealOver, MatchOver, Rejection, Request, Start
from arena.v1 import arena_pb2 as pb


def frame(message: pb.ArenaMessage) -> bytes:
    """A frame with one message."""
    return pb.ArenaFrame(messages=[message]).SerializeToString()


def goodbye(status: int, reason: str) -> bytes:
    """The frame that ends a call which we have made."""
    return frame(pb.ArenaMessage(goodbye=pb.Goodbye(status=status, reason=reason)))


def rejection(rejection: Rejection) -> bytes:
    """A frame that says why an answer does not count."""
    return frame(pb.ArenaMessage(rejection=wire.rejection_message(rejection)))


_LIMIT: Final = 1 << 14  # what two bytes of a varint hold


def _varint(number: int) -> bytes:
    """A number as protobuf writes it, seven bits a byte."""
    if number < 0x80:
        return bytes((number,))
    return bytes((number & 0x7F | 0x80,)) + _varint(number >> 7)


_SIZES: Final = tuple(_varint(size) for size in range(_LIMIT))  # a question has a few hundred bytes, 2,000 at most
_LOW: Final = tuple(bytes((low & 0x7F | 0x80, low >> 7 | 0x80)) for low in range(_LIMIT))  # where more bits follow
_WIRE: Final = bytes(VALUES).ljust(256, b"\0")  # `bytes.translate` makes cards the wire's values with it


def _number(number: int) -> bytes:
    """As `_varint`, fourteen bits at once: a time in microseconds, or a decision."""
    if number < _LIMIT:
        return _SIZES[number]
    high = number >> 14
    return _LOW[number & _LIMIT - 1] + (_SIZES[high] if high < _LIMIT else _number(high))


def _tag(message: Descriptor, field: str, *, sized: bool = True) -> bytes:
    """What a field begins with: one that has a size, or a number."""
    return _varint(message.fields_by_name[field].number << 3 | (2 if sized else 0))


_MESSAGES: Final = _tag(pb.ArenaFrame.DESCRIPTOR, "messages")
_QUESTION: Final = _tag(pb.ArenaMessage.DESCRIPTOR, "question")
_DEAL_END: Final = _tag(pb.ArenaMessage.DESCRIPTOR, "deal_end")
_PLAYED: Final = _tag(pb.DealEnd.DESCRIPTOR, "tricks")
_DECISION: Final = _tag(pb.Question.DESCRIPTOR, "decision", sized=False)
_LEGAL: Final = _tag(pb.Question.DESCRIPTOR, "legal")
_CLOCK: Final = _tag(pb.Question.DESCRIPTOR, "clock")
_VIEW: Final = _tag(pb.Question.DESCRIPTOR, "view")
_LEFT: Final = _tag(pb.Clock.DESCRIPTOR, "left_us", sized=False)
_BANK: Final = _tag(pb.Clock.DESCRIPTOR, "bank_us", sized=False)
_CHARGED: Final = _tag(pb.Clock.DESCRIPTOR, "last_charged_us", sized=False)
_CREDIT: Final = _tag(pb.Clock.DESCRIPTOR, "last_credit_us", sized=False)
_HAND: Final = _tag(pb.View.DESCRIPTOR, "hand")
_HAND_SIZES: Final = _tag(pb.View.DESCRIPTOR, "hand_sizes")
_PASSED: Final = _tag(pb.View.DESCRIPTOR, "passed")
_RECEIVED: Final = _tag(pb.View.DESCRIPTOR, "received")
_PICKED_UP: Final = _tag(pb.View.DESCRIPTOR, "picked_up")
_DISCARDED: Final = _tag(pb.View.DESCRIPTOR, "discarded")
_DRAWN: Final = _tag(pb.View.DESCRIPTOR, "drawn")
_TRICKS: Final = _tag(pb.View.DESCRIPTOR, "tricks")
_TRICK: Final = _tag(pb.View.DESCRIPTOR, "trick")
_CARDS: Final = _tag(pb.Trick.DESCRIPTOR, "cards")
_TAGS: Final = len(_LEGAL + _VIEW)  # bytes, as the following
_COUNT: Final = 1  # that says how many cards follow


def _sized(content: bytes) -> bytes:
    """The content after its size."""
    return _SIZES[len(content)] + content


@lru_cache(maxsize=1024)
def _begun(leader: int, winner: int | None, cards: int) -> bytes:
    """Of a trick, after its size: who led it and who took it, and what is put in front of so many cards."""
    said = pb.Trick(leader=leader, winner_plus_one=0 if winner is None else winner + 1).SerializeToString()
    if cards:
        said += _CARDS + _SIZES[cards]
    return _SIZES[len(said) + cards] + said


def _trick(trick: Trick) -> bytes:
    """A trick after its size."""
    if trick.drawn:
        return _sized(wire.trick_message(trick).SerializeToString())
    cards = trick.cards
    return _begun(trick.leader, trick.winner, len(cards)) + bytes(cards).translate(_WIRE)


@lru_cache(maxsize=1024)
def _asked(seat: int, ask: Ask, number: int) -> bytes:
    """Of a question: who is asked for what, and for how many cards."""
    return pb.Question(seat=seat, ask=wire.ASKS[ask], count=number).SerializeToString()


_PLAY: Final = Ask.PLAY
_SEATS: Final = range(len(ALL_ROTATIONS))
_PLAYS: Final = tuple(_asked(seat, Ask.PLAY, 1) + _CLOCK for seat in _SEATS)  # nearly all questions, by seat
_BEGUN: Final = tuple(tuple(_TRICK + _begun(leader, None, cards) for cards in _SEATS) for leader in _SEATS)


@lru_cache(maxsize=256)
def _facts(rest_size: int, hearts_open: bool) -> bytes:
    """Of a deal, what changes as it goes on, beside its tricks."""
    return pb.View(rest_size=rest_size, hearts_open=hearts_open).SerializeToString()


def _private(view: View) -> bytes:
    """What the seat alone has seen, beside its hand."""
    known = (
        (_PASSED, packed(view.passed)),
        (_RECEIVED, packed(view.received)),
        (_PICKED_UP, packed(view.picked_up)),
        (_DISCARDED, packed(view.discarded)),
        (_DRAWN, bytes(view.drawn).translate(_WIRE)),
    )
    return b"".join([tag + _sized(cards) for tag, cards in known if cards])


_legal: Final = lru_cache(maxsize=1 << 14)(packed)  # mostly a few cards of the suit led, which come again


class TableEncoder:
    """Frames for the seats of one table. What it sends of a deal is taken from views only."""

    __slots__ = (
        "_bank",
        "_bank_s",
        "_dealer",
        "_deals",
        "_head",
        "_hearts_open",
        "_increment",
        "_kept",
        "_left",
        "_left_s",
        "_match",
        "_number",
        "_over",
        "_over_frame",
        "_private",
        "_public",
        "_public_size",
        "_rest_size",
        "_scored",
        "_scored_size",
        "_settled",
        "_table",
        "_tricks",
    )

    def __init__(self, table: int) -> None:
        """For that table; nothing is known of its match."""
        self._table = table
        # the match: its name and rules, and what changes between deals only
        self._match: Match | None = None
        self._settled = False  # in chips
        self._head = b""
        self._increment = b""
        self._deals = -1
        self._scored = b""  # the head with the score, up to the decision
        self._scored_size = 0  # bytes
        # times of the last question, which mostly come again
        self._left_s = self._bank_s = -1.0
        self._left = self._bank = b""
        # the deal, as everybody knows it
        self._number = self._dealer = -1
        self._kept = b""  # what is so from its start, and the finished tricks
        self._tricks: tuple[Trick, ...] = ()
        self._rest_size = -1
        self._hearts_open = False
        self._public = b""  # all of this, up to the number of cards in each hand
        self._public_size = 0  # bytes, with these numbers
        # by seat, what it alone knows beside its hand; the same for most of a deal
        self._private: dict[int, tuple[tuple[Cards, Cards, Cards, Cards, tuple[Card, ...]], bytes]] = {}
        self._over: DealOver | None = None
        self._over_frame = b""

    def question(self, match_id: str, request: Request, left_s: float) -> bytes:
        """A frame with the question of ``request``, to be answered within ``left_s``."""
        view, match, clock = request.view, request.match, request.clock
        seat, ask, legal_cards, count = request.question
        if match is not self._match:
            self._new_match(match_id, request)
        if match.deals != self._deals:
            self._new_score(match)
        (
            _, number, dealer, _, hand_cards, passed, received, picked_up, discarded, drawn,
            tricks, leader, trick, trick_drawn, hand_sizes, rest_size, hearts_open,
        ) = view  # fmt: skip
        # The view's public part is brought up to date; most of it is there already.
        if number != self._number or dealer != self._dealer:
            self._new_deal(view)
        if tricks is not self._tricks or rest_size != self._rest_size or hearts_open is not self._hearts_open:
            self._go_on(view)
        private = (passed, received, picked_up, discarded, drawn)
        known = self._private.get(seat)
        if known is None or known[0] != private:
            known = self._private[seat] = private, _private(view) + _HAND
        if leader < 0:
            current = b""  # before the first lead
        elif trick_drawn:
            current = _TRICK + _trick(Trick(leader, trick, None, trick_drawn))
        elif not trick:
            current = _BEGUN[leader][0]
        else:
            current = _BEGUN[leader][len(trick)] + bytes(trick).translate(_WIRE)
        hand = packed(hand_cards)
        legal = hand if legal_cards == hand_cards else _legal(legal_cards)
        if left_s != self._left_s:
            self._left_s = left_s
            self._left = self._increment + _LEFT + _number(floor(left_s * 1e6))
        if clock.bank_s != self._bank_s:
            self._bank_s = clock.bank_s
            self._bank = _BANK + _number(floor(clock.bank_s * 1e6))
        left, bank, public, own, scored = self._left, self._bank, self._public, known[1], self._scored
        charged, credit = floor(clock.last_charged_s * 1e6), floor(clock.last_credit_s * 1e6)
        spent = _CHARGED + _number(charged) if charged else b""
        if credit:
            spent += _CREDIT + _number(credit)
        who = _PLAYS[seat] if ask is _PLAY else _asked(seat, ask, count) + _CLOCK
        decision = _number(request.decision)
        # Nothing is joined before the end: a message's size is the sum of what it is made of.
        times = len(left) + len(bank) + len(spent)
        times_size = _SIZES[times]
        seen = self._public_size + len(current) + len(own) + _COUNT + len(hand)
        seen_size = _SIZES[seen]
        question = (
            self._scored_size + len(decision) + len(who) + len(times_size) + times
            + _TAGS + _COUNT + len(legal) + len(seen_size) + seen
        )  # fmt: skip
        size = _SIZES[question]
        return b"".join((
            _MESSAGES, _SIZES[1 + len(size) + question], _QUESTION, size, scored, decision, who,
            times_size, left, bank, spent, _LEGAL, _SIZES[len(legal)], legal,
            _VIEW, seen_size, public, bytes(hand_sizes), current, own, _SIZES[len(hand)], hand,
        ))  # fmt: skip

    def _new_match(self, match_id: str, request: Request) -> None:
        """A match of which nothing is known yet."""
        match = self._match = request.match
        head = pb.Question(table=self._table, match=match_id, rules=wire.rules_message(match.rules))
        self._head = head.SerializeToString()
        self._deals = -1
        increment = pb.Clock(increment_us=wire.micros(request.clock.control.increment_s))
        self._increment = increment.SerializeToString()
        self._left_s = -1.0
        self._number = -1

    def _new_score(self, match: Match) -> None:
        """The score as it is now."""
        self._deals = match.deals
        self._scored = self._head + pb.Question(score=wire.score_message(match)).SerializeToString() + _DECISION
        self._scored_size = len(self._scored)

    def _new_deal(self, view: View) -> None:
        """A deal of which nothing is known yet."""
        self._number, self._dealer = view.number, view.dealer
        self._tricks = ()
        self._rest_size = -1  # to be gone on with
        direction = view.rules.passing.direction(view.number).value
        self._kept = pb.View(deal=view.number, dealer=view.dealer, direction=direction).SerializeToString()

    def _go_on(self, view: View) -> None:
        """Add the tricks that were finished since; if it is another deal after all, all of them."""
        tricks, kept = view.tricks, len(self._tricks)
        if tricks[:kept] != self._tricks:
            self._new_deal(view)
            kept = 0
        self._kept += b"".join([_TRICKS + _trick(trick) for trick in tricks[kept:]])
        self._tricks = tricks
        self._rest_size, self._hearts_open = view.rest_size, view.hearts_open
        hands = len(view.hand_sizes)
        self._public = self._kept + _facts(self._rest_size, self._hearts_open) + _HAND_SIZES + _SIZES[hands]
        self._public_size = len(self._public) + hands

    def start(self, start: Start) -> bytes:
        """A frame that tells a seat that its match begins or goes on, with the score as it is now."""
        self._settled = start.rules.variant.settlement is not Settlement.NONE
        return frame(
            pb.ArenaMessage(
                match_start=pb.MatchStart(
                    table=self._table,
                    match=start.match_id,
                    seat=start.seat,
                    names=start.names,
                    rules=wire.rules_message(start.rules),
                    score=wire.score_message(start.match),
                )
            )
        )

    def deal_over(self, over: DealOver) -> bytes:
        """A frame that tells how a deal ended: public, so that the seats of the table get the same bytes."""
        told = self._over
        if (
            told is None
            or told.match is not over.match
            or (told.number, told.points, told.moon) != (over.number, over.points, over.moon)
            or told.stopped != over.stopped
            or told.view.tricks != over.view.tricks
        ):
            self._over = over
            head = pb.DealEnd(
                table=self._table,
                deal=over.number,
                points=over.points,
                moon_plus_one=0 if over.moon is None else over.moon + 1,
                stopped_plus_one=0 if over.stopped is None else over.stopped + 1,
                score=wire.score_message(over.match),
            )
            tricks = [_PLAYED + _trick(trick) for trick in over.view.tricks]
            end = _DEAL_END + _sized(head.SerializeToString() + b"".join(tricks))
            self._over_frame = _MESSAGES + _sized(end)
        return self._over_frame

    def match_over(self, over: MatchOver) -> bytes:
        """A frame that tells how the match ended."""
        return frame(
            pb.ArenaMessage(
                match_end=pb.MatchEnd(
                    table=self._table,
                    totals=over.totals,
                    places=over.places,
                    chips=[str(chips) for chips in over.chips] if self._settled else [],
                    forfeited=over.forfeited,
                )
            )
        )
