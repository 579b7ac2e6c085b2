import random
from fractions import Fraction

from arena.stats.tiers import STREAMS_MIN, neighbours, tiers


def made(levels: list[float], streams: int, noise: float, seed: int = 1) -> list[dict[str, Fraction]]:
    """Scores by stream of bots whose means are exactly these levels."""
    draw = random.Random(seed)
    ranking: list[dict[str, Fraction]] = []
    for level in levels:
        scores = [Fraction(draw.gauss(0, noise)) for _ in range(streams)]
        shift = Fraction(level) - sum(scores, Fraction(0)) / streams
        ranking.append({f"s{n}": score + shift for n, score in enumerate(scores)})
    return ranking


def test_a_clear_gap_starts_a_tier_and_noise_does_not() -> None:
    ranking = made([0.7, 0.69, 0.68, 0.3, 0.29], 60, 0.1)
    assert tiers(ranking, 60) == (1, 1, 1, 2, 2)
    first, second, gap, last = neighbours(ranking)
    assert gap is not None
    assert gap < 0.001
    assert all(p is not None and p > 0.05 for p in (first, second, last))


def test_a_tier_ends_where_its_leader_is_left_not_where_a_neighbour_is() -> None:
    # Each differs little from the next one, but the last differs from the first.
    ranking = made([0.60, 0.57, 0.54, 0.51, 0.48], 100, 0.2, seed=3)
    found = tiers(ranking, 100)
    assert all(p is not None and p > 0.05 for p in neighbours(ranking))
    assert found[0] == 1
    assert found[-1] == 2
    assert list(found) == sorted(found, key=lambda tier: tier or 0)


def test_nothing_is_marked_below_twenty_streams() -> None:
    clear = made([1.0, 0.0], STREAMS_MIN - 1, 0.01)
    assert tiers(clear, STREAMS_MIN - 1) == (None, None)
    assert neighbours(clear) == (None,)
    enough = made([1.0, 0.0], STREAMS_MIN, 0.01)
    assert tiers(enough, STREAMS_MIN) == (1, 2)


def test_two_that_never_played_the_same_streams_are_not_told_apart() -> None:
    better, worse = made([1.0, 0.0], 60, 0.01)
    apart = [better, {f"other {stream}": score for stream, score in worse.items()}]
    assert tiers(apart, 120) == (1, 1)
    assert neighbours(apart) == (None,)


def test_equal_bots_are_seldom_split() -> None:
    split = 0
    for seed in range(150):
        draw = random.Random(seed)
        bots = [{f"s{n}": Fraction(draw.randrange(4), 3) for n in range(30)} for _ in range(6)]
        ranking = sorted(bots, key=lambda scores: -sum(scores.values()))
        split += tiers(ranking, 30)[-1] != 1
    # Twice the 5 % of one fixed leader: the best of six equal bots has been chosen by the same results.
    assert split <= 0.15 * 150


def test_a_table_of_one_or_none_has_no_neighbours() -> None:
    one = made([0.5], 30, 0.1)
    assert (neighbours(one), tiers(one, 30)) == ((), (1,))
    assert (neighbours([]), tiers([], 30)) == ((), ())


def test_a_bot_that_is_ahead_but_worse_where_both_played_is_not_told_to_be_better() -> None:
    ahead, behind = made([0.4, 0.6], 40, 0.05)
    ahead |= {f"alone {stream}": score + 2 for stream, score in ahead.items()}
    assert sum(ahead.values()) / len(ahead) > sum(behind.values()) / len(behind)
    assert neighbours([ahead, behind]) == (1.0,)
    assert tiers([ahead, behind], 80) == (1, 1)
    told = neighbours([behind, made([0.4], 40, 0.05, seed=2)[0]])[0]
    assert told is not None
    assert told < 0.001
