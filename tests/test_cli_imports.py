"""A command imports what it needs: looking something up does not wait for what plays."""

import subprocess
import sys
from importlib import import_module

import pytest
import typer

from arena.cli.main import COMMANDS


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
