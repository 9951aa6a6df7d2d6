"""When a network knows the positions that it learns from too well."""

from collections.abc import Sequence
from typing import Protocol

FAR = 1.2
"""How many times the loss of training that of held-out positions has to be."""
STAYS = 3
"""For how many reports in a row, so that one report decides nothing."""


class Losses(Protocol):
    """What is looked at in a report."""

    @property
    def train_loss(self) -> float:
        """The mean since the report before."""

    @property
    def validation_loss(self) -> float:
        """Of held-out positions."""


def warnings(reports: Sequence[Losses], reports_of_run: int) -> list[str]:
    """What is to be said of a run with these reports so far: a list of sentences, often empty."""
    last = reports[-STAYS:]
    enough = len(last) == min(STAYS, reports_of_run)
    if not enough or any(report.validation_loss <= FAR * report.train_loss for report in last):
        return []
    above = last[-1].validation_loss / max(last[-1].train_loss, 1e-30) - 1
    return [
        (
            f"the loss on held-out positions stays far above that of training ({above:.0%} in the "
            "last report): there is too little data for so long a run and so wide a network. "
            "More games help most, then fewer `positions` of the run, a narrower network, or a "
            "larger `weight_decay`"
        )
    ]
