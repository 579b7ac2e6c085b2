import hashlib
import math
import random
from fractions import Fraction

import pytest

from arena.stats.ranks import CHUNK, Parts, RankChance, rank_chances

KEY = b"key of the league"


def bots(levels: list[float], streams: int, seed: int = 1) -> list[dict[str, tuple[Fraction, int]]]:
    draw = random.Random(seed)
    return [
        {f"s{n}": (Fraction(round(100 * draw.gauss(level, 0.3)), 100), 1) for n in range(streams)} for level in levels
    ]


def test_the_chances_of_being_first_sum_to_one() -> None:
    chances = rank_chances(bots([0.5, 0.5, 0.5, 0.4], 30), key=KEY)
    assert chances is not None
    assert sum(chance.first for chance in chances) == pytest.approx(1)
    assert all(1 <= chance.low <= chance.high <= 4 for chance in chances)


def test_a_clear_order_leaves_no_doubt() -> None:
    chances = rank_chances(bots([3.0, 2.0, 1.0], 40), key=KEY)
    assert chances is not None
    assert [(c.low, c.high, c.first) for c in chances] == [(1, 1, 1.0), (2, 2, 0.0), (3, 3, 0.0)]


def test_bots_that_are_alike_share_every_rank() -> None:
    same = bots([0.5], 30) * 3
    chances = rank_chances(same, key=KEY)
    assert chances is not None
    assert [(c.low, c.high) for c in chances] == [(1, 1)] * 3
    assert [c.first for c in chances] == pytest.approx([1 / 3] * 3)


def test_the_chance_of_first_is_that_of_the_bootstrap() -> None:
    # Two bots and two streams, each won by one of them, 3 : 2. Drawn twice: (1,1), (1,2), (2,1), (2,2); the first bot
    # is ahead unless the second stream is drawn twice.
    first = {"s0": (Fraction(3), 1), "s1": (Fraction(0), 1)}
    second = {"s0": (Fraction(0), 1), "s1": (Fraction(2), 1)}
    chances = rank_chances([first, second], key=KEY, draws=8000)
    assert chances is not None
    assert chances[0].first == pytest.approx(0.75, abs=0.02)


def test_ratios_are_ratios_of_sums() -> None:
    # By deal: −(10 + 30)/(5 + 30) against −1.2 on both; the mean of the two ratios would be worse than −1.2.
    uneven = {"s0": (Fraction(-10), 5), "s1": (Fraction(-30), 30)}
    steady = {"s0": (Fraction(-6), 5), "s1": (Fraction(-36), 30)}
    chances = rank_chances([uneven, steady], key=KEY)
    assert chances is not None
    # Ahead in all draws but those of the first stream alone.
    assert chances[0].first == pytest.approx(0.75, abs=0.05)


def test_the_key_seeds_the_draws() -> None:
    league = bots([0.5, 0.5, 0.5], 25)
    assert rank_chances(league, key=KEY) == rank_chances(league, key=KEY)
    assert rank_chances(league, key=KEY) != rank_chances(league, key=b"another")


def test_the_draws_are_golden() -> None:
    # Published tables are made again to verify them, on any machine and with any version of the libraries.
    chances = rank_chances(bots([0.5, 0.45, 0.4], 25), key=KEY)
    assert chances is not None
    assert [(c.low, c.high, round(c.first * 2000)) for c in chances] == GOLDEN


def by_hand(league: list[Parts], draws: int) -> list[RankChance]:
    """The documented bootstrap, draw by draw and with fractions."""
    streams = list(dict.fromkeys(stream for bot in league for stream in bot))
    found: list[list[int]] = []
    for chunk in range(math.ceil(draws / CHUNK)):
        here = min(CHUNK, draws - len(found))
        seed = b"HEARTS-ARENA-1/bootstrap" + KEY + chunk.to_bytes(8, "big")
        bits = hashlib.shake_256(seed).digest(4 * here * len(streams))
        numbers = [int.from_bytes(bits[at : at + 4], "big") for at in range(0, len(bits), 4)]
        taken = [streams[number * len(streams) >> 32] for number in numbers]
        for at in range(0, len(taken), len(streams)):
            values = []
            for bot in league:
                drawn = [bot[stream] for stream in taken[at : at + len(streams)] if stream in bot]
                if not sum(weight for _, weight in drawn):
                    drawn = list(bot.values())
                weight = sum(weight for _, weight in drawn)
                values.append(sum((part for part, _ in drawn), Fraction(0)) / weight if weight else Fraction(0))
            found.append([1 + sum(other > value for other in values) for value in values])
    outside = math.floor(draws / 40)
    chances = []
    for at in range(len(league)):
        ordered = sorted(ranks[at] for ranks in found)
        first = sum((Fraction(1, ranks.count(1)) for ranks in found if ranks[at] == 1), Fraction(0)) / draws
        chances.append(RankChance(ordered[outside], ordered[-1 - outside], float(first)))
    return chances


@pytest.mark.parametrize("draws", [CHUNK - 60, CHUNK, 2 * CHUNK + 90])
@pytest.mark.parametrize("seed", range(3))
def test_chances_are_those_of_the_documented_draws(draws: int, seed: int) -> None:
    # Bots that miss some streams, or have no deals there, and values that are often equal.
    draw = random.Random(seed)
    league: list[Parts] = [
        {
            f"s{n}": (Fraction(draw.randrange(-3, 4), 6), draw.randrange(3))
            for n in draw.sample(range(7), draw.choice([1, 2, 7]))
        }
        for _ in range(5)
    ]
    found = rank_chances([*league, {}], key=KEY, draws=draws)
    assert found is not None
    expected = by_hand([*league, {}], draws)
    assert [(one.low, one.high) for one in found] == [(one.low, one.high) for one in expected]
    assert [one.first for one in found] == pytest.approx([one.first for one in expected])


def test_one_stream_tells_nothing() -> None:
    assert rank_chances(bots([1.0, 0.0], 1), key=KEY) is None
    assert rank_chances([], key=KEY) is None


def test_a_bot_on_few_streams_keeps_its_value_where_none_is_drawn() -> None:
    everywhere, rare = bots([0.0], 12)[0], {"s0": (Fraction(50), 1)}
    chances = rank_chances([everywhere, rare], key=KEY)
    assert chances is not None
    assert chances[1].first == 1


GOLDEN = [(1, 2, 1398), (1, 3, 582), (2, 3, 20)]
