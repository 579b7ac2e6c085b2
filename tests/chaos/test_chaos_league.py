"""A real league in which half of the bots go wrong, over real gRPC."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from sqlmodel import Session
from typer.testing import CliRunner

from arena.cli.main import app
from arena.league.export import book_of, leagues_of
from arena.league.verify import verify
from arena.store.database import open_database
from tests.chaos.league import EIGHT, Left, complaints, league_file, play, playable, rows
from tests.js.bot import missing

SAYS_WHO_WAS_LATE = """
    lag_ms >= 0 and case when kind in ('illegal', 'malformed')
        then sent_ms > 0 and sent_ms <= came_ms and came_ms <= measured_ms
        else came_ms is null and thought_ms is null or came_ms > sent_ms end
"""


@pytest.fixture
def leftover(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """For each run the tasks that were still there when its loop was closed, which would cancel them in silence."""
    found: list[set[str]] = []

    def all_ended(loop: asyncio.AbstractEventLoop) -> None:
        found.append(set(map(repr, asyncio.all_tasks(loop))))

    monkeypatch.setattr(asyncio.runners, "_cancel_all_tasks", all_ended)
    return found


def verified(database: Path) -> int:
    """The matches that have been verified; VerifyError and a test's failure where something does not follow."""
    with Session(open_database(str(database), write=False)) as session:
        (league,) = leagues_of(session=session)
        return verify(book_of(session=session, league=league, everything=True)).matches


def placements(database: Path) -> dict[str, float]:
    """By bot: the share of its opponents that it left behind, halves for those beside it; the mean of its matches."""
    shares: dict[str, list[float]] = {}
    query = "select fixture, name, place from seat_result join entrant on entrant.number = seat_result.entrant"
    found = [(fixture, str(name), int(str(place))) for fixture, name, place in rows(database, query)]
    for fixture, name, place in found:
        others = [other for match, whose, other in found if match == fixture and whose != name]
        behind = sum(1.0 if other > place else 0.5 if other == place else 0.0 for other in others)
        shares.setdefault(name, []).append(behind / len(others))
    return {name: sum(own) / len(own) for name, own in shares.items()}


def shown(database: Path) -> dict[str, float]:
    """The same as the table says it, which is in the order of it."""
    result = CliRunner().invoke(app, ["standings", "--db", str(database), "--json"])
    assert result.exit_code == 0, result.output
    table = {one["bot"]: one["placement"] for one in json.loads(result.stdout)["standings"]}
    assert list(table.values()) == sorted(table.values(), reverse=True)
    return table


def test_the_eight_are_those_of_whom_it_is_promised() -> None:
    assert Counter(EIGHT.values()) == {
        "honest": 1, "served": 2, "javascript": 1, "drop": 1, "hang": 1, "garbage": 1, "revoke": 1,
    }  # fmt: skip


def test_every_fixture_is_done_once_and_only_who_is_at_fault_pays(
    tmp_path_factory: pytest.TempPathFactory, leftover: list[set[str]]
) -> None:
    left: list[Left] = []
    bots = playable()
    for seed in (1, 2):
        directory: Path = tmp_path_factory.mktemp("league")
        database, gateway, said = play(directory, league_file("chaos", bots), bots, seed)
        assert complaints(database, bots) == [], said
        assert verified(database) == 8
        assert placements(database) == pytest.approx(shown(database), abs=1e-6)
        assert leftover.pop() == set()
        for player in gateway.players.values():
            assert (player.pending, player.seats) == ({}, {}), f"{player.name} is still somewhere"
            assert not player.connected
        left.append(Left.now())
        kinds = {kind for (kind,) in rows(database, "select distinct kind from fault")}
        assert {"illegal", "timeout"} <= kinds
        assert [reason for (reason,) in rows(database, "select reason from fault") if not reason] == []
        assert rows(database, f"select * from fault where not ({SAYS_WHO_WAS_LATE})") == []
        attempts = rows(database, "select ended, count(*) from attempt group by ended")
        assert attempts == [("finished", len(rows(database, "select 1 from fixture")))]
    # The first league starts what stays: gRPC's own threads and files. A second one leaves nothing more.
    assert left[1].files <= left[0].files
    assert left[1].threads <= left[0].threads
    if missing():
        pytest.skip(f"all of this holds, but without the bot in JavaScript: {missing()}")
