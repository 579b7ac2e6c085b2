"""Work that two processes share, where there is room for a second one."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from typing import Final, TypeVar

MANY: Final = 64
"""From so many tasks on, a second process is worth its start: it costs as much as half a dozen pages."""
BUNDLE: Final = 4
"""Tasks that are taken at a time: neighbours are pages made from the same things."""

T = TypeVar("T")


def shared(own: list[Callable[[], T]], tasks: list[Callable[[], T]]) -> list[T]:
    """What all of these give, in any order. What is raised in one of them is raised here.

    ``own`` is done in this process; of ``tasks``, which must not care where they are done, a copy of this process
    does some where they are many, a core is free for it, and no thread is in the middle of anything that the copy would
    find half done. Both lists are used up: a task may hold much, and is let go when it is done.
    """
    left = dict(enumerate(tasks))
    tasks.clear()
    if len(left) < MANY or not _room():
        return [*_done(own), *_done(list(left.values()))]
    context = get_context("fork")
    taken, (receiver, sender) = context.Value("i", 0), context.Pipe(duplex=False)
    other = context.Process(target=_help, args=(left, taken, sender, os.getpid()), daemon=True)
    other.start()
    sender.close()
    try:
        done = _done(own)
        done += [result for _, result in _take(left, taken)]
        # A copy that has failed, or has been killed for its memory, says nothing. What it took is then done here; if
        # it failed by a task, so does this, and whoever called is told.
        with suppress(EOFError):
            for number, result in receiver.recv():
                del left[number]
                done.append(result)
    finally:
        other.kill()
        other.join()
        receiver.close()
    return done + _done(list(left.values()))


def _done(tasks: list[Callable[[], T]]) -> list[T]:
    tasks.reverse()
    return [tasks.pop()() for _ in range(len(tasks))]


def _room() -> bool:
    return (
        "fork" in get_all_start_methods()
        and hasattr(os, "sched_getaffinity")  # where there is none, a fork is not safe beside the system's libraries
        and len(os.sched_getaffinity(0)) > 1
        and threading.active_count() == 1
    )


def _take(left: dict[int, Callable[[], T]], taken: "Synchronized[int]") -> Iterator[tuple[int, T]]:
    """Do what nobody has taken yet; results by number."""
    size = len(left)
    while True:
        with taken.get_lock():
            first = taken.value
            taken.value = last = min(first + BUNDLE, size)
        if first == last:
            return
        for number in range(first, last):
            yield number, left.pop(number)()


def _help(left: dict[int, Callable[[], T]], taken: "Synchronized[int]", sender: Connection, parent: int) -> None:
    """What the copy does."""
    with suppress(Exception, KeyboardInterrupt):  # see `shared`: nothing is said then
        done = []
        for one in _take(left, taken):
            done.append(one)
            if os.getppid() != parent:
                return  # nobody waits for this any more, and what is done might undo what is done next
        sender.send(done)
