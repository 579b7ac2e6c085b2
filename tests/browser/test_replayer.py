"""The replayer, driven by keyboard through whole deals, against the rules' own account of the record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal
from arena.rules.record import DealRecord, read_deal
from tests.browser.conftest import MakeVisit, Site
from tests.browser.seen import SEEN, press

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


def test_letter_keys_can_be_turned_off_for_good(site: Site, visit: MakeVisit) -> None:
    window = visit()
    address = site.paths(site.variants["classic"]).deal(0, 0)
    page = window.open(address)
    told = {"play": "P", "view": "V"}

    def shortcuts() -> dict[str, str | None]:
        return {name: page.locator(f"#{name}").get_attribute("aria-keyshortcuts") for name in told}

    box = page.get_by_label("Letter keys P and V")
    assert box.is_checked()
    assert shortcuts() == told
    box.press("Space")
    for _ in range(2):  # the second time loaded anew
        assert not page.get_by_label("Letter keys P and V").is_checked()
        assert shortcuts() == dict.fromkeys(told)
        before = page.evaluate(SEEN)
        for key in "pPvV":
            page.keyboard.press(key)
        assert page.locator("#play").get_attribute("aria-pressed") == "false"
        assert page.locator("#view").input_value() == "-1"
        assert press(page, "ArrowRight")["step"] == before["step"] + 1, "the named keys are no letters"
        window.open("index.html")
        page = window.open(address)
    page.get_by_label("Letter keys P and V").check()
    page.keyboard.press("v")
    assert page.locator("#view").input_value() == "0"
    assert shortcuts() == told


def test_a_browser_that_keeps_nothing_can_turn_letters_off_too(site: Site, visit: MakeVisit) -> None:
    window = visit()
    window.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    page = window.open(site.paths(site.variants["classic"]).deal(0, 0))
    page.get_by_label("Letter keys P and V").uncheck()
    page.keyboard.press("v")
    assert page.locator("#view").input_value() == "-1"


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


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_stock_does_not_lie_on_the_trick(site: Site, visit: MakeVisit, size: str) -> None:
    page = visit(size).open(site.paths(site.variants["domino"]).deal(0, 0, 1))
    covered = """() => {
      const boxes = (kind) => Array.from(document.querySelectorAll(kind)).map((one) => one.getBoundingClientRect());
      const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      return boxes(".spot .card").filter((card) => boxes(".zones .card").some((other) => over(card, other))).length;
    }"""
    seen = page.evaluate(SEEN)
    assert len(seen["rest"]) > 10
    while len(seen["trick"]) < 4:
        seen = press(page, "ArrowRight")
    assert page.evaluate(covered) == 0
