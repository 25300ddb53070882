"""Calls and auctions: which calls are legal, when an auction is over, and its final contract.

An auction is the sequence of its calls from the dealer on, each as ``CALLS`` spells it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .enums import Seat, Strain
from .errors import DealError, shorten
from .text import with_letters

BIDS = tuple(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN")
"""The 35 bids from the lowest to the highest: ``1C 1D … 7N``."""
CALLS = ("PASS", "X", "XX", *BIDS)
"""The 38 calls, in the order of all arrays of calls."""
PASS, DOUBLE, REDOUBLE, FIRST_BID = 0, 1, 2, 3
"""The numbers of calls; the bids follow from 1C on."""
CALL_NUMBER = {call: number for number, call in enumerate(CALLS)}
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
_NO_JOINTS = str.maketrans("", "", " -_")
_ALL_PASS = re.compile(r"\ball[\s_-]*pass\b", re.IGNORECASE)
_MARKS = str.maketrans(",;|", "   ", "!()")
_ALERT = re.compile(r"(?<=[^\s*])\*")
"""A star after a call, which marks it as alerted, as ``!`` does."""
_DASHES = "-–—"


def parse_call(text: str) -> str:
    """Return a call as ``CALLS`` spells it.

    Raises ValueError where ``text`` is not a call.

    >>> parse_call("3nt"), parse_call("dbl"), parse_call("p")
    ('3N', 'X', 'PASS')
    """
    call = _SPELLINGS.get(text.upper()) or _SPELLINGS.get(with_letters(text.upper()))
    if call is None:
        raise ValueError(f"{shorten(text)} is not a call (expected Pass, X, XX or 1C to 7NT)")
    return call


def is_all_pass(text: str) -> bool:
    """Return whether ``text`` makes everyone pass from here on: ``AP``, ``All Pass``."""
    return text.upper().translate(_NO_JOINTS) in ("AP", "ALLPASS")


def is_over(auction: Sequence[str]) -> bool:
    """Return whether the auction has ended: three passes after a bid, or four at the start."""
    return len(auction) > 3 and auction[-1] == auction[-2] == auction[-3] == "PASS"


def with_all_pass(auction: Sequence[str]) -> list[str]:
    """Return the auction with the passes that end it."""
    calls = list(auction)
    while not is_over(calls):
        calls.append("PASS")
    return calls


class CallError(DealError):
    """An illegal call; ``made`` counts the legal calls before it."""

    def __init__(self, message: str, made: int):
        super().__init__(message)
        self.made = made


@dataclass(frozen=True, slots=True)
class AuctionState:
    """The state of an auction after some calls. Turns count from 0, the dealer's first."""

    turn: int = 0
    """Number of calls so far; the seat that calls next is the dealer plus this."""
    bid: int = PASS
    """Number of the last bid; PASS before the first."""
    bidder: int = 0
    """The turn in which that bid was made."""
    doubling: int = 0
    """0 undoubled, 1 doubled, 2 redoubled."""
    passes: int = 0
    """Consecutive passes up to now."""

    @property
    def over(self) -> bool:
        """Whether three passes have followed a call, or the auction began with four."""
        return self.passes >= (3 if self.turn > self.passes else 4)

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """(38,) bool, the calls that are legal next: none when the auction is over."""
        return _allowed(self.over, self.bid, (self.turn - self.bidder) % 2, self.doubling)

    def after(self, call: int) -> "AuctionState":
        """Return the state after a call. Raises CallError if the call is illegal."""
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
            return "there is no bid yet"
        ours = (self.turn - self.bidder) % 2 == 0
        if call == DOUBLE:
            return f"{CALLS[self.bid]} is {'their own bid' if ours else 'doubled already'}"
        if self.doubling == 2:
            return f"{CALLS[self.bid]} is already redoubled"
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
    """Return the k + 1 states of an auction of k calls: before each call, and after the last.

    Raises CallError for an illegal call.

    >>> auction_states([CALL_NUMBER["1N"], PASS, CALL_NUMBER["3N"]])[-1].bidder
    2
    """
    states = [AuctionState()]
    for call in calls:
        states.append(states[-1].after(call))
    return states


def legal_calls(auction: Sequence[str]) -> NDArray[np.bool_]:
    """Return which of the 38 ``CALLS`` are legal next: (38,) bool, none once the auction is over.

    Raises CallError for an illegal call.

    >>> [CALLS[i] for i in legal_calls(("7S", "PASS", "PASS")).nonzero()[0]]
    ['PASS', 'X', '7N']
    """
    return auction_states(CALL_NUMBER[call] for call in auction)[-1].allowed


def legal_part(auction: Sequence[str]) -> tuple[int, str]:
    """Return how many calls come before the first illegal one, and what is wrong with that one.

    The reason is empty if all calls are legal.

    >>> legal_part(("1S", "PASS", "1H"))
    (2, '1H is not higher than 1S')
    """
    highest, last, passes = -1, -1, 0  # rank of the last bid, index of the last non-pass
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
                return i, f"{call} of its own side's {before}"
        last = i
    return len(auction), ""


def contract_of(dealer: Seat, auction: Sequence[str]) -> tuple[str | None, Seat | None]:
    """Return the contract and declarer of an auction: (None, None) before its end.

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
    """Return the strain of a contract such as ``4SX``; None if it is passed out or unknown."""
    if contract is None or contract == "PASS":
        return None
    return Strain.parse(contract[1])


def call_numbers(auction: Any) -> tuple[int, ...]:
    """Read an auction, given as text or a sequence of calls, and check it against the laws.

    ``AP`` stands for the passes at the end. A dash alone is a pass, unless passes are spelled out
    and a dash separates every two calls.
    Raises CallError for a call that is invalid or illegal; the message names the call and its
    place.

    >>> [CALLS[number] for number in call_numbers("1nt p 3NT all pass")]
    ['1N', 'PASS', '3N', 'PASS', 'PASS', 'PASS']
    """
    calls, state = list[int](), AuctionState()
    for text in _texts(auction):
        if is_all_pass(text):
            if state.over:
                raise CallError(f"call {state.turn + 1}, {text}: the auction is over", state.turn)
            while not state.over:
                calls.append(PASS)
                state = state.after(PASS)
            continue
        try:
            call = CALL_NUMBER[parse_call(text)]
        except ValueError as error:
            raise CallError(f"call {state.turn + 1}: {error}", state.turn) from None
        state = state.after(call)
        calls.append(call)
    return tuple(calls)


def _texts(auction: Any) -> Sequence[str]:
    if isinstance(auction, str):
        words = _ALERT.sub("", _ALL_PASS.sub("AP", auction)).translate(_MARKS).split()
        alone = [not word.strip(_DASHES) for word in words]
        spelt = any(call.upper() in ("P", "PASS") for word in words for call in _split(word))
        between = spelt and alone == [False, True] * (len(words) // 2) + [False] * (len(words) % 2)
        return [
            call
            for word in words
            for call in (_split(word) if between or word.strip(_DASHES) else ["P"])
            if call
        ]
    if isinstance(auction, Sequence) and all(isinstance(call, str) for call in auction):
        return ["P" if call and not call.strip(_DASHES) else call for call in auction]
    raise CallError(
        f"{shorten(repr(auction))} is not an auction (expected text such as 1N P 3N)", 0
    )


def _split(word: str) -> list[str]:
    return re.split(f"[{_DASHES}]", word)
