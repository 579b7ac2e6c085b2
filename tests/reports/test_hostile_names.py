"""Names, notes and answers are whatever somebody sent: nothing of it may act."""

import csv
import io
import json
import re
import unicodedata
from pathlib import Path

import pytest

from reports.names import cell, short, shown
from reports.site import write_site
from tests.reports.hostile import NAMES, add_hostile_league
from tests.reports.html_reading import Page, pages, tree
from tests.reports.made_league import database


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("hostile")
    with database() as session:
        add_hostile_league(session)
        write_site(session, directory=directory)
    return directory


@pytest.fixture(scope="module")
def read_pages(site: Path) -> dict[Path, Page]:
    return pages(site)


def test_pages_stay_sound(read_pages: dict[Path, Page]) -> None:
    for path, page in read_pages.items():
        assert not page.faults, path


def test_no_name_becomes_markup(read_pages: dict[Path, Page]) -> None:
    for path, page in read_pages.items():
        for tag, attributes in page.tags:
            assert tag != "img", path
            for name, value in attributes.items():
                assert "mark" not in name, path
                if name in {"href", "src", "id", "class", "onload", "onerror"}:
                    assert "mark" not in value, f"{path}: {value}"
        scripts = [attributes for tag, attributes in page.tags if tag == "script"]
        assert all("src" in one or one.get("type") == "application/json" for one in scripts), path


def test_names_are_there_to_be_read(read_pages: dict[Path, Page]) -> None:
    index = next(page for path, page in read_pages.items() if path.parts[-1] == "index.html" and "ru" not in path.parts)
    for name in NAMES:
        assert shown(name) in index.text


def test_names_do_not_reach_the_file_system(site: Path) -> None:
    assert all(re.fullmatch(r"[a-z0-9./-]+", path) for path in tree(site))
    assert not any("mark" in path for path in tree(site))


def test_nothing_invisible_is_written(site: Path) -> None:
    for path, data in tree(site).items():
        text = data.decode()
        kinds = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn"}
        hidden = {sign for sign in text if unicodedata.category(sign) in kinds and sign not in "\n\r"}
        assert not hidden, f"{path}: {hidden}"


def test_scripts_hold_no_markup(site: Path, read_pages: dict[Path, Page]) -> None:
    found = 0
    for path in read_pages:
        if path.name == "replay.html":
            text = path.read_text()
            start = text.index('<script type="application/json" id="data">') + 42
            data = json.loads(text[start : text.index("</script>", start)])
            assert data["names"] == [shown(name) for name in NAMES]
            assert not set("<>&") & set(text[start : text.index("</script>", start)])
            found += 1
    assert found == 2
    for name, content in tree(site).items():
        if name.startswith("deals/"):
            assert b"mark" not in content
            assert content.isascii()


def test_json_has_the_exact_names(site: Path) -> None:
    data = (site / "league-1" / "standings.json").read_bytes()
    assert data.isascii()
    assert not set(b"<>&") & set(data)
    said = json.loads(data)
    assert {one["bot"] for one in said["standings"]} == set(NAMES)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_no_cell_of_the_csv_is_a_formula(site: Path, delimiter: str) -> None:
    text = (site / "league-1" / "standings.csv").read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert len(rows) == len(NAMES) + 1
    assert {len(row) for row in rows} == {len(rows[0])}
    for row in rows:
        for text in row:
            number = re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?(/\d+)?", text)
            assert number or not text.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")), text


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("plain name", "plain name"),
        ("Пётр 7", "Пётр 7"),
        ("a\u202eb", "a‹U+202E›b"),
        ("a\u00a0b", "a‹U+00A0›b"),
        ("tab\there", "tab‹U+0009›here"),
        ("", "(no name)"),
        ("   ", "(no name)"),
        ("é" + "\u0301" * 5, "é" + "\u0301" * 2),
    ],
)
def test_what_cannot_be_seen_is_written_out(name: str, seen: str) -> None:
    assert shown(name) == seen


def test_a_short_name_is_never_longer_than_asked() -> None:
    for name in NAMES:
        assert len(short(name, 12)) <= 12


@pytest.mark.parametrize("name", ["=1", " =1", "+1", "-1", "@a"])
def test_a_formula_gets_an_apostrophe(name: str) -> None:
    assert cell(name) == "'" + name
