"""A league's birth: seed and commitment, entrants, the whole schedule, all in the database before the first card."""

import json
from dataclasses import dataclass

from sqlmodel import Session

from arena.league.config import ConfigError, LeagueFile
from arena.league.designs import orbits_per_repetition
from arena.league.schedule import fixtures, schedule_hash
from arena.rules.deck import commitment, event_key, public_value
from arena.store import league as store
from arena.store.models import Entrant, League

HOUSE = "house"


@dataclass(frozen=True, slots=True)
class Opened:
    """A league that is ready to be played."""

    id: int
    name: str
    created: bool  # just now
    event_key: bytes  # secret while the league is played
    entrants: tuple[str, ...]  # names by number
    ranked: int  # so many of them are bots of the league; the rest is the house's


def open_league(*, session: Session, file: LeagueFile, seed: bytes) -> Opened:
    """The league of that name, created with this seed if there is none yet.

    ConfigError where the database has a league of that name with other settings: what is played never changes.
    """
    settings = _settings(file)
    found = store.find_league(session=session, name=file.name)
    names = tuple(bot.name for bot in file.bots)
    house = tuple(f"{HOUSE} {number}" for number in range(1, file.game.seats - len(names) + 1))
    if found is not None:
        difference = _difference(json.loads(found.settings), settings)
        if difference:
            raise ConfigError(
                f"league {file.name!r} was created with other settings: {difference}; rename it to start anew"
            )
        assert found.id is not None
        key = event_key(bytes.fromhex(found.seed), file.name, public_value(names, bytes.fromhex(found.beacon)))
        return Opened(found.id, file.name, False, key, names + house, len(names))
    key = event_key(seed, file.name, public_value(names))
    orbits = file.schedule.orbits or file.schedule.repetitions * orbits_per_repetition(len(names), file.game.seats)
    planned = tuple(
        fixtures(
            entrants=len(names),
            seats=file.game.seats,
            orbits=orbits,
            event_key=key,
            duplicate=file.schedule.duplicate,
        )
    )
    league = League(
        name=file.name,
        settings=json.dumps(settings, sort_keys=True, ensure_ascii=False),
        variant=file.game.variant,
        options=json.dumps(dict(file.rules.options), sort_keys=True),
        seats=file.game.seats,
        target=file.game.target,
        max_deals=file.game.max_deals,
        commitment=commitment(seed).hex(),
        seed=seed.hex(),
        beacon="",
        schedule_hash=schedule_hash(planned),
        created_at=store.now(),
    )
    entrants = [
        Entrant(league_id=0, number=number, name=name, ranked=number < len(names))
        for number, name in enumerate(names + house)
    ]
    number = store.create_league(session=session, league=league, entrants=entrants, fixtures=planned)
    return Opened(number, file.name, True, key, names + house, len(names))


def _settings(file: LeagueFile) -> dict[str, object]:
    """What decides the results; where the arena listens may change from run to run."""
    settings: dict[str, object] = file.model_dump(
        mode="json", exclude={"name": True, "games": True, "server": True, "tokens": True, "game": {"name"}}
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
