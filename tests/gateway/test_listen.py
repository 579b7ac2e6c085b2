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


@pytest.mark.parametrize("address", ["here", "host:", "host:99999", "a..b:0", f"{'a' * 64}:0", "192.0.2.1:0"])
def test_an_address_that_cannot_be_listened_on_is_named_in_one_line(address: str) -> None:
    with pytest.raises(OSError, match=r"^(?!.*\n).*cannot listen on ") as error:
        listen.check_address(address, plain=False)
    assert address in str(error.value)
