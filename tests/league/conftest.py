"""What the tests of leagues share."""

from pathlib import Path

import pytest

from tests.league.scripted import MakeRunner, maker


@pytest.fixture
def make_runner(tmp_path: Path) -> MakeRunner:
    """Makes runners of leagues in databases of the test's own."""
    return maker(tmp_path)
