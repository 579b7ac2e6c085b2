"""Ports at which nobody listens yet."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept() -> Iterator[int]:
    """A port of this machine that is nobody else's as long as the block lasts, and at which one may listen then.

    It is bound and does not listen: until somebody does, connections are refused.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as all who listen here do
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
