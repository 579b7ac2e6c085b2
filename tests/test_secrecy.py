"""What a seat is sent depends on nothing that it may not know, to the byte.

Two deals that differ only in cards hidden from a seat are played by bots that answer from their questions alone. The
seat's frames, and when they are sent between the things that it may know, are the same until the first thing that it
may know differs. Cards are also exchanged in the middle of a deal, where no play has told anybody anything.
"""

import itertools
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import pytest
import trio
import trio.testing

import arena.table
from arena.clock import TimeControl
from arena.gateway.encoder import TableEncoder
from arena.gateway.player import Player, PlayerSeat
from arena.referee import Referee
from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Deal
from arena.rules.deck import Dealt, dealt
from arena.rules.match import Match, dealer_of
from arena.rules.variant import Rules
from arena.rules.view import view
from arena.seat import DealOver, OpenRequest
from arena.table import PlayedDeal, Table
from arena.v1 import arena_pb2 as pb
from tests.fakes import put
from tests.strategies import choice, fresh

GAMES = [rules_of(one.name, n) for one in VARIANTS.values() for n in sorted({one.players[0], one.players[-1]})]
IDS = [f"{game.name}-{game.players}" for game in GAMES]
DEALS = 4  # of a match: every direction of passing
TRIALS, SEATS = 3, 3  # matches, and seats from which each of them is looked at

Known: TypeAlias = tuple[object, ...]
Trace: TypeAlias = list[bytes | Known]
"""What a seat is sent, and between that whatever it comes to know."""


def known(deal: Deal, seat: int) -> Known:
    """Everything that a seat may know of a deal, taken from the deal itself and from no view."""
    return (
        deal.number, deal.dealer, deal.hands[seat], deal.passed[seat], deal.received[seat], deal.tricks, deal.seats,
        tuple(deal.trick), tuple(deal.drawn), tuple(hand.bit_count() for hand in deal.hands), len(deal.rest),
        deal.hearts_open, deal.turn, deal.discarder, deal.ask and deal.ask.value, deal.stopped,
        deal.drawn_cards if deal.turn == seat else (),
        (deal.picked_up, deal.discards) if deal.discarder == seat else (),
    )  # fmt: skip


@dataclass
class Wire:
    """A seat's end of the transport, and the bot there: it answers at once, from the question that it was sent."""

    player: Player
    revokes: bool
    trace: Trace = field(default_factory=list)
    question: pb.Question = field(default_factory=pb.Question)
    answers: int = 0

    def know(self, what: Known) -> None:
        last = next((one for one in reversed(self.trace) if isinstance(one, tuple)), None)
        if what != last:
            self.trace.append(what)

    def send(self, frame: bytes) -> None:
        self.trace.append(frame)
        for message in pb.ArenaFrame.FromString(frame).messages:
            if message.rejection.tries:
                self._answer(self.question.legal[: self.question.count] if not self.revokes else [])

    def send_question(self, frame: bytes, request: OpenRequest) -> None:
        self.trace.append(frame)
        (message,) = pb.ArenaFrame.FromString(frame).messages
        self.question = message.question
        hand = zlib.crc32(message.question.view.hand.__repr__().encode())
        if hand % 5 == 0:  # now and then something that is refused first, or twice: a secret between it and the arena
            self._answer([pb.CARD_UNSPECIFIED])
        else:
            lowest = sorted(message.question.legal, key=lambda value: ((value - 1) % 13, value))
            self._answer(lowest[: message.question.count])

    def accepted(self, decision: int) -> None:
        self.trace.append(b"accepted %d" % decision)

    def latency_s(self) -> float:
        return 0.0

    def _answer(self, values: Sequence[int]) -> None:
        faces = tuple(value - 1 for value in values)
        malformed = "" if faces and min(faces) >= 0 else "no cards"
        self.answers += 1
        now = self.player.now() + self.answers * 1e-9  # each in a frame of its own, which are read one after the other
        refused = self.player.answer(self.question.decision, () if malformed else faces, malformed, now)
        assert refused is None, refused


def watched(wires: Sequence[Wire]) -> type[Deal]:
    """A deal that tells each wire what its seat may know, whenever that has changed."""

    class Watched(Deal):
        def __init__(
            self, rules: Rules, number: int, dealer: int, hands: Sequence[Cards], rest: Sequence[Card] = ()
        ) -> None:
            super().__init__(rules, number, dealer, hands, rest)
            self._tell()

        def answer(self, seat: int, faces: Sequence[Card]) -> None:
            super().answer(seat, faces)
            self._tell()

        def stop(self, seat: int) -> None:
            super().stop(seat)
            self._tell()

        def _tell(self) -> None:
            for seat, wire in enumerate(wires):
                wire.know(known(self, seat))

    return Watched


class _Steady(random.Random):
    """trio's dice: tasks that start together run in the order in which they were started, in every run."""

    def random(self) -> float:
        return 0.99

    def shuffle(self, x: object) -> None:
        """Nothing."""


def traces(game: Rules, cards: Callable[[int], Dealt], revoker: int, patch: pytest.MonkeyPatch) -> list[Trace]:
    """The traces of all seats in a match of these cards."""
    wires: list[Wire] = []

    async def keep(_deal: PlayedDeal) -> None:
        pass

    async def main() -> None:
        shared = TableEncoder(7)
        seats = []
        for seat in range(game.players):
            player = Player(f"bot {seat}", trio.current_time)
            wires.append(Wire(player, revokes=seat == revoker))
            player.attach(wires[seat], 1, "", ())
            seats.append(PlayerSeat(player, 7, seat, shared))
        referee = Referee(TimeControl(), itertools.count(1))
        await Table("secret/0", game, 10_000, DEALS, seats, referee, cards, keep).play()

    patch.setattr(arena.table, "Deal", watched(wires))
    patch.setattr("trio._core._run._r", _Steady())
    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return [wire.trace for wire in wires]


def first_difference(one: Trace, two: Trace) -> int:
    """Where two traces of a seat part; an assertion fails where that is not something that it may know."""
    for at, (here, there) in enumerate(itertools.zip_longest(one, two)):
        if here != there:
            assert isinstance(here, tuple), f"at {at} only the secret tells {here!r} from {there!r}"
            assert isinstance(there, tuple), f"at {at} only the secret tells {here!r} from {there!r}"
            return at
    return len(one)


def swapped(before: Dealt, seat: int, rng: random.Random) -> Dealt:
    """The same cards for a seat, and two of the others exchanged: between two hands, or a hand and the rest."""
    places = [(other, card) for other, hand in enumerate(before.hands) for card in c.cards_of(hand) if other != seat]
    places += [(-1, card) for card in before.rest]
    # high ones, as the bots play low cards first: what is not the same is seen late
    place, card = max(rng.sample(places, 6), key=lambda found: found[1] % 13)
    others = [found for found in places if found[0] != place]
    if not others:  # two players and no rest: nothing is hidden
        return before
    _, other = max(rng.sample(others, 3), key=lambda found: found[1] % 13)
    to = {card: other, other: card}
    return replace(
        before,
        hands=tuple(sum(1 << to.get(one, one) for one in c.cards_of(hand)) for hand in before.hands),
        rest=tuple(to.get(one, one) for one in before.rest),
    )


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_a_seats_traffic_is_the_same_until_something_it_may_know_differs(
    game: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"{game.name} {game.players}")
    compared, parted = 0, 0
    for trial in range(TRIALS):
        changed, revoker = rng.randrange(DEALS), rng.randrange(game.players) if trial == 0 else -1
        whole = [dealt(bytes([trial, n]) * 16, game, dealer_of(n, game.players)) for n in range(DEALS)]
        before = traces(game, whole.__getitem__, revoker, monkeypatch)
        for seat in rng.sample(range(game.players), min(game.players, SEATS)):
            other = [swapped(one, seat, rng) if n == changed else one for n, one in enumerate(whole)]
            after = traces(game, other.__getitem__, revoker, monkeypatch)
            at = first_difference(before[seat], after[seat])
            deal = sum(isinstance(one, bytes) for one in _of_deal(before[seat][:at], changed))
            compared += deal
            parted += at < len(before[seat])
    assert compared >= 3 * TRIALS * min(game.players, SEATS), "hardly anything was sent before the deals parted"
    assert parted > 0 or game.players == 2, "the deals never parted"


def _of_deal(trace: Trace, number: int) -> Iterator[bytes | Known]:
    """What was sent in a deal."""
    inside = False
    for one in trace:
        if isinstance(one, tuple):
            inside = one[0] == number
        if inside:
            yield one


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_a_question_is_the_same_wherever_the_hidden_cards_are(game: Rules) -> None:
    rng = random.Random(f"{game.name} {game.players}")
    moved = 0
    for number in range(DEALS):
        deal = fresh(game, number, number)
        while not deal.complete:
            question = rng.choice(deal.pending())
            twin = rearranged(deal, question.seat, rng)
            moved += twin.hands != deal.hands
            frames = {_frame(one, question.seat) for one in (deal, twin, rearranged(deal, question.seat, rng))}
            assert len(frames) == 1
            deal.answer(question.seat, choice("random", rng, game, question))
    assert moved > 20 or game.players == 2


def rearranged(deal: Deal, seat: int, rng: random.Random) -> Deal:
    """The deal with everything that the seat does not know in other places."""
    told = deal.hands[seat] | deal.passed[seat]
    if deal.discarder == seat:
        told |= deal.discards
    for trick in (*(trick.cards for trick in deal.tricks), deal.trick):
        told |= c.mask(trick)
    hidden = c.cards_of(deal.dealt & ~told)
    to = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))

    def moved(cards: Cards) -> Cards:
        return sum(1 << to.get(one, one) for one in c.cards_of(cards))

    twin = deal.copy()
    twin.hands = [moved(hand) for hand in deal.hands]
    twin.rest = tuple(to.get(one, one) for one in deal.rest)
    twin.discards = moved(deal.discards)
    twin.picked_up = moved(deal.picked_up)
    twin.passed = [moved(cards) for cards in deal.passed]
    twin.received = [cards if at == seat else moved(cards) for at, cards in enumerate(deal.received)]
    twin.first_hands = tuple(moved(hand) for hand in deal.first_hands)
    twin.first_rest = tuple(to.get(one, one) for one in deal.first_rest)
    return twin


def _frame(deal: Deal, seat: int) -> bytes:
    """The question to that seat, as it goes out."""
    question = next(one for one in deal.pending() if one.seat == seat)
    request = put(1, question, deal, Match(deal.rules))
    return TableEncoder(1).question("secret/1", request, 1.0)


def test_a_stopped_deal_shows_no_card_that_was_not_played() -> None:
    """Its DealEnd is public, and everybody's unplayed cards are secret until the stream is published."""
    for game in GAMES:
        deal = fresh(game, 5, 3)
        rng = random.Random(game.name)
        for _ in range(len(game.pack) // 2):
            if deal.complete:
                break
            question = rng.choice(deal.pending())
            deal.answer(question.seat, choice("random", rng, game, question))
        if deal.complete:
            continue
        deal.stop(deal.pending()[0].seat)
        played = {card % c.FACES for trick in deal.tricks for card in trick.cards}
        over = DealOver(3, deal.scores()[0], None, deal.stopped, Match(game), view(deal, 0))
        (message,) = pb.ArenaFrame.FromString(TableEncoder(1).deal_over(over)).messages
        told = {value - 1 for trick in message.deal_end.tricks for value in trick.cards}
        assert told == played
