"""Reading a deal record: strict in JSON, names, types and the pack."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules.catalogue import VARIANTS
from arena.rules.record import DIGITS, MATCH, DealRecord, read
from arena.rules.replay import replay_line, replay_lines
from arena.rules.variant import Rules
from tests.rules.laid_out import PASSES, bad, classic, error_of, laid_out, played, record_of, result_of, small, table
from tests.strategies import PROFILE, TABLES, fresh, json_values, label, options_of, walked


def without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != field}


# --- What is required and what may be absent


@pytest.mark.parametrize("field", ["format", "variant", "players", "hands"])
def test_required_fields_are_missed_by_name(field: str) -> None:
    message = bad(without(small(), field))
    assert field in message


def test_all_else_has_its_default() -> None:
    record = read(json.dumps(small()))
    assert isinstance(record, DealRecord)
    assert (record.number, record.dealer, record.pot, record.stopped) == (0, 2, 0, None)
    assert (record.passes, record.discards, record.plays, record.rest) == ((), (), (), ())
    assert record.rules.options == {}


@pytest.mark.parametrize(("number", "dealer"), [(0, 2), (1, 0), (2, 1), (7, 0)])
def test_the_dealer_follows_from_the_number_of_the_deal(number: int, dealer: int) -> None:
    record = read(json.dumps(small(deal=number)))
    assert isinstance(record, DealRecord)
    assert record.dealer == dealer


def test_the_dealer_is_free_in_a_deal_record() -> None:
    assert result_of(small(deal=0, dealer=0))["to_act"][0]["seat"] == 1


def test_options_absent_have_their_defaults() -> None:
    record = read(json.dumps(classic(options={"jack_of_diamonds": True})))
    assert isinstance(record, DealRecord)
    assert record.rules.options == {
        "jack_of_diamonds": True, "first_trick_penalties": "forbidden", "queen_breaks_hearts": False,
    }  # fmt: skip


def test_a_written_record_has_every_field_with_its_value() -> None:
    deal = played(laid_out("widow", "2C 3C", "9C 4D", "4C 5D", rest="QS KH"), "2C 9C 4C")
    assert record_of(deal, pot=2) == {
        "format": "hearts-arena/deal@1", "variant": "widow", "options": {"discards_count": "nobody"}, "players": 3,
        "deal": 0, "dealer": 2, "hands": ["2C 3C", "9C 4D", "4C 5D"], "rest": "QS KH", "passes": [], "discards": "",
        "plays": ["2C 9C 4C"], "pot": 2, "constructed": True, "stopped": None,
    }  # fmt: skip


# --- Types


WRONG: dict[str, list[object]] = {
    "format": [None, 1, "hearts-arena/deal@2", [], {}],
    "variant": [None, 1, "Hearts", "heart", "", ["hearts"]],
    "options": [None, [], "", {"x": 1}, {"hearts_from_trick": 3}, {"discards_count": "taker"}],
    "players": [None, "3", 3.0, True, 2, 11, -3, 0, [3]],
    "deal": [None, "0", 0.0, False, -1],
    "dealer": [None, "0", 1.0, True, -1, 3],
    "hands": [None, "2C", {}, [], ["2C", "3C"], ["2C", "3C", "4C", "5C"], ["2C", "3C", 4], ["2C", "3C", None],
              ["2C", "3C", ""], ["2C", "3C", "4C 5C"], ["2C", "3C", "2C"], ["2C", "3C", "1C"], ["2C", "3C", "10C"],
              ["2c", "3C", "4C"], ["2C", "3C", "2♣"], ["2C", "3C", "4C,5C"]],
    "rest": [None, [], 0, "2X", "KH"],
    "passes": [None, "", {}, ["", ""], ["", "", "", ""], ["", "", None], ["", "", "XX"], ["2C", "", ""]],
    "discards": [None, [], 0, "2X", "2C"],
    "plays": [None, "", {}, [None], [["2C"]], ["2C 5C 7X"]],
    "pot": [None, "0", 0.0, -1, True],
    "constructed": [None, 1, "true", 0],
    "stopped": [False, 0, "0", [], {}, {"seat": None}, {"seat": "0"}, {"seat": True}, {"seat": 0.0}, {"seat": -1},
                {"seat": 3}, {"seat": 0, "why": "x"}, {"Seat": 0}],
}  # fmt: skip


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in WRONG.items() for value in values])
def test_a_field_of_the_wrong_type_or_value_is_a_bad_record(field: str, value: object) -> None:
    bad(small(**{field: value}))


@pytest.mark.parametrize("letters", [0, 57, 58, 59, 1000])
def test_a_value_that_is_wrong_is_shown_by_its_beginning(letters: int) -> None:
    whole = json.dumps("x" * letters)
    shown = whole if len(whole) <= 60 else whole[:57] + "..."
    assert len(shown) <= 60
    assert bad(small(deal="x" * letters)) == f"deal: {shown} is of the wrong type"


@pytest.mark.parametrize("field", ["Deal", "hand", "seed", "bots", "target", "deals", "max_deals", "", "play"])
def test_an_unknown_field_is_named_with_the_nearest(field: str) -> None:
    message = bad(small(**{field: 0}))
    assert repr(field) in message
    if field == "play":
        assert "'plays'" in message


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("classic", {"first_trick_penalties": "Forbidden"}),
        ("classic", {"first_trick_penalties": None}),
        ("classic", {"queen_breaks_hearts": 1}),
        ("classic", {"queen_breaks_hearts": "true"}),
        ("classic", {"jack_of_diamonds": None}),
        ("classic", {"jack_of_diamond": True}),
        ("black-lady", {"hearts_from_trick": 0}),
        ("black-lady", {"hearts_from_trick": True}),
        ("black-lady", {"hearts_from_trick": 3.0}),
        ("black-lady", {"hearts_from_trick": "3"}),
        ("black-lady", {"pass": "across"}),
        ("black-lady", {"pass": "right-across"}),
        ("black-lady", {"settlement": "howell"}),
        ("black-lady", {"settlement": ["pot"]}),
        ("no-queen", {"pass": "right"}),
        ("no-queen", {"must_discard_queen": False}),
        ("widow", {"discards_count": "everybody"}),
        ("hearts", {"pass": "right"}),
    ],
)
def test_an_option_that_is_unknown_or_has_no_such_value_is_a_bad_record(
    variant: str, options: dict[str, object]
) -> None:
    bad(small(variant=variant, options=options, hands=["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]))


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("black-lady", {"hearts_from_trick": None}),
        ("black-lady", {"hearts_from_trick": 1}),
        ("no-queen", {"hearts_from_trick": 99, "settlement": "pot"}),
        ("classic", {"queen_breaks_hearts": False}),
    ],
)
def test_option_values_that_are_admitted(variant: str, options: dict[str, object]) -> None:
    hands = ["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]
    assert result_of(small(variant=variant, options=options, hands=hands))["ok"]


@PROFILE
@given(st.data(), st.sampled_from(list(VARIANTS)))
def test_every_option_that_the_catalogue_admits_can_be_written(data: st.DataObject, variant: str) -> None:
    options = data.draw(options_of(variant))
    players = 4 if 4 in VARIANTS[variant].players else 8
    pack = [f"{rank}{suit}" for suit in "CDS" for rank in "23456789"]
    hands = [" ".join(pack[3 * seat : 3 * seat + 3]) for seat in range(players)]
    assert result_of(small(variant=variant, options=options, players=players, hands=hands))["ok"]


# --- JSON


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "nul",
        "[]",
        "3",
        '"x"',
        "null",
        "true",
        "{}{}",
        '{"format": NaN}',
        '{"format": Infinity}',
        "[" * 10**5,
        "\0",
    ],
)
def test_a_line_that_is_no_json_object_is_a_bad_record(line: str) -> None:
    error = replay_line(line)["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["clause"], error["legal"]) == ("bad-record", None, None)


def test_a_key_that_comes_twice_is_a_bad_record() -> None:
    text = json.dumps(small())
    twice = text.replace('"players": 3', '"players": 3, "players": 3')
    assert twice != text
    result = replay_line(twice)
    assert not result["ok"]
    assert "players" in json.dumps(result)
    assert not replay_line(json.dumps(small(stopped={"seat": 0})).replace('"seat": 0', '"seat": 0, "seat": 0'))["ok"]


@pytest.mark.parametrize("settlement", ["howell", "average", "pot", "sweepstake"])
@pytest.mark.parametrize("field", ["pot", "deal"])
def test_a_result_can_be_written_however_long_the_numbers_of_its_record_are(field: str, settlement: str) -> None:
    record = small(variant="no-queen", options={"settlement": settlement}, dealer=2, plays=["2C 5C 7C", "4H 3D QS"])
    for digits in (18, 19, 20, DIGITS - 1, DIGITS):
        found = result_of({**record, field: int("9" * digits)})
        assert json.loads(json.dumps(found))["complete"] is True
    for digits in (DIGITS + 1, 4299, 4300):
        assert str(digits) in bad({**record, field: int("9" * digits)})
    text = json.dumps({**record, field: 7}).replace(f'"{field}": 7', f'"{field}": ' + "9" * 5000)
    assert replay_line(text)["ok"] is False


def test_one_bad_line_does_not_stop_the_next_and_empty_ones_are_skipped() -> None:
    good = json.dumps(small())
    text = f"{good}\n\n{{\n \t\n{good}\r\n\xff\n".encode("latin-1")
    assert [result["ok"] for result in replay_lines(text)] == [True, False, True, False]
    assert list(replay_lines(b"")) == []
    assert list(replay_lines(b"\n\n")) == []


# --- The pack


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_a_real_deal_is_checked_card_by_card(rules: Rules) -> None:
    record = record_of(fresh(rules, 3, 3), constructed=False)
    assert result_of(record)["ok"]
    assert result_of(without(record, "constructed"))["ok"]
    hands = list(record["hands"])
    short = {**record, "hands": [hands[0][3:], *hands[1:]]}
    bad(short)
    bad({**record, "hands": [hands[0] + " " + hands[1][:2], hands[1][3:], *hands[2:]]})  # of unequal size
    other = hands[1].split()[-1]
    bad({**record, "hands": [other + hands[0][2:], *hands[1:]]})  # one card more often, one missing
    assert result_of({**record, "rest": record["rest"] + " 2C"})["ok"] is False
    if record["rest"]:
        bad({**record, "rest": record["rest"][3:]})
        assert result_of({**record, "rest": " ".join(reversed(record["rest"].split()))})["ok"]


def test_a_stripped_card_is_no_card_of_a_real_deal() -> None:
    record = record_of(fresh(table("hearts", 3), 1), constructed=False)
    hands = [hand.replace("2C", "2D") for hand in record["hands"]]
    assert hands != record["hands"]
    bad({**record, "hands": hands})


def test_positions_may_use_stripped_cards_and_any_number_of_cards() -> None:
    assert result_of(small(hands=["2D", "3C", "4C"]))["ok"]
    assert (
        result_of(small(variant="classic", players=2, deal=1, hands=["2C 3C", "4C 5C"]))["to_act"][0]["legal"] == "2C"
    )


def test_positions_are_of_equal_size_unless_they_are_domino() -> None:
    bad(small(hands=["2C", "3C 4C", "5C"]))
    assert result_of(small(variant="domino", hands=["2C", "3C 4C", "5C"], rest="6C"))["ok"]
    bad(small(variant="domino", hands=["2C", "3C 4C", ""], rest="6C"))


def test_a_card_comes_once_in_a_position_and_twice_in_cancellation() -> None:
    bad(small(hands=["2C", "2C", "5C"]))
    bad(small(variant="domino", hands=["2C", "3C", "5C"], rest="3C"))
    hands = ["2C", "2C", "5C", "6C", "7C", "8C", "9C"]
    assert result_of(small(variant="cancellation", players=7, hands=hands, rest="5C"))["ok"]
    bad(small(variant="cancellation", players=7, hands=hands, rest="2C"))


@pytest.mark.parametrize("variant", ["widow", "domino", "no-queen"])
def test_the_rest_of_a_position_may_have_any_length_where_there_is_one(variant: str) -> None:
    for rest in ("", "KH", "KH AH QS JS TS 9S 8S"):
        assert result_of(small(variant=variant, hands=["2C", "3C", "4C"], rest=rest))["ok"]


@pytest.mark.parametrize("variant", ["hearts", "spot"])
def test_a_position_has_no_rest_where_the_variant_has_none(variant: str) -> None:
    bad(small(variant=variant, rest="KH"))


def test_a_position_must_be_large_enough_to_pass() -> None:
    bad(small(variant="greek"))
    bad(small(variant="classic"))
    assert result_of(small(variant="classic", deal=2))["ok"]  # nothing is passed in this deal
    pairs = ["2C 3C", "4C 5C", "6C 7C", "8C 9C", "TC JC", "QC KC"]
    assert result_of(small(variant="black-lady", players=6, hands=pairs))["ok"]  # six pass two


# --- Whatever is written, an answer comes back


@settings(PROFILE, max_examples=150)
@given(st.data())
def test_any_value_in_any_field_gives_a_result(data: st.DataObject) -> None:
    record = copy.deepcopy(classic(passes=PASSES, plays=["2C 8C"], deal=0, dealer=2, rest="", pot=0, stopped=None))
    for _ in range(data.draw(st.integers(1, 2))):
        field = data.draw(st.sampled_from([*record, "options", "discards", "extra"]))
        old = record.get(field)
        if isinstance(old, list) and old and data.draw(st.booleans()):
            old[data.draw(st.integers(0, len(old) - 1))] = data.draw(json_values)
        else:
            record[field] = data.draw(json_values)
    result = result_of(record)
    assert result["ok"] is True or error_of(record)["code"] in ("bad-record", "illegal")


@settings(PROFILE, max_examples=100)
@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: raw.decode("latin-1")), json_values)
def test_any_line_gives_a_result(line: str, value: object) -> None:
    for text in (line, json.dumps(value), json.dumps({"format": MATCH, "deals": value}), json.dumps({"format": line})):
        assert replay_line(text)["ok"] is False


@settings(PROFILE, max_examples=100)
@given(st.sampled_from(TABLES), st.integers(0, 99), st.data())
def test_a_record_with_words_changed_about_gives_a_result(rules: Rules, seed: int, data: st.DataObject) -> None:
    record = record_of(walked(fresh(rules, seed, seed), "random", seed), constructed=data.draw(st.booleans()))
    text = json.dumps(record)
    words = text.split(" ")
    first, second = (data.draw(st.integers(0, len(words) - 1)) for _ in range(2))
    words[first], words[second] = words[second], words[first]
    result = replay_line(" ".join(words))
    assert result["ok"] in (True, False)
