"""A new version of a bot against the old one: a league of its own, that grows until the answer is known.

The new one has one seat, the old one all others; each group of matches is one stream of deals, in which the new one has
every seat once. Groups count in the order of the schedule, and none before all earlier ones are complete, so that the
verdict does not depend on which table was faster. What was begun when it falls is played to its end: the league is
complete, and can be verified as any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pydantic import ValidationError
from sqlalchemy import Engine
from sqlmodel import Session

from arena.league.config import RUN_KEYS, ConfigError, LeagueFile, one_line, plain_name
from arena.league.create import Opened
from arena.rules.catalogue import nearest
from arena.stats.gauntlet import Plan, Progress, Verdict, group_gains, progress
from arena.stats.rows import MatchRow, SeatRow
from arena.stats.thinking import Stopwatch
from arena.store.database import reading
from arena.store.league import seat_results


def gauntlet_of(file: LeagueFile, new: str, old: str, plan: Plan) -> tuple[LeagueFile, tuple[str, ...]]:
    """The league of the gauntlet, under the settings of a file, and who plays for its entrants: by name of the file's
    bots. Entrants are the new one and ``OLD``, ``OLD (2)``, … ConfigError in one line where that cannot be.
    """
    if file.games:
        raise ConfigError("a gauntlet is of one game: the file has several [[games]]")
    known = [bot.name for bot in file.bots]
    for name in (new, old):
        if name not in known:
            raise ConfigError(f"the league has no bot {name!r}{nearest(name, known)}")
    if new == old:
        raise ConfigError(f"{new!r} cannot be both, the new one and the old one; enter it twice, with two tokens")
    copies = [old, *(f"{old} ({number})" for number in range(2, file.game.seats))]
    try:
        bots = tuple({"name": plain_name(name)} for name in (new, *copies))
    except ValueError as error:
        raise ConfigError(f"{copies[-1]!r}: {error}") from None
    schedule = {"format": "gauntlet", "orbits": plan.groups_min}
    run_keys = file.schedule.model_dump(include=set(RUN_KEYS))
    data = file.model_dump(exclude={"games", "bots", "schedule"}) | {"bots": bots, "schedule": schedule | run_keys}
    try:
        made = LeagueFile.model_validate(data)
    except ValidationError as error:
        raise ConfigError(one_line(error)) from None
    return (
        made.model_copy(update={"name": f"{file.name}: {new} against {old}"}),
        (new, *[old] * (file.game.seats - 1)),
    )


@dataclass(slots=True)
class Gauntlet:
    """How it stands, as far as complete groups go."""

    engine: Engine
    league: Opened
    plan: Plan
    gains: list[float] = field(default_factory=list)  # by group, without gaps

    @property
    def new(self) -> str:
        """The new bot."""
        return self.league.entrants[0]

    def look(self) -> Progress:
        """Read the groups that have been completed since the last look; how it stands now."""
        size = self.league.file.game.seats
        with Session(reading(self.engine)) as session:
            found = seat_results(session=session, league_id=self.league.id, first=len(self.gains) * size)
        rows: dict[int, list[SeatRow]] = {}
        deals: dict[int, int] = {}
        for fixture, number, entrant, points, place in found:
            deals[fixture] = number
            rows.setdefault(fixture, []).append(_seat(self.league.entrants[entrant], points, place))
        first = len(self.gains) * size
        while all(fixture in rows for fixture in range(first, first + size)):
            group = [
                MatchRow(fixture, fixture // size, f"group{fixture // size}", deals[fixture], tuple(rows[fixture]))
                for fixture in range(first, first + size)
            ]
            self.gains += group_gains(group, self.new)
            first += size
        return progress(self.gains, self.plan)

    def wants_more(self, groups: int) -> bool:
        """Whether another group is to be appended to so many."""
        return groups < self.plan.groups_max and self.look().verdict is Verdict.OPEN


def _seat(bot: str, points: int, place: int) -> SeatRow:
    return SeatRow(
        bot=bot,
        ranked=True,
        points=points,
        place=place,
        chips=Fraction(0),
        moons=0,
        moons_suffered=0,
        faults=0,
        forfeited=False,
        thinking=Stopwatch().thinking().to_text(),
    )


def standing_words(found: Progress) -> str:
    """How it stands, in a few words."""
    interval = found.interval
    span = f", 95 % {interval.low:+.2f} to {interval.high:+.2f}" if interval else ""
    return (
        f"gain {found.gain:+.2f} points a deal{span}, {found.groups} groups, evidence {found.likelihood_ratio:+.2f} of"
        f" ±{found.bound:.2f}"
    )


def verdict_words(found: Progress, new: str, old: str, plan: Plan, *, finished: bool = False) -> Sequence[str]:
    """The answer in plain words: lines. ``finished``: it was ended by a plan before this one."""
    match found.verdict:
        case Verdict.BETTER:
            # Where it has just been decided, the difference seen is larger than it is on average.
            said = f"{new} is better than {old}: in these matches it took {found.gain:.2f} points a deal less"
        case Verdict.NOT_BETTER:
            said = f"{new} is not better than {old}, or by less than {plan.better:g} points a deal"
        case Verdict.UNDECIDED:
            said = f"{new} and {old} are too much alike to tell within {plan.groups_max} groups"
        case Verdict.OPEN:
            on = "the next run goes on"
            if finished:
                on = "this gauntlet is finished and its seed is out; go on with another name in the league file"
            said = f"whether {new} is better than {old} is not known yet; {on}"
    lines = [said]
    if found.groups:
        low_high = found.interval and f"{found.interval.low:+.2f} and {found.interval.high:+.2f}"
        sure = f", and between {low_high} with 95 % confidence, whenever one looks" if low_high else ""
        lines.append(f"  after {found.groups} groups the gain is {found.gain:+.2f} points a deal{sure}")
    if found.verdict in (Verdict.BETTER, Verdict.NOT_BETTER):
        lines.append(f"  a verdict of this kind is wrong in at most about {plan.error:.0%} of gauntlets")
    return lines
