"""League files as values; what the commands say of wrong ones is tested with the commands."""

import pytest

from arena.league.config import LeagueFile
from arena.league.create import orbits_of, tables_of_orbit
from arena.rules.catalogue import VARIANTS
from arena.rules.match import Match
from arena.stats.gauntlet import Plan
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
    ("bots", "tables", "repetitions"),
    [(1, 12, 9), (4, 12, 9), (5, 5, 25), (8, 56, 4), (20, 380, 2), (40, 400, 3), (100, 2500, 1), (200, 10_000, 1)],
)
def test_a_league_that_says_nothing_of_it_has_a_hundred_matches_for_each_bot_in_whole_designs(
    bots: int, tables: int, repetitions: int
) -> None:
    file = league_file(bots)
    assert orbits_of(file) * tables_of_orbit(file) == tables
    assert 4 * orbits_of(file) * repetitions >= 100 > 4 * orbits_of(file) * (repetitions - 1)
    assert orbits_of(league_file(bots, {"repetitions": None})) == repetitions * orbits_of(file)
    assert orbits_of(league_file(bots, {"repetitions": None, "orbits": 7})) == 7


def test_a_gauntlet_that_says_nothing_of_it_has_as_many_groups_as_its_test_needs() -> None:
    file = league_file(4, {"format": "gauntlet", "repetitions": None})
    assert orbits_of(file) == Plan().groups_min


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
