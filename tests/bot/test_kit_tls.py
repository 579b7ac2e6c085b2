"""A kit that speaks TLS to an arena that does not, or the other way round: it says what may be the cause."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio

from arena.bot import Refused, Tls, connect
from arena.bot.status import status
from arena.bot.submit import submit
from arena.gateway.bridge import Bridge, run
from arena.gateway.server import open_gateway
from arena.gateway.tls import ServerTls
from arena.v1 import arena_pb2 as pb
from tests.bot.served import never
from tests.gateway.certificates import made, needs_openssl

PATIENCE_S = 20.0


def said(address: str, tls: Tls) -> list[str]:
    """What each of the three that dial an arena says of it."""
    found = []
    for dial in (
        lambda: connect(never, address=address, token="a-token", patience_s=0, tls=tls),
        lambda: status(arena=address, token="a-token", tls=tls),
        lambda: submit(pb.Submission(name="Duck"), arena=address, tls=tls),
    ):
        with pytest.raises(Refused) as refused:
            dial()
        found.append(str(refused.value))
    assert not any("\n" in one for one in found)
    return found


def said_of(arena: ServerTls | None, tls: Tls, host: str = "127.0.0.1") -> list[str]:
    """The same of a gateway with this certificate."""

    async def main(bridge: Bridge) -> list[str]:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge, address="127.0.0.1:0", authenticate=lambda _: None, league="tls", tls=arena
            ) as gateway:
                return await trio.to_thread.run_sync(said, f"{host}:{gateway.port}", tls)

    return run(main)


@needs_openssl
def test_each_side_that_may_be_wrong_about_tls_has_its_hint(tmp_path: Path) -> None:
    pair, other = made(tmp_path, "one"), made(tmp_path, "two")
    own = ServerTls(pair.certificate, pair.key)
    wants = ServerTls(pair.certificate, pair.key, pair.certificate)
    for arena, tls, hint in (
        (own, Tls(), "; perhaps the arena speaks TLS: give --ca FILE, with who signed its certificate"),
        (own, Tls(insecure=True), "with who signed its certificate, without --insecure"),
        (own, Tls(ca=other.certificate), "; --ca FILE names who signed the arena's certificate"),
        (wants, Tls(ca=pair.certificate), "; perhaps the arena wants a certificate of the bot: give --certificate and"),
        (None, Tls(ca=pair.certificate), "; perhaps the arena speaks without TLS: leave out --ca and --certificate"),
    ):
        for one in said_of(arena, tls):
            assert hint in one, one
            assert "is out of reach" in one


@needs_openssl
def test_an_arena_that_has_spoken_has_said_what_is_wrong_itself(tmp_path: Path) -> None:
    pair = made(tmp_path, "one")
    for arena, tls in ((None, Tls()), (ServerTls(pair.certificate, pair.key), Tls(ca=pair.certificate))):
        for one in said_of(arena, tls):
            assert "refused: " in one
            assert "perhaps" not in one


@contextmanager
def rude() -> Iterator[str]:
    """Takes connections, and shuts each at once: its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def shut() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.close()

        thread = threading.Thread(target=shut)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_an_arena_that_is_not_there_has_no_hint_and_one_that_hangs_up_has() -> None:
    for one in said("127.0.0.1:9", Tls()):
        assert "Connection refused" in one
        assert "perhaps" not in one
    with rude() as address:
        for one in said(address, Tls()):
            assert "perhaps the arena speaks TLS" in one


@pytest.mark.parametrize("told", ["Socket closed", "recvmsg:Connection reset by peer", "the arena is closing"])
def test_a_call_that_was_lost_has_no_hint(told: str) -> None:
    assert Tls().hint("127.0.0.1", told) == ""
