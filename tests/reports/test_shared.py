"""Work that two processes share is done, whatever becomes of the second one.

Each test is a program of its own: the process of the tests has threads that a fork would cut off in the middle.
"""

import subprocess
import sys
from textwrap import dedent

import pytest

from reports.shared import MANY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a second process is only forked on Linux")

BEGIN = f"""
import os, signal, threading
from functools import partial
from multiprocessing import get_context
from reports import shared as module
from reports.shared import shared

MANY, parent = {MANY}, os.getpid()
copied = get_context("fork").Event()
cores = set(range(2))
os.sched_getaffinity = lambda pid: cores

def number_and_pid(number):
    if os.getpid() != parent:
        copied.set()
    return number, os.getpid()

def first():
    assert copied.wait(60), "nobody helps"
    return "first", os.getpid()

def tasks(task=number_and_pid, many=MANY):
    return [partial(task, number) for number in range(many)]
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )


def passes(program: str) -> None:
    ended = run(program)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr


def test_two_processes_do_each_task_once_and_what_is_ones_own_here() -> None:
    passes("""
        own, others = [first], tasks()
        done = shared(own, others)
        assert sorted(number for number, _ in done if number != "first") == list(range(MANY))
        assert [pid for number, pid in done if number == "first"] == [parent]
        assert len({pid for _, pid in done}) == 2
        assert own == others == [], "what is done is let go"
    """)


@pytest.mark.parametrize(
    "why",
    ["many = MANY - 1", "cores.pop()", "threading.Thread(target=threading.Event().wait, daemon=True).start()"],
    ids=["few tasks", "one core", "another thread"],
)
def test_without_room_or_need_it_is_all_done_here(why: str) -> None:
    passes(f"""
        os.register_at_fork(before=lambda: os._exit(1))
        many = MANY
        {why}
        done = shared([partial(number_and_pid, -1)], tasks(many=many))
        assert done == [(number, parent) for number in range(-1, many)]
    """)


@pytest.mark.parametrize(
    "end",
    ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "raise MemoryError", "raise KeyboardInterrupt"],
)
def test_what_a_copy_did_that_came_to_grief_is_done_again(end: str) -> None:
    passes(f"""
        def task(number):
            if os.getpid() != parent:
                copied.set()
                {end}
            return number, parent
        assert sorted(shared([first], tasks(task)), key=str) == sorted(
            [("first", parent), *[(number, parent) for number in range(MANY)]], key=str)
    """)


def test_what_fails_in_both_is_raised_here_as_it_is() -> None:
    ended = run("""
        def task(number):
            if os.getpid() != parent:
                copied.set()
            raise OSError(28, "No space left on device")
        shared([first], tasks(task))
    """)
    assert ended.returncode == 1
    assert ended.stderr.count("Traceback") == 1
    assert ended.stderr.endswith("OSError: [Errno 28] No space left on device\n")


def test_a_failure_here_ends_the_copy_too() -> None:
    passes("""
        def task(number):
            if os.getpid() != parent:
                copied.set()
                signal.pause()
            raise ValueError(number)
        try:
            shared([first], tasks(task))
        except ValueError:
            pass
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            pass
        else:
            raise AssertionError("the copy is still there")
    """)


def test_a_copy_that_nobody_waits_for_stops() -> None:
    passes("""
        context = get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        left = dict(enumerate(tasks()))
        module._help(left, context.Value("i", 0), sender, parent=-1)
        sender.close()
        assert len(left) == MANY - 1
        try:
            raise AssertionError(receiver.recv())
        except EOFError:
            pass
    """)
