"""The site as a whole: the same bytes, whole links, sound pages, no way out, no secrets."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import Session, col, delete, select

from arena.stats.rows import complete_orbits
from arena.stats.standings import standings
from arena.store import read
from arena.store.database import open_database
from arena.store.models import Entrant, Fault, League, PlayedDeal, Result, SeatResult
from reports.facts import facts
from reports.numbers import Numbers
from reports.site import write_site
from reports.table import orbit_sizes
from reports.varying import settled
from tests.reports.html_reading import Page, pages, read_page, target_of, tree
from tests.reports.made_league import Plan, add_league, database

PLANS = (
    Plan(name="Spring", orbits=3, faults=0.05),
    Plan(name="Summer", variant="black-lady", players=5, orbits=2, open_fixtures=3, begun_deals=2, house=("House 1",)),
)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with database() as found:
        for plan in PLANS:
            add_league(found, plan)
        yield found


@pytest.fixture(scope="module")
def site(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site")
    assert write_site(session, directory=directory) == directory / "index.html"
    return directory


@pytest.fixture(scope="module")
def read_pages(site: Path) -> dict[Path, Page]:
    return pages(site)


def test_the_same_database_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    with database() as again:
        for plan in PLANS:
            add_league(again, plan)
        write_site(again, directory=tmp_path)
    assert tree(tmp_path) == tree(site)


def test_all_but_the_marked_times_is_the_same_however_fast_the_bots_were(site: Path, tmp_path: Path) -> None:
    with database() as slower:
        for plan in PLANS:
            add_league(slower, Plan(**{**plan.__dict__, "pace": 3.7}))
        write_site(slower, directory=tmp_path)
    ours, theirs = tree(site), tree(tmp_path)
    assert ours.keys() == theirs.keys()
    assert ours["league-1/match-0.html"] != theirs["league-1/match-0.html"]  # else nothing was compared
    for path in ours:
        if path.endswith(".html"):
            assert settled(ours[path].decode()) == settled(theirs[path].decode()), path
        elif path.endswith("standings.json"):
            fast, slow = json.loads(ours[path]), json.loads(theirs[path])
            assert fast.pop("times") != slow.pop("times")
            assert fast == slow
        elif not path.endswith((".csv", "manifest.json")):
            assert ours[path] == theirs[path], path


@pytest.mark.skipif(sys.platform != "linux", reason="a second process is only forked on Linux")
def test_two_processes_write_the_same_site(tmp_path: Path, site: Path) -> None:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    with Session(engine) as session:
        for plan in PLANS:
            add_league(session, plan)
    engine.dispose()
    # In a process of its own: a fork would cut off the threads of this one in the middle.
    program = """
import os, sys
os.sched_getaffinity = lambda pid: {0, 1}
forks = []
os.register_at_fork(after_in_parent=lambda: forks.append(1))
from arena.cli.main import main
sys.argv = ["arena", "report", "--db", "league.db", "--site", "site"]
try:
    main()
finally:
    print(f"copies: {len(forks)}")
"""
    for copies in (1, 0):  # the second time, nothing is to be made
        ended = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert ended.stdout.endswith(f"copies: {copies}\n"), ended.stderr
        assert tree(tmp_path / "site") == tree(site)


def test_a_second_writing_touches_nothing(session: Session, tmp_path: Path) -> None:
    write_site(session, directory=tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    inodes = {path: path.stat().st_ino for path in tmp_path.rglob("*")}
    write_site(session, directory=tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert {path: path.stat().st_ino for path in tmp_path.rglob("*")} == inodes


def test_one_more_match_changes_only_what_it_concerns(tmp_path: Path) -> None:
    plan = Plan(orbits=3)
    with database() as full, database() as less:
        add_league(full, plan)
        league = add_league(less, plan)
        last = 14
        for table in (SeatResult, Result):
            less.exec(delete(table).where(col(table.fixture) == last))
        less.commit()
        write_site(less, directory=tmp_path)
        before = {path: path.stat().st_ino for path in tmp_path.rglob("*") if path.is_file()}
        for table in (Result, SeatResult):
            for row in full.exec(select(table).where(col(table.fixture) == last)).all():
                less.add(table(**row.model_dump()))
        less.commit()
        assert league.id == 1
        write_site(less, directory=tmp_path)
    after = {path: path.stat().st_ino for path in tmp_path.rglob("*") if path.is_file()}
    changed = {path.relative_to(tmp_path).as_posix() for path in after if before.get(path) != after[path]}
    first = {f"league-1/match-{number}.html" for number in range(10)} | {"league-1/stream-0.html", "static/site.css"}
    assert not changed & first
    assert {"index.html", "league-1/match-14.html", "league-1/match-11.html", "league-1/stream-2.html"} <= changed
    with database() as again:
        add_league(again, plan)
        write_site(again, directory=tmp_path / "fresh")
    fresh = tree(tmp_path / "fresh")
    assert {path: tree(tmp_path)[path] for path in fresh} == fresh


def test_what_has_no_source_any_more_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "league-1").mkdir()
    (tmp_path / "league-1" / "notes.html").write_text("mine")
    with database() as found:
        add_league(found, Plan(orbits=2))
        write_site(found, directory=tmp_path)
        assert (tmp_path / "league-1" / "match-9.html").is_file()
        for table in (SeatResult, Result, PlayedDeal):
            found.exec(delete(table).where(col(table.fixture) == 9))
        found.commit()
        write_site(found, directory=tmp_path)
    assert not (tmp_path / "league-1" / "match-9.html").exists()
    assert (tmp_path / "league-1" / "notes.html").read_text() == "mine"


def test_every_page_is_sound(read_pages: dict[Path, Page]) -> None:
    assert len(read_pages) > 60
    for path, page in read_pages.items():
        assert not page.faults, path
        tags = dict(page.tags)
        assert tags["html"]["lang"] == ("ru" if "ru" in path.parts else "en")
        assert {"title", "main", "h1", "header", "footer"} <= tags.keys()
        assert [tag for tag, _ in page.tags].count("h1") == 1
        assert "main" in page.ids


def test_every_link_leads_somewhere(read_pages: dict[Path, Page]) -> None:
    found = {path.resolve(): page for path, page in read_pages.items()}
    followed = 0
    for path, page in read_pages.items():
        for link in page.links:
            target, anchor = target_of(path, link)
            assert target.is_file(), f"{path}: {link}"
            if anchor and not anchor.startswith("deal="):
                assert anchor in found[target].ids, f"{path}: {link}"
            followed += 1
    assert followed > 2000


def test_every_link_to_the_replayer_names_a_deal_that_is_there(site: Path, read_pages: dict[Path, Page]) -> None:
    shards = {path: shard(path) for path in (site / "deals").rglob("*.js")}
    followed = 0
    for path, page in read_pages.items():
        for link in page.links:
            target, anchor = target_of(path, link)
            if anchor.startswith("deal="):
                found = re.fullmatch(r"deal=(\d+)-(\d+)(?:&trick=(\d+))?", anchor)
                assert found, link
                match, deal = int(found[1]), int(found[2])
                tricks = shards[site / "deals" / target.parent.name / f"{match // 25}.js"][str(match)]["deals"][deal][
                    "tricks"
                ]
                assert found[3] is None or int(found[3]) <= len(tricks)
                followed += 1
    assert followed > 200


def test_nothing_leads_outside(site: Path) -> None:
    for path, data in tree(site).items():
        text = data.decode().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(?:https?:|ftp:|wss?:|(?<![:\w])//[a-z])", text.replace("// ", "")), path
        if path.endswith(".css"):
            assert "@import" not in text
            assert "url(" not in text


def test_the_order_is_that_of_the_statistics(session: Session, site: Path) -> None:
    for league in read.leagues(session=session):
        known = facts(session, league)
        rows = read.as_match_rows(known.entrants, known.fixtures, known.results)
        sizes = orbit_sizes(known.fixtures)
        key = read.bootstrap_key(session=session, league=league.id)
        lines = standings(rows, key=key, orbit_sizes=sizes)
        assert len(complete_orbits(rows, sizes)) > 0
        page = read_page((site / f"league-{league.id}" / "index.html").read_text())
        shown = [row for row in page.cells if len(row) > 8][1:]
        assert [row[1] for row in shown] == [line.bot for line in lines]
        assert [row[2][:5] for row in shown] == [f"{line.placement.value:.3f}" for line in lines]
        said = json.loads((site / f"league-{league.id}" / "standings.json").read_text())
        assert [one["bot"] for one in said["standings"]] == [line.bot for line in lines]
        assert [one["points_per_deal"] for one in said["standings"]] == [
            round(line.points_per_deal.value, 6) for line in lines
        ]


def test_score_sheets_add_up(session: Session, site: Path) -> None:
    for league in read.leagues(session=session):
        for result in read.results(session=session, league=league.id).values():
            page = read_page((site / f"league-{league.id}" / f"match-{result.fixture}.html").read_text())
            width = 2 * league.seats + 2
            sheet = [row for row in page.cells if len(row) == width]
            deals, foot = sheet[:-1], sheet[-1]
            assert len(deals) == result.deals
            for seat, one in enumerate(result.seats):
                total = 0
                for row in deals:
                    points = row[1 + 2 * seat].lstrip("☾✕ ").split()[0]
                    total += int(points.replace("−", "-"))
                    assert row[2 + 2 * seat].replace("−", "-") == str(total)
                assert total == one.points
                assert foot[2 + 2 * seat].replace("−", "-") == str(one.points)


def test_cards_and_seed_are_secret_as_long_as_somebody_has_to_play_them(session: Session, site: Path) -> None:
    league = read.leagues(session=session)[1]
    stored = session.get(League, league.id)
    assert stored is not None
    assert league.finished_at is None
    fixtures = read.fixtures(session=session, league=league.id)
    done = read.results(session=session, league=league.id)
    open_streams = {fixture.stream for fixture in fixtures if fixture.number not in done}
    hidden = {fixture.number for fixture in fixtures if fixture.stream in open_streams}
    assert hidden & done.keys()
    shown: set[int] = set()
    for path, data in tree(site).items():
        if "league-2" in path:
            assert stored.seed.encode() not in data
            if path.startswith("deals/"):
                shown |= {int(match) for match in shard(site / path)}
    assert shown == {fixture.number for fixture in fixtures} - hidden
    faults = [
        fault for fault in read.faults(session=session, league=league.id) if fault.fixture in hidden & done.keys()
    ]
    for fault in faults:
        text = (site / "league-2" / f"match-{fault.fixture}.html").read_text()
        assert fault.reason not in text
    for number in hidden & done.keys():
        assert "replay.html#" not in (site / "league-2" / f"match-{number}.html").read_text()


def test_the_other_language_is_on_top_when_asked_for(session: Session, tmp_path: Path) -> None:
    write_site(session, directory=tmp_path, lang="ru")
    assert dict(read_page((tmp_path / "index.html").read_text()).tags)["html"]["lang"] == "ru"
    assert dict(read_page((tmp_path / "en" / "index.html").read_text()).tags)["html"]["lang"] == "en"


def test_an_unknown_language_is_refused(session: Session, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="en and ru, not 'de'"):
        write_site(session, directory=tmp_path, lang="de")


def test_a_directory_that_cannot_be_written_is_one_line(session: Session, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="the site cannot be written") as caught:
        write_site(session, directory=tmp_path / "file" / "site")
    assert str(tmp_path / "file" / "site") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_database_is_a_page_that_says_so(tmp_path: Path) -> None:
    with database() as nothing:
        index = write_site(nothing, directory=tmp_path)
    page = read_page(index.read_text())
    assert not page.faults
    assert "There is no league yet." in page.text


def test_a_league_that_has_not_begun_has_all_its_pages(tmp_path: Path) -> None:
    with database() as early:
        add_league(early, Plan(orbits=1, open_fixtures=5))
        write_site(early, directory=tmp_path)
    for path, page in pages(tmp_path).items():
        assert not page.faults, path
    text = read_page((tmp_path / "index.html").read_text()).text
    assert "No orbit of the schedule is complete yet." in text
    assert all(name in text for name in Plan().bots)


def shard(path: Path) -> dict[str, dict[str, list[dict[str, list[object]]]]]:
    """What a file of deals hands over."""
    text = path.read_text()
    head, tail = "(window.arenaDeals=window.arenaDeals||[]).push(", ");\n"
    assert text.startswith(head)
    assert text.endswith(tail)
    found: dict[str, dict[str, list[dict[str, list[object]]]]] = json.loads(text[len(head) : -len(tail)])
    return found


def test_who_is_away_is_told_and_concerns_no_other_page(tmp_path: Path) -> None:
    plan = Plan(orbits=2, open_fixtures=4, away=("scout",))
    with database() as found:
        add_league(found, plan)
        write_site(found, directory=tmp_path)
        for page in ("index.html", "league-1/about.html"):
            assert "away" in read_page((tmp_path / page).read_text()).text
        before = tree(tmp_path)
        for entrant in found.exec(select(Entrant)).all():
            entrant.away = False
        found.commit()
        write_site(found, directory=tmp_path)
        assert "away" not in read_page((tmp_path / "index.html").read_text()).text
    after = tree(tmp_path)
    changed = {path for path in after if after[path] != before[path]}
    pages = {"index.html", "league-1/about.html"}
    assert changed == pages | {f"ru/{page}" for page in pages} | {"manifest.json"}


def test_a_revoke_that_forfeits_the_match_is_on_the_score_sheet(tmp_path: Path) -> None:
    with database() as found:
        add_league(found, Plan(orbits=3, faults=0.2))
        stops = found.exec(select(Fault).where(Fault.consequence == "stopped")).all()
        assert len(stops) > 2
        stops[0].consequence = "stand-in"
        place = stops[0].fixture, stops[0].deal, stops[0].seat
        # One that stops nothing: the bot's time was spent.
        spent = next(fault for fault in found.exec(select(Fault)).all() if fault.consequence == "fallback")
        spent.consequence = "stand-in"
        league = read.leagues(session=found)[0]
        found.commit()
        known = facts(found, league)
        write_site(found, directory=tmp_path)
    assert known.stops[place[:2]] == place[2]
    assert len(known.stops) == len(stops)
    page = (tmp_path / "league-1" / f"match-{place[0]}.html").read_text()
    row = page[page.index(f'<tr id="deal-{place[1] + 1}">') :]
    assert "stopped: revoke of" in row[: row.index("</tr>")]


def test_no_unit_on_a_russian_page_is_in_latin_letters(site: Path) -> None:
    units: dict[str, set[str]] = {"en": set(), "ru": set()}
    for path in site.rglob("*.html"):
        # What a bot was told is quoted as it was said.
        text = re.sub(r"<bdi>.*?</bdi>", "", path.read_text())
        found = re.findall(r"(?:\d|% ?)[ \u00a0]([a-zµа-я]+)(?![\w=])", text)
        units["ru" if "ru" in path.relative_to(site).parts else "en"] |= set(found)
    assert {"ms", "s", "µs"} <= units["en"]
    assert {"мс", "с", "мкс"} <= units["ru"]
    assert not units["ru"] & {"ns", "µs", "ms", "s", "min", "h", "d"}


@pytest.mark.parametrize(
    ("ms", "english", "russian"),
    [
        (0.5, "0.50 ms", "0,50 мс"),
        (3.25, "3.2 ms", "3,2 мс"),
        (99.6, "100 ms", "100 мс"),
        (1500, "1.5 s", "1,5 с"),
        (125_000, "2:05 min", "2:05 мин"),
        (3_725_000, "1:02:05 h", "1:02:05 ч"),
    ],
)
def test_durations_are_in_the_units_of_the_language(ms: float, english: str, russian: str) -> None:
    assert Numbers("en").time(ms).replace("\u00a0", " ") == english
    assert Numbers("ru").time(ms).replace("\u00a0", " ") == russian
