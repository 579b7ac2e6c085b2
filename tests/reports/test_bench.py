"""The measurement measures, and leaves nothing behind."""

import re

from tests.commands import Arena


def test_every_kind_of_writing_is_timed(arena: Arena) -> None:
    done = arena("bench", "--site", "--bots", "5", "--orbits", "2")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"5 bots, 10 matches, \d+ deals", lines[0])
    assert [line.partition(":")[0] for line in lines[1:5]] == [
        "from nothing",
        "again, with nothing new",
        "one more match",
        "one more match, with which an orbit is complete",
    ]
    assert all(line.endswith(" % of the whole") for line in lines[2:5])
    assert re.fullmatch(r"\d+ files, \d+ MB; the first page \d+ kB", lines[5])
