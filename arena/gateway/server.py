"""The gateway: bots dial in here, and those with an address are dialled. `open_gateway` is for as long as its block."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Final

import grpc
import trio

from arena.gateway import doorstep, encoder, guard, handshake, listen, wire
from arena.gateway.anteroom import Anteroom
from arena.gateway.bridge import Bridge
from arena.gateway.check_line import Door
from arena.gateway.connection import CUT, Connection, Context, End, Limits, Parting, Traffic
from arena.gateway.dialer import Dial, Dialer, Terms
from arena.gateway.encoder import TableEncoder
from arena.gateway.handshake import Greeting
from arena.gateway.player import Player, PlayerSeat
from arena.gateway.submissions import LATER, NoOffice, Office, Standing, Unable, answer, report
from arena.gateway.tape import Kept, Part, Recorder
from arena.gateway.tls import ServerTls
from arena.v1 import arena_pb2 as pb

DONE: Final = End(grpc.StatusCode.OK, "answered")
FULL: Final = End(grpc.StatusCode.RESOURCE_EXHAUSTED, doorstep.FULL, "hello")
UNTOLD: Final = End(grpc.StatusCode.RESOURCE_EXHAUSTED, doorstep.UNTOLD, "hello")
REPLACED: Final = "replaced by a newer connection of the same bot"


class Event(Enum):
    """What happens to bots."""

    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    LEAVING = "leaving"
    REFUSED = "refused"
    CROWDED = "too many connections"
    UNGUARDED = "connections are not bounded by address"
    UNREACHABLE = "cannot be dialled"
    SUBMITTED = "submitted"
    ADMITTED = "admitted"


STRANGERS: Final = (Event.REFUSED, Event.CROWDED)
NO_CHANGE: Final = (*STRANGERS, Event.UNGUARDED, Event.UNREACHABLE, Event.SUBMITTED)  # of who is there


@dataclass(frozen=True, slots=True)
class News:
    """Something happened to a bot."""

    event: Event
    name: str  # the bot's; of a stranger the address, as it is counted where CROWDED; ours where UNGUARDED
    reason: str  # one line, "" where there is none
    repeat: str = ""  # the command that shows what is wrong with a bot that is UNREACHABLE
    step: str = ""  # of the handshake, that failed where a stranger was REFUSED


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
        terms: Terms,
        office: Office,
        transcripts: Kept,
    ) -> None:
        """See `open_gateway`."""
        self.players: Final[dict[str, Player]] = {}  # everybody who has connected or has a seat, by name
        self.port = 0
        self.limits: Final = limits
        self.dialer: Final = Dialer(bridge, self, terms, functools.partial(self.tell, Event.UNREACHABLE))
        self._doorstep: Final = doorstep.Doorstep(limits.strangers, limits.strangers_peer)
        self._lingering: Final = doorstep.Lingering()
        self._guard: Final = guard.Guard(limits.strangers_peer, functools.partial(self.tell, Event.CROWDED), bridge.now)
        self._bridge: Final = bridge
        self._authenticate: Final = authenticate
        self._league: Final = league
        self._tables: Final = tables
        self._notify: Final = notify
        self._office: Final = office
        self.anteroom: Final = Anteroom()
        self._recorder: Final = Recorder(transcripts)
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
        now, tape = self._bridge.now, self._recorder.tape
        seats = tuple(
            PlayerSeat(self.player(name), table, index, shared, tape(now)) for index, name in enumerate(names)
        )
        self._seats[table] = seats
        return seats

    def cut(self, table: int, faulted: Collection[int]) -> Sequence[tuple[int, Part]]:
        """At the end of a deal, in which these seats had a fault: what is kept of its transcripts, by seat."""
        return self._recorder.cut(self._seats[table], faulted)

    def forget(self, table: int) -> None:
        """The table is gone, at the end of its match or without one."""
        for seat in self._seats.pop(table, ()):
            seat.forget()

    def is_seated(self, name: str) -> bool:
        """Whether the bot has a seat at a table that is not gone."""
        return any(seat.name == name for seats in self._seats.values() for seat in seats)

    def dial(self, dial: Dial) -> None:
        """Dial this bot from now on."""
        self.dialer.add(dial)

    def hang_up(self, name: str, reason: str, *, again: bool = False) -> None:
        """Dial the bot no more, and end its connection if there is one. ``again``: it is to dial in anew."""
        self.dialer.drop(name)
        connection = self._connections.get(self.player(name))
        if connection is not None:
            code = grpc.StatusCode.UNAVAILABLE if again else grpc.StatusCode.PERMISSION_DENIED
            connection.end(code, reason)

    async def wait_change(self) -> None:
        """Return when a bot connects, disconnects or leaves."""
        await self._changed.wait()

    async def play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """ArenaService.Play, on asyncio's side: one call from its start to its end."""

        async def play(peer: str) -> End:
            # By itself: sent with the first frame, it could be under way when the status is to be sent, which gRPC
            # does not forgive.
            await context.send_initial_metadata(())
            return await self._serve(context, peer)

        await self._call(play, context)

    async def submit(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """ArenaService.Submit, on asyncio's side."""

        async def submit(peer: str) -> End:
            with self._doorstep.room(peer) as room:
                data = await handshake.first(context, self.limits.hello_s) if room else FULL
                try:
                    found = data if isinstance(data, End) else await answer(data, self._office)
                except Unable as error:
                    self.tell(Event.REFUSED, peer, str(error), step=LATER.step)
                    return LATER
            if isinstance(found, End):
                self.tell(Event.REFUSED, peer, found.reason, step=found.step)
                return found
            self.tell(Event.SUBMITTED, found.name, "")
            admission = pb.Admission(name=found.name, token=found.token, league=self._league)
            return await self._answer(context, peer, admission.SerializeToString())

        await self._call(submit, context)

    async def status(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """ArenaService.Status, on asyncio's side."""

        async def status(peer: str) -> End:
            with self._doorstep.room(peer) as room:
                data = await handshake.first(context, self.limits.hello_s) if room else FULL
            found = data if isinstance(data, End) else handshake.identify(context, self._authenticate)
            if isinstance(found, End):
                return found
            said = report(found.name, self._office.status(found.name), self.anteroom.doing(found.name))
            return said if isinstance(said, End) else await self._answer(context, peer, said)

        await self._call(status, context)

    async def _answer(self, context: grpc.aio.ServicerContext[bytes, bytes], peer: str, said: bytes) -> End:
        """The one answer of a call, which stays until it is taken."""
        self._see_off(context, peer)
        await context.write(said)
        return DONE

    def _see_off(self, context: grpc.aio.ServicerContext[bytes, bytes], peer: str) -> None:
        context.add_done_callback(self._lingering.see_off(peer))  # type: ignore[arg-type] # the stubs name a class

    async def _call(
        self, work: Callable[[str], Awaitable[End]], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        """One call, to the status that it ends with."""
        peer = context.peer()  # later it is "" where the call is gone
        if not peer:
            return
        try:
            end = UNTOLD if self._lingering.is_full(peer) else await work(peer)
        except asyncio.CancelledError:
            raise  # by gRPC: the call is gone
        except grpc.aio.BaseError as error:  # so it is, and was no connection
            self.tell(Event.REFUSED, peer, f"the call was lost before its first frame: {error}"[:200])
            return
        except BaseException as error:
            self._crash(error)
            raise
        finally:
            self._see_off(context, peer)
        context.set_code(end.code)
        context.set_details(end.reason if end.code is not grpc.StatusCode.OK else "")

    async def _serve(self, context: grpc.aio.ServicerContext[bytes, bytes], peer: str) -> End:
        """The handshake, then the connection; why it ended."""
        with self._doorstep.room(peer) as room:
            found = await self._meet(context) if room else FULL
        if isinstance(found, End):
            self.tell(Event.REFUSED, peer, found.reason, step=found.step)
            return found
        with self._guard.bot(peer):
            return await (found.receive(context) if isinstance(found, Door) else self.host(context, found, None))

    async def _meet(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> Greeting | Door | End:
        identity = handshake.identify(context, self._authenticate)
        if isinstance(identity, End):
            return identity
        name = identity.name
        status = self._office.status(name)
        if status is not None and (status.standing is Standing.SUSPENDED or not self.is_seated(name)):
            if status.closed_to is not None:
                return status.closed_to
            if status.standing is Standing.ON_TRIAL and not self.anteroom.is_through(name):
                return self.anteroom.door(name)
        return await handshake.greet(context, identity, self.limits)

    async def host(self, context: Context, hello: Greeting, parting: Parting | None) -> End:
        """On asyncio's side: a bot is in, by a call in either direction; why that is over."""
        player = self.player(hello.name)
        connection = Connection(
            self._bridge, context, player, self.limits, self._traffic, lambda: self._left(player), parting
        )
        before = self._connections.get(player)
        if before is not None:
            before.end(grpc.StatusCode.ABORTED, REPLACED)
        self._connections[player] = connection
        tables = min(hello.tables, self._tables)
        welcome = pb.Welcome(
            version=hello.version, name=hello.name, league=self._league, tables=tables, proof=hello.proof
        )
        connection.send(encoder.frame(pb.ArenaMessage(welcome=welcome)))
        player.attach(connection, tables, hello.software, hello.variants)
        self.tell(Event.CONNECTED, hello.name, "")
        reason = CUT
        try:
            end = await connection.run()
            reason = end.reason
        finally:
            if self._connections.get(player) is connection:
                del self._connections[player]
            if player.detach(connection, reason):
                self.tell(Event.DISCONNECTED, hello.name, reason)
        return end

    def _left(self, player: Player) -> None:
        self.tell(Event.LEAVING, player.name, "")

    def tell(self, event: Event, name: str, reason: str, repeat: str = "", step: str = "") -> None:
        """What happened, to whoever listens."""
        self._notify(News(event, name, reason, repeat, step))
        if event not in NO_CHANGE:
            changed, self._changed = self._changed, trio.Event()
            changed.set()
        self._bridge.wake()

    async def watch(self) -> None:
        """Ping everybody, for ever."""
        while True:
            await trio.sleep(self.limits.ping_s)
            for connection in tuple(self._connections.values()):
                connection.ping()

    async def guard(self) -> None:
        """Look after the connections, for ever."""
        if guard.is_possible():
            await self._guard.watch(self.port, listen.options()[listen.CONNECTIONS])
        else:
            self.tell(Event.UNGUARDED, f"port {self.port}", f"this system has no {guard.OPEN_FILES}")

    async def fail(self) -> None:
        """Raise what went wrong in our own code on asyncio's side."""
        await self._broken.wait()
        assert self._error is not None
        raise self._error

    def _crash(self, error: BaseException) -> None:
        """Ours: the arena must not go on as if nothing were."""
        self._error = error
        self._broken.set()
        self._bridge.wake()

    def close(self) -> None:
        """Tell everybody that the arena closes."""
        for connection in tuple(self._connections.values()):
            connection.end(grpc.StatusCode.UNAVAILABLE, "the arena is closing")
        self.anteroom.close_all(End(grpc.StatusCode.UNAVAILABLE, "the arena is closing"))


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
    tls: ServerTls | None = None,
    insecure: bool = False,
    dial: Iterable[Dial] = (),
    terms: Terms | None = None,
    office: Office | None = None,
    transcripts: Kept = Kept.OFF,
) -> AsyncIterator[Gateway]:
    """Listen at ``address`` ("HOST:PORT", port 0 for any) and yield the gateway, its `port` known.

    ``authenticate`` turns a token into a bot's name, or None; ``tables`` bounds what a bot may ask for; ``notify`` is
    called with what happens and must be quick. Without ``tls`` it listens where only this machine reaches it, unless
    it may be ``insecure``. The bots of ``dial`` are dialled, on these ``terms``; ``office`` knows about
    bots that are submitted; ``transcripts`` says which are kept. OSError in one line where the address or a certificate
    cannot be used.
    """
    gateway = Gateway(
        bridge,
        authenticate,
        league,
        tables,
        limits or Limits(),
        notify,
        terms or Terms(),
        office or NoOffice(),
        transcripts,
    )
    listen.check_address(address, plain=tls is None and not insecure)
    server, gateway.port = await bridge.aio(
        listen.start(address, tls, {"Play": gateway.play, "Submit": gateway.submit, "Status": gateway.status})
    )
    for one in dial:
        gateway.dial(one)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(gateway.watch)
        nursery.start_soon(gateway.guard)
        nursery.start_soon(gateway.fail)
        dialling = trio.Event()
        nursery.start_soon(_dial, gateway, dialling)
        try:
            yield gateway
        finally:
            gateway.close()
            gateway.dialer.close()
            with trio.CancelScope(shield=True):
                await bridge.aio(server.stop(0.5))
                await dialling.wait()
            nursery.cancel_scope.cancel()


async def _dial(gateway: Gateway, over: trio.Event) -> None:
    try:
        await gateway.dialer.work()
    finally:
        over.set()
