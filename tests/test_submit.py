"""From an invitation to an entry: the commands, and the call of the kit. What comes next is in `test_trial`."""

import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from arena.bot import Refused, Tls, connect
from arena.bot.status import status
from arena.bot.submit import main as kit_main
from arena.bot.submit import submit
from arena.cli.main import main
from arena.cli.trials import BookOffice
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Terms
from arena.gateway.server import Event, Gateway, News, open_gateway
from arena.store.submission import Bot, Registry, Standing, digest
from arena.v1 import arena_pb2 as pb
from tests.bot.served import never


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """An empty book."""
    return Registry(tmp_path / "bots.json")


class Command:
    """The console script, run in this process."""

    def __init__(self, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
        self.book = str(registry.path)
        self.monkeypatch = monkeypatch

    def __call__(self, *words: str, status: int = 0) -> str:
        """What it prints; on standard error where it fails."""
        self.monkeypatch.setattr(sys, "argv", ["arena", *words, "--book", self.book])
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == status, err.getvalue()
        return err.getvalue() if status else out.getvalue()


@pytest.fixture
def arena(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command on the book."""
    return Command(registry, monkeypatch)


def test_one_bot_and_one_invitation_are_not_many(arena: Command, registry: Registry) -> None:
    arena("bots", "add", "Goose")
    arena("invite")
    assert arena("bots", "list").splitlines()[-1] == f"{registry.path}: 1 bot, 1 invitation open"


def test_the_commands_invite_enter_list_examine_admit_suspend_and_rotate(arena: Command, registry: Registry) -> None:
    code = arena("invite").strip()
    registry.enter(Bot("Duck", "", "h.example:1", 4, ("classic",)), code)
    token = arena("bots", "add", "Goose").strip()
    assert registry.authenticate(token) == "Goose"
    arena("bots", "suspend", "Goose")
    duck = "Duck: dialled at h.example:1, at most 4 tables, plays classic"
    assert arena("bots", "list").splitlines() == [
        f"{duck}, ON TRIAL",
        "Goose: dials in, SUSPENDED",
        f"{registry.path}: 2 bots, 0 invitations open",
    ]
    arena("bots", "resume", "Goose")
    registry.judge(
        registry.book().find("Duck"), Standing.REFUSED, "tcp: h.example:1: refused", "arena check h.example:1"
    )
    assert arena("bots", "list").splitlines()[:3] == [
        f"{duck}, REFUSED: tcp: h.example:1: refused",
        "  repeat it: arena check h.example:1",
        "Goose: dials in",
    ]
    arena("bots", "examine", "Duck")
    assert registry.book().find("Duck").standing is Standing.ON_TRIAL
    arena("bots", "admit", "Duck")
    assert arena("bots", "list").splitlines()[0] == duck
    new = arena("bots", "rotate", "Goose").strip()
    assert (registry.authenticate(token), registry.authenticate(new)) == (None, "Goose")


@pytest.mark.parametrize(
    ("before", "verb", "said"),
    [
        (Bot("Duck", ""), "suspend", "Duck is suspended: a running arena ends its connection"),
        (Bot("Duck", ""), "resume", "Duck is admitted, and may play from now on; if its program has ended, its author"),
        (Bot("Duck", "", "h.example:1"), "resume", "Duck is admitted, and may play from now on\n"),
        (Bot("Duck", ""), "examine", "Duck is on trial: an arena with this book examines it"),
        (Bot("Duck", "", standing=Standing.ON_TRIAL), "admit", "Duck is admitted, and may play from now on"),
        (Bot("Duck", "", standing=Standing.ON_TRIAL), "suspend", "Duck is on trial, and suspended"),
        (Bot("Duck", "", suspended=True), "examine", "Duck is on trial, and suspended"),
        (Bot("Duck", "", suspended=True), "admit", "Duck is suspended"),
        (Bot("Duck", "", standing=Standing.REFUSED), "suspend", "Duck has failed its trial, and is suspended"),
        (Bot("Duck", "", standing=Standing.REFUSED, suspended=True), "resume", "Duck has failed its trial:"),
    ],
)
def test_a_change_of_a_bot_says_how_it_stands_then(
    arena: Command, registry: Registry, before: Bot, verb: str, said: str
) -> None:
    registry.enter(before, None)
    registry.judge(registry.book().bots[0], before.standing)
    if before.suspended:
        registry.suspend("Duck")
    told = arena("bots", verb, "Duck")
    assert told.startswith(said)
    assert len(told.splitlines()) == 1
    assert "program" not in told or not before.address


def test_the_command_that_undoes_a_suspension_is_of_the_same_book(arena: Command, registry: Registry) -> None:
    registry.enter(Bot("Old Duck", ""), None)
    command = arena("bots", "suspend", "Old Duck").split("`")[1]
    assert shlex.split(command) == ["arena", "bots", "resume", "Old Duck", "--book", str(registry.path)]
    arena(*shlex.split(command)[1:4])
    assert not registry.book().find("Old Duck").suspended


@pytest.mark.parametrize("verb", ["suspend", "resume", "rotate", "admit", "examine"])
def test_a_name_that_is_not_there_is_one_line_with_the_nearest(arena: Command, registry: Registry, verb: str) -> None:
    registry.enter(Bot("Duck", ""), None)
    assert arena("bots", verb, "duck", status=1) == f"arena: {registry.path}: there is no bot 'duck'; there is 'Duck'\n"


def test_an_address_that_is_none_is_one_line(arena: Command) -> None:
    said = arena("bots", "add", "Duck", "--address", "nowhere", status=1)
    assert said == "arena: --address: not HOST:PORT: 'nowhere'\n"


def test_receive_goes_on_when_nobody_reads_what_it_says(registry: Registry) -> None:
    words = ["bots", "receive", "--address", "127.0.0.1:0", "--book", str(registry.path)]
    with subprocess.Popen([sys.executable, "-m", "arena.cli", *words], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        address = program.stdout.readline().split()[-1]
        program.stdout.close()
        try:
            for _ in range(2):
                with pytest.raises(Refused, match="this token is not known here"):
                    connect(never, address=address, token="a-token", patience_s=10)
        finally:
            program.terminate()


def test_receive_wants_a_certificate_and_its_key(arena: Command, tmp_path: Path) -> None:
    assert "go together" in arena("bots", "receive", "--tls-key", str(tmp_path / "x"), status=2)


def taking(registry: Registry | None, test: Callable[[Gateway, list[News]], Awaitable[None]]) -> None:
    """Run the test beside a gateway that takes submissions, or none."""

    async def main(bridge: Bridge) -> None:
        news: list[News] = []
        with trio.fail_after(20):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: registry.authenticate(token) if registry else None,
                league="the league",
                notify=news.append,
                terms=Terms(allow_private=True),
                office=None if registry is None else BookOffice(registry),
            ) as gateway:
                await test(gateway, news)

    run(main)


def submitted(gateway: Gateway, submission: pb.Submission) -> Callable[[], pb.Admission]:
    """The kit's call, for a thread."""
    return lambda: submit(submission, arena=f"127.0.0.1:{gateway.port}")


def test_a_bot_is_entered_as_it_was_submitted(registry: Registry) -> None:
    code = registry.invite()

    async def test(gateway: Gateway, news: list[News]) -> None:
        entry = pb.Submission(invite=code, name="Duck", tables=3, variants=["classic"], software="duck 1")
        admission = await trio.to_thread.run_sync(submitted(gateway, entry))
        assert (admission.name, admission.league) == ("Duck", "the league")
        assert [(one.event, one.name) for one in news] == [(Event.SUBMITTED, "Duck")]
        assert registry.book().bots == (
            Bot(
                "Duck", digest(admission.token), "", 3, ("classic",), "duck 1", False, Standing.ON_TRIAL, "", "",
                digest(code), 1,
            ),
        )  # fmt: skip

    taking(registry, test)


@pytest.mark.parametrize(
    ("entry", "needle"),
    [
        ({"invite": "guess"}, "invitation"),
        ({"name": "a\nb"}, "printable"),
        ({"name": "duck"}, "taken"),
        ({"address": "nowhere"}, "HOST:PORT"),
        ({"tables": 1025}, "1024"),
        ({"variants": ["chess"]}, "chess"),
        ({"software": "x" * 65}, "64"),
        ({"software": "a\x1bb"}, "printable"),
    ],
)
def test_a_submission_that_cannot_be_is_refused_in_one_line(
    registry: Registry, entry: dict[str, object], needle: str
) -> None:
    registry.enter(Bot("Duck", ""), None)
    good: dict[str, object] = {"invite": registry.invite(), "name": "Other"}

    async def test(gateway: Gateway, news: list[News]) -> None:
        with pytest.raises(Refused, match=needle) as error:
            await trio.to_thread.run_sync(submitted(gateway, pb.Submission(**{**good, **entry})))  # type: ignore[arg-type]
        assert "\n" not in str(error.value)
        assert [one.event for one in news] == [Event.REFUSED]
        await trio.to_thread.run_sync(submitted(gateway, pb.Submission(**good)))  # type: ignore[arg-type]

    taking(registry, test)
    assert len(registry.book().bots) == 2


def test_a_book_that_cannot_be_read_ends_no_arena(registry: Registry) -> None:
    code = registry.invite()
    good = registry.path.read_bytes()
    entry = pb.Submission(invite=code, name="Duck")

    async def test(gateway: Gateway, news: list[News]) -> None:
        registry.path.write_text("{")
        with pytest.raises(Refused, match="nobody can be entered here now") as error:
            await trio.to_thread.run_sync(submitted(gateway, entry))
        assert registry.path.name not in str(error.value)  # where it is, is the operator's business
        ((event, said),) = [(one.event, one.reason) for one in news]
        assert event is Event.REFUSED
        assert said.startswith(f"{registry.path}: not a book of bots")
        registry.path.write_bytes(good)
        await trio.to_thread.run_sync(submitted(gateway, entry))

    taking(registry, test)


def test_an_arena_that_takes_no_submissions_says_so() -> None:
    async def test(gateway: Gateway, _news: list[News]) -> None:
        with pytest.raises(Refused, match="takes no submissions"):
            await trio.to_thread.run_sync(submitted(gateway, pb.Submission(invite="x", name="y")))
        with pytest.raises(Refused, match="token is not known here"):
            await trio.to_thread.run_sync(lambda: status(arena=f"127.0.0.1:{gateway.port}", token="guess"))

    taking(None, test)


def test_the_kit_s_command_writes_the_token_once_for_its_owner_only(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = registry.invite()
    path = tmp_path / "token"

    async def test(gateway: Gateway, _news: list[News]) -> None:
        words = ["--arena", f"127.0.0.1:{gateway.port}", "--name", "Duck", "--token-file", str(path)]

        def command(*more: str) -> object:
            with pytest.raises(SystemExit) as end:
                kit_main([*words, *more])
            return end.value.code

        refused = await trio.to_thread.run_sync(command, "--invite", "guess")
        assert "invitation" in str(refused)
        assert not path.exists()
        assert await trio.to_thread.run_sync(command, "--invite", code) == 0
        first.append(path.read_text().strip())
        assert "it is there already" in str(await trio.to_thread.run_sync(command, "--invite", code))
        assert path.read_text().strip() == first[0]
        assert await trio.to_thread.run_sync(command, "--invite", code, "--again") == 0

    first: list[str] = []
    taking(registry, test)
    token = path.read_text().strip()
    assert [registry.authenticate(one) for one in (*first, token)] == [None, "Duck"]
    assert path.stat().st_mode & 0o777 == 0o600
    said = capsys.readouterr().out
    assert token not in said
    assert first[0] not in said
    assert f"--token-file {path}" in said
    assert sorted(os.listdir(tmp_path)) == ["bots.json", "bots.json.lock", "token"]
    assert json.loads(registry.path.read_text())["invites"] == []


def test_an_arena_that_is_not_there_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        submit(pb.Submission(name="x"), arena="127.0.0.1:9", tls=Tls())
    with pytest.raises(SystemExit):
        kit_main(["--arena", "127.0.0.1:9", "--invite", "x", "--name", "x", "--token-file", str(tmp_path / "t")])
    assert os.listdir(tmp_path) == []


def test_an_invitation_is_never_taken_for_an_option(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "bots.json")
    assert all(registry.invite().isalnum() for _ in range(100))


@pytest.mark.parametrize(
    ("raised", "status"),
    [(KeyboardInterrupt(), 130), (Refused("no"), "submit: no"), (OSError("no file"), "submit: no file")],
)
def test_the_kit_s_command_leaves_nothing_behind_where_it_is_cut_off(
    raised: BaseException, status: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(*_given: object, **_named: object) -> pb.Admission:
        raise raised

    monkeypatch.setattr("arena.bot.submit.submit", cut_off)
    with pytest.raises(SystemExit) as end:
        kit_main(["--arena", "a:1", "--invite", "x", "--name", "Duck", "--token-file", str(tmp_path / "token")])
    assert end.value.code == status
    assert not os.listdir(tmp_path)


def test_the_kit_s_command_names_the_file_that_is_in_its_way(tmp_path: Path) -> None:
    (tmp_path / "token.new").touch()
    with pytest.raises(SystemExit) as end:
        kit_main(["--arena", "a:1", "--invite", "x", "--name", "Duck", "--token-file", str(tmp_path / "token")])
    assert end.value.code == f"submit: {tmp_path / 'token.new'}: File exists"


def test_a_name_that_is_no_text_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        kit_main(["--arena", "a:1", "--invite", "x", "--name", "a\udcff", "--token-file", str(tmp_path / "token")])
    assert end.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith("error: not UTF-8: 'a\\udcff'")
