"""Deals and matches as lines of JSON: strictly read, never half.

The format is docs/records.md. Reading checks JSON, fields, types and the pack; whether the plays are legal is for
`replay` to find out.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.catalogue import nearest
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Deal
from arena.rules.match import TARGET, dealer_of
from arena.rules.variant import OptionValue, Rest, Rules

DEAL: Final = "hearts-arena/deal@1"
MATCH: Final = "hearts-arena/match@1"
DIGITS: Final = 1000  # of a number: Python writes none of more than 4300, and sums are longer than what was read

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_T = TypeVar("_T")

_GAME: Final = ("format", "variant", "options", "players")
_DEAL: Final = (
    "deal", "dealer", "hands", "rest", "passes", "discards", "plays", "pot", "constructed", "stopped",
)  # fmt: skip
_MATCH: Final = ("bots", "target", "max_deals", "deals")


class BadRecord(ValueError):  # noqa: N818
    """A record that cannot be read, or cannot have happened; where it can be told, with the place."""

    def __init__(
        self, message: str, *, trick: int | None = None, seat: int | None = None, card: Card | None = None
    ) -> None:
        """``message`` is one line that says what and where, with the value."""
        super().__init__(message)
        self.trick = trick
        self.seat = seat
        self.card = card


@dataclass(frozen=True, slots=True)
class DealRecord:
    """A deal as it is written down; cards are faces."""

    rules: Rules
    number: int
    dealer: int
    hands: tuple[Cards, ...]
    rest: tuple[Card, ...]
    passes: tuple[tuple[Card, ...], ...]  # by seat, empty for a seat that has not passed
    discards: tuple[Card, ...]
    plays: tuple[tuple[Card, ...], ...]
    pot: int
    stopped: int | None


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match as it is written down. Its deals are read one by one, as the match comes to them."""

    rules: Rules
    bots: tuple[str, ...]
    target: int
    max_deals: int | None
    deals: tuple[Json, ...]


def read(line: str) -> DealRecord | MatchRecord:
    """The record of one line; BadRecord where it is none."""
    try:
        data: Json = json.loads(line, object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"not JSON: {error}" if str(error) else "not JSON: nested too deeply") from None
    if not isinstance(data, dict):
        raise BadRecord(f"a record is an object, not {_shown(data)}")
    kind = data.get("format")
    if kind not in (DEAL, MATCH):
        raise BadRecord(f"format is {DEAL!r} or {MATCH!r}, not {_shown(kind)}")
    known = _GAME + (_DEAL if kind == DEAL else _MATCH)
    _known(data, known)
    options = _typed(data, "options", dict, {})
    players = _whole(data, "players")
    try:
        rules = rules_of(_typed(data, "variant", str), players, {key: _option(one) for key, one in options.items()})
    except ValueError as error:
        raise BadRecord(str(error)) from None
    if kind == DEAL:
        return read_deal({key: value for key, value in data.items() if key not in _GAME}, rules)
    bots = _strings(data, "bots", ())
    if "bots" in data and len(bots) != players:
        raise BadRecord(f"bots: {len(bots)} names for {players} seats")
    deals = _typed(data, "deals", list)
    limit = None if data.get("max_deals") is None else _whole(data, "max_deals", least=1)
    return MatchRecord(rules, bots, _whole(data, "target", TARGET, least=1), limit, tuple(deals))


def read_match_deal(data: Json, rules: Rules, index: int, pot: int) -> DealRecord:
    """Deal ``index`` of a match, with its number, dealer and ``pot`` as the match makes them."""
    if not isinstance(data, dict):
        raise BadRecord(f"deals: a deal is an object, not {_shown(data)}")
    deal = read_deal({"deal": index, "pot": pot, **data}, rules)
    due = {"deal": index, "dealer": dealer_of(index, rules.players), "pot": pot}
    for field, found in (("deal", deal.number), ("dealer", deal.dealer), ("pot", deal.pot)):
        if found != due[field]:
            raise BadRecord(f"{field} is {due[field]} in deal {index} of this match, not {found}")
    return deal


def read_deal(data: Mapping[str, Json], rules: Rules) -> DealRecord:
    """A deal's own fields, without what its match or record says about the game."""
    _known(data, _DEAL)
    players = rules.players
    number = _whole(data, "deal", 0)
    dealer = _whole(data, "dealer", dealer_of(number, players))
    if dealer >= players:
        raise BadRecord(f"dealer: no seat {dealer} among {players}")
    hands = [_cards("hands", text) for text in _strings(data, "hands")]
    if len(hands) != players:
        raise BadRecord(f"hands: {len(hands)} hands for {players} players")
    rest = _cards("rest", _typed(data, "rest", str, ""))
    passes = [_cards("passes", text) for text in _strings(data, "passes", ())]
    if passes and len(passes) != players:
        raise BadRecord(f"passes: {len(passes)} entries for {players} players")
    discards = _cards("discards", _typed(data, "discards", str, ""))
    plays = [_cards("plays", text) for text in _strings(data, "plays", ())]
    pot = _whole(data, "pot", 0)
    constructed = _typed(data, "constructed", bool, False)
    stopped: int | None = None
    if data.get("stopped") is not None:
        stop = _typed(data, "stopped", dict)
        _known(stop, ("seat",))
        stopped = _whole(stop, "seat")
        if stopped >= players:
            raise BadRecord(f"stopped: no seat {stopped} among {players}")
    (_check_constructed if constructed else _check_pack)(rules, hands, rest)
    seen: Counter[Card] = Counter()
    masks = tuple(c.mask(_copies(hand, seen)) for hand in hands)
    return DealRecord(
        rules, number, dealer, masks, _copies(rest, seen), tuple(passes), discards, tuple(plays), pot, stopped
    )


def write_deal(deal: Deal, pot: int) -> dict[str, Json]:
    """A deal's own fields as far as it has been played; ``pot`` is the chips before it."""
    tricks = [trick.cards for trick in deal.tricks] + ([tuple(deal.trick)] if deal.trick else [])
    return {
        "deal": deal.number,
        "dealer": deal.dealer,
        "hands": [c.text(c.faces_of(hand)) for hand in deal.first_hands],
        "rest": c.text(deal.first_rest),
        "passes": [c.text(c.faces_of(cards)) for cards in deal.passed] if any(deal.passed) else [],
        "discards": c.text(c.faces_of(deal.discards)),
        "plays": [c.text(cards) for cards in tricks],
        "pot": pot,
        "stopped": None if deal.stopped is None else {"seat": deal.stopped},
    }


def game_fields(rules: Rules, kind: str) -> dict[str, Json]:
    """What a record says about the game; ``kind`` is `DEAL` or `MATCH`."""
    options: dict[str, Json] = dict(rules.options)
    return {"format": kind, "variant": rules.name, "options": options, "players": rules.players}


def _check_pack(rules: Rules, hands: Sequence[Sequence[Card]], rest: Sequence[Card]) -> None:
    """The variant's pack, card by card, in hands of its size."""
    for seat, hand in enumerate(hands):
        if len(hand) != rules.hand_size:
            raise BadRecord(f"hands: seat {seat} has {len(hand)} cards, not {rules.hand_size}")
    dealt = Counter(rest)
    for hand in hands:
        dealt.update(hand)
    pack = Counter(card % c.FACES for card in rules.pack)
    for face in range(c.FACES):
        if dealt[face] != pack[face]:
            raise BadRecord(f"hands and rest: {c.name(face)} is there {dealt[face]} times, not {pack[face]}")


def _check_constructed(rules: Rules, hands: Sequence[Sequence[Card]], rest: Sequence[Card]) -> None:
    """A position: anything that could be played."""
    variant = rules.variant
    sizes = {len(hand) for hand in hands}
    if min(sizes) == 0:
        raise BadRecord("hands: a hand is empty")
    if len(sizes) > 1 and variant.rest is not Rest.STOCK:
        raise BadRecord(f"hands: of {sorted(sizes)} cards, but they must be of equal size")
    if rest and variant.rest is Rest.NONE:
        raise BadRecord(f"rest: {rules.name} deals everything, but there is {c.text(rest)!r}")
    packs = max(rules.pack) // c.FACES + 1
    dealt = Counter(rest)
    for hand in hands:
        dealt.update(hand)
    for face, times in sorted(dealt.items()):
        if times > packs:
            raise BadRecord(f"hands and rest: {c.name(face)} is there {times} times")


def _copies(faces: Sequence[Card], seen: Counter[Card]) -> tuple[Card, ...]:
    """The cards of these faces: the first pack's at the first sight of a face, the second pack's at the second."""
    found = []
    for face in faces:
        found.append(face + c.FACES * seen[face])
        seen[face] += 1
    return tuple(found)


def _cards(field: str, text: str) -> tuple[Card, ...]:
    try:
        return c.parse(text)
    except ValueError as error:
        raise BadRecord(f"{field}: {error}") from None


def _known(data: Mapping[str, Json], known: Sequence[str]) -> None:
    for key in data:
        if key not in known:
            raise BadRecord(f"unknown field {key!r}{nearest(key, known)}")


def _option(value: Json) -> OptionValue:
    if value is None or isinstance(value, bool | int | str):
        return value
    raise BadRecord(f"options: {_shown(value)} is no value of an option")


def _whole(data: Mapping[str, Json], field: str, default: int | None = None, least: int = 0) -> int:
    value = _typed(data, field, int, default)
    if value < least:
        raise BadRecord(f"{field}: {value} is less than {least}")
    return value


def _strings(data: Mapping[str, Json], field: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
    found = []
    for one in _typed(data, field, list, None if default is None else list(default)):
        if not isinstance(one, str):
            raise BadRecord(f"{field}: a list of strings, not {_shown(one)}")
        found.append(one)
    return tuple(found)


def _typed(data: Mapping[str, Json], field: str, kind: type[_T], default: _T | None = None) -> _T:
    """The value of a field, of exactly that type; the default where it is absent."""
    if field not in data:
        if default is None:
            raise BadRecord(f"missing field {field!r}")
        return default
    value = data[field]
    if type(value) is not kind:
        raise BadRecord(f"{field}: {_shown(value)} is of the wrong type")
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """A JSON object; a key that comes twice would silently lose a value."""
    data = dict(pairs)
    if len(data) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice!r} comes twice")
    return data


def _integer(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, where {DIGITS} are the most")
    return int(digits)


def _constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _shown(value: Json) -> str:
    """A value for a message, short."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
