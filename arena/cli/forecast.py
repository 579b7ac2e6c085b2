"""What a run would play, and how long that would take, said before anything is opened."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlmodel import Session

from arena.cli.play import budget_words
from arena.cli.words import count, duration
from arena.league.config import LeagueFile
from arena.league.create import awaits_beacon, open_league, orbits_of, tables_of_orbit
from arena.store.database import open_database
from arena.store.league import count_fixtures, find_league

KIT_TABLES: Final = 8
"""At how many tables a bot of the kit plays at once, if it does not say otherwise."""
SPREAD: Final = 0.7
"""Matches are this much shorter than if all seats took the same: 11 of 15 deals in classic matches to 100."""


def forecast(file: LeagueFile, database: str) -> Iterator[str]:
    """Lines about each league of the file. The database is only read, if there is one.

    ConfigError and DatabaseError in one line where a run would be refused for what is in it.
    """
    for league in file.leagues:
        game = league.game
        orbits = orbits_of(league)
        matches = orbits * tables_of_orbit(league)
        finished, total, waits = _stands(league, database)
        yield (
            f"{league.name}: {game.variant} to {game.target} points"
            + (f" or {count(league.max_deals, 'deal')}" if league.max_deals else "")
            + f", {count(len(league.bots), 'bot')} at tables of {game.seats}"
        )
        house = max(0, game.seats - len(league.bots))
        names = [bot.name for bot in league.bots] + ([count(house, "house bot")] if house else [])
        yield f"  bots: {', '.join(names)}"
        least = "at least " if league.schedule.grows else ""
        much = f"{count(matches, 'match')} in {count(orbits, 'orbit')}"
        yield f"  {least}{much}, in which every bot is once in every seat"
        if total is not None:
            yield f"  {database}: created, {finished} of {total} matches are finished"
        left = (total or matches) - finished
        at_once = max(1, min(league.server.tables, max(1, len(league.bots) * KIT_TABLES // game.seats), left or 1))
        waves = math.ceil(left / at_once)
        deals = min(league.even_deals, league.max_deals or league.even_deals)
        time = league.time
        yield (
            f"  {count(at_once, 'table')} at once, if every bot plays at {KIT_TABLES}; a match has about"
            f" {count(max(1, round(deals * SPREAD)), 'deal')}"
        )
        usual = waves * _match_s(league, max(1, round(deals * SPREAD)), usual=True)
        most = waves * _match_s(league, deals, usual=False)
        yield (
            f"  about {duration(usual)} if every answer takes its increment of {time.increment_s:g} s; about"
            f" {duration(most)} if every bot uses all the time it has"
        )
        yield f"  {budget_words(league)}"
        if waits:
            yield "  no card before the beacon: `arena run` creates the league, `arena run --beacon TEXT` plays it"
    if len(file.leagues) > 1:
        many = len(file.leagues)
        yield f"the {many} leagues are played one after the other; one whose bots are away lets the next go first"
    yield f"would listen on {file.server.address}; nothing has been opened or written"


def _stands(league: LeagueFile, database: str) -> tuple[int, int | None, bool]:
    """Finished and all matches of a league that has been created, None where it has not; whether a beacon is due."""
    new = 0, None, league.beacon
    if "://" not in database and not Path(database).exists():
        return new
    engine = open_database(database, write=False)
    try:
        with Session(engine) as session:
            if find_league(session=session, name=league.name) is None:
                return new
            opened = open_league(session=session, file=league, seed=b"")  # it is there: nothing is created
            finished, total = count_fixtures(session=session, league_id=opened.id)
            return finished, total, awaits_beacon(session=session, league=opened)
    finally:
        engine.dispose()


def _match_s(league: LeagueFile, deals: int, *, usual: bool) -> float:
    """How long a match of so many deals takes; one seat answers after the other, but all pass at once."""
    time, rules = league.time, league.rules
    answers = deals * rules.hand_size  # of a seat
    pace = min(time.move_s, time.increment_s or time.bank_s / answers)
    if usual:
        return (answers * league.game.seats + deals) * pace
    one = min(answers * time.move_s, time.bank_s + answers * time.increment_s)
    return league.game.seats * (one + time.grace_s)
