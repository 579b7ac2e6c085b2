"""`arena report` writes the site of a database that is on disk."""

from pathlib import Path

import pytest
from sqlmodel import Session

from arena.cli.report import Language
from arena.store.database import open_database
from reports.paths import LANGUAGES
from tests.commands import Arena
from tests.reports.html_reading import read_page
from tests.reports.made_league import Plan, add_league


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_first_page_is_in_the_language_that_is_asked_for(arena: Arena, tmp_path: Path, lang: str) -> None:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    with Session(engine) as session:
        add_league(session, Plan(orbits=1, target=10))
    engine.dispose()
    done = arena("report", "--db", tmp_path / "league.db", "--site", tmp_path / "site", "--lang", lang)
    assert done.returncode == 0, done.stderr
    page = read_page((tmp_path / "site" / "index.html").read_text())
    assert dict(page.tags)["html"]["lang"] == lang
    others = {tags["lang"] for tag, tags in page.tags if tag == "a" and "hreflang" in tags}
    assert others == set(LANGUAGES)


def test_every_language_of_the_site_can_be_asked_for() -> None:
    assert tuple(Language) == LANGUAGES
