"""How long a run may take. The time is the user's: a number of hours from its start, or a moment by the clock."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import trio

FINISH_S: Final = 300.0
"""For how long matches in play may go on after the end, before they are put aside."""
LOOK_S: Final = 30.0
"""How often the clock on the wall is looked at: it may be set, and the machine may sleep."""

_TIME_OF_DAY: Final = re.compile(r"(\d\d?):(\d\d)")


def _wall() -> datetime:
    return datetime.now().astimezone()


def next_moment(text: str, now: datetime) -> datetime | None:
    """The moment that a text means, seen from now: the next "07:00", or a date and time; None for neither."""
    if found := _TIME_OF_DAY.fullmatch(text):
        hour, minute = map(int, found.groups())
        if hour > 23 or minute > 59:
            return None
        # Local time by its parts, so that 07:00 is 07:00 in the night when the clocks change, too.
        today = now.replace(tzinfo=None, hour=hour, minute=minute, second=0, microsecond=0)
        days = (0, 1, 2)  # a time of day that the clocks skip comes round a day later
        return next(moment for day in days if (moment := (today + timedelta(days=day)).astimezone()) > now)
    if len(text) <= len("2026-03-14"):
        return None  # a date alone is no moment
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError):  # the latter within a day of the ends of the calendar
        return None


@dataclass(slots=True)
class Budget:
    """The time of a run, once it has begun. Without hours and moment it is endless."""

    hours: float | None = None  # from `begin`
    until: str | None = None  # as `next_moment` reads it, when it begins
    wall: Callable[[], datetime] = _wall
    finish_s: float = FINISH_S
    _began: float = field(default=math.nan)
    _moment: datetime | None = None

    @property
    def endless(self) -> bool:
        """Whether it never ends."""
        return self.hours is None and self.until is None

    @property
    def is_past(self) -> bool:
        """Whether it would be over before it began."""
        moment = next_moment(self.until, self.wall()) if self.until else None
        return moment is not None and moment <= self.wall()

    def begin(self) -> None:
        """It runs from now; in trio. Nothing where it runs already."""
        if math.isnan(self._began):
            self._began = trio.current_time()
            self._moment = next_moment(self.until, self.wall()) if self.until else None

    def left_s(self) -> float:
        """What is left, in seconds; infinite where it is endless, 0 when it is over."""
        left = math.inf
        if self.hours is not None:
            left = self._began + self.hours * 3600 - trio.current_time()
        if self._moment is not None:
            left = min(left, (self._moment - self.wall()).total_seconds())
        return max(0.0, left)

    async def wait_over(self) -> None:
        """Return when it is over; for ever where it is endless."""
        if self.endless:
            await trio.sleep_forever()
        while left := self.left_s():  # noqa: ASYNC110  time is all that is waited for
            await trio.sleep(min(left, LOOK_S))
