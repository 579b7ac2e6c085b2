"""docs/deals.md is enough: its program and its words deal every card of a league again, without the engine's deck."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.league.played import exported, league_file, played

PAGE = Path(__file__).parents[2] / "docs" / "deals.md"
PACK = tuple(rank + suit for suit in "CDSH" for rank in "23456789TJQKA")


def without(*out: str) -> tuple[str, ...]:
    return tuple(card for card in PACK if card not in out)


@pytest.mark.parametrize(
    ("variant", "bots", "seats", "pack", "size"),
    [
        ("black-lady", 3, 5, PACK, 10),  # the house in two seats, a kitty
        ("hearts", 5, 5, without("2D", "2C"), 10),
        ("widow", 4, 4, without("2S"), 12),
        ("domino", 2, 2, PACK, 6),
        ("cancellation", 7, 7, PACK * 2, 14),
    ],
)
def test_every_deal_of_a_league_is_dealt_again_from_the_page(
    variant: str, bots: int, seats: int, pack: Sequence[str], size: int, tmp_path: Path
) -> None:
    names: dict[str, Any] = {}
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(program, names)
    length: Callable[[bytes], bytes] = names["LP"]

    file = league_file("Кубок", bots=bots, schedule={"orbits": 1}, variant=variant, seats=seats, max_deals=2)
    league, *lines = map(json.loads, exported(played(tmp_path / "league.db", file)).splitlines())
    seed = bytes.fromhex(league["seed"])
    assert hashlib.sha256(b"HEARTS-DEAL-1/commit" + length(seed)).hexdigest() == league["commitment"]
    entrants = sorted(one["name"].encode() for one in league["entrants"] if one["ranked"])
    public = hashlib.sha256(b"".join(map(length, entrants))).digest() + bytes.fromhex(league["beacon"])
    streams = [line["stream"] for line in lines if line["format"] == "hearts-arena/fixture@1"]
    matches = [line["deals"] for line in lines if line["format"] == "hearts-arena/match@1"]
    assert len(matches) == len(streams) > 0
    for stream, deals in zip(streams, matches, strict=True):
        for index, deal in enumerate(deals):
            cards = names["shuffled"](names["deal_key"](seed, league["league"], public, stream, index), pack)
            dealer = (seats - 1 + index) % seats
            hands: list[list[str]] = [[] for _ in range(seats)]
            for place, card in enumerate(cards[: size * seats]):
                hands[(dealer + 1 + place) % seats].append(card)
            assert deal["dealer"] == dealer
            assert [sorted(hand.split()) for hand in deal["hands"]] == [sorted(hand) for hand in hands]
            assert deal["rest"].split() == cards[size * seats :]
