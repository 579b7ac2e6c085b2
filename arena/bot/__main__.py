"""``python -m arena.bot submit …`` and ``python -m arena.bot status …``"""

import sys

from arena.bot import status, submit

COMMANDS = {"submit": submit.main, "status": status.main}

if __name__ == "__main__":
    command = COMMANDS.get(sys.argv[1]) if len(sys.argv) > 1 else None
    if command is None:
        print("usage: python -m arena.bot submit --help, or python -m arena.bot status --help", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    command(sys.argv[2:])
