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

def work():
    return os.getpid()

def more(worker):
    return [lambda number=number: (f"more {{number}}", worker) for number in range(40)]

def nothing():
    return None

def no_more(_):
    return []
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
        done = shared(own, others, nothing, no_more)
        assert sorted(number for number, _ in done if number != "first") == list(range(MANY))
        assert [pid for number, pid in done if number == "first"] == [parent]
        assert len({pid for _, pid in done}) == 2
        assert own == others == [], "what is done is let go"
    """)


def test_the_copy_does_the_work_and_both_make_more_of_it() -> None:
    passes("""
        worker = get_context("fork").Value("i", 0)
        begun = get_context("fork").Event()
        def work():
            begun.set()
            assert not worker.value, "done twice"
            worker.value = os.getpid()
            return worker.value
        def first():
            assert begun.wait(60), "nobody works"
            return 0, parent
        done = shared([first], tasks(), work, more)
        assert worker.value not in (0, parent)
        further = [(number, pid) for number, pid in done if type(number) is str]
        assert sorted(further) == sorted((f"more {number}", worker.value) for number in range(40))
        assert len(done) == 1 + MANY + 40
    """)


@pytest.mark.parametrize("quick", ["more", "tasks"])
def test_whoever_knows_of_fewer_tasks_takes_none_twice(quick: str) -> None:
    # The copy has finished everything before this process has heard what the work gives; or the other way round.
    passes(f"""
        counted = get_context("fork").Value("i", 0)
        def task(number):
            with counted.get_lock():
                counted.value += 1
            return number, os.getpid()
        def more(_):
            return [partial(task, MANY + number) for number in range(30)]
        def first():
            while {quick == "more"} and counted.value < MANY + 30:
                pass
            return -1, parent
        def work():
            while {quick == "tasks"} and counted.value < MANY:
                pass
        done = shared([first], tasks(task), work, more)
        assert sorted(number for number, _ in done) == list(range(-1, MANY + 30))
        assert counted.value == MANY + 30
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
        done = shared([partial(number_and_pid, -1)], tasks(many=many), work, more)
        assert done == [
            *[(number, parent) for number in range(-1, many)], *[(f"more {{number}}", parent) for number in range(40)]
        ]
    """)


ENDS = ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "raise MemoryError", "raise KeyboardInterrupt"]


@pytest.mark.parametrize("end", ENDS)
def test_what_a_copy_did_that_came_to_grief_is_done_again(end: str) -> None:
    passes(f"""
        def task(number):
            if os.getpid() != parent:
                copied.set()
                {end}
            return number, parent
        done = shared([first], tasks(task), nothing, lambda _: tasks(task, many=9))
        assert sorted(done, key=str) == sorted(
            [("first", parent), *[(number, parent) for many in (MANY, 9) for number in range(many)]], key=str)
    """)


@pytest.mark.parametrize("end", ENDS)
def test_what_a_copy_cannot_work_out_is_worked_out_here(end: str) -> None:
    passes(f"""
        def work():
            if os.getpid() != parent:
                {end}
            return parent
        done = shared([], tasks(), work, more)
        assert len(done) == MANY + 40
        assert {{pid for _, pid in done}} == {{parent}}
    """)


@pytest.mark.parametrize("what", ["task", "work"])
def test_what_fails_in_both_is_raised_here_as_it_is(what: str) -> None:
    ended = run(f"""
        def fail(*_):
            raise OSError(28, "No space left on device")
        {what} = fail
        shared([], tasks(fail if {what == "task"} else number_and_pid), work, more)
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
            shared([first], tasks(task), nothing, no_more)
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
        counted = []
        left = module._Tasks(tasks(lambda number: counted.append(number)), context.Value("i", 0))
        module._help(left, nothing, no_more, sender, parent=-1)
        sender.close()
        assert receiver.recv() is None, "what the work gave"
        assert counted == [0]
        try:
            raise AssertionError(receiver.recv())
        except EOFError:
            pass
    """)
