"""League files as values; what the commands say of wrong ones is tested with the commands."""

import pytest

from arena.league.config import LeagueFile
from arena.rules.catalogue import VARIANTS
from arena.rules.match import Match
from tests.league.scripted import league_file


@pytest.mark.parametrize(
    ("variant", "seats", "moon"),
    [("omnibus", 4, (-36, 0, 0, 0)), ("omnibus", 4, (-26, 0, 0, 10)), ("greek", 4, (-78, 26, 26, 26))],
)
def test_bots_that_let_each_other_shoot_the_moon_in_turn_come_to_an_end(
    variant: str, seats: int, moon: tuple[int, ...]
) -> None:
    file = league_file(4, variant=variant, seats=seats, target=100)
    match = Match(file.rules, 100, file.max_deals)
    while not match.end:
        turn = match.deals % seats
        match.enter(moon[-turn:] + moon[:-turn])
    assert match.end == "max_deals"
    assert match.deals == file.max_deals
    assert match.deals >= 2 * file.even_deals, "a match that goes on as it should is never cut off"


def test_only_a_match_that_may_have_no_end_is_given_one() -> None:
    given = {name: league_file(4, variant=name, seats=VARIANTS[name].players[0]).max_deals for name in VARIANTS}
    assert {name for name, deals in given.items() if deals is not None} == {"omnibus", "greek"}
    assert league_file(4, variant="omnibus", max_deals=7).max_deals == 7


@pytest.mark.parametrize(
    ("table", "key"), [("game", "target"), ("game", "max_deals"), ("schedule", "orbits"), ("schedule", "repetitions")]
)
def test_numbers_that_no_database_takes_are_refused(table: str, key: str) -> None:
    with pytest.raises(ValueError, match=rf"{table}\.{key}"):
        LeagueFile.model_validate({"name": "x", table: {key: 10**20}, "bots": ({"name": "a"},)})


@pytest.mark.parametrize("name", ["house 1", "House  1"])
def test_a_bot_is_not_called_as_one_of_the_house_at_its_tables(name: str) -> None:
    bots = ({"name": "a"}, {"name": "b"}, {"name": name})
    with pytest.raises(ValueError, match="'house 1' is what the house calls its own bot"):
        LeagueFile.model_validate({"name": "x", "bots": bots})
    assert LeagueFile.model_validate({"name": "x", "bots": (*bots, {"name": "c"})}).house == ()
