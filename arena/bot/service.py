"""Serves a bot at an address that the arena dials. Whoever calls must prove to be the arena before anything is done."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2

from arena.bot.author import Author, Bot, Choose
from arena.bot.session import FRAME_LIMIT, Broken, Session, play
from arena.bot.tls import Tls, host_of, is_loopback
from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

CALLS: Final = 8  # at once, of which one is the arena's; more are refused
HEALTH: Final = "grpc.health.v1.Health"
PROOF_S: Final = 10.0  # that a caller has for its proof
ALIVE_S: Final = 15.0  # since the last frame: the arena pings every few seconds
Started: TypeAlias = Callable[[int, Callable[[], None]], None]
_LOST: Final = Broken(grpc.StatusCode.UNAVAILABLE, "the call was lost", told=True)
_REPLACED: Final = Broken(grpc.StatusCode.ABORTED, "replaced by a newer call of the arena")
TAKEN: Final = "this bot plays for another arena at this time"


class _Door:
    """Takes calls. Those whose arena has proved itself are put in `sessions`, and end the one before.

    Two arenas with the token, a league's and its author's `arena check`, would take the bot from each other. So one
    that says that it is another than that whose call is alive is refused. The same arena is not: it has lost its call.
    """

    def __init__(self, hello: pb.Hello, key: bytes | None) -> None:
        """``hello`` without nonce and proof."""
        self.sessions: Final[SimpleQueue[Session | None]] = SimpleQueue()  # None: stop
        self._hello: Final = hello
        self._key: Final = key
        self._lock: Final = threading.Lock()
        self._current: Session | None = None
        self._holder = ""  # which arena it is of, as far as that says so
        self._said = ""

    def play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """BotService.Play: one call from its start to its end, in a thread of the server's."""
        instance = _text(context, wire.INSTANCE_KEY)
        if self._is_taken(instance):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, TAKEN)
        hello = pb.Hello()
        hello.CopyFrom(self._hello)
        if self._key is not None:
            nonce = _nonce(context)
            if nonce is None:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, f'the metadata needs "{wire.NONCE_KEY}", hexadecimal')
            hello.proof = wire.proof(self._key, wire.HELLO_PROOF, nonce)
        session = Session(hello, self._key, lambda session: self._met(session, instance))
        if not context.add_callback(lambda: session.over(_LOST)):
            return  # it is over already
        threading.Thread(target=_read, args=(session, requests), name="arena-reader", daemon=True).start()
        frames = session.outgoing()
        yield next(frames)
        if not session.greeted.wait(PROOF_S):
            session.over(Broken(grpc.StatusCode.DEADLINE_EXCEEDED, f"no Welcome within {PROOF_S:g} s"))
        yield from frames
        end = session.end
        if end is None or end is _LOST:
            return
        self._say(f"the arena ends the call: {end}" if end.told else f"a call is ended: {end}")
        if not end.told:
            context.abort(end.code, end.reason)

    def health(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        """Standard health checking, for anybody: the process is there. Of what it plays, nothing."""
        try:
            service = health_pb2.HealthCheckRequest.FromString(data).service
        except DecodeError:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not a HealthCheckRequest")
        if service not in ("", wire.BOT_SERVICE):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such service here")
        status = health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)
        answer: bytes = status.SerializeToString()
        return answer

    def _is_taken(self, instance: str) -> bool:
        """Whether the bot is in conversation with another arena."""
        with self._lock:
            current, holder = self._current, self._holder
        if current is None or current.end is not None or not instance or not holder or instance == holder:
            return False
        return time.monotonic() - current.heard_at < ALIVE_S

    def _met(self, session: Session, instance: str) -> None:
        with self._lock:
            before, self._current, self._holder = self._current, session, instance
        if before is not None:
            before.over(_REPLACED)
        self.sessions.put(session)

    def _say(self, line: str) -> None:
        """To the author, once for each thing in a row: a stranger could go on for ever."""
        with self._lock:
            news, self._said = line != self._said, line
        if news:
            print(line, file=sys.stderr)  # noqa: T201


def _read(session: Session, requests: Iterator[bytes]) -> None:
    try:
        session.over(session.read(requests))
    except grpc.RpcError:
        session.over(_LOST)


def _text(context: grpc.ServicerContext, wanted: str) -> str:
    """What the metadata have under this key; "" for nothing."""
    for key, value in context.invocation_metadata():
        if key == wanted:
            return value if isinstance(value, str) else value.decode("ascii", "replace")
    return ""


def _nonce(context: grpc.ServicerContext) -> bytes | None:
    """The arena's, from the metadata; None where there is none that can be."""
    try:
        nonce = bytes.fromhex(_text(context, wire.NONCE_KEY))
    except ValueError:
        return None
    return nonce if len(nonce) in wire.NONCE_BYTES else None


def serve(
    bot: Bot | Choose,
    *,
    address: str,
    token: str = "",
    tables: int = 8,
    software: str = "",
    patience_s: float = math.inf,
    tls: Tls | None = None,
    started: Started = lambda _port, _stop: None,
) -> str:
    """Serve at ``address`` ("HOST:PORT", port 0 for any) for the arena that ``token`` is for, at up to ``tables``.

    Returns the reason in one line when no arena has called for ``patience_s``. ``started`` is called with the port and
    a function that ends it, from any thread, when the call in progress is over.
    Without a token nobody has to prove anything, so that it must be an address of this machine. OSError in one line
    where the address or a certificate cannot be used; others reach a bot with TLS only.
    """
    host = host_of(address)
    if not token and not is_loopback(host):
        raise OSError(f"cannot serve at {address}: anybody could call; a token is needed")
    author = Author(bot)
    oldest, newest = wire.VERSIONS
    hello = pb.Hello(oldest_version=oldest, newest_version=newest, tables=tables, software=software)
    door = _Door(hello, wire.key_of(token) if token else None)
    play_handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(door.play)
    health_handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(door.health)
    credentials = (tls or Tls()).server(host)
    with ThreadPoolExecutor(CALLS, thread_name_prefix="arena-call") as pool:
        server = grpc.server(
            pool,
            handlers=[
                grpc.method_handlers_generic_handler(wire.BOT_SERVICE, {"Play": play_handler}),
                grpc.method_handlers_generic_handler(HEALTH, {"Check": health_handler}),
            ],
            options=(("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", FRAME_LIMIT)),
            maximum_concurrent_rpcs=CALLS,
        )
        try:
            port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"cannot serve at {address}: {error}") from None
        server.start()
        try:
            started(port, lambda: door.sessions.put(None))
            return _answer(door, author, patience_s)
        finally:
            server.stop(0.5).wait()


def _answer(door: _Door, author: Author, patience_s: float) -> str:
    """Play one session after the other, until none comes."""
    while True:
        try:
            session = door.sessions.get(timeout=min(patience_s, threading.TIMEOUT_MAX))
        except Empty:
            return f"no arena has called for {patience_s:g} s"
        if session is None:
            return "stopped"
        try:
            play(session, author)
        except Broken:
            pass  # its own thread says so
        finally:
            session.over(None)
