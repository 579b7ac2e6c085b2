"""The bot in JavaScript: what it says to an arena that follows a script.

It is run as its users run it, as a process. `make js` installs its packages; where that cannot be, nothing here runs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc
import pytest

from arena.gateway import wire
from arena.rules.cards import mask
from arena.rules.catalogue import rules
from arena.rules.match import Match
from arena.rules.variant import Rules, fallback
from arena.v1 import arena_pb2 as pb
from tests.fakes import put
from tests.js.bot import Call, bot, ended, frame, missing, scripted, welcome
from tests.strategies import fresh

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


def question(decision: int, game: Rules | None = None, number: int = 3) -> pb.ArenaMessage:
    """The first open question of a deal; of classic's fourth, where nothing is passed, the first lead."""
    deal = fresh(game or rules("classic", 4), 7, number)
    asked = deal.pending()[0]
    request = put(decision, asked, deal, Match(deal.rules))
    return pb.ArenaMessage(question=wire.question_message(1, "m", request, 5.0))


def ping(nonce: int) -> pb.ArenaMessage:
    return pb.ArenaMessage(ping=pb.Ping(nonce=nonce))


def kinds(said: pb.BotFrame) -> list[str | None]:
    return [message.WhichOneof("kind") for message in said.messages]


def refuse(call: Call) -> None:
    """Send the bot away for good, so that its process ends."""
    call.end(grpc.StatusCode.UNAUTHENTICATED, "the test is over")


def test_all_questions_of_a_frame_are_answered_in_one_and_pings_before_them() -> None:
    large = (2**64 - 1, 2**63 + 5, 2**53 + 1)  # no JavaScript number is any of them

    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome())
        unknown = question(77)
        unknown.question.ask = pb.Ask.ValueType(99)
        news = pb.ArenaMessage()
        news.MergeFromString(b"\xfa\x3e\x01x")  # field 1007, of a future arena
        passing = question(large[2], number=0)
        yield frame(question(large[1]), unknown, news, ping(large[0]), passing)
        call.read()
        call.read()
        refuse(call)

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}", "--tables", "5") as process:
        status, _ = ended(process)
        assert status == 1
        hello, pong, answers = arena.heard[0]
    assert kinds(hello) == ["hello"]
    said = hello.messages[0].hello
    assert (said.oldest_version, said.newest_version, said.tables) == (1, 1, 5)
    assert said.software.startswith("javascript")
    assert [message.pong.nonce for message in pong.messages] == [large[0]]
    assert kinds(answers) == ["answer", "answer"], "to what it does not know it says nothing"
    assert [message.answer.decision for message in answers.messages] == [large[1], large[2]]
    assert [len(message.answer.cards) for message in answers.messages] == [1, 3]


def test_a_refused_answer_is_followed_by_the_lowest_legal_cards() -> None:
    asked = question(8, number=0)
    legal = asked.question.legal
    refusal = pb.Rejection(decision=8, reason=pb.REASON_ILLEGAL, clause="G7", message="no", legal=legal, tries=1)
    stale = pb.Rejection(decision=9, reason=pb.REASON_STALE, message="not open")

    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), asked)
        call.read()
        yield frame(pb.ArenaMessage(rejection=stale), pb.ArenaMessage(rejection=refusal))
        call.read()
        final = pb.Rejection(decision=8, reason=pb.REASON_ILLEGAL, clause="G7", message="no")
        yield frame(pb.ArenaMessage(rejection=final))
        yield frame(ping(1))
        call.read()
        refuse(call)

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}") as process:
        _, lines = ended(process)
        _, first, second, third = arena.heard[0]
    assert kinds(first) == kinds(second) == ["answer"]
    assert first.messages[0].answer.thought_us
    assert not second.messages[0].answer.thought_us, "it has not thought again"
    lowest = fallback(mask(wire.faces(asked.question.legal)), 3)
    assert wire.faces(second.messages[0].answer.cards) == lowest
    assert kinds(third) == ["pong"], "after the last try there is nothing to say"
    assert sum(line.startswith("refused: G7 no") for line in lines) == 2


def test_a_question_that_comes_again_with_its_rejection_is_answered_once_with_what_is_legal() -> None:
    """The first answer was refused on the connection that is lost: its own choice again would be the last try."""
    asked = question(8, number=0)
    legal = asked.question.legal
    refusal = pb.Rejection(decision=8, reason=pb.REASON_ILLEGAL, clause="G7", message="no", legal=legal, tries=1)

    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), asked, pb.ArenaMessage(rejection=refusal))
        call.read()
        refuse(call)

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}") as process:
        ended(process)
        _, said = arena.heard[0]
    (message,) = said.messages
    assert message.answer.decision == 8
    assert wire.faces(message.answer.cards) == fallback(mask(wire.faces(legal)), 3)


def test_it_dials_again_after_lost_connections_until_it_is_refused() -> None:
    def lost(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), question(1))
        call.read()
        call.end(grpc.StatusCode.UNAVAILABLE, "the arena is closing")

    def unheard(call: Call) -> Iterator[pb.ArenaFrame]:
        call.end(grpc.StatusCode.DEADLINE_EXCEEDED, "no Hello in time")
        yield frame()

    def again(call: Call) -> Iterator[pb.ArenaFrame]:
        call.read()
        yield frame(welcome(), question(1))
        call.read()
        refuse(call)

    with scripted(lost, unheard, again) as arena, bot(ARENA_ADDRESS=f"127.0.0.1:{arena.port}") as process:
        status, lines = ended(process)
    assert arena.tokens == ["Bearer ann"] * 3
    assert [kinds(said) for said in arena.heard[2]] == [["hello"], ["answer"]]
    (before,), (after,) = arena.heard[0][1].messages, arena.heard[2][1].messages
    assert before.answer.thought_us > 0
    assert after.answer.thought_us > 0
    after.answer.thought_us = before.answer.thought_us
    assert before == after, "the same question, the same answer"
    assert status == 1
    assert lines[-1] == f"bot.js: the arena at 127.0.0.1:{arena.port} refused: the test is over"


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.ABORTED,
    ],
)
def test_what_is_final_ends_it_with_one_line(code: grpc.StatusCode) -> None:
    def script(call: Call) -> Iterator[pb.ArenaFrame]:
        call.end(code, "for a reason\nin two lines")
        yield frame()

    with scripted(script) as arena, bot("--arena", f"127.0.0.1:{arena.port}") as process:
        said = f"bot.js: the arena at 127.0.0.1:{arena.port} refused: for a reason in two lines"
        assert ended(process) == (1, [said])
    assert len(arena.tokens) == 1


def test_an_arena_that_is_not_there_is_told_after_the_patience(tmp_path: Path) -> None:
    token = tmp_path / "token.txt"
    token.write_text("secret\nmore\n")
    with bot("--arena", "127.0.0.1:9", "--patience", "0", "--token-file", str(token)) as process:
        status, lines = ended(process)
    assert (status, len(lines)) == (1, 1)
    assert "out of reach" in lines[0]


@pytest.mark.parametrize(
    ("arguments", "token", "said"),
    [
        ((), "ann", "no arena"),
        (("--arena", "127.0.0.1:9"), "", "no token"),
        (("--arena", "127.0.0.1:9", "--token-file", "not-there.txt"), "ann", "cannot read the token"),
        (("--arena", "127.0.0.1:9", "--tables", "0"), "ann", "--tables is a whole number from 1"),
        (("--arena", "127.0.0.1:9", "--tables", "many"), "ann", "--tables is a whole number from 1"),
        (("--areena", "127.0.0.1:9"), "ann", "--areena"),
        (("--arena", "127.0.0.1:9", "--serve", "127.0.0.1:0"), "ann", "either"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(arguments: Sequence[str], token: str, said: str) -> None:
    with bot(*arguments, token=token) as process:
        status, lines = ended(process)
    assert (status, len(lines)) == (2, 1), lines
    assert said in lines[0]
