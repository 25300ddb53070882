"""The auction: which calls there are, whose turn it is, and what the laws allow next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .enums import Seat
from .errors import DealError

PASS, DOUBLE, REDOUBLE, FIRST_BID = 0, 1, 2, 3
"""The numbers of calls; the bids follow from 1C on."""
CALLS = (
    "PASS",
    "X",
    "XX",
    *(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"),
)
"""Every call, in the order of all arrays of calls: ``PASS X XX 1C 1D … 7N``."""
CALL_NUMBER = {call: number for number, call in enumerate(CALLS)}


class CallError(DealError):
    """A call that could not be made; ``made`` is how many calls before it stand."""

    def __init__(self, message: str, made: int):
        super().__init__(message)
        self.made = made


@dataclass(frozen=True, slots=True)
class AuctionState:
    """Where an auction has come to, seen from the dealer: turns are counted from 0."""

    turn: int = 0
    """How many calls were made; the seat that calls next is the dealer plus this."""
    bid: int = PASS
    """The number of the last bid; PASS before the first."""
    bidder: int = 0
    """The turn in which it was made."""
    doubling: int = 0
    """0 undoubled, 1 doubled, 2 redoubled."""
    passes: int = 0
    """Passes in a row up to now."""

    @property
    def over(self) -> bool:
        """Whether three passes have followed a call, or four begun."""
        return self.passes >= (3 if self.turn > self.passes else 4)

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """(38,) bool, the calls that may be made next: none when the auction is over."""
        return _allowed(self.over, self.bid, (self.turn - self.bidder) % 2, self.doubling)

    def after(self, call: int) -> "AuctionState":
        """Return the state after a call. Raises CallError for one that may not be made."""
        if not self.allowed[call]:
            raise CallError(
                f"call {self.turn + 1}, {CALLS[call]}: {self._refusal(call)}", self.turn
            )
        turn = self.turn + 1
        if call == PASS:
            return replace(self, turn=turn, passes=self.passes + 1)
        if call < FIRST_BID:
            return replace(self, turn=turn, doubling=call, passes=0)
        return AuctionState(turn, call, self.turn)

    def _refusal(self, call: int) -> str:
        if self.over:
            return "the auction is over"
        if call >= FIRST_BID:
            return f"it is not higher than {CALLS[self.bid]}"
        if self.bid == PASS:
            return "nothing was bid yet"
        ours = (self.turn - self.bidder) % 2 == 0
        if call == DOUBLE:
            return f"{CALLS[self.bid]} is {'their own bid' if ours else 'doubled already'}"
        if self.doubling == 2:
            return f"{CALLS[self.bid]} is redoubled already"
        return f"{CALLS[self.bid]} is {'not doubled' if ours else 'not their own bid'}"


@cache
def _allowed(over: bool, bid: int, opponents: int, doubling: int) -> NDArray[np.bool_]:
    calls = np.zeros(len(CALLS), dtype=np.bool_)
    if not over:
        calls[PASS] = True
        calls[max(bid + 1, FIRST_BID) :] = True
        calls[DOUBLE] = bid != PASS and doubling == 0 and opponents
        calls[REDOUBLE] = bid != PASS and doubling == 1 and not opponents
    calls.flags.writeable = False
    return calls


def auction_states(calls: Iterable[int]) -> list[AuctionState]:
    """Return the k + 1 states of an auction of k calls: before each of them, and after the last.

    Raises CallError for a call that could not be made.

    >>> auction_states([CALL_NUMBER["1N"], PASS, CALL_NUMBER["3N"]])[-1].bidder
    2
    """
    states = [AuctionState()]
    for call in calls:
        states.append(states[-1].after(call))
    return states


def is_over(auction: Sequence[str]) -> bool:
    """Whether calls as files have them end an auction: three passes after a bid, or four."""
    return len(auction) > 3 and all(call == "PASS" for call in auction[-3:])


def contract_of(dealer: Seat, auction: Sequence[str]) -> tuple[str | None, Seat | None]:
    """Return the contract (``4SX``) and declarer that calls lead to: (None, None) before their end.

    Without a bid that is ``PASS`` and nobody. Calls are as files have them, lawful or not.
    """
    if not is_over(auction):
        return None, None
    bids = [i for i, call in enumerate(auction) if call[0] in "1234567"]
    if not bids:
        return "PASS", None
    last = bids[-1]
    strain = auction[last][1]
    doubling = next((call for call in auction[:last:-1] if call != "PASS"), "")
    first = next(i for i in bids if auction[i][1] == strain and (last - i) % 2 == 0)
    return auction[last] + doubling, Seat((dealer + first) % 4)
