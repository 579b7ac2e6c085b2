"""What the tests of the gateway share."""

import pytest

from arena.gateway import dialer


@pytest.fixture(autouse=True)
def dialled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second dial while a test runs; tests of redialling set their own pauses."""
    monkeypatch.setattr(dialer, "PAUSES_S", (3600.0, 3600.0))
