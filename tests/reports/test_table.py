"""The lines of the table."""

from arena.store import read
from reports.facts import facts
from reports.table import table
from tests.reports.made_league import Plan, add_league, database


def test_all_without_a_match_that_counts_share_the_last_rank_whether_they_have_played_or_not() -> None:
    with database() as session:
        add_league(session, Plan(orbits=1, open_fixtures=4, target=25))  # one match of four of the five bots
        league = read.leagues(session=session)[0]
        found = table(facts(session, league), read.bootstrap_key(session=session, league=league.id))
    assert sorted(entry.played for entry in found.entries) == [0, 1, 1, 1, 1]
    assert [(entry.standing.rank, entry.standing.matches) for entry in found.entries] == [(1, 0)] * 5
    assert found.verdict.leaders == ()
