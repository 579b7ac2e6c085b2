"""The house's own player: legal, always alike, below the trick where it can be, and rid of what costs most."""

import itertools

import pytest
import trio.testing
from hypothesis import given

from arena.clock import TimeControl
from arena.house import HouseSeat, choose
from arena.referee import Referee
from arena.rules import cards as c
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask, Deal, Question
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.rules.view import view
from arena.seat import Seat
from arena.table import PlayedDeal, Table
from tests.fakes import FakeSeat, Says
from tests.rules.laid_out import laid_out, played
from tests.strategies import PROFILE, Run, fresh, positions, runs


def says(deal: Deal) -> str:
    """What the house answers for the seat on turn."""
    (question,) = deal.pending()
    return c.text(choose(question, view(deal, question.seat)))


@PROFILE
@given(runs() | positions())
def test_the_house_may_play_what_it_plays(run: Run) -> None:
    deal = run.stopped()
    for question in deal.pending():
        deal.copy().answer(question.seat, choose(question, view(deal, question.seat)))


@PROFILE
@given(runs() | positions())
def test_the_house_stays_below_the_trick_where_it_can(run: Run) -> None:
    deal = run.stopped()
    if deal.ask is not Ask.PLAY or not deal.trick:
        return
    (question,) = deal.pending()
    (face,) = choose(question, view(deal, question.seat))
    suit = c.SUIT_OF[deal.trick[0]]
    best = max(card % c.FACES for card in deal.trick if suit >> card & 1)
    below = [one for one in c.faces_of(question.legal & suit) if one < best]
    assert face in below or not below


@pytest.mark.parametrize(
    ("trick", "hand", "card"),
    [
        ("AS", "2S 9S KS", "KS"),  # below, as high as may be
        ("KS", "2S QS AS", "QS"),  # but first what costs
        ("TS", "JS KS AS", "JS"),  # above, where it has to be: as low as may be
        ("TS", "QS KS AS", "KS"),  # but what costs last
        ("4S 9S AH", "5S 8S TS", "8S"),  # the highest card of the suit led is what counts
        ("9S 4S AH", "TS JS KS", "TS"),  # and no other, however high
    ],
)
def test_how_the_house_follows(trick: str, hand: str, card: str) -> None:
    low = iter(["2C", "3C", "4C", "2D", "3D", "4D", "5D", "6D"])
    before = [f"{one} {next(low)} {next(low)}" for one in trick.split()]
    after = [f"{rank}C {rank}D {rank}H" for rank in "789"[len(before) :]]
    assert says(played(laid_out("hearts", *before, hand, *after), trick)) == card


def test_the_twin_of_the_highest_card_is_not_below_it() -> None:
    hands = ["9S 2C", "8S 9S", *(f"{rank}D {rank}C" for rank in "34567")]
    assert says(played(laid_out("cancellation", *hands), "9S")) == "8S"


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("9C 3D 4S", "3D"),  # the lowest rank
        ("5H 5S AC", "5S"),  # of equal ranks what is less danger to hold
        ("5S 5C 5D", "5C"),  # and then the first in order
    ],
)
def test_how_the_house_leads(hand: str, card: str) -> None:
    assert says(laid_out("hearts", hand, "6C 7C 8C", "6D 7D 8D", "6S 7S 8S")) == card


HEARTS = ["AH", "KH", "QH", "JH", "TH", "9H", "8H", "7H", "6H", "5H", "4H", "3H", "2H"]
PLAIN = [f"{rank}C {rank}D {rank}S" for rank in reversed(c.RANKS)]
WITH_QUEEN = ["QS", *HEARTS[:10], "AS", "KS 4H", "3H", "2H", "AC AD", "KC KD", "QC QD", *PLAIN[3:]]
RID_OF = {
    "hearts": WITH_QUEEN,
    "omnibus": [*WITH_QUEEN[:19], "TC TS", *PLAIN[5:], "TD"],  # which is worth having
    "spot": HEARTS + PLAIN,
    "no-queen": HEARTS + PLAIN,
}
"""What the house would be rid of first, equals together; ace and king of spades catch the queen. It does not change:
the results of leagues in which the house stood in would be others."""


@pytest.mark.parametrize("ask", [Ask.PASS, Ask.DISCARD])
@pytest.mark.parametrize("variant", RID_OF)
def test_the_house_passes_and_lays_away_what_it_would_be_rid_of_first(variant: str, ask: Ask) -> None:
    """Of equals the first in order."""
    seen = view(fresh(rules_of(variant, 4), 1), 0)
    order = [face for equals in RID_OF[variant] for face in equals.split()]
    for number in (1, 3, 52):
        assert c.text(choose(Question(0, ask, c.PACK, number), seen)).split() == order[:number]


@pytest.mark.parametrize("variant", RID_OF)
def test_the_house_sheds_what_it_would_be_rid_of_first_where_it_cannot_follow(variant: str) -> None:
    """Of equals the last in order."""
    seen = view(fresh(rules_of(variant, 4), 1), 0)._replace(trick=(c.card("2C"),))
    order = [face for equals in RID_OF[variant] for face in reversed(equals.split()) if face[1] != "C"]
    left = c.PACK & ~c.CLUBS
    for face in order:
        assert c.text(choose(Question(0, Ask.PLAY, left, 1), seen)) == face
        left ^= 1 << c.card(face)


async def test_the_house_at_a_table_plays_what_it_would_play_for_others_and_loses_no_time(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """It sits under its name, and its deals are those of seats that it has taken over."""
    game = rules_of("classic", 4)
    kept: list[PlayedDeal] = []

    async def keep(deal: PlayedDeal) -> None:
        kept.append(deal)

    for lost in (False, True):
        guest = FakeSeat(lambda request, _attempt: Says(choose(request.question, request.view)), name="guest")
        seats: list[Seat] = [HouseSeat("house 1"), HouseSeat("house 2"), HouseSeat("house 3"), guest]
        table = Table(
            "house/0", game, 100, 3, seats, Referee(TimeControl(increment_s=0.0), itertools.count(1)),
            lambda number: dealt(bytes([number]) * 32, game, dealer_of(number, 4)), keep,
        )  # fmt: skip
        for player in table.players[:3]:
            player.forfeited = lost
        await table.play()
    assert guest.starts[0].names == ("house 1", "house 2", "house 3", "guest")
    assert [deal.record for deal in kept[:3]] == [deal.record for deal in kept[3:]]
    assert [deal.faults for deal in kept] == [()] * 6
    assert {standing.bank_s for deal in kept for standing in deal.standings} == {TimeControl().bank_s}
    assert {standing.grace_s for deal in kept for standing in deal.standings} == {TimeControl().grace_s}
