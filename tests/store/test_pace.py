"""What is asked of the database for each match costs the same however much has been played."""

import re
from pathlib import Path
from typing import Any

import trio
from sqlalchemy import event, text

from arena.store.database import open_database
from tests.league.scripted import FakeLobby, league_file, run_until, runner_of
from tests.league.test_results import clumsy


def test_no_statement_of_a_match_goes_through_a_whole_table(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    file, lobby = league_file(target=200), FakeLobby(scripts={"bot 1": clumsy})
    run_until(runner_of(engine, file, lobby), 800)  # more than a deal at every table, and no match is over
    runner = runner_of(engine, file, lobby)
    said: dict[str, Any] = {}

    @event.listens_for(engine, "before_cursor_execute")
    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        if re.search("SELECT|UPDATE", statement):
            said.setdefault(statement, parameters[0] if many else parameters)

    trio.run(runner.run)
    event.remove(engine, "before_cursor_execute", note)
    asked = {statement: given for statement, given in said.items() if "fixture = ?" in statement}
    looked = {table for statement in asked for table in re.findall(r"(?:FROM|UPDATE) (\w+)", statement)}
    assert looked >= {"deal", "fault", "attempt"}
    with engine.connect() as connection:
        for statement, given in asked.items():
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given).all()
            tables = [line[-1] for line in plan if line[-1].startswith(("SEARCH", "SCAN"))]
            assert tables
            assert all(line.startswith("SEARCH") and "fixture=?" in line for line in tables), (statement, tables)
        assert connection.execute(text("select count(*) > 0 from fault")).scalar() == 1
