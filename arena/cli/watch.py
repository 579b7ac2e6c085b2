"""Who watches a run beside its progress: the log and the metrics."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.gateway.server import Gateway, News
from arena.league.happenings import Happening
from arena.league.runner import Runner


@dataclass(slots=True)
class Watched:
    """What there is to look at."""

    gateway: Gateway
    runners: Sequence[Runner] = field(default=())  # of every league of the run


class Watcher(Protocol):
    """Is told what happens, on either side of the bridge, and must be quick; looks at the rest by itself."""

    def news(self, news: News) -> None:
        """Of a bot."""
        ...

    def happened(self, what: Happening) -> None:
        """To a match."""
        ...

    async def watch(self, watched: Watched) -> None:
        """Beside the tables, until it is cancelled."""
        ...
