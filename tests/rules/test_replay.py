"""Replaying a deal record: passes, discards and plays in their order, exact places of errors, and the result."""

import pytest

from tests.rules.laid_out import PASSES, WIDOW, bad, classic, illegal, laid_out, played, record_of, result_of, small

# --- Passes and discards


def test_passes_may_be_absent_empty_or_partial() -> None:
    for passes in ([], ["", "", ""]):
        asked = result_of(classic(passes=passes))["to_act"]
        assert [question["seat"] for question in asked] == [0, 1, 2]
        assert {(question["ask"], question["count"]) for question in asked} == {("pass", 3)}
    asked = result_of(classic(passes=["", PASSES[1], ""]))["to_act"]
    assert [(question["seat"], question["legal"]) for question in asked] == [(0, "2C 3C 4C 5D"), (2, "8C 9C TC 7D")]
    assert result_of(classic(passes=PASSES))["to_act"] == [{"seat": 1, "ask": "play", "legal": "2C", "count": 1}]


def test_an_illegal_pass_is_g7_with_the_whole_hand() -> None:
    wrong = [("2C 3C", None), ("2C 3C 4C 5D", None), ("2C 3C 5C", "5C"), ("2C 3C 3C", "3C"), ("9C 9C 9C", "9C")]
    for cards, card in wrong:
        where = {"trick": None, "seat": 0, "card": card, "legal": "2C 3C 4C 5D"}
        illegal(classic(passes=[cards, "", ""]), "G7", **where)
    illegal(classic(passes=["AS AH", "", ""]), "G7", trick=None, seat=0, card=None, legal="2C 3C 4C 5D")


def test_passes_are_looked_at_seat_by_seat_and_before_the_plays() -> None:
    record = classic(passes=[PASSES[0], "5C", "9H"], plays=["AH"])
    illegal(record, "G7", trick=None, seat=1, card=None, legal="5C 6C 7C 6D")


def test_passes_where_nothing_is_passed_are_a_bad_record() -> None:
    bad(classic(deal=2, passes=PASSES))
    bad(small(passes=["2C", "", ""]))


def test_plays_before_all_have_passed_are_a_bad_record() -> None:
    bad(classic(passes=["", PASSES[1], PASSES[2]], plays=["2C"]), trick=0)
    bad(classic(plays=["2C 5C 8C"]), trick=0)


def test_plays_before_the_discard_are_a_bad_record() -> None:
    bad(small(**WIDOW, plays=["2C 9C 4C", "4D"]), trick=1)
    assert result_of(small(**WIDOW, plays=["2C 9C 4C"]))["to_act"] == [
        {"seat": 1, "ask": "discard", "legal": "4D QS KH", "count": 2}
    ]


def test_an_illegal_discard_is_g7_with_the_whole_hand() -> None:
    for cards, card in (("QS", None), ("QS KH 4D", None), ("QS QS", "QS"), ("5D QS", "5D")):
        record = small(**WIDOW, plays=["2C 9C 4C", "4D 5D 3C"], discards=cards)
        illegal(record, "G7", trick=None, seat=1, card=card, legal="4D QS KH")


def test_discards_where_nothing_is_to_be_discarded_are_a_bad_record() -> None:
    bad(small(**WIDOW, discards="QS KH"))
    bad(small(**WIDOW, plays=["2C 9C"], discards="QS KH"))
    bad(small(discards="2C"))
    bad(small(**{**WIDOW, "rest": ""}, plays=["2C 9C 4C"], discards="4D"))


# --- Plays


def test_a_card_that_the_seat_on_turn_does_not_hold_is_a_bad_record() -> None:
    bad(small(plays=["5C"]), trick=0, seat=0, card="5C")
    bad(small(plays=["2C 7C"]), trick=0, seat=1, card="7C")
    bad(small(plays=["2C 5C 7C", "4H 2C"]), trick=1, seat=0, card="2C")  # played before
    bad(small(plays=["AS"]), trick=0, seat=0, card="AS")
    drawn = small(variant="domino", hands=["2C 3D", "5D 6D", "7C 4H"], rest="KS 5C 9C")
    bad({**drawn, "plays": ["2C 9C"]}, trick=0, seat=1, card="9C")  # still in the stock
    illegal({**drawn, "plays": ["2C KS"]}, "D2", trick=0, seat=1, card="KS", legal="5C")


def test_a_trick_too_long_or_too_short_is_a_bad_record() -> None:
    bad(small(plays=["2C 5C", "7C"]), trick=0)
    bad(small(plays=["2C 5C 7C 4H"]), trick=0)
    bad(small(plays=["2C 5C 7C", "4H 3D QS 2C"]), trick=1)
    bad(small(plays=["2C 5C 7C", ""]), trick=1)
    bad(small(plays=[""]), trick=0)
    bad(small(**WIDOW, plays=["2C 9C 4C 4D"]), trick=0)


def test_anything_after_the_end_is_a_bad_record() -> None:
    bad(small(plays=["2C 5C 7C", "4H 3D QS", "2C"]), trick=2)
    bad(small(plays=["2C 5C 7C", "4H 3D QS", ""]), trick=2)
    bad(small(plays=["2C 5C 7C", "4H 3D QS"], stopped={"seat": 0}))


def test_an_illegal_play_says_clause_trick_seat_card_and_what_was_legal() -> None:
    illegal(small(plays=["2C QS"]), "G4", trick=0, seat=1, card="QS", legal="5C")
    record = classic(passes=PASSES, plays=["6D"])
    illegal(record, "C3", trick=0, seat=1, card="6D", legal="2C")
    late = small(variant="classic", deal=2, hands=["2C 3D", "5C 5S", "7C 4H"], plays=["2C 5C 7C", "4H"])
    assert result_of(late)["ok"]  # the leader holds nothing but hearts
    late["hands"] = ["2C 3D 6D", "5C 5S 6S", "7C 4H 7D"]
    illegal(late, "C5", trick=1, seat=2, card="4H", legal="7D")


def test_legal_names_a_card_as_often_as_it_is_held_in_suits_and_ranks() -> None:
    hands = ["QS 2H KC KC AD 3S", "2C 4C 5C 6C 7C 8C", "9C TC JC QC AC 2D", "3D 4D 5D 6D 7D 8D", "9D TD JD QD KD 2S",
             "4S 5S 6S 7S 8S 9S", "TS JS KS AS 3H 4H"]  # fmt: skip
    asked = result_of(small(variant="cancellation", players=7, hands=hands))["to_act"]
    assert asked == [{"seat": 0, "ask": "play", "legal": "KC KC AD 3S QS 2H", "count": 1}]


# --- The order of checks


def test_types_come_before_the_pack_and_the_pack_before_the_passes_and_those_before_the_plays() -> None:
    wrong_pack = ["2C 3C 4C 5D", "2C 6C 7C 6D", "8C 9C TC 7D"]
    assert "pot" in bad({**classic(pot="x"), "hands": wrong_pack})
    assert "2C" in bad({**classic(passes=["", "", "AS"]), "hands": wrong_pack})
    illegal(
        classic(passes=["", "", "AS"], plays=["9H"]), "G7", trick=None, seat=2, card=None, legal="8C 9C TC 7D"
    )  # fmt: skip


def test_the_first_trick_at_fault_is_the_one_that_is_told() -> None:
    illegal(small(plays=["2C QS", "", "AS"]), "G4", trick=0, seat=1, card="QS", legal="5C")
    bad(small(plays=["2C 5C", "AS"]), trick=0)


def test_a_card_not_held_comes_before_the_clauses() -> None:
    bad(small(plays=["2C KH"]), trick=0, seat=1, card="KH")


# --- Stopped deals


def test_a_stopped_deal_is_complete_and_scored_at_once() -> None:
    result = result_of(small(plays=["2C"], stopped={"seat": 1}))
    assert (result["complete"], result["points"], result["moon"]) == (True, [0, 26, 0], None)
    assert (result["chips"], result["pot"], result["to_act"]) == (["0", "0", "0"], 0, None)
    assert result["tricks"] == [{"leader": 0, "cards": "2C", "winner": None}]


@pytest.mark.parametrize("seat", [0, 2])
def test_only_a_seat_that_may_act_can_have_stopped_the_deal(seat: int) -> None:
    bad(small(plays=["2C"], stopped={"seat": seat}))


def test_any_seat_that_has_not_passed_may_have_stopped_the_deal() -> None:
    for seat in (0, 2):
        points = result_of(classic(passes=["", PASSES[1], ""], stopped={"seat": seat}))["points"]
        assert points == [26 if own == seat else 0 for own in range(3)]
    bad(classic(passes=["", PASSES[1], ""], stopped={"seat": 1}))


def test_the_taker_of_the_widow_may_have_stopped_the_deal() -> None:
    assert result_of(small(**WIDOW, plays=["2C 9C 4C"], stopped={"seat": 1}))["points"] == [0, 26, 0]


def test_stopped_null_is_not_stopped() -> None:
    assert result_of(small(stopped=None))["complete"] is False


# --- Results


def test_the_result_of_a_deal() -> None:
    record = small(variant="no-queen", hands=["2C 3D", "5C QS", "7C 4H"], rest="AH", plays=["2C 5C 7C", "4H 3D QS"])
    assert result_of({**record, "pot": 4, "options": {"settlement": "average"}}) == {
        "ok": True,
        "complete": True,
        "tricks": [
            {"leader": 0, "cards": "2C 5C 7C", "winner": 2},
            {"leader": 2, "cards": "4H 3D QS", "winner": 2},
        ],
        "points": [0, 0, 2],
        "moon": None,
        "chips": ["2/3", "2/3", "-4/3"],
        "pot": 4,
        "to_act": None,
    }


def test_the_result_of_a_deal_that_is_not_complete() -> None:
    assert result_of(small(plays=["2C 5C 7C", "4H"])) == {
        "ok": True,
        "complete": False,
        "tricks": [{"leader": 0, "cards": "2C 5C 7C", "winner": 2}, {"leader": 2, "cards": "4H", "winner": None}],
        "points": None,
        "moon": None,
        "chips": None,
        "pot": None,
        "to_act": [{"seat": 0, "ask": "play", "legal": "3D", "count": 1}],
    }


def test_drawn_is_there_only_in_domino_and_once_the_card_is_played() -> None:
    record = small(variant="domino", hands=["2C 3D", "5D 6D", "7C 4H"], rest="KS 5C 9C", plays=["2C"])
    result = result_of(record)
    assert result["tricks"] == [{"leader": 0, "cards": "2C", "winner": None, "drawn": [0]}]
    assert result["to_act"] == [{"seat": 1, "ask": "play", "legal": "5C", "count": 1}]
    record["plays"] = ["2C 5C 7C"]
    assert result_of(record)["tricks"] == [{"leader": 0, "cards": "2C 5C 7C", "winner": 2, "drawn": [0, 2, 0]}]


def test_the_winner_of_a_trick_that_waits_is_null_and_of_the_last_one_its_leader() -> None:
    hands = ["5C 8S", "5C 8S", "6C 9S", "6C 9S", "KD AH", "7C TS", "7C TS"]
    plays = ["5C 5C 6C 6C KD 7C 7C", "8S 8S 9S 9S AH TS TS"]
    record = small(variant="cancellation", players=7, hands=hands, plays=plays)
    assert [trick["winner"] for trick in result_of(record)["tricks"]] == [None, 0]


def test_a_moon_names_the_shooter() -> None:
    deal = laid_out("classic", "AC AH AS", "2C 2H QS", "3C 3H 2S")
    played(deal, "2C 3C AC", "AS QS 2S", "AH 2H 3H")
    result = result_of(record_of(deal))
    assert (result["moon"], result["points"]) == (0, [0, 26, 26])
