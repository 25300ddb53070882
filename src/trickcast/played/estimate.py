"""Estimate the tricks that players take: ``accurate`` and a small network on top of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import (
    DealError,
    DealsLike,
    Seat,
    Strain,
    as_dealset,
    card_text,
    declarer_of,
    parse_card,
    shorten,
)
from ..cards.auction import CALLS, contract_of
from ..cards.auction_text import Auction, AuctionLike, read_auction
from ..estimator.estimator import loaded
from ..estimator.files import check_distributions, run_model
from ..scoring import Contract
from .files import PlayedModelInfo, load_played_model
from .network_inputs import UNKNOWN_LEAD, Tables, encode
from .result import PlayedEstimate

Contracts = str | Contract | Iterable[str | Contract]
Declarers = str | Seat | Iterable[str | Seat | None]
Leads = str | int | None | Iterable[str | int | None]
"""Cards, by text or number; None if the lead is unknown."""
Auctions = AuctionLike | None | Iterable[AuctionLike | None]
"""The calls of each table: text, a list or an Auction."""

PLAYERS = ("expert", "club")
"""Whose play is estimated: championship players or club players."""
_AT_ONCE = 1024  # tables whose inner layers are in memory at a time


def check_players(players: str) -> None:
    """Raise ValueError for unknown players."""
    if players not in PLAYERS:
        raise ValueError(f"players is {shorten(players)} (expected {' or '.join(PLAYERS)})")


class PlayedEstimator:
    """A pretrained model of play at the table, loaded once and called on deals and contracts.

    Calls from many threads are safe.

    Args:
        model: ``played``, which ships, or the path of an ``.onnx`` file that ``trickcast train
            played`` exported.
        threads: Number of threads, 1 or more. Default: all cores.

    Raises:
        ModelError: The model is unknown, missing or damaged, or was trained on another
            ``accurate``.
        ValueError: ``threads`` is below 1.

    Example:
        >>> from trickcast.played import PlayedEstimator
        >>> estimator = PlayedEstimator(threads=1)
        >>> estimator(tc.random_deals(100, seed=1), "3N", "S").expected.shape
        (100,)
    """

    info: PlayedModelInfo
    """The model's file and its metadata."""

    def __init__(
        self, model: str | os.PathLike[str] = "played", *, threads: int | None = None
    ) -> None:
        self._threads = threads
        self._session, self.info = load_played_model(model, self._threads)
        self._cards = loaded("accurate", self._threads)
        self.info.check_base(self._cards.info)

    def __repr__(self) -> str:
        return f"<PlayedEstimator {self.info.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model's name, or its path if it does not ship, and its checksum."""
        return self.info.pickled(type(self), threads=self._threads)

    def __call__(
        self,
        deals: DealsLike,
        contracts: Contracts,
        by: Declarers | None = None,
        *,
        players: str = "expert",
        leads: Leads = None,
        auctions: Auctions = None,
    ) -> PlayedEstimate:
        """Estimate the tricks that declarers take at the table.

        See ``estimate_played`` for the arguments and errors.
        """
        asked = _ContractsPlayed(deals, contracts, by, leads, auctions, players)
        probabilities = self._run(asked)
        estimated = PlayedEstimate(probabilities, asked.contracts)
        return estimated[0] if asked.single else estimated

    def _run(self, asked: _ContractsPlayed) -> NDArray[np.float32]:
        """Return (n, 14) probabilities."""
        probabilities = np.empty((asked.count, 14), dtype=np.float32)
        strains = asked.contracts[:, 1]
        for strain in np.unique(strains):  # one strain costs much less than all five
            of_strain = np.flatnonzero(strains == strain)
            for start in range(0, len(of_strain), _AT_ONCE):
                rows = of_strain[start : start + _AT_ONCE]
                probabilities[rows] = self._run_strain(asked, rows)
        return probabilities

    def _run_strain(self, asked: _ContractsPlayed, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        strain = Strain(int(asked.contracts[rows[0], 1]))
        tables = asked.tables(rows)
        deals, of_deal = np.unique(tables.owners, axis=0, return_inverse=True)
        chances, inner = self._cards.with_inner_layer(deals, strain)  # shared by a deal's tables
        of_deal = of_deal.ravel()
        inputs = {"tables": encode(tables, chances[of_deal], inner[of_deal])}
        (answer,) = run_model(self._session, self.info, ["probabilities"], inputs)
        check_distributions(answer, (len(rows), 14), self.info)
        return answer


class _ContractsPlayed:
    """The checked arguments of an estimate, expanded to n tables."""

    def __init__(
        self,
        deals: DealsLike,
        contracts: Contracts,
        by: Declarers | None,
        leads: Leads,
        auctions: Auctions,
        players: str,
    ):
        check_players(players)
        dealset, one_deal = as_dealset(deals)
        self.owners = dealset.owners
        given = {
            "contract": _listed(contracts),
            "declarer": _listed(by),
            "lead": _listed(leads),
            "auction": _listed(auctions),
        }
        counts = {name: len(values) for name, values in given.items() if values is not None}
        if not one_deal:
            counts["deal"] = len(dealset)
        self.single = one_deal and not counts
        self.count = _common(counts)
        self._club = np.full(self.count, players == "club")
        read = _Reading(self.count, self.single)
        bids = read.each(given["contract"], contracts, _contract)
        seats = read.each(given["declarer"], by, _declarer)
        declared = read.each([*zip(bids, seats, strict=True)], None, _declared)
        self.contracts = np.array(declared, dtype=np.int64).reshape(-1, 4)
        self._leads = None
        if leads is not None:
            self._leads = np.array(read.each(given["lead"], leads, _lead), dtype=np.int64)
            self._check_leads(read)
        self._auctions = None
        if auctions is not None:
            self._auctions = read.each(given["auction"], auctions, _calls)
            self._check_auctions(read)

    def tables(self, rows: NDArray[np.intp]) -> Tables:
        """Return the network's inputs for some tables."""
        owners = self.owners
        owners = owners.repeat(len(rows), axis=0) if len(owners) == 1 else owners[rows]
        return Tables(
            owners,
            self.contracts[rows],
            self._club[rows],
            None if self._leads is None else self._leads[rows],
            None if self._auctions is None else [self._auctions[row][0] for row in rows],
        )

    def _check_leads(self, read: _Reading) -> None:
        assert self._leads is not None
        leaders = (self.contracts[:, 3] + 1) % 4
        known = self._leads != UNKNOWN_LEAD
        owners = self.owners if len(self.owners) == self.count else self.owners[[0] * self.count]
        holders = owners[np.arange(self.count), np.where(known, self._leads, 0)]
        for row in np.flatnonzero(known & (holders != leaders))[:1]:
            leader, holder = Seat(int(leaders[row])), Seat(int(holders[row]))
            card = card_text(int(self._leads[row]))
            raise DealError(f"{read.place(row)}{leader.word} leads, but {holder.word} holds {card}")

    def _check_auctions(self, read: _Reading) -> None:
        assert self._auctions is not None
        for row, (calls, by) in enumerate(self._auctions):
            if not calls:
                continue
            level, strain, doubling, declarer = self.contracts[row]
            asked = f"{level}{'SHDCN'[strain]}{'X' * doubling}"
            reached, _ = contract_of(Seat.NORTH, calls)
            if reached != asked:
                raise DealError(f"{read.place(row)}the auction ends in {reached}, not in {asked}")
            if by not in (None, declarer):
                asked = f"{by.word} declares, not {Seat(int(declarer)).word}"
                raise DealError(f"{read.place(row)}by the auction {asked}")


class _Reading:
    """Read n values; errors name the deal whose value is invalid."""

    def __init__(self, count: int, single: bool):
        self._count, self._single = count, single

    def place(self, row: int) -> str:
        """Return the beginning of a message about a row."""
        return "" if self._single else f"deal {row}: "

    def each(self, values: list[Any] | None, one: Any, read: Any) -> list[Any]:
        """Return the n values, parsed; ``one`` is used for all if there is no list."""
        if values is None:
            return [read(one)] * self._count
        if len(values) != self._count:
            values = values * self._count
        known: dict[Any, Any] = {}
        found = []
        for row, value in enumerate(values):
            key = (type(value), value) if isinstance(value, str | int) else None
            try:
                if key is None or key not in known:
                    known[key] = read(value)
            except DealError as error:
                raise DealError(f"{self.place(row)}{error}") from None
            found.append(known[key])
        return found


def _listed(values: Any) -> list[Any] | None:
    """Return several values as a list, and None for a single value."""
    one = values is None or isinstance(values, str | int) or not isinstance(values, Iterable)
    return None if one else list(values)


def _common(counts: dict[str, int]) -> int:
    """Return the number of tables. Raises DealError for counts that don't match."""
    sizes = {size for size in counts.values() if size != 1} or set(counts.values())
    if len(sizes) > 1:
        said = ", ".join(f"{size:,} {name}s" for name, size in counts.items())
        raise DealError(f"{said} (expected equally many, or one of each)")
    return sizes.pop() if sizes else 1


def _contract(value: Any) -> Contract:
    bid = Contract(value if isinstance(value, Contract) else str(value))
    if bid.strain is None:
        raise DealError("the board is passed out: there are no tricks to estimate")
    return bid


def _declarer(value: Any) -> Seat | None:
    if isinstance(value, int | np.integer) and 0 <= value < len(Seat):
        return Seat(int(value))
    return None if value is None else Seat.parse(value)


def _declared(value: tuple[Contract, Seat | None]) -> tuple[int, int, int, int]:
    """Return level, strain, doubling and declarer."""
    bid, by = value
    declarer = declarer_of(bid, by)
    if declarer is None:
        raise DealError(f"{bid} has no declarer (expected by)")
    assert bid.strain is not None  # _contract has made sure
    return bid.level, int(bid.strain), bid.doubling, int(declarer)


def _lead(value: Any) -> int:
    if value is None:
        return UNKNOWN_LEAD
    if isinstance(value, int | np.integer) and 0 <= value < 52:
        return int(value)
    return parse_card(value)


def _calls(value: Any) -> tuple[Sequence[str], Seat | None]:
    """Read an auction: its calls, none if it is unknown, and the declarer if it gives one."""
    if value is None:
        return (), None
    read = read_auction(value)
    calls = tuple(CALLS[number] for number in read.calls)
    if calls and not read.state.over:
        hint = "; a list of calls stands in a list of its own" if len(calls) == 1 else ""
        raise DealError(
            f"the auction {shorten(' '.join(calls))} has not ended (expected three passes at its "
            f"end{hint})"
        )
    return calls, read.contract[1] if isinstance(value, Auction) else None


@cache
def loaded_played(threads: int | None = None) -> PlayedEstimator:
    """Return the shipped estimator, loaded once for each number of threads."""
    return PlayedEstimator(threads=threads)


def estimate_played(
    deals: DealsLike,
    contracts: Contracts,
    by: Declarers | None = None,
    *,
    players: str = "expert",
    leads: Leads = None,
    auctions: Auctions = None,
) -> PlayedEstimate:
    """Estimate the tricks that players take at the table, where nobody sees all the cards.

    The estimate is for contracts that players reach. The fact that a contract was bid, and perhaps
    doubled, says something about the cards and the players.

    ``contracts``, ``by``, ``leads`` and ``auctions`` may each be one value for all, or a list of n.
    In lists of leads and auctions None means unknown, and in those of declarers the Contract's own.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        contracts: Contract, such as ``"4HX"``.
        by: Declarer. Default: the Contract's.
        players: ``"expert"`` (championships) or ``"club"``.
        leads: Opening lead, such as ``"SA"``. Default: unknown.
        auctions: All calls, ``"1N P 3N P P P"``, or an Auction; a list of calls stands in a list of
            its own. Default: unknown.

    Returns:
        A PlayedEstimate: ``probabilities`` of 0 to 13 tricks, shape (n, 14), or (14,) if every
        argument is a single value.

    Raises:
        DealError: A deal, contract, seat, card or auction is not valid; or they contradict each
            other, or the board is passed out.
        ValueError: ``players`` has another value.
        ModelError: The model file is damaged.

    Example:
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> played = tc.estimate_played(deal, "4H", by="N")
        >>> played.probabilities.shape, bool(played.making() > 0.5)
        ((14,), True)
    """
    return loaded_played()(deals, contracts, by, players=players, leads=leads, auctions=auctions)
