"""What the points of a deal can sum to."""

import pytest

from arena.rules.worth import COMPLETE, MOON, STOPPED, sums
from tests.rules.laid_out import table

KNOWN = [
    ("classic", 4, {}, {26}, {78}, 26),
    ("classic", 2, {}, {22}, {26}, 22),
    ("greek", 5, {}, {26}, {0}, 26),
    ("omnibus", 4, {}, {16}, {-26}, 26),
    ("domino", 4, {}, {13}, set(), 13),
    ("cancellation", 7, {}, {52}, set(), 52),
    ("widow", 4, {"discards_count": "taker"}, {26}, set(), 26),
    ("widow", 5, {}, {12, 13, 24, 25, 26}, set(), 26),
]


@pytest.mark.parametrize(("variant", "players", "options", "complete", "moon", "stopped"), KNOWN)
def test_what_a_deal_can_be_worth(
    variant: str, players: int, options: dict[str, str], complete: set[int], moon: set[int], stopped: int
) -> None:
    assert sums(table(variant, players, **options)) == {COMPLETE: complete, MOON: moon, STOPPED: {stopped}}
