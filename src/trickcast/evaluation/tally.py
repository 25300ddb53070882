"""Accumulate how good estimates are, batch by batch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Seat, Strain
from .breakdown import BREAKDOWNS, CONTRACTS, groups
from .clusters import ClusterSums
from .figures import Calibration, CalibrationBin, Evaluation, Figures
from .scores import UNSOLVED

_FIGURES = ("within_2", "within_1", "exact", "log_loss", "mean_error", "mean_squared_error")
_SHARES = _FIGURES[:3]
_WIDTH = len(_FIGURES) + 1
_LEAST = 1e-12  # a probability of 0 would make every log-loss infinite
_BINS = 15
_PARTS: dict[str, slice] = {strain.letter: slice(strain, strain + 1) for strain in Strain} | {
    "suits": CONTRACTS["suits"],
    "all": slice(0, 5),
}

Array = NDArray[np.float64]


class Tally:
    """Running sums that all figures are computed from; memory is constant.

    ``add`` batches of estimates with the real tricks, then ask for the ``evaluation``.
    """

    def __init__(self) -> None:
        self._parts = {name: ClusterSums(_WIDTH) for name in _PARTS}
        self._cells = {(strain, seat): ClusterSums(_WIDTH) for strain in Strain for seat in Seat}
        self._groups = {
            (name, contracts, label): ClusterSums(_WIDTH)
            for name, labels in BREAKDOWNS.items()
            for contracts in CONTRACTS
            for label in labels
        }
        self._bins = {name: ClusterSums(3 * _BINS + 1) for name in _PARTS}

    def add(
        self,
        probabilities: NDArray[np.float32],
        named: NDArray[np.uint8],
        real: NDArray[np.uint8],
        owners: NDArray[np.uint8],
    ) -> Array:
        """Add estimates of n deals, and return their figures for ``Paired``.

        ``probabilities`` is (n, 5, 4, 14); ``named``, the tricks that the model names, and
        ``real`` are (n, 5, 4), ``owners`` (n, 52). Results unknown (255) in ``real`` are left out.
        Raises ValueError if the shapes do not match.
        """
        n = len(owners)
        for name, array, shape in (
            ("probabilities", probabilities, (n, 5, 4, 14)),
            ("named", named, (n, 5, 4)),
            ("real", real, (n, 5, 4)),
        ):
            if array.shape != shape:
                raise ValueError(f"{name} of shape {array.shape} for {n} deals (expected {shape})")
        figures = _figures(probabilities, named, real)
        for part, strains in _PARTS.items():
            self._parts[part].add(figures[:, strains].sum(axis=(1, 2)))
        for (strain, seat), sums in self._cells.items():
            sums.add(figures[:, strain, seat])
        for name, group in groups(owners, real).items():
            labels = BREAKDOWNS[name]
            for contracts, strains in CONTRACTS.items():
                sorted_ = _by_group(figures[:, strains], group[:, strains], len(labels))
                for place, label in enumerate(labels):
                    self._groups[name, contracts, label].add(sorted_[:, place])
        self._add_bins(probabilities, real)
        return figures

    def merge(self, other: "Tally") -> None:
        """Add the sums of other deals."""
        for ours, theirs in (
            (self._parts, other._parts),
            (self._cells, other._cells),
            (self._groups, other._groups),
            (self._bins, other._bins),
        ):
            _merge(ours, theirs)

    def _add_bins(self, probabilities: NDArray[np.float32], real: NDArray[np.uint8]) -> None:
        stated = probabilities.max(axis=-1).astype(np.float64)
        known = real != UNKNOWN
        hit = probabilities.argmax(axis=-1) == real
        place = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
        columns = np.stack([hit, stated, np.ones_like(stated)], axis=-1) * known[..., None]
        for part, strains in _PARTS.items():
            rows = _by_group(columns[:, strains], place[:, strains], _BINS)  # (n, bin, 3)
            results = known[:, strains].sum(axis=(1, 2))
            flat = rows.transpose(0, 2, 1).reshape(len(rows), -1)
            self._bins[part].add(np.column_stack([flat, results]))

    def evaluation(self) -> Evaluation:
        """Return the evaluation so far. Raises ValueError if no result was known."""
        everything = self._parts["all"]
        if not everything.results:
            raise ValueError(UNSOLVED)
        known = _known(self._parts)
        cells: dict[str, dict[str, Figures]] = {}
        for (strain, seat), sums in self._cells.items():
            if sums.results:
                cells.setdefault(strain.letter, {})[seat.letter] = _read(sums)
        breakdowns: dict[str, dict[str, dict[str, Figures]]] = {}
        for (name, contracts, label), sums in self._groups.items():
            if sums.results:
                by_label = breakdowns.setdefault(name, {}).setdefault(contracts, {})
                by_label[label] = _read(sums)
        return Evaluation(
            deals=everything.clusters,
            strains={name: _read(sums) for name, sums in known.items()},
            cells=cells,
            breakdowns=breakdowns,
            calibration={name: _calibration(self._bins[name]) for name in known},
        )


class Paired:
    """Two models on the same deals: the differences of their figures, and their intervals.

    The intervals are much narrower than for the figures themselves: both find the same deals hard.
    """

    def __init__(self) -> None:
        self._parts = {name: ClusterSums(_WIDTH) for name in _PARTS}

    def add(self, ours: Array, theirs: Array) -> None:
        """Add what ``Tally.add`` returned for the same deals."""
        difference = ours - theirs
        difference[..., -1] = ours[..., -1]
        for part, strains in _PARTS.items():
            self._parts[part].add(difference[:, strains].sum(axis=(1, 2)))

    def merge(self, other: "Paired") -> None:
        """Add the sums of other deals."""
        _merge(self._parts, other._parts)

    def differences(self) -> dict[str, Figures]:
        """Return ours minus theirs, by strain as in ``Evaluation.strains``."""
        return {name: _read(sums, shares=False) for name, sums in _known(self._parts).items()}


def evaluate_rows(
    probabilities: NDArray[np.float32],
    named: NDArray[np.uint8],
    real: NDArray[np.uint8],
    *,
    deals: NDArray[np.intp],
    strains: NDArray[np.intp],
    times: NDArray[np.int64],
) -> Evaluation:
    """Evaluate estimates of m results, each of which occurred ``times`` times.

    Like ``Tally``, but for results that are not one per strain and declarer: those of tables.
    ``probabilities`` is (m, 14), all else (m,); ``deals`` gives the deal of each result. There
    are no cells or breakdowns. Raises ValueError without a result.
    """
    if not len(real):
        raise ValueError(UNSOLVED)
    numbers, deal = np.unique(deals, return_inverse=True)
    figures = _figures(probabilities, named, real) * times[:, None]
    stated = probabilities.max(axis=-1).astype(np.float64)
    hit = probabilities.argmax(axis=-1) == real
    place = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
    columns = np.stack([hit, stated, np.ones_like(stated)], axis=-1) * times[:, None]
    parts, bins = {}, {}
    for part, chosen in _PARTS.items():
        inside = np.isin(strains, np.arange(len(Strain))[chosen])
        if not inside.any():
            continue
        sums, of_bins = np.zeros((len(numbers), _WIDTH)), np.zeros((len(numbers), 3, _BINS))
        np.add.at(sums, deal[inside], figures[inside])
        for kind in range(3):
            np.add.at(of_bins[:, kind], (deal[inside], place[inside]), columns[inside, kind])
        parts[part], bins[part] = ClusterSums(_WIDTH), ClusterSums(3 * _BINS + 1)
        parts[part].add(sums)
        bins[part].add(np.column_stack([of_bins.reshape(len(numbers), -1), sums[:, -1]]))
    return Evaluation(
        deals=parts["all"].clusters,
        strains={part: _read(sums) for part, sums in _known(parts).items()},
        cells={},
        breakdowns={},
        calibration={part: _calibration(bins[part]) for part in _known(parts)},
    )


def _known(parts: Mapping[str, ClusterSums]) -> dict[str, ClusterSums]:
    """Return the parts with results; ``all`` needs some in suits and some in notrump."""
    known = {name: sums for name, sums in parts.items() if sums.results}
    if not {"suits", "N"} <= known.keys():
        known.pop("all", None)
    return known


def _merge(ours: Mapping[Any, ClusterSums], theirs: Mapping[Any, ClusterSums]) -> None:
    for name, sums in ours.items():
        sums.merge(theirs[name])


def _figures(
    probabilities: NDArray[np.float32], named: NDArray[np.uint8], real: NDArray[np.uint8]
) -> Array:
    """Return the figures of every result, (n, 5, 4, 7): _FIGURES and 1; zeros where unknown."""
    known = real != UNKNOWN
    true = np.where(known, real, 0).astype(np.intp)
    off = np.abs(named.astype(np.intp) - true)
    chance = np.take_along_axis(probabilities, true[..., None], axis=-1)[..., 0]
    error = probabilities.astype(np.float64) @ np.arange(14.0) - true
    loss = -np.log(np.maximum(chance.astype(np.float64), _LEAST))
    columns = [off <= 2, off <= 1, off == 0, loss, error, error**2, known]
    figures: Array = np.stack(columns, axis=-1).astype(np.float64) * known[..., None]
    return figures


def _by_group(values: Array, group: NDArray[np.intp], count: int) -> Array:
    """Sum (n, …, k) values of each deal by (n, …) group: (n, count, k)."""
    n, width = len(values), values.shape[-1]
    member = group.reshape(n, 1, -1) == np.arange(count)[:, None]
    sums: Array = member.astype(np.float64) @ values.reshape(n, -1, width)
    return sums


def _read(sums: ClusterSums, *, shares: bool = True) -> Figures:
    """Turn sums into figures; differences of shares are not shares, and use a mean's interval."""
    columns = np.eye(_WIDTH)
    figures = {
        name: (sums.share if shares else sums.mean)(columns[place]).times(100)
        if name in _SHARES
        else sums.mean(columns[place])
        for place, name in enumerate(_FIGURES)
    }
    return Figures(results=sums.results, **figures)


def _calibration(sums: ClusterSums) -> Calibration:
    columns = np.eye(3 * _BINS + 1)
    hits, stated, counts = (columns[start : start + _BINS] for start in (0, _BINS, 2 * _BINS))
    signs = np.sign((hits - stated) @ sums.total)
    noise = sum(sums.spread(hits[b] - stated[b])[1] for b in range(_BINS)) * np.sqrt(2 / np.pi)
    bins = [
        CalibrationBin(
            low=b / _BINS,
            high=(b + 1) / _BINS,
            results=int(counts[b] @ sums.total),
            stated=100 * sums.spread(stated[b], counts[b])[0],
            happened=sums.share(hits[b], counts[b]).times(100),
        )
        for b in range(_BINS)
        if counts[b] @ sums.total > 0
    ]
    error = sums.mean(signs @ (hits - stated))
    bounded = error._replace(low=max(error.low, 0.0)) if error.low == error.low else error
    return Calibration(bounded.times(100), 100 * float(noise), tuple(bins))
