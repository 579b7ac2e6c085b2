"""The simplest bot: any legal card.

A bot is one function. The arena asks, the function answers with cards, and that is all: connecting, keeping the
connection, the messages and the clock are the kit's business. Start it with

    python -m reference_bots.random_bot --help

A card is a number, `13 * suit + rank`, with suits C D S H and ranks 2 to A: 0 is the 2 of clubs, 51 the ace of hearts.
`arena.rules.cards.name` writes it as `2C` or `AH`.
"""

from collections.abc import Sequence

from arena.bot import Turn, run


def choose(turn: Turn) -> Sequence[int]:
    """Any of the cards that are legal, as many as are asked for.

    `turn.legal` holds everything that may be answered: to a play the cards that follow suit, to a pass or a discard the
    whole hand. `turn.count` says how many cards the arena wants. In a game with two packs a card that is held twice is
    in `turn.legal` twice, and `sample` takes each at most once.

    `turn.rng()` is a random generator that starts the same way whenever the same question is asked. Use it instead of
    the `random` module, and a match can be played again exactly, even after the arena was restarted in the middle.
    """
    return turn.rng().sample(turn.legal, turn.count)


if __name__ == "__main__":
    run(choose)
