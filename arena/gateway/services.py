"""gRPC's own services, health and reflection, for anybody: so their streams are bounded like those of strangers."""

from collections.abc import AsyncIterator
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from arena.gateway.doorstep import Doorstep

WATCHERS: Final = 64  # streams of these services, in all …
WATCHERS_PEER: Final = 8  # … and from one address
FULL: Final = "too many streams of this service; try again"


async def add_services(server: grpc.aio.Server, *services: str) -> None:
    """Serve both for these ``services``, which are healthy from now on."""
    room = Doorstep(WATCHERS, WATCHERS_PEER)

    class Health(health.aio.HealthServicer):  # type: ignore[misc] # grpc_health ships no types
        async def Watch(  # noqa: N802  as in the contract
            self, request: health_pb2.HealthCheckRequest, context: grpc.aio.ServicerContext[object, object]
        ) -> None:
            with room.room(context.peer()) as there_is:
                if not there_is:
                    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, FULL)
                await super().Watch(request, context)

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

    healthy = Health()
    for service in ("", *services):
        await healthy.set(service, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    names = (*services, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(Reflection(names), server)
