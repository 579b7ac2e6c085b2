"""Chaos leagues one after the other for as long as is wanted: ``python -m tests.chaos.soak --matches 2000 --seed 1``.

After each league what is wrong is printed, and how much memory, files and threads the process has. Exit status 1 where
anything is wrong, or where the process has grown since its first fifth.
"""

import argparse
import resource
import sys
import tempfile
from pathlib import Path

from tests.chaos.league import Left, complaints, league_file, play, playable, rows

GROWTH = 1.1  # of memory, from the first fifth of the leagues to the end


def memory_mb() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main() -> int:
    """Until so many matches are played, or something is wrong."""
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--orbits", type=int, default=25, help="of each league, eight matches each")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    matches, seed = 0, given.seed
    bots = playable()
    marks: list[tuple[int, float, Left]] = []
    while matches < given.matches:
        with tempfile.TemporaryDirectory() as directory:
            file = league_file("soak", bots, move_s=1.0, orbits=given.orbits)
            database, _, said = play(Path(directory), file, bots, seed)
            wrong = complaints(database, bots)
            matches += len(rows(database, "select 1 from result"))
            faults = len(rows(database, "select 1 from fault"))
        marks.append((matches, memory_mb(), Left.now()))
        left = marks[-1][2]
        print(  # noqa: T201
            f"seed {seed}: {matches} matches, {faults} faults, {marks[-1][1]:.1f} MB, {left.files} files,"
            f" {left.threads} threads"
        )
        sys.stdout.flush()
        if wrong:
            print("\n".join([*said, *wrong]))  # noqa: T201
            return 1
        seed += 1
    first, last = marks[len(marks) // 5], marks[-1]
    grown = last[1] > GROWTH * first[1] or last[2].files > first[2].files or last[2].threads > first[2].threads
    print("the process has grown" if grown else "nothing is left over")  # noqa: T201
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
