"""Who is surely better than whom, as sentences to be put into words."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

from arena.stats.clusters import Cluster, Primary, clusters, scores
from arena.stats.exact import difference
from arena.stats.intervals import deviation, mean
from arena.stats.rows import MatchRow
from arena.stats.standings import Standing
from arena.stats.tiers import SIGNIFICANT, STREAMS_MIN

_NORMAL = NormalDist()
_POWER = 0.8  # with which a difference of this size would be found after so many more matches
_FAR = 20  # times as many streams as there are: nobody will play so many


@dataclass(frozen=True, slots=True)
class Pair:
    """Two bots of the table."""

    better: str
    worse: str
    sure: bool  # different at 95 %
    more: int | None  # matches of each that would probably settle it; None: no end in sight


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said about the table."""

    leaders: tuple[Standing, ...]  # who shares the first rank
    final: bool
    pairs: tuple[Pair, ...]  # neighbours, and the first of a tier with the first of the next; in rank order
    streams: int
    streams_needed: int  # before differences may be marked; 0: there are enough


def verdict(
    lines: Sequence[Standing], counted: Sequence[MatchRow], streams: int, *, primary: Primary, finished: bool
) -> Verdict:
    """The verdict on a table whose lines are these, ranked by ``primary``, from the matches that count."""
    by_bot = clusters(counted)
    playing = [line for line in lines if line.matches]
    untold = sum(line.behind is None or line.behind > SIGNIFICANT for line in playing[:-1])
    return Verdict(
        tuple(line for line in playing if line.rank == 1),
        finished,
        tuple(
            Pair(a.bot, b.bot, sure, None if sure else _more(by_bot[a.bot], by_bot[b.bot], untold, primary))
            for a, b, sure in _compared(playing)
            if sure or a.rank != b.rank  # of two that share a rank, none is the better one
        ),
        streams,
        max(0, STREAMS_MIN - streams),
    )


def _compared(lines: Sequence[Standing]) -> Iterator[tuple[Standing, Standing, bool]]:
    """Pairs to speak of, the better one first, and whether they surely differ."""
    leader = 0
    for at, (a, b) in enumerate(pairwise(lines)):
        sure = a.behind is not None and a.behind <= SIGNIFICANT
        if b.tier != a.tier and leader < at:
            # The next tier begins with b because it was compared with the leader, not with a.
            yield lines[leader], b, True
        yield a, b, sure or (b.tier != a.tier and leader == at)
        if b.tier != a.tier:
            leader = at + 1


def _more(a: Mapping[str, Cluster], b: Mapping[str, Cluster], untold: int, primary: Primary) -> int | None:
    """Matches that each of the two should play to be told apart, to two digits, among so many pairs of neighbours that
    have not been: Holm's method asks as much more of the next one.
    """
    scores_a, scores_b = scores(a, primary), scores(b, primary)
    differences = [difference(scores_a[stream], scores_b[stream]) for stream in a if stream in b]
    if len(differences) < 2:
        return None
    centre, spread = mean(differences), deviation(differences)
    if centre <= 0:
        return None
    away = _NORMAL.inv_cdf(1 - SIGNIFICANT / (2 * untold)) + _NORMAL.inv_cdf(_POWER)
    needed = max(STREAMS_MIN, math.ceil((away * spread / centre) ** 2))
    if needed > _FAR * len(differences):
        return None
    # The two do not meet the same deals in all of their matches.
    each = sum(cluster.matches for cluster in a.values()) / len(differences)
    more = max(1.0, (needed - len(differences)) * each)
    digits = max(0, math.floor(math.log10(more)) - 1)
    return round(math.ceil(more / 10.0**digits) * 10.0**digits)
