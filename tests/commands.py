"""The commands of the console script, run in the test's own process."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Done:
    """A command that has run."""

    returncode: int
    stdout: str
    stderr: str


Arena = Callable[..., Done]


def one_line(done: Done, *needles: str, status: int = 1) -> None:
    """The command failed with one line that says this."""
    assert done.returncode == status, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for needle in needles:
        assert needle in done.stderr
