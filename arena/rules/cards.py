"""Cards as bits.

A card is an int: ``13 * suit + rank`` with suits C D S H and ranks 2 to A, 0 to 51. The second pack of a two-pack
game follows 52 higher, so that the two cards of one *face* are ``c`` and ``c + 52``. A set of cards is an int mask
with bit ``c`` for card ``c``: following suit is one ``&``.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

Card: TypeAlias = int
Cards: TypeAlias = int  # a mask

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDSH"
FACES: Final = 52
PACK: Final[Cards] = (1 << FACES) - 1

_NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS) * 2
_BY_NAME: Final = {name: card for card, name in enumerate(_NAMES[:FACES])}
_RANK_ORDER: Final = tuple((card % 13) * 4 + card % FACES // 13 for card in range(2 * FACES))

_SUIT_MASKS: Final = tuple((0x1FFF << 13 * suit) * (1 | 1 << FACES) for suit in range(4))
CLUBS: Final[Cards] = _SUIT_MASKS[0]
DIAMONDS: Final[Cards] = _SUIT_MASKS[1]
SPADES: Final[Cards] = _SUIT_MASKS[2]
HEARTS: Final[Cards] = _SUIT_MASKS[3]
SUIT_OF: Final = tuple(_SUIT_MASKS[card % FACES // 13] for card in range(2 * FACES))
"""By card: the mask of its whole suit, both packs."""


def card(name: str) -> Card:
    """The card of the first pack that ``name`` writes (``"QS"``); ValueError if it writes none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"{name!r} is not a card (rank 2-9 T J Q K A, then suit C D S H)") from None


def name(card: Card) -> str:
    """How the card is written: ``"QS"``, the same for both packs."""
    return _NAMES[card]


def shown(card: int) -> str:
    """The same for a message, whatever number it is: one that is no card is shown itself."""
    return _NAMES[card] if 0 <= card < 2 * FACES else str(card)


def both(cards: Iterable[str]) -> Cards:
    """The mask of the named faces in both packs."""
    return sum(1 << card(text) | 1 << card(text) + FACES for text in cards)


def mask(cards: Iterable[Card]) -> Cards:
    """The set of these cards; a card that comes twice is an error of the caller's."""
    result = 0
    for one in cards:
        assert not result >> one & 1, f"{name(one)} twice"
        result |= 1 << one
    return result


def _suit_table(suit: int) -> tuple[tuple[Card, ...], ...]:
    """By set of ranks, 13 bits: the cards of one suit, in order."""
    table: list[tuple[Card, ...]] = [()]
    for ranks in range(1, 1 << 13):
        high = ranks.bit_length() - 1
        table.append((*table[ranks ^ 1 << high], 13 * suit + high))
    return tuple(table)


_C, _D, _S, _H = (_suit_table(suit) for suit in range(4))


def cards_of(cards: Cards) -> tuple[Card, ...]:
    """The cards of a mask, by number: C D S H and 2 to A, the whole first pack before the second."""
    if cards > PACK:
        return cards_of(cards & PACK) + tuple(card + FACES for card in cards_of(cards >> FACES))
    return _C[cards & 8191] + _D[cards >> 13 & 8191] + _S[cards >> 26 & 8191] + _H[cards >> 39]


def faces_of(cards: Cards) -> tuple[Card, ...]:
    """The faces (0 to 51) of a mask, C D S H and 2 to A; a face that is held twice comes twice."""
    if cards <= PACK:
        return cards_of(cards)
    return tuple(sorted(card % FACES for card in cards_of(cards)))


def text(cards: Iterable[Card]) -> str:
    """The cards as written in records: ``"2C QS"``, in the order given."""
    return " ".join([_NAMES[card] for card in cards])


def parse(text: str) -> tuple[Card, ...]:
    """The faces that a text names, in its order; ValueError at the first word that is no card."""
    return tuple(card(word) for word in text.split())


def held(hand: Cards, face: Card) -> Card | None:
    """The card of that face in the hand, the first pack's before the second's; None when neither is there."""
    if hand >> face & 1:
        return face
    if hand >> face + FACES & 1:
        return face + FACES
    return None


def rank_order(card: Card) -> int:
    """A key that sorts by rank, 2 to A, and within a rank C D S H."""
    return _RANK_ORDER[card]
