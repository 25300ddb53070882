import numpy as np
import pytest
from scipy.stats import chisquare

from trickcast.cards import hands_of
from trickcast.dealing import random_deals
from trickcast.papers.published import read_table

DEALS = 200_000
FIRST_DEAL_OF_SEED_717102 = "N:KJT74.QT3.83.J43 A853.92.AJT9.AT8 Q92.J765.KQ.Q976 6.AK84.76542.K52"


@pytest.fixture(scope="module")
def owners() -> np.ndarray:
    return random_deals(DEALS, seed=1).owners


def test_a_deal_depends_on_seed_and_index_alone(owners: np.ndarray) -> None:
    assert (random_deals(7, seed=1, start=4_999).owners == owners[4_999:5_006]).all()
    assert (random_deals(1, seed=1, start=DEALS - 1).owners == owners[-1]).all()
    assert (random_deals(50, seed=2).owners != owners[:50]).any(axis=1).all()
    far = random_deals(2, seed=2**64 - 1, start=10**15).owners
    assert (far[1] == random_deals(1, seed=2**64 - 1, start=10**15 + 1).owners).all()


def test_these_cards_never_change() -> None:
    """Libraries name their deals by seed and index: other cards would make them worthless."""
    assert random_deals(1, seed=717102)[0].pbn == FIRST_DEAL_OF_SEED_717102
    assert len(random_deals(0, seed=1)) == 0


def test_every_card_goes_to_every_seat_equally_often(owners: np.ndarray) -> None:
    counts = np.stack([(owners == seat).sum(axis=0) for seat in range(4)])
    assert chisquare(counts.T, axis=1).pvalue.min() > 1e-4 / 52
    # two cards are with the same seat in 12 of 51 cases, whichever two they are
    together = [(owners[:, a] == owners[:, b]).mean() for a, b in ((0, 1), (0, 51), (12, 13))]
    assert np.abs(np.array(together) - 12 / 51).max() < 5 * np.sqrt(0.18 / DEALS)


def test_hand_patterns_are_as_frequent_as_they_should(owners: np.ndarray) -> None:
    exact = {
        row["pattern"]: float(row["total_percent_exact"]) / 100
        for row in read_table("hand_patterns.csv")
    }
    assert sum(exact.values()) == pytest.approx(1, abs=1e-5)
    for seat in range(4):
        lengths = hands_of(owners, "NESW"[seat]).reshape(-1, 4, 13).sum(axis=2)
        patterns, counts = np.unique(np.sort(lengths, axis=1)[:, ::-1], axis=0, return_counts=True)
        seen = {"-".join(map(str, p)): int(n) for p, n in zip(patterns, counts, strict=True)}
        common = [name for name, share in exact.items() if share * DEALS > 20]
        assert len(common) > 20
        rest = DEALS - sum(seen[name] for name in common)
        expected = [exact[name] * DEALS for name in common]
        observed = [seen[name] for name in common]
        test = chisquare([*observed, rest], [*expected, DEALS - sum(expected)])
        assert test.pvalue > 1e-4


def test_integers_of_numpy_are_integers() -> None:
    far = np.int32(2**30)
    assert random_deals(np.int64(1), np.uint64(1), far) == random_deals(1, 1, 2**30)
    with pytest.raises(TypeError):
        random_deals(1, 1.5)


@pytest.mark.parametrize(
    ("n", "seed", "start"), [(-1, 1, 0), (1, -1, 0), (1, 2**64, 0), (1, 1, -1)]
)
def test_impossible_numbers_are_refused(n: int, seed: int, start: int) -> None:
    with pytest.raises(ValueError, match="expected 0"):
        random_deals(n, seed, start)


@pytest.mark.parametrize("n", [10**15, 10**19, 10**40])
def test_more_deals_than_fit_in_memory_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="expected fewer: they need too much memory"):
        random_deals(n, seed=1)
