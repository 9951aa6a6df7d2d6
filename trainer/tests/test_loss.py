import math

import pytest
import torch
from torch import Tensor

from nnue_trainer.loss import Loss

NAN = math.nan


def tensor(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_a_score_of_the_scale_is_worth_73_per_cent() -> None:
    loss = Loss(score_scale=400.0)
    points = loss.points_of_scores(tensor(0.0, 400.0, -400.0))
    assert points.tolist() == pytest.approx([0.5, 0.7310586, 0.2689414])


def test_values_have_a_scale_of_their_own() -> None:
    loss = Loss(score_scale=400.0, value_scale=200.0)
    assert loss.points_of_values(tensor(200.0)) == loss.points_of_scores(tensor(400.0))
    assert loss.units == 0.5


def test_with_an_offset_small_scores_are_draws() -> None:
    loss = Loss(score_scale=340.0, score_offset=270.0)
    # Half of 1 - loss and half of win, with win = sigmoid((x - 270) / 340).
    win, no_loss = 1 / (1 + math.exp((270 - 100) / 340)), 1 / (1 + math.exp(-(270 + 100) / 340))
    assert float(loss.points_of_scores(tensor(100.0))) == pytest.approx((win + no_loss) / 2)
    assert float(loss.points_of_scores(tensor(0.0))) == pytest.approx(0.5)
    scaled = Loss(score_scale=340.0, score_offset=270.0, value_scale=680.0)
    assert float(scaled.points_of_values(tensor(200.0))) == pytest.approx((win + no_loss) / 2)


def test_lambda_goes_from_score_to_result() -> None:
    loss = Loss(score_scale=400.0, lambda_=(1.0, 0.5))
    targets = [float(loss.targets(tensor(400.0), tensor(0.0), share)) for share in (0.0, 0.5, 1.0)]
    assert targets == pytest.approx([0.7310586, 0.75 * 0.7310586, 0.5 * 0.7310586])


def test_what_is_not_known_is_left_out() -> None:
    loss = Loss(score_scale=400.0, lambda_=(0.5, 0.5), exponent=2.0)
    score, result = tensor(400.0, NAN, 0.0, NAN), tensor(NAN, 1.0, 1.0, NAN)
    targets = loss.targets(score, result, 0.0)
    assert targets[:3].tolist() == pytest.approx([0.7310586, 1.0, 0.75])
    values = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    cost = loss(values, score, result, 0.0)
    assert float(cost.detach()) == pytest.approx((0.2310586**2 + 0.5**2 + 0.25**2) / 3)
    cost.backward()
    assert values.grad is not None
    assert values.grad[3] == 0 and torch.isfinite(values.grad).all() and values.grad[0] != 0
    values = values.detach()
    assert float(loss(values, tensor(NAN, NAN, NAN, NAN), tensor(NAN, NAN, NAN, NAN), 0.0)) == 0


def test_the_exponent_is_that_of_the_difference() -> None:
    values, score, result = tensor(400.0), tensor(0.0), tensor(0.5)
    assert float(Loss(exponent=2.5)(values, score, result, 0.0)) == pytest.approx(0.2310586**2.5)
    assert float(Loss(exponent=1.0)(values, score, result, 0.0)) == pytest.approx(0.2310586)


def test_gradients_are_those_of_finite_differences() -> None:
    loss = Loss(score_scale=300.0, score_offset=200.0, exponent=2.5, lambda_=(0.7, 0.7))
    values = tensor(-500.0, -3.0, 0.0, 90.0, 1000.0).requires_grad_()
    score, result = tensor(100.0, -20.0, 5.0, 90.0, NAN), tensor(1.0, 0.5, 0.0, NAN, 1.0)
    # In points a hundred centipawns are little, so that differences are taken over one.
    assert torch.autograd.gradcheck(
        lambda x: 1e3 * loss(x, score, result, 0.3), (values,), eps=1e-2, atol=1e-4
    )
