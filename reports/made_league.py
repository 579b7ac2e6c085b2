"""Leagues made up to look at and to measure the site: real deals under the real rules, players of different skill."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from sqlmodel import Session

from arena.rules import cards as c
from arena.rules.catalogue import rules as rules_of
from arena.rules.clauses import CLAUSES
from arena.rules.deal import Ask, Deal, Question
from arena.rules.deck import commitment, deal_key, dealt, event_key, public_value
from arena.rules.match import Match, dealer_of, places
from arena.rules.record import write_deal
from arena.rules.variant import OptionValue, Rules
from arena.stats.clusters import Primary
from arena.stats.thinking import Stopwatch
from arena.store.league import add_worth
from arena.store.models import Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult

BEGUN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Plan:
    """What a made-up league is like."""

    name: str = "Spring league"
    variant: str = "classic"
    players: int = 4
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    bots: Mapping[str, float] = field(
        default_factory=lambda: {"random": 0.0, "cautious": 0.45, "counting": 0.8, "montecarlo": 0.9, "scout": 0.6}
    )  # skill by name, 0 to 1
    away: Sequence[str] = ()  # bots that are not there
    house: Sequence[str] = ()  # house bots, which are not ranked
    orbits: int = 2
    repetitions: int = 1
    open_fixtures: int = 0  # the last ones, not played yet
    begun_deals: int = 0  # of the first open fixture
    target: int = 100
    max_deals: int | None = None
    ranking: Primary = "placement"
    faults: float = 0.01  # how often a play goes wrong
    seed: int = 1
    pace: float = 1.0  # times are so many times as long; the results are the same


def add_league(session: Session, plan: Plan) -> League:
    """Play the league and enter it; what comes out depends on the plan alone."""
    rng = Random(plan.seed)  # noqa: S311  made up, no secret
    rules = rules_of(plan.variant, plan.players, plan.options)
    seed = rng.randbytes(32)
    names = [*plan.bots, *plan.house]
    tables = _tables(plan, len(names), rng)
    finished = not plan.open_fixtures
    league = League(
        name=plan.name,
        settings=json.dumps(
            {
                "name": plan.name,
                "variant": plan.variant,
                "clock": {"move_s": 5.0, "bank_s": 120.0},
                "ranking": plan.ranking,
            },
            sort_keys=True,
        ),
        variant=plan.variant,
        options=json.dumps(dict(rules.options), sort_keys=True),
        seats=plan.players,
        target=plan.target,
        max_deals=plan.max_deals,
        commitment=commitment(seed).hex(),
        seed=seed.hex(),
        beacon="",
        schedule_hash=rng.randbytes(32).hex(),
        created_at=(BEGUN + (plan.pace - 1) * timedelta(days=1)).isoformat(),
        finished_at=(BEGUN + plan.pace * timedelta(minutes=len(tables))).isoformat() if finished else None,
    )
    session.add(league)
    session.flush()
    assert league.id is not None
    add_worth(session=session, league=league)
    for number, name in enumerate(names):
        session.add(
            Entrant(
                league_id=league.id,
                number=number,
                name=name,
                ranked=name not in plan.house,
                software=f"{name[:20]} 1.{number}",
                away=name in plan.away,
            )
        )
    key = event_key(seed, plan.name, public_value(plan.bots))
    skills = [*plan.bots.values(), *(0.0 for _ in plan.house)]
    for number, (repetition, orbit, seats) in enumerate(tables):
        fixture = Fixture(
            league_id=league.id,
            number=number,
            repetition=repetition,
            orbit=orbit,
            round=number,
            stream=f"orbit{orbit}/rep{repetition}",
            seats=" ".join(map(str, seats)),
        )
        session.add(fixture)
        session.flush()
        left = len(tables) - number
        if left > plan.open_fixtures:
            _play_match(session, plan, rules, fixture, key, skills)
        elif left == plan.open_fixtures and plan.begun_deals:
            _play_match(session, plan, rules, fixture, key, skills, stop_after=plan.begun_deals)
    session.commit()
    return league


def _tables(plan: Plan, bots: int, rng: Random) -> list[tuple[int, int, tuple[int, ...]]]:
    """Repetition, orbit and seats of each fixture; each orbit seats every bot once in every seat."""
    tables = []
    for orbit in range(plan.orbits):
        names = rng.sample(range(bots), bots)
        block = [0, *rng.sample(range(1, bots), plan.players - 1)]
        tables += [
            (repetition, orbit, tuple(names[(y + offset) % bots] for offset in block))
            for repetition in range(plan.repetitions)
            for y in range(bots)
        ]
    return sorted(tables, key=lambda table: table[0])


def _play_match(
    session: Session,
    plan: Plan,
    rules: Rules,
    fixture: Fixture,
    key: bytes,
    skills: Sequence[float],
    stop_after: int | None = None,
) -> None:
    seats = [int(word) for word in fixture.seats.split()]
    rng = Random(f"{plan.seed} {fixture.number}")  # noqa: S311  made up, no secret
    match = Match(rules, plan.target, plan.max_deals)
    moons, suffered, faults = [0] * plan.players, [0] * plan.players, [0] * plan.players
    answers: list[list[int]] = [[] for _ in seats]
    while match.end is None and (stop_after is None or match.deals < stop_after):
        number = match.deals
        hands = dealt(deal_key(key, fixture.stream, number), rules, dealer_of(number, plan.players))
        deal = Deal(rules, number, hands.dealer, hands.hands, hands.rest)
        thinking: list[list[int]] = [[] for _ in seats]
        pot = match.pot
        while questions := deal.pending():
            question = questions[0]
            skill = skills[seats[question.seat]]
            cards = _choice(deal, question, skill, rng)
            thinking[question.seat].append(int(10 * plan.pace * rng.lognormvariate(-1 + 4 * skill, 0.8)))
            if rng.random() < plan.faults * (1 - skill):
                faults[question.seat] += 1
                if _fault(session, plan, fixture, deal, question, rng):
                    deal.stop(question.seat)
                    break
            deal.answer(question.seat, [card % c.FACES for card in cards])
        points, moon = deal.scores()
        match.enter(points)
        if moon is not None:
            for seat in range(plan.players):
                moons[seat] += seat == moon
                suffered[seat] += seat != moon
        for seat, times in enumerate(thinking):
            answers[seat] += times
        session.add(
            PlayedDeal(
                league_id=fixture.league_id,
                fixture=fixture.number,
                number=number,
                record=json.dumps(write_deal(deal, pot)),
                points=json.dumps(points),
                moon=moon,
                seats=json.dumps([[120_000_000, 30_000_000, 0, 0, False]] * plan.players),
                thinking=json.dumps(thinking),
            )
        )
    if match.end is None:
        return
    session.add(
        Result(
            league_id=fixture.league_id,
            fixture=fixture.number,
            deals=match.deals,
            end=match.end,
            finished_at=(BEGUN + plan.pace * timedelta(minutes=fixture.number + 1)).isoformat(),
            seconds=round(sum(map(sum, answers)) / 10_000, 3),
        )
    )
    session.flush()
    for seat, place in enumerate(places(match.totals)):
        session.add(
            SeatResult(
                league_id=fixture.league_id,
                fixture=fixture.number,
                seat=seat,
                entrant=seats[seat],
                points=match.totals[seat],
                place=place,
                chips=str(match.chips[seat]),
                moons=moons[seat],
                moons_suffered=suffered[seat],
                faults=faults[seat],
                forfeited=False,
                thinking=_histogram(answers[seat]),
            )
        )


def _histogram(answers: Sequence[int]) -> str:
    watch = Stopwatch()
    for tenths in answers:
        watch.add(tenths / 10_000)
    return watch.thinking().to_text()


def _fault(session: Session, plan: Plan, fixture: Fixture, deal: Deal, question: Question, rng: Random) -> bool:
    """Enter something that went wrong; returns whether it stops the deal."""
    kind = rng.choice(["illegal", "illegal", "malformed", "timeout"])
    stops = kind == "illegal" and rng.random() < 0.2
    consequence = "stopped" if stops else "fallback" if kind == "timeout" else "retry"
    measured = 5000 + rng.random() if kind == "timeout" else rng.random() * 100
    reasons = {
        "illegal": f"G4: {CLAUSES['G4']}",
        "malformed": f"seat {question.seat} does not hold 7C",
        "timeout": "no answer within 5.000 s",
    }
    session.add(
        Fault(
            league_id=fixture.league_id,
            fixture=fixture.number,
            deal=deal.number,
            seat=question.seat,
            trick=None if question.ask is Ask.PASS else len(deal.tricks),
            kind=kind,
            ask=question.ask.value,
            clause="G4" if kind == "illegal" else "",
            reason=reasons[kind],
            consequence=consequence,
            answer="" if kind == "timeout" else '<b>hello</b> "QS"',
            limit_ms=5000.0,
            measured_ms=round(measured * plan.pace, 1),
            sent_ms=round(0.2 * plan.pace, 1),
            came_ms=None if kind == "timeout" else round(measured * plan.pace, 1),
            lag_ms=0.0,
            thought_ms=None if kind == "timeout" else round(measured * plan.pace / 2, 1),
        )
    )
    return stops


def _choice(deal: Deal, question: Question, skill: float, rng: Random) -> tuple[int, ...]:
    """An answer: at random, or with the probability ``skill`` one that avoids trouble."""
    legal = c.cards_of(question.legal)
    if rng.random() >= skill:
        return tuple(rng.sample(legal, question.number))
    points = deal.rules.points

    def height(card: int) -> tuple[int, int]:
        return (card % 13 + 20 * (points[card] > 1), card)

    if question.ask is not Ask.PLAY:
        return tuple(sorted(legal, key=height)[-question.number :])
    if not deal.trick:
        return (min(legal, key=height),)
    led = c.SUIT_OF[deal.trick[0]]
    if not 1 << legal[0] & led:
        return (max(legal, key=height),)
    best = max(card % 13 for card in deal.trick if 1 << card & led)
    under = [card for card in legal if card % 13 < best]
    return (max(under, key=height) if under else min(legal, key=height),)
