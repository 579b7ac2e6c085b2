"""Histograms of answer times by the thousand: as written, and added up without making an object of each."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from arena.stats.thinking import Thinking, merged

LARGE: Final = 1 << 53
"""Whole numbers up to here are floats without rounding; a count of answers is far below, and so is a bucket."""
BUCKETS: Final = 4096  # every bucket of a time of up to 2²⁵⁶ ns


def merged_texts(texts: Sequence[str]) -> Thinking:
    """All answers of the histograms of these texts together: ``merged(map(Thinking.from_text, texts))`` in a sixth
    of the time. ValueError for a text that ``Thinking.from_text`` refuses.
    """
    numbers, sizes = _numbers(texts)
    if numbers is None:
        return merged(map(Thinking.from_text, texts))
    ends = np.cumsum(2 + 2 * np.array(sizes, np.int64))
    heads = ends - 2 - 2 * np.array(sizes, np.int64)
    in_pairs = np.ones(len(numbers), bool)
    in_pairs[heads] = in_pairs[heads + 1] = False
    buckets, answers = numbers[in_pairs].reshape(-1, 2).T
    if len(buckets) and buckets.max() >= BUCKETS:
        return merged(map(Thinking.from_text, texts))
    counts = np.bincount(buckets, answers)
    found = [(int(bucket), int(counts[bucket])) for bucket in np.unique(buckets)]
    total, longest = numbers[heads].tolist(), numbers[heads + 1].tolist()
    return Thinking(sum(count for _, count in found), sum(total), max(longest), tuple(found))


def _numbers(texts: Sequence[str]) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]] | None, list[int]]:
    """All numbers of the texts one after the other, and how many buckets each text has; None unless all texts are as
    ``Thinking.to_text`` writes them, with numbers of a size that they have in play.
    """
    sizes = [0 if text.endswith(",[]]") else text.count("],[") + 1 for text in texts]
    joined = ",".join(texts).encode()
    marks = joined.translate(None, b"0123456789")
    if not texts or marks != b",".join(map(_marks, sizes)) or any(gap in joined for gap in (b"[,", b",,", b",]")):
        return None, sizes
    digits = joined.replace(b",[]", b"").translate(None, b"[]")
    numbers = np.fromstring(digits, np.int64, sep=",")
    return (numbers if numbers.sum(dtype=float) < LARGE else None), sizes


@lru_cache(maxsize=1024)
def _marks(size: int) -> bytes:
    """What is between the digits of a histogram of so many buckets."""
    return b"[,,[" + b",".join([b"[,]"] * size) + b"]]"
