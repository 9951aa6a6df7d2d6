"""What training makes small: how far the network's value is from what is known of a position."""

from dataclasses import dataclass
from typing import Optional, Union

import torch
from torch import Tensor

from nnue_trainer.fields import number, span


@dataclass(frozen=True)
class Loss:
    """The table `[loss]` of a run file.

    Scores and values are compared as expected points: 1 for a win, 0.5 for a draw, 0 for a loss.
    """

    score_scale: float = number(400.0, above=0)
    """The score, in centipawns, which stands for 1 / (1 + 1/e), or 73 % of the points."""
    score_offset: float = number(0.0, low=0)
    """Centipawns with which a win is as likely as anything else; with 0 no draws are assumed."""
    value_scale: Optional[float] = number(None, above=0)
    """The same as `score_scale` of the network's values; by default the same number."""
    value_offset: Optional[float] = number(None, low=0)
    """The same as `score_offset` of the network's values; by default in proportion to the
    scales."""
    lambda_: tuple[float, float] = span((1.0, 1.0), low=0, high=1)
    """The score's share of the target at the start and at the end; the result has the rest."""
    exponent: float = number(2.0, low=1)
    qp: float = number(0.0, low=0)
    """How much more it costs when the value is above the target than when it is below."""
    lambda_jitter: float = number(0.0, low=0, high=1)
    """How far the lambda of each position may be from that of its moment, at random."""
    w1: float = number(0.0, low=-16, high=16)
    """How much more positions count that are half won: see `weights`. With the default of `w2` it
    is up to 1 + (2^w1 - 1) / 8 times."""
    w2: float = number(0.5, low=0, high=8)
    """How narrow the range of these positions is; with 0 all with a score count 2^w1 times."""
    activation: float = number(0.0, low=0)
    """What a mean activation of 1.0 of the transformer costs: it draws activations towards zero."""

    @property
    def is_blended_alike(self) -> bool:
        """Whether targets stay the same over the run."""
        first, last = self.lambda_
        return first == last and self.lambda_jitter == 0

    @property
    def units(self) -> float:
        """How many of the network's units are worth a centipawn."""
        return self._value_scale / self.score_scale

    @property
    def _value_scale(self) -> float:
        return self.score_scale if self.value_scale is None else self.value_scale

    def points_of_values(self, values: Tensor) -> Tensor:
        """Expected points of the network's values `[n]` in the engine's units, from 0 to 1."""
        offset = self.value_offset
        if offset is None:
            offset = self.score_offset * self.units
        return _points(values, self._value_scale, offset)

    def points_of_scores(self, scores: Tensor) -> Tensor:
        """Expected points of scores `[n]` in centipawns, from 0 to 1."""
        return _points(scores, self.score_scale, self.score_offset)

    def jitter(self, like: Tensor, seed: int, step: int) -> Optional[Tensor]:
        """`[n]`: how far the lambdas of the positions of a step are from that of the moment, on the
        device of `like` `[n]`; `None` without jitter. The same seed and step give the same ones."""
        if self.lambda_jitter == 0:
            return None
        generator = torch.Generator().manual_seed((seed * 0x9E3779B97F4A7C15 + step) % (1 << 63))
        random = torch.rand(like.shape, generator=generator)
        if like.device.type == "cuda":
            # Only a copy from pinned memory does not wait for the device.
            random = random.pin_memory()
        random = random.to(like.device, like.dtype, non_blocking=True)
        return (2 * random - 1) * self.lambda_jitter

    def targets(
        self, score: Tensor, result: Tensor, share: float, jitter: Optional[Tensor] = None
    ) -> Tensor:
        """`[n]`: the points that values are to have when `share` of the run, from 0 to 1, is over.

        `score`, in centipawns, and `result`, in points, are NaN where they are not known. Where
        only one of them is, it is the target; where neither is, the target is NaN. `jitter` `[n]`
        is added to the lambda of each position, which stays from 0 to 1.
        """
        first, last = self.lambda_
        weight: Union[float, Tensor] = first + (last - first) * share
        if jitter is not None:
            weight = (weight + jitter).clamp(0, 1)
        points = self.points_of_scores(score)
        mixed = weight * points + (1 - weight) * result
        mixed = torch.where(torch.isnan(result), points, mixed)
        return torch.where(torch.isnan(score), result, mixed)

    def weights(self, score: Tensor) -> Tensor:
        """`[n]`: how much positions with these scores count; those without a score count once.

        With points p of the score it is 1 + (2^w1 - 1) * ((p - 0.5)^2 * p * (1 - p))^w2.
        """
        points = self.points_of_scores(score)
        tilt = (points - 0.5).square() * points * (1 - points)
        weights = 1 + (2.0**self.w1 - 1) * tilt**self.w2
        return torch.where(torch.isnan(score), torch.ones_like(weights), weights)

    def __call__(
        self,
        values: Tensor,
        score: Tensor,
        result: Tensor,
        share: float,
        jitter: Optional[Tensor] = None,
    ) -> Tensor:
        """The mean loss of a batch, in which positions count by their weights, without what
        activations cost.

        `values` in the engine's units, `score` in centipawns and `result` in points are `[n]`;
        `share` of the run, from 0 to 1, is over. `jitter` is that of `targets`.
        """
        losses, weights = self.sums(values, score, result, share, jitter)
        # Where nothing is known, both are 0.
        return losses / weights.clamp(min=1 if self.w1 == 0 else 1e-6)

    def sums(
        self,
        values: Tensor,
        score: Tensor,
        result: Tensor,
        share: float,
        jitter: Optional[Tensor] = None,
    ) -> tuple[Tensor, Tensor]:
        """The sum of the weighted losses of a batch, and the sum of their weights."""
        target = self.targets(score, result, share, jitter)
        known = are_known(score, result)
        # Positions of which nothing is known count for nothing, and NaN must not reach gradients.
        difference = self.points_of_values(values) - torch.where(
            known, target, torch.zeros_like(target)
        )
        loss: Tensor = difference.abs() ** self.exponent * (1 + self.qp * (difference > 0))
        weights = known if self.w1 == 0 else known * self.weights(score)
        return (loss * weights).sum(), weights.sum()


def are_known(score: Tensor, result: Tensor) -> Tensor:
    """`[n]`: which positions the loss is a mean over: those with a score or a result."""
    return ~(torch.isnan(score) & torch.isnan(result))


def _points(x: Tensor, scale: float, offset: float) -> Tensor:
    """Half the chance of no loss and half the chance of a win, both of them sigmoids."""
    if offset == 0:
        return torch.sigmoid(x / scale)
    return (torch.sigmoid((x + offset) / scale) + torch.sigmoid((x - offset) / scale)) / 2
