"""A command imports what it needs: looking something up does not wait for what plays."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from sqlmodel import Session

from arena.cli.main import COMMANDS
from arena.store.database import open_database
from reports.site import write_site
from tests.reports.made_league import Plan, add_league


@pytest.mark.parametrize("module", COMMANDS)
def test_every_command_is_in_the_module_that_is_said_to_have_it(module: str) -> None:
    app = typer.Typer()
    import_module(f"arena.cli.{module}").register(app)
    assert tuple(typer.main.get_group(app).commands) == COMMANDS[module]


@pytest.mark.parametrize("command", ["status", "report", "tokens", "standings", "export", "schedule"])
def test_what_only_reads_imports_nothing_that_plays(command: str) -> None:
    program = f"""
import sys
from arena.cli.main import app
app([{command!r}, "--help"], standalone_mode=False)
print(*sorted({{"grpc", "arena.gateway", "arena.cli.bench"}} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage:")
    assert not done.stderr.strip()


def test_a_site_that_is_up_to_date_takes_nothing_that_makes_pages(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    with Session(engine) as session:
        add_league(session, Plan(orbits=1, target=10))
        write_site(session, directory=tmp_path / "site")
    engine.dispose()
    program = f"""
import sys
from arena.cli.main import app
app(["report", "--db", {str(tmp_path / "league.db")!r}, "--site", {str(tmp_path / "site")!r}], standalone_mode=False)
print(*sorted({{"alembic", "jinja2", "numpy", "trio", "arena.league.config"}} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("site:")
    assert not done.stderr.strip()
