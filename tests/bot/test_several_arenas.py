"""The kit as a server, when more than one arena calls: whose the bot is."""

import sys
from pathlib import Path

import grpc
import pytest
import trio

from arena.bot import service
from arena.gateway.dialer import Dial
from arena.gateway.server import Gateway, News
from arena.v1 import arena_pb2 as pb
from tests.bot.served import KEY, PING, TOKEN, Served, called, welcome, with_gateway
from tests.gateway.peers import until


def test_a_newer_call_replaces_an_older_one_once_it_is_proved() -> None:
    with called() as call:
        first = call()
        first.say(welcome(first.hear().hello))
        second = call()
        hello = second.hear().hello
        first.say(PING)
        assert first.hear().pong.nonce == 7  # a stranger's call changes nothing
        second.say(welcome(hello), PING)
        assert second.hear().pong.nonce == 7
        code, reason = first.refused()
    assert code is grpc.StatusCode.ABORTED
    assert "newer" in reason


@pytest.mark.parametrize(
    ("first", "second"), [("league", "league"), ("", "check"), ("league", "")], ids=["the same", "old", "new"]
)
def test_a_newer_call_of_the_same_arena_or_of_one_that_does_not_say_replaces_an_older(first: str, second: str) -> None:
    with called() as call:
        older = call(instance=first)
        older.say(welcome(older.hear().hello), PING)
        assert older.hear().pong.nonce == 7
        newer = call(instance=second)
        newer.say(welcome(newer.hear().hello), PING)
        assert newer.hear().pong.nonce == 7
        assert older.refused()[0] is grpc.StatusCode.ABORTED


def test_another_arena_does_not_take_the_bot_from_the_one_that_it_plays_for() -> None:
    with called() as call:
        league = call(instance="league")
        league.say(welcome(league.hear().hello), PING)
        assert league.hear().pong.nonce == 7
        check = call(instance="check")
        assert check.refused() == (grpc.StatusCode.RESOURCE_EXHAUSTED, service.TAKEN)
        league.say(PING)
        assert league.hear().pong.nonce == 7
        league.say(pb.ArenaMessage(goodbye=pb.Goodbye(status=14, reason="the league is over")))
        with pytest.raises(StopIteration):
            next(league.call)
        check = call(instance="check")
        check.say(welcome(check.hear().hello), PING)
        assert check.hear().pong.nonce == 7


def test_who_has_not_proved_to_be_an_arena_keeps_none_out() -> None:
    with called() as call:
        stranger = call(instance="stranger")
        stranger.hear()
        league = call(instance="league")
        league.say(welcome(league.hear().hello), PING)
        assert league.hear().pong.nonce == 7


def test_an_arena_that_is_silent_keeps_no_other_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "ALIVE_S", 0.0)
    with called() as call:
        gone = call(instance="before the power cut")
        gone.say(welcome(gone.hear().hello), PING)
        assert gone.hear().pong.nonce == 7
        league = call(instance="after it")
        league.say(welcome(league.hear().hello), PING)
        assert league.hear().pong.nonce == 7
        assert gone.refused()[0] is grpc.StatusCode.ABORTED


def test_a_check_of_a_bot_that_plays_says_so_and_does_not_disturb_it(tmp_path: Path) -> None:
    bot, news = Served(), list[News]()
    (tmp_path / "token").write_text(TOKEN)
    command = ["check", bot.address, "--token-file", str(tmp_path / "token"), "--step", "hello"]

    async def scenario(gateway: Gateway) -> None:
        gateway.dial(Dial("ann", bot.address, KEY))
        await until(lambda: gateway.player("ann").connected)
        news.clear()
        checked = await trio.run_process(
            [sys.executable, "-m", "arena.cli", *command], check=False, capture_stdout=True
        )
        assert checked.returncode == 1
        assert service.TAKEN in checked.stdout.decode()
        assert gateway.player("ann").connected
        assert not news

    try:
        with_gateway(scenario, news.append)
    finally:
        bot.stop()
