"""The table of a league: ranks, and how sure they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.stats.clusters import Cluster, Primary, clusters, overall, scores
from arena.stats.exact import total
from arena.stats.histograms import merged_texts
from arena.stats.intervals import Estimate, clustered_share, ratio, win_share
from arena.stats.ranks import RankChance, rank_chances
from arena.stats.rows import MatchRow, SeatRow, complete_orbits, in_order, placements
from arena.stats.strength import strengths
from arena.stats.thinking import Thinking
from arena.stats.tiers import STREAMS_MIN, neighbours, tiers

UNKNOWN = Estimate(0.0, None)


@dataclass(frozen=True, slots=True)
class SeatSplit:
    """How a bot fared in one seat; 0 without matches there."""

    matches: int
    placement: float
    points_per_deal: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table. All estimates are 0 without an interval for a bot with no match that counts."""

    bot: str
    rank: int  # from 1; shared if no tie-break tells two bots apart
    tier: int | None  # from 1; None with too few streams to mark differences
    behind: float | None  # p that it is no better than the next bot, adjusted over the table; None if untold
    matches: int
    deals: int
    streams: int
    placement: Estimate  # 0 … 1, more is better
    points_per_deal: Estimate  # fewer is better
    wins: Estimate  # share of matches, shared wins split
    strength: float | None  # Plackett–Luce, 1500 on average; None without any match
    ranks: RankChance | None  # None with too few streams, as the tier
    chips: Fraction
    moons: int
    moons_suffered: int
    faults: int
    forfeits: int
    thinking: Thinking
    by_seat: tuple[SeatSplit, ...]  # as many as the largest table has seats


def standings(
    rows: Iterable[MatchRow],
    *,
    key: bytes,
    primary: Primary = "placement",
    orbit_sizes: Mapping[int, int] | None = None,
) -> tuple[Standing, ...]:
    """The ranked bots in rank order, bots of a shared rank by name; the same for any order of the rows.

    ``key`` seeds the bootstrap. With ``orbit_sizes`` (tables by orbit, as scheduled) only complete orbits count,
    while the strength uses every row; a bot with no match that counts is last. Ranks follow the primary measure;
    ties are broken by points a deal, by the difference of placement against each other at shared tables, and by
    the share of wins. ValueError for a fixture that is there twice, or places that no match can end with.
    """
    everything = in_order(rows)
    counted = everything if orbit_sizes is None else complete_orbits(everything, orbit_sizes)
    names = {seat.bot for row in everything for seat in row.seats if seat.ranked}
    played = clusters(counted)
    by_bot = {bot: played.get(bot, {}) for bot in names}
    groups = _ranking(counted, by_bot, primary)
    order = [bot for group in groups for bot in group]
    measured = [scores(by_bot[bot], primary) for bot in order]
    league_streams = len({row.stream for row in counted})
    tier = tiers(measured, league_streams)
    behind = (*neighbours(measured), None)
    parts = [{stream: c.parts(primary) for stream, c in by_bot[bot].items()} for bot in order]
    # From a few streams the bootstrap makes certainty: of two, every other bot that is first in all draws is not best.
    chances = (rank_chances(parts, key=key) if league_streams >= STREAMS_MIN else None) or (None,) * len(order)
    strength = strengths(everything)
    seated = _seated(counted)
    width = max((len(row.seats) for row in everything), default=0)
    rank = {bot: 1 + sum(map(len, groups[:at])) for at, group in enumerate(groups) for bot in group}
    return tuple(
        _standing(
            bot,
            rank[bot],
            tier[at],
            behind[at],
            by_bot[bot],
            seated.get(bot, []),
            strength.get(bot),
            chances[at],
            width,
        )
        for at, bot in enumerate(order)
    )


def placement(cells: Sequence[Cluster]) -> Estimate:
    """Mean placement of one bot, from all its clusters."""
    return clustered_share([float(cell.score("placement")) for cell in cells])


def points_per_deal(cells: Sequence[Cluster]) -> Estimate:
    """Points a deal of one bot, from all its clusters."""
    return ratio([cell.points for cell in cells], [cell.deals for cell in cells])


def wins(cells: Sequence[Cluster]) -> Estimate:
    """Share of wins of one bot, from all its clusters."""
    return win_share([cell.won for cell in cells], [cell.matches for cell in cells])


@dataclass(frozen=True, slots=True)
class _Seated:
    seat: int
    deals: int
    placement: Fraction
    row: SeatRow


def _seated(rows: Iterable[MatchRow]) -> dict[str, list[_Seated]]:
    by_bot: dict[str, list[_Seated]] = {}
    for row in rows:
        shares = placements([seat.place for seat in row.seats])
        for number, (seat, share) in enumerate(zip(row.seats, shares, strict=True)):
            by_bot.setdefault(seat.bot, []).append(_Seated(number, row.deals, share, seat))
    return by_bot


def _standing(
    bot: str,
    rank: int,
    tier: int | None,
    behind: float | None,
    by_stream: Mapping[str, Cluster],
    seated: Sequence[_Seated],
    strength: float | None,
    chance: RankChance | None,
    width: int,
) -> Standing:
    cells = tuple(by_stream.values())
    deals = sum(cell.deals for cell in cells)
    rows = [entry.row for entry in seated]
    return Standing(
        bot=bot,
        rank=rank,
        tier=tier if cells else None,
        behind=behind,
        matches=len(rows),
        deals=deals,
        streams=len(cells),
        placement=placement(cells) if cells else UNKNOWN,
        points_per_deal=points_per_deal(cells) if deals else UNKNOWN,
        wins=wins(cells) if cells else UNKNOWN,
        strength=strength,
        ranks=chance if cells else None,
        chips=total(row.chips for row in rows),
        moons=sum(row.moons for row in rows),
        moons_suffered=sum(row.moons_suffered for row in rows),
        faults=sum(row.faults for row in rows),
        forfeits=sum(row.forfeited for row in rows),
        thinking=merged_texts([row.thinking for row in rows]),
        by_seat=tuple(_split([entry for entry in seated if entry.seat == seat]) for seat in range(width)),
    )


def _split(seated: Sequence[_Seated]) -> SeatSplit:
    matches, deals = len(seated), sum(entry.deals for entry in seated)
    return SeatSplit(
        matches,
        float(total(entry.placement for entry in seated) / matches) if matches else 0.0,
        sum(entry.row.points for entry in seated) / deals if deals else 0.0,
    )


def _ranking(
    rows: Sequence[MatchRow], by_bot: Mapping[str, Mapping[str, Cluster]], primary: Primary
) -> list[list[str]]:
    """The bots in groups of equal rank, best first, by name within a group. Comparisons are exact."""

    def split(group: list[str], keys: Mapping[str, tuple[Fraction, ...]]) -> list[list[str]]:
        equal: dict[tuple[Fraction, ...], list[str]] = {}
        for bot in group:
            equal.setdefault(keys[bot], []).append(bot)
        return [equal[value] for value in sorted(equal, reverse=True)]

    # A bot that never played is behind every one that did, whatever 0 means in the measure.
    results = {
        bot: (Fraction(bool(cells)), overall(cells, primary), overall(cells, "points")) for bot, cells in by_bot.items()
    }
    won = {bot: (overall(cells, "wins"),) for bot, cells in by_bot.items()}
    groups: list[list[str]] = []
    for tied in split(sorted(by_bot), results):
        for still in split(tied, _against_each_other(rows, tied)):
            groups += split(still, won)
    return groups


def _against_each_other(rows: Iterable[MatchRow], tied: Sequence[str]) -> dict[str, tuple[Fraction, ...]]:
    """Mean difference of placement to the others of the group, over the tables shared with them; 0 if none."""
    gained = dict.fromkeys(tied, Fraction(0))
    meetings = dict.fromkeys(tied, 0)
    if len(tied) > 1:
        for row in rows:
            shares = placements([seat.place for seat in row.seats])
            present = [(s.bot, share) for s, share in zip(row.seats, shares, strict=True) if s.bot in gained]
            everyone = total(share for _, share in present)
            for bot, share in present:
                gained[bot] += len(present) * share - everyone
                meetings[bot] += len(present) - 1
    return {bot: (gained[bot] / meetings[bot] if meetings[bot] else Fraction(0),) for bot in tied}
