"""The networks that ship: all twenty results of a deal, and of two hands of a side.

Suits have no order: tokens are treated alike and marked only as trumps, side suit or notrump suit,
so exchanging suits exchanges results. A token's features form groups, one for each seat (or for
each known hand), and every linear layer combines the groups by their distance around the table
(Cohen and Welling, "Group equivariant convolutional networks", 2016, for the group of four
rotations). So rotating the deal rotates the results, and a layer has a quarter of the weights.
"""

import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .._arrays import read_arrays
from .._files import atomic_writer
from ..cards import cut, shorten
from ..cards.sizes import COUNTS, RANKS, SEATS, STRAINS, SUITS
from .errors import TrainingError
from .settings import SHARE, at_least, check_settings, one_of, setting


class SeatLinear(nn.Module):
    """A linear layer that commutes with rotating the table.

    Features are stored seat by seat, ``inputs`` (``outputs``) for each. What seat p gets from q
    depends only on (q - p) mod 4: itself, left-hand opponent, partner, right-hand opponent.
    With ``seats=2`` these are the two of a side: itself and partner.
    """

    def __init__(self, inputs: int, outputs: int, seats: int = SEATS):
        super().__init__()
        self.seats = seats
        self.weight = nn.Parameter(torch.zeros(outputs, seats, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def matrix(self) -> tuple[Tensor, Tensor]:
        """Return the layer as a plain one: weight (4 × outputs, 4 × inputs), bias (4 × outputs)."""
        return _around(self.weight, 1), self.bias.repeat(self.seats)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (…, 4 × inputs) into (…, 4 × outputs).

        When compiled for a processor, sums are fused with their neighbours; products are expensive.
        """
        if torch.compiler.is_compiling() and x.device.type == "cpu":
            return self.by_halves(x)
        return functional.linear(x, *self.matrix())

    def by_halves(self, x: Tensor) -> Tensor:
        """Return the same with half the products, from sums and differences of opposite seats."""
        one, other = x.chunk(2, dim=-1)
        near, far = self.weight.chunk(2, dim=1)  # by distance: for a seat and for its opposite
        bias = self.bias.repeat(self.seats // 2)
        plus = functional.linear(one + other, _around(near + far, 1) / 2, bias)
        minus = functional.linear(one - other, _around(near - far, -1) / 2)
        return torch.cat([plus + minus, plus - minus], dim=-1)


def _around(weight: Tensor, sign: int) -> Tensor:
    """Return (outputs, seats, inputs) as a matrix, with ``sign`` beyond the last seat."""
    seats = weight.shape[1]
    twice = torch.cat([sign * weight, weight], dim=1)
    rows = [twice[:, seats - seat : 2 * seats - seat] for seat in range(seats)]
    return torch.cat(rows).flatten(1)


def normalized(x: Tensor) -> Tensor:
    """Return layer normalisation without its own weights: the linear layer after it has them."""
    return functional.layer_norm(x, x.shape[-1:])


def draw_weights(network: nn.Module, depth: int, seed: int) -> None:
    """Draw the first weights: normal, variance 1/inputs, less where ``depth`` layers add up.

    Biases and the layer ``head`` stay zero: at first all counts are equally likely.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in network.named_parameters():
        if name.endswith("bias") or name.startswith("head"):
            continue
        scale = float(parameter[0].numel()) ** -0.5
        if name.endswith("leave.weight") and name.startswith(("before", "after", "pooled")):
            scale *= (2 * depth) ** -0.5  # as in GPT-2
        nn.init.normal_(parameter, 0.0, scale, generator=generator)


def in_every_strain(trump: Tensor, side: Tensor, notrump: Tensor) -> Tensor:
    """Return (n, 5, 4, width) suits as they are in each strain, from (n, 4, width) in each role."""
    own = torch.eye(SUITS, dtype=torch.bool, device=trump.device)[..., None]
    marked = torch.where(own, trump[:, None], side[:, None])  # (n, trumps, suit, width)
    return torch.cat([marked, notrump[:, None]], dim=1)


class TokenNetwork(nn.Module, ABC):
    """From the known cards to logits of every result: tokens, layers, strains, layers.

    A subclass makes the tokens and the parts: layers ``before`` the strain is known, ``roles`` that
    mark a suit, layers ``after`` on the four suits of each strain, ``pooled`` ones on their mean, a
    ``head``. ``groups`` are the seats, or known hands, that may declare.
    """

    groups: int
    before: nn.Sequential
    roles: nn.ModuleDict
    after: nn.Sequential
    pooled: nn.Sequential
    head: nn.Module

    @abstractmethod
    def tokens(self, cards: Tensor) -> Tensor:
        """Turn the cards into (n, 4, width)."""

    def forward(self, cards: Tensor) -> Tensor:
        """Turn the cards into (n, 5, groups, 14) float32 logits: strain, declarer, tricks."""
        # sums over layers stay in float32 when autocast makes products bfloat16
        suits = normalized(self.before(self.tokens(cards).float()))
        trump, side, notrump = (self.roles[name](suits) for name in ("trump", "side", "notrump"))
        if len(self.after):
            strains = in_every_strain(trump, side, notrump)
            strains = self.after(strains.flatten(0, 1).float()).mean(1)
            strains = strains.view(-1, STRAINS, suits.shape[-1])
        else:
            in_suits = side.mean(1, keepdim=True) + (trump - side) / SUITS
            strains = torch.cat([in_suits, notrump.mean(1, keepdim=True)], dim=1)
        logits: Tensor = self.head(normalized(self.pooled(strains.float())))
        return logits.float().view(-1, STRAINS, self.groups, COUNTS)

    @property
    def weights(self) -> int:
        """Number of weights, including biases."""
        return sum(parameter.numel() for parameter in self.parameters())


# --- whole deals: the network of accurate and fast ------------------------------------------------


RELATIONS = 7
"""Inputs per card with ``inputs="relations"``; see ``relations``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitNetworkConfig:
    """All settings of a network, apart from its weights. Raises ValueError for an invalid value."""

    width: int = setting(256, "features of a token, of all four seats")
    heads: int = setting(
        2, "attention heads a seat; 0: every suit sees the suits' mean", at_least(0)
    )
    before: int = setting(2, "layers before the strain is known", at_least(0))
    after: int = setting(3, "layers on the four suits of each strain", at_least(0))
    pooled: int = setting(0, "layers on the suits' mean of each strain", at_least(0))
    ratio: int = setting(4, "hidden units of a layer over its width", at_least(1))
    inputs: str = setting(
        "relations", "cards, or relations too (who beats whom)", one_of("cards", "relations")
    )
    activation: str = setting("gelu", "gelu or relu", one_of("gelu", "relu"))
    dropout: float = setting(0.0, "share of hidden units dropped", SHARE)
    layer_drop: float = setting(
        0.0, "chance that a row skips the last layer; earlier ones less", SHARE
    )

    def __post_init__(self) -> None:
        check_settings(self)
        parts = SEATS * max(1, self.heads)
        if self.width < parts or self.width % parts:
            raise ValueError(
                f"width is {self.width} (expected a multiple of {parts}: seats times heads)"
            )
        if self.after + self.pooled == 0:
            raise ValueError("after and pooled are 0 (expected a layer that knows the strain)")

    @property
    def seat_width(self) -> int:
        """Features of a token at one seat."""
        return self.width // SEATS

    @property
    def depth(self) -> int:
        """Layers in all."""
        return self.before + self.after + self.pooled

    @property
    def card_inputs(self) -> int:
        """Inputs of a token computed from its cards, for all four seats."""
        return SEATS * RANKS * (RELATIONS if self.inputs == "relations" else 1)

    @property
    def products(self) -> int:
        """Products of a weight and a feature for one deal; an evaluation takes twice as many FLOP.

        Products of features with features, in attention, are left out: they are few.
        """
        square = self.width**2
        mixing = 4 * SUITS if self.heads else 2
        layer = (mixing + 2 * SUITS * self.ratio) * square  # on four suits
        entering = self.card_inputs * self.ratio * self.width
        return (
            SUITS * (entering + self.ratio * square)
            + self.before * layer
            + SUITS * 3 * square  # roles
            + STRAINS * self.after * layer
            + STRAINS * self.pooled * 2 * self.ratio * square
            + STRAINS * self.width * SEATS * COUNTS
        )


def activated(config: SuitNetworkConfig, x: Tensor) -> Tensor:
    """Apply the configured activation."""
    return functional.gelu(x) if config.activation == "gelu" else functional.relu(x)


class Feed(nn.Module):
    """Two linear layers with an activation between them."""

    def __init__(self, config: SuitNetworkConfig, inputs: int):
        super().__init__()
        self.config = config
        self.enter = SeatLinear(inputs, config.ratio * config.seat_width)
        self.leave = SeatLinear(config.ratio * config.seat_width, config.seat_width)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (…, 4 × inputs) into (…, width)."""
        hidden = activated(self.config, self.enter(x))
        if self.training and self.config.dropout:
            hidden = hidden * self._kept(hidden)
        out: Tensor = self.leave(hidden)
        return out

    def _kept(self, hidden: Tensor) -> Tensor:
        """Apply dropout shared by a row's tokens: random numbers are expensive on a processor."""
        share = 1 - self.config.dropout
        kept = torch.rand(len(hidden), 1, hidden.shape[-1], device=hidden.device) < share
        return kept.to(hidden.dtype) / share


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return scaled dot-product attention, (n, heads, 4, features) each.

    Four tokens are too few for the tiles of a GPU's attention kernel, which needs at least 64.
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
    """Every suit attends to the four suits, or (without heads) to a function of their mean.

    The mean is one token instead of four, so operations on it cost little.
    """

    def __init__(self, config: SuitNetworkConfig):
        super().__init__()
        self.config = config
        self.heads = SEATS * config.heads  # each seat has its own
        names = ("query", "key", "value", "leave") if self.heads else ("value", "leave")
        self.parts = nn.ModuleDict(
            {name: SeatLinear(config.seat_width, config.seat_width) for name in names}
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
    """A pre-norm residual layer: mixing over the suits (unless pooled), then each by itself."""

    skipped: Tensor

    def __init__(self, config: SuitNetworkConfig, *, pooled: bool, skipped: float):
        super().__init__()
        self.mixing = None if pooled else Mixing(config)
        self.feed = Feed(config, config.seat_width)
        self.skips = skipped > 0
        # a tensor: layers with the same plain values share compiled code
        self.register_buffer("skipped", torch.tensor(skipped), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (n, tokens, width) into the same."""
        if self.mixing is not None:
            x = x + self._kept(self.mixing(x))
        return x + self._kept(self.feed(normalized(x)))

    def _kept(self, change: Tensor) -> Tensor:
        """Stochastic depth (Huang et al., 2016): while training, some rows skip the layer."""
        if not (self.training and self.skips):
            return change
        kept = torch.rand(len(change), 1, 1, device=change.device) >= self.skipped
        return change * kept / (1 - self.skipped)


def compile_layers(network: nn.Module, **options: Any) -> None:
    """Compile the layers of a network one by one: layers of the same size share the code.

    Compiling a whole network takes minutes, and is hardly faster. ``options`` are those of
    ``torch.compile``.
    """
    torch._dynamo.config.recompile_limit = 64  # networks, sizes, and with or without gradients
    for part in network.modules():
        if isinstance(part, Layer):
            part.compile(**options)


def relations(held: Tensor) -> Tensor:
    """Return (n, 4, 13, 4, 7) inputs from (n, suit, rank, seat) zeros and ones.

    For each card, at the seat that holds it: 1; the number of higher cards that the seat, its
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
    """From the owners of cards to logits of every result. First weights depend only on ``seed``.

    Deals may have fewer than 13 cards a hand (positions): owner 255 is a played card.
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
            {role: SeatLinear(seat, seat) for role in ("trump", "side", "notrump")}
        )
        self.after = layers(config.after)
        self.pooled = layers(config.pooled, pooled=True)
        self.head = SeatLinear(seat, COUNTS)
        draw_weights(self, config.depth, seed)

    def tokens(self, cards: Tensor) -> Tensor:
        """Turn (n, 52) uint8 owners into (n, 4, width)."""
        owners = cards.view(-1, SUITS, RANKS)
        seats = torch.arange(SEATS, device=owners.device)
        held = (owners[..., None] == seats).to(torch.float32)  # (n, suit, rank, seat)
        inputs = relations(held) if self.config.inputs == "relations" else held[..., None]
        tokens: Tensor = self.first(inputs.transpose(2, 3).flatten(2))
        return tokens


def mean_probabilities(networks: Sequence[nn.Module], owners: Tensor) -> Tensor:
    """Return (n, 5, 4, 14) float32 probabilities for (n, 52) owners, the mean over the networks."""
    return torch.stack([network(owners).softmax(-1) for network in networks]).mean(0)


# --- two hands of a side, the others unknown ------------------------------------------------------


HANDS = 2
"""The known hands: declarer's and dummy's."""
CARD_INPUTS = 8
"""Inputs per card and hand; see ``pair_relations``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairNetworkConfig:
    """All settings of a network, apart from its weights. Raises ValueError for an invalid value."""

    width: int = setting(192, "features of a token, of both hands")
    before: int = setting(2, "layers before the strain is known", at_least(0))
    after: int = setting(2, "layers on the four suits of each strain", at_least(0))
    pooled: int = setting(1, "layers on the suits' mean of each strain", at_least(0))
    ratio: int = setting(3, "hidden units of a layer over its width", at_least(1))
    activation: str = setting("gelu", "gelu", one_of("gelu"))

    def __post_init__(self) -> None:
        check_settings(self)
        if self.width < HANDS or self.width % HANDS:
            raise ValueError(f"width is {self.width} (expected an even number, 2 or more)")
        if self.after + self.pooled == 0:
            raise ValueError("after and pooled are 0 (expected a layer that knows the strain)")

    @property
    def hand_width(self) -> int:
        """Features of a token for one hand."""
        return self.width // HANDS

    @property
    def depth(self) -> int:
        """Layers in all."""
        return self.before + self.after + self.pooled


def _linear(inputs: int, outputs: int) -> SeatLinear:
    """Return a layer that commutes with exchanging the hands, ``outputs`` features for each."""
    return SeatLinear(inputs, outputs, seats=HANDS)


class PairLayer(nn.Module):
    """A residual layer: every token sees itself and the mean of the tokens."""

    def __init__(self, config: PairNetworkConfig):
        super().__init__()
        inner = config.ratio * config.hand_width
        self.enter = _linear(config.hand_width, inner)
        self.context = _linear(config.hand_width, inner)
        self.leave = _linear(inner, config.hand_width)

    def forward(self, x: Tensor) -> Tensor:
        """Turn (n, tokens, width) into the same."""
        seen = normalized(x)
        hidden = self.enter(seen) + self.context(seen.mean(1, keepdim=True))
        change: Tensor = self.leave(functional.gelu(hidden))
        return x + change


def pair_relations(hands: Tensor) -> Tensor:
    """Return (n, 4, 2, 13, 8) inputs from (n, 2, 52) zeros and ones: suit, hand, rank, input.

    For each card that the hand holds: 1; the number of higher cards that the hand, its partner
    and the opponents hold (in fours); whether the opponents hold none, and nobody else does. For
    each card of the opponents: 1, and the number of higher cards that the hand holds (in fours).
    """
    held = hands.view(-1, HANDS, SUITS, RANKS).transpose(1, 2).to(torch.float32)
    partner = held.flip(2)
    theirs = 1 - held - partner
    own_above, partner_above, theirs_above = (
        (cards.cumsum(-1) - cards) / SUITS for cards in (held, partner, theirs)
    )
    top = (theirs_above == 0).to(held.dtype)
    features = [
        held,
        held * own_above,
        held * partner_above,
        held * theirs_above,
        held * top,
        held * top * (partner_above == 0).to(held.dtype),
        theirs,
        theirs * own_above,
    ]
    return torch.stack(features, dim=-1)


class PairNetwork(TokenNetwork):
    """From two hands to logits of every possible result. First weights depend only on ``seed``.

    Maps (n, 2, 52) hands to (n, 5, 2, 14); the declarers are the two hands, in order.
    """

    groups = HANDS

    def __init__(self, config: PairNetworkConfig, *, seed: int):
        super().__init__()
        self.config = config
        width, inner = config.hand_width, config.ratio * config.hand_width

        def layers(count: int) -> nn.Sequential:
            return nn.Sequential(*(PairLayer(config) for _ in range(count)))

        self.enter = _linear(RANKS * CARD_INPUTS, inner)
        self.leave = _linear(inner, width)
        self.before = layers(config.before)
        self.roles = nn.ModuleDict(
            {role: _linear(width, width) for role in ("trump", "side", "notrump")}
        )
        self.after = layers(config.after)
        self.pooled = layers(config.pooled)
        self.head = _linear(width, COUNTS)
        draw_weights(self, config.depth, seed)

    def tokens(self, cards: Tensor) -> Tensor:
        """Turn (n, 2, 52) hands into (n, 4, width)."""
        inputs = pair_relations(cards).flatten(2)  # (n, suit, 2 × 13 × 8)
        tokens: Tensor = self.leave(functional.gelu(self.enter(inputs)))
        return tokens


def expected_tricks(logits: Tensor) -> Tensor:
    """Return the mean tricks, (…), from (…, 14) logits."""
    counts = torch.arange(COUNTS, device=logits.device, dtype=torch.float32)
    return logits.softmax(-1) @ counts


# --- portable weights: 16 bits each, plain arrays and JSON in an .npz, to resume from -------------


_MOST_BYTES = 1 << 30
"""Largest unpacked file: 500 million weights."""
_SQUARED, _FEW = 64, 1000
"""A layer has about its width squared weights, or a quarter of that if seats share them."""
Network = TypeVar("Network", SuitNetwork, PairNetwork)


class _Kind(NamedTuple):
    """The name of a class of networks in files, and its configuration class."""

    name: str
    config: Any

    @property
    def format(self) -> str:
        return f"trickcast {self.name} weights 1"


_KINDS: dict[type, _Kind] = {
    SuitNetwork: _Kind("suit network", SuitNetworkConfig),
    PairNetwork: _Kind("pair network", PairNetworkConfig),
}


def write_weights(
    path: str | os.PathLike[str], network: SuitNetwork | PairNetwork, record: dict[str, Any]
) -> None:
    """Write a network's weights and the record of its training, atomically.

    Raises TrainingError for a weight that does not fit in 16 bits.
    """
    target = Path(path)
    arrays = {name: weights.cpu().half().numpy() for name, weights in network.state_dict().items()}
    for name, weights in arrays.items():
        if not np.isfinite(weights).all():
            raise TrainingError(f"{target}: a weight of {name} is not a number below 65,504")
    content = json.dumps({"format": _KINDS[type(network)].format} | record)
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(target) as stream:
        np.savez(stream, metadata=np.array(content), **arrays)


def read_weights(
    path: str | os.PathLike[str], network: type[Network]
) -> tuple[Network, dict[str, Any]]:
    """Return the network of a weights file, of that class, and the record of its training.

    Raises FileNotFoundError, TrainingError for a file without such weights.
    """
    source, kind = Path(path), _KINDS[network]
    try:
        arrays = read_arrays(source.read_bytes(), _MOST_BYTES)
        record = json.loads(str(arrays.pop("metadata")))
        weights = {
            name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items()
        }
        if record["format"] != kind.format:
            raise ValueError(f"its format is {shorten(record['format'])}, not {kind.format!r}")
        settings = record["config"]["network"]
        settings.pop("rotation", None)  # of older files: no shipped model uses this option
        config = kind.config(**settings)
        _check_sizes(config, sum(array.numel() for array in weights.values()))
        stored = network(config, seed=0)
        stored.load_state_dict(weights)
    except FileNotFoundError:
        raise
    except Exception as error:  # sizes of impossible networks raise nearly anything
        raise TrainingError(
            f"{source}: not the weights of a {kind.name}, or damaged ({cut(str(error), 300)})"
        ) from None
    return stored, record


def _check_sizes(config: Any, weights: int) -> None:
    """Raise ValueError if a network would have far more weights than its file."""
    for name, size in asdict(config).items():
        if isinstance(size, int | float) and size * size > _SQUARED * max(weights, _FEW):
            raise ValueError(f"its {name} is {size:g}, of {weights:,} weights")
