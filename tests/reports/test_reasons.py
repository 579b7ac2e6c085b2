"""Reasons of faults in both languages: whatever a table writes is known to the site."""

import itertools
import re
from functools import partial

import pytest
import trio

from arena.clock import TimeControl
from arena.fault import Fault
from arena.gateway.wire import answer_faces
from arena.referee import Policy, Referee
from arena.rules.catalogue import rules
from arena.rules.clauses import CLAUSES
from arena.rules.deck import Dealt, dealt
from arena.rules.match import dealer_of
from arena.rules.variant import Rules
from arena.seat import Request
from arena.store.read import FaultRow
from arena.table import WALK_OVER, PlayedDeal, Table
from reports.reasons import SENTENCES, Reasons, parts
from tests.fakes import FakeSeat, Says, Script, illegal, legal, lowest, silent

LATIN = re.compile("[A-Za-z]{3,}")
LATENCY_S = 0.05


def row(reason: str, clause: str = "") -> FaultRow:
    return FaultRow(
        0, 0, 0, 0, "illegal", "play", clause, reason, "retry", "", 5000.0, 5000.0, None, None, None, None
    )  # fmt: skip


def garbage(values: list[int]) -> Script:
    """Cards as they come from the wire."""
    faces, malformed = answer_faces(values)
    return lambda _request, _attempt: Says(faces, malformed=malformed)


def strange(faces: tuple[int, ...]) -> Script:
    """Always these, at once."""
    return lambda _request, _attempt: Says(faces)


def just_in_time(request: Request, _attempt: int) -> Says:
    """At the end of the latency credit: nothing is left of a bank of one answer."""
    return Says(lowest(request), 1.0 + LATENCY_S - 1e-9)


def not_held(request: Request, _attempt: int) -> Says:
    """A card that somebody else holds."""
    face = next(face for face in range(52) if not (request.view.hand | request.view.hand >> 52) >> face & 1)
    return Says((face,) * request.question.number)


OUTAGES: tuple[tuple[tuple[float, float], ...], ...] = (((0.5, 0.9), (1.5, 2.0)), ((0.5, 1e6),), ((0.0, 1e6),))
# What the bot does, when it cannot be reached, and its bank in seconds.
CASES: tuple[tuple[Script, tuple[tuple[float, float], ...], float], ...] = (
    *[(script, (), 5.0) for script in (
        silent, illegal, not_held, strange((200,)), strange((-1, 104, 3)), strange((1, 2)), garbage([]), garbage([77]),
        garbage([1] * 60),
    )],
    *[(script, outage, 5.0) for script in (silent, legal) for outage in OUTAGES],
    (silent, (), 1.0), (just_in_time, (), 1.0),
)  # fmt: skip


def _dealt(game: Rules, number: int) -> Dealt:
    return dealt(bytes([number]) * 32, game, dealer_of(number, game.players))


async def faults_of(
    policy: Policy, script: Script, outages: tuple[tuple[float, float], ...], bank_s: float
) -> list[Fault]:
    """Everything that a table writes about such a bot in a match of three deals, in two variants."""
    found: list[Fault] = []
    control = TimeControl(move_s=1.0, bank_s=bank_s, increment_s=0.0, grace_s=2.0)
    for name in ("classic", "widow"):
        game = rules(name, 4, {})
        seats = [FakeSeat(script, latency=LATENCY_S, outages=outages), *[FakeSeat() for _ in range(game.players - 1)]]

        async def keep(deal: PlayedDeal) -> None:
            found.extend(deal.faults)

        cards = partial(_dealt, game)
        table = Table("reasons/0", game, 100, 3, seats, Referee(control, itertools.count(1), policy), cards, keep)
        table.walk_over(1)
        await table.play()
    return found


@pytest.mark.parametrize("policy", Policy)
async def test_whatever_a_table_writes_is_said_in_russian(
    autojump_clock: trio.testing.MockClock, policy: Policy
) -> None:
    written = [fault for case in CASES for fault in await faults_of(policy, *case)]
    used = set()
    for fault in written:
        said = Reasons("ru").why(row(fault.reason, fault.clause))
        assert "<" not in said, fault.reason
        assert not LATIN.search(said), (fault.reason, said)
        rule = f"{fault.clause}: {CLAUSES.get(fault.clause)}"
        known = parts(fault.reason.removeprefix(rule))
        assert known is not None
        used |= {part.sentence for part in known}
        english = Reasons("en").why(row(fault.reason, fault.clause))
        assert re.sub(r"seat \d+", "", english) == re.sub(r"seat \d+", "", fault.reason.replace(".;", ";"))
    rare = set() if policy is Policy.REVOKE else {sentence for sentence in SENTENCES if "revokes" in sentence}
    assert used == set(SENTENCES) - rare


def test_seats_are_counted_from_one() -> None:
    assert Reasons("en").why(row("seat 1 does not hold 7C")) == "seat 2 does not hold 7C"
    assert Reasons("ru").why(row("seat 1 does not hold 7C")) == "у места 2 нет карты 7C"


def test_numbers_are_written_as_the_language_has_it() -> None:
    assert Reasons("ru").why(row("no answer within 5.250 s")) == "нет ответа за 5,250 с"


def test_a_clause_is_said_once() -> None:
    fault = row(f"G4: {CLAUSES['G4']}; the house plays on: 2 deals stopped by revokes", "G4")
    assert Reasons("en").why(fault) == f"G4: {CLAUSES['G4'][:-1]}; the house plays on: 2 deals stopped by revokes"
    assert Reasons("ru").why(fault).count("G4") == 1


@pytest.mark.parametrize(
    "reason",
    ["follow suit: clubs were led", "no answer within 5 s <b>",
     "seat 99999 does not hold 7C", "seat x does not hold 7C",
     "no cards, please", "x no cards", "G4: another text", WALK_OVER + "; no"],
)  # fmt: skip
def test_what_is_not_known_stays_as_it_is_and_is_said_to_be_english(reason: str) -> None:
    escaped = reason.replace("<", "&lt;").replace(">", "&gt;")
    assert Reasons("ru").why(row(reason)) == f'<bdi lang="en">{escaped}</bdi>'
    assert Reasons("en").why(row(reason)) == f"<bdi>{escaped}</bdi>"


def test_a_clause_beside_another_reason_is_small_print() -> None:
    said = Reasons("ru").why(row("follow suit", "G4"))
    assert said.startswith('<bdi lang="en">follow suit</bdi><span class="sub">G4: Кто может')
