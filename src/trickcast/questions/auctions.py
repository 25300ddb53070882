"""How an auction is told to a question: calls, who deals, what calls mean; and how it is read."""

from typing import TYPE_CHECKING, Annotated

from ..cards import DealError, Seat
from ..scoring import Contract
from .declared import Option, QuestionError

if TYPE_CHECKING:
    from ..bidding import Auction

AuctionText = Annotated[
    str | None,
    Option(metavar="CALLS", filled=True, help="The calls from the dealer on: '1N P 3N P P P'.",
           example="1N P 3N P P P"),
]  # fmt: skip
Dealer = Annotated[
    str | None, Option(help="Who calls first: N, E, S or W (default: the board's, or N).")
]
Vulnerable = Annotated[
    str | None, Option(help="none, ns, ew or both (default: the board's, or none).")
]


def ended_auction(text: str, dealer: Seat) -> "Auction":
    """Read an auction that ends in a contract.

    Raises CallError for calls that cannot be, QuestionError for an auction without a contract.
    """
    from ..bidding import read_auction

    read = read_auction(text, dealer)
    contract, declarer = read.contract
    if contract is None:
        raise QuestionError(f"the auction {read} has not ended (expected three passes at its end)")
    if declarer is None:
        raise QuestionError("the auction was passed out: there are no tricks to estimate")
    return read


def contract_in(auction: "Auction") -> tuple[Contract, Seat]:
    """Return the contract in which an auction ended, and its declarer."""
    contract, declarer = auction.contract
    if contract is None or declarer is None:
        raise DealError(f"the auction {auction} does not end in a contract")
    return Contract(contract), declarer
