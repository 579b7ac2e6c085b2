"""Pages read by somebody else's parser: the HTML standard's own errors, of which there are none.

It knows how tags nest and close, entities, attributes that come twice, and what may stand in a table. What may be in
what beyond that, which attributes an element has, and identifiers it does not look at; `html_reading` sees to some.
"""

import re
from pathlib import Path

import html5lib
import pytest

from reports.site import write_site
from tests.reports.hostile import add_hostile_league
from tests.reports.made_league import Plan, add_league, database

EMPTY = re.compile(r"<tbody>\s*</tbody>")
KINDS = ("about", "bot-0", "cross", "index", "match-0", "matches-1", "replay", "stream-0")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("html")
    with database() as session:
        add_league(session, Plan(orbits=1, target=40, faults=0.05))
        add_league(session, Plan(name="Later", variant="black-lady", orbits=1, open_fixtures=5, away=("scout",)))
        add_hostile_league(session)
        write_site(session, directory=directory)
    return directory


@pytest.mark.parametrize("top", ["", "ru/"])
def test_the_first_page_is_valid(site: Path, top: str) -> None:
    html5lib.HTMLParser(strict=True).parse((site / top / "index.html").read_text("utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_page_is_valid(site: Path, kind: str) -> None:
    read = 0
    for page in site.rglob(f"{kind}.html"):
        html5lib.HTMLParser(strict=True).parse(page.read_text("utf-8"))
        read += 1
    assert read >= 4


def test_no_table_is_empty_where_nobody_has_played_or_nobody_else_is_ranked(tmp_path: Path) -> None:
    house = tuple(f"house {number}" for number in range(1, 4))
    with database() as session:
        add_league(session, Plan(name="Nobody yet", orbits=1, open_fixtures=5))
        add_league(session, Plan(name="One bot", bots={"alone": 0.5}, house=house, orbits=1, target=30))
        write_site(session, directory=tmp_path)
    looked = [page for page in tmp_path.rglob("*.html") if page.name != "replay.html"]  # its rows come from the script
    assert len(looked) > 30
    empty = [page for page in looked if EMPTY.search(page.read_text("utf-8"))]
    assert empty == []


def test_the_parser_would_tell() -> None:
    for wrong in ("<p>no doctype", "<!doctype html><p id=a id=b>", "<!doctype html><table><p></table>"):
        with pytest.raises(html5lib.html5parser.ParseError):
            html5lib.HTMLParser(strict=True).parse(wrong)
