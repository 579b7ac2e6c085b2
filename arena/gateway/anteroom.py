"""Where the calls of bots on trial wait, and what their trials are at. For both sides of the bridge."""

from typing import Final

import grpc

from arena.gateway.check_line import Door
from arena.gateway.connection import End

OVER: Final = End(grpc.StatusCode.UNAVAILABLE, "the trial is over")
WAITS: Final = "it waits for its trial"


class Anteroom:
    """By name of the bot."""

    def __init__(self) -> None:
        """Nobody is there."""
        self._doors: Final[dict[str, Door]] = {}
        self._through: Final[set[str]] = set()
        self._doing: Final[dict[str, str]] = {}

    def door(self, name: str) -> Door:
        """Where the bot's calls arrive while it is checked."""
        return self._doors.setdefault(name, Door())

    def let_through(self, name: str, end: End) -> None:
        """From now on its calls are those of a bot that plays; those that wait are told this."""
        self._through.add(name)
        self._close_door(name, end)

    def is_through(self, name: str) -> bool:
        """Whether they are."""
        return name in self._through

    def note(self, name: str, doing: str) -> None:
        """What its trial is at, in one line."""
        self._doing[name] = doing

    def doing(self, name: str) -> str:
        """What was noted last."""
        return self._doing.get(name, WAITS)

    def close(self, name: str, end: End = OVER) -> None:
        """The trial is over; whoever waits is told so."""
        self._through.discard(name)
        self._doing.pop(name, None)
        self._close_door(name, end)

    def close_all(self, end: End) -> None:
        """Whoever waits is told this."""
        for name in tuple(self._doors):
            self.close(name, end)

    def _close_door(self, name: str, end: End) -> None:
        door = self._doors.pop(name, None)
        if door is not None:
            door.close(end)
