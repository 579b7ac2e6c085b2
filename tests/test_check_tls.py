"""The step `tls` of `arena check`: whose certificate is not good fails there, with the reason, and not later."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.bot import Tls
from arena.cli.main import app
from tests.bot.served import Served
from tests.broken_bots import TOKEN
from tests.gateway.certificates import Pair, made, needs_openssl

pytestmark = needs_openssl
HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the certificates are, and the token."""
    found = tmp_path_factory.mktemp("certificates")
    (found / "token").write_text(f"{TOKEN}\n")
    return found


@pytest.fixture(scope="module")
def bot(directory: Path) -> Pair:
    """The bot's."""
    return made(directory, "bot")


@contextmanager
def served(tls: Tls) -> Iterator[str]:
    bot = Served(token=TOKEN, tls=tls)
    try:
        yield bot.address
    finally:
        bot.stop()


def check(address: str, directory: Path, ca: Path, *more: str) -> tuple[int, str]:
    words = ["check", address, "--token-file", str(directory / "token"), "--ca", str(ca), "--connect", "5", *more]
    result = CliRunner().invoke(app, words, standalone_mode=False)
    assert result.exception is None, result.output
    return result.return_value, result.output


def test_a_good_certificate_passes_and_its_bot_is_let_in(directory: Path, bot: Pair) -> None:
    with served(Tls(certificate=bot.certificate, key=bot.key)) as address:
        status, said = check(address, directory, bot.certificate, "--step", "question")
    assert status == 0, said
    assert "ok   tls" in said
    assert "TLSv1" in said


def fails(said: str) -> str:
    """The reason of the first failure, which is that of this step."""
    (first,) = [line for line in said.splitlines() if line.startswith("first failure: ")]
    assert first.startswith("first failure: tls: "), said
    assert any(line.startswith("repeat it: ") and line.endswith("--step tls") for line in said.splitlines())
    return first.removeprefix("first failure: tls: ")


def test_a_certificate_that_nobody_trusts_is_told(directory: Path, bot: Pair) -> None:
    other = made(directory, "other")
    with served(Tls(certificate=bot.certificate, key=bot.key)) as address:
        status, said = check(address, directory, other.certificate)
    assert status == 1
    assert "its certificate is refused: self-signed certificate" in fails(said).replace("self signed", "self-signed")
    assert f"--ca {other.certificate}" in said


def test_a_certificate_for_another_name_is_told(directory: Path) -> None:
    elsewhere = made(directory, "elsewhere", alternatives="DNS:bot.example")
    with served(Tls(certificate=elsewhere.certificate, key=elsewhere.key)) as address:
        status, said = check(address, directory, elsewhere.certificate)
    assert status == 1
    assert "IP address mismatch" in fails(said)


def test_a_bot_that_wants_a_certificate_of_ours_is_told(directory: Path, bot: Pair) -> None:
    """`arena check` has none to show."""
    with served(Tls(ca=bot.certificate, certificate=bot.certificate, key=bot.key)) as address:
        status, said = check(address, directory, bot.certificate)
    assert status == 1
    assert "certificate" in fails(said).partition(": ")[2]


def hang_up(stream: socket.socket) -> None:
    stream.recv(1000)


def speak_plainly(stream: socket.socket) -> None:
    stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    stream.recv(1000)


@pytest.mark.parametrize(("answer", "needle"), [(hang_up, "no TLS"), (speak_plainly, "wrong version number")])
def test_who_speaks_no_tls_is_told(
    answer: Callable[[socket.socket], None], needle: str, directory: Path, bot: Pair
) -> None:
    with socket.create_server((HOST, 0)) as listener:

        def take() -> None:
            for _ in range(2):  # tcp, and then this
                stream, _ = listener.accept()
                with stream, suppress(ConnectionError):
                    answer(stream)

        thread = threading.Thread(target=take)
        thread.start()
        status, said = check(f"{HOST}:{listener.getsockname()[1]}", directory, bot.certificate)
        thread.join()
    assert status == 1
    assert needle in fails(said)


def test_who_never_answers_the_handshake_is_given_up(directory: Path, bot: Pair) -> None:
    with socket.create_server((HOST, 0)) as listener:
        address = f"{HOST}:{listener.getsockname()[1]}"
        status, said = check(address, directory, bot.certificate, "--connect", "0.2")
    assert status == 1
    assert fails(said) == "no handshake within 0.2 s"
