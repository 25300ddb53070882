"""What every coding must satisfy, ours and yours."""

import numpy as np
from numpy.typing import NDArray

from ..cards import Seat, Strain
from .coding import Coding
from .views import exchange

_ROWS = 8


def check_coding(coding: Coding) -> None:
    """Raise AssertionError where a coding breaks the rules that all codings keep.

    Rows have the stated size and sign, keep their order and are the same alone as in a batch. If
    the coding says so, nothing changes when the deal is turned with its declarer, and nothing
    when trumps and spades are exchanged; if not, the row tells the leader, or the trump suit.
    """
    rng = np.random.default_rng(0)
    owners = rng.permuted(np.tile(np.repeat(np.arange(4, dtype=np.uint8), 13), (_ROWS, 1)), axis=1)
    before = owners.copy()
    for strain in Strain:
        for declarer in Seat:
            rows = coding.encode(owners, strain, declarer)
            assert rows.shape == (_ROWS, coding.size), f"{rows.shape} is not (8, {coding.size})"
            assert rows.dtype in (np.uint8, np.float32), f"{rows.dtype} (expected uint8, float32)"
            assert bool((rows < 0).any()) == coding.negative, "the sign of the inputs is another"
            alone = coding.encode(owners[5:6], strain, declarer)
            assert np.array_equal(rows[5:6], alone), "a row depends on its batch"
            each = coding.encode(owners, np.full(_ROWS, strain), np.full(_ROWS, declarer))
            assert np.array_equal(rows, each), "n strains and declarers differ from one"
            if coding.turned:
                turned = coding.encode((owners + 1) % 4, strain, declarer.lho)
                assert np.array_equal(rows, turned), "turning the deal changes the input"
            else:
                other = coding.encode(owners, strain, declarer.lho)
                assert (rows != other).any(axis=1).all(), "the input does not tell the leader"
            _check_trumps(coding, owners, strain, declarer)
    assert np.array_equal(owners, before), "the deals were changed"
    assert coding.encode(owners[:0], 0, 0).shape == (0, coding.size), "an empty batch fails"


def _check_trumps(
    coding: Coding, owners: NDArray[np.uint8], strain: Strain, declarer: Seat
) -> None:
    rows = coding.encode(owners, strain, declarer)
    if coding.trumps == "exchanged":
        trumps = strain if strain == Strain.NOTRUMP else Strain.SPADES
        exchanged = coding.encode(exchange(owners, strain), trumps, declarer)
        assert np.array_equal(rows, exchanged), "exchanging the trumps changes the input"
        return
    other = coding.encode(owners, (strain + 1) % 5, declarer)
    if coding.trumps == "marked":
        assert (rows != other).any(axis=1).all(), "the input does not tell the trumps"
    else:
        assert np.array_equal(rows, other), "the input tells the trumps"
