"""Deals as the replayer reads them: everything that rules decide is worked out here, the script only moves cards.

Cards are written as single letters, ``A`` to ``Z`` and ``a`` to ``z`` for the faces 0 to 51.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.deal import Ask, Deal
from arena.rules.variant import Rest, Rules
from arena.store.read import RecordRow
from reports.exports import escaped

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" * 2
"""By card, both packs."""

_FACES: Final = {c.name(face): face for face in range(c.FACES)}
_ALONE: Final = {c.name(face): (face,) for face in range(c.FACES)}
_LETTER: Final = {c.name(face): LETTERS[face] for face in range(c.FACES)}
"""By the name of a card; records were read strictly before they got into the database."""


class Table(NamedTuple):
    """Where a match was played."""

    seats: tuple[int, ...]  # entrants
    mates: tuple[int, ...]  # other matches of the stream


def deal_data(rules: Rules, row: RecordRow) -> dict[str, Any]:
    """A deal for the script.

    - ``dealer``; ``hands`` as dealt, by seat; ``rest`` in order, the stock's top first
    - ``passes`` by seat and ``to``, who gets them, by seat (absent where nothing is passed)
    - ``tricks``: ``[seats in playing order, cards, winner, legal cards before each card, drawn before each card,
      points by seat after the trick]``; winner −1: all cancelled, the trick waits; −2: not finished. Legal "" is the
      whole hand; drawn is 0 where nothing was
    - ``widow``: ``[who took it after the first trick, what was laid away]``; ``kitty``: the trick that it went with
    - ``open``: how many cards had been played when hearts could be led (absent where they always can)
    - ``last``: who kept the last hand and the stock; ``stopped``: whose revoke ended the deal
    - ``points`` by seat, ``moon``: the shooter's seat
    """
    record = row.record
    number, dealer = record["deal"], record["dealer"]
    passes = record["passes"]
    *hands, rest = _dealt([*record["hands"], record["rest"]])
    deal = Deal(rules, number, dealer, [c.mask(hand) for hand in hands], rest)
    said: dict[str, Any] = {
        "dealer": dealer,
        "hands": [_word(text) for text in record["hands"]],
        "rest": _word(record["rest"]),
        "points": row.points,
    }
    if any(passes):
        direction = rules.passing.direction(number)
        said["passes"] = [_word(text) for text in passes]
        said["to"] = [direction.receiver(seat, rules.players) for seat in range(rules.players)]
        for seat, text in enumerate(passes):
            if text:
                deal.answer(seat, _faces(text))
    _tricks(deal, record["plays"], record["discards"], said)
    if row.moon is not None:
        said["moon"] = row.moon
    if record["stopped"] is not None:
        said["stopped"] = record["stopped"]["seat"]
    return said


def _dealt(texts: Sequence[str]) -> list[tuple[Card, ...]]:
    """The cards of these places; what comes a second time is the second pack's."""
    seen: Cards = 0
    places = []
    for text in texts:
        cards = []
        for face in _faces(text):
            bit = 1 << face
            cards.append(face + c.FACES if seen & bit else face)
            seen |= bit
        places.append(tuple(cards))
    return places


def _tricks(deal: Deal, plays: Sequence[str], discards: str, said: dict[str, Any]) -> None:
    rules = deal.rules
    rest, scoring, worth = rules.variant.rest, rules.scoring, _worth(rules)
    hands, taken, answer = deal.hands, deal.taken, deal.answer
    draws, kitty, discard = rest is Rest.STOCK, rest is Rest.KITTY and said["rest"], Ask.DISCARD
    everybody = range(rules.players)
    played = 0
    closed = not deal.hearts_open
    points = [0] * rules.players
    counted: Cards = 0  # of what has been taken
    tricks = said["tricks"] = []
    for text in plays:
        seats, before = deal.seats, deal.tricks
        names = text.split()
        legal: list[str] = []
        drawn: list[int] = []
        for name in names:
            turn, may = deal.turn, deal.legal
            legal.append("" if may == hands[turn] else _letters(may))
            if draws:
                drawn.append(deal.drawn[len(drawn)])
            answer(turn, _ALONE[name])
            if closed and deal.hearts_open:
                closed = False
                said["open"] = played + len(legal)
        played += len(names)
        done = deal.tricks is not before
        winner = deal.tricks[-1].winner if done else None
        # At the end somebody may get what was left over, whoever won the trick.
        for seat in everybody if deal.complete else () if winner is None else (winner,):
            gained = taken[seat] & scoring & ~counted
            if gained:
                counted |= gained
                points[seat] += worth(gained)
        if kitty and winner is not None:
            said.setdefault("kitty", len(tricks))
        if deal.ask is discard:
            said["widow"] = [deal.turn, _word(discards)]
            if discards:
                deal.answer(deal.turn, _faces(discards))
        tricks.append(
            [
                _digits(seats[: len(names)]),
                "".join([_LETTER[name] for name in names]),
                winner if winner is not None else -1 if done else -2,
                legal,
                drawn if any(drawn) else 0,
                points.copy(),
            ]
        )
    if closed:
        said["open"] = played + 1  # never
    if draws and deal.complete and deal.stopped is None:
        won = [0] * rules.players
        for trick in deal.tricks:
            if trick.winner is not None:
                won[trick.winner] |= c.mask(trick.cards)
        keepers = [seat for seat, cards in enumerate(taken) if cards != won[seat]]
        if keepers:
            said["last"] = keepers[0]


@lru_cache(maxsize=16)
def _worth(rules: Rules) -> Callable[[Cards], int]:
    """The points of a set of cards that score; few sets come up, again and again."""
    return lru_cache(maxsize=1 << 14)(rules.points_of)


def shard_text(rules: Rules, tables: Mapping[int, Table], rows: Sequence[RecordRow]) -> str:
    """A script that hands over the deals of these matches: seats, other tables of the stream, deals by number."""
    said: dict[int, dict[str, Any]] = {
        match: {"seats": table.seats, "mates": table.mates, "deals": []} for match, table in tables.items()
    }
    for row in rows:
        said[row.fixture]["deals"].append(deal_data(rules, row))
    return f"(window.arenaDeals=window.arenaDeals||[]).push({escaped(said)});\n"


# Legal cards are written 1.4 million times in a league of 27,000 deals; most of the sets are of one suit.
@lru_cache(maxsize=1 << 15)
def _letters(cards: Cards) -> str:
    """A set of cards; of two packs the first, then the second."""
    return "".join(map(LETTERS.__getitem__, c.cards_of(cards)))


def _faces(text: str) -> list[Card]:
    return list(map(_FACES.__getitem__, text.split()))


def _word(text: str) -> str:
    """Cards as records name them in letters."""
    return "".join(map(_LETTER.__getitem__, text.split()))


@cache
def _digits(seats: tuple[int, ...]) -> str:
    return "".join(map(str, seats))
