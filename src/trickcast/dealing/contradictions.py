"""Constraints that nothing can satisfy, found by counting, before a layout is drawn."""

from collections.abc import Sequence

import numpy as np

from ..cards import Seat
from .language.counts import hcp
from .language.errors import ConstraintError, clip
from .language.evaluation import Layouts, value_of
from .language.tree import Clause, conjuncts, seats_of
from .sampler import Position, Sampler, Structures
from .structure import Known, View, structure

_SHOWN = 3  # clauses that an error quotes


def check_known(clauses: Sequence[Clause], known: Known, layouts: Layouts) -> None:
    """Raise ConstraintError for a clause that the known hands alone decide, and fail."""
    for clause in clauses:
        for node in conjuncts(clause.node):
            seats = seats_of(node)
            if all(seat in known for seat in seats) and not value_of(node, layouts).all():
                whose = " and ".join(seat.name.capitalize() for seat in sorted(seats))
                reason = f"the hand of {whose} is not so" if seats else "it is never true"
                raise ConstraintError(f"{clause.source}: {clip(clause.text)!r} fails: {reason}")


def check_seats(
    clauses: Sequence[Clause], position: Position, structures: Structures, known: Known
) -> None:
    """Raise ConstraintError when no hand that a seat can have satisfies what is said of it."""
    for seat, wanted in structures.items():
        view = View(seat, wanted.points, known)
        if wanted.says_nothing or position.share(seat, wanted) > 0:
            continue
        texts: list[str] = []
        together = structure([], view)
        for clause in clauses:
            alone = structure([clause.node], view)
            if together.within(alone):
                continue  # it excludes nothing more
            texts.append(clause.text)
            if position.share(seat, alone) == 0:
                raise _no_hand(seat, [clause.text], position)
            together = together.joined(alone)
            if position.share(seat, together) == 0:
                break
        raise _no_hand(seat, texts, position)


def _no_hand(seat: Seat, texts: list[str], position: Position) -> ConstraintError:
    """Say what cannot be, and what the known cards leave possible."""
    name = seat.name.lower()
    free = structure([], View(seat, hcp(), {}))
    points = np.flatnonzero(position.hands(seat, free).number.any(axis=0))
    least = position.lengths(seat)
    most = np.minimum(13, least + np.minimum(position.sizes, 13 - position.held[seat]))
    lengths = ", ".join(
        f"{low}-{high} {suit}"
        for low, high, suit in zip(
            least, most, ("spades", "hearts", "diamonds", "clubs"), strict=True
        )
    )
    shown = [repr(clip(text)) for text in texts]
    what = " and ".join(shown if len(shown) <= _SHOWN else [*shown[: _SHOWN - 1], "others"])
    return ConstraintError(
        f"{name}: no hand fits {what}{' together' if len(texts) > 1 else ''} (with the known "
        f"cards, {points[0]}-{points[-1]} high-card points, {lengths} are possible)"
    )


def check_shapes(sampler: Sampler) -> None:
    """Raise ConstraintError when each seat's shapes are possible, but not together."""
    if sampler.share == 0:
        raise ConstraintError(
            "the shapes asked of the seats do not go together: no layout of the suits has them all"
        )


def check_points(position: Position, structures: Structures) -> None:
    """Raise ConstraintError when the high-card points asked of the seats cannot add up.

    The structures are those by high-card points.
    """
    left = np.array(
        [_points(position.free)] + [_points(ids) for ids in position.ids], dtype=np.int64
    )
    total = int(left.sum())
    ranges = {}
    for seat in Seat:
        if seat not in structures:
            ranges[seat] = (int(left[1 + seat]),) * 2
            continue
        wanted = structures[seat]
        number = position.hands(seat, wanted).number * wanted.cells
        points = np.flatnonzero(number.any(axis=0))
        ranges[seat] = (int(points[0]), int(points[-1]))
    least, most = (sum(ends) for ends in zip(*ranges.values(), strict=True))
    if not least <= total <= most:
        asked = ", ".join(
            f"{seat.name.lower()} {low}-{high}" for seat, (low, high) in ranges.items()
        )
        raise ConstraintError(
            f"the high-card points do not go together: {asked} make {least}-{most} (expected "
            f"{total} in all)"
        )


def _points(ids: Sequence[int]) -> int:
    return sum(points for suit in ids for i, points in enumerate((4, 3, 2, 1)) if suit >> i & 1)
