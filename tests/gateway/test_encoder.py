"""One question to bytes: the same as a message made anew, and nothing of others' cards in it."""

import itertools
import random

import pytest
from hypothesis import given

from arena.gateway import wire
from arena.gateway.encoder import TableEncoder
from arena.rules import cards as c
from arena.rules.catalogue import rules
from arena.rules.deal import Deal
from arena.rules.match import Match
from arena.rules.view import view
from arena.seat import DealOver, MatchOver, Request, Start
from arena.v1 import arena_pb2 as pb
from tests.fakes import put
from tests.strategies import PROFILE, TABLES, Run, choice, fresh, label, positions, runs, walk


def request(deal: Deal, index: int = 0, match: Match | None = None, decision: int = 1) -> Request:
    question = deal.pending()[index]
    return put(decision, question, deal, match or Match(deal.rules))


def question_in(data: bytes) -> pb.Question:
    """The question of a frame that has nothing else, and nothing twice."""
    frame = pb.ArenaFrame.FromString(data)
    assert len(frame.messages) == 1
    assert len(frame.SerializeToString()) == len(data)
    return frame.messages[0].question


@PROFILE
@given(runs() | positions())
def test_a_question_put_together_says_what_a_new_message_says(run: Run) -> None:
    kept, match = TableEncoder(3), Match(run.rules)
    decisions = itertools.count(1)
    for _ in range(2):  # the second time, the same numbers of other deals
        deal = run.at_the_start()
        for question in walk(deal, run.manner, run.seed):
            one: Request = put(next(decisions), question, deal, match)
            new = wire.question_message(3, "m", one, 1.5)
            assert question_in(kept.question("m", one, 1.5)) == new
    match.enter(deal.scores()[0])
    if not match.end:
        deal = fresh(run.rules, run.seed, run.number + 1)
        one = request(deal, match=match)
        new = wire.question_message(3, "m", one, 1.5)
        assert question_in(kept.question("m", one, 1.5)) == new


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_seats_that_are_asked_now_and_then_get_everything(rules: object) -> None:
    """Others at the table may be of the house, and then nothing is encoded for their turns."""
    deal = fresh(rules, 5)  # type: ignore[arg-type] # a parameter of the test
    kept, match, rng = TableEncoder(1), Match(deal.rules), random.Random(2)
    for question in walk(deal, "random", 3):
        if rng.random() < 0.3:
            one = put(1, question, deal, match)
            new = wire.question_message(1, "m", one, 1.5)
            assert question_in(kept.question("m", one, 1.5)) == new


@PROFILE
@given(runs())
def test_a_seat_gets_the_same_bytes_whatever_the_others_hold(run: Run) -> None:
    """Two deals that differ in cards that the seat has not seen cannot be told apart by it, not even by a size."""
    deal = run.at_the_start()
    if not deal.pending():
        return
    seat = deal.pending()[0].seat
    rng = random.Random(run.seed)
    others = [one for one in range(run.rules.players) if one != seat]
    pool = [card for one in others for card in c.cards_of(deal.first_hands[one])] + list(deal.first_rest)
    rng.shuffle(pool)
    hands, at = list(deal.first_hands), 0
    for one in others:
        size = hands[one].bit_count()
        hands[one] = c.mask(pool[at : at + size])
        at += size
    twin = Deal(run.rules, deal.number, deal.dealer, hands, pool[at:])
    if not twin.pending() or twin.pending()[0].seat != seat or twin.ask is not deal.ask:
        return
    match = Match(run.rules)
    kept, other = TableEncoder(1), TableEncoder(1)
    assert kept.question("m", request(deal, match=match), 5.0) == other.question("m", request(twin, match=match), 5.0)


def test_one_seat_s_cards_never_stay_in_the_next_seat_s_question() -> None:
    deal = fresh(rules("classic", 4), 11)
    kept, match = TableEncoder(1), Match(deal.rules)
    rng = random.Random(1)
    while deal.pending():
        questions = deal.pending()
        for index, question in enumerate(questions):
            frame = kept.question("m", request(deal, index, match), 5.0)
            own = pb.ArenaFrame.FromString(frame).messages[0].question.view
            known = view(deal, question.seat)
            assert list(own.hand) == list(wire.values(known.hand))
            assert list(own.passed) == list(wire.values(known.passed))
            assert list(own.received) == list(wire.values(known.received))
        deal.answer(questions[0].seat, choice("random", rng, deal.rules, questions[0]))


def test_frames_joined_are_one_frame() -> None:
    deal = fresh(rules("classic", 4), 1, 3)
    one = TableEncoder(1).question("m", request(deal, decision=1), 5.0)
    two = TableEncoder(2).question("n", request(deal, decision=2), 5.0)
    told = pb.ArenaFrame(accepted=[7, 300]).SerializeToString()
    frame = pb.ArenaFrame.FromString(told + one + told + two)
    assert [message.question.decision for message in frame.messages] == [1, 2]
    assert list(frame.accepted) == [7, 300, 7, 300]


def test_times_are_whole_microseconds() -> None:
    deal = fresh(rules("classic", 4), 1, 3)
    one = request(deal)
    one.clock.charge(0.25, 0.01)
    frame = TableEncoder(1).question("m", one, 1.5)
    clock = pb.ArenaFrame.FromString(frame).messages[0].question.clock
    control = one.clock.control
    assert clock.left_us == 1_500_000
    assert clock.bank_us == round(1e6 * (control.bank_s - 0.24))
    assert (clock.last_charged_us, clock.last_credit_us) == (240_000, 10_000)
    assert clock.increment_us == 1e6 * control.increment_s
    assert wire.micros(-1.0) == 0


@pytest.mark.parametrize("seconds", [1e-6, 1.0, 0.016383, 0.016384, 268.435455, 268.435456, 1e9])
@pytest.mark.parametrize("power", [7, 14, 21, 28, 35, 42, 56, 64])
def test_numbers_of_any_size_are_written_as_protobuf_does(power: int, seconds: float) -> None:
    deal = fresh(rules("classic", 4), 1, 3)
    for decision in (2**power - 1, min(2**power, 2**64 - 1)):
        one = request(deal, decision=decision)
        one.clock.bank_s = one.clock.last_charged_s = one.clock.last_credit_s = seconds
        frame = TableEncoder(2**32).question("m", one, seconds)
        assert question_in(frame) == wire.question_message(2**32, "m", one, seconds)


def test_chips_are_exact_and_only_where_there_are_any() -> None:
    settled, plain = rules("black-lady", 3), rules("classic", 4)
    match = Match(settled)
    match.enter((10, 10, 6))
    assert list(wire.score_message(match).chips) == [str(chips) for chips in match.chips]
    assert "/" in wire.score_message(match).chips[0]
    assert not wire.score_message(Match(plain)).chips


@pytest.mark.parametrize("max_deals", [None, 1, 1_000_000])
def test_a_bot_is_told_when_a_match_ends_without_the_target(max_deals: int | None) -> None:
    score = wire.score_message(Match(rules("omnibus", 4), max_deals=max_deals))
    assert (score.HasField("max_deals"), score.max_deals) == (max_deals is not None, max_deals or 0)


def test_the_end_of_a_deal_is_the_same_bytes_for_all_seats() -> None:
    game = rules("classic", 4)
    deal, match, shared = fresh(game, 4), Match(game), TableEncoder(9)
    for _ in walk(deal, "random", 1):
        pass
    points, moon = deal.scores()
    match.enter(points)
    told = {shared.deal_over(DealOver(0, points, moon, deal.stopped, match, view(deal, seat))) for seat in range(4)}
    assert len(told) == 1
    end = pb.ArenaFrame.FromString(told.pop()).messages[0].deal_end
    assert (end.table, list(end.points), len(end.tricks)) == (9, list(points), 13)
    assert list(end.score.totals) == match.totals


def test_the_end_of_a_deal_says_who_shot_the_moon_and_who_stopped_it() -> None:
    """Whoever it is, and whatever was told of the deal before."""
    deal = fresh(rules("classic", 4), 4)
    match, shared = Match(deal.rules), TableEncoder(9)
    for moon, stopped in itertools.product((None, 0, 3), repeat=2):
        over = DealOver(7, (0, 1, 2, 23), moon, stopped, match, view(deal, 0))
        end = pb.ArenaFrame.FromString(shared.deal_over(over)).messages[0].deal_end
        assert (end.deal, end.moon_plus_one) == (7, 0 if moon is None else moon + 1)
        assert end.stopped_plus_one == (0 if stopped is None else stopped + 1)


def test_a_match_start_and_a_match_end_say_where_the_bot_is() -> None:
    game = rules("classic", 4)
    match, shared = Match(game), TableEncoder(9)
    match.enter((5, 6, 7, 8))
    start = shared.start(Start("m", 2, ("a", "b", "c", "d"), game, match))
    begun = pb.ArenaFrame.FromString(start).messages[0].match_start
    assert (begun.table, begun.seat, list(begun.names), list(begun.score.totals)) == (9, 2, list("abcd"), [5, 6, 7, 8])
    over = shared.match_over(MatchOver(match.totals, (1, 2, 3, 4), match.chips, forfeited=True))
    end = pb.ArenaFrame.FromString(over).messages[0].match_end
    assert (end.table, list(end.places), end.forfeited) == (9, [1, 2, 3, 4], True)


@pytest.mark.parametrize(("variant", "settled"), [("black-lady", True), ("hearts", False)])
def test_the_end_of_a_match_in_which_nothing_was_asked_has_its_chips(variant: str, settled: bool) -> None:
    """The bot had lost its right to play before a restart of the arena."""
    game = rules(variant, 3)
    match, shared = Match(game), TableEncoder(9)
    match.enter((10, 10, 6))
    shared.start(Start("m", 2, ("a", "b", "c"), game, match))
    over = shared.match_over(MatchOver(match.totals, (2, 2, 1), match.chips, forfeited=True))
    end = pb.ArenaFrame.FromString(over).messages[0].match_end
    assert list(end.chips) == ([str(chips) for chips in match.chips] if settled else [])
