"""The network of the accurate and fast models: shapes, symmetries, what it sees of the cards."""

import pytest
import torch

from trickcast.cards import Seat
from trickcast.dealing import random_deals
from trickcast.training.suit_networks import (
    SeatLinear,
    SuitNetwork,
    SuitNetworkConfig,
    attention_by_sums,
    relations,
)

KINDS = {
    "attention": SuitNetworkConfig(width=32, heads=2, before=1, after=2, pooled=1),
    "cards": SuitNetworkConfig(width=32, heads=1, before=0, after=1, inputs="cards"),
    "means": SuitNetworkConfig(
        width=32, heads=0, before=1, after=2, pooled=1, ratio=1, inputs="cards", activation="relu"
    ),
    "pooled": SuitNetworkConfig(width=32, heads=0, before=1, after=0, pooled=1, ratio=2),
}
ENDING = 255


def strong(config: SuitNetworkConfig) -> SuitNetwork:
    """A network whose weights are so large that every input matters."""
    network = SuitNetwork(config, seed=3).eval()
    generator = torch.Generator().manual_seed(4)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, 0.0, 0.3, generator=generator)
    return network


@pytest.fixture(scope="module")
def owners():
    return torch.from_numpy(random_deals(12, seed=8).owners.copy())


@pytest.fixture(scope="module", params=KINDS)
def network(request):
    return strong(KINDS[request.param])


@torch.no_grad()
def test_one_pass_gives_every_result(network, owners):
    logits = network(owners)
    assert logits.shape == (12, 5, 4, 14)
    assert logits.dtype == torch.float32
    assert network(owners[:0]).shape == (0, 5, 4, 14)
    torch.testing.assert_close(network(owners[3:4]), logits[3:4], atol=1e-4, rtol=0)
    assert logits.std(0).min() > 0.05  # every answer depends on the deal


@torch.no_grad()
def test_turning_the_deal_turns_the_results(network, owners):
    logits = network(owners)
    assert (logits - logits.roll(1, dims=2)).abs().max() > 0.1
    for seats in (1, 2, 3):
        turned = network((owners + seats) % 4)
        torch.testing.assert_close(turned, logits.roll(seats, dims=2), atol=1e-4, rtol=0)


@torch.no_grad()
def test_exchanging_suits_exchanges_results(network, owners):
    logits = network(owners)
    for order in ([1, 0, 2, 3], [3, 0, 1, 2]):
        exchanged = network(owners.view(-1, 4, 13)[:, order].reshape(-1, 52))
        torch.testing.assert_close(exchanged, logits[:, [*order, 4]], atol=1e-4, rtol=0)
        assert (logits[:, :4] - logits[:, order]).abs().max() > 0.1


@torch.no_grad()
def test_mirroring_the_deal_is_no_symmetry(network, owners):
    """Play goes clockwise: exchanging East and West must change more than the order of seats."""
    mirrored = network(torch.tensor([0, 3, 2, 1], dtype=torch.uint8)[owners.long()])
    assert (mirrored - network(owners)[:, :, [0, 3, 2, 1]]).abs().max() > 0.1


@torch.no_grad()
def test_two_equal_cards_apart_in_rank_are_told_apart(network, owners):
    changed = owners.clone()
    north, east = (int(torch.argwhere(owners[0] == seat)[0, 0]) for seat in (0, 1))
    changed[0, north], changed[0, east] = 1, 0
    moved = (network(changed) - network(owners)).abs().amax((1, 2, 3))
    assert moved[0] > 1e-2
    assert moved[1:].max() < 1e-4


def test_relations_say_who_beats_whom():
    """A holding worked out by hand: North A Q, East K J, South T, West the rest."""
    suit = torch.full((13,), Seat.WEST)
    suit[[0, 2]], suit[[1, 3]], suit[4] = Seat.NORTH, Seat.EAST, Seat.SOUTH
    held = (suit[:, None] == torch.arange(4)).float()[None, None]
    found = relations(held)[0, 0]  # (rank, seat, relation)
    # South's left-hand opponent is West (none higher), its right-hand opponent East (two)
    ten = [1, 0, 0, 2 / 4, 2 / 4, 0, 0]
    assert found[4, Seat.SOUTH].tolist() == ten
    assert found[0, Seat.NORTH].tolist() == [1, 0, 0, 0, 0, 1, 1]  # the ace
    assert found[1, Seat.EAST].tolist() == [1, 0, 0, 0, 1 / 4, 0, 0]  # the ace sits behind
    assert found[0, Seat.SOUTH].abs().sum() == 0  # not South's card
    assert relations(held)[0, 0, :, :, 0].sum() == 13


def test_relations_know_top_tricks_of_hand_and_side():
    """North A, South K Q: the king is no top trick of South's hand, but one of the side."""
    suit = torch.full((13,), Seat.EAST)
    suit[0], suit[[1, 2]] = Seat.NORTH, Seat.SOUTH
    found = relations((suit[:, None] == torch.arange(4)).float()[None, None])[0, 0]
    assert found[1, Seat.SOUTH, 5:].tolist() == [0, 1]
    assert found[2, Seat.SOUTH, 5:].tolist() == [0, 1]
    assert found[3, Seat.EAST, 5:].tolist() == [0, 0]


@torch.no_grad()
def test_cards_that_are_gone_belong_to_nobody(owners):
    network = strong(KINDS["attention"])
    ending = owners.clone()
    for seat in Seat:
        for row in ending:
            row[torch.argwhere(row == seat)[3:, 0]] = ENDING
    logits = network(ending)
    torch.testing.assert_close(
        network(torch.where(ending < 4, (ending + 1) % 4, ending)),
        logits.roll(1, dims=2),
        atol=1e-4,
        rtol=0,
    )
    assert (logits - network(owners)).abs().max() > 0.1


def test_a_seat_layer_is_the_plain_layer_that_it_says(owners):
    layer = SeatLinear(3, 5)
    torch.nn.init.normal_(layer.weight, generator=torch.Generator().manual_seed(1))
    torch.nn.init.normal_(layer.bias, generator=torch.Generator().manual_seed(2))
    x = torch.randn(7, 4, 3, generator=torch.Generator().manual_seed(3))
    by_hand = torch.stack(
        [
            layer.bias + sum(x[:, q] @ layer.weight[:, (q - p) % 4].T for q in range(4))
            for p in range(4)
        ],
        dim=1,
    )
    torch.testing.assert_close(layer(x.flatten(1)).view(7, 4, 5), by_hand)


@pytest.mark.parametrize("seats", [2, 4])
def test_a_seat_layer_by_halves_is_the_plain_one(seats):
    layer = SeatLinear(3, 5, seats).double()
    generator = torch.Generator().manual_seed(1)
    for weights in layer.parameters():
        torch.nn.init.normal_(weights, generator=generator)
    x = torch.randn(7, 2, seats * 3, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(layer.by_halves(x), layer(x))


def test_attention_by_sums_is_attention():
    query, key, value = torch.randn(3, 5, 2, 4, 6, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(
        attention_by_sums(query, key, value),
        torch.nn.functional.scaled_dot_product_attention(query, key, value),
    )


def test_the_seed_alone_decides_the_first_weights():
    one, same, other = (SuitNetwork(KINDS["attention"], seed=seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not torch.equal(one.before[0].feed.enter.weight, other.before[0].feed.enter.weight)


def test_products_count_what_a_pass_multiplies(owners):
    """Against the sizes of the matrix products that really run."""
    from torch.utils.flop_counter import FlopCounterMode

    for config in KINDS.values():
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            SuitNetwork(config, seed=1)(owners)
        by_operator = counter.get_flop_counts()["Global"]
        linear = sum(n for name, n in by_operator.items() if "mm" in str(name))
        assert linear == pytest.approx(2 * 12 * config.products, rel=0.01)


@pytest.mark.parametrize("setting", [{"width": 30}, {"width": 0}, {"heads": -1}, {"before": -1},
                                     {"after": 0}, {"ratio": 0}, {"inputs": "bits"},
                                     {"activation": "tanh"},
                                     {"dropout": 1.0}, {"layer_drop": -0.1}])  # fmt: skip
def test_a_wrong_setting_is_named(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        SuitNetworkConfig(**setting)
