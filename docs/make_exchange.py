"""How many results change when the lowest cards of each suit change hands: by DDS, by `accurate`.

Run from the root of the repository; needs torch, and some six minutes of a core:

    python docs/make_exchange.py

Validation deals, whose tables are known, are solved again after the holders of their lowest ranks
have been drawn anew, as a training does it (`exchanged`). The table of docs/estimator.md.
"""

import re
from pathlib import Path

import torch

from trickcast import estimate, solve
from trickcast.library import Library
from trickcast.training.deals.data import exchanged

PAGE = Path("docs/estimator.md")
DEALS, RANKS, SEED = 320, (3, 4, 5, 6), 1
HEAD = (
    "| lowest ranks drawn anew | results that change | likeliest counts of `accurate` that do |",
    "|---|---|---|",
)


def main() -> None:
    """Solve and estimate every drawing, and put the table between its comments."""
    torch.manual_seed(SEED)
    deals = Library("data/library").deals("validation")[:DEALS]
    likeliest = estimate(deals, model="accurate").probabilities.argmax(-1)
    lines = list(HEAD)
    for ranks in RANKS:
        drawn = exchanged(torch.from_numpy(deals.owners.copy()), ranks).numpy()
        changed = (solve(drawn).tricks != deals.tricks).mean()
        moved = (estimate(drawn, model="accurate").probabilities.argmax(-1) != likeliest).mean()
        lines.append(f"| {ranks} | {100 * changed:.2f} % | {100 * moved:.2f} % |")
        print(lines[-1], flush=True)
    table = "\n".join(lines)
    page = PAGE.read_text("utf-8")
    pattern = re.compile(r"(<!-- exchanged -->\n).*?(<!-- end -->)", re.DOTALL)
    if pattern.search(page) is None:
        raise SystemExit(f"{PAGE}: no <!-- exchanged --> with its <!-- end -->")
    PAGE.write_text(pattern.sub(rf"\1\n{table}\n\n\2", page), "utf-8")


if __name__ == "__main__":
    main()
