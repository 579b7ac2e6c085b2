"""Certificates of the bot in JavaScript."""

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from arena.gateway import wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Dial, Terms
from arena.gateway.server import open_gateway
from arena.gateway.tls import ClientTls, ServerTls
from arena.rules.catalogue import rules
from tests.js.bot import PATIENCE_S, bot, ended, missing, serving
from tests.js.matches import SERVE, arrived, deals

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


@pytest.fixture
def certificate(tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    """Makes a certificate of this machine that signs itself, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl on this machine to make a certificate with")

    def make(name: str) -> tuple[Path, Path]:
        own, key = tmp_path / f"{name}.crt", tmp_path / f"{name}.key"
        made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(own)]
        subprocess.run([openssl, *made.split(), *names], check=True, capture_output=True, timeout=PATIENCE_S)
        return own, key

    return make


@pytest.mark.parametrize("direction", ["dial-in", "dial-out"])
def test_it_speaks_tls_in_both_directions(direction: str, certificate: Callable[[str], tuple[Path, Path]]) -> None:
    points: dict[str, list[int]] = defaultdict(list)
    own, key = certificate("one")

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token,
                league="tls",
                tls=ServerTls(own, key),
                terms=Terms(allow_private=True, tls=ClientTls(ca=own)),
            ) as gateway:
                out = direction == "dial-out"
                arena = ("--arena", f"localhost:{gateway.port}", "--ca", str(own))
                with bot(*((*SERVE, "--certificate", str(own), "--key", str(key)) if out else arena)) as ann:
                    if out:
                        gateway.dial(Dial("ann", serving(ann), wire.key_of("ann")))
                    await arrived(gateway, "ann")
                    await deals(gateway, 1, rules("classic", 4), 1, points)

    run(main)
    assert len(points["ann"]) == 1


def test_an_arena_with_a_certificate_of_somebody_else_does_not_get_the_token(
    certificate: Callable[[str], tuple[Path, Path]],
) -> None:
    own, key = certificate("one")
    other, _ = certificate("two")
    seen: list[str] = []

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge, address="127.0.0.1:0", authenticate=seen.append, league="tls", tls=ServerTls(own, key)
            ) as gateway:
                arena = ("--arena", f"localhost:{gateway.port}", "--ca", str(other), "--patience", "0")
                with bot(*arena) as process:
                    status, lines = await trio.to_thread.run_sync(ended, process)
                assert (status, len(lines)) == (1, 1), lines
                assert "out of reach" in lines[0]

    run(main)
    assert not seen


def test_each_side_that_may_be_wrong_about_tls_has_its_hint(certificate: Callable[[str], tuple[Path, Path]]) -> None:
    own, key = certificate("one")
    other, _ = certificate("two")
    ca = ("--ca", str(own))

    async def said(bridge: Bridge, tls: ServerTls | None, options: tuple[str, ...]) -> str:
        async with open_gateway(
            bridge, address="127.0.0.1:0", authenticate=lambda _: None, league="tls", tls=tls
        ) as gateway:
            with bot("--arena", f"localhost:{gateway.port}", "--patience", "0", *options) as process:
                status, lines = await trio.to_thread.run_sync(ended, process)
        assert (status, len(lines)) == (1, 1), lines
        return lines[0]

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            for tls, options, hint in (
                (ServerTls(own, key), (), "; perhaps the arena speaks TLS: give --ca FILE"),
                (ServerTls(own, key), ("--insecure",), "with who signed its certificate, without --insecure"),
                (ServerTls(own, key), ("--ca", str(other)), "; --ca FILE names who signed the arena's certificate"),
                (ServerTls(own, key, own), ca, "; perhaps the arena wants a certificate of the bot"),
                (None, ca, "; perhaps the arena speaks without TLS: leave out --ca and --certificate"),
                (None, (), "refused: this token is not known here"),
                (ServerTls(own, key), ca, "refused: this token is not known here"),
            ):
                line = await said(bridge, tls, options)
                assert hint in line
                assert ("perhaps" in line) == ("perhaps" in hint or "--insecure" in options)

    run(main)


def test_an_arena_that_is_not_there_has_no_hint() -> None:
    with bot("--arena", "localhost:9", "--patience", "0") as process:
        status, (line,) = ended(process)
    assert status == 1
    assert "ECONNREFUSED" in line
    assert "perhaps" not in line


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_without_tls_it_does_not_serve_where_others_reach_it(address: str) -> None:
    with bot("--serve", address) as process:
        status, lines = ended(process)
    assert (status, len(lines)) == (2, 1)
    assert "--insecure" in lines[0]
