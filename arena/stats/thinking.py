"""Answer times in little space: a histogram with logarithmic buckets that can be merged."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import log2
from typing import Any

# Bucket i holds the whole nanoseconds n with ⌊16·log2 n⌋ = i: it is 4.4 % wide, its middle is 2.2 % from its ends.
PER_OCTAVE = 16
NANO = 1_000_000_000

_compact = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Thinking:
    """How long answers took. Sums are of whole nanoseconds, so merging is exact and in any order the same."""

    count: int = 0
    total_ns: int = 0
    max_ns: int = 0
    buckets: tuple[tuple[int, int], ...] = ()  # (bucket, answers), ascending, none empty

    @property
    def total_s(self) -> float:
        return self.total_ns / NANO

    @property
    def max_s(self) -> float:
        return self.max_ns / NANO

    @property
    def mean_s(self) -> float | None:
        """Seconds an answer, or None without answers."""
        return self.total_ns / self.count / NANO if self.count else None

    def quantile(self, share: float) -> float | None:
        """Seconds within which this share (0 … 1) of the answers came, to 2.3 %; exact for 1; None without answers."""
        if not 0 <= share <= 1:
            raise ValueError(f"a quantile is of a share from 0 to 1, not {share}")
        if share == 1:
            return self.max_s if self.count else None
        below = 0
        for bucket, answers in self.buckets:
            below += answers
            if below >= share * self.count:
                return float(min(2 ** ((bucket + 0.5) / PER_OCTAVE), self.max_ns)) / NANO
        return None

    def to_text(self) -> str:
        """Compact JSON: ``[total_ns,max_ns,[[bucket,answers],…]]``; the count is the sum of the answers."""
        return _compact([self.total_ns, self.max_ns, self.buckets])

    @classmethod
    def from_text(cls, text: str) -> "Thinking":
        """The inverse of ``to_text``. ValueError for any other text."""
        try:
            total, longest, buckets = json.loads(text)
            pairs = tuple([(bucket, answers) for bucket, answers in buckets])
            check_whole((total, longest, *chain.from_iterable(pairs)))
            return cls(sum([answers for _, answers in pairs]), total, longest, pairs)
        except (TypeError, ValueError) as error:
            raise ValueError(f"not a histogram of answer times: {text[:80]!r}") from error


def check_whole(values: Sequence[Any]) -> None:
    """ValueError where any of these is not a whole number, 0 or more."""
    # By loops in C: a league has half a million of them.
    if not set(map(type, values)) <= {int} or min(values, default=0) < 0:
        raise ValueError(f"{str(values)[:80]} are not all whole numbers")


@dataclass(slots=True)
class Stopwatch:
    """Collects answer times while a match is played; ``thinking()`` is what it has so far."""

    total_ns: int = 0
    max_ns: int = 0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float, answers: int = 1) -> None:
        """Count answers that took as long. ValueError for a time below 0, OverflowError or ValueError if not finite."""
        ns = round(seconds * NANO)
        if ns < 0:
            raise ValueError(f"an answer cannot take {seconds} s")
        bucket = int(PER_OCTAVE * log2(ns)) if ns else 0
        self.buckets[bucket] = self.buckets.get(bucket, 0) + answers
        self.total_ns += ns * answers
        if ns > self.max_ns:
            self.max_ns = ns

    def thinking(self) -> Thinking:
        buckets = tuple(sorted(self.buckets.items()))
        return Thinking(sum(self.buckets.values()), self.total_ns, self.max_ns, buckets)


def merged(parts: Iterable[Thinking]) -> Thinking:
    """All answers together, in any order the same."""
    buckets: defaultdict[int, int] = defaultdict(int)
    watch = Stopwatch(buckets=buckets)
    for part in parts:
        watch.total_ns += part.total_ns
        watch.max_ns = max(watch.max_ns, part.max_ns)
        for bucket, answers in part.buckets:
            buckets[bucket] += answers
    return watch.thinking()
