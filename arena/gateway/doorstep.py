"""How many calls may stand at the door: those that have not said who they are, in all and from one address."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from arena.gateway.addresses import Origin, far_of, origin

FULL: Final = "too many calls that have not said Hello; try again"


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
