"""The gateway as a whole: its port, its services, and that nothing of a bot stays behind."""

import asyncio
import gc
import threading

import grpc
import pytest
import trio
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from arena.gateway import connection
from arena.gateway.bridge import Bridge, run
from arena.gateway.server import News, open_gateway
from arena.v1 import arena_pb2 as pb
from tests.gateway.peers import House, ask, in_house, until


def opening(address: str) -> None:
    async def main(bridge: Bridge) -> None:
        async with open_gateway(bridge, address=address, authenticate=lambda _: None, league="x"):
            pass

    run(main)


@in_house()
async def test_a_port_in_use_is_an_error_that_names_it(house: House) -> None:
    address = f"127.0.0.1:{house.gateway.port}"
    with pytest.raises(OSError, match=f"cannot listen on {address}: Address already in use"):
        async with open_gateway(house.bridge, address=address, authenticate=lambda _: None, league="x"):
            pass


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost:http", "127.0.0.1:65536", ":5", ""])
def test_an_address_that_is_none_is_an_error_that_shows_it(address: str) -> None:
    with pytest.raises(OSError, match="not HOST:PORT") as error:
        opening(address)
    assert repr(address) in str(error.value)


def test_a_host_that_is_not_here_is_an_error_that_names_it() -> None:
    with pytest.raises(OSError, match=r"cannot listen on 192\.0\.2\.1:0: "):
        opening("192.0.2.1:0")


@in_house()
async def test_health_and_reflection_are_served(house: House) -> None:
    async def call() -> tuple[bytes, list[str]]:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{house.gateway.port}") as channel:
            check: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")
            health = await check(health_pb2.HealthCheckRequest(service="arena.v1.ArenaService").SerializeToString())
            info: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
                "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
            )
            stream = info()
            await stream.write(reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString())
            await stream.done_writing()
            data = await stream.read()
            assert isinstance(data, bytes)
            answer = reflection_pb2.ServerReflectionResponse.FromString(data)
            return health, [service.name for service in answer.list_services_response.service]

    health, services = await house.bridge.aio(call())
    assert health_pb2.HealthCheckResponse.FromString(health).status == health_pb2.HealthCheckResponse.SERVING
    assert "arena.v1.ArenaService" in services
    assert "grpc.health.v1.Health" in services


@in_house()
async def test_fifty_connections_leave_no_task_and_no_stream(house: House) -> None:
    def streams() -> int:
        gc.collect()
        return sum(isinstance(one, connection.Connection) for one in gc.get_objects())

    async def visit(number: int) -> None:
        game = house.game(names=("ann",) * 4)
        peer = await house.bot()
        game.start(0)
        ask(game.seats[0], game.request(number))
        await peer.expect("match_start")
        await peer.expect("question")
        if number % 3 == 0:
            await peer.raw(b"\xff")
            await peer.status()
        elif number % 3 == 1:
            await house.bot()  # replaces it
        for one in house.peers:
            await one.end()
        house.peers.clear()
        await house.gone("ann")
        house.gateway.forget(1)

    await visit(0)
    before = len(asyncio.all_tasks(house.bridge.loop))
    threads = threading.active_count()
    for number in range(50):
        await visit(number)
    await until(lambda: len(asyncio.all_tasks(house.bridge.loop)) <= before)  # some streams are just ending
    assert streams() == 0
    assert threading.active_count() <= threads
    player = house.gateway.players["ann"]
    assert not player.pending
    assert not player.seats


@in_house()
async def test_peers_that_vanish_at_any_moment_harm_nobody(house: House) -> None:
    for turns in range(60):
        peer = house.dials_in("ann" if turns % 5 else "no-word")
        if turns % 5 and turns % 3:  # a refused one could not write
            await peer.greet()
        for _ in range(turns % 20):
            await trio.lowlevel.checkpoint()
        await peer.end()
    house.peers.clear()
    await house.gone("ann")
    peer = await house.bot("bob")
    game = house.game(names=("bob",) * 4)
    game.start(0)
    await peer.expect("match_start")


def test_connected_bots_are_told_that_the_arena_closes() -> None:
    @in_house()
    async def closing(house: House) -> None:
        peer = await house.bot()
        house.gateway.close()
        assert await peer.status() == (grpc.StatusCode.UNAVAILABLE, "the arena is closing")

    closing()


def test_our_own_errors_end_the_arena() -> None:
    def broken(_news: News) -> None:
        raise RuntimeError("ours")

    async def main(bridge: Bridge) -> None:
        async with open_gateway(
            bridge, address="127.0.0.1:0", authenticate=lambda token: token, league="x", notify=broken
        ) as gateway:

            async def dial() -> None:
                async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
                    play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
                        "/arena.v1.ArenaService/Play"
                    )
                    call = play(metadata=(("authorization", "Bearer x"),))
                    hello = pb.Hello(oldest_version=1, newest_version=1, tables=1)
                    frame = pb.BotFrame(messages=[pb.BotMessage(hello=hello)])
                    await call.write(frame.SerializeToString())
                    await call.code()

            with trio.fail_after(20):
                await bridge.aio(dial())
                await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as error:
        run(main)
    assert error.group_contains(RuntimeError, match="ours")
