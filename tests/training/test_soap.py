"""SOAP against least squares and against its own definition: axes do not matter to it."""

from copy import deepcopy

import pytest
import torch

from trickcast.training.soap import Soap
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
    with pytest.raises(ValueError, match="optimizer is 'rprop'"):
        ScheduleConfig(optimizer="rprop")
