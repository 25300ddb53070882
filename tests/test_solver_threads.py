"""The solver under threads, interrupts and forks, cold (not loaded yet) and warm.

Each case is a process of its own: what it guards against ends the process.
"""

import subprocess
import sys

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Seat, Strain
from trickcast.dealing import random_positions
from trickcast.solver import (
    makes_batches,
    solve_batches,
    solve_cell_batches,
    solve_lead_batches,
    solve_position_batches,
    solve_strain_batches,
)

PREPARE = """
import os, signal, sys, threading, time
import trickcast as tc
easy = tc.Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
deals = tc.random_deals(2, seed=1)
def interrupt(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
"""
WARM = "tc.solve(easy)\n"


def run(program: str) -> str:
    """Return what a program prints; it must end well."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PREPARE + program],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.parametrize("before", ["", WARM], ids=["cold", "warm"])
def test_threads_may_solve_at_once(before: str) -> None:
    program = """
tables = []
def work():
    tables.append(tc.solve(deals[:1]))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(tables), all(table == tables[0] for table in tables))
"""
    assert run(before + program) == "4 True\n"


@pytest.mark.solver
@pytest.mark.parametrize("before", ["", WARM], ids=["cold", "warm"])
@pytest.mark.parametrize("seconds", [0.001, 0.005, 0.02])
def test_after_an_interrupt_the_next_solve_answers(before: str, seconds: float) -> None:
    program = f"""
try:
    interrupt({seconds})
    tc.solve(deals)
    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted")
print(tc.solve(easy)["S", "N"])
"""
    assert run(before + program) == "interrupted\n13\n"


@pytest.mark.slow
@pytest.mark.solver
def test_interrupts_leave_no_threads_and_no_batches() -> None:
    """What was given up is at most one call of DDS."""
    program = """
tc.solve(easy)
many = tc.random_deals(400, seed=1)
for _ in range(10):
    try:
        interrupt(0.02)
        tc.solve(many, workers=1)
    except KeyboardInterrupt: pass
print(tc.solve(easy)["S", "N"])
while [thread for thread in threading.enumerate() if thread.name.startswith("dds")]:
    time.sleep(0.05)
"""
    assert run(program) == "13\n"


@pytest.mark.solver
@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
@pytest.mark.parametrize("before", ["", WARM], ids=["cold", "warm"])
def test_a_child_forked_while_a_thread_solves_can_solve(before: str) -> None:
    program = """
thread = threading.Thread(target=tc.solve, args=(deals,))
thread.start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    os._exit(tc.solve(easy)["S", "N"])
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread.join()
print(tc.solve(easy)["S", "N"])
"""
    assert run(before + program) == "13\n13\n"


@pytest.mark.solver
def test_the_interpreter_ends_while_a_thread_solves() -> None:
    program = """
threading.Thread(target=tc.solve, args=(deals,), daemon=True).start()
time.sleep(0.3)
"""
    assert run(program) == ""


OWNERS = tc.random_deals(2, seed=1).owners
EASY = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@pytest.mark.parametrize("strain", [100, -1, 5, "S", None, 1.5])
def test_what_is_no_strain_never_reaches_dds(strain) -> None:
    for solve in (solve_cell_batches, solve_lead_batches):
        with pytest.raises(ValueError, match="is not a strain"):
            solve(OWNERS, strain, Seat.NORTH)
    with pytest.raises(ValueError, match="is not a strain"):
        makes_batches(OWNERS, strain, Seat.NORTH, 7)
    with pytest.raises(ValueError, match="is not a strain"):
        solve_strain_batches(OWNERS, strain)


@pytest.mark.parametrize("seat", [4, 6, 7, -1, "N", None])
def test_what_is_no_seat_never_reaches_dds(seat) -> None:
    for solve in (solve_cell_batches, solve_lead_batches):
        with pytest.raises(ValueError, match="is not a seat"):
            solve(OWNERS, Strain.SPADES, seat)
    with pytest.raises(ValueError, match="is not a seat"):
        makes_batches(OWNERS, Strain.SPADES, seat, 7)


def test_tricks_are_a_whole_number_from_1_to_13() -> None:
    for tricks in (0, 14, 2**40, -3):
        with pytest.raises(ValueError, match="expected 1 to 13"):
            makes_batches(OWNERS, Strain.SPADES, Seat.NORTH, tricks)
    with pytest.raises(TypeError):
        makes_batches(OWNERS, Strain.SPADES, Seat.NORTH, 7.0)


@pytest.mark.parametrize(
    "owners",
    [
        np.ma.masked_array(OWNERS, mask=True),
        np.ma.masked_array(OWNERS),
        OWNERS.astype(np.int64),
        OWNERS.astype(object),
        OWNERS[0],
        OWNERS[:, :51],
        OWNERS.tolist(),
    ],
)
def test_what_is_no_array_of_owners_never_reaches_dds(owners) -> None:
    for solve in (solve_batches, solve_position_batches):
        with pytest.raises(tc.DealError, match="cannot be read as owners"):
            solve(owners)


@pytest.mark.parametrize("mask", [True, False])
def test_a_masked_array_is_not_deals(mask) -> None:
    masked = np.ma.masked_array(OWNERS, mask=mask)
    for deals in (masked, masked[0], [EASY, masked[0]]):
        with pytest.raises(tc.DealError, match="owners are a masked array"):
            tc.solve(deals)
        with pytest.raises(tc.DealError, match="owners are a masked array"):
            tc.solve(deals, own_process=True)
        with pytest.raises(tc.DealError, match="owners are a masked array"):
            tc.estimate(deals)


@pytest.mark.solver
def test_a_bad_row_is_named_by_its_place_among_all() -> None:
    owners = np.repeat(tc.Deal(EASY).owners[None], 60, axis=0)
    owners[50, 0] = 9
    solved = solve_batches(owners)
    assert len(next(solved)) == 40
    with pytest.raises(tc.DealError, match="deal 50 of 60: SA belongs to seat 9"):
        next(solved)
    owners[50, 0] = 3
    with pytest.raises(tc.DealError, match="deal 50 of 60: North holds 12 cards"):
        [*solve_batches(owners)]
    positions = random_positions(60, 3, seed=1)
    positions[41] = 255
    with pytest.raises(tc.DealError, match="position 41 of 60: North 0"):
        [*solve_position_batches(positions)]
    positions[41, :4] = [0, 1, 2, 3]
    with pytest.raises(ValueError, match="position 41 of 60: one card a hand"):
        [*solve_position_batches(positions)]


def test_no_workers_are_refused_before_a_cluster_is_asked() -> None:
    for cluster in (None, "nowhere"):
        with pytest.raises(ValueError, match="workers is 0"):
            tc.solve(EASY, workers=0, cluster=cluster)


@pytest.mark.solver
def test_strided_owners_solve_the_same() -> None:
    easy = tc.Deal(EASY)
    wide = np.zeros((4, 104), dtype=np.uint8)
    wide[::2, ::2] = easy.owners
    (tables,) = solve_batches(wide[::2, ::2])
    assert (tables == tc.solve(easy).tricks).all()


@pytest.mark.solver
def test_any_number_of_workers_is_a_number_of_threads() -> None:
    assert tc.solve(EASY, workers=99999999999999999999) == tc.solve(EASY)
