"""What training makes small: how far the network's value is from what is known of a position."""

from typing import Annotated

import torch
from msgspec import Meta
from torch import Tensor

from nnue_trainer.fields import Above0, AtLeast0, Share, Table


class Loss(Table, frozen=True, rename={"lambda_": "lambda"}):
    """The table `[loss]` of a run file.

    Scores and values are compared as expected points: 1 for a win, 0.5 for a draw, 0 for a loss.
    """

    score_scale: Above0 = 400.0
    """The score, in centipawns, which stands for 1 / (1 + 1/e), or 73 % of the points."""
    score_offset: AtLeast0 = 0.0
    """Centipawns with which a win is as likely as anything else; with 0 no draws are assumed."""
    value_scale: Above0 | None = None
    """The same as `score_scale` of the network's values; by default the same number."""
    value_offset: AtLeast0 | None = None
    """The same as `score_offset` of the network's values; by default in proportion to the
    scales."""
    lambda_: Annotated[tuple[Share, ...], Meta(min_length=2, max_length=2)] = (1.0, 1.0)
    """The score's share of the target at the start and at the end; the result has the rest."""
    exponent: Annotated[float, Meta(ge=1)] = 2.0
    """The power of differences; 2 is the mean squared error."""
    activation: AtLeast0 = 0.0
    """What a mean activation of 1.0 of the transformer costs: it draws activations towards zero."""

    @property
    def is_blended_alike(self) -> bool:
        """Whether targets stay the same over the run."""
        first, last = self.lambda_
        return first == last

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

    def targets(self, score: Tensor, result: Tensor, share: float) -> Tensor:
        """`[n]`: the points that values are to have when `share` of the run, from 0 to 1, is over.

        `score`, in centipawns, and `result`, in points, are NaN where they are not known. Where
        only one of them is, it is the target; where neither is, the target is NaN.
        """
        first, last = self.lambda_
        weight = first + (last - first) * share
        points = self.points_of_scores(score)
        mixed = weight * points + (1 - weight) * result
        mixed = torch.where(torch.isnan(result), points, mixed)
        return torch.where(torch.isnan(score), result, mixed)

    def __call__(self, values: Tensor, score: Tensor, result: Tensor, share: float) -> Tensor:
        """The mean loss of a batch, without what activations cost.

        `values` in the engine's units, `score` in centipawns and `result` in points are `[n]`;
        `share` of the run, from 0 to 1, is over.
        """
        losses, count = self.sums(values, score, result, share)
        # Where nothing is known, both are 0.
        return losses / count.clamp(min=1)

    def sums(
        self, values: Tensor, score: Tensor, result: Tensor, share: float
    ) -> tuple[Tensor, Tensor]:
        """The sum of the losses of a batch, and how many positions it is of."""
        target = self.targets(score, result, share)
        known = ~(torch.isnan(score) & torch.isnan(result))
        # Positions of which nothing is known count for nothing, and NaN must not reach gradients.
        difference = self.points_of_values(values) - torch.where(
            known, target, torch.zeros_like(target)
        )
        loss: Tensor = difference.abs() ** self.exponent
        return (loss * known).sum(), known.sum()


def _points(x: Tensor, scale: float, offset: float) -> Tensor:
    """Half the chance of no loss and half the chance of a win, both of them sigmoids."""
    if offset == 0:
        return torch.sigmoid(x / scale)
    return (torch.sigmoid((x + offset) / scale) + torch.sigmoid((x - offset) / scale)) / 2
