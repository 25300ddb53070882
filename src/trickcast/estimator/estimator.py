"""Run a pretrained network on deals."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import DealSet, DealsLike, Strain, as_dealset, checked_number, checked_whole
from .files import (
    DEFAULT_MODEL,
    ModelInfo,
    check_pickled,
    load_session,
    locate,
    pickled_name,
)
from .model import ALL_STRAINS, Answer, Model
from .result import TrickEstimate

_STREAMED = 4096  # deals in a part of a stream, or solved at a time


class Estimator:
    """Load a model of whole deals once, and call it on deals.

    Many threads may call it at the same time.

    Args:
        model: Name of a model (see ``models()``), or path of an ``.onnx`` file that ``trickcast
            train`` exported.
        threads: Number of threads. Default: all cores.
        batch_size: Deals computed at a time. It limits the memory, and changes no result.

    Raises:
        ModelError: The model is unknown, missing or damaged.
        ValueError: ``threads`` or ``batch_size`` is below 1.

    Example:
        >>> estimator = tc.Estimator("fast", threads=1)
        >>> estimator(tc.random_deals(100, seed=1)).expected.shape
        (100, 5, 4)
    """

    info: ModelInfo
    """The model's file and its metadata."""

    def __init__(
        self,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        *,
        threads: int | None = None,
        batch_size: int = 64,  # more would not fit in a processor's caches
    ):
        threads = None if threads is None else checked_whole(threads, "threads", 1)
        session, self.info = load_session(model)
        self._network = Model(session, self.info)
        self.batch_size = checked_whole(batch_size, "batch_size", 1)
        self._threads = threads

    def __repr__(self) -> str:
        return f"<Estimator {self.info.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model's name, or its path if it does not ship, and its checksum."""
        name = pickled_name(self.info)
        return _same, (name, self.info.sha256, self._threads, self.batch_size)

    def __call__(self, deals: DealsLike, *, solve_below: float | None = None) -> TrickEstimate:
        """Estimate the tricks of every strain and declarer.

        The result takes 1.1 kB per deal; computing it takes constant memory.
        ``stream`` needs constant memory for both.

        Args:
            deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
            solve_below: Probability, 0 to 1: results whose likeliest number has a lower one are
                    searched with DDS until it is at least as probable. ``solved`` of the result
                    says which are certain. 1 solves everything except what the network is fully
                    sure of.
                Default: none.

        Returns:
            A TrickEstimate; a single deal gives arrays without the leading axis.

        Raises:
            DealError: An entry is not a valid deal; the message names its index.
            TypeError: ``solve_below`` is not a number.
            ValueError: ``solve_below`` is not a probability.
        """
        if solve_below is not None:
            _check_bound(solve_below)
        dealset, single = as_dealset(deals)
        n = len(dealset)
        probabilities, tricks = self._run(dealset, ALL_STRAINS)
        exact = None
        if solve_below is not None:
            from .exact import decide  # not loaded unless solving

            exact = np.empty((n, 5, 4), dtype=np.bool_)
            for start in range(0, n, _STREAMED):
                rows = slice(start, start + _STREAMED)
                owners, chances = dealset.owners[rows], probabilities[rows]
                decided = decide(owners, chances, tricks[rows], solve_below, self._threads)
                exact[rows] = decided.exact
        estimates = TrickEstimate._trusted(probabilities, tricks, exact)  # the model is checked
        return estimates[0] if single else estimates

    def probabilities(
        self, deals: DealsLike, strains: Iterable[str | Strain]
    ) -> NDArray[np.float32]:
        """Return the probabilities of only some strains, which is faster than all.

        With the models that ship, one strain takes about two fifths of the time of five.

        Args:
            deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
            strains: The k strains, as letters or Strains.

        Returns:
            Probabilities of 0 to 13 tricks, shape (n, k, 4, 14), float32, by declarers N E S W; for
            a single deal without the leading axis. The numbers equal
            ``self(deals).probabilities[:, strains]``.

        Raises:
            DealError: A deal or strain is not valid.
            ValueError: ``strains`` is empty.
        """
        dealset, single = as_dealset(deals)
        asked = [Strain.parse(strain) for strain in strains]
        if not asked:
            raise ValueError("strains is empty (expected one or more)")
        chances, _ = self._run(dealset, asked)
        return chances[0] if single else chances

    def with_inner_layer(
        self, deals: DealsLike, strain: str | Strain
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the probabilities of one strain and the network's last inner layer.

        (n, 4, 14) float32, declarers N E S W, and (n, width) float32, a quarter of the width for
        each seat N E S W: inputs for other networks. A single deal gives arrays without the
        leading axis.

        Raises DealError for an invalid deal or strain, ModelError if the model lacks the strain.
        """
        dealset, single = as_dealset(deals)
        network, asked = self._network, Strain.parse(strain)
        n = len(dealset)
        chances, inner = network.with_inner_layer(dealset.owners[:1], asked)
        if n != 1:
            chances = np.empty((n, *chances.shape[1:]), dtype=np.float32)
            inner = np.empty((n, *inner.shape[1:]), dtype=np.float32)

            def fill(rows: slice) -> None:
                chances[rows], inner[rows] = network.with_inner_layer(dealset.owners[rows], asked)

            self._in_batches(n, fill)
        return (chances[0], inner[0]) if single else (chances, inner)

    def _run(self, deals: DealSet, strains: Sequence[Strain]) -> Answer:
        """Return the answer for n ≥ 0 deals."""
        n = len(deals)
        if n == 1:  # one batch, so no threads to count
            return self._network(deals.owners, strains)
        probabilities = np.empty((n, len(strains), 4, 14), dtype=np.float32)
        tricks = np.empty((n, len(strains), 4), dtype=np.uint8)

        def fill(rows: slice) -> None:
            probabilities[rows], tricks[rows] = self._network(deals.owners[rows], strains)

        self._in_batches(n, fill)
        return probabilities, tricks

    def _in_batches(self, n: int, fill: Callable[[slice], None]) -> None:
        """Fill the rows of n deals batch by batch, spread over threads."""
        from concurrent.futures import ThreadPoolExecutor

        from ..solver import thread_count

        threads = thread_count(self._threads)
        size = max(1, min(self.batch_size, -(-n // threads)))
        batches = [slice(start, start + size) for start in range(0, n, size)]
        if threads == 1 or len(batches) == 1:
            for rows in batches:
                fill(rows)
            return
        pool = ThreadPoolExecutor(threads)
        try:
            for _ in pool.map(fill, batches):  # re-raises errors of a batch
                pass
        finally:
            pool.shutdown(cancel_futures=True)

    def stream(
        self, deals: DealsLike, *, solve_below: float | None = None
    ) -> Iterator[TrickEstimate]:
        """Yield the estimates in parts of 4,096 deals, for more deals than fit in memory.

        Args:
            deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
            solve_below: As in a call.

        Yields:
            TrickEstimates, in order; the last one is shorter.

        Raises:
            DealError: An entry is not a valid deal; the message names its index. Raised before
                    anything is yielded.
            TypeError: ``solve_below`` is not a number.
            ValueError: ``solve_below`` is not a probability.
        """
        if solve_below is not None:
            _check_bound(solve_below)
        dealset, _ = as_dealset(deals)
        starts = range(0, len(dealset), _STREAMED)
        return (self(dealset[i : i + _STREAMED], solve_below=solve_below) for i in starts)


def _same(model: str, sha256: str, threads: int | None, batch_size: int) -> Estimator:
    """Load what was pickled, usually once for all copies in a process.

    Raises ModelError if the file has changed since.
    """
    estimator = loaded(model, threads)
    if estimator.batch_size != batch_size:
        estimator = Estimator(model, threads=threads, batch_size=batch_size)
    check_pickled(estimator.info, sha256)
    return estimator


def _check_bound(solve_below: float) -> None:
    """Raise ValueError unless it is a probability."""
    if not 0 <= checked_number(solve_below, "solve_below") <= 1:
        raise ValueError(f"solve_below is {solve_below} (expected a probability, 0 to 1)")


_MOST_LOADED = 4
_loaded: OrderedDict[tuple[str, int | None, int], Estimator] = OrderedDict()
"""The most recently used one is last."""


def loaded(model: str | os.PathLike[str] | None = None, threads: int | None = None) -> Estimator:
    """Return an Estimator that stays loaded while it is among the last four used.

    A file that has changed is loaded again.

    Args:
        model: Name of a model, or path of an ``.onnx`` file. Default: accurate.
        threads: Number of threads. Default: all cores.

    Returns:
        The Estimator.

    Raises:
        ModelError: The model is unknown, missing or damaged.
        ValueError: ``threads`` is below 1.

    Example:
        >>> loaded("fast") is loaded("fast")
        True
    """
    key = _key(model, threads)
    estimator = _loaded.get(key)
    if estimator is None:
        estimator = Estimator(key[0], threads=threads)
        for oldest in [*_loaded][: 1 - _MOST_LOADED]:
            _loaded.pop(oldest, None)
        _loaded[key] = estimator
    with suppress(KeyError):  # another thread may have loaded four others since
        _loaded.move_to_end(key)
    return estimator


def is_loaded(model: str | os.PathLike[str] | None = None, threads: int | None = None) -> bool:
    """Return whether a model is already loaded.

    Args:
        model: As in ``loaded``.
        threads: As in ``loaded``.

    Returns:
        True if it is loaded.

    Raises:
        ModelError: The model is unknown.

    Example:
        >>> estimator = loaded("fast")
        >>> is_loaded("fast")
        True
    """
    return _key(model, threads) in _loaded


def _key(model: str | os.PathLike[str] | None, threads: int | None) -> tuple[str, int | None, int]:
    asked = DEFAULT_MODEL if model is None else model
    file, _ = locate(asked)
    name = os.fspath(asked)
    changed = file.stat().st_mtime_ns if file.exists() else 0  # a missing file is an error anyway
    return name, threads, changed


def estimate(
    deals: DealsLike,
    model: str | os.PathLike[str] | None = None,
    *,
    solve_below: float | None = None,
) -> TrickEstimate:
    """Estimate the tricks of every strain and declarer with a neural network.

    A model stays loaded after its first use.

    Args:
        deals: A Deal, PBN text, a DealSet, a list of these, or owners of shape (n, 52), uint8.
        model: Name of a model (see ``models()``), or path of an ``.onnx`` file. Default: accurate.
        solve_below: Probability, 0 to 1: results of which the model is less sure are searched with
            DDS. Default: none.

    Returns:
        A TrickEstimate: ``expected`` and ``tricks`` of shape (5, 4) for a single deal and (n, 5, 4)
        otherwise, ``probabilities`` with an axis of 14 more.

    Raises:
        DealError: An entry is not a valid deal; the message names its index.
        ModelError: The model is unknown, missing or damaged.
        TypeError: ``solve_below`` is not a number.
        ValueError: ``solve_below`` is not a probability.

    Example:
        >>> deal = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
        >>> estimated = tc.estimate(deal)
        >>> estimated.tricks["H", "N"], estimated.probabilities.shape
        (10, (5, 4, 14))
    """
    return loaded(model)(deals, solve_below=solve_below)
