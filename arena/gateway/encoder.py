"""The hot path of the wire: one question to bytes.

A serialised message is the concatenation of its fields, so a question is put together from pieces: what all seats of a
table have in common is kept as bytes and grows with the deal, and only what belongs to the seat that is asked is made
anew. `wire.question_message` says what has to come out. In the same way frames may be joined: their concatenation is
one frame with all their messages.
"""

from functools import lru_cache
from typing import Final

from google.protobuf.descriptor import Descriptor

from arena.gateway import wire
from arena.gateway.wire import VALUES, packed
from arena.rules.cards import Card, Cards
from arena.rules.match import Match
from arena.rules.settle import Settlement
from arena.rules.tricks import Trick
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


def _varint(number: int) -> bytes:
    """A number as protobuf writes it, seven bits a byte."""
    if number < 0x80:
        return bytes((number,))
    return bytes((number & 0x7F | 0x80,)) + _varint(number >> 7)


_SIZES: Final = tuple(_varint(size) for size in range(1 << 14))  # a question has a few hundred bytes, 2,000 at most
_BYTES: Final = tuple(bytes((value,)) for value in VALUES)  # by card


def _tag(message: Descriptor, field: str) -> bytes:
    """What a field that has a size begins with."""
    return _varint(message.fields_by_name[field].number << 3 | 2)


_MESSAGES: Final = _tag(pb.ArenaFrame.DESCRIPTOR, "messages")
_QUESTION: Final = _tag(pb.ArenaMessage.DESCRIPTOR, "question")
_DEAL_END: Final = _tag(pb.ArenaMessage.DESCRIPTOR, "deal_end")
_PLAYED: Final = _tag(pb.DealEnd.DESCRIPTOR, "tricks")
_LEGAL: Final = _tag(pb.Question.DESCRIPTOR, "legal")
_VIEW: Final = _tag(pb.Question.DESCRIPTOR, "view")
_HAND: Final = _tag(pb.View.DESCRIPTOR, "hand")
_HAND_SIZES: Final = _tag(pb.View.DESCRIPTOR, "hand_sizes")
_TRICKS: Final = _tag(pb.View.DESCRIPTOR, "tricks")
_TRICK: Final = _tag(pb.View.DESCRIPTOR, "trick")
_CARDS: Final = _tag(pb.Trick.DESCRIPTOR, "cards")


def _size(content: bytes) -> bytes:
    """What is put in front of it."""
    return _SIZES[len(content)]


def _sized(content: bytes) -> bytes:
    """The content after its size."""
    return _SIZES[len(content)] + content


@lru_cache(maxsize=128)
def _seats(leader: int, winner: int | None) -> bytes:
    """Of a trick: who led it and who took it."""
    return pb.Trick(leader=leader, winner_plus_one=0 if winner is None else winner + 1).SerializeToString()


def _trick(trick: Trick) -> bytes:
    """A trick after its size."""
    if trick.drawn:
        return _sized(wire.trick_message(trick).SerializeToString())
    cards = b"".join([_BYTES[card] for card in trick.cards])
    return _sized(_seats(trick.leader, trick.winner) + _CARDS + _SIZES[len(cards)] + cards)


class TableEncoder:
    """Frames for the seats of one table. What it sends of a deal is taken from views only."""

    __slots__ = (
        "_cards",
        "_clock",
        "_deals",
        "_facts",
        "_facts_bytes",
        "_head",
        "_kept",
        "_match",
        "_number",
        "_over",
        "_over_frame",
        "_own",
        "_private",
        "_table",
        "_trick",
        "_tricks",
    )

    def __init__(self, table: int) -> None:
        """For that table; nothing is known of its match."""
        self._table = table
        # the match: rules, score and names
        self._match: Match | None = None
        self._deals = -1
        self._head = b""
        # the deal, as everybody knows it
        self._number = (-1, -1)  # of the deal, and its dealer
        self._kept = b""  # what is so from its start, and the finished tricks
        self._facts = (0, False)  # cards of the rest, whether hearts are open
        self._facts_bytes = b""
        self._tricks: tuple[Trick, ...] = ()
        self._trick: tuple[Card, ...] = ()  # on the table
        self._cards = b""  # the same
        # what each seat alone knows beside its hand; the same for most of a deal
        self._private: dict[tuple[Cards, Cards, Cards, Cards, tuple[Card, ...]], bytes] = {}
        self._own = pb.Question()
        self._clock = self._own.clock
        self._over: DealOver | None = None
        self._over_frame = b""

    def question(self, match_id: str, request: Request, left_s: float) -> bytes:
        """A frame with the question of ``request``, to be answered within ``left_s``."""
        own, view, match, asked, clock = self._own, request.view, request.match, request.question, request.clock
        if match is not self._match or match.deals != self._deals:
            self._new_match(match_id, request)
        public = self._public(view)
        own.decision = request.decision
        own.seat = asked.seat
        own.ask = wire.ASKS[asked.ask]
        own.count = asked.number
        kept = self._clock
        kept.left_us = wire.micros(left_s)
        kept.bank_us = int(clock.bank_s * 1e6)  # as `micros`, for what is never negative
        kept.last_charged_us = int(clock.last_charged_s * 1e6)
        kept.last_credit_us = int(clock.last_credit_s * 1e6)
        key = (view.passed, view.received, view.picked_up, view.discarded, view.drawn)
        private = self._private.get(key)
        if private is None:
            private = self._new_private(view, key)
        hand = packed(view.hand)
        legal = hand if asked.legal == view.hand else packed(asked.legal)
        join = b"".join
        seen = join((public, private, _HAND, _SIZES[len(hand)], hand))
        said = own.SerializeToString()
        question = join((self._head, said, _LEGAL, _SIZES[len(legal)], legal, _VIEW, _size(seen), seen))
        size = _size(question)
        return join((_MESSAGES, _SIZES[1 + len(size) + len(question)], _QUESTION, size, question))

    def _public(self, view: View) -> bytes:
        """The view's public part, brought up to date; most of it is there already."""
        if (view.number, view.dealer) != self._number:
            self._new_deal(view)
        if view.tricks is not self._tricks:
            self._extend_tricks(view)
        facts = (view.rest_size, view.hearts_open)
        if facts != self._facts:
            self._facts = facts
            self._facts_bytes = pb.View(rest_size=view.rest_size, hearts_open=view.hearts_open).SerializeToString()
        sizes = bytes(view.hand_sizes)
        return b"".join((self._kept, self._facts_bytes, _HAND_SIZES, _SIZES[len(sizes)], sizes, self._current(view)))

    def _current(self, view: View) -> bytes:
        """The trick on the table; nothing before the first lead."""
        if view.leader < 0:
            return b""
        if view.trick_drawn:
            return _TRICK + _trick(Trick(view.leader, view.trick, None, view.trick_drawn))
        trick, cards, kept = view.trick, self._cards, len(self._trick)
        if trick[:kept] == self._trick:
            for card in trick[kept:]:
                cards += _BYTES[card]
        else:
            cards = b"".join([_BYTES[card] for card in trick])
        self._trick = trick
        self._cards = cards
        return _TRICK + _sized(_seats(view.leader, None) + (_CARDS + _SIZES[len(cards)] + cards if cards else b""))

    def _new_match(self, match_id: str, request: Request) -> None:
        """The match, and the score, which changes between deals only."""
        match = self._match = request.match
        self._deals = match.deals
        head = pb.Question(
            table=self._table,
            match=match_id,
            rules=wire.rules_message(match.rules),
            score=wire.score_message(match),
        )
        self._head = head.SerializeToString()
        self._clock.increment_us = wire.micros(request.clock.control.increment_s)
        self._number = (-1, -1)

    def _new_deal(self, view: View) -> None:
        """A deal of which nothing is known yet."""
        self._number = (view.number, view.dealer)
        self._tricks = ()
        direction = view.rules.passing.direction(view.number).value
        self._kept = pb.View(deal=view.number, dealer=view.dealer, direction=direction).SerializeToString()
        self._private.clear()

    def _extend_tricks(self, view: View) -> None:
        """Add the tricks that were finished since; if it is another deal after all, all of them."""
        tricks, kept = view.tricks, len(self._tricks)
        if tricks[:kept] != self._tricks:
            self._new_deal(view)
            kept = 0
        self._kept += b"".join([_TRICKS + _trick(trick) for trick in tricks[kept:]])
        self._tricks = tricks

    def _new_private(self, view: View, key: tuple[Cards, Cards, Cards, Cards, tuple[Card, ...]]) -> bytes:
        """What the seat alone has seen, beside its hand."""
        private = self._private[key] = pb.View(
            passed=wire.values(view.passed),
            received=wire.values(view.received),
            picked_up=wire.values(view.picked_up),
            discarded=wire.values(view.discarded),
            drawn=[VALUES[card] for card in view.drawn],
        ).SerializeToString()
        return private

    def start(self, start: Start) -> bytes:
        """A frame that tells a seat that its match begins or goes on, with the score as it is now."""
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
        settled = self._match is not None and self._match.rules.variant.settlement is not Settlement.NONE
        return frame(
            pb.ArenaMessage(
                match_end=pb.MatchEnd(
                    table=self._table,
                    totals=over.totals,
                    places=over.places,
                    chips=[str(chips) for chips in over.chips] if settled else [],
                    forfeited=over.forfeited,
                )
            )
        )
