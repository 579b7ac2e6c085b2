"""What happens to matches in a run, for those who watch it: log and metrics. Told at once, and waits for nobody."""

from dataclasses import dataclass

from arena.table import MatchResult, PlayedDeal


@dataclass(frozen=True, slots=True)
class Sitting:
    """A match at its table."""

    match: str  # its name, as bots are told it
    table: int
    names: tuple[str, ...]  # entrants, by seat


@dataclass(frozen=True, slots=True)
class Began:
    """A match begins, or goes on."""

    at: Sitting
    deals: int  # that it has had before


@dataclass(frozen=True, slots=True)
class DealOver:
    """A deal is complete. Other tables may still have to play its cards."""

    at: Sitting
    deal: PlayedDeal


@dataclass(frozen=True, slots=True)
class Finished:
    """A match has its result."""

    at: Sitting
    result: MatchResult
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt came to nothing, by a fault of the arena's own."""

    at: Sitting
    failures: int  # of the match in this run
    reason: str  # one line


@dataclass(frozen=True, slots=True)
class Parked:
    """A match is put aside at its last complete deal, as the run ends."""

    at: Sitting
    deals: int  # that it has had


Happening = Began | DealOver | Finished | Failed | Parked
