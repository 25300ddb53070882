"""An auction built from text and a dealer, giving its calls, its turns and the final contract.

``auction`` parses calls and knows the laws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .auction import (
    CALLS,
    PASS,
    AuctionState,
    auction_states,
    call_numbers,
    contract_of,
)
from .enums import Seat, Vulnerability


@dataclass(frozen=True)
class Auction:
    """Calls from the dealer on, all of them legal."""

    calls: tuple[int, ...]
    """Numbers of ``cards.auction.CALLS``."""
    dealer: Seat
    vulnerable: Vulnerability

    @cached_property
    def state(self) -> AuctionState:
        """The state after the calls."""
        return auction_states(self.calls)[-1]

    def caller(self, turn: int) -> Seat:
        """Return the seat that calls in a turn; turns count from 0."""
        return Seat((self.dealer + turn) % 4)

    @property
    def next_caller(self) -> Seat:
        """The seat that calls next, or would if the auction were not over."""
        return self.caller(len(self.calls))

    @cached_property
    def contract(self) -> tuple[str | None, Seat | None]:
        """Contract and declarer; (None, None) before the end, ``PASS`` and None without a bid."""
        return contract_of(self.dealer, [CALLS[call] for call in self.calls])

    def first(self, turns: int) -> "Auction":
        """Return the first calls of the auction."""
        return Auction(self.calls[:turns], self.dealer, self.vulnerable)

    def __str__(self) -> str:
        return " ".join("P" if call == PASS else CALLS[call] for call in self.calls)


AuctionLike = str | Sequence[str] | Auction
"""The calls so far: text, a list of calls, or an Auction."""


def read_auction(
    auction: AuctionLike, dealer: str | Seat = "N", vulnerable: str | Vulnerability = "none"
) -> Auction:
    """Read an auction, and check it against the laws.

    Args:
        auction: Text such as ``"1N P 3N P P P"``, a list of calls, or an Auction, which is returned
                unchanged. ``AP`` stands for the passes at the end.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.

    Returns:
        An Auction.

    Raises:
        CallError: A call is invalid or illegal; the message names the call and its place.
        DealError: The dealer or the vulnerability is not valid.

    Example:
        >>> from trickcast.bidding import read_auction
        >>> str(read_auction("1nt pass 3NT ap", "S")), read_auction("1N", "S").next_caller.word
        ('1N P 3N P P P', 'West')
    """
    seat, sides = Seat.parse(dealer), Vulnerability.parse(vulnerable)
    if isinstance(auction, Auction):
        return auction
    return Auction(call_numbers(auction), seat, sides)
