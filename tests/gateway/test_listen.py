"""The server's socket, and what it leaves for the rest of the arena."""

import resource

import pytest

from arena.gateway import listen


@pytest.mark.parametrize(
    ("soft", "hard", "set_to", "connections"),
    [
        (20_000, 20_000, None, 1024),
        (1024, 524_288, 1536, 1024),
        (256, resource.RLIM_INFINITY, 1536, 1024),
        (1024, 1024, 1024, 512),
        (256, 256, 256, 128),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None, 1024),
    ],
)
def test_connections_leave_files_for_the_rest_of_the_arena(
    soft: int, hard: int, set_to: int | None, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: said.append(limits))
    assert listen.options()[listen.CONNECTIONS] == connections
    assert said == ([] if set_to is None else [(set_to, hard)])
