"""SOAP against least squares and against its own definition: axes do not matter to it."""

from copy import deepcopy

import pytest
import torch

from trickcast.training.soap import Soap, by_cholesky
from trickcast.training.trainer import ScheduleConfig


def problem(seed: int, n: int = 5):
    """Matrices A, B, C of |A W B - C|², badly conditioned, and orthogonal U, V."""
    generator = torch.Generator().manual_seed(seed)

    def normal():
        return torch.randn(n, n, generator=generator, dtype=torch.float64)

    squeezed = torch.diag(torch.logspace(-0.5, 0.5, n, dtype=torch.float64))
    turns = [torch.linalg.qr(normal()).Q for _ in range(4)]
    return squeezed @ turns[0], turns[1] @ squeezed, normal(), turns[2], turns[3]


def descend(optimizer, weights, loss, steps):
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.1 * (1 - step / steps)
        optimizer.zero_grad()
        loss(weights).backward()
        optimizer.step()
    return float(loss(weights).detach())


def test_it_finds_the_least_squares_where_adam_is_far_from_it():
    a, b, c, _, _ = problem(1)

    def loss(weights):
        return (a @ weights @ b - c).square().sum()

    start = torch.zeros(5, 5, dtype=torch.float64)
    ours, adams = (torch.nn.Parameter(start.clone()) for _ in range(2))
    found = descend(Soap([ours], lr=0.1), ours, loss, 400)
    other = descend(torch.optim.Adam([adams], lr=0.1), adams, loss, 400)
    assert found < 0.1 * other and found < 0.05 * float(c.square().sum())


def test_turning_the_axes_turns_the_steps():
    """Adam's steps would change: it looks along the axes that it is given."""
    a, b, c, u, v = problem(2)
    first = torch.randn(5, 5, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    plain, turned = torch.nn.Parameter(first.clone()), torch.nn.Parameter(u @ first @ v)
    descend(Soap([plain], lr=0.1), plain, lambda w: (a @ w @ b - c).square().sum(), 25)
    descend(
        Soap([turned], lr=0.1), turned, lambda w: (a @ u.T @ w @ v.T @ b - c).square().sum(), 25
    )
    torch.testing.assert_close(turned.detach(), u @ plain.detach() @ v, atol=1e-3, rtol=0)
    assert (plain.detach() - first).abs().max() > 0.1


def test_vectors_move_as_by_adam():
    ours, adams = (torch.nn.Parameter(torch.tensor([3.0, -2.0])) for _ in range(2))
    scale = torch.tensor([1.0, 10.0])
    settings = {"lr": 0.1, "betas": (0.9, 0.99), "weight_decay": 0.1}
    for weights, kind in ((ours, Soap), (adams, torch.optim.AdamW)):
        descend(kind([weights], **settings), weights, lambda w: (scale * w).square().sum(), 20)
    torch.testing.assert_close(ours, adams)


def test_axes_behind_the_first_are_one():
    a, b, c, _, _ = problem(5, n=6)
    flat, deep = (
        torch.nn.Parameter(torch.ones(shape, dtype=a.dtype)) for shape in ((6, 6), (6, 2, 3))
    )
    for weights in (flat, deep):
        descend(Soap([weights], lr=0.1), weights,
                lambda w: (a @ w.flatten(1) @ b - c).square().sum(), 15)  # fmt: skip
    torch.testing.assert_close(deep.flatten(1), flat)


def test_weights_of_one_shape_move_as_each_would_alone():
    problems = [problem(seed, n=6)[:3] for seed in (6, 7, 8)]
    first = [torch.randn(6, 2, 3, dtype=torch.float64) for _ in problems]
    together, alone = ([torch.nn.Parameter(start.clone()) for start in first] for _ in range(2))

    def loss(number, weights):
        a, b, c = problems[number]
        return (a @ weights.flatten(1) @ b - c).square().sum()

    one = Soap(together, lr=0.1, weight_decay=0.01)
    for _ in range(25):
        one.zero_grad()
        sum(loss(number, weights) for number, weights in enumerate(together)).backward()
        one.step()
    for number, (weights, other) in enumerate(zip(together, alone, strict=True)):
        own = Soap([other], lr=0.1, weight_decay=0.01)
        for _ in range(25):
            own.zero_grad()
            loss(number, other).backward()
            own.step()
        torch.testing.assert_close(weights.detach(), other.detach())
        assert (other.detach() - first[number]).abs().max() > 0.1


def test_weights_without_a_gradient_only_decay():
    moved, still = (torch.nn.Parameter(torch.ones(3, 3)) for _ in range(2))
    one = Soap([moved, still], lr=0.1, weight_decay=0.5)
    for _ in range(11):
        one.zero_grad()
        moved.square().sum().backward()
        one.step()
    torch.testing.assert_close(still.detach(), torch.full((3, 3), 0.95**11))
    assert float(moved.detach().mean()) < 0.5


@pytest.mark.parametrize("alike", [1.0, 1e-3, 1e-6, 0.0])
def test_cholesky_gives_what_qr_gives(alike):
    """Also for vectors that nearly are, or wholly are, along those before them."""
    generator = torch.Generator().manual_seed(9)
    vectors = torch.randn(3, 40, 40, generator=generator, dtype=torch.float64)
    vectors[1, :, 20:] = vectors[1, :, :20] + alike * vectors[1, :, 20:]
    found, expected = by_cholesky(vectors), torch.linalg.qr(vectors).Q
    products, close = found.mT @ found, 1e-7 if alike else 1e-3
    torch.testing.assert_close(products, torch.eye(40).expand_as(products), atol=close, rtol=0,
                               check_dtype=False)  # fmt: skip
    same = (found * expected).sum(1).abs()
    assert same[[0, 2]].min() > 1 - 1e-9
    if alike:
        assert same[1].min() > 1 - 1e-3


def test_it_goes_on_from_its_state_and_takes_no_closure():
    a, b, c, _, _ = problem(4)

    def loss(weights):
        return (a @ weights @ b - c).square().sum()

    whole = torch.nn.Parameter(torch.zeros(5, 5, dtype=torch.float64))
    one = Soap([whole], lr=0.1)
    for _ in range(13):
        descend(one, whole, loss, 1)
    other = torch.nn.Parameter(whole.detach().clone())
    two = Soap([other], lr=0.5)
    two.load_state_dict(deepcopy(one.state_dict()))
    for optimizer, weights in ((one, whole), (two, other)):
        for _ in range(13):
            descend(optimizer, weights, loss, 1)
    assert torch.equal(whole, other)
    with pytest.raises(ValueError, match="expected none"):
        one.step(lambda: 0.0)
    old = one.state_dict()
    old["state"][0]["mean"] = old["state"][0]["mean"][0]
    with pytest.raises(ValueError, match="an earlier version"):
        two.load_state_dict(old)
    with pytest.raises(ValueError, match="optimizer is 'rprop'"):
        ScheduleConfig(optimizer="rprop")
