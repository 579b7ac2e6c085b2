"""Dials in to an arena and plays, across lost connections, until the arena closes or refuses the bot."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import grpc

from arena.bot.author import Author, Bot, Choose
from arena.bot.session import FRAME_LIMIT, Broken, Session, play
from arena.bot.tls import UNMADE, Tls, host_of
from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

BACKOFF_S: Final = (0.1, 2.0)  # the shortest and the longest pause before dialling again
_PERMANENT: Final = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.ABORTED,  # another process has taken our place: dialling again would take it back, for ever
}


class Refused(Exception):  # noqa: N818
    """The arena does not want this bot, or there is none. The text is one line."""


@contextmanager
def dial_channel(address: str, tls: Tls) -> Iterator[grpc.Channel]:
    """A channel to an arena; OSError in one line where a certificate cannot be used."""
    credentials = tls.channel(host_of(address))
    options = (("grpc.max_receive_message_length", FRAME_LIMIT),)
    if credentials is None:
        channel = grpc.insecure_channel(address, options=options)
    else:
        channel = grpc.secure_channel(address, credentials, options=options)
    with channel:
        yield channel


def one_line(error: grpc.Call) -> str:
    """What a call's status says."""
    return " ".join((error.details() or error.code().name).split())


def hinted(said: str, address: str, tls: Tls) -> str:
    """What is said of a call to an arena that has never been reached, with what may be the cause."""
    return said + tls.hint(host_of(address), said)


def refusal(error: grpc.Call, address: str, tls: Tls) -> Refused:
    """Why a call that has one answer has none."""
    said = one_line(error)
    how = "is out of reach" if said.startswith(UNMADE) else "refused"
    return Refused(f"the arena at {address} {how}: {hinted(said, address, tls)}")


@contextmanager
def _session(address: str, token: str, hello: pb.Hello, tls: Tls) -> Iterator[Session]:
    session = Session(hello, wire.key_of(token))
    with dial_channel(address, tls) as channel:
        dial: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.METHOD)
        call = dial(session.outgoing(), metadata=(("authorization", f"Bearer {token}"),))

        def read() -> None:
            try:
                session.over(session.read(call))
            except grpc.RpcError:
                session.over(Broken(call.code(), one_line(call)))

        reader = threading.Thread(target=read, name="arena-reader", daemon=True)
        reader.start()
        try:
            yield session
        finally:
            session.over(None)
            call.cancel()
            reader.join()


def connect(
    bot: Bot | Choose,
    *,
    address: str,
    token: str,
    tables: int = 8,
    software: str = "",
    patience_s: float = 30.0,
    tls: Tls | None = None,
) -> str:
    """Play in the arena at ``address`` ("HOST:PORT") as the bot that ``token`` belongs to, at up to ``tables`` at once.

    Dials again by itself when the connection is lost. Returns the reason in one line when the arena, once reached,
    has been out of reach for ``patience_s``; raises `Refused` where it does not want the bot, was never there, or is
    not the arena that the token is for. Other machines are dialled with TLS. OSError where a certificate cannot be
    used.
    """
    author = Author(bot)
    oldest, newest = wire.VERSIONS
    hello = pb.Hello(oldest_version=oldest, newest_version=newest, tables=tables, software=software)
    welcomed = False
    pause_s = BACKOFF_S[0]
    alive_at = time.monotonic()
    while True:
        reason = "the arena ended the stream"
        greeted = False
        try:
            with _session(address, token, hello, tls or Tls()) as session:
                try:
                    play(session, author)
                finally:
                    greeted = session.welcome is not None
        except Broken as error:
            reason = error.reason if welcomed or error.told else hinted(error.reason, address, tls or Tls())
            if error.code in _PERMANENT:
                raise Refused(f"the arena at {address} refused: {reason}") from None
        if greeted:
            welcomed = True
            pause_s = BACKOFF_S[0]
            alive_at = time.monotonic()
        if time.monotonic() - alive_at >= patience_s:
            said = f"the arena at {address} is out of reach for {patience_s:g} s: {reason}"
            if welcomed:
                return said
            raise Refused(said)
        time.sleep(pause_s * random.uniform(0.5, 1.5))  # noqa: S311  so that not all come back at once
        pause_s = min(pause_s * 2, BACKOFF_S[1])
