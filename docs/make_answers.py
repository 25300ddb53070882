"""Write answers to a test set, in the form that ``trickcast bench`` takes from anyone.

    python docs/make_answers.py gib-10000 fast answers.parquet --deals gib-10000.txt

Models of four hands (``trickcast models``) answer the sets of whole deals. For results at the table
they answer as if play were double dummy. Models of two hands (``trickcast pair --help``) answer the
sets of pairs, as does a file of BridgeHand2Vec's own weights (``authors-model.npz``), with its
means rounded. A name that ends in .csv is written as CSV.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas

from trickcast import Estimator, PairEstimator, read
from trickcast.cards import DealSet
from trickcast.evaluation import SETS, TestSet, Truth, read_table_truth
from trickcast.library import Library, holds_library

CHANCES = [f"p{count}" for count in range(14)]


def main() -> None:
    """Write the answers that the command line asks for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("set", choices=sorted(SETS))
    options.add_argument("model")
    options.add_argument("out", type=Path)
    options.add_argument("--deals", default="data/library")
    given = options.parse_args()
    asked = SETS[given.set]
    if asked.task == "table":
        table = of_tables(given.model, read_table_truth(asked, given.deals))
    else:
        place = given.deals
        deals = Library(place).deals("test") if holds_library(place) else read(place)
        table = (
            of_pairs(given.model, deals) if asked.task == "pairs" else of_deals(given.model, deals)
        )
    write(table, asked, given.out)


def of_deals(model: str, deals: DealSet) -> pandas.DataFrame:
    """Return a model's answers for whole deals."""
    return pandas.DataFrame(Estimator(model)(deals).columns())


def of_pairs(model: str, deals: DealSet) -> pandas.DataFrame:
    """Return a model's answers for North and South alone."""
    norths, souths = deals.owners == 0, deals.owners == 2
    if model.endswith(".npz"):
        return of_authors(model, norths, souths)
    table = pandas.DataFrame(PairEstimator(model)(norths, souths).columns())
    return table.rename(columns={"pair": "deal"})


def of_authors(
    path: str,
    norths: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
    souths: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
) -> pandas.DataFrame:
    """Return the same for BridgeHand2Vec's own weights, which need torch."""
    from trickcast.formats.hand2vec import PairSet
    from trickcast.papers.bridgehand2vec.authors_weights import read_authors_network
    from trickcast.papers.bridgehand2vec.trainings import one_pass

    network, parts = read_authors_network(path), []
    unknown = np.zeros((len(norths), 5, 2), dtype=np.float32)
    for declarer, hands in (("N", (norths, souths)), ("S", (souths, norths))):
        tricks = np.rint(one_pass(network, PairSet(*hands, unknown))).clip(0, 13).astype(int)
        deal, strain = np.indices(tricks.shape).reshape(2, -1)
        columns = {"deal": deal, "strain": np.array(list("SHDCN"))[strain], "declarer": declarer}
        parts.append(pandas.DataFrame(columns | {"tricks": tricks.ravel()}))
    return pandas.concat(parts)


def of_tables(model: str, truth: Truth) -> pandas.DataFrame:
    """Return a model's answers for contracts, as if they were played double dummy."""
    estimated = Estimator(model)(truth.owners)
    strain, declarer = np.divmod(truth.cell, 4)
    chances = estimated.probabilities[truth.deal, strain, declarer]
    columns = {"deal": truth.deal, "contract": truth.contract,
               "declarer": np.array(list("NESW"))[declarer]}  # fmt: skip
    return pandas.DataFrame(columns | dict(zip(CHANCES, chances.T, strict=True)))


def write(table: pandas.DataFrame, asked: TestSet, out: Path) -> None:
    """Write answers with the name of their set."""
    table = table.drop(columns="expected", errors="ignore")
    table.insert(0, "set", pandas.Categorical([str(asked)] * len(table)))
    if out.suffix == ".csv":
        table.to_csv(out, index=False)
    else:
        table.to_parquet(out, index=False)


if __name__ == "__main__":
    main()
