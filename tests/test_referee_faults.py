"""Whatever bots do, a match ends with a result: faults cost who commits them, and nobody else."""

import itertools
import json
import math
import random
from collections.abc import Callable, Sequence

import pytest
import trio
import trio.testing

from arena.clock import TimeControl
from arena.fault import Consequence, Fault, Kind
from arena.referee import STOPS, STRIKES, TRIES, Policy, Referee
from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.deal import Ask
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.rules.record import DEAL, game_fields
from arena.rules.replay import replay_line
from arena.rules.variant import Rules
from arena.seat import Reason, Request
from arena.table import MatchResult, PlayedDeal, Table
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, Script, illegal, legal, lowest, silent

CONTROL = TimeControl(move_s=2.0, bank_s=20.0, increment_s=0.0, grace_s=5.0, credit_s=0.05)
GAMES = [rules_of(one.name, n) for one in VARIANTS.values() for n in sorted({one.players[0], one.players[-1]})]
IDS = [f"{game.name}-{game.players}" for game in GAMES]
DEALS = 3

# What a bot may say that is no answer, by the number of cards asked for.
WRONG: dict[str, Callable[[Request], Sequence[int]]] = {
    "nothing": lambda request: (),
    "too many": lambda request: c.faces_of(request.view.hand)[: request.question.number + 1],
    "one card twice": lambda request: lowest(request)[:1] * max(2, request.question.number),
    "not held": lambda request: c.faces_of(c.PACK & ~(request.view.hand | request.view.hand >> c.FACES))[
        : request.question.number
    ],
    "below the faces": lambda request: (-1,) * request.question.number,
    "above the faces": lambda request: (52,) * request.question.number,
    "above both packs": lambda request: (104,) * request.question.number,
    "a huge number": lambda request: (2**63,) * request.question.number,
    "a thousand cards": lambda request: (0,) * 1000,
}  # fmt: skip


class Rogue:
    """A bot that does anything, from its seed: what it did is what it will do again."""

    def __init__(self, seed: str, control: TimeControl) -> None:
        self.rng = random.Random(seed)
        self.worst = self.rng.choice((0.05, 0.3, 1.0))  # how often it does not simply play
        self.control = control
        self.tries: dict[int, int] = {}  # by decision

    def __call__(self, request: Request, attempt: int) -> Says:
        rng = self.rng
        self.tries[request.decision] = attempt + 1
        if rng.random() >= self.worst:
            return Says(lowest(request), rng.choice((0.0, 0.01)))
        delay = rng.choice((0.0, 0.5, 0.999, 1.0, 1.001, 3.0)) * self.control.move_s
        kind = rng.randrange(6)
        if kind == 0:
            return Says(None)
        if kind == 1:
            return Says(illegal(request, attempt).faces, delay)
        if kind == 2:
            return Says((), delay, malformed="not cards")
        if kind == 3:
            return Says(WRONG[rng.choice(list(WRONG))](request), delay)
        return Says(lowest(request), delay)

    def outages(self, now: float) -> list[tuple[float, float]]:
        """When it cannot be reached."""
        if self.rng.random() < 0.6:
            return []
        starts = sorted(now + self.rng.uniform(0, 30) for _ in range(4))
        return [
            (start, start + self.rng.choice((0.001, 0.5, 5.0, 1e6))) for start in starts[:: self.rng.choice((1, 4))]
        ]


async def play(
    game: Rules, seats: Sequence[FakeSeat], control: TimeControl, policy: Policy = Policy.REVOKE, deals: int = DEALS
) -> tuple[MatchResult, list[PlayedDeal]]:
    """A match, always of the same cards."""
    kept: list[PlayedDeal] = []

    async def keep(deal: PlayedDeal) -> None:
        kept.append(deal)

    table = Table(
        "faults/0", game, 100, deals, seats, Referee(control, itertools.count(1), policy),
        lambda number: dealt(bytes([number]) * 32, game, dealer_of(number, game.players)), keep,
    )  # fmt: skip
    return await table.play(), kept


def faults(kept: Sequence[PlayedDeal]) -> list[Fault]:
    return [fault for deal in kept for fault in deal.faults]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES, ids=IDS)
async def test_every_match_of_rogues_ends_with_a_result(
    autojump_clock: trio.testing.MockClock, game: Rules, seed: int
) -> None:
    rng = random.Random(f"{seed} {game.name} {game.players}")
    increment_s = rng.choice((0.0, 0.0, 0.5))
    control = TimeControl(2.0, rng.choice((3.0, 20.0)), increment_s, rng.choice((0.0, 5.0)), 0.05)
    policy = rng.choice(list(Policy))
    now = trio.current_time()
    honest = rng.randrange(game.players)
    rogues = [Rogue(f"{seed} {seat}", control) for seat in range(game.players)]
    seats = [
        FakeSeat(name="honest")
        if seat == honest
        else FakeSeat(one, latency=rng.choice((0.0, 0.2)), outages=one.outages(now))
        for seat, one in enumerate(rogues)
    ]  # fmt: skip
    result, kept = await play(game, seats, control, policy)
    took = trio.current_time() - now

    assert result.match.end in ("target", "max_deals")
    assert [len(seat.overs) for seat in seats] == [1] * game.players
    assert [len(seat.deals) for seat in seats] == [len(kept)] * game.players
    for deal in kept:
        # The fallback and the stand-in have played by the rules like everybody else.
        found = replay_line(json.dumps(game_fields(game, DEAL) | deal.record))
        assert (found["ok"], found["complete"], found["points"]) == (True, True, list(deal.points)), found
        stopped = deal.record["stopped"]
        if stopped is not None:
            assert isinstance(stopped, dict)
            assert deal.points == tuple(game.penalty if seat == stopped["seat"] else 0 for seat in range(game.players))
            assert policy is Policy.REVOKE
    _complete(faults(kept), control)
    assert not any(fault.seat == honest for fault in faults(kept))
    assert not result.forfeited[honest]
    worst_of_the_others = max(place for place, lost in zip(result.places, result.forfeited, strict=True) if not lost)
    assert all(place > worst_of_the_others for place, lost in zip(result.places, result.forfeited, strict=True) if lost)
    budget = 0.0
    for seat, (one, rogue) in enumerate(zip(seats, rogues, strict=True)):
        _within_its_means(seat, kept, control, result)
        assert max(rogue.tries.values(), default=0) <= TRIES
        answers = sum(len(deal.thinking_s[seat]) for deal in kept)
        budget += control.bank_s + control.grace_s + (increment_s + 0.05) * answers
        assert len(one.requests) == len({request.decision for request in one.requests})
    assert took <= budget + 1


def _complete(found: Sequence[Fault], control: TimeControl) -> None:
    """A fault says what was asked, what came, how long it took and might have taken, and what became of it."""
    for fault in found:
        assert fault.reason
        assert "\n" not in fault.reason
        assert fault.decision > 0
        assert 0 <= fault.limit_s <= control.move_s
        assert 0 <= fault.measured_s <= fault.limit_s + control.grace_s + control.credit_s + 0.1
        assert (fault.kind is Kind.ILLEGAL) == bool(fault.clause)
        assert len(fault.answer) <= 200
        if fault.kind in (Kind.TIMEOUT, Kind.UNREACHABLE):
            assert fault.answer == ""
            assert fault.measured_s >= fault.limit_s - 1e-6
            assert fault.came_s is None or fault.came_s >= fault.limit_s - 1e-6  # too late, where it came
        else:
            assert fault.came_s == pytest.approx(fault.measured_s)
        assert fault.sent_s == (None if "not asked" in fault.reason else 0)  # these seats send at once
        assert fault.lag_s == 0
    by_decision = sorted(found, key=lambda fault: fault.decision)
    for _, group in itertools.groupby(by_decision, lambda fault: fault.decision):
        *before, _last = [fault.consequence for fault in group]
        assert before in ([], [Consequence.RETRY])  # what ends a question comes last, and once


def _within_its_means(seat: int, kept: Sequence[PlayedDeal], control: TimeControl, result: MatchResult) -> None:
    """Bank, grace and strikes after each deal follow from what is written down."""
    bank = control.bank_s
    for deal in kept:
        after = deal.standings[seat]
        charged = sum(deal.thinking_s[seat])
        assert 0 <= after.bank_s <= control.bank_s
        assert 0 <= after.grace_s <= control.grace_s
        assert all(0 <= one <= control.move_s + 1e-9 for one in deal.thinking_s[seat])
        returned = after.bank_s - (bank - charged)
        assert -1e-9 <= returned <= control.increment_s * len(deal.thinking_s[seat]) + 1e-9
        bank = after.bank_s
        lost = after.strikes >= STRIKES or after.stops >= STOPS or bank < 1e-6 or after.grace_s == 0
        assert lost or not after.forfeited
        assert after.forfeited or (after.strikes < STRIKES and after.stops < STOPS)
    assert result.forfeited[seat] == kept[-1].standings[seat].forfeited


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    ("ask", "variant", "players"),
    [(Ask.PASS, "classic", 4), (Ask.PLAY, "cancellation", 7), (Ask.DISCARD, "widow", 3)],
)
async def test_what_is_no_answer_is_a_fault_that_may_be_corrected_once(
    autojump_clock: trio.testing.MockClock, ask: Ask, variant: str, players: int, wrong: str, policy: Policy
) -> None:
    game = rules_of(variant, players)
    corrected = []

    def script(request: Request, attempt: int) -> Says:
        if request.question.ask is not ask or attempt:
            corrected.append(attempt)
            return legal(request, attempt)
        return Says(WRONG[wrong](request))

    seats = [FakeSeat(script) for _ in range(players)]
    result, kept = await play(game, seats, CONTROL, policy, deals=1)
    found = faults(kept)
    assert found
    assert {fault.consequence for fault in found} == {Consequence.RETRY}
    assert {fault.kind for fault in found} <= {Kind.ILLEGAL, Kind.MALFORMED}
    assert all(fault.ask == ask.value for fault in found)
    assert kept[0].record["stopped"] is None
    assert not any(result.forfeited)
    for rejection in itertools.chain(*(seat.rejections for seat in seats)):
        assert rejection.tries == TRIES - 1
        assert rejection.legal
        assert rejection.message


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_bot_that_never_says_anything_else_is_placed_last(
    autojump_clock: trio.testing.MockClock, wrong: str
) -> None:
    game = rules_of("classic", 4)
    seats = [FakeSeat(), FakeSeat(), FakeSeat(lambda request, _attempt: Says(WRONG[wrong](request))), FakeSeat()]
    result, kept = await play(game, seats, CONTROL, deals=4)
    assert [deal.record["stopped"] for deal in kept] == [{"seat": 2}, {"seat": 2}, None, None]
    assert result.places[2] == 4
    assert result.forfeited == (False, False, True, False)
    assert seats[2].rejections[-1].reason in (Reason.ILLEGAL, Reason.MALFORMED)


PASS_SCRIPTS: dict[str, Script] = {"silent": silent, "illegal": illegal, "legal": legal}


@pytest.mark.parametrize(
    "who", [("illegal", "illegal"), ("silent", "illegal"), ("silent", "silent"), ("legal", "illegal")]
)
async def test_who_is_reported_first_while_passing_changes_nothing(
    autojump_clock: trio.testing.MockClock, who: tuple[str, str]
) -> None:
    """Whenever the faults of two seats come, in whatever order, the match is the same."""
    game = rules_of("classic", 4)
    outcomes = set()
    for delays in itertools.permutations((0.0, 0.3, 0.7), 2):
        seats = [FakeSeat() for _ in range(4)]
        for seat, name, delay in zip((1, 3), who, delays, strict=True):
            seats[seat].script = _passing_late(PASS_SCRIPTS[name], delay)
        result, kept = await play(game, seats, CONTROL, deals=3)
        outcomes.add(
            (
                tuple(result.match.totals),
                result.places,
                tuple((json.dumps(deal.record, sort_keys=True), deal.points) for deal in kept),
                tuple(sorted((fault.seat, fault.kind.value, fault.consequence.value) for fault in faults(kept))),
                tuple((one.strikes, one.stops, one.forfeited) for one in kept[-1].standings),
            )
        )
    assert len(outcomes) == 1


def _passing_late(script: Script, delay_s: float) -> Script:
    """That script for passes, after a while; legal play."""

    def say(request: Request, attempt: int) -> Says:
        if request.question.ask is not Ask.PASS:
            return legal(request, attempt)
        said = script(request, attempt)
        return Says(said.faces, delay_s)

    return say


@pytest.mark.parametrize("variant", VARIANTS)
async def test_time_outs_play_what_the_bot_could_have_played_itself(
    autojump_clock: trio.testing.MockClock, variant: str
) -> None:
    """A bot that gives the fallback's cards itself gets the same deal: to say nothing wins nothing."""
    game = rules_of(variant, VARIANTS[variant].players[0])
    patient = TimeControl(2.0, 1000.0, 0.0, 0.0, 0.0)

    def twice_silent(request: Request, attempt: int) -> Says:
        asked.add(request.decision)
        return silent(request, attempt) if len(asked) <= STRIKES - 1 else legal(request, attempt)

    asked: set[int] = set()
    seats = [FakeSeat() for _ in range(game.players)]
    _, honest = await play(game, seats, patient, deals=1)
    seats = [FakeSeat() for _ in range(game.players)]
    seats[1].script = twice_silent
    _, kept = await play(game, seats, patient, deals=1)
    assert kept[0].record == honest[0].record
    assert [fault.consequence for fault in faults(kept)] == [Consequence.FALLBACK] * (STRIKES - 1)


async def test_a_fault_in_the_last_question_of_a_match_is_written_down_with_it(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """Also the others' results stand, and everybody hears of the end."""
    seats = [FakeSeat(name=f"bot {seat}") for seat in range(4)]
    asked = 0

    def script(request: Request, attempt: int) -> Says:
        nonlocal asked
        asked += attempt == 0
        return silent(request, attempt) if asked == 14 else legal(request, attempt)

    seats[2].script = script
    result = await make_table(seats, control=CONTROL, max_deals=1).play()
    (fault,) = kept[0].faults
    assert (fault.trick, fault.kind) == (12, Kind.TIMEOUT)
    assert all(len(seat.overs) == 1 for seat in seats)
    assert result.places == seats[0].overs[0].places
    assert math.isclose(kept[0].standings[2].bank_s, CONTROL.bank_s - CONTROL.move_s)
