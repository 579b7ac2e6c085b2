"""Questions and answers over a real stream: retries, late and stale answers, lost connections."""

import pytest
import trio

from arena.clock import TimeControl
from arena.gateway.encoder import TableEncoder
from arena.gateway.player import MISSED_KEPT, Missed, Player, PlayerSeat
from arena.rules.cards import faces_of
from arena.rules.match import Match
from arena.rules.view import view
from arena.seat import DealOver, Late, MatchOver, OpenRequest, Reason, Rejection, Start
from arena.v1 import arena_pb2 as pb
from tests.fakes import put
from tests.gateway.peers import CLASSIC, Game, House, Peer, answer, ask, both_ways
from tests.strategies import fresh


def seated(game: Game) -> int:
    """The seat that is asked, its match begun."""
    seat = game.deal.pending()[0].seat
    game.start(seat)
    return seat


async def bot_on_turn(house: House, game: Game) -> tuple[Peer, int]:
    """The bot that is asked, connected, and its seat."""
    seat = game.deal.pending()[0].seat
    peer = await house.bot(game.seats[seat].name)
    game.start(seat)
    await peer.expect("match_start")
    return peer, seat


@both_ways()
async def test_a_question_is_answered(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    later = ask(game.seats[seat], game.request(41))
    question = (await peer.expect("question")).question
    assert (question.decision, question.table, question.seat, question.ask) == (41, 1, seat, pb.ASK_PLAY)
    assert question.match == "m1"
    assert list(question.legal) == [pb.CARD_2C]
    await peer.answer(41, pb.CARD_2C)
    reply = await later.get()
    assert reply.faces == (0,)
    assert reply.malformed == ""
    assert later.request.sent_at is not None
    assert later.request.sent_at <= reply.at <= trio.current_time()
    game.seats[seat].close(41, None)


@both_ways()
async def test_an_accepted_answer_is_told_with_the_next_frame(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    later = ask(game.seats[seat], game.request(1))
    await peer.expect("question")
    await peer.answer(1, pb.CARD_2C)
    await later.get()
    game.seats[seat].close(1, None)
    assert peer.accepted == []
    game.start(seat)
    await peer.expect("match_start")
    assert peer.accepted == [1]


@both_ways()
async def test_many_tables_share_one_stream_and_answers_find_their_table(house: House) -> None:
    peer = await house.bot("ann", tables=16)
    games = [house.game(table, ("ann",) * 4) for table in range(16)]
    laters = []
    for game in games:
        seat = seated(game)
        laters.append(ask(game.seats[seat], game.request(100 + game.table)))
    asked: list[pb.Question] = []
    while len(asked) < len(games):
        data = await peer.read()
        assert data is not None
        asked += [one.question for one in pb.ArenaFrame.FromString(data).messages if one.HasField("question")]
    assert sorted(question.table for question in asked) == list(range(16))
    # all answers in one frame, in another order, each table another suit's card
    await peer.send(*[pb.BotMessage(answer=answer(one.decision, one.table + 1)) for one in reversed(asked)])
    assert [(await later.get()).faces for later in laters] == [(table,) for table in range(16)]


@both_ways()
async def test_a_refused_answer_may_be_corrected_on_the_same_question(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    later = ask(game.seats[seat], game.request(1))
    await peer.expect("question")
    await peer.answer(1, pb.CARD_AS)
    assert (await later.get()).faces == (38,)
    legal = game.deal.pending()[0].legal
    refusal = Rejection(1, Reason.ILLEGAL, "C3", "the lowest club leads", legal, 1)
    game.seats[seat].retry(refusal)
    said = (await peer.expect("rejection")).rejection
    assert (said.decision, said.reason, said.clause, said.tries) == (1, pb.REASON_ILLEGAL, "C3", 1)
    assert [card - 1 for card in said.legal] == list(faces_of(legal))
    await peer.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)


@both_ways()
async def test_an_answer_that_is_no_card_is_malformed_data(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    later = ask(game.seats[seat], game.request(1))
    await peer.expect("question")
    await peer.answer(1, 77)
    reply = await later.get()
    assert reply.faces == ()
    assert reply.malformed == "77 is not a card"


@both_ways()
async def test_a_late_answer_is_told_so_and_costs_nothing(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    ask(game.seats[seat], game.request(1))
    await peer.expect("question")
    game.seats[seat].close(1, Rejection(1, Reason.LATE, "", "no answer within 0.01 s", 0, 0))
    assert (await peer.expect("rejection")).rejection.reason == pb.REASON_LATE
    await peer.answer(1, pb.CARD_2C)
    said = (await peer.expect("rejection")).rejection
    assert (said.decision, said.reason, said.tries) == (1, pb.REASON_LATE, 0)


@both_ways()
async def test_duplicate_and_unknown_answers_are_stale_and_cost_nothing(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    later = ask(game.seats[seat], game.request(1))
    await peer.expect("question")
    twice = pb.BotMessage(answer=answer(1, pb.CARD_2C))
    await peer.send(twice, twice, pb.BotMessage(answer=answer(2**64 - 1)))
    assert (await later.get()).faces == (0,)
    stale = [(await peer.expect("rejection")).rejection for _ in range(2)]
    assert [(one.decision, one.reason) for one in stale] == [(1, pb.REASON_STALE), (2**64 - 1, pb.REASON_STALE)]
    game.seats[seat].close(1, None)
    await peer.answer(1, pb.CARD_2C)
    assert (await peer.expect("rejection")).rejection.reason == pb.REASON_STALE


def test_late_decisions_are_remembered_up_to_a_bound() -> None:
    player = Player("ann", lambda: 0.0)
    for decision in range(3 * MISSED_KEPT):
        player.remember_missed(decision, Missed(0.0, None))
    newest = player.answer(3 * MISSED_KEPT - 1, (), "", 0.0)
    oldest = player.answer(0, (), "", 0.0)
    assert newest == Rejection(3 * MISSED_KEPT - 1, Reason.LATE, "", "the time was over", 0, 0)
    assert oldest == Rejection(0, Reason.STALE, "", "not open: answered already, or never asked", 0, 0)
    assert player.late(3 * MISSED_KEPT - 1) == Late(0.0, None)
    assert player.late(0) is None


@both_ways()
async def test_after_a_reconnect_the_open_question_comes_again_with_less_time(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    name = game.seats[seat].name
    later = ask(game.seats[seat], game.request(1, TimeControl(move_s=60, grace_s=0)))
    first = (await peer.expect("question")).question
    await house.drop(peer, name)
    assert not house.gateway.players[name].tables
    again = await house.bot(name)
    assert (await again.expect("match_start")).match_start.match == "m1"
    second = (await again.expect("question")).question
    assert second.decision == first.decision == 1
    assert 0 < second.clock.left_us < first.clock.left_us == 60_000_000
    second.clock.left_us = first.clock.left_us
    assert second == first
    await again.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)


@both_ways()
async def test_an_answer_sent_just_before_the_connection_is_lost_counts(house: House) -> None:
    """It was read in time: whether its bot is still there when it is judged does not matter."""
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    later = ask(game.seats[seat], game.request(1, TimeControl(move_s=60)))
    await peer.expect("question")
    await peer.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)
    await house.drop(peer, game.seats[seat].name)
    game.seats[seat].close(1, None)
    again = await house.bot(game.seats[seat].name)
    await again.expect("match_start")
    assert house.gateway.players[game.seats[seat].name].pending == {}


class Turned:
    """A bot at a seat, on a clock that the test turns; its link takes at once what it is given."""

    def __init__(self) -> None:
        self.now = 100.0
        self.player = Player("ann", lambda: self.now)
        self.seat = PlayerSeat(self.player, 1, 0, TableEncoder(1))
        self.match = Match(CLASSIC)
        self.sent: list[pb.ArenaMessage] = []

    def start(self) -> None:
        self.seat.start(Start("m1", 0, ("ann", "bob", "cem", "dee"), CLASSIC, self.match))

    def ask(self, control: TimeControl) -> None:
        deal = fresh(CLASSIC, 7, 3)
        request = put(1, deal.pending()[0], deal, self.match, control, self.now)
        request.away_before_s = self.seat.away_s()
        self.seat.ask(request)

    def come(self) -> None:
        self.player.attach(self, 8, "", ())

    def go(self) -> None:
        assert self.player.detach(self, "lost")

    def send(self, frame: bytes) -> None:
        self.sent += pb.ArenaFrame.FromString(frame).messages

    def send_question(self, frame: bytes, request: OpenRequest) -> None:
        request.sent_at = self.now
        self.send(frame)

    def accepted(self, decision: int) -> None:
        raise AssertionError(decision)

    def latency_s(self) -> float:
        return 0.0


@pytest.mark.parametrize(("away_s", "left_s"), [(10.0, 60.0), (30.0, 60.0), (45.0, 45.0), (89.5, 0.5)])
def test_time_in_grace_is_not_taken_from_a_question_that_comes_again(away_s: float, left_s: float) -> None:
    bot = Turned()
    bot.start()
    bot.ask(TimeControl(move_s=60, grace_s=30))
    bot.now += away_s
    bot.come()
    assert [one.WhichOneof("kind") for one in bot.sent] == ["match_start", "question"]
    assert bot.sent[-1].question.clock.left_us == left_s * 1e6
    assert bot.seat.away_s() == away_s


def test_a_question_whose_time_is_over_comes_with_a_microsecond_never_with_none() -> None:
    bot = Turned()
    bot.start()
    bot.ask(TimeControl(move_s=0.5, grace_s=0))
    bot.now += 0.5
    bot.come()
    assert bot.sent[-1].question.clock.left_us == 1


def test_what_a_bot_thinks_on_one_connection_is_gone_on_the_next() -> None:
    """And between the two the clock stands still."""
    bot = Turned()
    bot.start()
    bot.come()
    bot.ask(TimeControl(move_s=60, grace_s=30))
    bot.now += 20
    bot.go()
    bot.now += 10
    bot.come()
    assert bot.sent[-1].question.clock.left_us == 40_000_000


def test_absence_adds_up_and_a_seat_counts_from_the_start_of_its_match() -> None:
    bot = Turned()
    bot.now += 3
    bot.start()
    assert (bot.player.away_s(), bot.seat.away_s()) == (3, 0)
    bot.now += 4
    bot.come()
    bot.now += 50
    assert (bot.player.away_s(), bot.seat.away_s()) == (7, 4)
    bot.go()
    bot.now += 5
    assert (bot.player.away_s(), bot.seat.away_s()) == (12, 9)


@both_ways()
async def test_a_rejection_comes_again_after_its_question_and_in_the_same_frame(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    name = game.seats[seat].name
    later = ask(game.seats[seat], game.request(1))
    await peer.answer(1, pb.CARD_AS)
    await later.get()
    later.request.rejection = Rejection(1, Reason.ILLEGAL, "C3", "no", 1, 1)
    game.seats[seat].retry(later.request.rejection)
    await house.drop(peer, name)
    peer = await house.bot(name)
    await peer.expect("match_start")
    await peer.expect("question")
    assert (await peer.expect("rejection")).rejection.clause == "C3"
    kinds = [[one.WhichOneof("kind") for one in pb.ArenaFrame.FromString(data).messages] for data in peer.heard]
    assert [one[one.index("question") :] for one in kinds if "question" in one] == [["question", "rejection"]]
    await peer.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)


@both_ways()
async def test_a_bot_that_is_away_is_asked_when_it_comes(house: House) -> None:
    game = house.game()
    seat = seated(game)
    later = ask(game.seats[seat], game.request(1))
    peer = await house.bot(game.seats[seat].name)
    await peer.expect("match_start")
    await peer.expect("question")
    await peer.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)


@both_ways()
async def test_a_finished_match_is_forgotten(house: House) -> None:
    game = house.game(names=("ann",) * 4)
    peer = await house.bot("ann")
    game.start(0)
    game.deal.stop(game.deal.pending()[0].seat)
    points, moon = game.deal.scores()
    game.match.enter(points)
    game.seats[0].deal_over(DealOver(3, points, moon, game.deal.stopped, game.match, view(game.deal, 0)))
    game.seats[0].match_over(MatchOver(game.match.totals, (1, 1, 1, 4), game.match.chips, forfeited=False))
    await peer.expect("match_start")
    end = (await peer.expect("deal_end")).deal_end
    assert sorted(end.points) == [0, 0, 0, 26]
    assert end.stopped_plus_one == 1 + list(points).index(26)
    assert list((await peer.expect("match_end")).match_end.places) == [1, 1, 1, 4]
    assert not house.gateway.players["ann"].seats
    await house.drop(peer, "ann")
    peer = await house.bot("ann")
    other = house.game(2, ("ann",) * 4)
    other.start(0)
    assert (await peer.expect("match_start")).match_start.table == 2


@both_ways()
async def test_a_table_that_is_given_up_leaves_nothing_open(house: House) -> None:
    game = house.game(names=("ann",) * 4)
    seat = seated(game)
    ask(game.seats[seat], game.request(1))
    player = house.gateway.players["ann"]
    assert player.seats
    assert player.pending
    house.gateway.forget(1)
    assert not player.seats
    assert not player.pending


@both_ways()
async def test_a_bot_that_leaves_gets_no_more_tables_and_plays_on(house: House) -> None:
    game = house.game()
    peer, seat = await bot_on_turn(house, game)
    player = house.gateway.players[game.seats[seat].name]
    assert player.tables == 8
    later = ask(game.seats[seat], game.request(1))
    await peer.send(pb.BotMessage(leave=pb.Leave()))
    while player.tables:
        await house.gateway.wait_change()
    assert player.connected
    await peer.expect("question")
    await peer.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)


def test_that_a_bot_leaves_is_news_once_and_only_of_a_bot_that_is_there() -> None:
    bot = Turned()
    assert not bot.player.leave()
    assert bot.player.presence.value == "away"
    bot.come()
    assert bot.player.leave()
    assert not bot.player.leave()
    assert bot.player.presence.value == "leaving"
