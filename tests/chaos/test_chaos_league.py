"""A real league in which half of the bots go wrong, over real gRPC."""

from pathlib import Path

import pytest

from tests.chaos.league import EIGHT, Left, complaints, league_file, play, rows


def test_every_fixture_is_done_once_and_only_who_is_at_fault_pays(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    left: list[Left] = []
    for seed in (1, 2):
        directory: Path = tmp_path_factory.mktemp("league")
        database, gateway, said = play(directory, league_file("chaos", EIGHT), EIGHT, seed)
        assert complaints(database) == [], said
        for player in gateway.players.values():
            assert (player.pending, player.seats) == ({}, {}), f"{player.name} is still somewhere"
            assert not player.connected
        left.append(Left.now())
        kinds = {kind for (kind,) in rows(database, "select distinct kind from fault")}
        assert {"illegal", "timeout"} <= kinds
        assert [reason for (reason,) in rows(database, "select reason from fault") if not reason] == []
        attempts = rows(database, "select ended, count(*) from attempt group by ended")
        assert attempts == [("finished", len(rows(database, "select 1 from fixture")))]
    # The first league starts what stays: gRPC's own threads and files. A second one leaves nothing more.
    assert left[1].files <= left[0].files
    assert left[1].threads <= left[0].threads
