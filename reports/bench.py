"""How long the site of a long league takes: from nothing, with nothing new, and with one more match.

Processor time stands beside time by the clock: what else a machine does in the meantime is not the site's.
"""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

from sqlmodel import Session, col, delete, select

from arena.store.database import open_database
from arena.store.models import PlayedDeal, Result, SeatResult
from reports.made_league import Plan, add_league
from reports.site import write_site


def bench_site(bots: int = 100, orbits: int = 25) -> Iterator[str]:
    """Make up a league of ``bots`` × ``orbits`` matches in a database on disk; a line for each time measured."""
    rng = Random(1)  # noqa: S311  made-up skills, no secret
    plan = Plan(bots={f"bot {number}": rng.random() for number in range(bots)}, orbits=orbits, faults=0.0005)
    with tempfile.TemporaryDirectory() as folder:
        engine = open_database(str(Path(folder) / "site.db"), create=True)
        with Session(engine) as session:
            add_league(session, plan)
            deals = len(session.exec(select(PlayedDeal.fixture)).all())
            yield f"{bots} bots, {bots * orbits} matches, {deals} deals"
            site = Path(folder) / "site"
            whole = _written(session, site)
            yield whole.told("from nothing")
            yield _written(session, site).told("again, with nothing new", whole)
            # Two matches in the middle of the last orbit, as if they had yet to be played.
            last = bots * orbits - bots // 2
            held = [_taken_out(session, fixture) for fixture in (last, last - 1)]
            write_site(session, directory=site)
            for rows, what in zip(
                held, ("one more match", "one more match, with which an orbit is complete"), strict=True
            ):
                for row in rows:
                    session.add(row)
                    session.flush()
                session.commit()
                yield _written(session, site).told(what, whole)
            files = [path for path in site.rglob("*") if path.is_file()]
            first = (site / "index.html").stat().st_size
            size = sum(path.stat().st_size for path in files)
            yield f"{len(files)} files, {size / 1e6:.0f} MB; the first page {first / 1000:.0f} kB"
        engine.dispose()


def _taken_out(session: Session, fixture: int) -> list[Result | SeatResult]:
    """The rows that make a result of a match, which has none any more."""
    held = [
        table(**row.model_dump())
        for table in (Result, SeatResult)
        for row in session.exec(select(table).where(col(table.fixture) == fixture)).all()
    ]
    for table in (SeatResult, Result):
        session.exec(delete(table).where(col(table.fixture) == fixture))
    session.commit()
    return held


@dataclass(frozen=True)
class _Time:
    """How long a writing took, in seconds."""

    clock: float
    processor: float

    def told(self, what: str, whole: "_Time | None" = None) -> str:
        """In a line, with its share of the time that the whole site takes."""
        share = f", {100 * self.processor / whole.processor:.0f} % of the whole" if whole else ""
        return f"{what}: {self.clock:.1f} s, of which the processor worked {self.processor:.1f} s{share}"


def _written(session: Session, site: Path) -> _Time:
    clock, processor = perf_counter(), _processor()
    write_site(session, directory=site)
    return _Time(perf_counter() - clock, _processor() - processor)


def _processor() -> float:
    """What processors have worked for this process and those that it began and that have ended, in seconds."""
    return sum(os.times()[:4])
