"""Estimates of one deal's tricks from two hands: ours, those of 2004 and 2009, and people's.

BridgeHand2Vec's own figures are for the mean of ten layouts, which is easier to estimate.
"""

import numpy as np

from ...estimator import Estimator
from ...evaluation import compare
from ...pairs import PairEstimator
from ..experiments.finished_figures import Store
from ..experiments.markdown import markdown_table
from ..experiments.paper import DealsFinding
from ..experiments.rows import Line
from ..experiments.run_deals import Deals
from ..published import published_results
from .shown import NAME

ONE_DEAL = f"{NAME}: one deal"
_FOUR_HANDS = "(52x4)-(26x4)-26-13-1"
_CONTRACTS = {"spades": slice(0, 1), "all suits": slice(0, 4), "notrump": slice(4, 5)}
_PRINTED = {
    "52-25-1 of 2009, two hands": {"spades": "m09-TV-05", "notrump": "m09-TV-04"},
    "players Group-1 of 2009, two hands": {"spades": "m09-TXI-04", "notrump": "m09-TXI-03"},
    f"{_FOUR_HANDS} of 2009, four hands": {"spades": "m09-TV-15", "notrump": "m09-TV-13"},
}
_WORDS = """\
Tables 3 and 4 are for the mean of ten layouts of the other two hands. The networks of 2004 and
2009, and the players of 2009, guess the tricks of one deal, which depend on chance. So their 40 and
35 % answer a different question from the 71 and 63 % here. Below, all answer for one deal, in
percent exact.
"""


def guesses_of_one_deal(deals: Deals) -> Line:
    """Return percent exact on North's results, by contracts and by who estimated them."""
    hands = [deals.test.owners == seat for seat in (0, 2)]
    real = deals.test.tricks_or_unknown[:, :, 0]
    vectors, pairs = PairEstimator("hand2vec")(*hands), PairEstimator("accurate")(*hands)
    said = {
        "hand2vec, two hands, mean rounded": np.rint(vectors.expected),
        "accurate of pairs, two hands, mean rounded": np.rint(pairs.expected),
        "accurate of pairs, two hands, likeliest": pairs.probabilities.argmax(-1),
        f"{_FOUR_HANDS}, four hands": Estimator(_FOUR_HANDS)(deals.test).tricks[:, :, 0],
    }
    exact = {
        who: {
            contracts: round(compare(tricks[:, part], real[:, part]).exact, 2)
            for contracts, part in _CONTRACTS.items()
        }
        for who, tricks in said.items()
    }
    return {"n": len(real), "test": deals.describe(0)["test"], "exact": exact}


def show_one_deal(store: Store) -> str:
    """Return our figures beside those printed in 2009, as Markdown."""
    line = store.get(ONE_DEAL)
    if line is None:
        return ""
    published = published_results()
    rows = list[list[str]]()
    for who, of in _PRINTED.items():
        printed = (published[of[name]]["exact"] if name in of else "" for name in _CONTRACTS)
        rows.append([f"{who}, printed", *printed])
    rows += [
        [who, *(f"{exact[name]:.2f}" for name in _CONTRACTS)]
        for who, exact in line["exact"].items()
    ]
    table = markdown_table(("", *_CONTRACTS), rows)
    measured = f"\nOurs are measured on {line['n']:,} deals ({line['test']}); North declares.\n"
    return f"## Two hands, one deal\n\n{_WORDS}\n{table}{measured}"


FINDING = DealsFinding(measures={ONE_DEAL: guesses_of_one_deal}, show=show_one_deal)
