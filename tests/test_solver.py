import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import Deal, Seat, Strain, as_dealset
from trickcast.solver import (
    BATCH,
    makes_batches,
    search_batches,
    solve_cell_batches,
    solve_lead_batches,
    solver_version,
)

# figure 2 of the BridgeHand2Vec paper: clubs, diamonds, hearts, spades, notrump
PUBLISHED = {
    "N": (9, 6, 10, 7, 8),
    "S": (9, 6, 10, 7, 8),
    "E": (3, 7, 3, 6, 3),
    "W": (4, 7, 3, 6, 3),
}

COLD = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@pytest.mark.solver
def test_published_board(board: Deal) -> None:
    table = tc.solve(board)
    for declarer, tricks in PUBLISHED.items():
        assert tuple(table[strain, declarer] for strain in "CDHSN") == tricks


@pytest.mark.solver
def test_batches_keep_the_order_of_the_deals() -> None:
    """The first and last of a batch, and the first of the next; those between are solved fast."""
    deals = [tc.Deal(COLD)] * (BATCH + 1)
    deals[0], deals[-2], deals[-1] = tc.random_deals(3, seed=5)
    together = tc.solve(deals)
    assert len(together) == BATCH + 1
    alone = [0, BATCH - 1, BATCH]
    assert (together.tricks[alone] == np.stack([tc.solve(deals[i]).tricks for i in alone])).all()


@pytest.mark.solver
def test_the_number_of_threads_changes_nothing() -> None:
    deals = tc.random_deals(3, seed=6)
    assert tc.solve(deals, workers=1) == tc.solve(deals, workers=2)
    with pytest.raises(ValueError, match="workers is 0"):
        tc.solve(deals, workers=0)


@pytest.mark.solver
def test_cold_hands() -> None:
    table = tc.solve(tc.Deal(COLD))
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


@pytest.mark.solver
def test_any_memory_order_solves_the_same(board: Deal) -> None:
    owners = np.stack([board.owners] * 3)
    assert (tc.solve(np.asfortranarray(owners)).tricks == tc.solve(board).tricks).all()


def test_an_array_that_changes_after_the_check_never_reaches_dds(board: Deal) -> None:
    owners = np.stack([board.owners] * 3)
    deals, _ = as_dealset(owners)  # which copies nothing
    owners[1, 0] = 3
    with pytest.raises(tc.DealError, match="deal 1 of 3"):
        tc.solve(deals)


@pytest.mark.solver
def test_gib_labels_solve_the_same(shared) -> None:
    deals = tc.read(shared / "data" / "gib" / "gib-10000.txt")[::1000]
    assert (tc.solve(deals).tricks == deals.tricks).all()


@pytest.mark.solver
def test_dds_own_tables(shared) -> None:
    deals = tc.read(shared / "data" / "dds" / "list10.txt")
    assert (tc.solve(deals).tricks == deals.tricks).all()


@pytest.mark.solver
def test_the_version_names_solver_and_binding() -> None:
    assert solver_version().startswith("DDS 2.")
    assert "endplay" in solver_version()


@pytest.mark.solver
@pytest.mark.parametrize(("strain", "declarer"), [("S", "N"), ("C", "E"), ("N", "W"), ("D", "S")])
def test_one_strain_and_declarer_is_a_cell_of_the_table(strain: str, declarer: str) -> None:
    deals = tc.random_deals(6, seed=7)
    cell = tc.solve(deals)[strain, declarer]
    which = Strain.parse(strain), Seat.parse(declarer)
    assert (np.concatenate(list(solve_cell_batches(deals.owners, *which))) == cell).all()
    for tricks in (1, int(cell[0]), min(13, int(cell[0]) + 1), 13):
        (makes,) = makes_batches(deals.owners, *which, tricks)
        assert (makes == (cell >= tricks)).all()
    questions = np.array([[int(Strain.parse(strain)), 0, tricks] for tricks in range(5, 11)
                          for strain in "SN"])  # fmt: skip
    owners, table = deals.owners[:1].repeat(len(questions), 0), tc.solve(deals[:1]).tricks[0]
    (takes,) = search_batches(owners, questions)
    assert [bool(table[s, d] >= least) for s, d, least in questions] == takes.tolist()
    (leads,) = solve_lead_batches(deals.owners, *which)
    held = deals.owners == which[1].lho
    assert ((leads != 255) == held).all()
    assert (np.where(held, leads, 255).min(axis=1) == cell).all(), (
        "the best lead is as in the table"
    )


@pytest.mark.solver
def test_leads_that_are_equal_give_the_same_tricks() -> None:
    deal = tc.Deal("W:A2.KQJ.T9876.432 3.T98765.AKQ.A87 654.432.5432.T96 KQJT987.A.J.KQJ5")
    (leads,) = solve_lead_batches(deal.owners[None], Strain.SPADES, Seat.SOUTH)
    for suit, cards in zip(leads.reshape(4, 13)[1:3], ("KQJ", "T9876"), strict=True):
        held = suit[suit != 255]
        assert len(held) == len(cards) and len(set(held.tolist())) == 1


def test_cells_of_what_is_no_deal_or_no_contract(board: Deal) -> None:
    owners = np.stack([board.owners] * 2)
    assert list(solve_cell_batches(owners[:0], Strain.SPADES, Seat.NORTH)) == []
    for tricks in (0, 14):
        with pytest.raises(ValueError, match="tricks is"):
            makes_batches(owners, Strain.SPADES, Seat.NORTH, tricks)
    owners[1, 0] = 3
    for solve in (solve_cell_batches, solve_lead_batches):
        with pytest.raises(tc.DealError, match="deal 1 of 2"):
            list(solve(owners, Strain.SPADES, Seat.NORTH))


@pytest.mark.solver
def test_a_leader_of_one_suit_is_searched_too() -> None:
    deal = tc.Deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    for strain, tricks in ((Strain.NOTRUMP, 0), (Strain.SPADES, 13)):
        (found,) = solve_cell_batches(deal.owners[None], strain, Seat.NORTH)
        assert found.tolist() == [tricks]


@pytest.mark.solver
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
