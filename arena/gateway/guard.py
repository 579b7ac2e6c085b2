"""Connections on which no bot is, bounded by address: gRPC bounds them in all, whoever has them.

A connection is a socket of this process, and gRPC neither tells us of it nor lets us take it ourselves. So the guard
looks through the open files now and then, and shuts what is too much: gRPC then reads the end of the stream, as if the
other side had hung up, and cleans up after itself. No byte of anybody's goes through here.
"""

import errno
import os
import socket
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from arena.gateway.addresses import Far, Origin, far_of, numbered, origin
from arena.gateway.bar import bar

FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)
OPEN_FILES: Final = Path("/dev/fd")
LOOK_S: Final = 0.25  # between looks
PATIENCE_S: Final = 5.0  # in which whoever connects gets as far as Hello, though hundreds do behind one address
FREE: Final = 4  # one in so many of all connections is kept for who is yet to come
BAR_S: Final = 5.0  # nobody new comes from where so many were, that too few were free
QUIET_S: Final = 60.0  # nothing of an address has been shut, and it is news again


@dataclass(frozen=True, slots=True)
class Stranger:
    """A connection on which no bot is."""

    far: Far
    age_s: float  # since it was seen first without one


def too_many(strangers: Iterable[Stranger], bots: int, *, limit: int, limit_peer: int) -> list[Stranger]:
    """Which of them are to be shut, where there are ``bots`` beside them and may be ``limit`` connections in all.

    An address may have ``limit_peer`` of those that have had their time. Where less than a quarter of all is free
    nobody has time, and an address may have that many, or half, or a quarter and so on, until a quarter is free.
    What goes first is what has been there longest: who has just come may be a bot that is about to say so.
    """
    by_origin: defaultdict[Origin, list[Stranger]] = defaultdict(list)
    for one in sorted(strangers, key=lambda one: one.age_s):
        by_origin[origin(one.far[0])].append(one)
    numbers = [len(ones) for ones in by_origin.values()]
    room = limit - limit // FREE - bots
    bound, patience_s = limit_peer, PATIENCE_S
    if sum(numbers) > room:
        patience_s = 0.0
        while bound > 1 and sum(min(number, bound) for number in numbers) > room:
            bound //= 2
    return [one for ones in by_origin.values() for one in ones[bound:] if one.age_s >= patience_s]


class Guard:
    """Looks after the connections to one port."""

    def __init__(self, limit_peer: int, tell: Callable[[str, str], None], now: Callable[[], float]) -> None:
        """Nobody is there. ``tell`` is given an address of which something was shut, and what is to be said of it."""
        self._limit_peer: Final = limit_peer
        self._tell: Final = tell
        self._now: Final = now
        self._bots: Final[Counter[Far]] = Counter()  # their calls
        self._since: dict[Far, float] = {}  # when strangers were seen first
        self._told: dict[Origin, float] = {}  # when something was shut last
        self._barred: dict[Origin, float] = {}  # until when

    @contextmanager
    def bot(self, peer: str) -> Iterator[None]:
        """A bot has said who it is by a call on this connection, which is not touched as long as the block lasts.

        ``peer`` is as gRPC writes it.
        """
        far = far_of(peer)
        self._bots[far] += 1
        try:
            yield
        finally:
            self._bots[far] -= 1
            if not self._bots[far]:
                del self._bots[far]

    async def watch(self, port: int, limit: int) -> None:
        """Look for ever after the connections to ``port``, of which gRPC lets in ``limit``. Needs `is_possible`."""
        while True:
            try:
                self.look(port, limit)
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
                # There is no file left to look with: another time.
            await trio.sleep(LOOK_S)

    def look(self, port: int, limit: int) -> None:
        """Look once. Where there are few files, it is no more than counting them."""
        files = [int(name) for name in os.listdir(OPEN_FILES)]
        now = self._now()
        if len(files) - len(self._bots) <= self._limit_peer:
            self._since.clear()
            self._bar((), files, port, now)
            return
        found = {far: file for file in files if (far := _far(file, port))}
        self._since = {far: self._since.get(far, now) for far in found if far not in self._bots}
        strangers = [Stranger(far, now - since) for far, since in self._since.items()]
        surplus = too_many(strangers, len(found) - len(strangers), limit=limit, limit_peer=self._limit_peer)
        shut, there = _by_origin(surplus), _by_origin(strangers)
        self._bar(shut if len(found) > limit - limit // FREE else (), files, port, now)
        for one in surplus:
            _shut(found[one.far], port, one.far)
        self._news(shut, there, now)

    def _bar(self, origins: Iterable[Origin], files: Iterable[int], port: int, now: float) -> None:
        """Let nobody new in from there for a while; whose time is over may come again."""
        barred = {one: until for one, until in self._barred.items() if until > now}
        barred |= dict.fromkeys(origins, now + BAR_S)
        if barred.keys() != self._barred.keys():
            for file in files:
                with _socket(file) as listener:
                    if listener is not None and _listens(listener, port):
                        bar(listener, barred)
        self._barred = barred

    def _news(self, shut: Mapping[Origin, int], there: Mapping[Origin, int], now: float) -> None:
        """Tell of the worst, if it is news."""
        told = {one: at for one, at in self._told.items() if now - at < QUIET_S}
        fresh = [one for one in shut if one not in told]
        self._told = told | dict.fromkeys(shut, now)
        if fresh:
            worst = max(fresh, key=lambda one: shut[one])
            others = f"; and so of {len(fresh) - 1} others" if len(fresh) > 1 else ""
            name = str(worst).removesuffix("/32")
            self._tell(name, f"{there[worst]} without a bot; {shut[worst]} of them are shut{others}")


def is_possible() -> bool:
    """Whether this system shows a process its open files."""
    return OPEN_FILES.is_dir()


def _by_origin(strangers: Iterable[Stranger]) -> Counter[Origin]:
    return Counter(origin(one.far[0]) for one in strangers)


@contextmanager
def _socket(file: int) -> Iterator[socket.socket | None]:
    """The socket that this file is. It is gRPC's, which may close it meanwhile, and is not closed here."""
    try:
        found = socket.socket(fileno=file)
    except OSError:
        yield None
        return
    try:
        yield found
    finally:
        found.detach()


def _listens(found: socket.socket, port: int) -> bool:
    try:
        return bool(found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)) and found.getsockname()[1] == port
    except OSError:
        return False  # closed meanwhile


def _far(file: int, port: int) -> Far | None:
    """The other end of that file, if it is a connection to our port."""
    with _socket(file) as found, suppress(OSError):  # which listens, or whose other side has gone
        if found is not None and found.family in FAMILIES and found.getsockname()[1] == port:
            host, far = found.getpeername()[:2]
            return numbered(host), far
    return None


def _shut(file: int, port: int, far: Far) -> None:
    """Shut that connection, if the file is still this one: looked at is a duplicate, which stays what it is."""
    try:
        duplicate = os.dup(file)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        return  # closed meanwhile
    # Closed meanwhile, the number may be the database's, which loses its locks if any file of it is closed.
    if stat.S_ISSOCK(os.fstat(duplicate).st_mode):
        with socket.socket(fileno=duplicate) as connection, suppress(OSError):
            if _far(duplicate, port) == far:
                connection.shutdown(socket.SHUT_RDWR)
