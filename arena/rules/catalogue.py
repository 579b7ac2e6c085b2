"""The ten variants as values. Each lists only where it differs from the one it is derived from."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from arena.rules import cards as c
from arena.rules.settle import Moon, Settlement
from arena.rules.tricks import TrickRule
from arena.rules.variant import (
    Direction,
    Leading,
    Opening,
    Option,
    OptionValue,
    Pack,
    Passing,
    Rest,
    Rules,
    Stranded,
    Variant,
    Void,
)

_QUEEN: Final = c.both(["QS"])
_TEN: Final = c.both(["TD"])
_HEARTS_1: Final = {rank + "H": 1 for rank in c.RANKS}
_HEARTS_AND_QUEEN: Final = {**_HEARTS_1, "QS": 13}
_TO_THE_RIGHT: Final = Passing(3, (Direction.RIGHT,))


def _set_settlement(variant: Variant, value: OptionValue) -> Variant:
    return replace(variant, settlement=Settlement(value))


HEARTS = Variant(
    name="hearts",
    title="Hearts",
    title_ru="Черви",
    players=tuple(range(3, 11)),
    clauses=("H1", "H2", "H3"),
    pack=Pack(stripped=True),
    values=_HEARTS_AND_QUEEN,
)

DOMINO = replace(
    HEARTS,
    name="domino",
    title="Domino Hearts",
    title_ru="Черви-домино",
    players=tuple(range(2, 8)),
    clauses=("D1", "D2", "D3", "D4", "D5"),
    pack=Pack(),
    dealt=6,
    rest=Rest.STOCK,
    void=Void(draws=True),
    stranded=Stranded.LAST_HAND,
    values=_HEARTS_1,
)

GREEK = replace(
    HEARTS,
    name="greek",
    title="Greek Hearts",
    title_ru="Греческие черви",
    players=tuple(range(3, 8)),
    clauses=("K1", "K2"),
    passing=_TO_THE_RIGHT,
    moon=Moon(shooter=0, shooter_for_each_other=-26, others=26),
)

WIDOW = replace(
    HEARTS,
    name="widow",
    title="Hearts with a widow",
    title_ru="Черви с прикупом",
    players=tuple(range(3, 7)),
    clauses=("W1", "W2", "W3"),
    pack={3: Pack(without=("2S",)), 4: Pack(without=("2S",)), 5: Pack(), 6: Pack()},
    dealt={3: 16, 4: 12, 5: 10, 6: 8},
    rest=Rest.WIDOW,
    options=(
        Option(
            "discards_count",
            "W3",
            "nobody",
            ("nobody", "taker"),
            lambda variant, value: replace(variant, discards_count=value == "taker"),
        ),
    ),
)

OMNIBUS = replace(
    HEARTS,
    name="omnibus",
    title="Omnibus Hearts",
    title_ru="Омнибус",
    players=(4,),
    clauses=("O1", "O2", "O3"),
    passing=_TO_THE_RIGHT,
    values={**_HEARTS_AND_QUEEN, "TD": -10},
    moon=Moon(shooter=-26, shooter_for_each_other=0, others=0, beside=_TEN),
)

SPOT = replace(
    HEARTS,
    name="spot",
    title="Spot Hearts",
    title_ru="Черви-номинал",
    clauses=("S1",),
    values={rank + "H": face for face, rank in enumerate(c.RANKS, 2)},
)

CLASSIC = Variant(
    name="classic",
    title="Classic Hearts",
    title_ru="Червы",
    players=(2, 3, 4),
    clauses=("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"),
    pack={2: Pack(lowest="6"), 3: Pack(without=("2D",)), 4: Pack()},
    passing={
        2: Passing(3, (Direction.ACROSS, Direction.NONE)),
        3: Passing(3, (Direction.LEFT, Direction.RIGHT, Direction.NONE)),
        4: Passing(3, (Direction.LEFT, Direction.RIGHT, Direction.ACROSS, Direction.NONE)),
    },
    opening=Opening.LOWEST_CLUB,
    leading=Leading("C5", broken_by=c.HEARTS),
    void=Void(first_trick_bars=c.HEARTS | _QUEEN),
    values=_HEARTS_AND_QUEEN,
    moon=Moon(shooter=0, shooter_for_each_other=0, others=26),
    options=(
        Option(
            "first_trick_penalties",
            "C8",
            "forbidden",
            ("forbidden", "allowed"),
            lambda variant, value: replace(
                variant, void=Void(first_trick_bars=c.HEARTS | _QUEEN if value == "forbidden" else 0)
            ),
        ),
        Option(
            "queen_breaks_hearts",
            "C8",
            False,
            (False, True),
            lambda variant, value: replace(
                variant, leading=Leading("C5", broken_by=c.HEARTS | _QUEEN if value else c.HEARTS)
            ),
        ),
        Option(
            "jack_of_diamonds",
            "C9",
            False,
            (False, True),
            lambda variant, value: replace(
                variant, values={**_HEARTS_AND_QUEEN, "JD": -11} if value else _HEARTS_AND_QUEEN
            ),
        ),
    ),
)

_HEARTS_FROM_TRICK = Option(
    "hearts_from_trick",
    "B5",
    None,
    (),
    lambda variant, value: replace(variant, leading=Leading("B5", from_trick=value if type(value) is int else 1)),
)


def _pass_to(variant: Variant, value: OptionValue) -> Variant:
    """Option B2, for each number of players."""
    cycles = {
        "right": (Direction.RIGHT,),
        "left": (Direction.LEFT,),
        "right-across": (Direction.RIGHT, Direction.ACROSS),
    }
    return replace(
        variant,
        passing={players: Passing(3 if players < 6 else 2, cycles[str(value)]) for players in variant.players},
    )


BLACK_LADY = Variant(
    name="black-lady",
    title="Black Lady",
    title_ru="Чёрная дама",
    players=tuple(range(3, 8)),
    clauses=("B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9"),
    rest=Rest.KITTY,
    void=Void(must_discard=_QUEEN),
    values=_HEARTS_AND_QUEEN,
    settlement=Settlement.AVERAGE,
    options=(
        Option(
            "pass",
            "B2",
            "right",
            ("right", "left", "right-across"),
            _pass_to,
            even_players_only=("right-across",),
        ),
        Option(
            "must_discard_queen",
            "B4",
            True,
            (True, False),
            lambda variant, value: replace(variant, void=Void(must_discard=_QUEEN if value else 0)),
        ),
        _HEARTS_FROM_TRICK,
        Option("settlement", "B7", "average", ("average", "pot", "sweepstake"), _set_settlement),
    ),
)

CANCELLATION = Variant(
    name="cancellation",
    title="Cancellation Hearts",
    title_ru="Червы с отменой",
    players=tuple(range(7, 11)),
    clauses=("X1", "X2", "X3", "X4", "X5"),
    pack=Pack(packs=2),
    rest=Rest.KITTY,
    trick_rule=TrickRule.CANCELLATION,
    stranded=Stranded.LAST_LEADER,
    values=_HEARTS_AND_QUEEN,
)

NO_QUEEN = replace(
    BLACK_LADY,
    name="no-queen",
    title="Hearts without the Black Lady",
    title_ru="Червы без чёрной дамы",
    clauses=("N1", "N2"),
    void=Void(),
    values=_HEARTS_1,
    settlement=Settlement.HOWELL,
    options=(
        _HEARTS_FROM_TRICK,
        Option("settlement", "N2", "howell", ("howell", "average", "pot", "sweepstake"), _set_settlement),
    ),
)

VARIANTS: Final = {
    variant.name: variant
    for variant in (
        HEARTS, DOMINO, GREEK, WIDOW, OMNIBUS, SPOT, CLASSIC, BLACK_LADY, CANCELLATION, NO_QUEEN,
    )
}  # fmt: skip
"""By name, in the rulebook's order."""


def nearest(word: str, words: Iterable[str]) -> str:
    """A hint for a misspelt word: ``"; did you mean 'classic'?"``, or the list of what there is."""
    known = list(words)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there is {', '.join(known) or 'none'}"


def rules(name: str, players: int, options: Mapping[str, OptionValue] | None = None) -> Rules:
    """The rules of a table; ValueError in one line, with the nearest valid name, where there is no such game."""
    variant = VARIANTS.get(name)
    if variant is None:
        raise ValueError(f"no variant {name!r}{nearest(name, VARIANTS)}")
    if players not in variant.players:
        admitted = variant.players
        span = f"{admitted[0]} to {admitted[-1]}" if len(admitted) > 1 else f"{admitted[0]}"
        closest = min(admitted, key=lambda number: abs(number - players))
        raise ValueError(f"{name} is for {span} players, not {players}; the nearest is {closest}")
    given = dict(options or {})
    known = {option.name: option for option in variant.options}
    for key, value in given.items():
        if key not in known:
            raise ValueError(f"{name} has no option {key!r}{nearest(key, known)}{_owners(key)}")
        option = known[key]
        if not option.admits(value):
            raise ValueError(f"{name}: {key} is {option.describe()}, not {value!r}")
        if value in option.even_players_only and players % 2:
            raise ValueError(f"{name}: {key} {value!r} is for even numbers of players, not {players}")
    settled = {key: given.get(key, option.default) for key, option in known.items()}
    for key, option in known.items():
        variant = option.apply(variant, settled[key])
    return Rules(variant, settled, players)


def _owners(option: str) -> str:
    """Whose option it is, for who took the wrong variant."""
    owners = [name for name, variant in VARIANTS.items() if any(option == one.name for one in variant.options)]
    return f" ({option!r} is an option of {', '.join(owners)})" if owners else ""
