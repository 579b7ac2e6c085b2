"""A match goes on from the deals that it has: what cannot be those is said before anything is played, in one line."""

from pathlib import Path

import pytest
import trio

from arena.store.database import DatabaseError
from tests.league.scripted import maker, rows, run_until


@pytest.mark.parametrize(
    "thinking",
    [
        "",
        "nonsense",
        "5",
        '{"a": 1}',
        "[[], [], []]",
        "[[], [], [], [], []]",
        '[["x"], [], [], []]',
        '["12", [], [], []]',
        "[[null], [], [], []]",
        "[[[1]], [], [], []]",
        "[[], [], [], [-5]]",
        "[[1.5], [], [], []]",
        "[[1e999], [], [], []]",
        "[[NaN], [], [], []]",
        "[[true], [], [], []]",
    ],
)
def test_times_of_a_deal_that_are_none_are_named_with_their_deal(tmp_path: Path, thinking: str) -> None:
    make = maker(tmp_path)
    run_until(make(target=100), 400)
    runner = make(target=100)
    played = rows(runner.engine, "select count(*) from deal")
    with runner.engine.begin() as connection:
        connection.exec_driver_sql("update deal set thinking = ? where number = 0", (thinking,))
    with pytest.raises(DatabaseError, match=r"league 1, fixture \d+, deal 0: cannot be read: .") as caught:
        trio.run(runner.run)
    assert "\n" not in str(caught.value)
    assert rows(runner.engine, "select count(*) from deal") == played
