"""How fast a network learns in the course of a run."""

import math
from typing import Annotated, Literal

from msgspec import Meta

from nnue_trainer.fields import Above0, Below1, Share, Table

Part = Annotated[float, Meta(gt=0, le=1)]


class Schedule(Table, frozen=True):
    """The table `[schedule]` of a run file. A share of the run is a number from 0 to 1."""

    kind: Literal["cosine", "constant", "step"] = "cosine"
    """How the learning rate changes over the run."""
    rate: Above0 = 0.001
    """The highest learning rate."""
    final: Share = 0.01
    """The part of `rate` that is left at the end of `cosine`."""
    warm_up: Below1 = 0.0
    """The share of the run in which the rate rises from nothing, before all else."""
    step: Part = 0.25
    """The share of what follows the warm-up after which `step` lowers the rate, again and again."""
    factor: Part = 0.3
    """By what `step` multiplies the rate."""

    def part(self, done: int, steps: int) -> float:
        """The part of `rate` with which step number `done` (from 0) of `steps` is made."""
        warm_up = round(self.warm_up * steps)
        if done < warm_up:
            return (done + 1) / (warm_up + 1)
        # A run may go on for some steps after its planned end.
        share = min((done - warm_up) / max(steps - warm_up - 1, 1), 1.0)
        if self.kind == "constant":
            return 1.0
        if self.kind == "step":
            return float(self.factor ** math.floor(share / self.step))
        return self.final + (1 - self.final) * (1 + math.cos(math.pi * share)) / 2
