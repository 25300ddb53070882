"""Calls and auctions: what may be called, when an auction is over, and what it leads to.

An auction is the sequence of its calls from the dealer on, each as ``CALLS`` spells it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .enums import Seat, Strain
from .errors import shorten

BIDS = tuple(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN")
"""The 35 bids from the lowest to the highest: ``1C 1D … 7N``."""
CALLS = ("PASS", "X", "XX", *BIDS)
"""The 38 calls."""
MOST_CALLS = 319
"""Calls of the longest auction that the Laws allow."""

_RANK = {bid: rank for rank, bid in enumerate(BIDS)}
_SPELLINGS = {
    **dict.fromkeys(("P", "PASS"), "PASS"),
    **dict.fromkeys(("X", "D", "DBL", "DOUBLE"), "X"),
    **dict.fromkeys(("XX", "R", "RDBL", "REDOUBLE"), "XX"),
    **{bid: bid for bid in BIDS},
    **{f"{level}NT": f"{level}N" for level in range(1, 8)},
}


def parse_call(text: str) -> str:
    """Return a call as ``CALLS`` spells it.

    Raises ValueError where ``text`` is not a call.

    >>> parse_call("3nt"), parse_call("dbl"), parse_call("p")
    ('3N', 'X', 'PASS')
    """
    call = _SPELLINGS.get(text.upper())
    if call is None:
        raise ValueError(f"{shorten(text)} is not a call (expected Pass, X, XX or 1C to 7NT)")
    return call


def is_over(auction: Sequence[str]) -> bool:
    """Tell whether the auction has ended: three passes after a bid, or four at the start."""
    return len(auction) > 3 and auction[-1] == auction[-2] == auction[-3] == "PASS"


def with_all_pass(auction: Sequence[str]) -> list[str]:
    """Return the auction with the passes that end it."""
    calls = list(auction)
    while not is_over(calls):
        calls.append("PASS")
    return calls


def legal_calls(auction: Sequence[str]) -> NDArray[np.bool_]:
    """Return which of the 38 ``CALLS`` may come next: (38,) bool, none once the auction is over.

    >>> [CALLS[i] for i in legal_calls(("7S", "PASS", "PASS")).nonzero()[0]]
    ['PASS', 'X', '7N']
    """
    legal = np.zeros(len(CALLS), dtype=np.bool_)
    if is_over(auction):
        return legal
    legal[0] = True
    last = next((i for i in range(len(auction) - 1, -1, -1) if auction[i] != "PASS"), None)
    highest = next((_RANK[call] for call in reversed(auction) if call in _RANK), -1)
    legal[3 + highest + 1 :] = True
    if last is not None and (len(auction) - last) % 2 == 1:  # an opponent's
        legal[1] = auction[last] in _RANK
        legal[2] = auction[last] == "X"
    return legal


def legal_part(auction: Sequence[str]) -> tuple[int, str]:
    """Return how many calls stand before the first that is illegal, and what is wrong with it.

    The reason is empty where all calls are legal.

    >>> legal_part(("1S", "PASS", "1H"))
    (2, '1H is not higher than 1S')
    """
    highest, last, passes = -1, -1, 0  # rank of the last bid, index of the last that is no pass
    for i, call in enumerate(auction):
        if passes == 3 and i > 3:
            return i, f"{call} comes after the auction has ended"
        if call == "PASS":
            passes += 1
            if passes == 4 and i == 3:
                passes = 3  # passed out: no call may follow
            continue
        passes = 0
        rank = _RANK.get(call)
        if rank is not None:
            if rank <= highest:
                return i, f"{call} is not higher than {BIDS[highest]}"
            highest = rank
        else:
            before = auction[last] if last >= 0 else ""
            if before not in _RANK if call == "X" else before != "X":
                what = "bid" if call == "X" else "double"
                return i, f"{call} has no {what} before it"
            if (i - last) % 2 == 0:
                return i, f"{call} of the own side's {before}"
        last = i
    return len(auction), ""


def contract_of(dealer: Seat, auction: Sequence[str]) -> tuple[str | None, Seat | None]:
    """Return the contract and the declarer that an auction leads to: (None, None) before its end.

    >>> contract, declarer = contract_of(Seat.SOUTH, ("1N", "PASS", "3N", "PASS", "PASS", "PASS"))
    >>> contract, declarer.word
    ('3N', 'South')
    """
    if not is_over(auction):
        return None, None
    bids = [i for i, call in enumerate(auction) if call in _RANK]
    if not bids:
        return "PASS", None
    last = bids[-1]
    strain = auction[last][1]
    doubling = next((call for call in auction[:last:-1] if call != "PASS"), "")
    first = next(i for i in bids if auction[i][1] == strain and (last - i) % 2 == 0)
    return auction[last] + doubling, Seat((dealer + first) % 4)


def strain_of(contract: str | None) -> Strain | None:
    """Return the strain of a contract such as ``4SX``; None where there is nothing to play."""
    if contract is None or contract == "PASS":
        return None
    return Strain.parse(contract[1])
