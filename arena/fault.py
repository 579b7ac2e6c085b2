"""What a bot does wrong, as data."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a fault is."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"


class Consequence(Enum):
    """What a fault led to."""

    RETRY = "retry"
    FALLBACK = "fallback"
    STOPPED = "stopped"
    STAND_IN = "stand-in"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a bot, with everything that its author will ask."""

    seat: int
    deal: int
    trick: int | None  # from 0; None before the first lead
    decision: int
    kind: Kind
    ask: str
    clause: str  # "" where none is named
    reason: str  # one line
    consequence: Consequence
    answer: str  # what came, shortened
    limit_s: float  # that the answer might have taken
    measured_s: float  # that it took
    # Who was late, the bot, the network or the arena. Seconds from when the question was put.
    sent_s: float | None  # until the transport took it; None: it never did
    came_s: float | None  # until the answer was read, for a fault of time the one that was too late; None: none was
    lag_s: float  # that the arena itself lost in the meantime
    thought_s: float | None  # that the bot says it thought about that answer; None: it does not say, or none was read
