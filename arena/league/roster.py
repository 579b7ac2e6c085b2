"""Who is there to play for the entrants, at how many tables, and whether it is still the same bot."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy import Engine
from sqlmodel import Session

from arena.league.create import Opened
from arena.league.schedule import Fixture
from arena.seat import Seat
from arena.store import league as store
from arena.store.database import reading


class Lobby(Protocol):
    """Who is there. The gateway is one; the tests have their own."""

    def capacity(self, name: str) -> int:
        """At how many tables the bot may be at once; 0 when it is away."""
        ...

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        """Seats for these bots at one table, in this order; a name may be there several times."""
        ...

    async def wait_change(self) -> None:
        """Until somebody has come or gone."""
        ...


def nameless(_name: str) -> str:
    """For a lobby whose bots do not say what they call themselves."""
    return ""


@dataclass(slots=True)
class Roster:
    """The players of a league.

    A bot that calls itself something else than when it first played is another bot, and so another entrant: it is
    not seated, and that is said. With ``versions = "any"`` it is.
    """

    engine: Engine
    league: Opened
    lobby: Lobby
    software: Callable[[str], str]  # what a bot calls itself, "" where it does not say
    tell: Callable[[str], None]
    busy: Counter[str] = field(default_factory=Counter)  # tables by player
    changes: dict[str, str] = field(default_factory=dict)  # what players call themselves, where that is not written
    _known: dict[str, str] = field(default_factory=dict)
    _refused: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what the bots called themselves."""
        with Session(reading(self.engine)) as session:
            for entrant in store.entrants_of(session=session, league_id=self.league.id):
                self._known[self.league.players[entrant.number]] = entrant.software

    def is_bot(self, number: int) -> bool:
        """Whether the entrant is a bot, and not of the house."""
        return number < self.league.ranked

    def players_of(self, fixture: Fixture) -> tuple[str, ...]:
        """The bots at the table, each once: at one table a bot is once, however many seats it has there."""
        return tuple(dict.fromkeys(self.league.players[number] for number in fixture.seats if self.is_bot(number)))

    def split(self, fixture: Fixture) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The bots at the table that are there, and those that are away."""
        players = self.players_of(fixture)
        here = tuple(name for name in players if self.capacity(name))
        return here, tuple(name for name in players if name not in here)

    def entrants_of(self, player: str) -> tuple[str, ...]:
        """The entrants that a bot plays for."""
        return tuple(name for name, own in zip(self.league.entrants, self.league.players, strict=True) if own == player)

    def capacity(self, player: str) -> int:
        """At how many tables it may be at once; 0 when it is away, or another one than before."""
        places = self.lobby.capacity(player)
        return places if places and self._admits(player) else 0

    def refuses(self, player: str) -> bool:
        """Whether it is there, but as another one than before."""
        return self.lobby.capacity(player) > 0 and not self._admits(player)

    def absences(self, players: Iterable[str]) -> dict[str, str | None]:
        """The entrants of these bots, which cannot be seated; what those call themselves that are here as others."""
        return {
            name: self.software(player) if self.refuses(player) else None
            for player in players
            for name in self.entrants_of(player)
        }

    def free(self) -> dict[str, int]:
        """How many more tables each bot may be at."""
        return {name: self.capacity(name) - self.busy[name] for name in self.league.players[: self.league.ranked]}

    def missing(self, fixtures: Iterable[Fixture]) -> tuple[str, ...]:
        """The bots of these fixtures that cannot be seated at all, in the order of the league."""
        players = dict.fromkeys(self.league.players[: self.league.ranked])
        away = [name for name in players if not self.capacity(name)]
        wanted = {name for one in fixtures for name in self.players_of(one)} if away else ()
        return tuple(name for name in away if name in wanted)

    def _admits(self, player: str) -> bool:
        now = self.software(player)
        before = self._known[player]
        if not now or now == before:
            return True
        if before and self.league.file.schedule.versions == "same":
            if self._refused.get(player) != now:
                self._refused[player] = now
                self.tell(
                    f"{player} calls itself {now!r} and was {before!r}: another version is another entrant, so it gets"
                    ' no matches; enter it in another league, or set versions = "any" in [schedule]'
                )
            return False
        if before:
            self.tell(f"{player} calls itself {now!r} from now on, and was {before!r}")
        self._known[player] = self.changes[player] = now
        return True
