"""What the tests of leagues share."""

from pathlib import Path

import pytest
import trio

from tests.league.scripted import MakeRunner, in_no_thread, maker


@pytest.fixture
def make_runner(tmp_path: Path) -> MakeRunner:
    """Makes runners of leagues in databases of the test's own."""
    return maker(tmp_path)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database answers without a thread, of which a clock that jumps knows nothing."""
    monkeypatch.setattr(trio.to_thread, "run_sync", in_no_thread)
