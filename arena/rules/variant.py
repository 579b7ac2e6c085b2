"""A variant is a value: one field per axis of the rules, each named after what it decides.

The engine reads the axes and never a variant's name. `catalogue` holds the values; `Rules` is a variant with its
options and the number of players settled, which is what a table plays.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from arena.rules.cards import FACES, HEARTS, RANKS, Card, Cards, card, cards_of, faces_of, rank_order
from arena.rules.settle import Moon, Settlement
from arena.rules.tricks import TrickRule

OptionValue: TypeAlias = bool | int | str | None


@dataclass(frozen=True, slots=True)
class Pack:
    """Which cards are in play."""

    packs: int = 1
    lowest: str = "2"  # rank of the lowest cards of the pack
    without: tuple[str, ...] = ()
    stripped: bool = False  # G6: the lowest cards leave until the deal is equal, never hearts

    def cards(self, players: int) -> tuple[Card, ...]:
        """The cards in the order C D S H and 2 to A, a second pack after the first."""
        low = RANKS.index(self.lowest)
        out = {card(text) for text in self.without}
        faces = [face for face in range(FACES) if face % 13 >= low and face not in out]
        if self.stripped:
            order = {"D": 0, "C": 1, "S": 2}
            plain = sorted(
                (face for face in faces if not HEARTS >> face & 1),
                key=lambda face: (face % 13, order["CDS"[face // 13]]),
            )
            gone = set(plain[: len(faces) * self.packs % players])
            faces = [face for face in faces if face not in gone]
        return tuple(face + FACES * pack for pack in range(self.packs) for face in faces)


class Rest(Enum):
    """What the cards are that are not dealt to a hand, and what becomes of them."""

    NONE = "everything is dealt"
    KITTY = "unseen; goes where the first trick goes (B1, X1)"
    WIDOW = "into the hand of the first trick's winner, who discards as many (W2)"
    STOCK = "drawn from by who cannot follow suit (D2)"


class Direction(Enum):
    """To whom cards are passed."""

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    NONE = "none"

    def receiver(self, seat: int, players: int) -> int:
        """The seat that gets what ``seat`` passes."""
        offset = {"left": 1, "right": players - 1, "across": players // 2, "none": 0}[self.value]
        return (seat + offset) % players


@dataclass(frozen=True, slots=True)
class Passing:
    """How many cards go where before the first lead (G7)."""

    count: int = 0
    cycle: tuple[Direction, ...] = (Direction.NONE,)  # by deal, then again from its start

    def direction(self, deal: int) -> Direction:
        """Where cards go in that deal."""
        return self.cycle[deal % len(self.cycle)]


class Opening(Enum):
    """Who leads to the first trick."""

    ELDEST = "the player on the dealer's left, any card (G3)"
    LOWEST_CLUB = "the holder of the lowest club dealt, and that card (C3)"


@dataclass(frozen=True, slots=True)
class Leading:
    """When hearts may be led; a leader who holds nothing else always may."""

    clause: str = ""
    broken_by: Cards = 0  # playing one of these opens hearts (C5); 0: they open by themselves
    from_trick: int = 1  # hearts are open from this trick on, counted from 1 (B5)


@dataclass(frozen=True, slots=True)
class Void:
    """What limits a play beside following suit."""

    first_trick_bars: Cards = 0  # not to the first trick while anything else may be played (C4)
    must_discard: Cards = 0  # who cannot follow and holds one must play it (B4)
    draws: bool = False  # who cannot follow draws from the stock until able to (D2)


class Stranded(Enum):
    """Who takes what no trick has taken at the end of the deal."""

    NOTHING = "nothing is ever left over"
    LAST_LEADER = "a wholly cancelled last trick goes to its leader (X4)"
    LAST_HAND = "the last player keeps hand and stock; if none, the last winner takes the stock (D4)"


@dataclass(frozen=True, slots=True)
class Option:
    """One way in which printed rules differ, by the name it has in records and league files."""

    name: str
    clause: str
    default: OptionValue
    choices: tuple[OptionValue, ...]  # empty: any whole number from 1, or the default
    apply: "Callable[[Variant, OptionValue], Variant]"
    even_players_only: tuple[OptionValue, ...] = ()

    def admits(self, value: OptionValue) -> bool:
        """Whether the value is one of this option's; types are strict, so that 1 is not true."""
        if not self.choices:
            return (type(value) is int and value >= 1) or (value is None and self.default is None)
        return any(type(value) is type(choice) and value == choice for choice in self.choices)

    def describe(self) -> str:
        """The admitted values, for messages: ``"forbidden" or "allowed"``."""
        if not self.choices:
            return "a whole number from 1, or null"
        return " or ".join(json.dumps(choice) for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Variant:
    """The rules of one game as data, for every number of players that it admits."""

    name: str
    title: str
    title_ru: str
    players: tuple[int, ...]
    clauses: tuple[str, ...]
    values: Mapping[str, int]  # points by face, e.g. {"QS": 13}; absent faces are worth nothing
    pack: Pack | Mapping[int, Pack] = Pack()
    dealt: int | Mapping[int, int] | None = None  # cards to each hand; None: as many as divide evenly
    rest: Rest = Rest.NONE
    passing: Passing | Mapping[int, Passing] = Passing()
    opening: Opening = Opening.ELDEST
    leading: Leading = Leading()
    void: Void = Void()
    trick_rule: TrickRule = TrickRule.HIGHEST
    stranded: Stranded = Stranded.NOTHING
    discards_count: bool = False  # discarded penalty cards count for who laid them away (W3)
    moon: Moon | None = None
    settlement: Settlement = Settlement.NONE
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """A variant with its options applied, for one number of players: everything that a table has to know."""

    variant: Variant
    options: Mapping[str, OptionValue]  # every option of the variant, defaults filled in
    players: int
    pack: tuple[Card, ...] = field(init=False)
    hand_size: int = field(init=False)
    rest_size: int = field(init=False)
    passing: Passing = field(init=False)
    points: tuple[int, ...] = field(init=False)  # by card, both packs
    scoring: Cards = field(init=False)  # cards that are worth anything
    penalty: int = field(init=False)  # every penalty point of the pack: the price of a revoke (G8)
    hash: str = field(init=False)  # names what is played: 16 hex digits over variant, options and players

    def __post_init__(self) -> None:
        """Settle what depends on the number of players."""
        put = object.__setattr__
        variant, players = self.variant, self.players
        pack = variant.pack if isinstance(variant.pack, Pack) else variant.pack[players]
        cards = pack.cards(players)
        dealt = variant.dealt if not isinstance(variant.dealt, Mapping) else variant.dealt[players]
        size = len(cards) // players if dealt is None else dealt
        points = [0] * (2 * FACES)
        for face, value in variant.values.items():
            points[card(face)] = points[card(face) + FACES] = value
        put(self, "pack", cards)
        put(self, "hand_size", size)
        put(self, "rest_size", len(cards) - size * players)
        passing = variant.passing
        put(self, "passing", passing if isinstance(passing, Passing) else passing[players])
        put(self, "points", tuple(points))
        put(self, "scoring", sum(1 << one for one, value in enumerate(points) if value))
        put(self, "penalty", sum(points[one] for one in cards if points[one] > 0))
        said = json.dumps([variant.name, players, dict(sorted(self.options.items()))], separators=(",", ":"))
        put(self, "hash", hashlib.sha256(b"hearts-arena/rules@1 " + said.encode()).hexdigest()[:16])

    @property
    def name(self) -> str:
        """The variant's name."""
        return self.variant.name

    def points_of(self, cards: Cards) -> int:
        """The card points in a set."""
        return sum(self.points[one] for one in cards_of(cards & self.scoring))


def fallback(legal: Cards, count: int) -> tuple[Card, ...]:
    """The documented answer for a seat that gives none: the lowest legal faces by rank, C D S H among equals.

    It is legal wherever a question is open, and the same in every run.
    """
    return tuple(sorted(faces_of(legal), key=rank_order)[:count])
