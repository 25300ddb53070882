"""A bidding decision: is game worth bidding with these cards opposite 1NT?

python examples/a_simulation.py
"""

import trickcast as tc

result = tc.simulate(
    south="KT752.A84.J63.92",
    north="balanced, hcp 15-17",
    samples=1000,
    solve=50,
    seed=1,
)
for contract in ("4S", "3N", "2S"):
    chance, low, high = result.making(contract, by="S")
    print(f"{contract} by South makes in {chance:.0%} of layouts ({low:.0%} to {high:.0%})")
for best in result.best_contracts()[:3]:
    print(f"{best.contract} by {best.by.word}: {best.worth.mean:+.0f} points on average")
