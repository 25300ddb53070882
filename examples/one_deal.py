"""One deal: what the network expects, how sure it is, and the exact result.

python examples/one_deal.py
"""

import trickcast as tc

deal = tc.Deal("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
print(deal)

estimate = tc.estimate(deal)
print(f"4♥ by North: {estimate.expected['H', 'N']:.1f} tricks expected")
print(f"ten or more: {estimate.making('4H', by='N'):.0%}")

exact = tc.solve(deal)
print(f"double dummy: {exact['H', 'N']} tricks")
print(exact)
