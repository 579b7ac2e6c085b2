"""Which games there are, and one line for who asks for another."""

import re

import pytest

from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.variant import OptionValue
from tests.strategies import GAMES, TABLES

PLAYERS = {
    "hearts": range(3, 11),
    "domino": range(2, 8),
    "greek": range(3, 8),
    "widow": range(3, 7),
    "omnibus": (4,),
    "spot": range(3, 11),
    "classic": range(2, 5),
    "black-lady": range(3, 8),
    "cancellation": range(7, 11),
    "no-queen": range(3, 8),
}

OPTIONS: dict[str, dict[str, OptionValue]] = {
    "widow": {"discards_count": "nobody"},
    "classic": {"first_trick_penalties": "forbidden", "queen_breaks_hearts": False, "jack_of_diamonds": False},
    "black-lady": {
        "pass": "right", "must_discard_queen": True, "hearts_from_trick": None, "settlement": "average",
    },
    "no-queen": {"hearts_from_trick": None, "settlement": "howell"},
}  # fmt: skip


def test_the_ten_variants_their_players_and_their_options() -> None:
    assert list(VARIANTS) == list(PLAYERS)
    for name, variant in VARIANTS.items():
        assert variant.players == tuple(PLAYERS[name])
        assert {option.name: option.default for option in variant.options} == OPTIONS.get(name, {})


def test_every_default_is_a_value_of_its_option() -> None:
    for variant in VARIANTS.values():
        assert all(option.admits(option.default) for option in variant.options)


@pytest.mark.parametrize(
    ("name", "players", "options", "hints"),
    [
        ("Classic", 4, {}, ["'Classic'", "did you mean 'classic'"]),
        ("bridge", 4, {}, ["'bridge'", "hearts, domino"]),
        ("omnibus", 5, {}, ["omnibus", "4 players", "not 5"]),
        ("cancellation", 4, {}, ["7 to 10", "nearest is 7"]),
        ("classic", 1, {}, ["2 to 4", "nearest is 2"]),
        ("classic", 4, {"queen_breaks_heart": True}, ["did you mean 'queen_breaks_hearts'"]),
        ("hearts", 4, {"pass": "left"}, ["no option 'pass'", "black-lady"]),
        ("no-queen", 4, {"must_discard_queen": True}, ["black-lady"]),
        ("classic", 4, {"jack_of_diamonds": 1}, ["jack_of_diamonds is false or true, not 1"]),
        ("black-lady", 4, {"hearts_from_trick": 0}, ["a whole number from 1, or null", "not 0"]),
        ("black-lady", 4, {"settlement": "howell"}, ["average", "pot", "sweepstake", "howell"]),
        ("black-lady", 5, {"pass": "right-across"}, ["even", "not 5"]),
    ],
)
def test_what_is_not_played_is_refused_in_one_line_with_the_nearest(
    name: str, players: int, options: dict[str, OptionValue], hints: list[str]
) -> None:
    with pytest.raises(ValueError, match=re.escape(hints[0])) as caught:
        rules_of(name, players, options)
    message = str(caught.value)
    assert "\n" not in message
    assert [hint for hint in hints if hint not in message] == []


def test_the_hash_tells_games_apart_and_is_the_same_in_every_run() -> None:
    assert len({rules.hash for rules in GAMES}) == len(GAMES)
    assert all(rules_of(rules.name, rules.players).hash == rules.hash for rules in TABLES)
    assert rules_of("classic", 4).hash == rules_of("classic", 4, {"jack_of_diamonds": False}).hash
