"""An opening lead: which card beats 3NT most often if only the auction is known.

python examples/a_lead.py
"""

import trickcast as tc

result = tc.simulate_leads(
    leader="KQT4.Q72.J853.94",
    contract="3N",
    by="S",
    south="balanced, hcp 15-17",
    north="hcp 8-10, hearts <= 3, spades <= 3",
    samples=500,
    solve=60,
    seed=1,
)
print(result)
