"""The league file: TOML, strictly validated, each error in one line with the nearest known key."""

import math
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.clock import TimeControl
from arena.league.budget import next_moment
from arena.referee import Policy
from arena.rules.catalogue import nearest, rules
from arena.rules.match import TARGET
from arena.rules.variant import OptionValue, Rules
from arena.store.names import folded, line_problem
from arena.store.submission import is_book

LARGE = 1_000_000  # numbers of matches, points and deals that nobody comes near
PATIENCE = 4  # so many times the deals of an even match, and a match that may have no end has one
_TIME = TimeControl()


class ConfigError(ValueError):
    """What is wrong with a league file, in one line."""


def plain_name(name: str) -> str:
    """A name that can be printed on one line; ValueError for control and direction characters."""
    if problem := line_problem(name):
        raise ValueError(problem)
    return name


Name = Annotated[str, AfterValidator(plain_name)]


def local_time(text: str) -> str:
    """A time of day ("07:00") or a date with one ("2026-03-14 07:00"), local unless it says otherwise."""
    if next_moment(text, datetime.now().astimezone()) is None:
        raise ValueError('a time is "07:00", or a date and time as in "2026-03-14 07:00"')
    return text


Until = Annotated[str, AfterValidator(local_time)]


def host_and_port(text: str) -> str:
    """An address to listen on; whether it can be is found out when it is tried."""
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdecimal() and int(port[:9]) <= 65535):
        raise ValueError('an address is HOST:PORT, as in "127.0.0.1:7070"')
    return text


Address = Annotated[str, AfterValidator(host_and_port)]
RUN_KEYS = frozenset({"append", "hours", "until", "versions"})


class Section(BaseModel):
    """A table of the file: no unknown keys, no conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Game(Section):
    """What is played."""

    name: Name | None = None  # where there are several games; the variant's if there is none
    variant: str = "classic"
    seats: int = Field(default=4, ge=2, le=10)
    options: dict[str, OptionValue] = {}
    target: int = Field(default=TARGET, ge=1, le=LARGE)  # points
    max_deals: int | None = Field(default=None, ge=1, le=LARGE)
    revoke: Literal["stop", "substitute"] = "stop"  # what an illegal answer that is not corrected does


class Time(Section):
    """Thinking time, in seconds; `arena.clock.TimeControl` says what each is."""

    move_s: float = Field(default=_TIME.move_s, gt=0, le=3600)
    bank_s: float = Field(default=_TIME.bank_s, gt=0, le=86400)
    increment_s: float = Field(default=_TIME.increment_s, ge=0, le=3600)
    grace_s: float = Field(default=_TIME.grace_s, ge=0, le=3600)
    credit_s: float = Field(default=_TIME.credit_s, ge=0, le=10)

    @property
    def control(self) -> TimeControl:
        """As the referee wants it."""
        return TimeControl(**self.model_dump())


class Schedule(Section):
    """How much is played. What is in `RUN_KEYS` may change from run to run."""

    format: Literal["league", "gauntlet"] = "league"  # gauntlet: the first bot against the others, in every seat
    repetitions: int | None = Field(default=None, ge=1, le=LARGE)  # of the whole design; None: for `ENOUGH` matches
    orbits: int | None = Field(default=None, ge=1, le=LARGE)  # instead: so many orbits in all; of a gauntlet, groups
    duplicate: Literal["round", "orbit", "off"] = "round"  # which tables share their deals
    hours: float | None = Field(default=None, gt=0, le=10_000)  # of a run
    until: Until | None = None  # the same with a time of day, local: "07:00", or a date and time
    append: bool = True  # where a run has time left, orbits; such a league is never finished
    absent: Literal["wait", "walk-over"] = "wait"  # for bots that are away, until a run's time is over
    versions: Literal["same", "any"] = "same"  # any: a bot may change what it calls itself while the league goes on

    @property
    def has_budget(self) -> bool:
        """Whether a run ends when its time is over."""
        return self.hours is not None or self.until is not None

    @property
    def grows(self) -> bool:
        """Whether a run appends orbits, and so leaves the league open for the next one."""
        return self.append and self.has_budget


class Server(Section):
    """Where bots dial in, how both sides know each other, and how many tables the arena keeps busy at once."""

    address: Address = "127.0.0.1:7070"
    tables: int = Field(default=64, ge=1, le=4096)
    tls_certificate: str | None = None  # files in PEM, beside the league file
    tls_key: str | None = None
    tls_client_ca: str | None = None  # bots that dial in must have a certificate that it signed
    bots_ca: str | None = None  # who signed the certificates of bots that are dialled; None: whom the machine trusts
    insecure: bool = False  # also beyond this machine without TLS
    allow_private: bool = False  # bots at private addresses are dialled too
    submissions: bool = False  # bots may be submitted while the league is played
    transcripts: Literal["off", "faults", "all"] = "faults"  # kept: none, of seats with a fault in the deal, or all

    @model_validator(mode="after")
    def _a_pair(self) -> "Server":
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key go together")
        if self.tls_client_ca is not None and self.tls_key is None:
            raise ValueError("tls_client_ca needs tls_certificate and tls_key")
        return self

    def beside(self, directory: Path) -> "Server":
        """The same, with its files in that directory where they are named without one."""
        files = ("tls_certificate", "tls_key", "tls_client_ca", "bots_ca")
        found = {name: getattr(self, name) for name in files}
        return self.model_copy(update={name: str(directory / file) for name, file in found.items() if file is not None})


class Bot(Section):
    """An entrant."""

    name: Name


class LeagueFile(Section):
    """A whole league file: one league, or one for each of several games."""

    name: Name
    game: Game = Game()
    games: tuple[Game, ...] = ()  # instead of `game`: leagues that are played one after the other
    time: Time = Time()
    schedule: Schedule = Schedule()
    ranking: Literal["placement", "points", "wins"] = "placement"  # what the table goes by
    server: Server = Server()
    tokens: str = "tokens.txt"  # file with a line "TOKEN NAME" a bot, beside this one
    beacon: bool = False  # no card before a public value is given, which nobody knew when the league was created
    bots: tuple[Bot, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> "LeagueFile":
        names = [folded(bot.name) for bot in self.bots]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"bots: the name {min(twice)!r} is there twice (case and blanks make no difference)")
        if self.server.submissions and not is_book(Path(self.tokens)):
            raise ValueError(
                f'server.submissions: bots are submitted to a book, as in tokens = "bots.json", not to {self.tokens!r}'
            )
        if self.games and "game" in self.model_fields_set:
            raise ValueError("a file has one [game] or several [[games]], not both")
        for league in self.leagues:
            _ = league.rules
            for name in league.house:
                if name in names:
                    raise ValueError(f"bots: {name!r} is what the house calls its own bot at a table that is not full")
            if self.schedule.format == "gauntlet" and len(self.bots) != league.game.seats:
                raise ValueError(
                    f"schedule.format: a gauntlet for {league.game.seats} seats has as many bots, not {len(self.bots)}"
                )
        if len({league.name for league in self.leagues}) < len(self.leagues):
            raise ValueError("games: two of them would have the same name; give them names of their own")
        return self

    @property
    def leagues(self) -> "tuple[LeagueFile, ...]":
        """One file for each game, named after it where there are several."""
        if not self.games:
            return (self,)
        return tuple(
            self.model_copy(update={"game": game, "games": (), "name": f"{self.name}: {game.name or game.variant}"})
            for game in self.games
        )

    @property
    def house(self) -> tuple[str, ...]:
        """The names of the house's bots, which fill up a table where there are fewer bots than seats."""
        return tuple(f"house {number}" for number in range(1, self.game.seats - len(self.bots) + 1))

    @property
    def rules(self) -> Rules:
        """The rules of the league's tables; ValueError where there is no such game."""
        return rules(self.game.variant, self.game.seats, self.game.options)

    @property
    def even_deals(self) -> int:
        """The deals of a match in which all seats score alike: most matches have fewer."""
        rules, game = self.rules, self.game
        worth = sum(rules.points[card] for card in rules.pack) or rules.penalty or 1
        return math.ceil(game.seats * game.target / abs(worth))

    @property
    def max_deals(self) -> int | None:
        """The deals after which a match ends at the latest; None where its points see to that.

        Where deals may take points off, bots could let each other do that for ever.
        """
        rules, moon = self.rules, self.rules.variant.moon
        least = sum(moon.award(0, rules.players)) if moon else 1
        endless = least <= 0 or any(rules.points[card] < 0 for card in rules.pack)
        return self.game.max_deals or (PATIENCE * self.even_deals if endless else None)

    @property
    def policy(self) -> Policy:
        """What becomes of an illegal answer that is not corrected."""
        return Policy(self.game.revoke)


def read_league(path: Path) -> LeagueFile:
    """The league that a file describes; ConfigError in one line that names the file, the key and the value."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # editors of Windows begin files with a mark
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # also a number or a list of lists that Python does not read
        raise ConfigError(f"{path}: not TOML: {error}") from None
    try:
        # TOML knows lists only, and strict validation does not take them for tuples.
        tuples = {key: tuple(data[key]) for key in ("bots", "games") if type(data.get(key)) is list}
        file = LeagueFile.model_validate(data | tuples)
        return file.model_copy(update={"server": file.server.beside(path.parent)})
    except ValidationError as error:
        raise ConfigError(f"{path}: {one_line(error)}") from None


def with_budget(file: LeagueFile, hours: float | None, until: str | None) -> LeagueFile:
    """The file with another limit to the run's time, where one of these is given; ConfigError in one line."""
    if hours is None and until is None:
        return file
    try:
        schedule = Schedule.model_validate(file.schedule.model_dump() | {"hours": hours, "until": until})
    except ValidationError as error:
        raise ConfigError(one_line(error)) from None
    return file.model_copy(update={"schedule": schedule})


def one_line(error: ValidationError) -> str:
    """The first thing that is wrong, misspelt keys before what is missing for their sake."""
    problems = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    first = problems[0]
    place = first["loc"]
    if "options" in place:
        place = place[: place.index("options") + 2]  # behind it are the types that a value might have had
    where = ".".join(map(str, place))
    match first["type"]:
        case "extra_forbidden":
            return f"unknown key {_shown(where)}{nearest(str(place[-1]), _keys(place[:-1]))}"
        case "missing":
            return f"missing key {where!r}"
        case "value_error":
            said = str(first["ctx"]["error"])
            return f"{where}: {said} ({_shown(first['input'])})" if where else said
        case "too_short":
            return f"{where}: there must be at least {first['ctx']['min_length']}"
    said = (
        "an option is true or false, a whole number or a text"
        if "options" in place
        else _as_toml(first["type"], first["msg"])
    )
    return f"{_cut(where)}: {said}, not {_shown(first['input'])}"


def _keys(where: tuple[int | str, ...]) -> list[str]:
    """The keys that are known at a place of the file."""
    model: Any = LeagueFile
    for part in where:
        if isinstance(part, str):
            model = {"bots": Bot, "games": Game}.get(part) or model.model_fields[part].annotation
    return list(model.model_fields)


def _as_toml(kind: str, message: str) -> str:
    """Pydantic's words, but that lists and tables are called what they are in the file."""
    match kind:
        case "tuple_type":
            return "input should be a list"
        case "model_type" | "dict_type":
            return "input should be a table"
    return message[:1].lower() + message[1:]


def _shown(value: object) -> str:
    try:
        return _cut(repr(value))
    except ValueError:  # Python does not write out a number of so many digits
        return "so large a number"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
