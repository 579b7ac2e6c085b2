"""A league checked from what is published of it: commitment, schedule, every card, every play, every result.

Nothing is believed that can be computed. What cannot be, because the league is not finished and its seed still
secret, is checked for agreeing with itself and with the hashes that were published before the first card.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, zip_longest

from pydantic import ValidationError

from arena.fault import Consequence
from arena.league import book as b
from arena.league.book import Book, Match
from arena.league.config import ConfigError, LeagueFile
from arena.league.create import orbits_of, planned, tables_of_orbit
from arena.league.schedule import Fixture, schedule_hash
from arena.rules import cards as c
from arena.rules import match as m
from arena.rules.catalogue import rules as rules_of
from arena.rules.deck import Dealt, commitment, deal_key, dealt, event_key, public_value
from arena.rules.record import BadRecord, DealRecord, Json, read_match_deal
from arena.rules.replay import IllegalRecord, Replayed, replay
from arena.rules.variant import Rules

DEALT = 4096  # deals that are remembered: the tables of a stream play the same


class Difference(ConfigError):  # noqa: N818  it is found, nothing has failed
    """The first thing that is not as it should be, in one line: where, what is recorded, what comes out instead."""

    def __init__(self, where: str, what: str, recorded: object, computed: object, *, cards: bool = False) -> None:
        """``cards``: the values tell cards of the deal."""
        self.where = where
        self.what = what
        self.cards = cards
        text = f"{what}: recorded {b.shown(recorded)}, computed {b.shown(computed)}"
        super().__init__(f"{where}: {text}" if where else text)


@dataclass(slots=True)
class Checked:
    """What has been found right."""

    league: str
    commitment: str
    rules: str  # their hash
    finished: bool
    seed_known: bool  # commitment, schedule and cards have been computed from it
    schedule_hash: str
    first_hash: str  # of the schedule that the league was created with
    beacon: str  # hex; "" where there is none
    fixtures: int = 0
    matches: int = 0  # results that are those of their records
    deals: int = 0  # replayed under the rules
    dealt: int = 0  # of these, dealt again from the seed
    faults: int = 0
    begun: int = 0  # matches that are not finished, whose deals so far have been replayed
    open: int = 0  # fixtures without a result


def verify(book: Book) -> Checked:
    """What has been checked of the league; goes through its matches. Difference, or another ConfigError in one line
    where something cannot even be read, at the first thing that is wrong.
    """
    line = book.line
    file, rules = _check_settings(book)
    key = _check_seed(book)
    schedule = _check_schedule(book, file, key)
    checked = Checked(
        line.league,
        line.commitment,
        rules.hash,
        line.finished,
        key is not None,
        line.schedule_hash,
        schedule_hash(islice(schedule.values(), orbits_of(file) * tables_of_orbit(file))),
        line.beacon,
        fixtures=len(schedule),
    )
    table = _Checker(book, rules, schedule, key, checked)
    for match in book.matches:
        table.check(match)
    table.check_all_there()
    return checked


def _check_settings(book: Book) -> tuple[LeagueFile, Rules]:
    """The league's file and rules, with which what is published about both must agree."""
    line = book.line
    try:
        # Where it listens and what it is called are no part of the settings; the defaults stand in for them.
        file = LeagueFile.model_validate({"name": "league", **_tuples(line.settings)})
        rules = rules_of(line.variant, line.players, line.options)
    except ValidationError as error:
        raise ConfigError(f"settings: {b.problem(error)}") from None
    except ValueError as error:
        raise ConfigError(str(error)) from None
    game = file.game
    for what, recorded, computed in (
        ("variant", line.variant, game.variant),
        ("players", line.players, game.seats),
        ("options", dict(line.options), dict(file.rules.options)),
        ("target", line.target, game.target),
        ("max_deals", line.max_deals, file.max_deals),
        ("entrants", list(book.names), [*(bot.name for bot in file.bots), *file.house]),
        ("ranked entrants", [one.name for one in line.entrants if one.ranked], [bot.name for bot in file.bots]),
    ):
        _same("settings", what, recorded, computed)
    return file, rules


def _check_seed(book: Book) -> bytes | None:
    """The event key, None where the seed is not known."""
    line = book.line
    if book.seed is None:
        if line.finished:
            raise Difference("", "seed", "none", "one that is published, as the league is finished")
        return None
    _same("", "commitment (computed from the seed)", line.commitment, commitment(book.seed).hex())
    names = [one.name for one in line.entrants if one.ranked]
    return event_key(book.seed, line.league, public_value(names, bytes.fromhex(line.beacon)))


def _check_schedule(book: Book, file: LeagueFile, key: bytes | None) -> Mapping[int, Fixture]:
    """The schedule by number, drawn again where the key is known."""
    line = book.line
    recorded = [
        Fixture(one.fixture, one.repetition, one.orbit, one.round, one.stream, one.seats) for one in book.fixtures
    ]
    entrants = range(len(line.entrants))
    for number, one in enumerate(recorded):
        where = f"fixture {number}"
        if one.number != number:
            raise Difference(where, "schedule", f"next is fixture {one.number}", where)
        if len(one.seats) != line.players or len({*one.seats} & {*entrants}) != line.players:
            raise Difference(where, "seats", one.seats, f"{line.players} different entrants")
    if key is not None:
        # Orbits may have been added since the league was created, and only whole ones.
        orbits = max(orbits_of(file), len({(one.repetition, one.orbit) for one in recorded}))
        for number, (found, due) in enumerate(zip_longest(recorded, planned(file, key, orbits))):
            where = f"fixture {number}"
            if found is None or due is None:
                raise Difference(where, "schedule", _there(found), _there(due))
            for what in ("repetition", "orbit", "round", "stream", "seats"):
                _same(where, what, getattr(found, what), getattr(due, what))
    _same("schedule", "hash", line.schedule_hash, schedule_hash(recorded))
    return {one.number: one for one in recorded}


@dataclass(slots=True)
class _Checker:
    """Checks match by match."""

    book: Book
    rules: Rules
    schedule: Mapping[int, Fixture]
    key: bytes | None
    checked: Checked
    _last: int = -1
    _finished: set[int] = field(default_factory=set)
    _dealt: Callable[[str, int], Dealt] = field(init=False)

    def __post_init__(self) -> None:
        """Deal each deal of a stream once."""
        self._dealt = lru_cache(DEALT)(self._deal)

    def _deal(self, stream: str, number: int) -> Dealt:
        assert self.key is not None
        return dealt(deal_key(self.key, stream, number), self.rules, m.dealer_of(number, self.rules.players))

    def check(self, match: Match) -> None:
        """One match."""
        where = f"fixture {match.fixture}"
        fixture = self.schedule.get(match.fixture)
        if fixture is None:
            raise Difference(where, "schedule", "a match of it", "no such fixture")
        if match.fixture <= self._last:
            raise Difference(where, "order", f"after fixture {self._last}", "once, and by number")
        self._last = match.fixture
        try:
            self._check_match(match, fixture, where)
        except Difference as difference:
            if difference.cards and match.fixture not in self.book.shown:
                raise Difference(
                    difference.where, difference.what, "otherwise", "not shown: its stream is still played"
                ) from None
            raise
        if match.result:
            self._finished.add(match.fixture)
            self.checked.faults += len(match.faults)
        else:
            self.checked.begun += 1

    def check_all_there(self) -> None:
        """Nothing is missing, and nothing is told too early."""
        finished = self.book.line.finished
        missing = self.schedule.keys() - self._finished
        self.checked.open = len(missing)
        if finished and missing:
            raise Difference(f"fixture {min(missing)}", "result", "none", "one, as the league is finished")
        waiting = {self.schedule[number].stream for number in missing}
        for number in sorted(self._finished):
            stream = self.schedule[number].stream
            if stream in waiting and not finished and not self.book.everything:
                raise Difference(
                    f"fixture {number}", "record", "published", f"withheld, as stream {stream} is still played"
                )

    def _check_match(self, match: Match, fixture: Fixture, where: str) -> None:
        result = match.result
        if result is not None:
            _same(where, "entrants by seat", tuple(seat.entrant for seat in result.seats), fixture.seats)
        record, line = match.record, self.book.line
        for what, recorded, computed in (
            ("game", _game(record.rules), _game(self.rules)),
            ("bots", record.bots, tuple(self.book.names[one] for one in fixture.seats)),
            ("target", record.target, line.target),
            ("max_deals", record.max_deals, line.max_deals),
        ):
            _same(where, what, recorded, computed)
        ledger = m.Match(self.rules, line.target, line.max_deals)
        moons: Counter[int | None] = Counter()
        for number, (data, score) in enumerate(zip(record.deals, match.scores, strict=True)):
            deal_where = f"{where}, deal {number}"
            if ledger.end:
                raise Difference(deal_where, "number of deals", len(record.deals), ledger.deals)
            stopped, replayed = self._check_deal(data, number, ledger.pot, fixture.stream, deal_where)
            points = replayed.points
            assert points is not None
            _same(deal_where, "points", score.points, points)
            _same(deal_where, "moon", score.moon, replayed.moon)
            if stopped is not None and not any(
                fault.deal == number and fault.seat == stopped and fault.consequence in _STOPPING
                for fault in match.faults
            ):
                raise Difference(deal_where, "stopped", f"by seat {stopped}", "no fault of that seat that stops a deal")
            ledger.enter(points)
            moons[replayed.moon] += 1
        if result is not None and not ledger.end:
            raise Difference(where, f"deal {ledger.deals}", "none", "one, as the match has not ended")
        for fault in match.faults:
            if fault.deal >= ledger.deals or fault.seat >= self.rules.players:
                at = f"in deal {fault.deal} by seat {fault.seat}"
                raise Difference(where, "a fault", at, f"{ledger.deals} deals of {self.rules.players} seats")
        if result is None:
            return
        _same(where, "number of deals", result.deals, ledger.deals)
        _same(where, "end", result.end, ledger.end)
        for seat, one in enumerate(result.seats):
            faults = [fault for fault in match.faults if fault.seat == seat]
            for what, recorded, computed in (
                ("points", one.points, ledger.totals[seat]),
                ("chips", one.chips, str(ledger.chips[seat])),
                ("moons", one.moons, moons[seat]),
                ("moons_suffered", one.moons_suffered, ledger.deals - moons[None] - moons[seat]),
                ("faults", one.faults, len(faults)),
                (
                    "forfeited",
                    one.forfeited,
                    any(fault.consequence == Consequence.STAND_IN.value for fault in faults),
                ),
            ):
                _same(f"{where}, seat {seat}", what, recorded, computed)
        self._check_places(result, where)
        self.checked.matches += 1

    def _check_places(self, result: b.ResultLine, where: str) -> None:
        """Fewer points are better, and whoever lost the right to play is behind all others."""
        ranked = [(seat.forfeited, seat.points) for seat in result.seats]
        for seat, one in enumerate(result.seats):
            place = 1 + sum(other < ranked[seat] for other in ranked)
            _same(f"{where}, seat {seat}", "place", one.place, place)

    def _check_deal(self, data: Json, number: int, pot: int, stream: str, where: str) -> tuple[int | None, Replayed]:
        """Who stopped the deal, and what it led to."""
        try:
            deal = read_match_deal(data, self.rules, number, pot)
            if isinstance(data, dict) and data.get("constructed"):
                raise Difference(where, "constructed", True, False)
            if self.key is not None:
                self._check_cards(deal, self._dealt(stream, number), where)
                self.checked.dealt += 1
            replayed = replay(deal)
        except BadRecord as error:
            raise Difference(where, "record", str(error), "one that can have happened", cards=True) from None
        except IllegalRecord as error:
            found = error.illegal
            card = "that number of cards" if found.card is None else c.name(found.card)
            trick = "" if error.trick is None else f"trick {error.trick}: "
            said = f"{trick}seat {found.seat}, who is to {error.ask.value}, gives {card}"
            legal = c.text(c.faces_of(found.legal))
            raise Difference(where, "play", said, f"{found.clause}, legal is {legal}", cards=True) from None
        if replayed.points is None:
            raise Difference(where, "plays", "not to the end", "a complete deal", cards=True)
        self.checked.deals += 1
        return deal.stopped, replayed

    def _check_cards(self, deal: DealRecord, due: Dealt, where: str) -> None:
        if deal.hands == due.hands and deal.rest == due.rest:
            return
        # Which of two equal cards it is cannot be told from a record.
        for seat, (hand, dealt_hand) in enumerate(zip(deal.hands, due.hands, strict=True)):
            found, expected = c.text(c.faces_of(hand)), c.text(c.faces_of(dealt_hand))
            if found != expected:
                raise Difference(where, f"hand of seat {seat}", found, expected, cards=True)
        if c.text(deal.rest) != c.text(due.rest):
            raise Difference(where, "rest", c.text(deal.rest), c.text(due.rest), cards=True)


_STOPPING = (Consequence.STOPPED.value, Consequence.STAND_IN.value)


def _same(where: str, what: str, recorded: object, computed: object) -> None:
    if recorded != computed:
        raise Difference(where, what, recorded, computed)


def _game(rules: Rules) -> str:
    return f"{rules.name} for {rules.players} {dict(rules.options)}"


def _there(fixture: Fixture | None) -> str:
    return "no such fixture" if fixture is None else f"fixture {fixture.number}"


def _tuples(settings: Mapping[str, object]) -> dict[str, object]:
    """JSON has lists only, and strict validation takes no list for a tuple."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
