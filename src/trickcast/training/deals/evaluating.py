"""How good a network is on held-out deals, counted on its own device while it trains."""

import torch
from torch import Tensor

from ..suits import SuitNetwork, mean_probabilities
from .data import Labelled, shares


@torch.no_grad()
def evaluate(
    network: SuitNetwork, deals: Labelled, *, precision: str = "float32", chunk: int = 1024
) -> dict[str, float]:
    """Return the figures of a training's reports.

    ``exact_…`` and ``within_1_…``: percent of results, suits and notrump apart, whose likeliest
    count is the real one, or at most one trick off. ``log_loss``: mean over all results, natural
    logarithm. ``bias``: mean of expected less real tricks.
    """
    device = deals.owners.device
    sums = torch.zeros(5, 4, dtype=torch.float64)  # strain × figure
    with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16"):
        for start in range(0, len(deals), chunk):
            rows = slice(start, start + chunk)
            probabilities = mean_probabilities([network], deals.owners[rows])
            sums += _figures(probabilities.float(), shares(deals.labels[rows])).cpu()
    means = sums / (4 * len(deals))
    suits, notrump = means[:4].mean(0).tolist(), means[4].tolist()
    return {
        "exact_suits": 100 * suits[0],
        "exact_notrump": 100 * notrump[0],
        "within_1_suits": 100 * suits[1],
        "within_1_notrump": 100 * notrump[1],
        "log_loss": float(means[:, 2].mean()),
        "bias": float(means[:, 3].mean()),
    }


def _figures(probabilities: Tensor, targets: Tensor) -> Tensor:
    """Return sums over deals and declarers: exact, within one, log-loss, bias, (5, 4) float64."""
    counts = torch.arange(probabilities.shape[-1], device=probabilities.device).float()
    off = (probabilities.argmax(-1) - targets.argmax(-1)).abs()
    figures = [
        off == 0,
        off <= 1,
        -(targets * probabilities.clamp_min(1e-12).log()).sum(-1),
        (probabilities - targets) @ counts,
    ]
    return torch.stack([figure.double().sum((0, 2)) for figure in figures], dim=1)
