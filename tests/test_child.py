"""A program of the user's, and what it has started."""

import asyncio
import os
import select
from pathlib import Path

import pytest

from arena.cli.child import child

ENVIRONMENT = {"ARENA_ADDRESS": "127.0.0.1:1"}
STARTED = """sh -c 'trap "" TERM; exec 3>{fifo}; echo there >&3; exec sleep 100'"""  # and deaf to SIGTERM


@pytest.mark.parametrize("afterwards", ["wait", "exit 1"], ids=["it waits", "it has ended"])
def test_what_a_program_has_started_is_ended_with_it(afterwards: str, tmp_path: Path) -> None:
    fifo, program = tmp_path / "fifo", tmp_path / "program"
    os.mkfifo(fifo)
    program.write_text(f"{STARTED.format(fifo=fifo)} &\n{afterwards}\n")
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

    async def main() -> None:
        async with child(f"sh {program}", ENVIRONMENT):
            await asyncio.to_thread(select.select, [reader], [], [], 10)
            assert os.read(reader, 100) == b"there\n"

    asyncio.run(main())
    assert select.select([reader], [], [], 10)[0], "it lives"
    assert os.read(reader, 100) == b"", "nobody has the other end"
    os.close(reader)
