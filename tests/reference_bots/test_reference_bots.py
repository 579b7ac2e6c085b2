"""The reference bots play every variant legally, the same way every time, and in the expected order of strength.

The questions take the whole way: encoded as the arena sends them, read as the kit reads them.
"""

import random
import time
from collections.abc import Callable, Sequence

import pytest

from arena.bot import Choice, Turn
from arena.clock import TimeControl
from arena.gateway.encoder import TableEncoder
from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deal import Deal
from arena.rules.deck import dealt
from arena.rules.match import Match, dealer_of
from arena.rules.variant import OptionValue, Rules
from arena.v1 import arena_pb2 as pb
from reference_bots import cautious_bot, counting_bot, montecarlo_bot, random_bot
from tests.fakes import put

Choose = Callable[[Turn], Choice]

BOTS: dict[str, Choose] = {
    "random": random_bot.choose,
    "cautious": cautious_bot.choose,
    "counting": counting_bot.choose,
    "montecarlo": montecarlo_bot.MonteCarlo().choose,
}
TABLES = [(variant.name, players) for variant in VARIANTS.values() for players in variant.players]
OPTIONS: list[tuple[str, int, dict[str, OptionValue]]] = [
    ("classic", 4, {"first_trick_penalties": "allowed", "queen_breaks_hearts": True, "jack_of_diamonds": True}),
    ("widow", 4, {"discards_count": "taker"}),
    ("black-lady", 4, {"pass": "right-across", "must_discard_queen": False, "hearts_from_trick": 3}),
]
AGES = TimeControl(move_s=1e5, bank_s=1e6)


def _deal(table: Rules, number: int, seed: str) -> Deal:
    out = dealt(random.Random(seed).randbytes(32), table, dealer_of(number, table.players))
    return Deal(table, number, out.dealer, out.hands, out.rest)


def _turn(deal: Deal, seat: int, encoder: TableEncoder, match: str, control: TimeControl = AGES) -> Turn:
    """The open question of the seat, over the wire."""
    question = next(question for question in deal.pending() if question.seat == seat)
    ledger = Match(deal.rules, deals=deal.number)
    request = put(1, question, deal, ledger, control)
    message = pb.ArenaFrame.FromString(encoder.question(match, request, request.clock.left_s())).messages[0].question
    return Turn(message, time.monotonic())


def _faces(choice: Choice) -> tuple[int, ...]:
    return (choice,) if isinstance(choice, int) else tuple(choice)


def _play(deal: Deal, bots: Sequence[Choose], match: str) -> list[tuple[int, ...]]:
    """The deal played to its end; every answer in order. Illegal answers raise."""
    answers, encoder = [], TableEncoder(1)
    while not deal.complete:
        for question in deal.pending():
            answers.append(_faces(bots[question.seat](_turn(deal, question.seat, encoder, match))))
            deal.answer(question.seat, answers[-1])
    return answers


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few imagined deals: what is tested is not how well they are played."""
    monkeypatch.setattr(montecarlo_bot, "ROUNDS", (1, 1))


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(("name", "players", "options"), [*[(*table, {}) for table in TABLES], *OPTIONS])
def test_all_bots_play_legally(name: str, players: int, options: dict[str, OptionValue]) -> None:
    table = rules(name, players, options)
    at_table = list(BOTS.values())
    for number in range(max(2, -(-len(BOTS) // players))):
        seated = [at_table[(seat + number * players) % len(BOTS)] for seat in range(players)]
        deal = _deal(table, number, f"legal {name} {players} {number}")
        _play(deal, seated, "legal")
        assert deal.stopped is None


@pytest.mark.parametrize(("name", "players"), [("classic", 4), ("cancellation", 7), ("domino", 3), ("widow", 3)])
@pytest.mark.parametrize("bot", BOTS)
def test_same_match_is_played_the_same_way(monkeypatch: pytest.MonkeyPatch, bot: str, name: str, players: int) -> None:
    monkeypatch.setattr(montecarlo_bot, "ROUNDS", (2, 2))
    monkeypatch.setitem(BOTS, "montecarlo", montecarlo_bot.MonteCarlo().choose)
    table = rules(name, players)
    first, again = (_play(_deal(table, 1, "same"), [BOTS[bot]] * players, "same") for _ in range(2))
    assert first == again


def test_other_matches_have_other_randomness() -> None:
    table = rules("classic", 4)
    first, other = (_play(_deal(table, 3, "same"), [BOTS["random"]] * 4, match) for match in ("first", "other"))
    assert first != other


def _means(deals: int, one: str, others: str, name: str = "classic", players: int = 4) -> tuple[float, float]:
    """Points a deal of the one, who sits in every seat in turn, and of each other; the same deals for everybody."""
    table = rules(name, players)
    own = rest = 0
    for number in range(deals):
        deal = _deal(table, number // players, f"strength {number // players}")
        seat = number % players
        _play(deal, [BOTS[one] if other == seat else BOTS[others] for other in range(players)], f"strength {number}")
        points = deal.scores()[0]
        own += points[seat]
        rest += sum(points) - points[seat]
    return own / deals, rest / deals / (players - 1)


@pytest.mark.parametrize("bot", ["cautious", "counting"])
@pytest.mark.parametrize(
    ("name", "players", "part"),
    [
        ("classic", 4, 0.5), ("hearts", 4, 0.6), ("spot", 4, 0.6), ("black-lady", 4, 0.6), ("greek", 4, 0.6),
        ("widow", 4, 0.6), ("no-queen", 4, 0.7), ("cancellation", 8, 0.7), ("omnibus", 4, 0.5), ("domino", 4, 1.0),
    ],
)  # fmt: skip
def test_rule_bots_are_far_better_than_random(bot: str, name: str, players: int, part: float) -> None:
    own, others = _means(32, bot, "random", name, players)
    assert own < part * others


def test_counting_beats_cautious() -> None:
    own, others = _means(128, "counting", "cautious")
    assert own < others - 0.5


def test_montecarlo_beats_cautious_with_few_imagined_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(montecarlo_bot, "ROUNDS", (3, 3))
    own, others = _means(32, "montecarlo", "cautious")
    assert own < others - 1


def test_montecarlo_stops_when_its_share_of_the_clock_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    played = 0

    def counted(*_: object) -> tuple[int, ...]:
        nonlocal played
        played += 1
        return 0, 0, 0, 0

    monkeypatch.setattr(montecarlo_bot, "play_out", counted)
    deal = _deal(rules("classic", 4), 3, "clock")
    while len(deal.trick) < 1:
        deal.answer(deal.turn, c.cards_of(deal.legal)[:1])
    for control in (TimeControl(move_s=0.0), TimeControl(move_s=9.0, bank_s=0.0)):
        played = 0
        choice = montecarlo_bot.MonteCarlo().choose(_turn(deal, deal.turn, TableEncoder(1), "clock", control))
        assert deal.legal >> _faces(choice)[0] & 1
        assert 2 <= played <= 13, "one imagined deal for each card"
