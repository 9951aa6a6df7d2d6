import math

import pytest
import torch
from torch import Tensor

from nnue_trainer.loss import Loss
from nnue_trainer.schema import given

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


def test_qp_makes_values_above_the_target_dearer() -> None:
    loss, score, result = Loss(exponent=2.0, qp=0.5), tensor(0.0), tensor(0.5)
    assert float(loss(tensor(400.0), score, result, 0.0)) == pytest.approx(1.5 * 0.2310586**2)
    assert float(loss(tensor(-400.0), score, result, 0.0)) == pytest.approx(0.2310586**2)


def test_gradients_are_those_of_finite_differences() -> None:
    loss = Loss(score_scale=300.0, score_offset=200.0, exponent=2.5, qp=0.2, lambda_=(0.7, 0.7))
    values = tensor(-500.0, -3.0, 0.0, 90.0, 1000.0).requires_grad_()
    score, result = tensor(100.0, -20.0, 5.0, 90.0, NAN), tensor(1.0, 0.5, 0.0, NAN, 1.0)
    # In points a hundred centipawns are little, so that differences are taken over one.
    assert torch.autograd.gradcheck(
        lambda x: 1e3 * loss(x, score, result, 0.3), (values,), eps=1e-2, atol=1e-4
    )


def test_half_won_positions_count_for_more() -> None:
    loss = Loss(score_scale=400.0, w1=3.0, w2=0.5)
    half_won = 400 * math.log((0.5 + 0.125**0.5) / (0.5 - 0.125**0.5))
    # (p - 1/2)^2 * p * (1 - p) is at most 1/64, at p = 1/2 + sqrt(1/8).
    expected = [1.0, 1 + 7 / 8, 1 + 7 / 8, 1.0, 1.0]
    weights = loss.weights(tensor(0.0, half_won, -half_won, 1e6, NAN))
    assert weights.tolist() == pytest.approx(expected)
    # Without a width, all count alike; with less than none, half-won ones for less.
    assert Loss(w1=3.0, w2=0.0).weights(tensor(0.0, 9.0)).tolist() == [8.0, 8.0]
    assert float(Loss(w1=-3.0).weights(tensor(half_won))) == pytest.approx(1 - 7 / 8 / 8)


def test_the_weighted_loss_is_a_mean_by_weights() -> None:
    values, score = tensor(0.0, 0.0, 5.0), tensor(0.0, 300.0, NAN)
    result = tensor(NAN, NAN, NAN)
    loss = Loss(score_scale=400.0, exponent=2.0, w1=4.0)
    of_each = (loss.points_of_scores(score[:2]) - 0.5).square()
    weights = loss.weights(score[:2])
    expected = float((of_each * weights).sum() / weights.sum())
    assert float(loss(values, score, result, 0.0)) == pytest.approx(expected)
    unweighted = Loss(score_scale=400.0, exponent=2.0)
    assert float(unweighted(values, score, result, 0.0)) == pytest.approx(float(of_each.mean()))
    assert float(loss(values[2:], score[2:], result[2:], 0.0)) == 0


def test_jitter_moves_the_lambda_of_each_position_within_its_range() -> None:
    loss = Loss(lambda_=(0.9, 0.9), lambda_jitter=0.3)
    score, result = torch.full((1000,), 1e6), torch.zeros(1000)
    jitter = loss.jitter(score, seed=1, step=5)
    assert jitter is not None
    # Of a won score and a lost game, the target is the lambda.
    lambdas = loss.targets(score, result, 0.0, jitter)
    assert 0.6 <= float(lambdas.min()) < 0.65 and float(lambdas.max()) == 1.0
    assert torch.equal(jitter, given(loss.jitter(score, 1, 5)))
    assert not torch.equal(jitter, given(loss.jitter(score, 1, 6)))
    assert not torch.equal(jitter, given(loss.jitter(score, 2, 5)))
    assert Loss().jitter(score, 1, 5) is None
