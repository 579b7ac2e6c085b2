"""Who is there to play for the entrants, at how many tables, and whether it is still the same bot."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
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

    def players_of(self, fixture: Fixture, away: Set[int] = frozenset()) -> tuple[str, ...]:
        """The bots at the table, without those of the entrants that are ``away``. Each is there once, and at one table
        once, however many seats it has there.
        """
        ranked, players = self.league.ranked, self.league.players
        return tuple(dict.fromkeys([players[one] for one in fixture.seats if one < ranked and one not in away]))

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

    def free(self) -> tuple[dict[str, int], frozenset[int]]:
        """How many more tables each bot may be at, and the entrants, by number, whose bots cannot be seated at all."""
        bots = self.league.players[: self.league.ranked]
        places = {name: self.capacity(name) for name in dict.fromkeys(bots)}
        away = frozenset(number for number, name in enumerate(bots) if not places[name])
        return {name: most - self.busy[name] for name, most in places.items()}, away

    def missing(self, fixtures: Iterable[Fixture]) -> tuple[str, ...]:
        """The bots of these fixtures that cannot be seated at all, in the order of the league."""
        _, away = self.free()
        unwanted = set(away)
        for fixture in fixtures:
            if not unwanted:  # of a long schedule not all is looked through
                break
            unwanted.difference_update(fixture.seats)
        return tuple(dict.fromkeys(self.league.players[number] for number in sorted(away - unwanted)))

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
