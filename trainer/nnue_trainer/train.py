"""The training itself: steps over batches, validation, and what is written in between."""

import hashlib
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch.optim.lr_scheduler import LambdaLR
from torch.optim.swa_utils import AveragedModel

from nnue_trainer import checkpoint, curves
from nnue_trainer.fields import RunError
from nnue_trainer.loss import are_known


@dataclass
class Report:
    """How a run stands after some steps."""

    positions: int
    seconds: float
    """Spent on training, validation left out, and what an interruption made vain."""
    positions_per_second: float
    """Since the report before."""
    rate: float
    mode: str
    train_loss: float
    """The mean since the report before."""
    validation_loss: float
    """Of the averaged weights, with the targets of the end of the run."""
    zero_blocks: float
    """The share of blocks of four outputs of the transformer that are all zero, on held-out positions."""


class Training:
    """A network on its way through a run."""

    def __init__(self, run, network, processes, validation):
        """`validation` has batches of held-out positions; only the first process looks at them."""
        self.run, self.processes = run, processes
        # What a checkpoint must agree with; the file of the spec may have changed under the same name.
        digest = hashlib.sha256(network.description.text.encode()).hexdigest()
        self.settings = {**run.settings(), "network": digest}
        self.network = network.to(processes.device)
        self.network.observe = run.loss.activation > 0
        self.validation = validation
        keep = run.average
        self.average = AveragedModel(self.network, avg_fn=lambda old, new, _: old * keep + new * (1 - keep))
        self.shared = processes.shared(self.network)
        self.steps_of_run = math.ceil(run.positions / (run.data.batch_size * processes.count))
        self.optimiser = run.optimiser.over(self.network, run.schedule.rate)
        self.lookahead = run.optimiser.lookahead_over(self.network)
        self.schedule = LambdaLR(self.optimiser, lambda done: run.schedule.part(done, self.steps_of_run))
        self.steps = 0
        self.positions = 0
        self.seconds = 0.0
        self.reports = []

    @property
    def share(self):
        """The share of the run that is over."""
        return self.steps / self.steps_of_run

    @property
    def is_over(self):
        return self.steps >= self.steps_of_run

    def _parts(self):
        return {
            "network": self.network,
            "average": self.average,
            "optimiser": self.optimiser,
            "lookahead": self.lookahead,
            "schedule": self.schedule,
        }

    def state(self):
        """All that a checkpoint needs."""
        state = {name: part.state_dict() for name, part in self._parts().items()}
        state["reports"] = [asdict(report) for report in self.reports]
        return {**state, "steps": self.steps, "positions": self.positions, "seconds": self.seconds}

    def restore(self, state):
        """Takes over what `state` returned."""
        for name, part in self._parts().items():
            part.load_state_dict(state[name])
        self.reports = [Report(**report) for report in state["reports"]]
        self.steps, self.positions, self.seconds = state["steps"], state["positions"], state["seconds"]

    def step(self, batch):
        """Learns from one batch, and returns its loss as a tensor."""
        run, network = self.run, self.network
        network.mode = run.mode_at(self.share)
        values = self.shared(batch)
        loss = run.loss(values, batch.score, batch.result, self.share)
        cost = loss
        if run.loss.activation > 0:
            cost = loss + run.loss.activation * network.activation_mean
        self.optimiser.zero_grad()
        cost.backward()
        self.optimiser.step()
        self.lookahead.step()
        network.clip()
        self.average.update_parameters(network)
        self.schedule.step()
        self.steps += 1
        self.positions += values.shape[0] * self.processes.count
        return loss.detach()

    @torch.no_grad()
    def validate(self):
        """The loss of the averaged weights on held-out positions, and their share of zero blocks."""
        network = self.average.module
        network.mode = self.network.mode
        network.observe = True
        loss, zero_blocks, known, positions = 0.0, 0.0, 0, 0
        for batch in self.validation:
            batch = batch.to(self.processes.device)
            values = network(batch)
            # Each mean counts as often as there are positions in it.
            known_here, count = int(are_known(batch.score, batch.result).sum()), values.shape[0]
            loss += known_here * float(self.run.loss(values, batch.score, batch.result, 1.0))
            zero_blocks += count * float(network.statistics["zero_blocks"])
            known += known_here
            positions += count
        return loss / max(known, 1), zero_blocks / positions

    def go(self, batches, folder, progress, write_net=None):
        """Trains to the end of the run with `batches`, which begin at the run's first step.

        In `folder` it leaves `checkpoint.pt` and `curves.svg` at each report. Before that,
        `write_net` is called with the training: what it raises ends the run.
        """
        every = self.steps_of_run / self.run.reports
        for _ in range(self.steps):
            # The data of the steps before an interruption.
            _next(batches)
        losses = torch.zeros((), device=self.processes.device)
        first_step, first_seconds, started = self.steps, self.seconds, time.perf_counter()
        while not self.is_over:
            losses += self.step(_next(batches).to(self.processes.device))
            reached = self.steps / every
            progress.step(self)
            if self.is_over or math.floor(reached) > math.floor((self.steps - 1) / every):
                loss = float(self.processes.mean(losses)) / (self.steps - first_step)
                now = time.perf_counter()
                self.seconds = first_seconds + now - started
                if not math.isfinite(loss):
                    raise RunError(
                        f"the loss is {loss} after {self.positions:,} positions: a lower `rate` of [schedule] may help"
                    )
                if self.processes.is_first:
                    self._report(loss, first_step, now - started, folder, progress, write_net)
                losses.zero_()
                first_step, first_seconds, started = self.steps, self.seconds, time.perf_counter()

    def _report(self, train_loss, first_step, seconds, folder, progress, write_net):
        validation_loss, zero_blocks = self.validate()
        learned = (self.steps - first_step) * self.run.data.batch_size * self.processes.count
        report = Report(
            positions=self.positions,
            seconds=self.seconds,
            positions_per_second=learned / seconds,
            rate=self.run.schedule.rate * self.run.schedule.part(self.steps - 1, self.steps_of_run),
            mode=self.network.mode,
            train_loss=train_loss,
            validation_loss=validation_loss,
            zero_blocks=zero_blocks,
        )
        self.reports.append(report)
        if write_net is not None:
            write_net(self)
        checkpoint.save(folder / "checkpoint.pt", self.settings, self.state())
        picture = self.picture()
        checkpoint.write_whole(folder / "curves.svg", lambda path: path.write_text(picture, encoding="utf-8"))
        # Whoever sees the report may rely on the checkpoint.
        progress.report(self, report)

    def picture(self):
        """The curves of the run so far, as SVG."""

        def curve(name):
            return [(report.positions, getattr(report, name)) for report in self.reports]

        panels = [
            ("loss", True, {"training": curve("train_loss"), "validation": curve("validation_loss")}),
            ("learning rate", False, {"": curve("rate")}),
            ("share of zero blocks", False, {"": curve("zero_blocks")}),
            ("positions a second", False, {"": curve("positions_per_second")}),
        ]
        return curves.draw(f"{Path(self.run.out).name}: {self.positions:,} positions", panels, self.positions)


def _next(batches):
    batch = next(batches, None)
    if batch is None:
        raise RunError("the data ended before the run did: it must be endless")
    return batch
