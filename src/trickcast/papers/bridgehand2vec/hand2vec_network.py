"""The network of BridgeHand2Vec: eight numbers for a hand, five trick counts for two hands.

Sztyber-Betley and others, "BridgeHand2Vec Bridge Hand Representation", ECAI 2023, section 2 and
Figure 3. Both hands go through the same layers 52-32-32-8, and the two vectors side by side through
16-128-128-5. All hidden layers are ELU. The vectors are batch-normalised without weights. The paper
does not state whether an ELU precedes that. There is none here, because it would bound the vectors
on one side.
"""

from itertools import pairwise, permutations

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...cards.sizes import RANKS, STRAINS, SUITS

VECTOR = 8
"""Numbers in a hand's vector, as in the paper."""
_EMBEDDING, _HEAD = (52, 32, 32), (128, 128)


class Hand2Vec(nn.Module):
    """The paper's network, ``size`` numbers a hand. ``seed`` alone decides the first weights."""

    def __init__(self, size: int = VECTOR, *, seed: int):
        super().__init__()
        if size < 1:
            raise ValueError(f"size is {size} (expected 1 or more)")
        self.size = size
        self.embedding = _linears((*_EMBEDDING, size))
        self.norm = nn.BatchNorm1d(size, affine=False)
        self.head = _linears((2 * size, *_HEAD, STRAINS))
        generator = torch.Generator().manual_seed(seed)
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, 0.0, parameter.shape[1] ** -0.5, generator=generator)
            else:
                nn.init.zeros_(parameter)

    def embed(self, hands: Tensor) -> Tensor:
        """Turn (n, 52) hands into (n, size) float32 vectors."""
        vectors: Tensor = self.norm(_run(self.embedding, hands.to(torch.float32)))
        return vectors

    def forward(self, hands: Tensor) -> Tensor:
        """Turn (n, 2, 52) hands, declarer's first, into (n, 5) tricks: strains S H D C N."""
        vectors = self.embed(hands.flatten(0, 1))
        return self.tricks(vectors.view(-1, 2 * self.size))

    def tricks(self, vectors: Tensor) -> Tensor:
        """Turn (n, 2 × size) vectors, declarer's first, into (n, 5) tricks."""
        return _run(self.head, vectors)

    @torch.no_grad()
    def standardize(self, hands: Tensor) -> None:
        """Set the mean and variance of the normalisation to those of (n, 52) hands."""
        bare = _run(self.embedding, hands.to(torch.float32)).double()
        assert self.norm.running_mean is not None and self.norm.running_var is not None
        self.norm.running_mean.copy_(bare.mean(0))
        self.norm.running_var.copy_(bare.var(0))


def symmetric_tricks(network: Hand2Vec, hands: Tensor) -> Tensor:
    """Return (n, 5) tricks, the mean over the 24 orders of the suits, so all suits count alike.

    ``hands`` are (n, 2, 52) as in ``Hand2Vec.forward``.
    """
    tricks = torch.zeros(len(hands), STRAINS, device=hands.device)
    for order in suit_orders().to(hands.device):
        moved = hands.view(-1, 2, SUITS, RANKS)[:, :, order].flatten(2)
        answer = network(moved)
        tricks[:, order] += answer[:, :SUITS]
        tricks[:, SUITS] += answer[:, SUITS]
    return tricks / len(suit_orders())


def suit_orders() -> Tensor:
    """Return the 24 orders of the suits, (24, 4)."""
    return torch.tensor(list(permutations(range(SUITS))))


def _linears(sizes: tuple[int, ...]) -> nn.ModuleList:
    return nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))


def _run(layers: nn.ModuleList, x: Tensor) -> Tensor:
    """Run linear layers with an ELU after all but the last."""
    for layer in layers[:-1]:
        x = functional.elu(layer(x))
    out: Tensor = layers[-1](x)
    return out
