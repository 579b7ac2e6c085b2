"""A league's birth: seed and commitment, entrants, the whole schedule, all in the database before the first card.

Where a beacon is given, a public value that nobody knew when the commitment was published, the deals are bound to it
too, and the schedule is drawn again, under the key that follows from both.

A league with time to spare grows by complete orbits. Which they are is settled by the event key, and so by the
commitment, before the first card: a longer schedule begins with the shorter one. The hash that is kept is that of all
fixtures there are; after an extension it is a new one, and that of the schedule as it was created is still the hash of
as many fixtures.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqlmodel import Session

from arena.league.config import RUN_KEYS, ConfigError, LeagueFile
from arena.league.designs import orbits_per_repetition
from arena.league.schedule import Fixture, ScheduleHash, fixtures, gauntlet, schedule_hash
from arena.rules.deck import commitment, event_key, public_value
from arena.store import league as store
from arena.store.models import Entrant, League


@dataclass(frozen=True, slots=True)
class Opened:
    """A league that is ready to be played."""

    id: int
    name: str
    created: bool  # just now
    event_key: bytes  # secret while the league is played
    entrants: tuple[str, ...]  # names by number
    ranked: int  # so many of them are bots of the league; the rest is the house's
    players: tuple[str, ...]  # by number: who plays for the entrant, by the name of its token
    file: LeagueFile
    orbits: int  # that there are at least
    beacon: bytes = b""  # empty: none has been given


ENOUGH: Final = 100
"""Matches of each bot: 25 to 36 tell a heuristic from a search, and closer bots need more. Of a gauntlet, groups: with
fewer its test does not decide.
"""


def planned(file: LeagueFile, key: bytes, orbits: int, *, first: int = 0) -> Iterator[Fixture]:
    """The first orbits of the league's schedule, as its event key draws them; without those before ``first``."""
    if file.schedule.format == "gauntlet":
        return gauntlet(seats=file.game.seats, groups=orbits, first=first)
    return fixtures(
        entrants=len(file.bots),
        seats=file.game.seats,
        orbits=orbits,
        event_key=key,
        duplicate=file.schedule.duplicate,
        first=first,
    )


def orbits_of(file: LeagueFile) -> int:
    """How many orbits the league has at least: as it says itself, else of whole designs with `ENOUGH` matches for each
    bot; of a gauntlet, as many groups.
    """
    schedule, seats = file.schedule, file.game.seats
    if schedule.format == "gauntlet":
        return schedule.orbits or schedule.repetitions or ENOUGH
    one = orbits_per_repetition(len(file.bots), seats)
    return schedule.orbits or one * (schedule.repetitions or -(-ENOUGH // (one * seats)))


def tables_of_orbit(file: LeagueFile) -> int:
    """How many matches an orbit has."""
    return file.game.seats if file.schedule.format == "gauntlet" else max(len(file.bots), file.game.seats)


def extend_league(*, session: Session, league: Opened, known: ScheduleHash) -> None:
    """Append the next orbit to the schedule, whose hash so far is ``known``, and to that.

    What it costs does not depend on how long the schedule is by then.
    """
    orbits, rest = divmod(known.fixtures, tables_of_orbit(league.file))
    assert not rest, "a schedule is of complete orbits"
    more = tuple(planned(league.file, league.event_key, orbits + 1, first=orbits))
    store.add_fixtures(session=session, league_id=league.id, fixtures=more)
    known.add(more)
    store.keep_schedule_hash(session=session, league_id=league.id, schedule_hash=known.hex())


def open_league(*, session: Session, file: LeagueFile, seed: bytes, players: tuple[str, ...] | None = None) -> Opened:
    """The league of that name, created with this seed if there is none yet.

    ``players`` says who plays for the bots of the file, where they are not those themselves. ConfigError where the
    database has a league of that name with other settings: what is played never changes.
    """
    settings = _settings(file)
    found = store.find_league(session=session, name=file.name)
    names = tuple(bot.name for bot in file.bots)
    opened = Opened(
        id=0,
        name=file.name,
        created=False,
        event_key=b"",
        entrants=names + file.house,
        ranked=len(names),
        players=(players or names) + file.house,
        file=file,
        orbits=orbits_of(file),
    )
    if found is not None:
        difference = _difference(json.loads(found.settings), settings)
        if difference:
            raise ConfigError(
                f"league {file.name!r} was created with other settings: {difference}; rename it to start anew"
            )
        if not found.seed:
            raise ConfigError(f"league {file.name!r} was imported without its seed: it can be read, but not played on")
        assert found.id is not None
        beacon = bytes.fromhex(found.beacon)
        key = event_key(bytes.fromhex(found.seed), file.name, public_value(names, beacon))
        return replace(opened, id=found.id, event_key=key, beacon=beacon)
    key = event_key(seed, file.name, public_value(names))
    league = League(
        name=file.name,
        settings=json.dumps(settings, sort_keys=True, ensure_ascii=False),
        variant=file.game.variant,
        options=json.dumps(dict(file.rules.options), sort_keys=True),
        seats=file.game.seats,
        target=file.game.target,
        max_deals=file.max_deals,
        commitment=commitment(seed).hex(),
        seed=seed.hex(),
        beacon="",
        schedule_hash=schedule_hash(planned(file, key, opened.orbits)),
        created_at=store.now(),
    )
    entrants = [
        Entrant(league_id=0, number=number, name=name, ranked=number < len(names))
        for number, name in enumerate(opened.entrants)
    ]
    number = store.create_league(
        session=session, league=league, entrants=entrants, fixtures=planned(file, key, opened.orbits)
    )
    return replace(opened, id=number, created=True, event_key=key)


def awaits_beacon(*, session: Session, league: Opened) -> bool:
    """Whether a beacon has still to be given before the first card; ConfigError where it is too late for that."""
    if not league.file.beacon or league.beacon:
        return False
    if store.has_begun(session=session, league_id=league.id):
        raise ConfigError(f"league {league.name!r} has begun without a beacon; take `beacon` out of the league file")
    return True


def give_beacon(*, session: Session, league: Opened, beacon: bytes) -> Opened:
    """Bind the league's deals to a public value, and draw its schedule anew; nothing changes if it has that one.

    ConfigError where the league has just been created, as a beacon means nothing unless the commitment was published
    before; where cards have been shown; and where it has another beacon.
    """
    name = f"league {league.name!r}"
    if league.created:
        raise ConfigError(
            f"{name} has not been created: run it without a beacon first, and publish the commitment that it prints"
        )
    if league.beacon == beacon:
        return league
    if league.beacon:
        raise ConfigError(f"{name} has a beacon already: {shown_beacon(league.beacon)}")
    if store.has_begun(session=session, league_id=league.id):
        raise ConfigError(f"{name} has begun: a beacon is given before the first card")
    found = store.find_league(session=session, name=league.name)
    assert found is not None
    key = event_key(bytes.fromhex(found.seed), league.name, public_value(league.entrants[: league.ranked], beacon))
    store.keep_beacon(session=session, league_id=league.id, beacon=beacon)
    store.replace_fixtures(session=session, league_id=league.id, fixtures=planned(league.file, key, league.orbits))
    drawn = schedule_hash(planned(league.file, key, league.orbits))
    store.keep_schedule_hash(session=session, league_id=league.id, schedule_hash=drawn)
    return replace(league, event_key=key, beacon=beacon)


def shown_beacon(beacon: bytes) -> str:
    """A beacon for a message: its text, and its bytes in hex, as they are published."""
    return f"{beacon.decode(errors='replace')!r}, in hex {beacon.hex()}"


def _settings(file: LeagueFile) -> dict[str, object]:
    """What decides the results; where the arena listens may change from run to run."""
    settings: dict[str, object] = file.model_dump(
        mode="json",
        exclude={
            "name": True,
            "games": True,
            "server": True,
            "tokens": True,
            "beacon": True,  # what it is, is beside the settings
            "game": {"name"},
            "schedule": set(RUN_KEYS),
        },
    )
    return settings


def _difference(old: object, new: object, where: str = "") -> str:
    """The first setting that differs: ``"time.move_s was 5.0 and is 2.0"``; "" where none does."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            found = _difference(old.get(key), new.get(key), f"{where}.{key}" if where else str(key))
            if found:
                return found
        return ""
    return "" if old == new else f"{where} was {json.dumps(old)} and is {json.dumps(new)}"
