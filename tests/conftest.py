"""What every test may use."""

import io
import itertools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from arena.cli.main import main
from arena.clock import TimeControl
from arena.referee import Policy, Referee
from arena.rules.catalogue import rules
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.rules.variant import OptionValue
from arena.table import PlayedDeal, Table
from tests.commands import Arena, Done
from tests.fakes import FakeSeat
from tests.league.played import finished_league, league_in_play
from tests.strategies import PROFILE

# Also where a test says nothing: the same examples in every run, and no bound of time, which a busy machine would miss.
settings.register_profile("arena", PROFILE)
settings.load_profile("arena")

MakeTable = Callable[..., Table]


@pytest.fixture
def kept() -> list[PlayedDeal]:
    """The deals that a table has written down."""
    return []


@pytest.fixture
def make_table(kept: list[PlayedDeal]) -> MakeTable:
    """Makes a table of seats; the cards are the same in every run."""

    def make(
        seats: Sequence[FakeSeat],
        *,
        variant: str = "classic",
        control: TimeControl | None = None,
        policy: Policy = Policy.REVOKE,
        target: int = 100,
        max_deals: int | None = None,
        options: dict[str, OptionValue] | None = None,
        lag_s: Callable[[float], float] = lambda now: 0.0,
    ) -> Table:
        game = rules(variant, len(seats), options)

        async def keep(deal: PlayedDeal) -> None:
            kept.append(deal)

        return Table(
            match_id="test/0",
            rules=game,
            target=target,
            max_deals=max_deals,
            seats=seats,
            referee=Referee(control or TimeControl(), itertools.count(1), policy, lag_s),
            dealt=lambda number: dealt(bytes([number]) * 32, game, dealer_of(number, game.players)),
            keep=keep,
        )

    return make


@pytest.fixture
def arena(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Arena:
    """Runs a command in this process, as the console script would; ``given`` is on its standard input."""

    def run(*words: object, given: str = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsysbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Done(end.value.code, out.decode(), err.decode())

    return run


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The database of a league that has been played."""
    path = tmp_path / "finished.db"
    path.write_bytes(finished_league())
    return path


@pytest.fixture
def in_play(tmp_path: Path) -> Path:
    """The database of the same league, left in its eighth match."""
    path = tmp_path / "in_play.db"
    path.write_bytes(league_in_play())
    return path
