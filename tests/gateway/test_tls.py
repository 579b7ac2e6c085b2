"""Certificates in both directions, and where there need be none."""

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest
import trio

from arena.bot import Refused, Tls, connect
from arena.gateway import pem, wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Dial, Terms
from arena.gateway.server import Gateway, open_gateway
from arena.gateway.tls import ClientTls, ServerTls
from tests.bot.served import Served
from tests.bot.test_dial import first_legal, play
from tests.gateway.certificates import Pair, made, needs_openssl
from tests.gateway.peers import until

pytestmark = needs_openssl


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def arena(directory: Path) -> Pair:
    return made(directory, "arena")


@pytest.fixture(scope="module")
def bot(directory: Path) -> Pair:
    return made(directory, "bot")


def opened(
    test: Callable[[Gateway], Awaitable[None]],
    *,
    address: str = "127.0.0.1:0",
    tls: ServerTls | None = None,
    insecure: bool = False,
    terms: Terms | None = None,
) -> None:
    async def main(bridge: Bridge) -> None:
        with trio.fail_after(40):
            async with open_gateway(
                bridge,
                address=address,
                authenticate=lambda token: token if token.isalpha() else None,
                league="tls",
                tls=tls,
                insecure=insecure,
                terms=terms,
            ) as gateway:
                await test(gateway)

    run(main)


def dial_in(gateway: Gateway, ends: list[str], tls: Tls, host: str = "127.0.0.1") -> threading.Thread:
    """The kit in a thread; how it ended is put in ``ends``."""

    def run_it() -> None:
        try:
            address = f"{host}:{gateway.port}"
            ends.append(connect(first_legal, address=address, token="ann", patience_s=0.3, tls=tls))
        except Refused as error:
            ends.append(f"refused: {error}")

    thread = threading.Thread(target=run_it)
    thread.start()
    return thread


def comes_in(server: ServerTls | None, kit: Tls, host: str = "127.0.0.1") -> str:
    """How a bot that dials in fares: "in", or why it is not."""
    ends: list[str] = []
    threads = []
    arrived = []

    async def test(gateway: Gateway) -> None:
        threads.append(dial_in(gateway, ends, kit, host))
        await until(lambda: ends or gateway.player("ann").connected)
        if gateway.player("ann").connected:
            arrived.append(True)
            await play(gateway, 1, "classic", ["ann"] * 4)

    opened(test, tls=server)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    return "in" if arrived else ends[0]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_bot_that_knows_who_signed_plays_over_tls(arena: Pair, host: str) -> None:
    assert comes_in(ServerTls(arena.certificate, arena.key), Tls(ca=arena.certificate), host) == "in"


def test_a_bot_that_trusts_another_authority_does_not_come_in(arena: Pair, bot: Pair) -> None:
    said = comes_in(ServerTls(arena.certificate, arena.key), Tls(ca=bot.certificate))
    assert "CERTIFICATE_VERIFY_FAILED" in said
    assert "\n" not in said


def test_a_certificate_for_another_host_is_not_taken(directory: Path) -> None:
    other = made(directory, "other", alternatives="DNS:elsewhere.example")
    assert "refused" in comes_in(ServerTls(other.certificate, other.key), Tls(ca=other.certificate))


def test_a_plain_bot_does_not_get_into_an_arena_with_tls(arena: Pair) -> None:
    assert "refused" in comes_in(ServerTls(arena.certificate, arena.key), Tls(insecure=True))


def test_where_bots_need_a_certificate_only_those_that_have_one_come_in(arena: Pair, bot: Pair) -> None:
    server = ServerTls(arena.certificate, arena.key, client_ca=bot.certificate)
    assert comes_in(server, Tls(arena.certificate, bot.certificate, bot.key)) == "in"
    assert "refused" in comes_in(server, Tls(arena.certificate))
    assert "refused" in comes_in(server, Tls(arena.certificate, arena.certificate, arena.key))


def is_dialled(terms: Terms, kit: Tls, host: str = "127.0.0.1") -> str:
    """How a bot that is dialled fares: "in", or why it is not."""
    bot = Served(tls=kit)
    said: list[str] = []

    async def test(gateway: Gateway) -> None:
        gateway.dial(Dial("ann", f"{host}:{bot.port}", wire.key_of("ann")))
        player = gateway.player("ann")
        await until(lambda: player.connected or player.last_reason != "never connected")
        said.append("in" if player.connected else player.last_reason)
        if player.connected:
            await play(gateway, 1, "classic", ["ann"] * 4)

    opened(test, terms=terms)
    bot.stop()
    return said[0]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_bot_is_dialled_over_tls_by_an_arena_that_knows_who_signed(bot: Pair, host: str) -> None:
    terms = Terms(allow_private=True, tls=ClientTls(ca=bot.certificate))
    assert is_dialled(terms, Tls(certificate=bot.certificate, key=bot.key), host) == "in"


def test_a_dialled_bot_with_an_unknown_certificate_is_a_failure_of_tls(arena: Pair, bot: Pair) -> None:
    terms = Terms(allow_private=True, tls=ClientTls(ca=arena.certificate))
    said = is_dialled(terms, Tls(certificate=bot.certificate, key=bot.key))
    assert said.startswith("tls: ")
    assert "CERTIFICATE_VERIFY_FAILED" in said


def test_a_plain_bot_where_the_arena_wants_tls_is_a_failure_of_tls(bot: Pair) -> None:
    assert is_dialled(Terms(allow_private=True, tls=ClientTls(ca=bot.certificate)), Tls()).startswith("tls: ")


def test_a_dialled_bot_may_want_the_arena_s_certificate(arena: Pair, bot: Pair) -> None:
    kit = Tls(ca=arena.certificate, certificate=bot.certificate, key=bot.key)
    known = ClientTls(ca=bot.certificate, certificate=arena.certificate, key=arena.key)
    assert is_dialled(Terms(allow_private=True, tls=known), kit) == "in"
    nobody = ClientTls(ca=bot.certificate)
    assert is_dialled(Terms(allow_private=True, tls=nobody), kit) != "in"


async def nothing(_gateway: Gateway) -> None:
    pass


def test_an_arena_that_others_reach_needs_tls_or_leave_to_do_without(arena: Pair) -> None:
    with pytest.raises(OSError, match=r"cannot listen on 0\.0\.0\.0:0: .*certificate.*insecure"):
        opened(nothing, address="0.0.0.0:0")
    opened(nothing, address="0.0.0.0:0", insecure=True)
    opened(nothing, address="0.0.0.0:0", tls=ServerTls(arena.certificate, arena.key))


def test_files_that_are_no_certificates_are_named_in_one_line(arena: Pair, bot: Pair, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    for tls in (
        ServerTls(arena.certificate, bot.key),
        ServerTls(tmp_path / "empty", arena.key),
        ServerTls(arena.certificate, arena.key, tmp_path / "empty"),
        ServerTls(tmp_path / "missing", arena.key),
    ):
        with pytest.raises(OSError, match=r"^(?!.*\n)") as error:
            opened(nothing, tls=tls)
        assert ".pem" in str(error.value) or str(tmp_path) in str(error.value)
    with pytest.raises(OSError, match="no certificate and its key"):
        Tls(certificate=arena.certificate, key=bot.key).server("127.0.0.1")
    with pytest.raises(OSError, match="missing"):
        Tls(ca=tmp_path / "missing").channel("127.0.0.1")


def test_certificates_may_have_names_beside_them_that_are_not_ascii(bot: Pair, tmp_path: Path) -> None:
    file = tmp_path / "bundle.pem"  # as the bundles of some systems have it
    file.write_bytes("# NetLock Arany (Class Gold) Főtanúsítvány\n".encode() + bot.certificate.read_bytes())
    assert pem.roots(file) == file.read_bytes()
    assert ClientTls(file).context().get_ca_certs() == ClientTls(bot.certificate).context().get_ca_certs() != []


@pytest.mark.parametrize(
    ("host", "tls", "plain"),
    [
        ("127.0.0.1", Tls(), True),
        ("localhost", Tls(), True),
        ("bots.example", Tls(), False),
        ("10.0.0.1", Tls(), False),
        ("10.0.0.1", Tls(insecure=True), True),
    ],
)
def test_a_bot_goes_plain_to_this_machine_only(host: str, tls: Tls, plain: bool) -> None:
    credentials = tls.channel(host)
    assert (credentials is None) is plain
    assert credentials is None or isinstance(credentials, grpc.ChannelCredentials)
