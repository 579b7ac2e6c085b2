"""The address of the replayer: it names the moment that is shown, and whatever it says, something sensible is shown."""

import pytest

from tests.browser.conftest import MakeVisit, Site
from tests.browser.seen import SEEN


def test_a_deep_link_opens_at_the_trick_and_the_address_follows(site: Site, visit: MakeVisit) -> None:
    window = visit()
    paths = site.paths(site.variants["classic"])
    for trick in (0, 5, 12):
        page = window.open("index.html")
        page = window.open(paths.deal(0, 0, trick))
        seen = page.evaluate(SEEN)
        assert (seen["marked"], len(seen["trick"])) == (trick, 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("v")
    address = page.url
    before = page.evaluate(SEEN)
    window.open("index.html")
    page.goto(address)
    page.wait_for_selector("#replayer:not([hidden])")
    assert page.evaluate(SEEN) == before
    page.locator("#tricks tbody a").nth(3).click()
    assert page.evaluate(SEEN)["marked"] == 3
    page.go_back()
    page.wait_for_function(f"document.documentElement.dataset.step === '{before['step']}'")


def test_a_fault_leads_to_its_very_trick(site: Site, visit: MakeVisit) -> None:
    window = visit()
    page = window.open(site.paths(site.tiers).bot(0))
    link = page.locator("#faults + .sheet tbody a[href*='trick=']").first
    place = link.text_content()
    assert place is not None
    link.click()
    page.wait_for_selector("#replayer:not([hidden])")
    assert f"trick {page.evaluate(SEEN)['marked'] + 1}" in place
    match, deal = (part.strip() for part in place.split(",")[:2])
    assert page.locator("h1").text_content() == f"{match.capitalize()}, {deal}"


@pytest.mark.parametrize(
    "address",
    ["deal=999-0", "deal=-1-0", "deal=0", "deal=0-", "deal=0.5-0", "deal=0-1.5", "deal=0-1e9", "deal=__proto__"],
)
def test_an_address_of_no_deal_is_told(site: Site, visit: MakeVisit, address: str) -> None:
    page = visit().page
    page.goto(site.address(f"{site.paths(site.begun).replay}#{address}"))
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.locator("#trouble").text_content() == (
        "No deal of this address is published. Choose a match that has finished at all tables of its deals."
    )
    assert page.locator("#replayer").is_hidden()


@pytest.mark.parametrize(
    ("strange", "step"),
    [
        *[(one, 0) for one in ("seat=1.5", "seat=", "seat=99", "step=1.5", "step=x", "trick=1.5", "%E0%A4%A")],
        *[(one, -1) for one in ("step=99999", "trick=99")],
    ],
)
def test_whatever_else_an_address_says_the_deal_is_shown(site: Site, visit: MakeVisit, strange: str, step: int) -> None:
    page = visit().open(f"{site.paths(site.variants['classic']).deal(0, 0)}&{strange}")
    seen = page.evaluate(SEEN)
    assert seen["step"] == step % (seen["last"] + 1)
    assert all(-1 not in seat["hand"] for seat in seen["seats"]), "the open view"


def test_a_deal_that_takes_long_to_load_does_not_come_in_place_of_the_next(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.tiers).deal(0, 0))
    late = page.evaluate("""async () => {
        const head = document.head, append = head.append;
        const go = (hash) => new Promise((resolve) => {
            addEventListener("hashchange", resolve, { once: true });
            location.hash = hash;
        });
        let held;
        head.append = (script) => { held = script; };
        await go("deal=30-0"); // of a file that is not loaded yet
        head.append = append;
        await go("deal=1-0");
        await new Promise((resolve) => {
            held.addEventListener("load", () => setTimeout(resolve, 0));
            head.append(held);
        });
        return location.hash;
    }""")
    assert late == "#deal=1-0"
    assert page.locator("h1").text_content() == "Match 2, deal 1"


def test_a_file_without_deals_is_told(site: Site, visit: MakeVisit) -> None:
    page = visit().page
    page.add_init_script("window.arenaDeals = { push: () => 0, pop: () => undefined }")
    page.goto(site.address(site.paths(site.tiers).replay))
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.locator("#trouble").text_content() == "The deals could not be loaded: 0.js is missing."


def test_whose_eyes_one_looks_with_stays_from_deal_to_deal_and_at_every_trick(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.variants["classic"]).deal(0, 0))

    def hidden() -> list[bool]:
        return [-1 in seat["hand"] for seat in page.evaluate(SEEN)["seats"]]

    page.get_by_label("View").select_option("2")
    page.locator("#tricks tbody a").nth(3).click()
    page.wait_for_function("document.querySelector('#tricks tr.here')?.rowIndex === 4")
    assert hidden() == [True, True, False, True]
    page.get_by_label("Same cards at").select_option("1")
    page.wait_for_function("document.getElementById('title').textContent === 'Match 2, deal 1'")
    assert hidden() == [True, True, False, True]
    page.locator("#deal").select_option("1")
    page.wait_for_function("document.getElementById('title').textContent === 'Match 2, deal 2'")
    assert hidden() == [True, True, False, True]
    assert page.locator("#view").input_value() == "2"
    page.get_by_label("View").select_option("-1")
    page.locator("#tricks tbody a").nth(1).click()
    page.wait_for_function("document.querySelector('#tricks tr.here')?.rowIndex === 2")
    assert hidden() == [False] * 4


def test_the_other_language_shows_the_same_moment(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.variants["classic"]).deal(1, 1, 4))
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("v")
    before = page.evaluate(SEEN)
    for lang in ("RU", "EN"):
        page.locator("nav.lang a", has_text=lang).click()
        page.wait_for_url(lambda url: ("/ru/" in url) == (lang == "RU"))  # noqa: B023  asked for at once
        page.wait_for_selector("#replayer:not([hidden])")
        seen = page.evaluate(SEEN)
        for part in ("step", "trick", "marked", "rest"):
            assert seen[part] == before[part]
        assert [seat["hand"] for seat in seen["seats"]] == [seat["hand"] for seat in before["seats"]]
    assert seen == before


@pytest.mark.parametrize(
    "address", ["deal=999-0", 'deal="><img src=x>', "%E0%A4%A", "javascript:alert(1)", "deal=0-0#x"]
)
def test_the_other_language_is_asked_for_the_same_whatever_it_is(site: Site, visit: MakeVisit, address: str) -> None:
    page = visit().page
    page.goto(f"{site.address(site.paths(site.begun).replay)}#{address}")
    page.wait_for_selector("#trouble:not([hidden]), #replayer:not([hidden])")
    asked = page.evaluate("location.hash")
    assert page.locator("nav.lang a", has_text="RU").evaluate("(one) => one.hash") == asked
    page.locator("nav.lang a", has_text="RU").click()
    page.wait_for_url(lambda url: "/ru/" in url)
    page.wait_for_selector("#trouble:not([hidden]), #replayer:not([hidden])")
    assert page.evaluate("location.hash") == asked
