import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Deal
from trickcast.solver import BATCH, solver_version

# figure 2 of the BridgeHand2Vec paper: clubs, diamonds, hearts, spades, notrump
PUBLISHED = {
    "N": (9, 6, 10, 7, 8),
    "S": (9, 6, 10, 7, 8),
    "E": (3, 7, 3, 6, 3),
    "W": (4, 7, 3, 6, 3),
}


def test_published_board(board: Deal) -> None:
    table = tc.solve(board)
    for declarer, tricks in PUBLISHED.items():
        assert tuple(table[strain, declarer] for strain in "CDHSN") == tricks


def test_batches_keep_the_order_of_the_deals(board: Deal) -> None:
    deals = tc.random_deals(BATCH + 1, seed=5)
    together = tc.solve(deals)
    assert len(together) == BATCH + 1
    alone = [0, BATCH - 1, BATCH]
    assert (together.tricks[alone] == np.stack([tc.solve(deals[i]).tricks for i in alone])).all()


def test_the_number_of_threads_changes_nothing() -> None:
    deals = tc.random_deals(3, seed=6)
    assert tc.solve(deals, workers=1) == tc.solve(deals, workers=2)
    with pytest.raises(ValueError, match="workers is 0"):
        tc.solve(deals, workers=0)


def test_cold_hands() -> None:
    deal = tc.Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    table = tc.solve(deal)
    assert [table["S", seat] for seat in "NESW"] == [13, 0, 13, 0]
    assert [table["H", seat] for seat in "NESW"] == [0, 13, 0, 13]
    # in notrump the leader runs the suit, and declarer's side gets nothing
    assert [table["N", seat] for seat in "NESW"] == [0, 0, 0, 0]


def test_no_deals_no_tables() -> None:
    assert tc.solve([]).tricks.shape == (0, 5, 4)


def test_bad_deals_never_reach_dds(board: Deal) -> None:
    owners = np.stack([board.owners] * 3)
    owners[1, 0] = 3
    with pytest.raises(tc.DealError, match="deal 1 of 3"):
        tc.solve(owners)


def test_any_memory_order_solves_the_same(board: Deal) -> None:
    owners = np.stack([board.owners] * 3)
    assert (tc.solve(np.asfortranarray(owners)).tricks == tc.solve(board).tricks).all()


def test_an_array_that_changes_after_the_check_never_reaches_dds(board: Deal) -> None:
    owners = np.stack([board.owners] * 3)
    deals = tc.DealSet(owners)
    owners[1, 0] = 3
    with pytest.raises(tc.DealError, match="deal 1 of 3"):
        tc.solve(deals)


def test_gib_labels_solve_the_same(shared) -> None:
    deals = tc.read(shared / "data" / "gib" / "gib-10000.txt")[::500]
    assert (tc.solve(deals).tricks == deals.tricks).all()


def test_dds_own_tables(shared) -> None:
    deals = tc.read(shared / "data" / "dds" / "list10.txt")
    assert (tc.solve(deals).tricks == deals.tricks).all()


def test_the_version_names_solver_and_binding() -> None:
    assert solver_version().startswith("DDS 2.")
    assert "endplay" in solver_version()


def test_an_interrupt_reaches_the_caller_while_dds_works() -> None:
    program = (
        "import trickcast as tc, os\n"
        "print('go', flush=True)\n"
        "try: tc.solve(tc.random_deals(4000, seed=1))\n"
        "except KeyboardInterrupt: print('stopped', flush=True)\n"
        "os._exit(0)  # without waiting for the batch in hand\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "go\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n"
