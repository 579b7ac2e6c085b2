"""A program of the user's, started with an arena in its environment, and ended with everything that it has started."""

import asyncio
import os
import shlex
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from arena.league.config import ConfigError

ENDED_S: Final = 3.0  # from SIGTERM to SIGKILL


def split(command: str) -> list[str]:
    """The words of a command; ConfigError where they are none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"--command: {error}: {command!r}") from None
    if not words:
        raise ConfigError("--command: it is empty")
    return words


class Child:
    """One process at a time."""

    def __init__(self, command: str, environment: Mapping[str, str], *, again: bool) -> None:
        """``{address}`` in the command is the arena's. ``again``: start it again whenever it has ended."""
        self._words: Final = [word.replace("{address}", environment["ARENA_ADDRESS"]) for word in split(command)]
        self._environment: Final = os.environ | environment
        self._again: Final = again
        self._process: asyncio.subprocess.Process | None = None
        self._said: deque[str] = deque(maxlen=20)  # on standard error
        self._listener: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start it; OSError where that is not possible."""
        process = self._process = await asyncio.create_subprocess_exec(
            *self._words,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # so that what it starts can be ended with it
        )
        self._listener = asyncio.get_running_loop().create_task(self._listen(process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(4096):
            self._said.extend(line.strip() for line in data.decode(errors="replace").splitlines() if line.strip())

    async def gone(self) -> str:
        """That it has ended, and what it has said; "" while it runs."""
        process = self._process
        if process is None or process.returncode is None:
            return ""
        if self._again:
            await self.end()
            await self.start()
            return ""
        if self._listener is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await asyncio.shield(self._listener)
        said = f": {self._said[-1][:200]}" if self._said else ""
        return f"its process has ended with status {process.returncode}{said}"

    async def restart(self) -> None:
        """Another process in its place."""
        await self.end()
        await self.start()

    async def end(self) -> None:
        """End it, politely at first, and what it has started at any rate."""
        process, self._process = self._process, None
        if process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)  # its own group, of which it is the leader
            with suppress(TimeoutError):
                async with asyncio.timeout(ENDED_S):
                    await process.wait()
        if self._listener is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(ENDED_S):  # nobody of the group is left to say anything
                    await self._listener
        self._said.clear()


@asynccontextmanager
async def child(command: str, environment: Mapping[str, str], *, again: bool = False) -> AsyncIterator[Child]:
    """The program, for as long as the block lasts; OSError in one line where it cannot be started."""
    made = Child(command, environment, again=again)
    try:
        await made.start()
        yield made
    finally:
        await made.end()
