"""What the page about a league says of its rules."""

import pytest

from arena.rules.catalogue import VARIANTS
from arena.rules.clauses import CLAUSES
from arena.store import read
from reports.about_page import about_page
from reports.facts import facts
from reports.table import table
from reports.words import Words
from tests.reports.made_league import Plan, add_league, database

CALLED = {"plain Hearts": "H2", "Black Lady": "B3"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_rules_of_a_variant_are_read_without_those_of_another(variant: str) -> None:
    players = VARIANTS[variant].players[0]
    bots = {f"bot {number}": 0.5 for number in range(players)}
    with database() as session:
        add_league(session, Plan(variant=variant, players=players, bots=bots, orbits=1, target=1))
        known = facts(session, read.leagues(session=session)[0])
    clauses = about_page(known, table(known, b"")).clauses
    said = " ".join(CLAUSES[name] for name in clauses)
    assert [clause for name, clause in CALLED.items() if name in said and clause not in clauses] == []
    assert len(set(clauses)) == len(clauses)


@pytest.mark.parametrize(("target", "text"), [(1, "1 очка"), (21, "21 очка"), (52, "52 очков"), (100, "100 очков")])
def test_up_to_how_many_points_is_in_the_genitive(target: int, text: str) -> None:
    assert Words("ru").count(target, "point") == text.replace(" ", "\u00a0")
