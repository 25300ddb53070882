"""The network of ``accurate`` and ``fast``: suits are tokens, one pass gives all twenty results.

Double-dummy play has two exact symmetries, and both are built in. Suits have no order: tokens are
treated alike and marked only as trumps, side suit or notrump suit, so exchanging suits exchanges
results. Seats have no first: a token's features stand in four groups, one for each seat, and every
linear layer joins the groups by their distance around the table (Cohen and Welling, "Group
equivariant convolutional networks", 2016, for the group of four rotations). So turning the deal
turns the results, and a layer has a quarter of the weights for the same arithmetic.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..cards.sizes import COUNTS, RANKS, SEATS, SUITS
from .suit_config import SuitNetworkConfig
from .tokens import SeatLinear, TokenNetwork, draw_weights, normalized


class FreeLinear(nn.Module):
    """The same layer with all its weights free, for ``rotation="learned"``."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(SEATS * outputs, SEATS * inputs))
        self.bias = nn.Parameter(torch.zeros(SEATS * outputs))

    def matrix(self) -> tuple[Tensor, Tensor]:
        """Return weight and bias."""
        return self.weight, self.bias

    def forward(self, x: Tensor) -> Tensor:
        """Turn (…, 4 × inputs) into (…, 4 × outputs)."""
        return functional.linear(x, self.weight, self.bias)


Linear = SeatLinear | FreeLinear


def linear(config: SuitNetworkConfig, inputs: int, outputs: int) -> Linear:
    """Return a layer from ``inputs`` to ``outputs`` features of each seat."""
    return (SeatLinear if config.rotation == "exact" else FreeLinear)(inputs, outputs)


def activated(config: SuitNetworkConfig, x: Tensor) -> Tensor:
    """Apply the configured activation."""
    return functional.gelu(x) if config.activation == "gelu" else functional.relu(x)


class Feed(nn.Module):
    """Two linear layers with an activation between them."""

    def __init__(self, config: SuitNetworkConfig, inputs: int):
        super().__init__()
        self.config = config
        self.enter = linear(config, inputs, config.ratio * config.seat_width)
        self.leave = linear(config, config.ratio * config.seat_width, config.seat_width)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (…, 4 × inputs) into (…, width)."""
        hidden = activated(self.config, self.enter(x))
        if self.training and self.config.dropout:
            hidden = hidden * self._kept(hidden)
        out: Tensor = self.leave(hidden)
        return out

    def _kept(self, hidden: Tensor) -> Tensor:
        """Dropout that all tokens of a row share: random numbers are dear on a processor."""
        share = 1 - self.config.dropout
        kept = torch.rand(len(hidden), 1, hidden.shape[-1], device=hidden.device) < share
        return kept.to(hidden.dtype) / share


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Scaled dot-product attention, (n, heads, 4, features) each.

    Four tokens are too few for the tiles of a GPU's attention kernel, which works on 64 at least.
    A compiler fuses plain products and sums instead; without one they would cost memory.
    """
    if not torch.compiler.is_compiling():
        return functional.scaled_dot_product_attention(query, key, value)
    return attention_by_sums(query, key, value)


def attention_by_sums(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return the same as ``attention``, without a matrix product."""
    scores = (query[..., :, None, :] * key[..., None, :, :]).sum(-1)
    scores = scores / math.sqrt(query.shape[-1])
    seen = (scores.softmax(-1)[..., None] * value[..., None, :, :]).sum(-2)
    return seen.to(value.dtype)


class Mixing(nn.Module):
    """Every suit looks at the four suits: by attention, or (no heads) at a function of their mean.

    The mean is one token instead of four, so all that is done with it costs little.
    """

    def __init__(self, config: SuitNetworkConfig):
        super().__init__()
        self.config = config
        self.heads = SEATS * config.heads  # each seat has its own
        names = ("query", "key", "value", "leave") if self.heads else ("value", "leave")
        self.parts = nn.ModuleDict(
            {name: linear(config, config.seat_width, config.seat_width) for name in names}
        )

    def forward(self, x: Tensor) -> Tensor:
        """Turn (n, 4, width) into the same; into (n, 1, width) without heads."""
        if not self.heads:
            mean = normalized(x.mean(1, keepdim=True))
            seen = activated(self.config, self.parts["value"](mean))
        else:
            x = normalized(x)
            n, suits, width = x.shape
            split = n, suits, self.heads, width // self.heads
            query, key, value = (
                self.parts[name](x).view(split).transpose(1, 2)
                for name in ("query", "key", "value")
            )  # (n, heads, 4, features of a head)
            seen = attention(query, key, value).transpose(1, 2).reshape(n, suits, width)
        out: Tensor = self.parts["leave"](seen)
        return out


class Layer(nn.Module):
    """A pre-norm residual layer: mixing over the suits (unless pooled), then each for itself."""

    def __init__(self, config: SuitNetworkConfig, *, pooled: bool, skipped: float):
        super().__init__()
        self.mixing = None if pooled else Mixing(config)
        self.feed = Feed(config, config.seat_width)
        self.skipped = skipped

    def forward(self, x: Tensor) -> Tensor:
        """Turn (n, tokens, width) into the same."""
        if self.mixing is not None:
            x = x + self._kept(self.mixing(x))
        return x + self._kept(self.feed(normalized(x)))

    def _kept(self, change: Tensor) -> Tensor:
        """Stochastic depth (Huang et al., 2016): while training, some rows skip the layer."""
        if not (self.training and self.skipped):
            return change
        kept = torch.rand(len(change), 1, 1, device=change.device) >= self.skipped
        return change * kept / (1 - self.skipped)


def relations(held: Tensor) -> Tensor:
    """Return (n, 4, 13, 4, 7) inputs of (n, suit, rank, seat) zeros and ones.

    For each card, at the seat that holds it: 1; how many higher cards the seat itself, its
    left-hand opponent, partner and right-hand opponent hold (in fours); whether it is among the
    seat's own top tricks; and among its side's.
    """
    higher = held.cumsum(2) - held
    seats = torch.arange(SEATS, device=held.device)
    around = higher[..., (seats[:, None] + seats) % SEATS]  # (n, suit, rank, seat, distance)
    opponents = around[..., 1] + around[..., 3]
    features = [
        torch.ones_like(around[..., :1]),
        around / SEATS,
        (opponents + around[..., 2] == 0).to(held.dtype)[..., None],
        (opponents == 0).to(held.dtype)[..., None],
    ]
    return torch.cat(features, dim=-1) * held[..., None]


class SuitNetwork(TokenNetwork):
    """From the owners of cards to logits of every result. ``seed`` alone decides first weights.

    Deals may have fewer than 13 cards a hand (endings): owner 255 is a card that is gone.
    """

    groups = SEATS

    def __init__(self, config: SuitNetworkConfig, *, seed: int):
        super().__init__()
        self.config = config
        seat = config.seat_width
        skips = iter(config.layer_drop * i / config.depth for i in range(1, config.depth + 1))

        def layers(count: int, pooled: bool = False) -> nn.Sequential:
            built = [Layer(config, pooled=pooled, skipped=next(skips)) for _ in range(count)]
            return nn.Sequential(*built)

        self.first = Feed(config, config.card_inputs // SEATS)
        self.before = layers(config.before)
        self.roles = nn.ModuleDict(
            {role: linear(config, seat, seat) for role in ("trump", "side", "notrump")}
        )
        self.after = layers(config.after)
        self.pooled = layers(config.pooled, pooled=True)
        self.head = linear(config, seat, COUNTS)
        draw_weights(self, config.depth, seed)

    def tokens(self, cards: Tensor) -> Tensor:
        """Turn (n, 52) uint8 owners into (n, 4, width)."""
        owners = cards.view(-1, SUITS, RANKS)
        seats = torch.arange(SEATS, device=owners.device)
        held = (owners[..., None] == seats).to(torch.float32)  # (n, suit, rank, seat)
        inputs = relations(held) if self.config.inputs == "relations" else held[..., None]
        tokens: Tensor = self.first(inputs.transpose(2, 3).flatten(2))
        return tokens


def turned(owners: Tensor, turn: Tensor | int) -> Tensor:
    """Return (n, 52) owners with every hand moved ``turn`` seats clockwise; 255 stays."""
    return torch.where(owners < SEATS, (owners + turn) % SEATS, owners)


def mean_probabilities(networks: Sequence[nn.Module], owners: Tensor) -> Tensor:
    """Return (n, 5, 4, 14) float32 probabilities of (n, 52) owners, the mean over the networks.

    A network of learned rotation is also averaged over the four turns of the table; for one of
    exact rotation they are all the same.
    """
    means = []
    for network in networks:
        learned = isinstance(network, SuitNetwork) and network.config.rotation == "learned"
        views = [
            network(turned(owners, turn)).softmax(-1).roll(-turn, dims=2)
            for turn in range(SEATS if learned else 1)
        ]
        means.append(torch.stack(views).mean(0))
    return torch.stack(means).mean(0)
