"""Bots dial in here. `open_gateway` serves them for as long as its block lasts."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Final

import grpc
import trio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.gateway import encoder, handshake, wire
from arena.gateway.bridge import Bridge
from arena.gateway.connection import CUT, TRANSPORT_LIMIT, Connection, End, Limits, Traffic
from arena.gateway.encoder import TableEncoder
from arena.gateway.player import Player, PlayerSeat
from arena.v1 import arena_pb2 as pb


class Event(Enum):
    """What happens to bots."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    LEAVING = "leaving"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class News:
    """Something happened to a bot."""

    event: Event
    name: str  # the bot's; the peer's address where a stranger was refused
    reason: str  # one line, "" for CONNECTED and LEAVING


def _ignore(_news: News) -> None:
    pass


class Gateway:
    """The bots, and how to seat them. For trio's side."""

    def __init__(
        self,
        bridge: Bridge,
        authenticate: Callable[[str], str | None],
        league: str,
        tables: int,
        limits: Limits,
        notify: Callable[[News], None],
    ) -> None:
        """See `open_gateway`."""
        self.players: Final[dict[str, Player]] = {}  # everybody who has connected or has a seat, by name
        self.port = 0
        self._bridge: Final = bridge
        self._authenticate: Final = authenticate
        self._league: Final = league
        self._tables: Final = tables
        self._limits: Final = limits
        self._notify: Final = notify
        self._connections: Final[dict[Player, Connection]] = {}
        self._seats: Final[dict[int, tuple[PlayerSeat, ...]]] = {}
        self._traffic: Final = Traffic()
        self._changed = trio.Event()
        self._broken = trio.Event()
        self._error: BaseException | None = None

    def player(self, name: str) -> Player:
        """The bot of that name, connected or not."""
        player = self.players.get(name)
        if player is None:
            player = self.players[name] = Player(name, self._bridge.now)
        return player

    def seats(self, table: int, names: Sequence[str]) -> tuple[PlayerSeat, ...]:
        """New seats at a table, by seat; whoever sat there before is forgotten. Players may be away."""
        self.forget(table)
        shared = TableEncoder(table)
        seats = tuple(PlayerSeat(self.player(name), table, index, shared) for index, name in enumerate(names))
        self._seats[table] = seats
        return seats

    def forget(self, table: int) -> None:
        """The table is gone, at the end of its match or without one."""
        for seat in self._seats.pop(table, ()):
            seat.forget()

    async def wait_change(self) -> None:
        """Return when a bot connects, disconnects or leaves."""
        await self._changed.wait()

    async def play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """ArenaService.Play, on asyncio's side: one call from its start to its end."""
        try:
            # By itself: sent with the first frame, it could be under way when the status is to be sent, which gRPC
            # does not forgive.
            await context.send_initial_metadata(())
            end = await self._serve(context)
        except asyncio.CancelledError:
            raise  # by gRPC: the call is gone
        except grpc.aio.BaseError as error:  # so it is, before it was a connection
            self._tell(Event.REFUSED, context.peer(), f"the call was lost before its first frame: {error}"[:200])
            return
        except BaseException as error:  # ours: the arena must not go on as if nothing were
            self._error = error
            self._broken.set()
            self._bridge.wake()
            raise
        context.set_code(end.code)
        context.set_details(end.reason if end.code is not grpc.StatusCode.OK else "")

    async def _serve(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> End:
        """The handshake, then the connection; why it ended."""
        hello = await handshake.shake(context, self._authenticate, self._limits)
        if isinstance(hello, End):
            self._tell(Event.REFUSED, context.peer(), hello.reason)
            return hello
        player = self.player(hello.name)
        connection = Connection(self._bridge, context, player, self._limits, self._traffic, lambda: self._left(player))
        before = self._connections.get(player)
        if before is not None:
            before.end(grpc.StatusCode.ABORTED, "replaced by a newer connection of the same bot")
        self._connections[player] = connection
        tables = min(hello.tables, self._tables)
        welcome = pb.Welcome(version=hello.version, name=hello.name, league=self._league, tables=tables)
        connection.send(encoder.frame(pb.ArenaMessage(welcome=welcome)))
        player.attach(connection, tables, hello.software, hello.variants)
        self._tell(Event.CONNECTED, hello.name, "")
        reason = CUT
        try:
            end = await connection.run()
            reason = end.reason
        finally:
            if self._connections.get(player) is connection:
                del self._connections[player]
            if player.detach(connection, reason):
                self._tell(Event.DISCONNECTED, hello.name, reason)
        return end

    def _left(self, player: Player) -> None:
        self._tell(Event.LEAVING, player.name, "")

    def _tell(self, event: Event, name: str, reason: str) -> None:
        self._notify(News(event, name, reason))
        if event is not Event.REFUSED:
            changed, self._changed = self._changed, trio.Event()
            changed.set()
        self._bridge.wake()

    async def watch(self) -> None:
        """Ping everybody, for ever."""
        while True:
            await trio.sleep(self._limits.ping_s)
            for connection in tuple(self._connections.values()):
                connection.ping()

    async def fail(self) -> None:
        """Raise what went wrong in our own code on asyncio's side."""
        await self._broken.wait()
        assert self._error is not None
        raise self._error

    def close(self) -> None:
        """Tell everybody that the arena closes."""
        for connection in tuple(self._connections.values()):
            connection.end(grpc.StatusCode.UNAVAILABLE, "the arena is closing")


@asynccontextmanager
async def open_gateway(
    bridge: Bridge,
    *,
    address: str,
    authenticate: Callable[[str], str | None],
    league: str,
    tables: int = wire.TABLES_LIMIT,
    limits: Limits | None = None,
    notify: Callable[[News], None] = _ignore,
) -> AsyncIterator[Gateway]:
    """Serve bots on ``address`` ("HOST:PORT", port 0 for any) and yield the gateway, its `port` known.

    ``authenticate`` turns a token into a bot's name, or None; ``tables`` bounds what a bot may ask for; ``notify`` is
    called with what happens and must be quick. OSError in one line where the address cannot be used.
    """
    gateway = Gateway(bridge, authenticate, league, tables, limits or Limits(), notify)
    _probe(address)
    server = await bridge.aio(_start(gateway, address))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(gateway.watch)
        nursery.start_soon(gateway.fail)
        try:
            yield gateway
        finally:
            gateway.close()
            with trio.CancelScope(shield=True):
                await bridge.aio(server.stop(0.5))
            nursery.cancel_scope.cancel()


def _probe(address: str) -> None:
    """OSError that names the address where it cannot be listened on; gRPC would only say that it failed."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise OSError(f"cannot listen on {address!r}: not HOST:PORT")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        raise OSError(error.errno, f"cannot listen on {address}: {error.strerror}") from None


async def _start(gateway: Gateway, address: str) -> grpc.aio.Server:
    """On asyncio's side: a server that has started."""
    server = grpc.aio.server(
        options=(
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", TRANSPORT_LIMIT),
        )
    )
    # bytes in and out: garbage is ours to judge
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(gateway.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(wire.SERVICE, {"Play": handler}),))
    healthy = health.aio.HealthServicer()
    for service in ("", wire.SERVICE):
        await healthy.set(service, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    reflection.enable_server_reflection((wire.SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    try:
        gateway.port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address}: {error}") from None
    await server.start()
    return server
