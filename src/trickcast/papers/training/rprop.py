"""Rprop as it was first published: a step over a lowest point is taken back.

M. Riedmiller, H. Braun: A direct adaptive method for faster backpropagation learning: the RPROP
algorithm, IEEE International Conference on Neural Networks 1993. ``torch.optim.Rprop`` stays where
that step has led.
"""

from collections.abc import Iterable

import torch
from torch import Tensor


class Rprop(torch.optim.Optimizer):
    """Weights that move by steps of their own, of which gradients give the sign alone.

    A step is ``up`` times as long as the last one while the gradient keeps its sign. Where the sign
    changes, the last step is taken back, and the one after that is ``down`` times as long.
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 0.1,
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        etas: tuple[float, float] = (0.5, 1.2),
    ):
        """Take the names that ``torch.optim.Rprop`` gives these.

        ``lr`` is the first step, ``step_sizes`` the smallest and the largest, ``etas`` down and up.
        """
        super().__init__(parameters, {"lr": lr, "step_sizes": step_sizes, "etas": etas})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Move all weights once."""
        for group in self.param_groups:
            smallest, largest = group["step_sizes"]
            down, up = group["etas"]
            for weights in group["params"]:
                state, gradient = self.state[weights], weights.grad
                if not state:
                    state["length"] = torch.full_like(weights, group["lr"])
                    state["gradient"] = torch.zeros_like(weights)
                    state["move"] = torch.zeros_like(weights)
                same = (gradient * state["gradient"]).sign()
                over = same < 0
                factor = torch.ones_like(weights).masked_fill(same > 0, up).masked_fill(over, down)
                state["length"].mul_(factor).clamp_(smallest, largest)
                move = torch.where(over, -state["move"], -gradient.sign() * state["length"])
                weights.add_(move)
                # nothing to compare the next gradient with: one step too far halves a length once
                state["gradient"] = gradient.masked_fill(over, 0)
                state["move"] = move
