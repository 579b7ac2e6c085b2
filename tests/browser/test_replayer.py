"""The replayer, driven by keyboard through whole deals, against the rules' own account of the record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal
from arena.rules.record import DealRecord, read_deal
from tests.browser.conftest import MakeVisit, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEEN = """() => {
  const faces = (root, kind) => Array.from(root.querySelectorAll(kind)).map((card) =>
    Number(card.querySelector("use").getAttribute("href").replace("#card-", "").replace("back", "-1")));
  const sorted = (list) => list.sort((a, b) => a - b);
  const colour = (node) => Number(Array.from(node.classList).find((name) => /^b\\d$/.test(name)).slice(1));
  const seats = {};
  document.querySelectorAll(".board .seat").forEach((seat) => {
    const hand = seat.querySelector(".hand");
    seats[colour(seat.querySelector(".dot"))] = {
      name: seat.querySelector("bdi").textContent,
      points: Number(seat.querySelector(".points").textContent.replace("−", "-").split(" ")[0]),
      taken: Number(seat.querySelector(".about span").textContent.split(" ")[0]),
      hand: sorted(faces(hand, ".card")),
      legal: sorted(faces(hand, ".legal")), barred: sorted(faces(hand, ".barred")),
      out: sorted(faces(hand, ".out")), in: sorted(faces(hand, ".in")),
      away: sorted(faces(seat, ".group .card")),
      acting: seat.classList.contains("acting"),
    };
  });
  const zone = (kind) => { const found = document.querySelector(`.middle .${kind}`); return found ? sorted(faces(found, ".card")) : []; };
  const won = document.querySelector(".spot:has(.won) .tag");
  const hearts = document.querySelector(".hearts");
  return {
    step: Number(document.documentElement.dataset.step),
    last: Number(document.getElementById("slider").max),
    status: document.getElementById("status").textContent,
    seats: Object.keys(seats).sort().map((seat) => seats[seat]),
    trick: Array.from(document.querySelectorAll(".spot")).map((spot) => [colour(spot.querySelector(".tag")), faces(spot, ".card")[0]]),
    winner: won ? colour(won) : null,
    rest: zone("rest"), waiting: zone("waiting"),
    open: hearts === null || hearts.classList.contains("open"),
    marked: document.querySelector("#tricks tr.here") ? document.querySelector("#tricks tr.here").rowIndex - 1 : null,
  };
}"""  # noqa: E501  a script reads better unbroken

# What is seen now and after every step from now on, so that nobody need ask after each of them.
WATCH = f"""() => {{
  const seen = {SEEN};
  window.moments = [seen()];
  const watcher = new MutationObserver(() => window.moments.push(seen()));
  watcher.observe(document.documentElement, {{ attributes: true, attributeFilter: ["data-step"] }});
}}"""


@dataclass
class Moment:
    """What the rules say that lies on the table; cards as faces, sorted."""

    hands: list[list[int]]
    points: list[int]
    trick: list[list[int]] = field(default_factory=list)  # seat and face, in playing order
    winner: int | None = None
    waiting: list[int] = field(default_factory=list)
    legal: tuple[int, list[int]] | None = None  # whose turn it is, and the faces
    number: int | None = None  # of the trick
    open: bool = True
    away: tuple[int, list[int]] | None = None
    said: str = ""  # part of the sentence


def faces(cards: int) -> list[int]:
    return list(c.faces_of(cards))


def moments(record: DealRecord) -> Iterator[Moment]:
    """The deal step by step, as the rules play it."""
    rules = record.rules
    deal = Deal(rules, record.number, record.dealer, record.hands, record.rest)
    hands = [faces(hand) for hand in record.hands]
    rest = [card % c.FACES for card in record.rest]
    points = [0] * rules.players
    away: tuple[int, list[int]] | None = None

    def now(**more: Any) -> Moment:
        return Moment([sorted(hand) for hand in hands], points.copy(), away=away, open=deal.hearts_open, **more)

    yield now(said="dealt")
    if any(record.passes):
        for seat, cards in enumerate(record.passes):
            deal.answer(seat, cards)
        yield now(said="chosen")
        hands = [faces(hand) for hand in deal.hands]
        yield now(said="arrived")
    for number, cards in enumerate(record.plays):
        trick: list[list[int]] = []
        for place, card in enumerate(cards):
            seat = deal.turn
            drawn = deal.drawn[place] if deal.drawn else 0
            if drawn:
                hands[seat] += rest[:drawn]
                del rest[:drawn]
                # Hearts open with a card, never with a draw; the trick so far still lies there.
                yield now(trick=trick.copy(), waiting=faces(deal.waiting), said="draws")
            assert sorted(hands[seat]) == faces(deal.hands[seat])
            legal = (seat, faces(deal.legal))
            waiting = faces(deal.waiting)
            deal.answer(seat, (card,))
            hands[seat].remove(card)
            trick.append([seat, card])
            done = len(deal.tricks) > number
            winner = deal.tricks[-1].winner if done else None
            if done:
                points = [rules.points_of(taken) for taken in deal.taken]
            said = f"Trick {number + 1}: "
            yield now(
                trick=trick.copy(), winner=winner, waiting=waiting, number=number, legal=legal, said=said,
            )  # fmt: skip
        if deal.ask is Ask.DISCARD:
            seat = deal.turn
            hands[seat] += rest
            rest.clear()
            yield now(said="takes the widow")
            deal.answer(seat, record.discards)
            for card in record.discards:
                hands[seat].remove(card)
            away = (seat, sorted(record.discards))
            yield now(said="lays away")
    points = list(deal.scores()[0])
    yield now(said="The deal is over")


def press(page: "Page", key: str) -> Any:
    page.keyboard.press(key)
    return page.evaluate(SEEN)


def interest(record: DealRecord) -> int:
    """How much of what is special about the variant the deal shows: waiting tricks, draws, passes, a discard."""
    deal = Deal(record.rules, record.number, record.dealer, record.hands, record.rest)
    for seat, cards in enumerate(record.passes):
        deal.answer(seat, cards)
    shown = 5 * any(record.passes) + 5 * bool(record.discards)
    for cards in record.plays:
        for card in cards:
            shown += bool(deal.drawn and deal.drawn[-1])
            deal.answer(deal.turn, (card,))
        if deal.ask is Ask.DISCARD:
            deal.answer(deal.turn, record.discards)
    return shown + 5 * sum(trick.winner is None for trick in deal.tricks)


def chosen(site: Site, variant: str) -> tuple[int, int, DealRecord]:
    """Match, deal and record of the variant's most telling deal."""
    rows = site.records[variant]
    rules = rules_of(variant, len(rows[0].points), {})
    found = [(row.fixture, row.number, read_deal(row.record, rules)) for row in rows]
    return max(found, key=lambda one: interest(one[2]))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_whole_deal_by_keyboard_is_what_the_record_says(site: Site, visit: MakeVisit, variant: str) -> None:
    match, number, record = chosen(site, variant)
    page = visit().open(site.paths(site.variants[variant]).deal(match, number))
    expected = list(moments(record))
    page.evaluate(WATCH)
    for _ in expected[1:]:
        page.keyboard.press("ArrowRight")
    watched = page.evaluate("window.moments")
    assert page.locator("#on").is_disabled()
    assert press(page, "ArrowRight")["step"] == len(expected) - 1
    assert [seen["step"] for seen in watched] == list(range(len(expected)))
    for step, (seen, moment) in enumerate(zip(watched, expected, strict=True)):
        assert seen["last"] == len(expected) - 1
        assert moment.said in seen["status"]
        assert [seat["hand"] for seat in seen["seats"]] == moment.hands, seen["status"]
        assert [seat["points"] for seat in seen["seats"]] == moment.points, seen["status"]
        assert seen["open"] == moment.open, seen["status"]
        if moment.number is not None:
            assert seen["trick"] == moment.trick
            assert seen["winner"] == moment.winner, seen["status"]
            assert seen["marked"] == moment.number
            assert seen["waiting"] == moment.waiting
        if moment.away is not None:
            seat, cards = moment.away
            assert seen["seats"][seat]["away"] == cards
        following = expected[step + 1].legal if step + 1 < len(expected) else None
        for seat, one in enumerate(seen["seats"]):
            asked = following is not None and following[0] == seat
            assert set(one["legal"]) == (set(following[1]) if following is not None and asked else set())
            assert sorted(one["legal"] + one["barred"]) == (one["hand"] if asked else [])


def test_passed_cards_are_raised_and_move(site: Site, visit: MakeVisit) -> None:
    match, number, record = chosen(site, "classic")
    page = visit().open(site.paths(site.variants["classic"]).deal(match, number))
    out = press(page, "ArrowRight")["seats"]
    assert [seat["out"] for seat in out] == [sorted(cards) for cards in record.passes]
    direction = record.rules.passing.direction(number)
    arrived = press(page, "ArrowRight")["seats"]
    for seat, cards in enumerate(record.passes):
        assert arrived[direction.receiver(seat, 4)]["in"] == sorted(cards)


def test_every_key_does_what_the_page_says(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.variants["classic"]).deal(0, 0))
    last = page.evaluate(SEEN)["last"]
    assert press(page, "End")["step"] == last
    assert press(page, "ArrowLeft")["step"] == last - 1
    assert press(page, "Home")["step"] == 0
    assert press(page, "ArrowLeft")["step"] == 0
    down = [press(page, "ArrowDown") for _ in range(3)]
    assert [seen["marked"] for seen in down] == [0, 1, 2]
    assert all(len(seen["trick"]) == 1 for seen in down)
    assert press(page, "ArrowUp")["marked"] == 1
    page.keyboard.press("p")
    assert page.locator("#play").get_attribute("aria-pressed") == "true"
    page.keyboard.press("p")
    assert page.locator("#play").get_attribute("aria-pressed") == "false"
    page.locator("#slider").focus()
    before = page.evaluate(SEEN)["step"]
    assert press(page, "ArrowRight")["step"] == before + 1
    page.locator("#on-trick").click()
    assert page.evaluate(SEEN)["marked"] == 2
    page.locator("#first").press("Enter")
    assert page.evaluate(SEEN)["step"] == 0


def test_it_plays_by_itself_to_the_end_and_stops(site: Site, visit: MakeVisit) -> None:
    page = visit().page
    page.clock.install()
    page.goto(site.address(site.paths(site.variants["classic"]).deal(0, 0)))
    page.wait_for_selector("#replayer:not([hidden])")
    page.keyboard.press("p")
    page.clock.run_for(900)
    assert page.evaluate(SEEN)["step"] == 1
    page.clock.run_for(100_000)
    seen = page.evaluate(SEEN)
    assert seen["step"] == seen["last"]
    assert page.locator("#play").get_attribute("aria-pressed") == "false"


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


@pytest.mark.parametrize("variant", ["widow", "domino", "hearts"])
def test_the_view_of_one_seat_hides_what_it_cannot_see(site: Site, visit: MakeVisit, variant: str) -> None:
    match, number, _ = chosen(site, variant)
    page = visit().open(site.paths(site.variants[variant]).deal(match, number))
    page.get_by_label("View").select_option("1")
    seen = page.evaluate(SEEN)
    while seen["step"] < seen["last"]:
        for seat, one in enumerate(seen["seats"]):
            shown = one["hand"] + one["away"] + one["legal"] + one["barred"] + one["out"] + one["in"]
            assert set(shown) <= {-1} if seat != 1 else -1 not in shown, (seen["step"], seat)
        assert set(seen["rest"]) <= {-1}
        seen = press(page, "ArrowDown" if seen["step"] > 4 else "ArrowRight")
    assert all(-1 not in one["hand"] for one in seen["seats"])


def test_a_hidden_hand_is_hidden_from_a_screen_reader_too(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.variants["classic"]).deal(0, 0) + "&seat=2")
    for seat in page.locator(".board .seat").all():
        words = seat.locator("> .unseen").text_content()
        assert words is not None
        open_ = seat.locator(".dot.b2").count() == 1
        assert ("hearts" in words or "clubs" in words) == open_
        assert open_ or words == "13 in hand"


def test_the_same_cards_at_another_table_are_one_choice_away(site: Site, visit: MakeVisit) -> None:
    page = visit().open(site.paths(site.variants["classic"]).deal(0, 0))
    hands = [seat["hand"] for seat in page.evaluate(SEEN)["seats"]]
    names = [seat["name"] for seat in page.evaluate(SEEN)["seats"]]
    page.get_by_label("Same cards at").select_option("1")
    page.wait_for_function("document.getElementById('title').textContent === 'Match 2, deal 1'")
    seats: Sequence[Any] = page.evaluate(SEEN)["seats"]
    assert [seat["hand"] for seat in seats] == hands
    assert [seat["name"] for seat in seats] != names


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


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_cards_are_drawn_and_buttons_are_big_enough(site: Site, visit: MakeVisit, size: str) -> None:
    page = visit(size, "dark").open(site.paths(site.variants["cancellation"]).deal(0, 0, 2))
    box = page.locator(".hand .card").first.bounding_box()
    assert box is not None
    assert box["width"] > 30
    assert box["height"] > 40
    for button in page.locator(".deck button").all():
        room = button.bounding_box()
        assert room is not None
        assert min(room["width"], room["height"]) >= 24
