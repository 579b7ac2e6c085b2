"""Match records: what the match makes of its deals, and where a bad one is at fault."""

from typing import Any

import pytest

from arena.rules.deal import Deal
from arena.rules.match import Match, dealer_of
from arena.rules.record import MATCH, game_fields, write_deal
from arena.rules.variant import OptionValue, Rules
from tests.rules.laid_out import bad, illegal, result_of, table
from tests.strategies import TABLES, fresh, label, walked

LOST = {"constructed": True, "hands": ["AC QS", "2C 3D", "3C 4D"], "plays": ["AC 2C 3C", "QS 3D 4D"]}
"""Seat 0 leads and takes the queen, in deals that it is eldest in."""


def match_of(*deals: object, **fields: object) -> dict[str, Any]:
    return {"format": MATCH, "variant": "hearts", "players": 3, "deals": list(deals), **fields}


def lost(eldest: int = 0, **fields: object) -> dict[str, Any]:
    """A deal in which eldest takes 13."""
    hands = ["AC QS", "2C 3D", "3C 4D"]
    return {**LOST, "hands": hands[-eldest:] + hands[:-eldest] if eldest else hands, **fields}


def test_totals_chips_places_and_end_of_a_match_that_reached_its_target() -> None:
    result = result_of(match_of(lost(0), lost(1), target=14, bots=["a", "b", "c"]))
    assert (result["complete"], result["end"], result["places"]) == (False, None, None)
    result = result_of(match_of(lost(0), lost(1), lost(2), lost(0), target=26))
    assert (result["totals"], result["end"], result["places"]) == ([26, 13, 13], "target", [3, 1, 1])
    assert (result["complete"], result["chips"], len(result["deals"])) == (True, ["0", "0", "0"], 4)


def test_the_fields_of_a_match_result() -> None:
    result = result_of(match_of(lost()))
    assert list(result) == ["ok", "complete", "deals", "totals", "chips", "places", "end"]
    assert result["deals"][0]["points"] == [13, 0, 0]
    assert set(result["deals"][0]) == {"ok", "complete", "tricks", "points", "moon", "chips", "pot", "to_act"}


def test_a_match_without_deals_has_not_begun() -> None:
    result = result_of(match_of())
    assert (result["ok"], result["complete"], result["totals"], result["deals"]) == (True, False, [0, 0, 0], [])


def test_max_deals_ends_a_match_and_the_target_is_named_first() -> None:
    assert result_of(match_of(lost(0), lost(1), max_deals=2))["end"] == "max_deals"
    assert result_of(match_of(lost(0), lost(1), max_deals=2, target=26))["end"] == "max_deals"
    assert result_of(match_of(lost(0), max_deals=1, target=13))["end"] == "target"
    assert result_of(match_of(lost(0), max_deals=None))["end"] is None


def test_a_target_of_one_point_is_the_least() -> None:
    assert result_of(match_of(lost(0), target=1))["end"] == "target"
    bad(match_of(lost(0), target=0))


@pytest.mark.parametrize("limits", [{"target": 13}, {"max_deals": 1}])
def test_a_deal_after_the_end_is_a_bad_record_at_the_first_surplus_one(limits: dict[str, int]) -> None:
    bad(match_of(lost(0), lost(1), lost(2), **limits), deal=1)
    bad(match_of(lost(0), {"nonsense": 1}, **limits), deal=1)


def test_only_the_last_deal_may_be_unfinished() -> None:
    begun = lost(1, plays=["AC 2C"])
    result = result_of(match_of(lost(0), begun))
    assert (result["complete"], result["totals"], result["deals"][1]["complete"]) == (False, [13, 0, 0], False)
    assert result["deals"][1]["to_act"] == [{"seat": 0, "ask": "play", "legal": "3C", "count": 1}]
    bad(match_of(lost(0), begun, lost(2)), deal=1)
    bad(match_of(begun | lost(0, plays=[]), lost(1)), deal=0)


def test_the_dealer_goes_round_and_may_be_left_out() -> None:
    result = result_of(match_of(lost(0), lost(1), lost(2), lost(0)))
    assert [deal["tricks"][0]["leader"] for deal in result["deals"]] == [0, 1, 2, 0]
    given = [lost(0, dealer=2, deal=0, pot=0), lost(1, dealer=0, deal=1, pot=0)]
    assert result_of(match_of(*given))["ok"]


@pytest.mark.parametrize("wrong", [{"dealer": 2}, {"deal": 0}, {"deal": 2}, {"pot": 1}, {"dealer": 1, "deal": 2}])
def test_number_dealer_and_pot_are_what_the_match_makes_them(wrong: dict[str, int]) -> None:
    bad(match_of(lost(0), lost(1, **wrong)), deal=1)


def test_the_passing_follows_the_index_of_the_deal() -> None:
    hands = ["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]
    deal = {"constructed": True, "hands": hands, "stopped": {"seat": 0}}
    result = result_of(match_of(deal, deal, {"constructed": True, "hands": hands}, variant="classic"))
    assert result["deals"][2]["to_act"][0]["ask"] == "play"
    bad(match_of(deal, deal, {"constructed": True, "hands": hands, "passes": hands}, variant="classic"), deal=2)


@pytest.mark.parametrize("field", ["format", "variant", "options", "players"])
def test_a_deal_of_a_match_does_not_say_again_what_is_played(field: str) -> None:
    value = {"format": "hearts-arena/deal@1", "variant": "hearts", "options": {}, "players": 3}[field]
    bad(match_of(lost(0), lost(1) | {field: value}), deal=1)


def test_errors_of_a_deal_say_which_one() -> None:
    illegal(
        match_of(lost(0), {"constructed": True, "hands": ["2C 2D", "3C 3D", "4C 4D"], "plays": ["3C 4D"]}),
        "G4", deal=1, trick=0, seat=2, card="4D", legal="4C",
    )  # fmt: skip
    bad(match_of(lost(0), lost(1, plays=["AC AS"])), deal=1, trick=0, seat=2, card="AS")
    bad(match_of(lost(0), lost(1, hands=["2C", "3C"])), deal=1)
    bad(match_of(lost(0), {"plays": []}), deal=1)


@pytest.mark.parametrize("value", [None, 5, "x", [], True])
def test_a_deal_that_is_no_object_is_at_fault_by_its_index(value: object) -> None:
    bad(match_of(lost(0), value), deal=1)
    bad(match_of(value), deal=0)


def test_a_match_is_read_deal_by_deal() -> None:
    bad(match_of(lost(0, plays=["KH"]), 5), deal=0, trick=0, seat=0, card="KH")


WRONG: list[tuple[str, object]] = [
    ("deals", None), ("deals", {}), ("deals", "x"),
    ("target", 0), ("target", -5), ("target", 100.0), ("target", "100"), ("target", None), ("target", True),
    ("max_deals", 0), ("max_deals", -1), ("max_deals", 2.0), ("max_deals", "2"), ("max_deals", False),
    ("bots", None), ("bots", []), ("bots", ["a", "b"]), ("bots", ["a", "b", "c", "d"]), ("bots", ["a", "b", 3]),
    ("hands", []), ("deal", 0), ("pot", 0), ("target_points", 100), ("format", "hearts-arena/match@2"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_a_field_of_a_match_of_the_wrong_type_or_value_is_a_bad_record(field: str, value: object) -> None:
    bad(match_of(lost(0), **{field: value}))


def test_a_match_needs_its_deals() -> None:
    record = match_of()
    del record["deals"]
    assert "deals" in bad(record)


def with_pot(*deals: dict[str, Any], **fields: object) -> dict[str, Any]:
    return match_of(*deals, variant="no-queen", options={"settlement": "pot"}, **fields)


def test_the_pot_is_carried_on_and_shared_out_at_the_end() -> None:
    everyone = [
        {"constructed": True, "hands": ["2H 3H", "3S 4S", "4D 5D"], "plays": ["2H 3S 4D", "3H 4S 5D"]},
        {"constructed": True, "hands": ["4D 5D", "2H 3H", "3S 4S"], "plays": ["2H 3S 4D", "3H 4S 5D"]},
        {"constructed": True, "hands": ["3S 4S", "4D 5D", "2H KC"], "plays": ["2H 3S 4D", "KC 4S 5D"]},
    ]
    result = result_of(with_pot(*everyone, max_deals=3))
    assert [deal["points"] for deal in result["deals"]] == [[2, 0, 0], [0, 2, 0], [0, 0, 1]]
    assert [deal["chips"] for deal in result["deals"]] == [["-2", "1", "1"], ["1", "-2", "1"], ["0", "0", "-1"]]
    assert [deal["pot"] for deal in result["deals"]] == [0, 0, 1]
    assert result["chips"] == ["-1", "-1", "2"]  # the last chip goes to seat 2, the lowest total
    assert result["totals"] == [2, 2, 1]
    unfinished = result_of(with_pot(*everyone))
    assert (unfinished["chips"], unfinished["complete"]) == (["-1", "-1", "1"], False)
    last = {"constructed": True, "hands": ["2C", "3C", "4C"], "pot": 1}
    given = [everyone[0], everyone[1], everyone[2] | {"pot": 0}, last]
    assert result_of(with_pot(*given))["ok"]
    bad(with_pot(*given[:3], given[3] | {"pot": 0}), deal=3)


def test_stopped_deals_count_for_a_match() -> None:
    result = result_of(match_of({"constructed": True, "hands": ["2C", "3C", "4C"], "stopped": {"seat": 0}}, lost(1)))
    assert result["totals"] == [26, 13, 0]


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_a_whole_match_written_down_comes_out_as_it_was_played(rules: Rules) -> None:
    whole_match(rules)


@pytest.mark.parametrize(
    ("variant", "options"),
    [("black-lady", {"settlement": "pot"}), ("black-lady", {"settlement": "sweepstake"}),
     ("no-queen", {"settlement": "pot"}), ("classic", {"jack_of_diamonds": True})],
)  # fmt: skip
def test_a_whole_match_with_options_too(variant: str, options: dict[str, OptionValue]) -> None:
    whole_match(table(variant, 4, **options))


def whole_match(rules: Rules) -> None:
    match = Match(rules, target=60)
    written, expected = [], []
    while not match.end:
        deal: Deal = walked(fresh(rules, 70 + match.deals, match.deals), "random", match.deals)
        assert deal.dealer == dealer_of(match.deals, rules.players)
        written.append(write_deal(deal, match.pot))
        points, _ = deal.scores()
        expected.append((list(points), [str(one) for one in match.enter(points)]))
    record = {**game_fields(rules, MATCH), "target": 60, "deals": written}
    result = result_of(record)
    assert [(deal["points"], deal["chips"]) for deal in result["deals"]] == expected
    assert result["totals"] == match.totals
    assert result["chips"] == [str(one) for one in match.chips]
    assert (result["complete"], result["end"]) == (True, "target")
