"""DDS in processes of its own: the same tables, and crashes that stay there."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import trickcast as tc
from trickcast.solver import SolverCrash, SolverProcesses

EASY = tc.Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
DEALS = tc.random_deals(3, seed=1)
pytestmark = pytest.mark.solver


def children(parent: int) -> set[int]:
    """The living children of a process."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=", "--ppid", str(parent)], capture_output=True, text=True
    ).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {int(pid) for pid, state in rows if not state.startswith("Z")}


def solver_process(before: set[int]) -> int:
    """The one child that was not there before; ps itself is gone when it answers."""
    while True:
        alive = {pid for pid in children(os.getpid()) - before if running(pid)}
        if len(alive) == 1:
            return alive.pop()
        time.sleep(0.01)


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def kill_when_busy(before: set[int], times: int) -> threading.Thread:
    """Kill the solver's process in mid-batch, as often as it is started again."""

    def kill() -> None:
        for _ in range(times):
            pid = solver_process(before)
            time.sleep(0.3)
            os.kill(pid, signal.SIGKILL)
            while running(pid):  # until the caller has noticed
                time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.slow
def test_tables_are_the_same_in_another_process() -> None:
    assert tc.solve(DEALS[:1], own_process=True) == tc.solve(DEALS[:1])
    with SolverProcesses(2) as solvers:
        assert solvers.solve(EASY) == tc.solve(EASY)
        assert solvers.solve([]).tricks.shape == (0, 5, 4)
        with pytest.raises(tc.DealError):
            solvers.solve("N:...")
    with pytest.raises(RuntimeError, match="closed"):
        solvers.solve(EASY)


def test_what_is_no_deals_is_refused_before_it_is_sent() -> None:
    owners = EASY.owners[None].repeat(60, axis=0)
    with SolverProcesses(1) as solvers:
        for wrong in (owners.astype(np.int64), owners.tolist(), owners[0], np.ma.array(owners)):
            with pytest.raises(tc.DealError, match="cannot be read as owners"):
                solvers.solve_batches(wrong)
        owners[50, 0] = 9
        solved = solvers.solve_batches(owners)
        assert len(next(solved)) == 40
        with pytest.raises(tc.DealError, match="deal 50 of 60: SA belongs to seat 9"):
            next(solved)


def test_a_killed_process_is_an_error_of_its_batch_alone() -> None:
    before = children(os.getpid())
    with SolverProcesses(1, tries=1) as solvers:
        killer = kill_when_busy(before, times=1)
        with pytest.raises(SolverCrash, match=r"deals 0 to 39: .* ended by signal SIGKILL"):
            solvers.solve(tc.random_deals(80, seed=2))
        killer.join()
        assert solvers.solve(EASY) == tc.solve(EASY)


@pytest.mark.slow
def test_a_batch_whose_process_was_killed_is_tried_again() -> None:
    before = children(os.getpid())
    with SolverProcesses(1, tries=2) as solvers:
        killer = kill_when_busy(before, times=1)
        assert solvers.solve(DEALS) == tc.solve(DEALS)
        killer.join()


def test_a_batch_may_take_so_long_and_no_longer() -> None:
    late = pytest.raises(SolverCrash, match="SIGKILL")
    with SolverProcesses(1, tries=1, timeout=0.05) as solvers, late:
        solvers.solve(DEALS)


def test_threads_share_the_processes() -> None:
    tables = []
    with SolverProcesses(2) as solvers:
        threads = [
            threading.Thread(target=lambda: tables.append(solvers.solve(EASY))) for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert tables == [tc.solve(EASY)] * 6


@pytest.mark.parametrize("ending", ["interrupt", "exit", "kill"])
def test_no_process_outlives_its_caller(ending: str) -> None:
    program = """
import sys, threading
import trickcast as tc
from trickcast.solver import SolverProcesses
solvers = SolverProcesses(1)
solvers.solve(tc.Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"))
print("solving", flush=True)
if sys.argv[1] != "exit":
    solvers.solve(tc.random_deals(400, seed=1))
"""
    caller = subprocess.Popen(
        [sys.executable, "-c", program, ending],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert caller.stdout is not None and caller.stdout.readline() == "solving\n"
    solving = children(caller.pid)
    assert len(solving) == 1 or ending == "exit"
    if ending != "exit":
        time.sleep(0.2)
        caller.send_signal(signal.SIGINT if ending == "interrupt" else signal.SIGKILL)
    caller.wait(timeout=60)
    caller.stdout.close()
    until = time.monotonic() + 60
    while any(running(pid) for pid in solving) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(running(pid) for pid in solving)


def test_numbers_below_one_are_refused() -> None:
    for wrong in ({"processes": 0}, {"tries": 0}, {"workers": 0}):
        with pytest.raises(ValueError, match="expected 1 or more"):
            SolverProcesses(**wrong)
