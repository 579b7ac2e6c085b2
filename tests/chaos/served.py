"""A bot of the kit that is dialled: ``python -m tests.chaos.served TOKEN`` prints its port and serves until it ends."""

import sys

from arena.bot import Turn, serve


def first_legal(turn: Turn) -> list[int]:
    """At once."""
    return list(turn.legal[: turn.count])


if __name__ == "__main__":
    serve(
        first_legal,
        address="127.0.0.1:0",
        token=sys.argv[1],
        software="served",
        started=lambda port, _stop: print(port, flush=True),  # noqa: T201
    )
