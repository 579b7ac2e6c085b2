"""What the points of a deal can sum to: the check on whatever has been written down of it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from arena.rules.variant import Rest, Rules

COMPLETE: Final = "complete"  # played to its last trick, and nobody shot the moon
MOON: Final = "moon"
STOPPED: Final = "stopped"  # by a revoke


@lru_cache(64)
def sums(rules: Rules) -> Mapping[str, frozenset[int]]:
    """By how a deal ended: what the points of all seats can sum to; nothing where it cannot end so (G8, G9, W3)."""
    lost = rules.rest_size if rules.variant.rest is Rest.WIDOW and not rules.variant.discards_count else 0
    found = {
        COMPLETE: _left((rules.points[card] for card in rules.pack), lost),
        STOPPED: frozenset({rules.penalty}),
        MOON: frozenset[int](),
    }
    moon = rules.variant.moon
    if moon:
        award = sum(moon.award(0, rules.players))
        beside = (0 if moon.cards >> card & 1 else rules.points[card] for card in rules.pack)
        found[MOON] = frozenset(award + points for points in _left(beside, lost))
    return found


def _left(points: Iterable[int], lost: int) -> frozenset[int]:
    """What cards of these points can sum to when so many of them count for nobody."""
    total = 0
    gone: list[set[int]] = [{0}, *(set() for _ in range(lost))]  # by number of cards: points that can be gone
    for value in points:
        total += value
        for number in range(lost, 0, -1):
            gone[number] |= {before + value for before in gone[number - 1]}
    return frozenset(total - one for one in gone[lost])
