"""Every kind of page in a real browser: nothing is asked of the network, nothing sticks out, everybody can use it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser.conftest import SIZES, MakeVisit, Site
from tests.reports.hostile import NAMES

if TYPE_CHECKING:
    from playwright.sync_api import Page

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLOURS = ["color-contrast", "link-in-text-block"]
AXE = "(options) => axe.run(options).then((all) => ({ passes: all.passes.length, violations: all.violations }))"
# Sizes, roles and names are the same in both themes.
THEMES: tuple[tuple[Literal["light", "dark"], list[str]], ...] = (("light", WCAG), ("dark", COLOURS))


def kinds(site: Site, league: int, lang: str = "en") -> dict[str, str]:
    """A page of each kind."""
    paths = site.paths(league, lang)
    return {
        "front": ("" if lang == "en" else lang + "/") + "index.html",
        "standings": paths.standings,
        "cross-table": paths.cross,
        "bot": paths.bot(0),
        "matches": paths.matches(),
        "match": paths.match(0),
        "stream": paths.stream(0),
        "replay": paths.deal(0, 0, 3),
        "about": paths.about,
    }


def sticks_out(page: "Page") -> list[str]:
    """What makes the page wider than the window."""
    found: list[str] = page.evaluate(
        """() => {
          const width = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= width) return [];
          return Array.from(document.body.querySelectorAll("*"))
            .filter((one) => one.getBoundingClientRect().right > width + 0.5 && !one.closest(".sheet, pre, nav.main"))
            .map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`).slice(0, 5)
            .concat([`${document.documentElement.scrollWidth} > ${width}`]);
        }"""
    )
    return found


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_no_violation_on_any_kind_of_page(site: Site, visit: MakeVisit, size: str, half: int) -> None:
    from axe_playwright_python.base import AXE_SCRIPT, AxeResults  # type: ignore[import-untyped] # it ships no types

    # Long names are looked at on the small screen, where they are in the way most.
    pages = kinds(site, site.begun if size == "desktop" else site.hostile)
    if size == "desktop":
        pages |= {"tiers": site.paths(site.tiers).standings, "shaded": site.paths(site.tiers).cross}
    window = visit(size)
    found = {}
    for kind, path in sorted(pages.items())[half::2]:
        page = window.open(path)
        page.evaluate(AXE_SCRIPT)
        for theme, rules in THEMES:
            page.emulate_media(color_scheme=theme)
            results = page.evaluate(AXE, {"runOnly": rules, "resultTypes": ["violations"], "preload": False})
            assert results["passes"] >= (10 if rules is WCAG else 1), kind
            if results["violations"]:
                found[kind, theme] = AxeResults(results).generate_report()
    assert found == {}


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_nothing_sticks_out(site: Site, visit: MakeVisit, lang: str) -> None:
    window = visit()
    for league in (site.tiers, site.begun, site.hostile):
        for kind, path in kinds(site, league, lang).items():
            for width in (1280, 360):
                window.page.set_viewport_size({"width": width, "height": 800})
                page = window.open(path) if width == 1280 else window.page
                assert sticks_out(page) == [], (league, kind, width)
    longest = max(range(len(NAMES)), key=lambda number: len(NAMES[number]))
    assert sticks_out(window.open(site.paths(site.hostile, lang).bot(longest))) == []


def test_a_table_that_goes_on_beyond_the_edge_says_so_and_keeps_its_colours(site: Site, visit: MakeVisit) -> None:
    page = visit("phone").open(site.paths(site.tiers).stream(0))
    sheet = page.locator(".sheet").first
    ink = page.evaluate("getComputedStyle(document.body).color")
    colours = "(one) => [one, one.querySelector('td strong')].map((each) => getComputedStyle(each).color)"
    page.wait_for_function("document.querySelector('.sheet').classList.contains('more')")
    assert sheet.evaluate(colours) == [ink, ink]
    sheet.evaluate("(one) => { one.scrollLeft = 9999; }")
    page.wait_for_function("document.querySelector('.sheet').classList.contains('less')")
    assert sheet.evaluate(colours) == [ink, ink]


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_dot_of_a_seat_stands_beside_its_name(site: Site, visit: MakeVisit, size: str) -> None:
    page = visit(size).open(site.paths(site.hostile).match(0))
    apart = """(all) => all.map((dot) => {
      const [mark, name] = [dot, dot.parentElement.querySelector("bdi")].map((one) => one.getBoundingClientRect());
      return mark.top >= name.top && mark.bottom <= name.bottom && mark.right <= name.left;
    })"""
    assert page.locator("th.wide > .key").evaluate_all(apart) == [True] * 4


def test_on_a_phone_the_figures_of_a_bot_stay_on_its_card(site: Site, visit: MakeVisit) -> None:
    page = visit("phone").open(site.paths(site.tiers).standings)
    beyond = """(rows) => rows.map((row) => {
      const words = document.createRange();
      words.selectNodeContents(row.querySelector(".mean"));
      return words.getBoundingClientRect().right - row.querySelector(".plot").getBoundingClientRect().right;
    })"""
    assert max(page.locator("table.standings tbody tr").evaluate_all(beyond)) <= 0.5


def test_on_a_phone_a_fault_is_whole_without_scrolling_sideways(site: Site, visit: MakeVisit) -> None:
    window = visit("phone")
    for league, path in ((site.hostile, "match"), (site.tiers, "bot")):
        paths = site.paths(league)
        page = window.open(paths.match(4) if path == "match" else paths.bot(0))
        faults = page.locator("table.faults")
        sheet = faults.locator("xpath=..")
        assert sheet.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
        overlapping = """(rows) => rows.filter((row) => {
          const boxes = Array.from(row.cells).map((cell) => cell.getBoundingClientRect());
          return boxes.some((a, i) => boxes.slice(i + 1).some((b) =>
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
        }).length"""
        assert faults.locator("tbody tr").evaluate_all(overlapping) == 0
        assert page.get_by_role("table", name=re.compile("went wrong")).get_by_role("columnheader").count() >= 5


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_race_has_every_name_whole(site: Site, visit: MakeVisit, size: str) -> None:
    window = visit(size)
    for league, cut in ((site.hostile, True), (site.tiers, False)):
        page = window.open(site.paths(league).match(4))
        names = page.locator("table.scores thead bdi").all_text_contents()
        assert any(len(name) > 12 for name in names) is cut
        legend = page.locator(".race .legend")
        assert legend.is_visible() is (cut or size == "phone")
        assert legend.locator("bdi").all_text_contents() == names
        assert page.locator(".race text.name tspan").first.is_visible() is (size == "desktop")
        box, room = page.locator(".race").bounding_box(), legend.bounding_box()
        assert box is not None
        if room is not None:
            assert room["x"] + room["width"] <= box["x"] + box["width"]
        labels = page.locator(".race > svg text").evaluate_all(
            "(all) => all.map((one) => [one.getBoundingClientRect().right, parseFloat(getComputedStyle(one).fontSize)"
            " * one.ownerSVGElement.getBoundingClientRect().width / 720])"
        )
        assert max(right for right, _ in labels) <= box["x"] + box["width"]
        assert min(size for _, size in labels) >= 11


def test_on_a_wide_screen_a_table_of_many_bots_is_whole(site: Site, visit: MakeVisit) -> None:
    window = visit()
    window.page.set_viewport_size({"width": 2200, "height": 900})
    page = window.open(site.paths(site.hostile).cross)
    sheet = page.locator(".sheet")
    assert sheet.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    assert sticks_out(page) == []


def order(page: "Page") -> list[str]:
    """The bots of the standings as they stand."""
    return page.locator("table.standings tbody th a").all_text_contents()


def values(page: "Page", head: str) -> list[float]:
    """What the column is sorted by."""
    column = page.locator("table.standings thead th").all_text_contents().index(head)
    rows = page.locator("table.standings tbody tr").all()
    return [float(row.locator("td, th").nth(column).get_attribute("data-v") or "nan") for row in rows]


def test_the_standings_are_sorted_by_keyboard(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.tiers).standings)
    ranked = order(page)
    head = page.locator("thead th", has_text="Points")
    name = head.text_content()
    assert name is not None
    for _ in range(40):
        page.keyboard.press("Tab")
        if head.evaluate("(one) => one.contains(document.activeElement)"):
            break
    else:
        pytest.fail("the column is never reached by Tab")
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert values(page, name) == sorted(values(page, name))
    page.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "descending"
    assert values(page, name) == sorted(values(page, name), reverse=True)
    assert page.locator('thead th[aria-sort="ascending"], thead th[aria-sort="descending"]').count() == 1
    page.locator("thead th", has_text="Rank").locator("button").press("Enter")
    assert order(page) == ranked


def test_the_standings_are_sorted_by_mouse(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.tiers).standings)
    head = page.locator("thead th", has_text="Bot")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert order(page) == sorted(order(page))
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert order(page) == sorted(order(page), reverse=True)


def test_on_a_phone_a_list_sorts_the_standings(site: Site, visit: MakeVisit) -> None:
    page = visit("phone").open(site.paths(site.tiers).standings)
    before = order(page)
    page.get_by_label("Sort by").select_option(label="Bot")
    assert order(page) == sorted(before)


def test_on_a_phone_opponents_are_sorted_by_name_at_the_first_choice(site: Site, visit: MakeVisit) -> None:
    page = visit("phone").open(site.paths(site.tiers).bot(4))
    names = page.locator("#opponents + .sortbar + .sheet tbody th")
    before = names.all_text_contents()
    assert before != sorted(before)
    page.get_by_label("Sort by").select_option(label="Opponent")
    assert names.all_text_contents() == sorted(before)


def test_only_the_row_that_an_address_names_is_opened(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.tiers).bot(0) + "#main")
    assert page.locator("details").count() > 1
    assert page.locator("details[open]").count() == 0


def test_the_whole_table_of_standings_is_in_a_window_of_1280(site: Site, visit: MakeVisit) -> None:
    window = visit("desktop")
    for league in (site.tiers, site.begun, site.variants["black-lady"]):
        for lang in ("en", "ru"):
            page = window.open(site.paths(league, lang).standings)
            sheet = page.locator(".sheet:has(.standings)")
            assert sheet.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0, (league, lang)


def test_the_language_is_one_click_away_on_every_page(site: Site, visit: MakeVisit) -> None:
    window = visit()
    pages = kinds(site, site.tiers)
    for kind in ("front", "standings", "match", "replay"):
        page = window.open(pages[kind])
        own = page.url.partition("#")[0]
        page.locator("nav.lang a", has_text="RU").click()
        page.wait_for_url(lambda url: "/ru/" in url)
        assert page.locator("html").get_attribute("lang") == "ru"
        page.locator("nav.lang a", has_text="EN").click()
        page.wait_for_url(lambda url: "/ru/" not in url)
        assert page.url.partition("#")[0] == own


def test_all_pages_are_reached_by_clicks(site: Site, visit: MakeVisit) -> None:
    page = visit().open("index.html")
    page.locator(".leagues h2 a", has_text="Tiers").click()
    page.locator("nav.main a", has_text="Cross-table").click()
    page.locator(".cross td a").first.click()
    assert re.search(r"bot-\d+\.html#vs-\d+$", page.url)
    row = page.locator("tr:target")
    assert row.locator("details").get_attribute("open") is not None
    row.locator("details a").first.click()
    assert re.search(r"match-\d+\.html$", page.url)
    page.locator("table.scores tbody th a").first.click()
    page.wait_for_selector("#replayer:not([hidden])")
    page.locator("#match-link").click()
    page.get_by_role("link", name="Compare them deal by deal").click()
    assert page.locator("h1").text_content() == "The same deals, side by side"


def test_the_skip_link_is_the_first_and_leads_to_the_content(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.tiers).standings)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_paper_has_no_navigation(site: Site, visit: MakeVisit) -> None:
    window = visit()
    for kind, path in kinds(site, site.tiers).items():
        page = window.open(path)
        page.emulate_media(media="print")
        for hidden in ("nav.main", "nav.lang", "footer", ".skip", ".sortbar", ".controls"):
            for one in page.locator(hidden).all():
                assert not one.is_visible(), (kind, hidden)
        assert page.locator("h1").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.emulate_media(media="screen")


def test_without_scripts_everything_but_the_replayer_is_there(site: Site, visit: MakeVisit) -> None:
    window = visit(java_script_enabled=False)
    for kind, path in kinds(site, site.tiers).items():
        window.page.goto(site.address(path))
        assert window.page.locator("main h1").is_visible()
        if kind == "replay":
            assert window.page.locator("noscript p").is_visible()
        elif kind not in {"front", "about"}:
            assert window.page.locator("main table").first.is_visible()


def test_hostile_names_do_nothing(site: Site, visit: MakeVisit) -> None:
    window = visit()
    for lang in ("en", "ru"):
        for path in kinds(site, site.hostile, lang).values():
            page = window.open(path)
            assert page.locator("img, iframe, object, embed, [onload], [onerror]").count() == 0
            assert page.locator("body script:not([type='application/json'])").count() == 0


def test_a_window_would_tell_of_what_no_page_may_do(visit: MakeVisit, tmp_path: Path) -> None:
    window = visit()
    (tmp_path / "page.html").write_text(
        '<img src="http://127.0.0.1:9/x"><script src="no.js"></script><script>no()</script>'
    )
    window.page.goto((tmp_path / "page.html").as_uri())
    said = " ".join(window.troubles)
    for trouble in ("asked for file:", "asked for http:", "failed: http:", "uncaught: no is not defined", "error: "):
        assert trouble in said
    window.troubles.clear()
