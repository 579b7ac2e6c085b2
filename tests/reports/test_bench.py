"""The measurement measures, and leaves nothing behind."""

import re

from reports.bench import bench_site


def test_every_kind_of_writing_is_timed() -> None:
    lines = list(bench_site(bots=5, orbits=2))
    assert re.fullmatch(r"5 bots, 10 matches, \d+ deals", lines[0])
    assert [line.partition(":")[0] for line in lines[1:5]] == [
        "from nothing",
        "again, with nothing new",
        "one more match",
        "one more match, with which an orbit is complete",
    ]
    assert re.fullmatch(r"\d+ files, \d+ MB; the first page \d+ kB", lines[5])
