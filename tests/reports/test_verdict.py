"""What is said of pairs of bots."""

from dataclasses import replace
from itertools import pairwise

from arena.stats.standings import standings
from arena.store import read
from reports.facts import facts
from reports.table import table
from reports.verdict import verdict
from tests.reports.made_league import Plan, add_league, database


def test_who_is_surely_better_is_said_across_the_lines_between_tiers() -> None:
    with database() as session:
        add_league(session, Plan(orbits=21, target=25))
        league = read.leagues(session=session)[0]
        known = facts(session, league)
        key = read.bootstrap_key(session=session, league=league.id)
        found = table(known, key)
    sure = {(pair.better, pair.worse) for pair in found.verdict.pairs if pair.sure}
    assert len(found.tiers) > 1
    for before, after in pairwise(found.tiers):
        assert (before[0].name, after[0].name) in sure
    order = [entry.name for entry in found.entries]
    assert all(order.index(pair.better) < order.index(pair.worse) for pair in found.verdict.pairs)
    neighbours = {(pair.better, pair.worse) for pair in found.verdict.pairs}
    assert neighbours >= set(pairwise(order))


def test_no_pair_is_told_apart_before_there_are_tiers() -> None:
    with database() as session:
        add_league(session, Plan(orbits=2))
        known = facts(session, read.leagues(session=session)[0])
    rows = read.as_match_rows(known.entrants, known.fixtures, known.results)
    lines = [replace(line, tier=None) for line in standings(rows, key=b"")]
    said = verdict(lines, rows, 2, finished=True)
    assert not any(pair.sure for pair in said.pairs)
