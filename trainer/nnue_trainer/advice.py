"""What a colleague who looks at a run would say: what is wrong with it, and what to do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from nnue_trainer.batch import Batch
from nnue_trainer.loss import Loss

if TYPE_CHECKING:
    from nnue_trainer.train import Report

ENOUGH = 1000
"""How many held-out positions have to be there before they say something of the data, or of a
neuron."""
FAR, STAYS_FAR = 1.2, 3
"""How many times the loss of training that of held-out positions has to be, and in how many
reports in a row, for too little data."""
DEAD = 0.1
"""Which share of the transformer's outputs may be 0 on all of them."""
SATURATED = 0.05
"""Which share of the numbers of a tensor may be the largest of their type."""
RISEN = 1.3
"""How many times the lowest loss of training a loss has to be."""
STAYS = 2
"""For how many reports in a row something has to hold, so that one report decides nothing."""
LATE = 0.25
"""The share of a run after which a network has to know something."""
NOTHING, MUCH = 0.15, 0.4
"""Correlations of scores and results. Of scores of depth 4 it is about 0.6."""


@dataclass(frozen=True)
class Known:
    """What held-out positions say of the data."""

    positions: int
    results: int
    """How many have a result."""
    both: int
    """How many have a score and a result."""
    correlation: float
    """Of the points of scores with results; 0 where there is none."""
    loss_of_zero: float
    """The loss of an evaluation of 0 everywhere, with the targets of the end of the run."""

    @classmethod
    def of(cls, loss: Loss, batches: Iterable[Batch]) -> "Known":
        """What batches say."""
        batches = list(batches)
        if not batches:
            return cls(0, 0, 0, 0.0, 0.0)
        score = torch.cat([batch.score for batch in batches]).double().cpu()
        result = torch.cat([batch.result for batch in batches]).double().cpu()
        both = ~(torch.isnan(score) | torch.isnan(result))
        correlation = 0.0
        if int(both.sum()) > 1:
            pair = torch.stack([loss.points_of_scores(score[both]), result[both]])
            correlation = float(torch.corrcoef(pair)[0, 1].nan_to_num(0.0))
        return cls(
            positions=len(score),
            results=int((~torch.isnan(result)).sum()),
            both=int(both.sum()),
            correlation=correlation,
            loss_of_zero=float(loss(torch.zeros_like(score), score, result, 1.0)),
        )


def advice(
    loss: Loss,
    known: Known,
    reports: Sequence["Report"],
    reports_of_run: int,
    share: float,
    saturated: Mapping[str, float],
) -> dict[str, str]:
    """What is to be said of a run, by its kind; often nothing.

    `share` of the run is over, and `saturated` has the shares of numbers at the ends of their
    types, by tensors.
    """
    found: dict[str, str | None] = {
        "data": _data(known, reports, reports_of_run),
        "scores": _scores(loss, known),
        "results": _results(loss, known),
        "rate": _rate(known, reports, share),
        "dead": _dead(known, reports, reports_of_run),
        "saturated": _saturated(saturated),
    }
    return {kind: text for kind, text in found.items() if text is not None}


def _data(known: Known, reports: Sequence["Report"], reports_of_run: int) -> str | None:
    last = reports[-STAYS_FAR:]
    if known.positions < ENOUGH or len(last) < min(STAYS_FAR, reports_of_run):
        return None
    if any(report.validation_loss <= FAR * report.train_loss for report in last):
        return None
    above = last[-1].validation_loss / max(last[-1].train_loss, 1e-30) - 1
    return (
        f"the loss on held-out positions stays far above that of training ({above:.0%} in the last "
        "report): there is too little data for so long a run and so wide a network. More games "
        "help most, then fewer `positions` of the run, a narrower network, or a larger "
        "`weight_decay`"
    )


def _scores(loss: Loss, known: Known) -> str | None:
    if known.both < ENOUGH or loss.lambda_[1] < 0.5 or known.correlation >= NOTHING:
        return None
    return (
        f"scores say hardly anything of results (their correlation is {known.correlation:.2f}), "
        f"and `lambda` of [loss] ends with {loss.lambda_[1]:g}, so that they are learnt. "
        'If they are white\'s, `options = ["--white-scores"]` of [data] says so. If they are of a '
        "search of one or two plies, deeper ones or a smaller `lambda` teach more"
    )


def _results(loss: Loss, known: Known) -> str | None:
    last = loss.lambda_[1]
    if known.positions >= ENOUGH and known.results == 0 and last < 1:
        return (
            f"no held-out position has a result, and `lambda` of [loss] ends with {last:g}: scores "
            "alone are learnt. Data with results, or `lambda = 1`, is what was meant"
        )
    if known.both >= ENOUGH and last < 0.1 and known.correlation >= MUCH:
        return (
            f"`lambda` of [loss] ends with {last:g}, so that scores of the data are not learnt, "
            f"though they foresee results (their correlation is {known.correlation:.2f}). Results "
            "alone need many more games: with `lambda = 0.7` or more the network learns of both"
        )
    return None


def _rate(known: Known, reports: Sequence["Report"], share: float) -> str | None:
    last = reports[-STAYS:]
    what = "take a third of `rate` of [schedule], or let it rise in a `warm_up`"
    if len(reports) > STAYS:
        before = [each for each in reports[:-STAYS] if each.mode == last[-1].mode]
        lowest = min((each.train_loss for each in before), default=0.0)
        if before and all(each.train_loss > RISEN * lowest for each in last):
            times = last[-1].train_loss / max(lowest, 1e-30)
            return f"the loss of training rises (to {times:.1f} times its lowest): {what}"
    # One that knows what it was trained on has learnt something.
    knows_nothing = all(
        min(each.train_loss, each.validation_loss) >= known.loss_of_zero for each in last
    )
    if len(last) == STAYS and share > LATE and known.loss_of_zero > 0 and knows_nothing:
        return (
            "the network is no better than an evaluation of 0 in all positions, so that it learns "
            f"nothing: {what}. If that changes nothing, look whether scores and results are right"
        )
    return None


def _dead(known: Known, reports: Sequence["Report"], reports_of_run: int) -> str | None:
    last = reports[-STAYS:]
    if known.positions < ENOUGH or len(last) < min(STAYS, reports_of_run):
        return None
    if not last or any(report.dead <= DEAD for report in last):
        return None
    return (
        f"{last[-1].dead:.0%} of the transformer's outputs are 0 in all held-out positions: their "
        "neurons learn nothing more. A lower `rate` or a `warm_up` of [schedule] lets fewer die, "
        "and so does a smaller `activation` of [loss]; otherwise a narrower network is as strong, "
        "and faster"
    )


def _saturated(saturated: Mapping[str, float]) -> str | None:
    name = max(saturated, key=lambda each: saturated[each], default=None)
    if name is None or saturated[name] <= SATURATED:
        return None
    return (
        f"{saturated[name]:.0%} of the numbers of `{name}` are the largest or smallest of their "
        "type, and would grow further: a smaller `one` in the spec, or a wider type, gives them "
        "room (`nnue quantise --calibrate` proposes some), and a larger `weight_decay` keeps them "
        "small"
    )
