"""The bot in JavaScript as a process of the test's own, and an arena that says exactly what it is told to."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

import grpc

from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

JS = Path(__file__).parents[2] / "reference_bots" / "js"
PATIENCE_S = 120.0  # a test that hangs fails after it; nothing is measured by it


def missing() -> str:
    """Why the bot cannot run here, with what to do about it; "" where it can."""
    if shutil.which("node") is None:
        return "there is no Node on this machine; once there is, `make js` installs the bot's packages"
    if not (JS / "node_modules" / ".package-lock.json").exists():
        return "the packages of the bot in JavaScript are not installed: `make js` does it"
    return ""


@contextlib.contextmanager
def bot(*arguments: str, token: str = "ann", **environment: str) -> Iterator[subprocess.Popen[str]]:
    """The bot with this command line, until the block is left."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("ARENA_", "GRPC_"))}
    process = subprocess.Popen(
        ["node", str(JS / "bot.js"), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=clean | {"ARENA_TOKEN": token} | environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    """Wait for its end: the exit status and what it has said, in lines."""
    said = process.communicate(timeout=PATIENCE_S)[1]
    return process.returncode, said.splitlines()


def serving(process: subprocess.Popen[str]) -> str:
    """The address that it serves on, once it does."""
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("serving on "), line
    return line.removeprefix("serving on ").strip()


Script = Callable[["Call"], Iterator[pb.ArenaFrame]]
"""What the arena does with one call: the frames that it sends. Whatever the script does not read is not read."""


@dataclass
class Call:
    """One call of a bot."""

    requests: Iterator[bytes]
    context: grpc.ServicerContext
    heard: list[pb.BotFrame]

    def read(self) -> pb.BotFrame:
        """The bot's next frame."""
        frame = pb.BotFrame.FromString(next(self.requests))
        self.heard.append(frame)
        return frame

    def end(self, code: grpc.StatusCode, reason: str) -> None:
        """End the call with a status."""
        self.context.abort(code, reason)


@dataclass
class ScriptedArena:
    """Answers the first call by the first script, and so on."""

    scripts: list[Script]
    tokens: list[str] = field(default_factory=list)  # of the calls so far
    heard: list[list[pb.BotFrame]] = field(default_factory=list)  # by call
    port: int = 0

    def play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """ArenaService.Play."""
        metadata = dict(context.invocation_metadata())
        self.tokens.append(str(metadata.get("authorization")))
        self.heard.append([])
        script = self.scripts[len(self.tokens) - 1]
        for frame in script(Call(requests, context, self.heard[-1])):
            yield frame.SerializeToString()


@contextlib.contextmanager
def scripted(*scripts: Script) -> Iterator[ScriptedArena]:
    """The arena, until the block is left."""
    arena = ScriptedArena(list(scripts))
    with ThreadPoolExecutor(4) as threads:
        server = grpc.server(threads)
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(arena.play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(wire.SERVICE, {"Play": handler}),))
        arena.port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield arena
        finally:
            server.stop(None).wait(PATIENCE_S)


def welcome(proof: bytes = b"") -> pb.ArenaMessage:
    """The bot is in."""
    return pb.ArenaMessage(welcome=pb.Welcome(version=1, name="ann", league="scripted", tables=8, proof=proof))


def frame(*messages: pb.ArenaMessage, accepted: tuple[int, ...] = ()) -> pb.ArenaFrame:
    """One frame."""
    return pb.ArenaFrame(messages=messages, accepted=accepted)


class Caller:
    """Who dials the bot, be it the arena or not."""

    def __init__(self, address: str, nonce: str | None, instance: str = "") -> None:
        """Dial, with this "arena-nonce" and "arena-instance"."""
        self._channel = grpc.insecure_channel(address)
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        dial: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream("/arena.v1.BotService/Play")
        keys = {"arena-nonce": nonce, "arena-instance": instance or None}
        metadata = tuple((key, value) for key, value in keys.items() if value is not None)
        self._call = dial(iter(self._outgoing.get, None), metadata=metadata, timeout=PATIENCE_S)

    def read(self) -> pb.BotFrame:
        """The bot's next frame."""
        return pb.BotFrame.FromString(next(self._call))

    def send(self, said: pb.ArenaFrame) -> None:
        """One frame."""
        self._outgoing.put(said.SerializeToString())

    def status(self) -> tuple[grpc.StatusCode, str]:
        """How the call ended; frames before are forgotten."""
        with contextlib.suppress(grpc.RpcError):
            for _ in self._call:
                pass
        return self._call.code(), self._call.details() or ""

    def close(self) -> None:
        """Hang up."""
        self._outgoing.put(None)
        self._call.cancel()
        self._channel.close()
