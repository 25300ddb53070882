"""A file of deals: read it, solve it, and see where the network was wrong.

python examples/a_file.py [FILE]
"""

import sys
from pathlib import Path

import trickcast as tc

path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("deals.pbn")
deals = tc.read(path)
estimated, solved = tc.estimate(deals), tc.solve(deals)

differs = estimated.tricks != solved.tricks
print(f"{len(deals)} deals, {solved.tricks.size} results, {differs.sum()} estimated wrongly:")
for number, strain, seat in zip(*differs.nonzero(), strict=True):
    sure = estimated.probabilities[number, strain, seat].max()
    print(
        f"deal {number + 1}, {tc.Strain(strain).symbol} by {tc.Seat(seat).word}: "
        f"{estimated.tricks[number, strain, seat]} ({sure:.0%} sure), "
        f"in truth {solved.tricks[number, strain, seat]}"
    )
