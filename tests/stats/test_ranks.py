import random
from fractions import Fraction

import pytest

from arena.stats.ranks import rank_chances

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


def test_one_stream_tells_nothing() -> None:
    assert rank_chances(bots([1.0, 0.0], 1), key=KEY) is None
    assert rank_chances([], key=KEY) is None


def test_a_bot_on_few_streams_keeps_its_value_where_none_is_drawn() -> None:
    everywhere, rare = bots([0.0], 12)[0], {"s0": (Fraction(50), 1)}
    chances = rank_chances([everywhere, rare], key=KEY)
    assert chances is not None
    assert chances[1].first == 1


GOLDEN = [(1, 2, 1398), (1, 3, 582), (2, 3, 20)]
