"""How many calls may stand at the door: those that have not said who they are, and those that will not go."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from arena.gateway.addresses import Origin, far_of, origin

FULL: Final = "too many calls that have not said Hello; try again"
LINGERING: Final = 64  # calls from one address that are over and have not gone
UNTOLD: Final = "too many calls that are over and have not taken what was said to them; close their connections"


class Doorstep:
    """Counts strangers."""

    def __init__(self, limit: int, limit_peer: int) -> None:
        """Nobody is there."""
        self._limit: Final = limit
        self._limit_peer: Final = limit_peer
        self._peers: Final[Counter[Origin]] = Counter()

    @contextmanager
    def room(self, peer: str) -> Iterator[bool]:
        """Whether there is room for one more, for as long as the block lasts. ``peer`` is as gRPC writes it."""
        host = origin(far_of(peer)[0])
        if self._peers.total() >= self._limit or self._peers[host] >= self._limit_peer:
            yield False
            return
        self._peers[host] += 1
        try:
            yield True
        finally:
            self._peers[host] -= 1
            if not self._peers[host]:
                del self._peers[host]


class Lingering:
    """Counts calls that are over for us and stay: to who takes not a byte nothing can be said, not even the status.

    gRPC has no way to be rid of one, but to end the connection, on which others may be. A new call from there would
    only be one more.
    """

    def __init__(self) -> None:
        """Nobody."""
        self._peers: Final[Counter[Origin]] = Counter()

    def is_full(self, peer: str) -> bool:
        """Whether there are too many from that address."""
        return self._peers[origin(far_of(peer)[0])] >= LINGERING

    def see_off(self, peer: str) -> Callable[[object], None]:
        """A call from there is over for us, and counts until this is called, which is at once as a rule."""
        host = origin(far_of(peer)[0])
        self._peers[host] += 1

        def gone(_call: object) -> None:
            self._peers[host] -= 1
            if not self._peers[host]:
                del self._peers[host]

        return gone
