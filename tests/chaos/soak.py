"""Chaos leagues one after the other for as long as is wanted: ``python -m tests.chaos.soak --matches 2000 --seed 1``.

Every hundred matches it is printed how much memory, how many files and threads the process has; after each league also
what is wrong with it. Exit status 1 where anything is wrong, where memory has grown since the first fifth, or where a
league leaves more files or threads than the first one.
"""

import argparse
import resource
import sys
import tempfile
from pathlib import Path
from typing import Final

import trio

from arena.cli.watch import Watched
from arena.gateway.server import News
from arena.league.happenings import Finished, Happening
from tests.chaos.league import Left, complaints, league_file, play, playable, rows

GROWTH: Final = 1.1  # of memory, from the first fifth of the matches to the end
EVERY: Final = 100  # matches between two looks


def memory_mb() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


class Sampler:
    """Looks at the process while it plays."""

    def __init__(self) -> None:
        """Nothing has been played."""
        self.matches = 0
        self.marks: list[float] = []  # MB

    def news(self, news: News) -> None:
        """Nothing to be counted."""

    def happened(self, what: Happening) -> None:
        """Count matches."""
        if isinstance(what, Finished):
            self.matches += 1
            if not self.matches % EVERY:
                self.marks.append(memory_mb())
                left = Left.now()
                _say(f"{self.matches} matches: {self.marks[-1]:.1f} MB, {left.files} files, {left.threads} threads")

    async def watch(self, watched: Watched) -> None:
        """It is told enough."""
        await trio.sleep_forever()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> int:
    """Until so many matches are played, or something is wrong."""
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--orbits", type=int, default=125, help="of each league, eight matches each")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seed, bots, sampler = given.seed, playable(), Sampler()
    left: list[Left] = []
    while sampler.matches < given.matches:
        orbits = min(given.orbits, -(-(given.matches - sampler.matches) // 8))
        with tempfile.TemporaryDirectory() as directory:
            file = league_file("soak", bots, move_s=1.0, orbits=orbits)
            database, _, said = play(Path(directory), file, bots, seed, watchers=[sampler])
            wrong = complaints(database, bots)
            faults = len(rows(database, "select 1 from fault"))
        left.append(Left.now())
        _say(f"seed {seed}: {faults} faults; left: {left[-1].files} files, {left[-1].threads} threads")
        if wrong:
            _say("\n".join([*said, *wrong]))
            return 1
        seed += 1
    marks = sampler.marks or [memory_mb()]
    grown = marks[-1] > GROWTH * marks[len(marks) // 5]
    grown = grown or left[-1].files > left[0].files or left[-1].threads > left[0].threads
    _say("the process has grown" if grown else "nothing is left over")
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
