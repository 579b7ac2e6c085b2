"""Who is barred does not come in, and nobody else is."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import pytest

from arena.gateway import guard
from arena.gateway.addresses import origin
from arena.gateway.bar import bar

BOT, STRANGER, NEWCOMER = "127.0.0.1", "127.0.0.2", "127.0.0.3"


def has_addresses() -> bool:
    """Whether this machine has more than one address of its own to come from."""
    with socket.socket() as probe:
        try:
            probe.bind((STRANGER, 0))
        except OSError:
            return False
    return True


apart = pytest.mark.skipif(not has_addresses(), reason=f"{STRANGER} is no address of this machine (it is on Linux)")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters connections by where they come from")


@contextmanager
def connected(port: int, source: str = BOT) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection to that port, whose other end the guard finds."""
    with socket.socket() as mine:
        mine.bind((source, 0))
        mine.connect((BOT, port))
        here = mine.getsockname()
        listener = next(one for one in map(int, os.listdir(guard.OPEN_FILES)) if listens(one, port))
        with socket.socket(fileno=os.dup(listener)) as again:
            theirs, far = again.accept()
        with theirs:
            assert far == here
            yield mine, theirs


def listens(file: int, port: int) -> bool:
    with guard._socket(file) as found:
        return found is not None and guard._listens(found, port)


@apart
@linux
def test_who_is_barred_does_not_come_in_and_who_is_in_stays() -> None:
    with socket.create_server((BOT, 0)) as listener:
        port = listener.getsockname()[1]
        with connected(port, STRANGER) as before, connected(port, NEWCOMER) as other:
            assert bar(listener, [origin(ip_address("192.0.2.1")), origin(ip_address(STRANGER))])
            with socket.socket() as waits, connected(port, NEWCOMER) as during:
                waits.setblocking(False)
                waits.bind((STRANGER, 0))
                assert waits.connect_ex((BOT, port))
                with connected(port, NEWCOMER):
                    pass  # it would have come before
                with pytest.raises(OSError, match="not connected"):
                    waits.getpeername()
                for mine, theirs in (before, other, during):
                    mine.sendall(b"x" * 5000)
                    assert theirs.recv(5000, socket.MSG_WAITALL) == b"x" * 5000
            assert bar(listener, [])
            with connected(port, STRANGER):
                pass


@linux
@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize(("barred", "comes"), [("::1", "127.0.0.1"), ("127.0.0.1", "::1")])
def test_either_kind_of_address_is_barred_alone(barred: str, comes: str) -> None:
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        port = listener.getsockname()[1]
        assert bar(listener, [origin(ip_address(barred)), origin(ip_address("2001:db8::1"))])
        family = socket.AF_INET6 if ":" in barred else socket.AF_INET
        with socket.socket(family) as waits:
            waits.setblocking(False)
            assert waits.connect_ex((barred, port))
            socket.create_connection((comes, port)).close()
            with pytest.raises(OSError, match="not connected"):
                waits.getpeername()
