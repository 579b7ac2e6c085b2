"""What strangers do on the wire is no line on the operator's terminal, but those that the arena writes itself."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.commands import Arena
from tests.gateway.certificates import made, needs_openssl


@needs_openssl
def test_a_stranger_without_tls_writes_nothing(tmp_path: Path) -> None:
    """gRPC's own log would grow by a line with each."""
    pair = made(tmp_path, "arena")
    words = ["bots", "receive", "--address", "127.0.0.1:0", "--book", str(tmp_path / "bots.json")]
    words += ["--tls-certificate", str(pair.certificate), "--tls-key", str(pair.key)]
    command = [sys.executable, "-m", "arena.cli", *words]
    usual = {key: value for key, value in os.environ.items() if not key.startswith("GRPC_")}
    with subprocess.Popen(command, env=usual, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        found = re.search(r":(\d+)$", running.stdout.readline().strip())
        assert found
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", int(found[1]))) as stranger:
                stranger.sendall(b"GET / HTTP/1.0\r\n\r\n")
                while stranger.recv(4096):  # until it is closed
                    pass
        running.send_signal(signal.SIGINT)
        assert running.stderr.read() in ("", "arena: interrupted\n")
        assert running.wait() == 130


def test_one_bot_is_one_bot(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('name = "x"\n[[bots]]\nname = "ada"\n')
    assert arena("tokens", path).stdout.endswith(": 1 line TOKEN NAME, one for each bot, readable by you only\n")
    assert arena("schedule", path).stdout.startswith("x: classic, 1 bot at tables of 4, orbits 27,")
