"""A bot that tries things out: it deals the hidden cards at random, plays every card it might play, and counts.

For each card that it might play it imagines deals that fit everything it has seen (`reference_bots.sampling`), plays
the card in each of them, and lets a fast player finish the deal for all seats (`reference_bots.policy`). The card with
the best mean outcome is played; what the counting bot thinks of it is believed as if it had come out of a few more such
deals. The rules come in through the points at the end: moons, a widow, a card worth -10. What it teaches:

* `arena.rules.deal.Deal` is the arena's own engine, and a bot may use it: `copy`, `answer`, `scores`.
  `arena.rules.position` sets it up from a view and assumed hands.
* `turn.time_left_s` and `turn.bank_s` are the clock: what is left for this answer, and for the whole match. The search
  stops early when it has used its share. As long as it has not, the same question gets the same answer, for all
  randomness comes from `turn.rng()`.
* An object with a `choose` method is a bot too: this one keeps what it has prepared for each game it plays.
"""

import time
from collections.abc import Sequence

from arena.bot import Turn, run
from arena.rules.deal import Ask
from reference_bots import counting_bot
from reference_bots.policy import Policy, play_out, quick_policy
from reference_bots.reading import Reading
from reference_bots.sampling import Sampler

ROUNDS = (6, 6, 12)  # imagined deals; after each round the worse half of the cards is given up
TRUST = 8  # the counting bot's prices weigh as much as so many imagined deals
MOVE_SHARE = 0.2  # of the time left for this answer
BANK_SHARE = 0.01  # of the time left for the match


class MonteCarlo:
    """The bot."""

    def __init__(self) -> None:
        """Nothing is known of any game yet."""
        self._policies: dict[str, Policy] = {}  # by the hash that names a game

    def choose(self, turn: Turn) -> int | Sequence[int]:
        """The card that does best in the imagined deals; what to pass or to lay away is the counting bot's choice."""
        if turn.ask is not Ask.PLAY:
            return counting_bot.choose(turn)
        stop_at = time.monotonic() + min(MOVE_SHARE * turn.time_left_s, BANK_SHARE * turn.bank_s)
        count = counting_bot.Count(turn)
        cards = worth_trying(turn, count.reading)
        losses = {card: TRUST * count.price(card) for card in cards}
        policy = self._policies.get(turn.rules.hash)
        if policy is None:
            policy = self._policies[turn.rules.hash] = quick_policy(turn.rules)

        sampler, rng = Sampler(count.reading), turn.rng()
        for deals in ROUNDS:
            if len(cards) == 1:
                break
            for _ in range(deals):
                imagined = sampler.sample(rng)
                for card in cards:
                    branch = imagined.copy()
                    branch.answer(turn.seat, (card,))
                    losses[card] += loss(play_out(branch, policy), turn.seat)
                if time.monotonic() > stop_at:
                    return min(cards, key=losses.__getitem__)
            cards = sorted(cards, key=losses.__getitem__)[: max(2, len(cards) // 2)]
        return min(cards, key=losses.__getitem__)


def loss(points: Sequence[int], seat: int) -> float:
    """How much worse than the others the seat has done: in a match it is the lead that counts."""
    own = points[seat]
    return own - (sum(points) - own) / (len(points) - 1)


def worth_trying(turn: Turn, reading: Reading) -> list[int]:
    """The legal cards, but of neighbours that are worth the same only the highest: the others do what it does."""
    faces = sorted(set(turn.legal))
    if turn.rules.pack[-1] >= 52:
        return faces  # two packs: neighbours are not alike, for each may be cancelled by its twin
    table = [card % 52 for card in turn.view.trick]
    cards: list[int] = []
    for face in faces:
        if cards and cards[-1] // 13 == face // 13 and turn.points[cards[-1]] == turn.points[face]:
            between = range(cards[-1] + 1, face)
            if not any(reading.unseen >> card & 1 or card in table for card in between):
                cards.pop()
        cards.append(face)
    return cards


if __name__ == "__main__":
    run(MonteCarlo())
