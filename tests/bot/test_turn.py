"""A question as the author of a bot sees it."""

import pytest

from arena.bot import Ask, Turn
from arena.clock import TimeControl
from arena.gateway.encoder import TableEncoder
from arena.rules import cards as c
from arena.rules.catalogue import rules
from arena.rules.deal import Deal
from arena.rules.match import Match
from arena.v1 import arena_pb2 as pb
from tests.fakes import put
from tests.strategies import TABLES, fresh, label, walk


def turn_of(deal: Deal, index: int = 0, match: Match | None = None, match_id: str = "m", at: float = 0.0) -> Turn:
    question = deal.pending()[index]
    request = put(1, question, deal, match or Match(deal.rules))
    frame = TableEncoder(4).question(match_id, request, 5.0)
    return Turn(pb.ArenaFrame.FromString(frame).messages[0].question, at)


@pytest.mark.parametrize("game", TABLES, ids=label)
def test_a_turn_says_what_the_engine_asks(game: object) -> None:
    deal = fresh(game, 3)  # type: ignore[arg-type] # a parameter of the test
    for question in walk(deal, "random", 5):
        turn = turn_of(deal, deal.pending().index(question))
        assert (turn.ask, turn.count, turn.seat) == (question.ask, question.number, question.seat)
        assert turn.legal == c.faces_of(question.legal)
        assert turn.hand == c.faces_of(deal.hands[question.seat])
        assert (turn.table, turn.match, turn.deal, turn.players) == (4, "m", 0, deal.rules.players)
        assert turn.view.hand_sizes == tuple(hand.bit_count() for hand in deal.hands)


def test_a_turn_knows_rules_points_and_score() -> None:
    game = rules("black-lady", 3)
    match = Match(game, max_deals=7)
    match.enter((20, 5, 1))
    turn = turn_of(fresh(game, 1, 1), match=match)
    assert turn.rules.hash == game.hash
    assert turn.points[c.card("QS")] == 13
    assert len(turn.points) == 52
    assert (list(turn.totals), turn.target, turn.max_deals, turn.pot) == ([20, 5, 1], 100, 7, 0)
    assert turn_of(fresh(game, 1, 1)).max_deals is None
    assert list(turn.chips) == [str(chips) for chips in match.chips]
    assert turn.bank_s == TimeControl().bank_s


def test_time_runs_from_when_the_question_came() -> None:
    monotonic = __import__("time").monotonic
    turn = turn_of(fresh(rules("classic", 4), 1, 3), at=monotonic() - 2)
    assert turn.time_left_s <= 3
    assert turn.time_left_s <= 3 < turn.bank_s


def test_randomness_is_the_same_for_the_same_question_only() -> None:
    deal = fresh(rules("classic", 4), 1, 3)
    first = turn_of(deal).rng().random()
    assert turn_of(deal).rng().random() == first
    assert turn_of(deal, match_id="other").rng().random() != first
    seen = {first}
    for _ in walk(deal, "random", 1):
        seen.add(turn_of(deal).rng().random())
    assert len(seen) == 52


def test_passes_of_the_seats_draw_from_different_randomness() -> None:
    deal = fresh(rules("classic", 4), 1, 0)
    assert turn_of(deal).ask is Ask.PASS
    assert len({turn_of(deal, index).rng().random() for index in range(4)}) == 4
