"""What ``import trickcast as tc`` and its rooms offer."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import trickcast as tc
from trickcast.cards import as_dealset
from trickcast.scoring import par as par_of

ROOMS = (
    "bidding", "cards", "dealing", "estimator", "evaluation", "evaluators", "formats", "library",
    "pairs", "played", "questions", "scoring", "session", "simulation", "solver", "web",
)  # fmt: skip
OF_MODULES = {*ROOMS} - {"formats", "questions", "scoring"}
"""The rooms whose files only collect names; the others use some themselves."""
DEAL = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")


def test_dir_shows_what_is_public_and_nothing_else() -> None:
    asked = "import trickcast, sys; print(*dir(trickcast)); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    names, modules = (line.split() for line in out.stdout.splitlines())
    assert names == sorted(tc.__all__) and {"Seat", "par", "solve", "__version__"} < {*names}
    assert not {"numpy", "trickcast.cards", "importlib.metadata"} & {*modules}


@pytest.mark.parametrize("name", tc.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(tc, name) is getattr(tc, name)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_offers_what_it_names_and_nothing_else(room: str) -> None:
    """What its file imports from its own modules or defines for others, whenever that loads."""
    module = import_module(f"trickcast.{room}")
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    own = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }
    assert dir(module) == sorted(module.__all__) == sorted({*module.__all__})
    assert own | {*_imported(tree.body, room)} <= {*module.__all__}
    assert all(hasattr(module, name) for name in module.__all__)


def _imported(body: list[ast.stmt], room: str) -> Iterator[str]:
    """Yield the names that a room takes from its modules, for type checkers too."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _imported(node.body, room)
        elif isinstance(node, ast.ImportFrom) and node.level == 1 and room in OF_MODULES:
            yield from (alias.asname or alias.name for alias in node.names)


def test_the_version_is_that_of_the_distribution() -> None:
    assert tc.__version__[0].isdigit()
    with pytest.raises(AttributeError, match="no attribute 'simulate_making'"):
        _ = tc.simulate_making


def test_a_score_is_that_of_declarer() -> None:
    assert tc.score("4SX", tricks=9, vulnerable=False) == -100
    assert tc.score(tc.Contract("4S", by="N"), tricks=10, vulnerable=True) == 620


def test_a_contract_may_have_a_declarer() -> None:
    contract = tc.Contract("4SX", by="north")
    assert (str(contract), contract.by, repr(contract)) == (
        "4SX",
        tc.Seat.NORTH,
        "Contract('4SX', by='N')",
    )
    assert tc.Contract(contract) == contract != tc.Contract("4SX")
    assert tc.Contract(contract, by="S").by is tc.Seat.SOUTH
    estimate = tc.estimate(DEAL, model="fast")
    assert estimate.making(tc.Contract("4H", by="E")) == estimate.making("4H", by="E")
    with pytest.raises(tc.DealError, match="not a seat"):
        tc.Contract("4S", by="X")


def test_a_deal_is_made_of_hands() -> None:
    north, east, south, west = DEAL
    assert tc.Deal(north=north, east=str(east), south=south, west=west) == DEAL
    assert tc.Deal(west=west, east=east, north=str(north)) == DEAL, "South has what is left"
    for given, message in (
        ({}, "None is not a deal"),
        ({"text": DEAL.pbn, "north": north}, "one or the other"),
        ({"north": north, "south": south}, "East and West have no hand"),
        ({"north": north, "east": north, "south": south}, "North and East both hold SA"),
        ({"north": "AK", "east": east, "south": south}, "AK"),
    ):
        with pytest.raises(tc.DealError, match=message):
            tc.Deal(**given)


def test_a_board_takes_letters() -> None:
    board = tc.Board(dealer="E", vulnerability="ns", contract="4S", declarer="west")
    assert board.dealer is tc.Seat.EAST and board.declarer is tc.Seat.WEST
    assert board.vulnerability is tc.Vulnerability.NS
    with pytest.raises(tc.DealError, match="not a vulnerability"):
        tc.Board(vulnerability="most")


@pytest.mark.solver
def test_par_of_one_deal_and_of_many() -> None:
    best = tc.par(DEAL, dealer="N", vulnerable="none")
    assert best.score == 420 and {str(c.contract) for c in best.contracts} == {"4H"}
    deals = tc.random_deals(6, seed=3)
    tables = tc.solve(deals)
    plain = tc.par(deals, workers=1)
    assert plain == [par_of(table, "N", "none") for table in tables.tricks] == tc.par(tables)
    asked = tc.par(deals, [*"NESWNE"], "both")
    assert [found.score for found in asked] == [
        par_of(table, dealer, "both").score
        for table, dealer in zip(tables.tricks, "NESWNE", strict=True)
    ]
    assert tc.par([]) == [] and tc.par([DEAL]) == [best]


def test_par_takes_what_boards_say_and_tables_that_are_known() -> None:
    made_up = np.full((2, 5, 4), 6, dtype=np.uint8)
    made_up[1, 4, [0, 2]] = 13
    boards = [tc.Board(number=1), tc.Board(dealer="S", vulnerability="ns")]
    owners = as_dealset(tc.random_deals(2, seed=1))[0].owners
    known = tc.DealSet(owners, made_up, boards)
    assert [best.score for best in tc.par(known)] == [0, 2220]
    assert [best.score for best in tc.par(known, vulnerable="none")] == [0, 1520]
    for given, message in (
        ({"dealer": ["N"]}, "dealers are 1, deals 2 .expected one, or one a deal"),
        ({"dealer": "X"}, "not a seat"),
        ({"vulnerable": "most"}, "not a vulnerability"),
        ({"vulnerable": True}, "^True is not a vulnerability"),
    ):
        with pytest.raises(tc.DealError, match=message):
            tc.par(known, **given)


HAND = "AQ864.K75.A3.KJ4"


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("workers", lambda wrong: tc.solve(tc.random_deals(1, seed=1), workers=wrong)),
        ("samples", lambda wrong: tc.simulate(south=HAND, samples=wrong)),
        ("threads", lambda wrong: tc.Estimator(threads=wrong)),
        ("batch_size", lambda wrong: tc.PairEstimator(batch_size=wrong)),
        ("most", lambda wrong: tc.suggest_calls(HAND, most=wrong)),
        ("n", lambda wrong: tc.explain_auction("1N P 2C", dealer="N", n=wrong)),
        ("chunk", lambda wrong: next(tc.iter_deals("deals.pbn", chunk=wrong))),
    ],
)
@pytest.mark.parametrize("wrong", [1.5, "many"])
def test_a_number_that_is_not_whole_is_named(
    name: str, ask: Callable[[object], object], wrong: object
) -> None:
    with pytest.raises(TypeError, match=rf"^{name} is {wrong!r} \(expected a whole number\)$"):
        ask(wrong)


@pytest.mark.slow
def test_a_type_checker_refuses_what_is_no_deal_or_hand(tmp_path: Path) -> None:
    """The named unions take all that the functions take, and nothing else."""
    folder = tmp_path / "examples"  # which is checked as strictly as trickcast itself
    folder.mkdir()
    right, wrong = folder / "right.py", folder / "wrong.py"
    right.write_text(
        "import numpy as np\nimport trickcast as tc\n"
        "deal = tc.random_deals(1, seed=1)[0]\n"
        "tc.estimate(deal).expected['H', 'N']\n"
        "tc.estimate([deal, deal.pbn]), tc.estimate(deal.owners[None]), tc.estimate(deal.pbn)\n"
        "tc.solve([deal, tc.random_deals(2, seed=1)], strains='SN')\n"
        "tc.PairEstimator()(deal.north, [str(deal.south)]).making('4H')\n"
        "tc.simulate(north=deal.north, south='hcp 15-17', contracts=[('4S', tc.Seat.NORTH)])\n"
        "tc.par(deal, 'N', 'none')\n"
        "tc.estimate_played(deal, '4H', by='N')\n"
        "tc.evaluators.evaluate('work_points', [deal.north, 'AKQ2.QJT987.32.2'])\n"
    )
    lines = (
        "tc.estimate(42)",
        "tc.solve([1, 2])",
        "tc.PairEstimator()(1, 2)",
        "tc.simulate(north=5)",
        "tc.par(3.5)",
        "tc.estimate_played(7, '4H', by='N')",
        "tc.Deal(north=1)",
        "tc.simulate_play(deal.north, 7, auction='1N P P P')",
        "tc.bid_deals(deal, dealers=1.5)",
    )
    head = "import trickcast as tc\ndeal = tc.random_deals(1, seed=1)[0]\n"
    wrong.write_text(head + "\n".join(lines) + "\n")
    rooms = folder / "rooms.py"
    rooms.write_text(
        "\n".join(
            f"from trickcast.{room} import {name} as {room}_{name}"
            for room in ROOMS
            for name in import_module(f"trickcast.{room}").__all__
        )
    )
    command = [sys.executable, "-m", "mypy", "--no-error-summary", right, wrong, rooms]
    found = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],  # whose settings and cache are those of `make types`
        env=os.environ | {"MYPYPATH": str(tmp_path)},
    )
    errors = re.findall(r"(\w+)\.py:(\d+): error:", found.stdout)
    assert {file for file, _ in errors} == {"wrong"}, found
    assert {int(line) for _, line in errors} == {*range(3, 3 + len(lines))}, found
