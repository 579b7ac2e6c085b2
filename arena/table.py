"""One match: deal after deal until the target, each written down before the next one starts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from arena.clock import Clock
from arena.fault import Consequence, Fault, Kind
from arena.referee import Player, Referee
from arena.rules.deal import Ask, Deal
from arena.rules.deck import Dealt
from arena.rules.match import Match
from arena.rules.record import Json, write_deal
from arena.rules.variant import Rules
from arena.rules.view import view
from arena.rules.worth import COMPLETE, MOON, STOPPED, sums
from arena.seat import DealOver, MatchOver, Seat, Start

WALK_OVER: Final = "a walk-over: the bot was away when the time of the run was over"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a seat carries from deal to deal."""

    bank_s: float
    grace_s: float
    strikes: int
    stops: int
    forfeited: bool


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A complete deal, as it is to be written down."""

    number: int
    record: dict[str, Json]  # the deal's own fields of a record
    points: tuple[int, ...]
    moon: int | None
    standings: tuple[Standing, ...]  # by seat, after the deal
    thinking_s: tuple[tuple[float, ...], ...]  # by seat: charged for each answer
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match. A seat that lost its right to play is placed behind all others."""

    match: Match
    places: tuple[int, ...]  # by seat, from 1
    forfeited: tuple[bool, ...]


@dataclass(slots=True)
class Table:
    """A match in progress. `earlier` deals, of a match that was interrupted, are entered and not played again."""

    match_id: str
    rules: Rules
    target: int
    max_deals: int | None
    seats: Sequence[Seat]
    referee: Referee
    dealt: Callable[[int], Dealt]  # the cards of a deal, by its number
    keep: Callable[[PlayedDeal], Awaitable[None]]  # returns when the deal is durable
    match: Match = field(init=False)
    players: tuple[Player, ...] = field(init=False)
    deal: Deal | None = None  # in progress

    def __post_init__(self) -> None:
        """Full clocks, an empty ledger."""
        self.match = Match(self.rules, self.target, self.max_deals)
        self.players = tuple(Player(seat, Clock.full(self.referee.control)) for seat in self.seats)

    def resume(self, points: Sequence[int], standings: Sequence[Standing]) -> None:
        """Enter a deal that was played before an interruption."""
        self.match.enter(points)
        for player, standing in zip(self.players, standings, strict=True):
            player.clock.bank_s = standing.bank_s
            player.clock.grace_s = standing.grace_s
            player.strikes = standing.strikes
            player.stops = standing.stops
            player.forfeited = standing.forfeited

    def walk_over(self, seat: int) -> None:
        """Nobody has come to this seat: the house plays it from the next deal on, and it is placed behind others."""
        player = self.players[seat]
        if not player.forfeited:
            player.forfeited = True
            player.faults.append(
                Fault(
                    seat,
                    deal=self.match.deals,
                    trick=None,
                    decision=0,  # nothing is asked
                    kind=Kind.UNREACHABLE,
                    ask=Ask.PLAY.value,
                    clause="",
                    reason=WALK_OVER,
                    consequence=Consequence.STAND_IN,
                    answer="",
                    limit_s=0.0,
                    measured_s=0.0,
                    sent_s=None,
                    came_s=None,
                    lag_s=0.0,
                    thought_s=None,
                )
            )

    async def play(self) -> MatchResult:
        """Play to the end of the match."""
        names = tuple(seat.name for seat in self.seats)
        for number, seat in enumerate(self.seats):
            seat.start(Start(self.match_id, number, names, self.rules, self.match))
        while not self.match.end:
            await self._play_deal()
        forfeited = tuple(player.forfeited for player in self.players)
        ranked = tuple(zip(forfeited, self.match.totals, strict=True))
        result = MatchResult(self.match, tuple(1 + sum(other < own for other in ranked) for own in ranked), forfeited)
        for player in self.players:
            player.seat.match_over(MatchOver(self.match.totals, result.places, self.match.chips, player.forfeited))
        return result

    async def _play_deal(self) -> None:
        """One deal, written down and told to everybody."""
        number, pot = self.match.deals, self.match.pot
        dealt = self.dealt(number)
        self.deal = deal = Deal(self.rules, number, dealt.dealer, dealt.hands, dealt.rest)
        await self.referee.settle(deal, self.players, self.match)
        points, moon = deal.scores()
        self.match.enter(points)
        played = PlayedDeal(
            number,
            write_deal(deal, pot),
            points,
            moon,
            tuple(
                Standing(one.clock.bank_s, one.clock.grace_s, one.strikes, one.stops, one.forfeited)
                for one in self.players
            ),
            tuple(tuple(one.thinking_s) for one in self.players),
            tuple(_completed(fault, one.seat) for one in self.players for fault in one.faults),
        )
        for seat, one in enumerate(self.players):
            one.faults.clear()
            one.thinking_s.clear()
            one.seat.deal_over(DealOver(number, points, moon, deal.stopped, self.match, view(deal, seat)))
        await self.keep(played)


def _completed(fault: Fault, seat: Seat) -> Fault:
    """A fault of time with the answer that has come since."""
    late = seat.late(fault.decision) if fault.came_s is None else None
    return fault if late is None else replace(fault, came_s=late.came_s, thought_s=late.thought_s)


def adds_up(rules: Rules, deal: PlayedDeal) -> bool:
    """Whether the points of a deal are such as its rules can give."""
    ended = STOPPED if deal.record.get("stopped") is not None else COMPLETE if deal.moon is None else MOON
    return sum(deal.points) in sums(rules)[ended]
