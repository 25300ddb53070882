"""Rprop of 1993: against its rules followed weight by weight, and where it meets torch's."""

import numpy as np
import pytest
import torch

from trickcast.papers.training.rprop import Rprop

RNG = np.random.default_rng(3)


def by_hand(weight: float, slopes: list[float], length: float) -> list[float]:
    """Follow the rules of the paper for one weight whose gradient is given."""
    before, move, path = 0.0, 0.0, []
    for slope in slopes:
        if slope * before < 0:
            length = max(length * 0.5, 1e-6)
            move, before = -move, 0.0
        else:
            if slope * before > 0:
                length = min(length * 1.2, 50.0)
            move, before = -np.sign(slope) * length, slope
        weight += move
        path.append(weight)
    return path


@pytest.mark.parametrize("length", [0.1, 30.0, 2e-6])
def test_the_rules_of_the_paper(length):
    slopes = RNG.normal(size=(60, 40)) + 0.7  # signs that stay for some steps, then change
    slopes[::9] = 0
    start = RNG.normal(size=40)
    weights = torch.tensor(start, requires_grad=True)
    rprop = Rprop([weights], lr=length)
    path = []
    for slope in slopes:
        weights.grad = torch.tensor(slope)
        rprop.step()
        path.append(weights.detach().numpy().copy())
    told = [by_hand(w, list(s), length) for w, s in zip(start, slopes.T, strict=True)]
    np.testing.assert_allclose(np.array(path).T, told, rtol=1e-9, atol=1e-9)


def test_torchs_differs_in_taking_back_alone():
    slopes = [1.0, 2.0, 1.0, -1.0, -1.0, -1.0]
    paths = []
    for kind in (Rprop, torch.optim.Rprop):
        weights = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        rprop, path = kind([weights], lr=0.1), []
        for slope in slopes:
            weights.grad = torch.tensor([slope], dtype=torch.float64)
            rprop.step()
            path.append(weights.item())
        paths.append(path)
    ours, torchs = paths
    assert ours[:3] == pytest.approx(torchs[:3])
    assert ours[3] == pytest.approx(ours[1])  # back
    assert torchs[3] == torchs[2]  # where it stood
    assert ours[4] - ours[3] == pytest.approx(torchs[4] - torchs[3]) == pytest.approx(0.072)
