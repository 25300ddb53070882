"""Measure the models on deals unlike their training deals, and write the results into their cards.

    python docs/make_unusual.py

120 deals of each kind, seed 44, dealt by ``constrained_deals`` and solved by DDS, 20 results each.
"""

from pathlib import Path

import numpy as np

from trickcast import Estimator, constrained_deals, solve
from trickcast.cards import DealSet
from trickcast.evaluation import Tally

CARDS, DEALS, SEED = Path(__file__).parent / "models", 120, 44
SUITS = ("spades", "hearts", "diamonds", "clubs")
BEGIN, END = "<!-- unusual -->\n", "<!-- end -->"


def kinds() -> dict[str, DealSet]:
    """Return solved deals of each kind."""
    long, void = (" or ".join(f"{suit} {length}" for suit in SUITS) for length in ("8+", "0"))
    dealt = {
        "an eight-card suit": constrained_deals(DEALS, seed=SEED, north=long),
        "a hand of 6-5": constrained_deals(DEALS, seed=SEED, north="any 65xx"),
        "slam zone (32 points of one side)": constrained_deals(
            DEALS, seed=SEED, condition="hcp(north) + hcp(south) >= 32"
        ),
        "a void opposite 15-17 balanced": constrained_deals(
            DEALS, seed=SEED, north="hcp 15-17, balanced", south=void
        ),
    }
    return {kind: deals.with_tricks(solve(deals, workers=1)) for kind, deals in dealt.items()}


def main() -> None:
    """Measure, print, and write the cards."""
    solved = kinds()
    for model in ("accurate", "fast"):
        lines = ["| one side has | exact, % | stated, % |", "|---|---|---|"]
        estimator = Estimator(model, threads=1)
        for kind, deals in solved.items():
            tally, found = Tally(), estimator(deals)
            tally.add(found.probabilities, found.tricks, deals.tricks_or_unknown, deals.owners)
            exact = tally.evaluation().strains["all"].exact
            side = max(exact.high - exact.value, exact.value - exact.low)
            stated = 100 * float(np.mean(found.probabilities.max(-1)))
            lines.append(f"| {kind} | {exact.value:.1f} ± {side:.1f} | {stated:.1f} |")
        print(model, *lines, sep="\n")
        path = CARDS / f"{model}.md"
        before, _, rest = path.read_text("utf-8").partition(BEGIN)
        text = before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + rest.partition(END)[2]
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
