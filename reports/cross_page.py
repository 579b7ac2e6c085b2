"""Bot against bot: mean difference of placement at the tables they shared."""

from dataclasses import dataclass
from typing import NamedTuple

from arena.stats.head_to_head import Duel
from arena.stats.tiers import SIGNIFICANT, STREAMS_MIN
from reports.table import Entry, Table


class Cell(NamedTuple):
    """The row's bot against the column's."""

    duel: Duel | None  # None: never met, or itself
    itself: bool
    shade: str  # "up2" surely better, "up1" probably, "down1", "down2", "" open


@dataclass(frozen=True, slots=True)
class CrossPage:
    """The matrix, in rank order."""

    entries: tuple[Entry, ...]
    rows: tuple[tuple[Cell, ...], ...]
    enough: bool  # some pair has the streams that a mark needs


def cross_page(table: Table) -> CrossPage:
    """The page."""
    duels = table.duels
    return CrossPage(
        table.entries,
        tuple(
            tuple(_cell(duels.get((row.name, column.name)), row is column) for column in table.entries)
            for row in table.entries
        ),
        any(duel.streams >= STREAMS_MIN for duel in duels.values()),
    )


def _cell(duel: Duel | None, itself: bool) -> Cell:
    shade = ""
    if duel is not None and duel.streams >= STREAMS_MIN:
        interval = duel.difference.interval
        side = "up" if duel.difference.value > 0 else "down"
        if duel.p <= SIGNIFICANT:
            shade = side + "2"
        elif interval is not None and (interval.low > 0 or interval.high < 0):
            # Alone it would be significant; among so many pairs such a difference is expected by chance.
            shade = side + "1"
    return Cell(duel, itself, shade)
