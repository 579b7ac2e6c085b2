"""The list of all matches, in chapters."""

from dataclasses import dataclass
from typing import NamedTuple

from arena.store.read import FixtureRow
from reports.facts import Facts
from reports.paths import CHAPTER


class Listed(NamedTuple):
    """A match of the schedule."""

    fixture: FixtureRow
    stream: int
    finished: bool
    ranking: tuple[tuple[int, str, int | None, int | None], ...]
    """Entrant, name, place, points; by place, or by seat before the end."""
    deals: int  # that are complete


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the list."""

    number: int
    last: int  # number of the last chapter
    matches: tuple[Listed, ...]


def chapter(facts: Facts, number: int) -> Chapter:
    """One of them."""
    held = facts.fixtures[number * CHAPTER : (number + 1) * CHAPTER]
    return Chapter(number, chapters(facts) - 1, tuple(_listed(facts, fixture) for fixture in held))


def chapters(facts: Facts) -> int:
    """How many there are; one without matches where nothing is scheduled."""
    return -(-max(1, len(facts.fixtures)) // CHAPTER)


def chapter_of(match: int) -> int:
    """The chapter that lists the match."""
    return match // CHAPTER


def _listed(facts: Facts, fixture: FixtureRow) -> Listed:
    result = facts.results.get(fixture.number)
    if result is None:
        ranking = [(entrant, facts.name(entrant), None, None) for entrant in fixture.seats]
        done = len(facts.deals.get(fixture.number, ()))
        return Listed(fixture, facts.streams[fixture.stream], False, tuple(ranking), done)
    places = sorted((row.place, seat, row) for seat, row in enumerate(result.seats))
    return Listed(
        fixture,
        facts.streams[fixture.stream],
        True,
        tuple((row.entrant, facts.name(row.entrant), row.place, row.points) for _, _, row in places),
        result.deals,
    )
