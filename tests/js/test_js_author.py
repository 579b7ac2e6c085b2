"""What its author does with the bot in JavaScript: check it, submit it, look after it."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import grpc
import pytest
import trio
from grpc_health.v1 import health_pb2
from typer.testing import CliRunner

from arena.cli import trials
from arena.cli.main import app
from arena.store.submission import Standing
from tests.js.bot import JS, PATIENCE_S, bot, missing, serving
from tests.js.matches import SERVE
from tests.trials import Arena, with_arena

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


def check(*words: str) -> str:
    """What `arena check` says of a bot that passes."""
    result = CliRunner().invoke(app, ["check", *words, "--answer", "5"], standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 0), result.output
    return result.output


def test_it_passes_the_check_when_it_is_started() -> None:
    said = check("--command", shlex.join(["node", str(JS / "bot.js")]))
    assert "ok   token-refused" in said
    assert "FAIL" not in said


def test_it_passes_the_check_when_it_is_dialled(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("ann\n")
    with bot(*SERVE) as process:
        said = check(serving(process), "--token-file", str(token))
    assert "ok   open-question" in said


def test_its_health_can_be_asked_by_anybody() -> None:
    with bot(*SERVE) as process, grpc.insecure_channel(serving(process)) as channel:
        ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")

        def health(service: str) -> int:
            request = health_pb2.HealthCheckRequest(service=service).SerializeToString()
            status: int = health_pb2.HealthCheckResponse.FromString(ask(request, timeout=PATIENCE_S)).status
            return status

        assert health("") == health("arena.v1.BotService") == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.RpcError) as error:
            health("arena.v1.ArenaService")
    assert error.value.code() is grpc.StatusCode.NOT_FOUND


def submit(*words: str) -> tuple[int, list[str]]:
    """`submit.js`: exit status, and all that it says."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("ARENA_", "GRPC_"))}
    done = subprocess.run(
        ["node", str(JS / "submit.js"), *words],
        capture_output=True, text=True, timeout=PATIENCE_S, env=environment, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_it_is_submitted_refused_submitted_again_and_admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "FOLLOW_EVERY_S", 0.01)
    file = tmp_path / "token"

    async def test(arena: Arena) -> None:
        code = arena.registry.invite()
        where = ["--arena", arena.address, "--token-file", str(file)]
        entry = [*where, "--invite", code, "--name", "Js", "--variants", "classic domino"]

        async def said(*words: str) -> tuple[int, list[str]]:
            return await trio.to_thread.run_sync(submit, *words)

        status, lines = await said(*where, "--invite", "guess", "--name", "Js")
        assert (status, "not known here" in lines[0], file.exists()) == (1, True, False)
        status, lines = await said(*entry)
        assert (status, file.stat().st_mode & 0o777) == (0, 0o600)
        assert lines[0].startswith("Js is entered, and on trial")
        assert (await said(*where))[1][0].startswith("Js is on trial: ")
        arena.registry.judge(arena.bot("Js"), Standing.REFUSED, "tcp: nobody there", "arena check x")
        assert await said(*where, "--wait") == (
            1,
            ["Js is refused: tcp: nobody there", "repeat it: arena check x", "it may be submitted again 4 times"],
        )
        assert (await said(*entry))[0] == 1, "the file is there"
        assert (await said(*entry, "--again"))[0] == 0
        with bot("--arena", arena.address, token=file.read_text().strip()):
            status, lines = await said(*where, "--wait")
        assert (status, lines[-1]) == (0, "Js is admitted"), lines
        assert set(arena.bot("Js").variants) == {"classic", "domino"}

    registry = with_arena(tmp_path, test)
    assert sorted(os.listdir(tmp_path)) == ["bots.json", "bots.json.lock", "token"]
    assert json.loads(registry.path.read_text())["invites"] == []


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        ((), "give --arena"),
        (("--arena", "127.0.0.1:9", "--token-file", "x", "--invite", "x"), "go together"),
        (("--arena", "127.0.0.1:9", "--token-file", "x", "--tables", "many"), "--tables"),
        (("--areena", "x"), "--areena"),
    ],
)
def test_wrong_usage_of_submit_is_one_line(words: tuple[str, ...], needle: str) -> None:
    status, lines = submit(*words)
    assert (status, len(lines)) == (2, 1), lines
    assert needle in lines[0]
