"""What is noted of a seat's traffic is what went over the wire, and it is bounded."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import TimeControl
from arena.gateway.tape import (
    CARDS,
    ENTRIES,
    HEARD,
    LARGE,
    MOST,
    Entry,
    Kept,
    Part,
    Recorder,
    Tape,
    Way,
    packed,
    unpacked,
)
from arena.seat import DealOver, MatchOver, Reason, Rejection
from arena.v1 import arena_pb2 as pb
from tests.gateway.peers import Game, House, Peer, answer, ask, both_ways
from tests.strategies import PROFILE

OTHERS = ("welcome", "ping", "goodbye")  # messages that belong to no seat


def at_table(frames: Iterable[bytes]) -> bytes:
    """The messages of the arena's frames that belong to a table, one after the other."""
    found = pb.ArenaFrame()
    for data in frames:
        frame = pb.ArenaFrame.FromString(data)
        found.messages.extend(one for one in frame.messages if one.WhichOneof("kind") not in OTHERS)
        found.accepted.extend(frame.accepted)
    return found.SerializeToString()


def part_of(house: House, game: Game, seat: int) -> tuple[Entry, ...]:
    """What is kept of a seat, as it comes out of the database."""
    (part,) = [part for number, part in house.gateway.cut(game.table, ()) if number == seat]
    return unpacked(part.packed())


def frames(entries: Iterable[Entry], way: Way) -> list[bytes]:
    return [one.frame for one in entries if one.way is way]


async def asked_seat(house: House) -> tuple[Game, Peer, int]:
    """A game at which everybody sits, and the bot that is asked first."""
    game = house.game()
    for one in range(4):
        game.start(one)
    seat = game.deal.pending()[0].seat
    peer = await house.bot(game.seats[seat].name)
    await peer.expect("match_start")
    return game, peer, seat


@both_ways()
async def test_a_tape_has_the_bytes_of_the_wire_and_their_order(house: House) -> None:
    game, peer, seat = await asked_seat(house)
    own = game.seats[seat]
    wrong = Rejection(7, Reason.ILLEGAL, "C4", "it leads", 1, 1)
    later = ask(own, game.request(7))
    await peer.expect("question")
    await peer.answer(7, pb.CARD_QS)
    await later.get()
    own.retry(wrong)
    await peer.expect("rejection")
    await peer.answer(7, pb.CARD_2C)
    await later.get()
    own.close(7, None)
    own.deal_over(DealOver(3, (0, 0, 0, 26), 3, None, game.match, game.request(8).view))
    await peer.expect("deal_end")
    own.match_over(MatchOver((0, 0, 0, 26), (1, 1, 1, 4), (), forfeited=False))
    await peer.expect("match_end")
    entries = part_of(house, game, seat)
    assert at_table(frames(entries, Way.SENT)) == at_table(peer.heard)
    assert peer.accepted == [7]
    assert frames(entries, Way.RECEIVED) == [
        pb.BotFrame(messages=[pb.BotMessage(answer=answer(7, card))]).SerializeToString()
        for card in (pb.CARD_QS, pb.CARD_2C)
    ]
    kinds = [Way.NOTE, *[Way.SENT] * 2, Way.RECEIVED, Way.SENT, Way.RECEIVED, *[Way.SENT] * 3]
    assert [one.way for one in entries] == kinds
    assert [one.at_s for one in entries] == sorted(one.at_s for one in entries)
    (question,) = [one for one in entries if one.handed_s is not None]
    assert entries[0].at_s == 0.0
    assert question.at_s <= question.handed_s <= entries[3].at_s  # type: ignore[operator] # it is there


@both_ways()
async def test_what_comes_again_on_another_connection_is_there_twice_with_the_reason(house: House) -> None:
    game, peer, seat = await asked_seat(house)
    later = ask(game.seats[seat], game.request(7))
    await peer.expect("question")
    await house.drop(peer, game.seats[seat].name)
    again = house.dials_in(game.seats[seat].name)
    await again.hello()
    await again.expect("match_start")
    await again.expect("question")
    await again.answer(7, pb.CARD_2C)
    await later.get()
    game.seats[seat].close(7, None)
    game.seats[seat].deal_over(DealOver(3, (0, 0, 0, 26), 3, None, game.match, game.request(8).view))
    await again.expect("deal_end")
    entries = part_of(house, game, seat)
    assert at_table(frames(entries, Way.SENT)) == at_table([*peer.heard, *again.heard])
    notes = [one.note for one in entries if one.way is Way.NOTE]
    assert [note.partition(":")[0] for note in notes] == [
        "the bot is connected", "the connection is lost", "the bot is connected",
    ]  # fmt: skip
    # its time counts from when it was handed over first
    assert [one.handed_s is not None for one in entries if b"classic" in one.frame] == [False, True, False, False]


@both_ways()
async def test_an_answer_that_is_late_is_there_too(house: House) -> None:
    game, peer, seat = await asked_seat(house)
    ask(game.seats[seat], game.request(7, TimeControl(move_s=0.05)))
    game.seats[seat].close(7, Rejection(7, Reason.LATE, "", "the time is over", 0, 0))
    await peer.answer(7, pb.CARD_2C)
    for kind in ("question", "rejection", "rejection"):
        await peer.expect(kind)
    entries = part_of(house, game, seat)
    said = [one.frame for one in entries if one.way is Way.RECEIVED]
    assert said == [pb.BotFrame(messages=[pb.BotMessage(answer=answer(7, pb.CARD_2C))]).SerializeToString()]
    assert [one.way for one in entries[-2:]] == [Way.RECEIVED, Way.SENT]
    assert at_table(frames(entries, Way.SENT)) == at_table(peer.heard)


@both_ways()
async def test_of_a_frame_for_many_tables_a_seat_has_its_own_answer(house: House) -> None:
    peer = await house.bot("ann")
    games = [house.game(table, ("ann",) * 4) for table in (1, 2)]
    seat = games[0].deal.pending()[0].seat
    laters = []
    for game in games:
        for one in range(4):
            game.start(one)
        laters.append(ask(game.seats[seat], game.request(game.table)))
    while b"classic" not in at_table(peer.heard) or len(game.house.gateway.player("ann").pending) < len(games):
        await peer.read()
    await peer.send(*[pb.BotMessage(answer=answer(table, pb.CARD_2C)) for table in (1, 2)])
    for game, later in zip(games, laters, strict=True):
        await later.get()
        game.seats[seat].close(game.table, None)
    for game in games:
        (heard,) = [one for one in part_of(house, game, seat) if one.way is Way.RECEIVED]
        (message,) = pb.BotFrame.FromString(heard.frame).messages
        assert message.answer.decision == game.table
        assert heard.note == "from a frame with 1 other messages"


# --- bounds and choice


def frame(decision: int, cards: int = 1, others: int = 0) -> bytes:
    messages = [pb.BotMessage(answer=answer(decision, *[1] * cards))]
    messages[0].answer.thought_us = 25_000
    messages += [pb.BotMessage(answer=answer(2**40 + one, 1)) for one in range(others)]
    return pb.BotFrame(messages=messages).SerializeToString()


def test_a_deal_is_bounded_in_entries_and_says_what_is_left_out() -> None:
    tape = Tape(itertools.count().__next__)
    for decision in range(ENTRIES + 25):
        tape.refused(b"", decision, 0.5)
    entries = tape.cut().entries()
    assert len(entries) == ENTRIES + 1
    assert entries[-1].note == "25 more entries are left out"
    assert tape.cut().entries() == []


@pytest.mark.parametrize(("cards", "others"), [(1, 500), (40_000, 0), (40_000, 20)])
def test_what_a_bot_sends_is_bounded_in_bytes(cards: int, others: int) -> None:
    tape = Tape(lambda: 0.0)
    data = frame(5, cards, others)
    assert len(data) > LARGE
    for _ in range(ENTRIES):
        tape.heard(data, 5, 0.0)
    part = tape.cut()
    assert sum(len(one[2]) for one in part.noted) <= HEARD
    first = part.entries()[0]
    (message,) = pb.BotFrame.FromString(first.frame).messages
    assert (message.answer.decision, message.answer.thought_us) == (5, 25_000)
    assert len(message.answer.cards) == min(cards, CARDS)
    assert first.note


def hear(tape: Tape, data: bytes, *, accepted: bool) -> None:
    """An answer, whether it counts or not."""
    if accepted:
        tape.asked(b"?", 5, 0.0)
        tape.accepted(data, 5, 0.0, 0.0)
    else:
        tape.heard(data, 5, 0.0)


@pytest.mark.parametrize("accepted", [False, True])
def test_many_frames_of_middle_size_are_bounded_too(accepted: bool) -> None:
    tape = Tape(lambda: 0.0)
    data = frame(5, LARGE - 50)
    assert len(data) <= LARGE
    for _ in range(ENTRIES):
        hear(tape, data, accepted=accepted)
    entries = tape.cut().entries()
    assert 0 < sum(len(one.frame) for one in entries if one.way is Way.RECEIVED) <= HEARD
    assert "left out" in entries[-1].note


@pytest.mark.parametrize("accepted", [False, True])
def test_as_many_bytes_are_heard_as_the_limit_says(accepted: bool) -> None:
    tape = Tape(lambda: 0.0)
    data = frame(5, 2 * LARGE - len(frame(5, LARGE)))
    assert HEARD % len(data) == 0
    for _ in range(HEARD // len(data) + 1):
        hear(tape, data, accepted=accepted)
    entries = tape.cut().entries()
    assert [one.frame for one in entries if one.way is Way.RECEIVED] == [data] * (HEARD // len(data))
    assert entries[-1].note == "1 more entries are left out"


@pytest.mark.parametrize("over", [0, 1])
def test_an_answer_of_the_largest_size_is_kept_whole_and_a_byte_more_is_not(over: int) -> None:
    """Whether it is a whole frame, or the part of one."""
    cards = LARGE - len(frame(5, LARGE)) + LARGE + over
    data = frame(5, cards)
    assert len(data) == LARGE + over
    for given_, rest in ((data, ""), (frame(5, cards, 1), "from a frame with 1 other messages")):
        tape = Tape(lambda: 0.0)
        tape.heard(given_, 5, 0.0)
        (entry,) = tape.cut().entries()
        beginning = f"the beginning of a frame of {len(given_)} bytes"
        assert (entry.frame, entry.note) == ((frame(5, CARDS), beginning) if over else (data, rest))


def test_times_are_packed_to_the_nearest_microsecond() -> None:
    entries = (
        Entry(0.0, Way.NOTE, b"", None, "the bot is connected"),
        Entry(3600.0000016, Way.SENT, b"question", 3600.0000026),
        Entry(7200.0000004, Way.RECEIVED, b"answer"),
    )
    assert unpacked(packed(entries)) == (
        entries[0],
        Entry(3600.000002, Way.SENT, b"question", 3600.000003),
        Entry(7200.0, Way.RECEIVED, b"answer"),
    )


@dataclass
class Seated:
    name: str
    number: int
    tape: Tape | None


def seats(recorder: Recorder) -> list[Seated]:
    return [Seated(f"bot {number}", number, recorder.tape(lambda: 0.0)) for number in range(4)]


@pytest.mark.parametrize(("kept", "expected"), [(Kept.OFF, []), (Kept.FAULTS, [2]), (Kept.ALL, [0, 1, 2, 3])])
def test_the_setting_says_whose_deals_are_kept(kept: Kept, expected: list[int]) -> None:
    recorder = Recorder(kept)
    table = seats(recorder)
    for seat in table:
        if seat.tape is not None:
            seat.tape.remark(seat.name)
    found = recorder.cut(table, {2})
    assert [number for number, _ in found] == expected
    assert [part.entries()[0].note for _, part in found] == [f"bot {number}" for number in expected]
    assert all(part.entries() == [] for _, part in recorder.cut(table, {2}))  # they begin anew


def test_a_bot_with_faults_all_night_fills_no_disk() -> None:
    recorder = Recorder(Kept.FAULTS)
    table = seats(recorder)
    kept = [number for _ in range(MOST + 10) for number, _ in recorder.cut(table, {1})]
    assert kept == [1] * MOST
    assert [number for number, _ in recorder.cut(table, {1, 3})] == [3]


@pytest.mark.parametrize("spoil", [lambda data: b"", lambda data: data[:-5], lambda data: b"x" + data])
def test_what_is_no_transcript_is_said_to_be_none(spoil: Callable[[bytes], bytes]) -> None:
    data = Part([(1.0, Way.NOTE, b"", 0, 0.0, "x", 0.0, b"")]).packed()
    assert [one.note for one in unpacked(data)] == ["x"]
    with pytest.raises(ValueError, match="not a transcript"):
        unpacked(spoil(data))


@PROFILE
@given(st.lists(st.tuples(st.sampled_from(("ask", "hear", "accept", "say", "refuse", "remark")), st.integers(1, 3))))
def test_whatever_happens_is_there_in_the_order_in_which_it_happened(happened: list[tuple[str, int]]) -> None:
    """Also where what is mostly noted in one, a question with its answer, comes in any other order."""
    clock = itertools.count(1)
    tape = Tape(lambda: float(next(clock)))
    expected: list[tuple[Way, bytes, str]] = []
    for number, (what, decision) in enumerate(happened):
        said = b"%d" % number
        if what == "ask":
            tape.asked(said, decision, next(clock))
        elif what == "hear":
            said = frame(decision)
            tape.heard(said, decision, next(clock))
        elif what == "accept":
            said = pb.ArenaFrame(accepted=[decision]).SerializeToString()
            expected.append((Way.RECEIVED, frame(decision), ""))
            tape.accepted(frame(decision), decision, next(clock), 0.5)
        elif what == "say":
            tape.said(said)
        elif what == "refuse":
            tape.refused(said, decision, 0.5)
        else:
            tape.remark(str(number))
        way = {"hear": Way.RECEIVED, "remark": Way.NOTE}.get(what, Way.SENT)
        expected.append((way, b"", str(number)) if way is Way.NOTE else (way, said, ""))
    entries = tape.cut().entries()
    assert [(one.way, one.frame, one.note) for one in entries] == expected
    assert tape.cut().entries() == []
