"""The server's socket: address, certificates, services, and what gRPC itself is to bound."""

import resource
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import grpc

from arena.gateway import wire
from arena.gateway.addresses import is_loopback
from arena.gateway.connection import TRANSPORT_LIMIT
from arena.gateway.services import add_services
from arena.gateway.tls import ServerTls

Stream: TypeAlias = Callable[[object, grpc.aio.ServicerContext[bytes, bytes]], Awaitable[None]]

OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT),
    ("grpc.max_metadata_size", 16 * 1024),
    ("grpc.max_allowed_incoming_connections", 1024),  # more are closed as soon as they come
    ("grpc.max_concurrent_streams", 64),  # of one connection
    ("grpc.server_handshake_timeout_ms", 10_000),  # from TCP to the first frame of HTTP/2, TLS included
    ("grpc.max_connection_idle_ms", 30_000),  # a connection without a call
    ("grpc.keepalive_time_ms", 30_000),  # is the other machine there at all?
    ("grpc.keepalive_timeout_ms", 15_000),
    ("grpc.http2.ping_timeout_ms", 15_000),  # also of pings for other ends, behind which those above wait
)

CONNECTIONS: Final = "grpc.max_allowed_incoming_connections"
CALLS: Final = 8192  # of all kinds at once: a bound of memory
OTHER_FILES: Final = 512  # that the arena may have open beside its connections: calls of its own, databases


def options() -> dict[str, int]:
    """What gRPC is to bound. As many connections as leave files for the rest, where this process may have so few."""
    found = dict(OPTIONS)
    needed = found[CONNECTIONS] + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < needed:
        soft = needed if hard < 0 else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        found[CONNECTIONS] = min(found[CONNECTIONS], max(soft - OTHER_FILES, soft // 2))
    return found


def check_address(address: str, *, plain: bool, host_only: bool = False) -> None:
    """OSError that names the address where it cannot be listened on; gRPC would only say that it failed.

    ``plain``: without TLS and without leave to be, so that it must not be reached from elsewhere. ``host_only``: it may
    be that somebody else has the port, who may be gone when it is listened on.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise OSError(f"cannot listen on {address!r}: not HOST:PORT")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((where[0], 0, *where[2:]) if host_only else where)
    except UnicodeError:
        raise OSError(f"cannot listen on {address}: no name of a host") from None
    except OSError as error:
        raise OSError(error.errno, f"cannot listen on {address}: {error.strerror}") from None
    if plain and not is_loopback(str(where[0])):
        raise OSError(
            f"cannot listen on {address}: other machines reach it, and tokens would go in the clear;"
            " give a certificate and its key, or allow it with insecure"
        )


async def start(address: str, tls: ServerTls | None, methods: Mapping[str, Stream]) -> tuple[grpc.aio.Server, int]:
    """On asyncio's side: a server of ArenaService's methods by name that has started, and its port.

    All are served as streams, which is the same on the wire: gRPC itself would wait for the one message of another call
    for ever, before anybody here could count it.
    """
    server = grpc.aio.server(options=tuple(options().items()), maximum_concurrent_rpcs=CALLS)
    # bytes in and out: garbage is ours to judge
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        name: grpc.stream_stream_rpc_method_handler(method) for name, method in methods.items()
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(wire.SERVICE, handlers),))
    await add_services(server, wire.SERVICE)
    try:
        port = server.add_secure_port(address, tls.credentials()) if tls else server.add_insecure_port(address)
    except RuntimeError as error:
        raise OSError(f"cannot listen on {address}: {error}") from None
    await server.start()
    return server, port
