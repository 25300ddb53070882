"""Write our models' answers to a test set, as ``trickcast bench`` takes them from anybody.

    python docs/make_answers.py gib-10000 fast answers.parquet --deals gib-10000.txt

Models of four hands (``trickcast models``) answer the sets of whole deals, those of two hands (see
``trickcast pair --help``) the sets of pairs. A name that ends in .csv is written as CSV.
"""

import argparse
from pathlib import Path

import pandas

from trickcast import Estimator, PairEstimator, read
from trickcast.evaluation import SETS
from trickcast.library import Library, holds_library


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
        options.error("the model of play has seen these deals: docs/make_played.py measures it")
    place = given.deals
    deals = Library(place).deals("test") if holds_library(place) else read(place)
    if asked.task == "deals":
        table = pandas.DataFrame(Estimator(given.model)(deals).columns())
    else:
        hands = [[deal[seat] for deal in deals] for seat in ("N", "S")]
        table = pandas.DataFrame(PairEstimator(given.model)(*hands).columns())
        table = table.rename(columns={"pair": "deal"})
    table = table.drop(columns=["expected", "exact"], errors="ignore")
    table.insert(0, "set", pandas.Categorical([str(asked)] * len(table)))
    if given.out.suffix == ".csv":
        table.to_csv(given.out, index=False)
    else:
        table.to_parquet(given.out, index=False)


if __name__ == "__main__":
    main()
