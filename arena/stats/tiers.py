"""Which differences in a table are real: tests between bots on the deals that both played."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from arena.stats.exact import difference, total
from arena.stats.holm import holm
from arena.stats.intervals import paired_test

SIGNIFICANT = 0.05
STREAMS_MIN = 20  # below, a pair of bots is never marked as different

Scores = Mapping[str, Fraction]  # by stream, more being better


def neighbours(ranking: Sequence[Scores]) -> tuple[float | None, ...]:
    """For each bot but the last, the Holm-adjusted p that it is no better than the next one; None if the two share
    fewer than ``STREAMS_MIN`` streams.
    """
    tests = [_behind(a, b) for a, b in pairwise(ranking)]
    adjusted = holm([1.0 if p is None else p for p in tests])
    return tuple(None if p is None else a for p, a in zip(tests, adjusted, strict=True))


def tiers(ranking: Sequence[Scores], streams: int) -> tuple[int | None, ...]:
    """The tier of each bot, from 1, in rank order; all None if the league has fewer than ``STREAMS_MIN`` streams.

    From the top, a bot that is worse than the first of its tier at 5 % starts the next tier. Each bot but the first
    is compared once, with the leader of the tier it would join, and Holm's method covers these tests together; those
    further down count with the leader at the time. The leader has been chosen by the same results, which is not made
    up for: among bots that are all equal, a second tier appears in about one league of ten, not of twenty.
    """
    if streams < STREAMS_MIN:
        return (None,) * len(ranking)
    tier = [1] * len(ranking)
    leader = 0
    p_values = _against(ranking, leader, [])
    for bot in range(1, len(ranking)):
        tier[bot] = tier[bot - 1]
        if holm(p_values)[bot - 1] <= SIGNIFICANT:
            tier[bot] += 1
            leader = bot
            p_values = _against(ranking, leader, p_values[:bot])
    return tuple(tier)


def _against(ranking: Sequence[Scores], leader: int, settled: list[float]) -> list[float]:
    """The p-values so far, and those of all bots behind the leader."""
    tests = [_behind(ranking[leader], bot) for bot in ranking[leader + 1 :]]
    return settled + [1.0 if p is None else p for p in tests]


def _behind(ahead: Scores, bot: Scores) -> float | None:
    """Two-sided p of the difference on the streams they share, or 1 where the bot is not the worse one on these,
    whatever it is over all; None with fewer than ``STREAMS_MIN``.
    """
    shared = [stream for stream in ahead if stream in bot]
    if len(shared) < STREAMS_MIN:
        return None
    if total(ahead[stream] for stream in shared) <= total(bot[stream] for stream in shared):
        return 1.0
    return paired_test([difference(ahead[stream], bot[stream]) for stream in shared])
