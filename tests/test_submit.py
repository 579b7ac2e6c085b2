"""From an invitation to a suspension: the book, the commands, and the call of the kit."""

import contextlib
import io
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from arena.bot import Refused, Tls, connect
from arena.bot.submit import main as kit_main
from arena.bot.submit import submit
from arena.cli import submit as commands
from arena.cli.main import main
from arena.cli.submit import applying, dials, follow
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Terms
from arena.gateway.server import Event, Gateway, News, open_gateway
from arena.gateway.submissions import closed
from arena.league.config import ConfigError
from arena.league.tokens import read_tokens
from arena.store.submission import Bot, NotEntered, Registry, SubmissionError, Wrong, digest, outline
from arena.v1 import arena_pb2 as pb
from tests.bot.test_dial import first_legal
from tests.bot.test_service import Served
from tests.gateway.peers import until


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """An empty book."""
    return Registry(tmp_path / "bots.json")


def test_a_bot_is_entered_once_with_an_invitation(registry: Registry) -> None:
    code = registry.invite()
    token = registry.enter(Bot("Deep Duck", ""), code)
    assert registry.authenticate(token) == "Deep Duck"
    with pytest.raises(NotEntered, match="not known here, or was used") as error:
        registry.enter(Bot("Other", ""), code)
    assert error.value.wrong is Wrong.INVITE


def test_neither_tokens_nor_invitations_are_kept(registry: Registry) -> None:
    code, unused = registry.invite(), registry.invite()
    token = registry.enter(Bot("Duck", ""), code)
    text = registry.path.read_text()
    assert not any(secret in text for secret in (code, unused, token))
    assert digest(token) in text
    assert registry.path.stat().st_mode & 0o777 == 0o600


def test_tokens_and_invitations_are_all_different_and_long(registry: Registry) -> None:
    secrets = {registry.invite() for _ in range(20)} | {registry.enter(Bot(f"b{n}", ""), None) for n in range(20)}
    assert len(secrets) == 40
    assert all(len(secret) >= 24 for secret in secrets)


@pytest.mark.parametrize(
    "name",
    [
        "", " a", "a ", "a\n", "a\x1b[31m", "a\u202eb", "a\u200bb", "\u2066a", "x" * 65, "\u0301a", "\ud800", "---",
        "house", "HOUSE 3",
    ],
)  # fmt: skip
def test_a_name_that_could_mislead_is_refused_and_the_invitation_stays_good(registry: Registry, name: str) -> None:
    code = registry.invite()
    with pytest.raises(NotEntered) as error:
        registry.enter(Bot(name, ""), code)
    assert error.value.wrong is Wrong.NAME
    assert str(error.value).isascii()
    assert str(error.value).isprintable()
    registry.enter(Bot("good", ""), code)


@pytest.mark.parametrize(
    ("there", "like"),
    [
        ("Duck", "duck"), ("Duck", "ＤＵＣＫ"), ("straße", "STRASSE"), ("a b", "a  b"), ("fish", "ﬁsh"), ("№1", "no1"),
        ("é1", "e\u03011"),
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_is_taken(registry: Registry, there: str, like: str) -> None:
    registry.enter(Bot(there, ""), None)
    with pytest.raises(NotEntered) as error:
        registry.enter(Bot(like, ""), None)
    assert error.value.wrong is Wrong.TAKEN
    with pytest.raises(NotEntered):
        Registry(registry.path.with_name("other.json")).enter(Bot(like, ""), None, (there,))


@pytest.mark.parametrize("name", ["Ferdinand", "Ünïcode", "三國", "a" * 64, "bot <b>&", "o'1"])
def test_other_names_are_welcome(registry: Registry, name: str) -> None:
    assert registry.authenticate(registry.enter(Bot(name, ""), None)) == name
    assert outline(outline(name)) == outline(name)


def test_a_suspended_bot_is_not_let_in_and_resumes_with_its_token(registry: Registry) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    registry.suspend("Duck")
    assert registry.authenticate(token) is None
    registry.suspend("Duck", suspended=False)
    assert registry.authenticate(token) == "Duck"


def test_after_a_rotation_only_the_new_token_is_good(registry: Registry) -> None:
    old = registry.enter(Bot("Duck", ""), None)
    new = registry.rotate("Duck")
    assert registry.authenticate(old) is None
    assert registry.authenticate(new) == "Duck"


def test_changes_of_another_process_are_seen_at_once(registry: Registry) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    assert registry.authenticate(token) == "Duck"
    Registry(registry.path).suspend("Duck")
    assert registry.authenticate(token) is None


def test_changes_side_by_side_are_all_kept(registry: Registry) -> None:
    def enter(first: int) -> None:
        mine = Registry(registry.path)
        for number in range(10):
            mine.enter(Bot(f"bot {first + number}", ""), None)

    threads = [threading.Thread(target=enter, args=(first,)) for first in range(0, 40, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(registry.book().bots) == 40


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', "\x00", '{"format": "hearts-arena/bots@1"}'])
def test_a_book_that_is_none_is_an_error_in_one_line_and_a_running_arena_plays_on(
    registry: Registry, text: str
) -> None:
    token = registry.enter(Bot("Duck", ""), None)
    assert registry.authenticate(token) == "Duck"
    registry.path.write_text(text)
    with pytest.raises(SubmissionError, match="not a book of bots") as error:
        registry.book()
    assert "\n" not in str(error.value)
    assert registry.authenticate(token) == "Duck"
    with pytest.raises(SubmissionError):
        registry.invite()
    assert registry.path.read_text() == text  # nothing is written over it


def test_a_league_takes_the_book_for_its_tokens(registry: Registry) -> None:
    token = registry.enter(Bot("Duck", "", "203.0.113.1:7071"), None)
    tokens = read_tokens(registry.path)
    assert tokens.authenticate(token) == "Duck"
    assert tokens.key("Duck") == bytes.fromhex(digest(token))
    assert tokens.key("Goose") is None
    assert [bot.address for bot in tokens.dialled()] == ["203.0.113.1:7071"]
    registry.suspend("Duck")
    assert tokens.authenticate(token) is None
    assert tokens.dialled() == ()
    with pytest.raises(ConfigError, match="no bot is in it"):
        read_tokens(registry.path.with_name("none.json"))


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


def test_the_commands_invite_enter_list_suspend_and_rotate(arena: Command, registry: Registry) -> None:
    code = arena("invite").strip()
    registry.enter(Bot("Duck", "", "h.example:1", 4, ("classic",)), code)
    token = arena("bots", "add", "Goose").strip()
    assert registry.authenticate(token) == "Goose"
    arena("bots", "suspend", "Goose")
    assert registry.authenticate(token) is None
    assert arena("bots", "list").splitlines() == [
        "Duck: dialled at h.example:1, at most 4 tables, plays classic",
        "Goose: dials in, SUSPENDED",
        "2 bots, 0 invitations open",
    ]
    arena("bots", "resume", "Goose")
    new = arena("bots", "rotate", "Goose").strip()
    assert (registry.authenticate(token), registry.authenticate(new)) == (None, "Goose")


@pytest.mark.parametrize("verb", ["suspend", "resume", "rotate"])
def test_a_name_that_is_not_there_is_one_line_with_the_nearest(arena: Command, registry: Registry, verb: str) -> None:
    registry.enter(Bot("Duck", ""), None)
    assert arena("bots", verb, "duck", status=1) == "arena: there is no bot 'duck'; there is 'Duck'\n"


def test_an_address_that_is_none_is_one_line(arena: Command) -> None:
    said = arena("bots", "add", "Duck", "--address", "nowhere", status=1)
    assert said == "arena: --address: not HOST:PORT: 'nowhere'\n"


def test_receive_wants_a_certificate_and_its_key(arena: Command, tmp_path: Path) -> None:
    assert "go together" in arena("bots", "receive", "--tls-key", str(tmp_path / "x"), status=1)


def taking(
    registry: Registry | None, test: Callable[[Gateway, list[News]], Awaitable[None]], *, taken: tuple[str, ...] = ()
) -> None:
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
                apply=closed if registry is None else applying(registry, taken=lambda: taken),
            ) as gateway:
                await test(gateway, news)

    run(main)


def submitted(gateway: Gateway, submission: pb.Submission) -> Callable[[], pb.Admission]:
    """The kit's call, for a thread."""
    return lambda: submit(submission, arena=f"127.0.0.1:{gateway.port}")


def test_a_bot_is_submitted_and_plays_with_its_token(registry: Registry) -> None:
    code = registry.invite()
    ends = []

    async def test(gateway: Gateway, news: list[News]) -> None:
        entry = pb.Submission(invite=code, name="Duck", tables=3, variants=["classic"], software="duck 1")
        admission = await trio.to_thread.run_sync(submitted(gateway, entry))
        assert (admission.name, admission.league) == ("Duck", "the league")
        assert [(one.event, one.name) for one in news] == [(Event.SUBMITTED, "Duck")]
        assert registry.book().bots == (
            Bot("Duck", digest(admission.token), "", 3, ("classic",), "duck 1"),
        )  # fmt: skip

        def dial_in() -> None:
            try:
                address = f"127.0.0.1:{gateway.port}"
                connect(first_legal, address=address, token=admission.token, patience_s=5)
            except Refused as error:
                ends.append(str(error))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow, gateway, registry)
            nursery.start_soon(trio.to_thread.run_sync, dial_in)
            await until(lambda: gateway.player("Duck").connected)
            registry.suspend("Duck")
            await until(lambda: ends)
            nursery.cancel_scope.cancel()

    taking(registry, test)
    assert "suspended" in ends[0] or "not known here" in ends[0]


def test_a_submitted_address_is_dialled_at_once_and_after_a_suspension(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "FOLLOW_EVERY_S", 0.01)
    code = registry.invite()
    bots = []

    async def test(gateway: Gateway, _news: list[News]) -> None:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")  # where nobody speaks our language
        async with listener, trio.open_nursery() as nursery:
            nursery.start_soon(follow, gateway, registry)
            address = f"127.0.0.1:{listener.socket.getsockname()[1]}"
            entry = pb.Submission(invite=code, name="Duck", address=address)
            await trio.to_thread.run_sync(submitted(gateway, entry))
            (stream,) = [await listener.accept()]
            await stream.aclose()
            token = registry.rotate("Duck")
            bots.append(Served(token=token))
            entered = registry.book().find("Duck")
            registry._alter("Duck", lambda bot: Bot("Duck", entered.token, bots[0].address))
            player = gateway.player("Duck")
            await until(lambda: player.connected)
            registry.suspend("Duck")
            await until(lambda: not player.connected)
            assert "suspended" in player.last_reason
            registry.suspend("Duck", suspended=False)
            await until(lambda: player.connected)
            nursery.cancel_scope.cancel()

    taking(registry, test)
    bots[0].stop()
    assert [one.name for one in dials(registry)] == ["Duck"]


@pytest.mark.parametrize(
    ("entry", "needle"),
    [
        ({"invite": "guess"}, "invitation"),
        ({"name": "a\nb"}, "printable"),
        ({"name": "duck"}, "taken"),
        ({"name": "GOOSE"}, "taken"),
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

    taking(registry, test, taken=("goose",))
    assert len(registry.book().bots) == 2


def test_an_arena_that_takes_no_submissions_says_so() -> None:
    async def test(gateway: Gateway, _news: list[News]) -> None:
        with pytest.raises(Refused, match="takes no submissions"):
            await trio.to_thread.run_sync(submitted(gateway, pb.Submission(invite="x", name="y")))

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
        again = await trio.to_thread.run_sync(command, "--invite", registry.invite())
        assert "File exists" in str(again)

    taking(registry, test)
    token = path.read_text().strip()
    assert registry.authenticate(token) == "Duck"
    assert path.stat().st_mode & 0o777 == 0o600
    assert token not in capsys.readouterr().out
    assert len(json.loads(registry.path.read_text())["invites"]) == 1


def test_an_arena_that_is_not_there_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        submit(pb.Submission(name="x"), arena="127.0.0.1:9", tls=Tls())
    with pytest.raises(SystemExit):
        kit_main(["--arena", "127.0.0.1:9", "--invite", "x", "--name", "x", "--token-file", str(tmp_path / "t")])
    assert os.listdir(tmp_path) == []


def test_an_invitation_is_never_taken_for_an_option(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "bots.json")
    assert all(registry.invite().isalnum() for _ in range(100))
