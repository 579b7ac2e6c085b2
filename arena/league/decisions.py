"""The numbers that name the questions of a run."""

from typing import Final

LEAGUE: Final = 1 << 36
"""Questions that a league may ask in a run. The next one's numbers begin after them, for its bots may be the same."""


class Decisions:
    """Numbers for questions."""

    def __init__(self, league: int = 0) -> None:
        """None yet. ``league`` is the place of theirs among those of the run, from 0."""
        self._before: Final = league * LEAGUE
        self._last = self._before

    @property
    def count(self) -> int:
        """How many there have been."""
        return self._last - self._before

    def __iter__(self) -> "Decisions":
        """It counts for ever."""
        return self

    def __next__(self) -> int:
        """The next number."""
        self._last += 1
        return self._last
