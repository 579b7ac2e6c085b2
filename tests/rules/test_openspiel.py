"""OpenSpiel's Hearts as an oracle for four-handed `classic`: another team, another language, the same game.

The two are set to agree; where they differ for a reason, the difference is taken out here and nowhere else:

- its jack of diamonds is worth -10 and ours -11 (C9), so one point is taken from whoever has it;
- it breaks hearts by QS unless told otherwise, we the other way round (C8);
- the bonus for taking no trick, leading any club and leading a heart in place of QS are its own and stay off;
- its returns are 26 less the points, and its seats deal in another order, which the chance outcomes undo;
- it asks for passed cards one by one, seat after seat, and we for all of them at once.
"""

import random
from typing import Any

import pytest

from arena.rules import cards as c
from arena.rules.cards import Cards
from arena.rules.deal import Ask, Deal, IllegalAnswer
from tests.rules.laid_out import table
from tests.strategies import MANNERS, choice, fresh

pyspiel: Any = pytest.importorskip("pyspiel", reason="the optional extra `oracle` is not installed")

SETTINGS = [
    {"penalties": penalties, "queen": queen, "jack": jack}
    for penalties in ("forbidden", "allowed")
    for queen in (False, True)
    for jack in (False, True)
]
DIRECTIONS = {0: 1, 1: 3, 2: 2, 3: 0}  # ours by deal -> how many seats to the left


def game_of(setting: dict[str, Any]) -> Any:
    return pyspiel.load_game(
        "hearts",
        {
            "pass_cards": True,
            "no_pts_on_first_trick": setting["penalties"] == "forbidden",
            "can_lead_any_club": False,
            "jd_bonus": setting["jack"],
            "avoid_all_tricks_bonus": False,
            "must_break_hearts": True,
            "qs_breaks_hearts": setting["queen"],
            "can_lead_hearts_instead_of_qs": False,
        },
    )


def deal_of(setting: dict[str, Any], number: int, hands: list[Cards]) -> Deal:
    rules = table(
        "classic", 4,
        first_trick_penalties=setting["penalties"],
        queen_breaks_hearts=setting["queen"],
        jack_of_diamonds=setting["jack"],
    )  # fmt: skip
    return Deal(rules, number, (3 + number) % 4, hands)


def action(face: int) -> int:
    """Its number of our card: by rank, then C D H S."""
    return face % 13 * 4 + {"C": 0, "D": 1, "H": 2, "S": 3}[c.name(face)[1]]


class Pair:
    """The same deal twice, ours and OpenSpiel's."""

    def __init__(self, setting: dict[str, Any], number: int, hands: list[Cards]) -> None:
        self.setting = setting
        self.deal = deal_of(setting, number, hands)
        self.state = game_of(setting).new_initial_state()
        self.state.apply_action_with_legality_check(DIRECTIONS[number % 4])
        order = [list(c.cards_of(hand)) for hand in hands]
        for place in range(52):
            self.state.apply_action_with_legality_check(action(order[place % 4][place // 4]))

    def play(self, manner: str, rng: random.Random) -> None:
        """To the end; every list of legal cards is compared, and the points."""
        while not self.deal.complete:
            question = self.deal.pending()[0]
            assert question.seat == self.state.current_player()
            theirs = sorted(self.state.legal_actions())
            assert theirs == sorted(action(card) for card in c.cards_of(question.legal))
            faces = choice(manner, rng, self.deal.rules, question)
            self.deal.answer(question.seat, faces)
            for face in faces:
                self.state.apply_action_with_legality_check(action(face))
        assert self.state.is_terminal()
        jack = 1 << c.card("JD")
        theirs = [
            26 - value - (self.setting["jack"] and taken & jack != 0)
            for value, taken in zip(self.state.returns(), self.deal.taken, strict=True)
        ]
        assert theirs == list(self.deal.scores()[0])


def test_the_cards_have_the_same_names() -> None:
    state = game_of(SETTINGS[0]).new_initial_state()
    state.apply_action(0)
    for face in range(c.FACES):
        assert sorted(state.action_to_string(-1, action(face))) == sorted(c.name(face))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting.values())))
def test_random_deals_agree_play_by_play(setting: dict[str, Any]) -> None:
    for seed in range(200):
        hands = fresh(table("classic", 4), 1000 + seed).first_hands
        Pair(setting, seed, list(hands)).play("random", random.Random(seed))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting.values())))
@pytest.mark.parametrize("manner", MANNERS[1:])
def test_deals_played_in_a_manner_agree(setting: dict[str, Any], manner: str) -> None:
    for seed in range(25):
        hands = fresh(table("classic", 4), seed).first_hands
        Pair(setting, seed, list(hands)).play(manner, random.Random(seed))


CORNERS = {
    # seat 0 takes every trick, and with it the moon
    "moon": ("AC KC QC 2C AD KD QD AS KS QS AH KH QH", "3C 4C 5C", "", ""),
    # a hand of nothing but hearts
    "only hearts": ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "2C 3C", "", ""),
    # hearts and QS alone, void in clubs: all barred in the first trick, and QS the only lead
    "hearts and queen": ("QS 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "2C 2H", "", ""),
    # the only card beside penalties
    "one diamond": ("2D QS 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "2C", "3H", "2H"),
    # whoever leads after the first trick has hearts and QS only
    "queen must lead": ("AC QS 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "2C", "3H", "2H"),
    # the same with clubs that last a little longer
    "queen and clubs": ("AC KC QC QS 6H 7H 8H 9H TH JH QH KH AH", "2C 3C", "4C 5C", "2H"),
    # all four void in something at once
    "one suit each": ("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD",
                      "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", ""),
}  # fmt: skip


def filled(hands: tuple[str, ...], rng: random.Random) -> list[Cards]:
    """The hands, made up to 13 cards at random."""
    held = [list(c.parse(hand)) for hand in hands]
    left = [face for face in range(c.FACES) if not any(face in hand for hand in held)]
    rng.shuffle(left)
    for hand in held:
        while len(hand) < 13:
            hand.append(left.pop())
    assert not left
    return [c.mask(hand) for hand in held]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: "-".join(map(str, setting.values())))
@pytest.mark.parametrize("corner", CORNERS)
def test_constructed_corners_agree(setting: dict[str, Any], corner: str) -> None:
    rng = random.Random(corner)
    for turn in range(12):
        hands = filled(CORNERS[corner], rng)
        seat = turn % 4
        manner = MANNERS[turn % len(MANNERS)]
        Pair(setting, 3, hands[seat:] + hands[:seat]).play(manner, rng)


def test_the_corners_hold_what_they_are_for() -> None:
    """Moons, QS forced to lead and a first trick of penalties do come up in them."""
    rng, seen = random.Random(1), set()
    for corner, hands in CORNERS.items():
        for _ in range(12):
            deal = deal_of(SETTINGS[0], 3, filled(hands, rng))
            while not deal.complete:
                (question,) = deal.pending()
                legal, leads = c.text(c.cards_of(question.legal)), not deal.trick
                if leads and legal == "QS" and deal.hands[question.seat] & c.HEARTS and not deal.hearts_open:
                    seen.add("queen must lead")
                if not deal.tricks and question.legal & c.HEARTS:
                    seen.add("hearts in the first trick")
                if leads and not deal.hearts_open and not question.legal & ~c.HEARTS:
                    seen.add("hearts led unbroken")
                deal.answer(question.seat, choice("one takes all", rng, deal.rules, question))
            if deal.scores()[1] is not None:
                seen.add(f"moon in {corner}")
    assert {"queen must lead", "hearts in the first trick", "hearts led unbroken", "moon in moon"} <= seen


def test_what_openspiel_refuses_is_refused_here() -> None:
    """Every card of the hand outside the legal ones, at every step of a few deals."""
    for seed in range(6):
        pair = Pair(SETTINGS[seed], 3, list(fresh(table("classic", 4), seed).first_hands))
        rng = random.Random(seed)
        while not pair.deal.complete:
            question = pair.deal.pending()[0]
            assert question.ask is Ask.PLAY
            for face in c.cards_of(pair.deal.hands[question.seat] & ~question.legal):
                assert action(face) not in pair.state.legal_actions()
                with pytest.raises(IllegalAnswer):
                    pair.deal.answer(question.seat, (face,))
            faces = choice("random", rng, pair.deal.rules, question)
            pair.deal.answer(question.seat, faces)
            pair.state.apply_action_with_legality_check(action(faces[0]))
