"""The first page of a site with several leagues."""

from dataclasses import dataclass

from arena.rules.variant import Rules
from arena.store.read import LeagueRow
from reports.facts import Facts
from reports.table import Entry, Table

TOP = 3  # bots named


@dataclass(frozen=True, slots=True)
class Card:
    """A league in a few words."""

    league: LeagueRow
    rules: Rules
    bots: int
    played: int  # matches
    planned: int
    top: tuple[Entry, ...]


def card(facts: Facts, table: Table) -> Card:
    """The league's entry."""
    return Card(
        facts.league,
        facts.rules,
        len(table.entries),
        len(facts.results),
        len(facts.fixtures),
        tuple(entry for entry in table.entries[:TOP] if entry.standing.matches),
    )
