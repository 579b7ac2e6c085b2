"""gRPC's own services, health and reflection, for anybody: so their calls are bounded like those of strangers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from arena.gateway.doorstep import Doorstep

WATCHERS: Final = 64  # calls of these services, in all …
WATCHERS_PEER: Final = 8  # … and from one address
REQUEST_S: Final = 10.0  # in which what is asked about health must have come
FULL: Final = "too many calls of this service; try again"


async def add_services(server: grpc.aio.Server, *services: str) -> None:
    """Serve both for these ``services``, which are healthy from now on."""
    room = Doorstep(WATCHERS, WATCHERS_PEER)

    healthy = health.aio.HealthServicer()
    for service in ("", *services):
        await healthy.set(service, health_pb2.HealthCheckResponse.SERVING)

    def asked(
        answer: Callable[[object, grpc.aio.ServicerContext[object, object]], Awaitable[object]],
    ) -> "grpc.RpcMethodHandler[object, object]":
        """A method with one request. As a stream: see `listen.start`."""

        async def serve(_requests: object, context: grpc.aio.ServicerContext[object, object]) -> None:
            with room.room(context.peer()) as there_is:
                if not there_is:
                    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, FULL)
                try:
                    async with asyncio.timeout(REQUEST_S):
                        request = await context.read()
                except TimeoutError:
                    await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"no request within {REQUEST_S:g} s")
                if not isinstance(request, health_pb2.HealthCheckRequest):
                    await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the call ended before its request")
                found = await answer(request, context)
                if found is not None:
                    await context.write(found)

        return grpc.stream_stream_rpc_method_handler(
            serve, health_pb2.HealthCheckRequest.FromString, health_pb2.HealthCheckResponse.SerializeToString
        )

    methods = {"Check": asked(healthy.Check), "Watch": asked(healthy.Watch)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(health.SERVICE_NAME, methods),))

    class Reflection(reflection.aio.ReflectionServicer):  # type: ignore[misc] # grpc_reflection ships no types
        async def ServerReflectionInfo(  # noqa: N802  as in the contract
            self,
            request_iterator: AsyncIterator[reflection_pb2.ServerReflectionRequest],
            context: grpc.aio.ServicerContext[object, object],
        ) -> AsyncIterator[reflection_pb2.ServerReflectionResponse]:
            with room.room(context.peer()) as there_is:
                if not there_is:
                    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, FULL)
                async for answer in super().ServerReflectionInfo(request_iterator, context):
                    yield answer

    names = (*services, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(Reflection(names), server)
