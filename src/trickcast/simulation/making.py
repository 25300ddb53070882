"""Does this contract make? One search a layout, where counting its tricks takes several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..bidding import AuctionLike
from ..cards import Seat, Vulnerability
from ..dealing.constraints import MAX_TRIES, KnownDeal, KnownHand
from ..scoring import Contract
from ..solver import makes_batches
from .choice import doubt_of
from .controls import Floats, Means, means
from .layouts import Layouts, Work, lay_out, read_calls, watcher
from .outcomes import Result, Value, Worth, played, seats_of, strain_of, values
from .plan import Plan
from .run import Question
from .texts import percent_text, wrapped


class Making(Question):
    """The question whether a contract makes, by one declarer or by either of a side."""

    usual_cost = 0.004

    def __init__(self, bid: Contract, declarers: Sequence[Seat]):
        self.bid, self.declarers = bid, declarers
        self.cells = [(strain_of(bid), by) for by in declarers]
        self.empty = np.empty((0, len(declarers)), dtype=np.bool_)

    def solve(self, owners: NDArray[np.uint8], workers: int | None) -> Iterator[NDArray[np.bool_]]:
        """Yield whether it makes, (m, declarers) bool."""
        made = (
            makes_batches(owners, strain, by, self.bid.tricks, workers=workers)
            for strain, by in self.cells
        )
        for batch in zip(*made, strict=True):
            yield np.stack(batch, axis=1)

    def means(
        self, exact: NDArray[np.bool_], estimates: NDArray[np.float32] | None, chance: Floats | None
    ) -> Means:
        """Return the chance by each declarer."""
        estimated = None
        if estimates is not None:
            estimated = estimates[:, :, self.bid.tricks :].sum(axis=2, dtype=float)
        return means(exact.astype(float), estimated, unit=1.0, chance=chance, effect=self.effect)

    def doubts(self, estimates: NDArray[np.float32]) -> Floats:
        """Return the doubt whether it makes."""
        made = np.arange(14) >= self.bid.tricks
        return doubt_of(estimates, made[:, None].astype(float))

    def half_widths(self, estimated: Means) -> Floats:
        """Return half its interval."""
        _, low, high = estimated.chances()
        return (high - low) / 2


class ContractChance(Result):
    """Results of ``contract_chance``: print it, or take ``making()``."""

    contract: Contract
    by: Seat
    """Declarer: of two that were asked about the better, the first of equals."""
    made: NDArray[np.bool_]
    """(solved,) bool, whether the contract makes on the first layouts of ``deals``, the solved."""

    def __init__(self, layouts: Layouts, question: Making):
        super().__init__(layouts)
        self._probabilities = layouts.probabilities
        self._means = question.means(layouts.exact, self._probabilities, self.chance)
        self._column = int(self._means.mean.argmax())
        self.contract, self.by = question.bid, question.declarers[self._column]
        self.made = layouts.exact[:, self._column]

    def making(self) -> Value:
        """Return the chance to make it: (probability, low, high)."""
        return values(self._means.chances())[self._column]

    @property
    def worth(self) -> Worth:
        """What the network was worth."""
        effective = self._means.effective
        explained, saving = self._means.explained, self.saved(effective)
        column = self._column
        return Worth(
            float(explained[column]), float(effective[column]), float(saving[column]), cells=1
        )

    def __repr__(self) -> str:
        return f"<ContractChance of {self.contract} by {self.by}, {self.solved:,} layouts solved>"

    def __str__(self) -> str:
        making = f"makes {percent_text(self.making())}"
        lines = [self.headline, f"{self.contract} by {self.by.word}", making]
        return "\n".join(lines + wrapped(self.notes))


def contract_chance(
    *,
    contract: str | Contract,
    by: str | Seat | None = None,
    side: str = "NS",
    north: KnownHand = None,
    east: KnownHand = None,
    south: KnownHand = None,
    west: KnownHand = None,
    condition: KnownDeal = None,
    auction: AuctionLike | None = None,
    dealer: str | Seat = "N",
    vulnerable: str | Vulnerability = "none",
    samples: int | None = None,
    solve: int | None = None,
    seed: int = 0,
    model: str | os.PathLike[str] | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_tries: int = MAX_TRIES,
    progress: bool | Callable[[ContractChance], object] = False,
    keep_on_interrupt: bool = False,
    cluster: str | None = None,
) -> ContractChance:
    """Find how often one contract makes, two to five times faster than ``simulate``.

    Args:
        contract: The contract, such as ``"4H"``, ``"3NX"`` or a Contract.
        by: Declarer. Default: the better of ``side``, which takes a second search a layout.
        side: Side that declares where ``by`` does not say: ``"NS"`` or ``"EW"``.
        north: What is known of the hand: a Hand or its text, a description such as ``"hcp 15-17,
            balanced"``, a function of (n, 52) bool hands, or a list of these. Default: nothing.
        east: As ``north``.
        south: As ``north``.
        west: As ``north``.
        condition: What is known of the whole deal: text in Dealer's language such as ``"hcp(north)
            + hcp(south) >= 25"``, a Script, a function of (n, 52) owners, or a list of these.
        auction: The calls so far, dealer first: ``"1N P 3N"``, a list of calls, or an Auction.
            Hidden hands then fit it as in championship play. Also takes a Reading of
            ``Bidder.read``.
        dealer: Seat of the dealer, or its letter or name.
        vulnerable: Vulnerable sides: none, ns, ew or both.
        samples: Layouts to estimate. Default: as many as pay, given how well the network explains
            the solved ones.
        solve: Layouts to solve as well, which correct the estimates and give intervals: 0, or 20 or
            more. Default: 200.
        seed: Seed, 0 to 2**64 - 1. The same seed gives the same layouts.
        model: Name or path of the network. Default: fast, or accurate if ``solve`` is 0.
        precision: Stop when the chance is known to ± this; 0.03 is three percent. Default: no
            limit.
        seconds: Stop after this time, but not before 20 layouts. Default: no limit.
        workers: Number of solver threads. Default: all cores.
        max_tries: Most layouts to draw.
        progress: Whether to show a bar; or a function that receives the result so far some times a
            second. A KeyboardInterrupt from it acts like Ctrl-C.
        keep_on_interrupt: Whether Ctrl-C ends the work and gives the result so far.
        cluster: Ray cluster to solve on: ``"local"``, ``"auto"`` or ``"ray://HOST:PORT"``. The
            result is the same. Default: this machine.

    Returns:
        A ContractChance: ``making()`` with its 95 % interval.

    Raises:
        DealError: A hand, contract or seat is not valid.
        CallError: A call is not valid, or the laws forbid it.
        ConstraintError: A text cannot be read or contradicts itself, or too few layouts fit.
        SimulationError: A number is out of its range, or options contradict each other.
        ClusterError: The cluster fails.

    Example:
        >>> known = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
        >>> answer = tc.contract_chance(**known, contract="2S", by="S", samples=200, solve=20)
        >>> answer.making().low <= answer.making().mean <= answer.making().high
        True
    """
    question = Making(played(contract), seats_of(side) if by is None else (Seat.parse(by),))
    heard = read_calls(auction, dealer, vulnerable)
    plan = Plan(samples=samples, solve=solve, precision=precision, seconds=seconds)
    known = {"north": north, "east": east, "south": south, "west": west, "condition": condition}
    told = watcher(progress, lambda layouts: ContractChance(layouts, question))
    work = Work(seed, model, workers, max_tries, told, keep_on_interrupt, cluster, heard)
    return ContractChance(lay_out(question, known, plan, work), question)
