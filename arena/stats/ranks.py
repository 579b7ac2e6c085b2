"""How sure a rank is: the bootstrap over deal streams."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arena.stats.intervals import UPPER

DRAWS = 2000
CHUNK = 200  # draws held in memory at once
LABEL = b"HEARTS-ARENA-1/bootstrap"
# Every share of a table of up to ten seats, averaged over up to ten matches, is a whole number of these parts.
FINEST = 5040 * 2520

Ints = NDArray[np.int64]
Parts = Mapping[str, tuple[Fraction, int]]  # by stream: numerator and denominator of the measure, more being better


@dataclass(frozen=True, slots=True)
class RankChance:
    """Between which ranks a bot is with 95 %, and its chance of being first; a shared first place is split."""

    low: int
    high: int
    first: float


def rank_chances(bots: Sequence[Parts], *, key: bytes, draws: int = DRAWS) -> tuple[RankChance, ...] | None:
    """In the order of the bots, or None when there are fewer than two streams to draw from.

    Each draw takes as many streams as there are, with replacement, and ranks the bots by
    Σ numerators / Σ denominators; a bot that is on none of them keeps its value over all (B. Efron, 1979).
    Randomness is SHAKE-256 of a label, the key and the number of the chunk: 32-bit big-endian numbers, scaled to
    the streams by multiplication. Sums are of integers, so the result is the same on every machine.
    """
    streams = list(dict.fromkeys(stream for bot in bots for stream in bot))
    if len(streams) < 2:
        return None
    position = {stream: index for index, stream in enumerate(streams)}
    scale = min(math.lcm(*(part.denominator for bot in bots for part, _ in bot.values())), FINEST)
    columns = [
        (
            np.array([position[stream] for stream in bot], np.int64),
            np.array([round(part * scale) for part, _ in bot.values()], np.int64),
            np.array([denominator for _, denominator in bot.values()], np.int64),
        )
        for bot in bots
    ]
    ranks = np.concatenate(
        [
            _ranks(_weights(key, chunk, min(CHUNK, draws - chunk * CHUNK), len(streams)), columns)
            for chunk in range(-(-draws // CHUNK))
        ]
    )
    winners = (ranks == 1).sum(axis=1)
    tail = math.floor((1 - UPPER) * draws)
    chances: list[RankChance] = []
    for column in range(len(bots)):
        ordered = np.sort(ranks[:, column])
        first = math.fsum(1 / int(n) for n in winners[ranks[:, column] == 1]) / draws
        chances.append(RankChance(int(ordered[tail]), int(ordered[draws - 1 - tail]), first))
    return tuple(chances)


def _weights(key: bytes, chunk: int, draws: int, streams: int) -> Ints:
    """How often each draw takes each stream: draws × streams."""
    digest = hashlib.shake_256(LABEL + key + chunk.to_bytes(8, "big")).digest(4 * draws * streams)
    numbers = np.frombuffer(digest, ">u4").astype(np.uint64)
    taken = ((numbers * np.uint64(streams)) >> np.uint64(32)).astype(np.int64).reshape(draws, streams)
    taken += np.arange(draws, dtype=np.int64)[:, None] * streams
    return np.bincount(taken.ravel(), minlength=draws * streams).astype(np.int64).reshape(draws, streams)


def _ranks(weights: Ints, columns: Sequence[tuple[Ints, Ints, Ints]]) -> Ints:
    """The rank of each bot in each draw, from 1, equal values sharing the best: draws × bots."""
    values = np.zeros((len(weights), len(columns)))
    for bot, (at, numerators, denominators) in enumerate(columns):
        taken = weights[:, at]
        totals = taken @ denominators
        everything = int(denominators.sum())
        fallback = int(numerators.sum()) / everything if everything else 0.0
        values[:, bot] = np.where(totals > 0, (taken @ numerators) / np.maximum(totals, 1), fallback)
    order = np.argsort(-values, axis=1)
    descending = np.take_along_axis(values, order, axis=1)
    # The rank of a bot that is equal to the one before it is that one's.
    place = np.broadcast_to(np.arange(1, len(columns) + 1), values.shape).copy()
    place[:, 1:][descending[:, 1:] == descending[:, :-1]] = 0
    ranks = np.empty(values.shape, np.int64)
    np.put_along_axis(ranks, order, np.maximum.accumulate(place, axis=1), axis=1)
    return ranks
