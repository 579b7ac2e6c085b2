"""A bot that counts: it knows which cards are out and who is void, and puts a price on every card.

Nothing has to be remembered between questions. `turn.view.tricks` holds every finished trick of the deal, so what a
careful player knows is worked out anew each time; `reference_bots.reading` does it. From there on this bot is a price
list: every legal card gets an estimate of the points that playing it costs, now and later, less what is saved by being
rid of it. The cheapest is played. What it teaches:

* `turn.view`, the public part of a deal: tricks in playing order, the leader, how many cards every seat still holds.
* Sets of cards are ints with a bit for each card, and `cards_of` lists them. In a game with two packs there are cards
  52 to 103 too; `card % 52` is the face, and faces are what `turn.legal` and `turn.points` speak of.
* `turn.rules.variant` has every rule as a field, for example `moon`: the cards of which one player must take all.

The weights are no wisdom of the ages: they were fitted to what rollouts said of some thousand positions.
"""

from collections.abc import Sequence
from functools import cached_property

from arena.bot import Turn, run
from arena.rules.cards import SUIT_OF, cards_of
from arena.rules.deal import Ask
from reference_bots.reading import read

DEAR = 5  # points; who is caught with such a card remembers the deal for it


def choose(turn: Turn) -> int | Sequence[int]:
    """One card, or as many as are asked for."""
    count = Count(turn)
    match turn.ask:
        case Ask.PASS:
            return sorted(turn.legal, key=count.pass_price)[: turn.count]
        case Ask.DISCARD:
            return sorted(turn.legal, key=count.discard_price)[: turn.count]
        case _:
            return min(turn.legal, key=count.price)


class Count:
    """A question and what can be counted in it. All prices are in points; the lowest is the card to give."""

    def __init__(self, turn: Turn) -> None:
        """Count."""
        self.turn = turn
        self.points = turn.points
        self.reading = read(turn.view)
        self.hand = [card % 52 for card in cards_of(self.reading.view.hand)]
        self.out = [card % 52 for card in cards_of(self.reading.unseen | sum(self.reading.known))]
        suits = [[card for card in self.out if card // 13 == suit] for suit in range(4)]
        self.lower = {card: [other for other in suits[card // 13] if other < card] for card in self.hand}  # still out
        self.higher = {card: [other for other in suits[card // 13] if other > card] for card in self.hand}
        self.trick = [card % 52 for card in turn.view.trick]
        suit = self.trick[0] // 13 if self.trick else -1
        self.best = max((card for card in self.trick if card // 13 == suit and self.trick.count(card) == 1), default=-1)
        moon = turn.rules.variant.moon
        self.moon_cards = moon.cards if moon else 0
        self.others = [seat for seat in range(turn.players) if seat != turn.seat and turn.view.hand_sizes[seat]]
        self.due = sum(max(self.points[card], 0) for card in self.out)
        self.a_trick = self.due / max(1, len(self.hand))  # what a trick will cost from here on
        self.unit = turn.rules.penalty / turn.rules.hand_size / 2  # half of what a trick costs in this game

    # -- what will happen ---------------------------------------------------------------------------------------------

    @cached_property
    def later(self) -> list[int]:
        """The seats that play to this trick after us."""
        view, players = self.turn.view, self.turn.players
        behind = [(self.turn.seat + step) % players for step in range(1, players)]
        if self.trick:
            behind = behind[: behind.index(view.leader)]
        return [seat for seat in behind if view.hand_sizes[seat]]

    def void(self, seat: int, card: int) -> bool:
        """Whether the seat has shown that it cannot follow to the card."""
        return self.reading.void(seat, SUIT_OF[card])

    def chance_to_win(self, card: int) -> float:
        """That nobody goes over the card: players duck if they can, and must go over if they have nothing lower."""
        followers = sum(not self.void(seat, card) for seat in self.later)
        if not followers:
            return 1.0
        missed = 1 - 1 / sum(not self.void(seat, card) for seat in self.others)
        forced = missed ** len(self.lower[card]) * (1 - missed ** len(self.higher[card]))
        return float((1 - forced) ** followers)

    def to_come(self, card: int) -> float:
        """The points that others may be expected to add to the trick if the card wins it."""
        in_suit = [other for other in self.out if other // 13 == card // 13]
        elsewhere = [self.points[other] for other in self.out if other // 13 != card // 13 and self.points[other] > 0]
        rivals = max(1, len(self.others))
        dump = min(sum(elsewhere) / rivals, 1 + max(elsewhere) / 2) if elsewhere else 0
        total = 0.0
        for seat in self.later:
            void = 1.0 if self.void(seat, card) else (1 - 1 / rivals) ** len(in_suit)
            total += void * dump
            if void < 1:
                total += (1 - void) * sum(self.points[other] for other in in_suit) / max(rivals, len(in_suit))
        return total

    def cost(self, card: int) -> float:
        """What the trick costs us, on average, if we play the card to win it."""
        in_trick = [*self.trick, card]
        spoils = any(self.moon_cards >> other & 1 for other in in_trick) * self.shooter[1]
        return self.chance_to_win(card) * (sum(self.points[other] for other in in_trick) + self.to_come(card) - spoils)

    # -- the moon -----------------------------------------------------------------------------------------------------

    @cached_property
    def shooter(self) -> tuple[int, float]:
        """The other seat that has taken every moon card so far, and what its moon may be expected to cost us."""
        moon, players, seat = self.turn.rules.variant.moon, self.turn.players, self.turn.seat
        taken = [0] * players
        for trick in self.turn.view.tricks:
            if trick.winner is not None:
                taken[trick.winner] += sum(self.moon_cards >> card & 1 for card in trick.cards)
        takers = [other for other in range(players) if taken[other]]
        if moon is None or len(takers) != 1 or takers == [seat]:
            return -1, 0.0
        award = moon.award(takers[0], players)
        swing = award[seat] - (sum(award) - award[seat]) / (players - 1) + self.turn.rules.penalty / (players - 1)
        share = taken[takers[0]] / sum(self.moon_cards >> card & 1 for card in self.turn.rules.pack)
        return takers[0], share * swing * (players - 1) / players

    def gift(self, card: int) -> float:
        """What it costs to let the winner so far have the card: it may be what a shooter needs, or spoil a moon."""
        seat, loss = self.shooter
        if seat < 0 or not self.moon_cards >> card & 1 or self.best < 0:
            return 0.0
        winner = (self.turn.view.leader + self.trick.index(self.best)) % self.turn.players
        if winner != seat:
            return -loss
        kept = sum(self.moon_cards >> other & 1 for other in self.hand) - 1
        return loss / (1 + kept)

    # -- what is saved by being rid of a card -------------------------------------------------------------------------

    def takes_later(self, card: int, *, covered: bool = True) -> float:
        """The chance that the card will win a trick one day. Lower cards of ours cover it: they can go instead."""
        below, above = len(self.lower[card]), len(self.higher[card])
        cover = sum(other // 13 == card // 13 and other < card for other in self.hand) if covered else 0
        return below / (below + above) * 0.75**cover if below else 0.0

    def burden(self, card: int) -> float:
        """What the card will cost if we keep it."""
        later = 0.7 * self.takes_later(card) * (self.a_trick + self.points[card])
        treasure = self.treasure(card)
        if treasure:
            return later + self.takes_later(card, covered=False) * treasure / 2
        return later + 1.1 * self.unit * (card % 13) / 12

    def treasure(self, card: int) -> int:
        """The points of the cards of this suit that are worth having and are not yet played, if any are."""
        suit = card // 13 * 13
        return sum(min(self.points[other], 0) for other in {*self.out, *self.hand} if other // 13 * 13 == suit)

    # -- prices -------------------------------------------------------------------------------------------------------

    def price(self, card: int) -> float:
        """What it costs to play the card."""
        return self.follow_price(card) if self.trick else self.lead_price(card)

    def follow_price(self, card: int) -> float:
        """What it costs to play the card to the trick."""
        if card // 13 != self.trick[0] // 13:
            length = sum(other // 13 == card // 13 for other in self.hand)
            return (
                0.3 * self.unit * length + self.gift(card) - self.burden(card)
            )  # short suits first: to be void is to be free
        if card < self.best:
            return self.gift(card) - self.burden(card)
        return 1.3 * self.cost(card) - self.burden(card)

    def lead_price(self, card: int) -> float:
        """What it costs to lead the card."""
        dear = sum(self.points[other] for other in self.lower[card] if self.points[other] >= DEAR)
        lift = self.takes_later(card, covered=False) - self.takes_later(card)  # a high card over low ones may wait
        if self.treasure(card):
            return self.cost(card) - self.burden(card)
        return (
            0.6 * self.cost(card)
            + 0.8 * self.takes_later(card) * dear
            + lift * (4 * self.unit + 1.4 * self.a_trick)
            - 1.8 * self.unit * (card % 13) / 12
        )

    def pass_price(self, card: int) -> float:
        """What it costs to pass the card on, the less the more dangerous it is to keep."""
        rank = card % 13
        dear = [self.points[lower] for lower in range(card - rank, card) if self.points[lower] >= DEAR]
        return -(3 * self.points[card] + rank + (sum(dear) if rank >= 11 else 0))

    def discard_price(self, card: int) -> float:
        """What it costs to lay the card away for the widow."""
        charged = self.points[card] if self.turn.rules.variant.discards_count else -self.points[card]
        return charged - self.burden(card)


if __name__ == "__main__":
    run(choose)
