"""A bot that stays out of trouble: it ducks under what lies on the table and sheds what is dangerous.

It looks at its hand, at the trick on the table and at what the cards are worth, and hardly at anything else. That is
enough to take about 2 points a deal where random players take 8. What it teaches:

* `turn.ask` says what is wanted: cards to pass, a card to play, cards to lay away for a widow.
* `turn.points` holds what each card costs in the game that is played. There are ten games: hearts may count one or
  their face value, the queen of spades 13 or nothing, a ten of diamonds may be worth having at -10. A bot that reads
  the points instead of thinking "queen of spades" plays all of them.
* `turn.view` is the deal as this seat sees it: the trick, the finished tricks, the sizes of all hands.
"""

from collections.abc import Sequence

from arena.bot import Turn, run
from arena.rules.deal import Ask

KING = 11  # ranks count from 0, the 2, to 12, the ace


def choose(turn: Turn) -> int | Sequence[int]:
    """One card, or as many as are asked for."""
    if turn.ask is Ask.PASS:
        return most_dangerous(turn, turn.legal, turn.count)
    if turn.ask is Ask.DISCARD:
        return lay_away(turn)
    if not turn.view.trick:
        return lead(turn)
    return follow(turn)


def danger(turn: Turn, card: int) -> float:
    """How gladly this bot is rid of a card.

    A card that costs points is dangerous, a high card wins tricks, and a card that ranks just over a very dear one of
    its suit (the king of spades where the queen costs 13) may have to take it. Cards with negative points are kept.
    """
    rank = card % 13
    dear = [turn.points[lower] for lower in range(card - rank, card) if turn.points[lower] >= 5]
    return 3 * turn.points[card] + rank + (sum(dear) if rank >= KING else 0)


def most_dangerous(turn: Turn, cards: Sequence[int], count: int) -> list[int]:
    """The cards to give away. Sorting keeps equal cards in their order, so that the answer is always the same."""
    return sorted(cards, key=lambda card: -danger(turn, card))[:count]


def lay_away(turn: Turn) -> list[int]:
    """For the widow: the dangerous cards go; if they are charged to us, only those that cost nothing."""
    if not turn.rules.variant.discards_count:
        return most_dangerous(turn, turn.legal, turn.count)
    return sorted(turn.legal, key=lambda card: (max(turn.points[card], 0), -danger(turn, card)))[: turn.count]


def lead(turn: Turn) -> int:
    """The lowest card: somebody will have to go over it. Cards that cost points stay at home if they can."""
    return min(turn.legal, key=lambda card: (turn.points[card] > 2, card % 13, turn.points[card]))


def follow(turn: Turn) -> int:
    """Duck if possible; else take the trick as cheaply as may be."""
    trick = [card % 52 for card in turn.view.trick]
    suit = trick[0] // 13
    best = max((card for card in trick if card // 13 == suit and trick.count(card) == 1), default=-1)
    stake = sum(turn.points[card] for card in trick)

    safe = [card for card in turn.legal if card // 13 != suit or card < best]
    taking = [card for card in turn.legal if card not in safe]
    needed = shooters_need(turn)
    if needed and taking and not needed.isdisjoint(trick):
        return max(taking)  # no moon without this trick
    safe = [card for card in safe if card not in needed] or safe
    free = [card for card in taking if turn.points[card] <= 0]
    if free and (stake < 0 or (stake == 0 and plays_last(turn))):
        return max(free)  # nothing to fear, or even something to gain: the high card goes now
    if safe:
        return most_dangerous(turn, safe, 1)[0]
    cheapest = min(turn.points[card] for card in taking)
    cheap = [card for card in taking if turn.points[card] == cheapest]
    return max(cheap) if plays_last(turn) else min(cheap)


def shooters_need(turn: Turn) -> set[int]:
    """The cards of the moon, if one other seat has all that were taken so far and they are a third of them or more."""
    moon = turn.rules.variant.moon
    wanted = {card for card in turn.rules.pack if moon and moon.cards >> card & 1}
    takers = [trick.winner for trick in turn.view.tricks for card in trick.cards if card in wanted]
    shooting = len(set(takers)) == 1 and turn.seat not in takers and 3 * len(takers) >= len(wanted)
    return wanted if shooting else set()


def plays_last(turn: Turn) -> bool:
    """Whether nobody plays to this trick after us. In domino a seat may be out: it has no card any more."""
    seat = (turn.seat + 1) % turn.players
    while seat != turn.view.leader and not turn.view.hand_sizes[seat]:
        seat = (seat + 1) % turn.players
    return seat == turn.view.leader


if __name__ == "__main__":
    run(choose)
