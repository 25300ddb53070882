"""Count the results that change when the lowest cards of each suit change hands.

Run from the root of the repository; needs torch, and some six minutes of a core:

    python docs/make_exchange.py

Takes validation deals, whose tables are known, draws new holders of their lowest ranks as a
training does (`exchanged`), and solves them again by DDS. Prints, for DDS and for `accurate`, the
table in docs/log/estimator.md.
"""

import torch

from trickcast import estimate, solve
from trickcast.library import Library
from trickcast.papers.experiments.markdown import markdown_table
from trickcast.training.lessons import exchanged

DEALS, RANKS, SEED = 320, (3, 4, 5, 6), 1
HEAD = (
    "lowest ranks drawn anew",
    "results that change",
    "likeliest counts of `accurate` that do",
)


def main() -> None:
    """Solve and estimate every drawing, and print the table."""
    torch.manual_seed(SEED)
    deals = Library("data/library").deals("validation")[:DEALS]
    likeliest = estimate(deals, model="accurate").probabilities.argmax(-1)
    rows = []
    for ranks in RANKS:
        drawn = exchanged(torch.from_numpy(deals.owners.copy()), ranks).numpy()
        changed = (solve(drawn).tricks != deals.tricks).mean()
        moved = (estimate(drawn, model="accurate").probabilities.argmax(-1) != likeliest).mean()
        rows.append((ranks, f"{100 * changed:.2f} %", f"{100 * moved:.2f} %"))
    print(markdown_table(HEAD, rows), end="")


if __name__ == "__main__":
    main()
