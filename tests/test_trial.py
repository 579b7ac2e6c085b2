"""The trial of a submitted bot, from its first call to the verdict that its author reads."""

import shlex
import sys
import threading
from pathlib import Path

import pytest
import trio
from typer.testing import CliRunner

from arena.bot import Choice, Refused, Turn, dial
from arena.bot.status import lines, status
from arena.cli import trials
from arena.cli.main import app
from arena.gateway import dialer
from arena.gateway.check_exam import Patience
from arena.gateway.dialer import Terms
from arena.gateway.server import Event
from arena.gateway.trial_check import Bounds
from arena.store.submission import Bot, Standing
from arena.v1 import arena_pb2 as pb
from tests.bot.served import Served
from tests.bot.test_dial import first_legal
from tests.broken_bots import BROKEN, answer
from tests.broken_bots import Bot as Scripted
from tests.gateway.peers import until
from tests.ports import kept
from tests.trials import PATIENCE, Arena, kit, with_arena


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long pauses, and the same cards every time."""
    monkeypatch.setattr(trials, "FOLLOW_EVERY_S", 0.01)
    monkeypatch.setattr(trials, "SEEDS", 1)
    monkeypatch.setattr(dial, "BACKOFF_S", (0.01, 0.02))
    monkeypatch.setattr(dialer, "PAUSES_S", (0.01, 0.02))


class Right(Scripted):
    """Does everything right, in two games."""


def test_a_bot_that_dials_in_is_checked_plays_and_is_seated_from_then_on(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", Right)
        assert arena.capacity("Duck") == 0
        assert (await arena.judged("Duck")).plays
        await until(lambda: arena.capacity("Duck") == 4)
        assert arena.gateway.player("Duck").connected, "the connection of its deals is the one that it plays on"
        said = await arena.status("Duck")
        assert (said.standing, lines(said)) == (pb.STANDING_ADMITTED, ["Duck is admitted"])
        await until(lambda: Event.ADMITTED in [one.event for one in arena.news])

    with_arena(tmp_path, test)


def test_until_its_verdict_a_bot_has_no_seat_and_its_author_reads_how_far_it_is(tmp_path: Path) -> None:
    free, asked = threading.Event(), threading.Event()

    def choose(turn: Turn) -> Choice:
        if turn.match.startswith("practice/"):
            asked.set()
            free.wait(20)
        return first_legal(turn)

    async def test(arena: Arena) -> None:
        token = await arena.submit("Duck", variants=["classic"])
        await until(lambda: arena.gateway.anteroom.doing("Duck") == "the arena waits for it to dial in")
        assert lines(await arena.status("Duck")) == ["Duck is on trial: the arena waits for it to dial in"]
        thread = threading.Thread(target=kit, args=(arena.address, token, choose))
        thread.start()
        await until(asked.is_set)
        assert lines(await arena.status("Duck")) == [
            "Duck is on trial: it plays classic against the house, game 1 of 1"
        ]
        assert arena.gateway.player("Duck").connected
        assert arena.capacity("Duck") == 0
        free.set()
        assert (await arena.judged("Duck")).plays
        arena.registry.suspend("Duck")
        await trio.to_thread.run_sync(thread.join)

    with_arena(tmp_path, test)


@pytest.mark.parametrize(
    ("step", "kind"), [(step, BROKEN[step][0]) for step in ("hello", "version", "ready", "question", "discard widow")]
)
def test_a_broken_bot_is_refused_with_its_first_failure_and_how_to_repeat_it(
    step: str, kind: type[Scripted], tmp_path: Path
) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", kind)
        bot = await arena.judged("Duck")
        assert bot.standing is Standing.REFUSED
        assert bot.reason.startswith(f"{step}: ")
        assert bot.repeat == shlex.join(["arena", "check", "--command", "PROGRAM", "--seed", "0", "--step", step])
        said = await arena.status("Duck")
        assert (said.standing, said.reason, said.repeat) == (pb.STANDING_REFUSED, bot.reason, bot.repeat)
        assert "submit it again, 4 times" in lines(said)[-1]
        assert arena.capacity("Duck") == 0
        await until(lambda: (Event.REFUSED, "Duck", bot.reason) in [(n.event, n.name, n.reason) for n in arena.news])

    with_arena(tmp_path, test)


class FailsInEarnest(Scripted):
    """Knows an examination when it sees one."""

    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        """No card, in the deals; otherwise as it should."""
        return answer(question, []) if question.match.startswith("practice/") else super().question(question)


def test_a_bot_that_fails_in_the_deals_only_is_told_the_match_to_play_again(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", FailsInEarnest)
        bot = await arena.judged("Duck")
        assert bot.reason.startswith("deals widow: malformed: ")
        assert bot.repeat == ("arena play --command PROGRAM --variant widow --players 4 --seat 0 --seed 0 --deals 2")
        await until(lambda: not arena.gateway.player("Duck").connected)
        assert "failed its trial" in arena.gateway.player("Duck").last_reason

    with_arena(tmp_path, test)


def test_the_repeated_command_shows_the_author_what_the_arena_saw(tmp_path: Path) -> None:
    """Wrong in the same way for the arena and for whoever follows its advice."""
    found: list[Bot] = []

    def choose(turn: Turn) -> Choice:
        return [face for face in range(52) if face not in turn.legal][: turn.count]

    async def test(arena: Arena) -> None:
        token = await arena.submit("Duck")
        ends: list[str] = []
        await trio.to_thread.run_sync(kit, arena.address, token, choose, ends)
        found.append(await arena.judged("Duck"))
        assert found[0].reason in ends[0]

    with_arena(tmp_path, test)
    program = "from arena.bot import run\nrun(lambda t: [f for f in range(52) if f not in t.legal][:t.count])"
    command = shlex.join([sys.executable, "-c", program])
    words = [command if word == "PROGRAM" else word for word in shlex.split(found[0].repeat)]
    result = CliRunner().invoke(app, words[1:], standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 1)
    assert f"first failure: {found[0].reason}" in result.output


def test_a_bot_with_an_address_is_waited_for_there_checked_and_dialled(tmp_path: Path) -> None:
    bots: list[Served] = []

    async def test(arena: Arena) -> None:
        token = await arena.submit("Duck", address=f"127.0.0.1:{port}", tables=2)
        await until(lambda: "Connection refused" in arena.gateway.anteroom.doing("Duck"))
        assert "Connection refused" in lines(await arena.status("Duck"))[0]
        bots.append(Served(token=token, port=port))
        assert (await arena.judged("Duck")).plays
        await until(lambda: arena.capacity("Duck") == 2)

    with kept() as port:  # nobody is there yet: the bot needs its token first
        with_arena(tmp_path, test)
        bots[0].stop()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("169.254.169.254:80", "dns: '169.254.169.254' is an address of cloud metadata"),
        ("127.0.0.1:7071", "dns: '127.0.0.1' is an address of this machine"),
    ],
)
def test_an_address_that_the_arena_does_not_dial_is_refused_at_once(address: str, reason: str, tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.submit("Duck", address=address)
        bot = await arena.judged("Duck")
        assert bot.reason.startswith(reason)
        assert bot.repeat == f"arena check {address} --token-file FILE --seed 0 --step dns"

    with_arena(tmp_path, test, terms=Terms())


def test_a_bot_that_never_comes_to_its_address_is_refused_in_the_end(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.submit("Duck", address="127.0.0.1:9")
        bot = await arena.judged("Duck")
        assert bot.reason == "tcp: 127.0.0.1:9 (127.0.0.1): Connection refused, for 0.05 s"

    with_arena(tmp_path, test, bounds=Bounds(patience=PATIENCE, pauses_s=(0.01, 0.02), address_s=0.05))


def test_an_entry_of_the_book_whose_address_is_none_ends_its_trial_and_not_the_arena(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        arena.registry.enter(Bot("Duck", "", "127.0.0.1:655359"), arena.registry.invite())
        bot = await arena.judged("Duck")
        assert bot.reason == "dns: not a port from 1 to 65535: '127.0.0.1:655359', for 0.05 s"

    with_arena(tmp_path, test, bounds=Bounds(patience=PATIENCE, pauses_s=(0.01, 0.02), address_s=0.05))


def test_a_bot_with_another_token_is_refused_at_its_proof(tmp_path: Path) -> None:
    bot = Served(token="another")

    async def test(arena: Arena) -> None:
        await arena.submit("Duck", address=bot.address)
        assert (await arena.judged("Duck")).reason.startswith("ready: Hello.proof is wrong")

    with_arena(tmp_path, test)
    bot.stop()


def test_a_refused_bot_is_mended_submitted_again_and_admitted(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", BROKEN["question"][0])
        assert (await arena.judged("Duck")).standing is Standing.REFUSED
        old = arena.tokens["Duck"]
        ends: list[str] = []
        await trio.to_thread.run_sync(kit, arena.address, old, first_legal, ends)
        assert "it has failed its trial: question: " in ends[0]
        await arena.scripted("Duck", Right)
        assert (await arena.judged("Duck")).plays
        await trio.to_thread.run_sync(kit, arena.address, old, first_legal, ends)
        assert "not known here" in ends[1]

    with_arena(tmp_path, test)


def test_the_operator_admits_examines_and_suspends_by_hand(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        token = await arena.submit("Duck")
        arena.registry.admit("Duck")
        ends: list[str] = []
        thread = threading.Thread(target=kit, args=(arena.address, token, first_legal, ends))
        thread.start()
        await until(lambda: arena.capacity("Duck"))
        arena.registry.examine("Duck")
        await until(lambda: not arena.capacity("Duck"))
        assert (await arena.judged("Duck")).plays, "the kit dialled again, and passed"
        await until(lambda: arena.capacity("Duck"))
        arena.registry.suspend("Duck")
        await trio.to_thread.run_sync(thread.join)
        assert "suspended" in ends[0]
        assert lines(await arena.status("Duck")) == ["Duck is suspended by whoever runs the arena"]

    with_arena(tmp_path, test)


@pytest.mark.parametrize("change", ["suspend", "rotate"])
def test_a_trial_whose_bot_is_changed_meanwhile_is_broken_off_and_its_call_ends(change: str, tmp_path: Path) -> None:
    asked, free = threading.Event(), threading.Event()

    def choose(turn: Turn) -> Choice:
        asked.set()
        free.wait(20)
        return first_legal(turn)

    async def test(arena: Arena) -> None:
        token = await arena.submit("Duck")
        ends: list[str] = []
        thread = threading.Thread(target=kit, args=(arena.address, token, choose, ends))
        thread.start()
        await until(asked.is_set)
        if change == "suspend":
            arena.registry.suspend("Duck")
        else:
            arena.registry.rotate("Duck")
        await until(lambda: arena.gateway.anteroom.doing("Duck") != "it is checked: 11 steps taken, the last 'ready'")
        free.set()
        await trio.to_thread.run_sync(thread.join)
        assert ("suspended" if change == "suspend" else "not known here") in ends[0]
        assert arena.bot("Duck").standing is Standing.ON_TRIAL

    with_arena(tmp_path, test, bounds=Bounds(patience=Patience(answer_s=20.0)))


def test_a_submission_for_games_that_the_bot_does_not_play_is_refused(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", Right, variants=["domino"])
        bot = await arena.judged("Duck")
        assert bot.reason == "variants: it plays classic widow, and was submitted for domino"

    with_arena(tmp_path, test)


class Slow(Scripted):
    """Answers nothing, but stays."""

    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        """Nothing."""
        return []


def test_a_trial_has_an_end_whatever_the_bot_does(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", Slow)
        bot = await arena.judged("Duck")
        assert bot.reason == "ready: after this step, the check had taken more than 0.3 s"

    with_arena(tmp_path, test, bounds=Bounds(patience=PATIENCE, check_s=0.3))


class NeverPlays(FailsInEarnest):
    """Passes the check, and then says nothing."""

    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        """Nothing, in the deals."""
        return [] if question.match.startswith("practice/") else Scripted.question(self, question)


def test_the_deals_have_an_end_too(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("Duck", NeverPlays)
        bot = await arena.judged("Duck")
        assert bot.reason == "deals widow: the deals have taken more than 0.2 s"
        assert not arena.gateway.player("Duck").seats

    with_arena(tmp_path, test, bounds=Bounds(patience=PATIENCE, deals_s=0.2))


def test_trials_wait_for_each_other_and_all_come_to_their_end(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        for number in range(4):
            await arena.scripted(f"Duck {number}", Right)
        await until(lambda: any("others" in arena.gateway.anteroom.doing(f"Duck {number}") for number in range(4)))
        assert [(await arena.judged(f"Duck {number}")).plays for number in range(4)] == [True] * 4

    with_arena(tmp_path, test, bounds=Bounds(patience=PATIENCE, at_once=1))


def test_a_bot_on_trial_cannot_fill_the_arena_with_calls(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.scripted("First", Slow)  # holds the only place
        await until(lambda: "checked" in arena.gateway.anteroom.doing("First"))
        await arena.submit("Duck")
        for _ in range(6):
            arena.dial_in("Duck", Right)
        door = arena.gateway.anteroom.door("Duck")
        await until(lambda: door.calls > 6)  # those that were refused have dialled again
        assert door.lines.qsize() == 4

    with_arena(tmp_path, test, bounds=Bounds(patience=Patience(answer_s=20.0), at_once=1))


def test_an_arena_that_ends_in_the_middle_of_a_trial_holds_it_again_the_next_time(tmp_path: Path) -> None:
    async def first(arena: Arena) -> None:
        await arena.scripted("Duck", Slow)
        await until(lambda: "checked" in arena.gateway.anteroom.doing("Duck"))

    registry = with_arena(tmp_path, first, bounds=Bounds(patience=Patience(answer_s=20.0)))
    assert registry.book().find("Duck").standing is Standing.ON_TRIAL

    async def second(arena: Arena) -> None:
        arena.tokens["Duck"] = registry.rotate("Duck")
        arena.dial_in("Duck", Right)
        assert (await arena.judged("Duck")).plays

    with_arena(tmp_path, second)


def test_what_is_known_of_a_token_is_nothing_without_it(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        await arena.submit("Duck")
        with pytest.raises(Refused, match="not known here"):
            await trio.to_thread.run_sync(lambda: status(arena=arena.address, token="guess"))

    with_arena(tmp_path, test)
