"""`arena check`: what is right passes every step, and what is wrong fails at its own."""

import asyncio
import queue
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from typer.testing import CliRunner

from arena.bot.service import serve
from arena.cli import check as command
from arena.cli.main import app
from arena.gateway import wire
from arena.gateway.check import Outcome, Step, Verdict, examine
from arena.gateway.check_exam import Exam, Patience
from arena.gateway.check_line import opened_door
from arena.gateway.check_order import steps
from arena.v1 import arena_pb2 as pb
from tests.broken_bots import BROKEN, TOKEN, Bot, answer
from tests.ports import kept

PATIENCE = Patience(connect_s=2.0, answer_s=0.5, slack_s=1.0, pong_s=2.0, quiet_s=0.4)
REFERENCE = ("random", "cautious", "counting", "montecarlo")


def examined(kind: type[Bot], only: Sequence[str] = (), patience: Patience = PATIENCE) -> list[Outcome]:
    """The outcome of the steps for a bot in this process."""

    async def main() -> list[Outcome]:
        bots: list[asyncio.Task[None]] = []
        async with opened_door("127.0.0.1:0", None) as door:

            async def restart() -> None:
                for bot in bots:
                    bot.cancel()
                bots.append(asyncio.create_task(kind().run(f"127.0.0.1:{door.port}")))

            exam = Exam(door, wire.key_of(TOKEN), patience)
            exam.restart = restart
            await restart()
            outcomes = [outcome async for outcome in examine(exam, steps, only)]
            for bot in bots:
                bot.cancel()
            await asyncio.gather(*bots, return_exceptions=True)
        return outcomes

    return asyncio.run(main())


def failures(outcomes: Sequence[Outcome]) -> list[tuple[str, str]]:
    return [(one.step.name, one.said) for one in outcomes if one.verdict is Verdict.FAILED]


def test_a_bot_that_does_everything_right_passes_every_step() -> None:
    outcomes = examined(Bot)
    assert failures(outcomes) == []
    assert len(outcomes) >= 25
    assert {one.step.name for one in outcomes if one.verdict is Verdict.SKIPPED} == {"dns", "tcp", "tls"}
    assert len({one.step.name for one in outcomes}) == len(outcomes)


@pytest.mark.parametrize(("step", "kind"), [(step, kind) for step, kinds in BROKEN.items() for kind in kinds])
def test_a_broken_bot_fails_at_the_step_that_is_about_it(step: str, kind: type[Bot]) -> None:
    failed = failures(examined(kind, [step]))
    assert [name for name, _ in failed][:1] == [step], failed
    assert failed[0][1]
    assert "\n" not in failed[0][1]


class Rambling(Bot):
    """Calls itself and its games whatever it likes."""

    def hello(self) -> pb.Hello:
        """Much, and no game that there is."""
        said = super().hello()
        said.variants[:] = ["\x1b[31m\n\u202e" * 5000]
        return said


def test_what_a_bot_says_of_itself_comes_to_one_printable_line() -> None:
    ((step, said),) = failures(examined(Rambling))
    assert step == "variants"
    assert said.isprintable()
    assert len(said) == 300


def test_every_step_has_a_bot_that_fails_it() -> None:
    """Or says here why there is none."""
    without = {
        "dns", "tcp", "tls",  # of bots that are dialled
        "connect",  # nobody there at all: below
        "all-tables", "ping-while-asked", "table-again", "useless",  # more of what other steps ask for
    }  # fmt: skip
    names = {step.name for step in steps(Exam.of_nobody())}
    of_games = {name for name in names if " " in name}
    assert names - of_games - without == {step for step in BROKEN if " " not in step}


def test_nobody_there_is_one_failure_and_the_rest_is_skipped() -> None:
    class Absent(Bot):
        async def run(self, address: str) -> None:
            """Never."""

    outcomes = examined(Absent, patience=Patience(connect_s=0.2))
    assert failures(outcomes) == [("connect", "it did not dial in within 0.2 s")]
    assert {one.verdict for one in outcomes[4:]} == {Verdict.SKIPPED}


def test_one_step_can_be_taken_alone() -> None:
    outcomes = examined(Bot, ["stale"])
    assert [one.step.name for one in outcomes if not one.step.first] == ["stale"]
    assert [one.step.name for one in examined(Bot, ["play"]) if not one.step.first] == ["play widow", "play classic"]


def test_a_step_taken_alone_asks_what_it_asks_with_the_others() -> None:
    """So that also a bot that draws lots, by the name of the match as it is told to, fails again."""
    asked: list[tuple[str, bytes]] = []

    class Noting(Bot):
        def question(self, question: pb.Question) -> list[pb.BotMessage]:
            asked.append((question.match, question.view.SerializeToString(deterministic=True)))
            return super().question(question)

    examined(Noting)
    together = {*asked}
    for name in ("two-tables", "play widow", "deal classic", "match", "table-again", "open-question"):
        asked.clear()
        examined(Noting, [name])
        assert asked
        assert {*asked} <= together, name


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *arguments], standalone_mode=False)
    assert result.exception is None, result.output
    return result.return_value, result.output


@pytest.mark.parametrize("bot", REFERENCE)
def test_the_reference_bots_pass(bot: str) -> None:
    program = f"{sys.executable} -m reference_bots.{bot}_bot"
    patience = Patience(answer_s=0.5, slack_s=3.0, quiet_s=0.3)

    async def main() -> list[Outcome]:
        return [one async for one in command.checked(command.Asked(command=program, token=TOKEN, patience=patience))]

    outcomes = asyncio.run(main())
    assert failures(outcomes) == []
    assert len(outcomes) >= 25


def test_the_instant_bot_passes_when_something_starts_it_again(tmp_path: Path) -> None:
    report = tmp_path / "check.xml"
    program = f"{sys.executable} -m arena.bot.instant --arena {{address}}"
    status, said = run("--command", program, "--restart", "--junit", str(report))
    assert status == 0, said
    suite = Xml.parse(report).getroot()
    assert (suite.get("failures"), int(suite.get("tests", "0"))) == ("0", len(suite.findall("testcase")))
    assert len(suite.findall("testcase")) >= 25


def test_a_program_that_ends_says_how_and_how_to_repeat_it() -> None:
    program = shlex.join([sys.executable, "-c", "import sys; sys.exit('no cards today')"])
    status, said = run("--command", program)
    assert status == 1
    assert "its process has ended with status 1: no cards today" in said
    assert "repeat it: arena check --command" in said
    assert "--step connect" in said


def test_steps_that_nobody_is_there_for_are_one_line_and_all_of_them_in_the_report(tmp_path: Path) -> None:
    report = tmp_path / "check.xml"
    _, said = run("--command", "false", "--junit", str(report))
    shown = [line for line in said.splitlines() if line[:5] in ("ok   ", "FAIL ", "skip ")]
    assert [line.split()[1] for line in shown[:-1]] == ["dns", "tcp", "tls", "connect"]
    suite = Xml.parse(report).getroot()
    missed = [one for one in suite.iterfind("testcase/skipped") if one.get("message") == "as 'connect' failed"]
    assert len(missed) > 20
    assert shown[-1] == f"skip {len(missed)} steps for which there is nobody there, as 'connect' failed"
    assert f"{len(missed) + 4} steps: 1 failed, {len(missed) + 3} skipped" in said


def test_a_bot_that_serves_is_dialled_and_passes(tmp_path: Path) -> None:
    ready: queue.Queue[tuple[int, Callable[[], None]]] = queue.Queue()

    def bot() -> None:
        serve(
            lambda turn: turn.legal[: turn.count],
            address="127.0.0.1:0",
            token=TOKEN,
            started=lambda port, stop: ready.put((port, stop)),
        )

    thread = threading.Thread(target=bot)
    thread.start()
    port, stop = ready.get(timeout=20)
    try:
        status, said = run(f"127.0.0.1:{port}", "--token-file", str(_token(tmp_path)), "--answer", "1")
    finally:
        stop()
        thread.join()
    assert status == 0, said
    assert "skip token" in said
    assert "ok   tcp" in said


def test_a_bot_that_has_another_token_cannot_prove_itself(tmp_path: Path) -> None:
    ready: queue.Queue[tuple[int, Callable[[], None]]] = queue.Queue()
    thread = threading.Thread(
        target=serve,
        args=(lambda turn: turn.legal[: turn.count],),
        kwargs={
            "address": "127.0.0.1:0",
            "token": "another",
            "started": lambda port, stop: ready.put((port, stop)),
        },
    )
    thread.start()
    port, stop = ready.get(timeout=20)
    try:
        status, said = run(f"127.0.0.1:{port}", "--token-file", str(_token(tmp_path)))
    finally:
        stop()
        thread.join()
    assert status == 1
    assert "first failure: ready: Hello.proof is wrong" in said


def test_an_address_where_nobody_listens_fails_at_tcp(tmp_path: Path) -> None:
    status, said = run("127.0.0.1:9", "--token-file", str(_token(tmp_path)), "--connect", "1")
    assert status == 1
    assert "first failure: tcp: 127.0.0.1:9 (127.0.0.1): Connection refused" in said


def test_an_address_that_no_arena_would_dial_fails_at_dns(tmp_path: Path) -> None:
    status, said = run("169.254.169.254:80", "--token-file", str(_token(tmp_path)))
    assert status == 1
    assert "first failure: dns: '169.254.169.254' is an address of cloud metadata" in said


def repeated(said: str) -> list[str]:
    """The words of the command that it gives to repeat the failure."""
    (line,) = [line for line in said.splitlines() if line.startswith("repeat it: ")]
    words = shlex.split(line.removeprefix("repeat it: "))
    assert words[:2] == ["arena", "check"]
    return words[2:]


@contextmanager
def listening(kind: type[Bot]) -> Iterator[tuple[str, list[str]]]:
    """A bot that keeps dialling a port where nobody listens yet; that address, and nothing else is given."""
    with kept() as port:
        address = f"127.0.0.1:{port}"
        loop = asyncio.new_event_loop()
        task = loop.create_task(kind().run(address))
        thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait((task,))))
        thread.start()
        try:
            yield address, ["--listen", address]
        finally:
            loop.call_soon_threadsafe(task.cancel)
            thread.join()
            loop.close()


def test_a_bot_that_dials_in_from_elsewhere_is_waited_for_and_passes(tmp_path: Path) -> None:
    with listening(Bot) as (address, where):
        status, said = run(*where, "--token-file", str(_token(tmp_path)))
    assert status == 0, said
    assert f"waiting for the bot to dial in at {address}" in said
    assert "skip replaced" in said


class Overbidding(Bot):
    """Wrong in one game only."""

    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        """A card that is not there."""
        return answer(question, [99]) if question.rules.variant == "widow" else super().question(question)


def test_the_command_that_is_given_repeats_the_failure_on_the_same_cards(tmp_path: Path) -> None:
    """With another seed and limit than usual, so that nothing of it is left to chance."""
    with listening(Overbidding) as (_, where):
        given = ("--token-file", str(_token(tmp_path)), "--seed", "5", "--answer", "1")
        status, said = run(*where, *given, "--step", "play")
        assert status == 1
        words = repeated(said)
        again, repetition = run(*words)

    def asked(text: str) -> str:
        (line,) = [line for line in text.splitlines() if line.startswith("FAIL")]
        return line.rpartition(" (")[0].partition(", a play in")[2]

    assert again == 1
    assert asked(repetition) == asked(said)
    assert words[words.index("--answer") + 1] == "1"


def _token(directory: Path) -> Path:
    path = directory / "token.txt"
    path.write_text(f"{TOKEN}\n")
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give one of"),
        (["--command", "x", "--listen", "127.0.0.1:0"], "give one of"),
        (["--listen", "127.0.0.1:0"], "--token-file"),
        (["--command", "x", "--step", "nonsense"], "no step 'nonsense'"),
        (["--command", "x", "--answer", "inf"], "--answer"),
        (["--command", "x", "--connect", "1e30"], "--connect"),
        (["127.0.0.1:1", "--token-file", "{token}", "--restart"], "--restart"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, tmp_path: Path) -> None:
    given = [str(_token(tmp_path)) if one == "{token}" else one for one in arguments]
    result = CliRunner().invoke(app, ["check", *given])
    assert result.exit_code == 2
    assert said in result.output


def test_the_list_of_steps_is_that_of_the_documentation() -> None:
    page = (Path(__file__).parent.parent / "docs" / "check.md").read_text(encoding="utf-8")
    listed = [step for step in steps(Exam.of_nobody()) if " " not in step.name]
    for step in listed:
        assert f"| `{step.name}` | {step.does} |" in page, step.name
    _, said = run("--list")
    assert all(step.name in said for step in listed)


def test_junit_bears_whatever_a_bot_says() -> None:
    async def nothing(_exam: Exam) -> str | None:
        return None

    said = "a\x00b\x1b[31m <&> \ud800"
    text = command.as_junit([Outcome(Step("x", "does", nothing), Verdict.FAILED, said, 0.1)])
    message = Xml.fromstring(text).find("testcase/failure")
    assert message is not None
    assert message.get("message") == "a?b?[31m <&> ?"
