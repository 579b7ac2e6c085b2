"""One deal, from the hands as dealt to the last trick.

The state is zones of cards, the same for every variant: hands, rest, trick, waiting, taken, discards. Their union is
always what was dealt. The axes of `Variant` say what moves where; no variant is named here.

A deal asks: `pending` gives every open question, `answer` closes one or refuses it and changes nothing.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.tricks import ALL_ROTATIONS, Trick, rotations
from arena.rules.variant import Opening, Rest, Rules, Stranded


class Ask(Enum):
    """What a seat may be asked for."""

    PASS = "pass"
    PLAY = "play"
    DISCARD = "discard"


class Question(NamedTuple):
    """An open question."""

    seat: int
    ask: Ask
    legal: Cards  # for a pass or a discard the whole hand
    number: int  # how many cards are asked for


class IllegalAnswer(Exception):  # noqa: N818  an answer is illegal, nothing is wrong with the program
    """An answer that the rules forbid. The deal is as it was before."""

    def __init__(self, clause: str, seat: int, card: Card | None, legal: Cards) -> None:
        """``card`` is the one at fault, None where the number is."""
        super().__init__(clause)
        self.clause = clause
        self.seat = seat
        self.card = card
        self.legal = legal


class MalformedAnswer(ValueError):  # noqa: N818
    """An answer to a question that is not open, or a play of a card that is not held, or of more than one."""


_PLAY = Ask.PLAY
_new = tuple.__new__  # once a play; the class's own takes twice as long
_CARDS = 2 * c.FACES


class Deal:
    """A deal in progress. Mutable; `copy` gives an independent one for searchers."""

    __slots__ = (
        "_bars", "_breakers", "_draws", "_led", "_must", "_opening", "_pass_count", "_pile", "_restricted",
        "_rotations", "_rule", "ask", "complete", "dealer", "dealt", "discarder", "discards", "drawn", "drawn_cards",
        "first_hands", "first_rest", "hand_sizes", "hands", "hearts_open", "legal", "number", "passed", "picked_up",
        "received", "rest", "rules", "seats", "stopped", "taken", "trick", "tricks", "turn", "waiting",
    )  # fmt: skip

    def __init__(
        self, rules: Rules, number: int, dealer: int, hands: Sequence[Cards], rest: Sequence[Card] = ()
    ) -> None:
        """Deal ``number`` of its match (from 0), hands by seat, the rest in order, the stock's top first."""
        variant = rules.variant
        self.rules = rules
        self.number = number
        self.dealer = dealer
        self.first_hands = tuple(hands)
        self.first_rest = tuple(rest)
        self.hands = list(hands)
        self.hand_sizes = [hand.bit_count() for hand in hands]  # kept, as they are public and asked for all the time
        self.rest = self.first_rest  # kitty, widow or stock as long as it lies on the table
        self.trick: list[Card] = []
        self.tricks: tuple[Trick, ...] = ()  # finished ones
        self.waiting: Cards = 0  # cancelled tricks that nobody has taken yet
        self.taken: list[Cards] = [0] * rules.players
        self.discards: Cards = 0
        self.discarder: int | None = None
        self.picked_up: Cards = 0  # the widow, once it is in the discarder's hand
        self.passed: list[Cards] = [0] * rules.players
        self.received: list[Cards] = [0] * rules.players
        self.drawn: list[int] = []  # before each card of the trick, one more for a seat that has drawn and not played
        self.drawn_cards: tuple[Card, ...] = ()  # what the seat on turn has drawn for this card
        self.stopped: int | None = None
        self.complete = False
        self.dealt: Cards = sum(hands) | sum(1 << one for one in rest)
        self.seats: tuple[int, ...] = ()  # of the current trick, the leader first
        self.turn = -1  # the seat to play or to discard; -1 while passing and at the end
        self.legal: Cards = 0  # what the seat on turn may answer
        self.hearts_open = not variant.leading.broken_by and variant.leading.from_trick <= 1
        self._rotations = ALL_ROTATIONS[rules.players]
        self._pile: Cards = 0  # the trick as a mask
        self._led: Cards = 0
        self._bars = variant.void.first_trick_bars
        self._must = variant.void.must_discard
        self._draws = variant.void.draws
        self._breakers = variant.leading.broken_by
        self._restricted = 0 if self.hearts_open else c.HEARTS
        self._rule = variant.trick_rule
        clubs = self.dealt & c.CLUBS if variant.opening is Opening.LOWEST_CLUB else 0
        self._opening: Cards = clubs & -clubs
        self._pass_count = rules.passing.count if self.passes else 0
        self.ask: Ask | None = Ask.PASS
        if not self._pass_count:
            self._open()

    @property
    def passes(self) -> bool:
        """Whether cards are passed in this deal."""
        passing = self.rules.passing
        return passing.count > 0 and passing.direction(self.number).receiver(0, self.rules.players) != 0

    @property
    def eldest(self) -> int:
        """The seat on the dealer's left (G3)."""
        return (self.dealer + 1) % self.rules.players

    def copy(self) -> "Deal":
        """The same deal, independent from here on."""
        twin = object.__new__(Deal)
        for slot in Deal.__slots__:
            value = getattr(self, slot)
            setattr(twin, slot, value.copy() if type(value) is list else value)
        return twin

    def pending(self) -> tuple[Question, ...]:
        """Every open question, in seat order: all that have not passed yet, or the one to play or discard."""
        ask = self.ask
        if ask is _PLAY:
            return (_new(Question, (self.turn, _PLAY, self.legal, 1)),)
        if ask is None:
            return ()
        if ask is Ask.DISCARD:
            return (Question(self.turn, ask, self.legal, self.picked_up.bit_count()),)
        return tuple(
            Question(seat, ask, hand, self._pass_count) for seat, hand in enumerate(self.hands) if not self.passed[seat]
        )

    def answer(self, seat: int, faces: Sequence[Card]) -> None:
        """Close the open question of ``seat``.

        ``faces`` are cards of the first pack (0 to 51) and stand for either card of their face. Raises
        IllegalAnswer or MalformedAnswer and changes nothing.
        """
        if self.ask is _PLAY:
            if seat != self.turn or len(faces) != 1 or not 0 <= faces[0] < _CARDS:
                raise self._no_play(seat, faces)
            self._play(faces[0])
        elif self.ask is Ask.PASS and 0 <= seat < self.rules.players and not self.passed[seat]:
            self.passed[seat] = self._chosen(seat, faces, self._pass_count)
            if all(self.passed):
                self._exchange()
        elif self.ask is Ask.DISCARD and seat == self.turn:
            self._discard(self._chosen(seat, faces, self.picked_up.bit_count()))
        else:
            raise MalformedAnswer(f"seat {seat} is not asked")

    def stop(self, seat: int) -> None:
        """End the deal at once for an uncorrected revoke of a seat that is asked (G8)."""
        if all(question.seat != seat for question in self.pending()):
            raise MalformedAnswer(f"seat {seat} is not asked and cannot revoke")
        self.stopped = seat
        self._end()

    def _chosen(self, seat: int, faces: Sequence[Card], count: int) -> Cards:
        """The cards chosen for a pass or a discard: so many, all held, none twice (G7)."""
        hand = self.hands[seat]
        if not all(0 <= face < _CARDS for face in faces):
            raise MalformedAnswer(f"seat {seat} names what is no card: {' '.join(map(c.shown, faces))}")
        if len(faces) != count:
            raise IllegalAnswer("G7", seat, None, hand)
        chosen: Cards = 0
        for face in faces:
            card = c.held(hand & ~chosen, face)
            if card is None:
                raise IllegalAnswer("G7", seat, face, hand)
            chosen |= 1 << card
        return chosen

    def _exchange(self) -> None:
        """Everyone's pass moves at once."""
        direction, players = self.rules.passing.direction(self.number), self.rules.players
        for seat, passed in enumerate(self.passed):
            self.received[direction.receiver(seat, players)] = passed
        for seat in range(players):
            self.hands[seat] = self.hands[seat] & ~self.passed[seat] | self.received[seat]
        self._open()

    def _open(self) -> None:
        """To the first lead."""
        leader = self.eldest
        if self._opening:
            leader = next(seat for seat, hand in enumerate(self.hands) if hand & self._opening)
        self.ask = Ask.PLAY
        self._lead(leader)

    def _lead(self, leader: int) -> None:
        """A new trick; who is out leads through the next active seat on the left (D3)."""
        self.seats = self._rotations[leader]
        self.turn = leader = self.seats[0]
        hand = self.hands[leader]
        self.legal = hand & ~self._restricted or hand
        if self._draws:
            self.drawn = [0]
            self.drawn_cards = ()
        if not self.tricks:
            self.legal = hand & self._opening or self.legal & ~self._bars or self.legal

    def _play(self, face: Card) -> None:
        """A card to the trick; the hot path of the arena."""
        card = face
        bit = 1 << face
        if not self.legal & bit:
            card, bit = self._other(face)
        turn = self.turn
        self.hands[turn] ^= bit
        self.hand_sizes[turn] -= 1
        trick = self.trick
        if not trick:
            self._led = c.SUIT_OF[card]
        trick.append(card)
        self._pile |= bit
        if self._restricted and bit & self._breakers:
            self._restricted = 0
            self.hearts_open = True
        played = len(trick)
        if played == len(self.seats):
            self._finish_trick()
            return
        self.turn = turn = self.seats[played]
        hand = self.hands[turn]
        legal = hand & self._led
        if self._draws:
            legal = legal or self._draw(turn)
            if len(self.drawn) == played:
                self.drawn.append(0)
                self.drawn_cards = ()
        elif not legal:
            legal = hand & self._must or hand
        if self._bars:
            legal = legal & ~self._bars or legal
        self.legal = legal

    def _no_play(self, seat: int, faces: Sequence[Card]) -> MalformedAnswer:
        if seat != self.turn:
            return MalformedAnswer(f"seat {seat} is not asked")
        if len(faces) != 1:
            return MalformedAnswer(f"one card is asked for, not {len(faces)}")
        return MalformedAnswer(f"seat {seat} names what is no card: {faces[0]}")

    def _other(self, face: Card) -> tuple[Card, Cards]:
        """The twin of a face that may be played, or the reason why none may be."""
        if self.legal >> face + c.FACES & 1:
            return face + c.FACES, 1 << face + c.FACES
        if face >= c.FACES or c.held(self.hands[self.turn], face) is None:
            raise MalformedAnswer(f"seat {self.turn} does not hold {c.shown(face)}")
        raise IllegalAnswer(self._clause(face), self.turn, face, self.legal)

    def _clause(self, face: Card) -> str:
        """The first clause that a held card breaks, in the order of the rulebook."""
        hand, card = self.hands[self.turn], 1 << face
        if not self.trick:
            if hand & self._opening and not self.tricks:
                return "C3"
            return self.rules.variant.leading.clause if card & self._restricted else "C4"
        if hand & self._led:
            if not card & self._led:
                return "D2" if self.drawn_cards else "G4"
            return "C4"
        return "B4" if hand & self._must else "C4"

    def _draw(self, seat: int) -> Cards:
        """Draw until a card of the suit led comes or the stock is empty; what may be played then (D2)."""
        count = 0
        while count < len(self.rest):
            card = self.rest[count]
            count += 1
            self.hands[seat] |= 1 << card
            if 1 << card & self._led:
                break
        self.hand_sizes[seat] += count
        self.drawn.append(count)
        self.drawn_cards, self.rest = self.rest[:count], self.rest[count:]
        return self.hands[seat] & self._led or self.hands[seat]

    def _finish_trick(self) -> None:
        """Who takes the trick, what goes with it, who leads next."""
        trick, seats = self.trick, self.seats
        leader = seats[0]
        winning = self._rule.winning(self._pile, self._led)
        spoils = self._pile | self.waiting
        self.trick = []
        self._pile = 0
        variant = self.rules.variant
        winner = None if winning is None else seats[trick.index(winning)]
        last = not self.hands[leader]
        if winner is None and last:
            winner = leader
        self.tricks += (Trick(leader, tuple(trick), winner, tuple(self.drawn)),)
        if winner is None:
            self.waiting = spoils
            winner = leader
        else:
            if variant.rest is Rest.KITTY and self.rest:
                spoils |= sum(1 << one for one in self.rest)
                self.rest = ()
            self.waiting = 0
            self.taken[winner] |= spoils
        self._bars = 0
        if self._restricted and len(self.tricks) + 1 >= variant.leading.from_trick > 1:
            self._restricted = 0
            self.hearts_open = True
        if variant.stranded is Stranded.LAST_HAND:
            self._leave(winner)
        elif variant.rest is Rest.WIDOW and self.rest:
            self.discarder = self.turn = winner
            self.seats = self._rotations[winner]  # who leads next, once the discard is made
            self.picked_up = sum(1 << one for one in self.rest)
            self.rest = ()
            self.hands[winner] |= self.picked_up
            self.hand_sizes[winner] = self.hands[winner].bit_count()
            self.legal = self.hands[winner]
            self.ask = Ask.DISCARD
        elif last:
            self._end()
        else:
            self._lead(winner)

    def _leave(self, winner: int) -> None:
        """Who has no card left is out; the deal ends when at most one is in (D3, D4)."""
        active = tuple(seat for seat in self.seats if self.hands[seat])
        if len(active) > 1:
            if len(active) < len(self.seats):
                self._rotations = rotations(active, self.rules.players)
            self._lead(winner)
            return
        keeper = active[0] if active else winner
        self.taken[keeper] |= self.hands[keeper] | sum(1 << one for one in self.rest)
        self.hands[keeper] = self.hand_sizes[keeper] = 0
        self.rest = ()
        self._end()

    def _discard(self, cards: Cards) -> None:
        """The discarder's hand is as large as the others' again (W2)."""
        seat = self.turn
        self.hands[seat] ^= cards
        self.hand_sizes[seat] = self.hands[seat].bit_count()
        self.discards = cards
        if any(self.hands):
            self.ask = Ask.PLAY
            self._lead(seat)
        else:
            self._end()

    def _end(self) -> None:
        """No question is open any more."""
        self.ask = None
        self.turn = -1
        self.legal = 0
        self.complete = True

    def scores(self) -> tuple[tuple[int, ...], int | None]:
        """The points of each seat and the seat that shot the moon (None: nobody) of a complete deal."""
        assert self.complete, "scored before its end"
        rules, players = self.rules, self.rules.players
        if self.stopped is not None:
            return tuple(rules.penalty if seat == self.stopped else 0 for seat in range(players)), None
        points = [rules.points_of(cards) for cards in self.taken]
        if rules.variant.discards_count and self.discarder is not None:
            points[self.discarder] += rules.points_of(self.discards)
        moon = rules.variant.moon
        shooter = moon.shot_by(self.taken, self.dealt) if moon else None
        if moon and shooter is not None:
            award = moon.award(shooter, players)
            points = [award[seat] + rules.points_of(cards & ~moon.cards) for seat, cards in enumerate(self.taken)]
        return tuple(points), shooter
