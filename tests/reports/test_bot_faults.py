"""A bot that goes wrong all night still has a page that a phone can show."""

import re
from pathlib import Path

import pytest
from sqlmodel import select

from arena.store.models import Fault, Fixture
from reports.site import write_site
from tests.reports.made_league import Plan, add_league, database

TOLD = 20


def told(page: str) -> str:
    """The part of a page that tells of faults."""
    start = page.index('<h2 id="faults">')
    return page[start : page.find("<h2", start + 1)]


def test_the_last_faults_are_on_a_bots_page_and_all_of_them_on_those_of_their_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.bot_page.FAULTS", TOLD)
    with database() as session:
        add_league(session, Plan(orbits=2, faults=0.2))
        write_site(session, directory=tmp_path)
        seats = {
            (one.number, seat): who
            for one in session.exec(select(Fixture))
            for seat, who in enumerate(one.seats.split())
        }
        made: dict[int, list[int]] = {}
        for fault in sorted(session.exec(select(Fault)), key=lambda one: (one.fixture, one.id or 0)):
            made.setdefault(int(seats[fault.fixture, fault.seat]), []).append(fault.fixture)
    assert any(len(matches) > TOLD for matches in made.values())
    for match in {match for matches in made.values() for match in matches}:
        page = (tmp_path / f"league-1/match-{match}.html").read_text()
        assert told(page).count('<td class="left"><span class="badge') == sum(one.count(match) for one in made.values())
    for entrant, matches in made.items():
        section = told((tmp_path / f"league-1/bot-{entrant}.html").read_text())
        assert [int(one) - 1 for one in re.findall(r"match (\d+), deal", section)] == matches[-TOLD:]
        earlier = re.search(r"Earlier ones, (\d+), are on the pages of their matches", section)
        assert (int(earlier[1]) if earlier else 0) == max(0, len(matches) - TOLD)
