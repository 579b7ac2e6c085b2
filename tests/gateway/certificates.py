"""Certificates for a test, made by the openssl command."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="the openssl command, which makes certificates, is missing")


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate that is its own authority, for 127.0.0.1 and localhost, and its key."""

    certificate: Path
    key: Path


def made(directory: Path, name: str, *, alternatives: str = "IP:127.0.0.1,DNS:localhost") -> Pair:
    """A new pair of files."""
    assert OPENSSL is not None
    pair = Pair(directory / f"{name}.pem", directory / f"{name}.key")
    subprocess.run(
        [
            OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={alternatives}",
            "-keyout", str(pair.key), "-out", str(pair.certificate),
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return pair
