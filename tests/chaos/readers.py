"""A league at full speed beside everybody who may look: ``python -m tests.chaos.readers --minutes 60 --seed 1``.

`arena run` plays 64 tables of bots that answer at once, and refreshes its site; beside it `arena status`, `standings`
and `report` are called again and again. What any of them said that it should not have is printed at the end. Leagues
of at most ten minutes follow one another, so that a report stays short and beginnings and ends are seen too.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.league.tokens import make_tokens
from tests.chaos.league import rows

BOTS: Final = 8
TABLES: Final = 64
LEAGUE_MINUTES: Final = 10.0
ENOUGH: Final = 20  # complaints that are kept
ROOT: Final = Path(__file__).parent.parent.parent
LEAGUE: Final = """
name = "readers"
[schedule]
hours = {hours}
[server]
address = "127.0.0.1:0"
tables = {tables}
"""


@dataclass
class Seen:
    """What came of the looks; complaints are what was said on a failure, or of a lock."""

    looks: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)

    def note(self, words: Sequence[str], status: int, said: str) -> None:
        """A command that has ended."""
        self.looks[words[0]] += 1
        if status or "locked" in said or "not refreshed" in said or "Traceback" in said:
            self.complaints.append(f"arena {' '.join(words)}: status {status}: {said.strip()[-2000:]}")


def arena(*words: str) -> subprocess.Popen[str]:
    """A command of the arena's, with what it says."""
    command = [sys.executable, "-m", "arena.cli", *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def look(seen: Seen, over: threading.Event, pause: random.Random, *words: str) -> None:
    """The same command until it is over, with short pauses."""
    while not over.is_set():
        with arena(*words) as running:
            said, _ = running.communicate()
        seen.note(words, running.returncode, said)
        over.wait(pause.random())


def play(directory: Path, seconds: float, seed: int, seen: Seen) -> tuple[int, int]:
    """One league for so long, with everybody who looks; its matches and deals."""
    league, database = directory / "readers.toml", directory / "readers.db"
    names = [f"bot {number}" for number in range(BOTS)]
    bots = "".join(f'[[bots]]\nname = "{name}"\n' for name in names)
    league.write_text(LEAGUE.format(hours=seconds / 3600, tables=TABLES) + bots)
    make_tokens(directory / "tokens.txt", names)
    tokens = (directory / "tokens.txt").read_text().splitlines()
    over = threading.Event()
    where = ("--db", str(database))
    with ExitStack() as stack:
        playing = stack.enter_context(arena("run", str(league), *where, "--site", str(directory / "own")))
        assert playing.stdout is not None
        stack.callback(playing.terminate)
        address = next(line.split()[-1] for line in playing.stdout if line.startswith("listening on "))
        for line in tokens:
            command = [sys.executable, "-m", "arena.bot.instant", "--arena", address]
            bot = subprocess.Popen(
                [*command, "--tables", str(TABLES * 4 // BOTS)],
                cwd=ROOT,
                env=os.environ | {"ARENA_TOKEN": line.partition(" ")[0]},
                stderr=subprocess.DEVNULL,
            )
            stack.callback(bot.wait)
            stack.callback(bot.terminate)
        looks = [
            threading.Thread(target=look, args=(seen, over, random.Random(f"{seed} {words}"), *words, *where))
            for words in (["status"], ["status"], ["standings"], ["report", "--site", str(directory / "beside")])
        ]
        for one in looks:
            one.start()
        said, _ = playing.communicate()
        over.set()
        for one in looks:
            one.join()
    seen.note(["run"], playing.returncode, said)
    print(said.strip().splitlines()[-1])  # noqa: T201
    counts = [rows(database, f"select count(*) from {table}")[0][0] for table in ("result", "deal", "fault")]
    matches, deals, faults = (int(str(count)) for count in counts)
    if faults:
        seen.complaints.append(f"seed {seed}: {faults} faults of bots that answer at once")
    return matches, deals


def main() -> int:
    """Exit status 1 where there was a complaint."""
    parser = argparse.ArgumentParser(prog="readers")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seen, seed = Seen(), given.seed
    end = time.monotonic() + given.minutes * 60
    while (left := end - time.monotonic()) > 1:
        with tempfile.TemporaryDirectory() as directory:
            matches, deals = play(Path(directory), min(left, LEAGUE_MINUTES * 60), seed, seen)
        looks = ", ".join(f"{word} {count}" for word, count in sorted(seen.looks.items()))
        print(f"seed {seed}: {matches} matches, {deals} deals; so far {looks}; {len(seen.complaints)} complaints")  # noqa: T201
        sys.stdout.flush()
        seed += 1
        if len(seen.complaints) >= ENOUGH:
            break
    print("\n".join(seen.complaints) or "nobody was in anybody's way")  # noqa: T201
    return int(bool(seen.complaints))


if __name__ == "__main__":
    sys.exit(main())
