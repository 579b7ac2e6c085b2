"""Work that two processes share, where there is room for a second one."""

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from typing import Final, Generic, TypeVar

MANY: Final = 64
"""From so many tasks on, a second process is worth its start: it costs as much as half a dozen pages."""
BUNDLE: Final = 4
"""Tasks that are taken at a time: neighbours are pages made from the same things."""

R = TypeVar("R")
T = TypeVar("T")


def shared(
    own: list[Callable[[], T]],
    tasks: list[Callable[[], T]],
    work: Callable[[], R],
    more: Callable[[R], Sequence[Callable[[], T]]],
) -> list[T]:
    """What all tasks give, in any order: these, and those that ``more`` makes of what ``work`` gives. What is raised in
    one of them is raised here.

    ``own`` is done in this process; of all others, which must not care where they are done, a copy of this process
    does some where ``tasks`` are many, a core is free for it, and no thread is in the middle of anything that the copy
    would find half done. It begins with the work, while this process begins with the tasks, and hands over what it
    gives; both then make more of it, and must make the same of the same. Both lists are used up: a task may hold much,
    and is let go when it is done.
    """
    if len(tasks) < MANY or not _room():
        done = [*_done(own), *_done(tasks)]
        return done + _done(list(more(work())))
    context = get_context("fork")
    all_tasks, (receiver, sender) = _Tasks(tasks, context.Value("i", 0)), context.Pipe(duplex=False)
    tasks.clear()
    other = context.Process(target=_help, args=(all_tasks, work, more, sender, os.getpid()), daemon=True)
    other.start()
    sender.close()
    try:
        done = []
        own.reverse()
        known = False  # what the work gives, which the copy cannot hand over before this process listens
        while True:
            due = [own.pop()] if own else [task for _, task in all_tasks.take()]
            done += [task() for task in due]
            if known and not due:
                break
            if not known and (not due or receiver.poll()):
                known = True
                all_tasks.add(more(_heard(receiver, work)))
        with suppress(EOFError):
            for number, result in receiver.recv():
                del all_tasks.left[number]
                done.append(result)
    finally:
        other.kill()
        other.join()
        receiver.close()
    return done + _done(list(all_tasks.left.values()))


class _Tasks(Generic[T]):
    """Tasks of which each process knows the same, or for a while the first of them only."""

    def __init__(self, tasks: Sequence[Callable[[], T]], taken: "Synchronized[int]") -> None:
        """``taken`` is how many have been taken by anybody."""
        self.left = dict(enumerate(tasks))  # not taken here, by number
        self._size = len(tasks)
        self._taken = taken

    def add(self, tasks: Sequence[Callable[[], T]]) -> None:
        """Behind the others."""
        self.left.update(enumerate(tasks, self._size))
        self._size += len(tasks)

    def take(self) -> list[tuple[int, Callable[[], T]]]:
        """Some that nobody has taken, with their numbers; none where all that are known here are taken."""
        with self._taken.get_lock():
            first = self._taken.value
            last = max(first, min(first + BUNDLE, self._size))  # who knows of more may be further
            self._taken.value = last
        return [(number, self.left.pop(number)) for number in range(first, last)]


def _heard(receiver: Connection, work: Callable[[], R]) -> R:
    """What the work gives, from the copy.

    One that has failed, or has been killed for its memory, says nothing. What it took is then done here; if it failed
    by what it did, so does this, and whoever called is told.
    """
    with suppress(EOFError):
        found: R = receiver.recv()
        return found
    return work()


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


def _help(
    tasks: _Tasks[T],
    work: Callable[[], R],
    more: Callable[[R], Sequence[Callable[[], T]]],
    sender: Connection,
    parent: int,
) -> None:
    """What the copy does."""
    with suppress(Exception, KeyboardInterrupt):  # see `shared`: nothing is said then
        found = work()
        sender.send(found)
        tasks.add(more(found))
        done = []
        while taken := tasks.take():
            for number, task in taken:
                done.append((number, task()))
                if os.getppid() != parent:
                    return  # nobody waits for this any more, and what is done might undo what is done next
        sender.send(done)
