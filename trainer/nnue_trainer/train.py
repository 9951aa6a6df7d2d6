"""The training itself: steps over batches, validation, and what is written in between."""

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from msgspec import Meta
from torch import Tensor
from torch.optim.lr_scheduler import LambdaLR

from nnue_trainer import checkpoint, curves, start
from nnue_trainer.advice import Known, advice
from nnue_trainer.batch import Batch
from nnue_trainer.checkpoint import Checkpoint
from nnue_trainer.fields import Natural, RunError, Share, Table, read_table, shown
from nnue_trainer.network import Network
from nnue_trainer.processes import Processes
from nnue_trainer.progress import Watcher
from nnue_trainer.run import Mode, Run
from nnue_trainer.schema import given
from nnue_trainer.watch import Match

Amount = Annotated[float, Meta(ge=0, le=1e30)]


class Report(Table, frozen=True):
    """How a run stands after some steps."""

    positions: Natural
    seconds: Amount
    """Spent on training, without validation, and without time that an interruption has lost."""
    positions_per_second: Amount
    """Since the report before."""
    rate: Amount
    mode: Mode
    train_loss: Amount
    """The mean since the report before, with the targets of the end of the run, whatever the
    network was trained on at that time: only then can it be compared with `validation_loss`."""
    validation_loss: Amount
    """With the same targets."""
    zero_blocks: Share
    """The share of blocks of four outputs of the transformer that are all zero, on held-out
    positions."""
    dead: Share
    """The share of the transformer's outputs that are 0 on all held-out positions."""


class Reached(Table, frozen=True):
    """How far a run has come: all of a checkpoint that is no tensor."""

    steps: Natural
    positions: Natural
    seconds: Amount
    reports: list[Report]
    matches: list[Match]


class Training:
    """A network on its way through a run."""

    def __init__(
        self, run: Run, network: Network, processes: Processes, validation: Sequence[Batch]
    ) -> None:
        """`validation` has batches of held-out positions; only the first process looks at them."""
        self.run, self.processes = run, processes
        # What a checkpoint must agree with; the file of the spec may have changed under the same
        # name.
        digest = hashlib.sha256(network.description.text.encode()).hexdigest()
        self.settings = {**run.settings(), "network": digest}
        for file in (*run.data.files, *run.data.validation):
            # Of other data, the positions that the run has seen cannot be read over.
            self.settings[f"length of `{file}` in bytes"] = Path(file).stat().st_size
        if run.start is not None:
            self.settings["start"] = start.digest(Path(run.start))
        self.network = network.to(processes.device)
        self.network.observe = run.loss.activation > 0
        self.validation = validation
        self.steps_of_run = math.ceil(run.positions / (run.data.batch_size * processes.count))
        if processes.device.type == "cuda":
            self.network.transformer.defers = True
        shared = processes.shared(self.network)
        self.shared: Callable[..., Any] = torch.compile(shared) if run.compile else shared
        self.optimiser = run.optimiser.over(
            self.network, run.schedule.rate, self.network.matrices()
        )
        self.schedule = self._schedule(0)
        self.steps = 0
        self.positions = 0
        self.seconds = 0.0
        self.reports: list[Report] = []
        self.matches: list[Match] = []
        """Those of the nets so far."""
        self.known = Known.of(run.loss, validation)

    @property
    def share(self) -> float:
        """The share of the run that is over."""
        return self.steps / self.steps_of_run

    @property
    def is_over(self) -> bool:
        """Whether all steps of the run are made."""
        return self.steps >= self.steps_of_run

    def tensors(self) -> dict[str, Tensor]:
        """All tensors that steps change, by names for a checkpoint. They are those of the training
        itself, and no copies.

        The optimiser has none of a parameter before its first step. What else it and the schedule
        keep follows from the settings and the number of steps.
        """
        tensors = {f"network.{name}": each for name, each in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, tensor in self.optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser.{name}.{key}"] = tensor
        return tensors

    def save(self, path: Path) -> None:
        """Writes a checkpoint."""
        reached = Reached(self.steps, self.positions, self.seconds, self.reports, self.matches)
        checkpoint.save(path, self.settings, self.tensors(), msgspec.to_builtins(reached))

    @torch.no_grad()
    def restore(self, path: Path) -> None:
        """Goes on from the checkpoint that `save` wrote.

        Raises `RunError` if the file is no checkpoint of this run.
        """
        saved = checkpoint.load(path, self.settings)
        try:
            reached = read_table(Reached, saved.progress, "the run's progress")
        except RunError as error:
            raise saved.unfit(error) from error
        if not 0 < reached.steps <= self.steps_of_run or not reached.reports:
            raise saved.unfit(
                f"it has {reached.steps:,} of {self.steps_of_run:,} steps and "
                f"{len(reached.reports):,} reports"
            )
        most = reached.steps * self.run.data.batch_size * self.processes.count
        seen = [report.positions for report in reached.reports]
        # Only the last batch of data can have fewer.
        if (
            not most * (reached.steps - 1)
            < reached.positions * reached.steps
            <= most * reached.steps
        ):
            raise saved.unfit(
                f"it has {reached.positions:,} positions after {reached.steps:,} steps, and the "
                f"run {most:,}"
            )
        if seen[-1] != reached.positions or any(
            later <= before for before, later in pairwise(seen)
        ):
            raise saved.unfit(f"its reports do not lead to its {reached.positions:,} positions")
        if not any(name.startswith("optimiser.") for name in saved.tensors):
            raise saved.unfit("it lacks the tensors of the optimiser")
        # A step without gradients gives the optimiser its tensors; all that it changes is replaced.
        for name, parameter in self.network.named_parameters():
            if any(each.startswith(f"optimiser.{name}.") for each in saved.tensors):
                parameter.grad = torch.zeros_like(parameter)
        self.optimiser.step()
        for parameter in self.network.parameters():
            parameter.grad = None
        own = self.tensors()
        for name in sorted({*own, *saved.tensors}):
            if name not in own:
                raise saved.unfit(f"it has a tensor {shown(name)}, which the run has not")
            if name not in saved.tensors:
                raise saved.unfit(f"it lacks the tensor `{name}`")
            found, expected = _form(saved.tensors[name]), _form(own[name])
            if found != expected:
                raise saved.unfit(f"its tensor `{name}` is {found}, and the run's {expected}")
            if not bool(saved.tensors[name].isfinite().all()):
                raise saved.unfit(f"its tensor `{name}` has numbers that are not finite")
            if name.endswith("_sq") and bool((saved.tensors[name] < 0).any()):
                raise saved.unfit(f"its tensor `{name}` has squares below 0")
            own[name].copy_(saved.tensors[name])
        self._check_limits(saved)
        for state in self.optimiser.state.values():
            # Optimisers divide by what follows from it: others would make them divide by zero.
            if float(state["step"]) != reached.steps:
                raise saved.unfit(
                    f"its optimiser has not made the {reached.steps:,} steps of the run"
                )
        self.steps, self.positions, self.seconds = reached.steps, reached.positions, reached.seconds
        self.reports, self.matches = reached.reports, reached.matches
        self.schedule = self._schedule(self.steps)

    def _check_limits(self, saved: Checkpoint) -> None:
        """Raises an error if `clip` changes weights that were restored: each step leaves it nothing
        to do, but for what the rounding of `f32` gives it."""
        restored = [parameter.clone() for parameter in self.network.parameters()]
        self.network.clip()
        for (name, parameter), old in zip(self.network.named_parameters(), restored):
            if not torch.allclose(parameter, old, rtol=1e-3, atol=1e-3):
                raise saved.unfit(f"its weights `{name}` are larger than any step leaves them")
            parameter.copy_(old)

    def _schedule(self, steps: int) -> LambdaLR:
        """The learning rates from the step with this number on."""

        def part(done: int) -> float:
            return self.run.schedule.part(done, self.steps_of_run)

        return LambdaLR(self.optimiser, part, last_epoch=steps - 1)

    def step(self, batch: Batch) -> Tensor:
        """Learns from one batch, and returns its loss with the targets of the end of the run, as a
        tensor."""
        run, network = self.run, self.network
        network.mode = run.mode_at(self.share)
        values = self.shared(batch)
        loss = run.loss(values, batch.score, batch.result, self.share)
        cost = loss
        if run.loss.activation > 0:
            cost = loss + run.loss.activation * given(network.activation_mean)
        self.optimiser.zero_grad()
        cost.backward()
        self.optimiser.step()
        network.clip()
        self.schedule.step()
        self.steps += 1
        self.positions += values.shape[0] * self.processes.count
        if run.loss.is_blended_alike:
            return loss.detach()
        return run.loss(values.detach(), batch.score, batch.result, 1.0)

    @property
    def warnings(self) -> list[str]:
        """What is to be said of the run so far."""
        return list(self.advice.values())

    @property
    def advice(self) -> dict[str, str]:
        """The same, by kinds of which each is said once."""
        return advice(
            self.run.loss,
            self.known,
            self.reports,
            self.run.reports,
            self.share,
            self.network.saturated(),
        )

    @torch.no_grad()
    def validate(self) -> tuple[float, float, float]:
        """The loss on held-out positions, their share of zero blocks, and the share of outputs of
        the transformer that are 0 in all of them."""
        network = self.network
        observes, network.observe = network.observe, True
        loss, zero_blocks, known, positions = 0.0, 0.0, 0.0, 0
        active: list[Tensor] = []
        for batch in self.validation:
            batch = batch.to(self.processes.device)
            values = network(batch)
            losses, counted = self.run.loss.sums(values, batch.score, batch.result, 1.0)
            count = values.shape[0]
            loss += float(losses)
            known += float(counted)
            # Each mean counts as often as there are positions in it.
            zero_blocks += count * float(network.statistics["zero_blocks"])
            positions += count
            active.append(network.active)
        dead = float((~torch.stack(active).any(dim=0)).float().mean())
        network.observe = observes
        return loss / (known or 1.0), zero_blocks / positions, dead

    def go(
        self,
        batches: Iterator[Batch],
        folder: Path,
        progress: Watcher,
        write_net: Callable[["Training"], object] | None = None,
        play: Callable[[int], Iterable[Match]] = lambda _: (),
    ) -> None:
        """Trains to the end of the run with `batches`, which begin at the run's first step.

        In `folder` it leaves a checkpoint and `curves.svg` at each report. Before that, or as often
        as the run says, `write_net` is called with the training; after it, `play` with the number
        of positions, which plays the matches of the nets so far. What they raise ends the run.

        Raises `RunError` if the data ends before the run does, or a loss is not finite.
        """
        every = self.steps_of_run / self.run.reports
        for _ in range(self.steps):
            # The data of the steps before an interruption.
            _next(batches)
        losses = torch.zeros((), device=self.processes.device)
        first_step, first_seconds, started = self.steps, self.seconds, time.perf_counter()
        while not self.is_over:
            losses += self.step(_next(batches).to(self.processes.device, non_blocking=True))
            reached = self.steps / every
            progress.step(self)
            if self._is_kept:
                paused = time.perf_counter()
                self._settle()
                if write_net is not None:
                    write_net(self)
                # What is counted is the training.
                started += time.perf_counter() - paused
            if self.is_over or math.floor(reached) > math.floor((self.steps - 1) / every):
                loss = float(self.processes.mean(losses)) / (self.steps - first_step)
                now = time.perf_counter()
                self.seconds = first_seconds + now - started
                if not math.isfinite(loss):
                    raise RunError(
                        f"the loss is {loss} after {self.positions:,} positions: a lower `rate` of "
                        "[schedule] may help"
                    )
                self._settle()
                if self.processes.is_first:
                    self._report(loss, first_step, now - started, folder, progress, write_net)
                    self.watch(play, folder)
                losses.zero_()
                first_step, first_seconds, started = self.steps, self.seconds, time.perf_counter()

    def _settle(self) -> None:
        """Does what steps have deferred, before anybody looks at the weights.

        It changes weights, so that all processes have to do it after the same steps, also those
        that look at nothing.
        """
        if self.processes.device.type != "cuda":
            return
        self.network.transformer.defers = False
        self.network.clip()
        self.network.transformer.defers = True

    @property
    def _is_kept(self) -> bool:
        """Whether the run's number of positions for a net is complete, or the run is."""
        every = self.run.nets_every
        if not every:
            return False
        of_step = self.run.data.batch_size * self.processes.count
        return self.is_over or self.positions // every > (self.positions - of_step) // every

    def _report(
        self,
        train_loss: float,
        first_step: int,
        seconds: float,
        folder: Path,
        progress: Watcher,
        write_net: Callable[["Training"], object] | None,
    ) -> None:
        validation_loss, zero_blocks, dead = self.validate()
        learned = (self.steps - first_step) * self.run.data.batch_size * self.processes.count
        report = Report(
            positions=self.positions,
            seconds=self.seconds,
            positions_per_second=learned / seconds,
            rate=self.run.schedule.rate * self.run.schedule.part(self.steps - 1, self.steps_of_run),
            mode=self.run.mode_at((self.steps - 1) / self.steps_of_run),
            train_loss=train_loss,
            validation_loss=validation_loss,
            zero_blocks=zero_blocks,
            dead=dead,
        )
        if not math.isfinite(validation_loss):
            raise RunError(
                f"the loss of held-out positions is {validation_loss} after {self.positions:,} "
                "positions"
            )
        self.reports.append(report)
        if write_net is not None and not self.run.nets_every:
            write_net(self)
        self._leave(folder)
        # Whoever sees the report may rely on the checkpoint.
        progress.report(self, report)

    def watch(self, play: Callable[[int], Iterable[Match]], folder: Path) -> None:
        """Plays the matches of the nets so far. When one is played, the checkpoint in `folder` has
        those before it."""
        for _ in play(self.positions):
            self._leave(folder)

    def _leave(self, folder: Path) -> None:
        self.save(folder / checkpoint.NAME)
        picture = self.picture()
        checkpoint.write_whole(
            folder / "curves.svg", lambda path: path.write_text(picture, encoding="utf-8")
        )

    def picture(self) -> str:
        """The curves of the run so far, as SVG."""

        def curve(name: str) -> list[tuple[float, float]]:
            return [(report.positions, getattr(report, name)) for report in self.reports]

        name = (
            "loss"
            if self.run.loss.is_blended_alike
            else "loss, with the targets of the end of the run"
        )
        panels: list[tuple[str, bool, curves.Curves]] = [
            (name, True, {"training": curve("train_loss"), "validation": curve("validation_loss")}),
            ("learning rate", False, {"": curve("rate")}),
            ("share of zero blocks", False, {"": curve("zero_blocks")}),
            ("positions a second", False, {"": curve("positions_per_second")}),
        ]
        if self.matches:
            elo = [(match.positions, match.elo) for match in self.matches if match.elo is not None]
            panels.append((f"Elo against {self.run.watch.opponent}", False, {"": elo}))
        title = f"{Path(self.run.out).name}: {self.positions:,} positions"
        return curves.draw(title, panels, self.positions, self.warnings)


def _form(tensor: Tensor) -> str:
    """What a tensor must have in common with one that takes its place, for a message."""
    return f"{str(tensor.dtype).replace('torch.', '')} {list(tensor.shape)}"


def _next(batches: Iterator[Batch]) -> Batch:
    batch = next(batches, None)
    if batch is None:
        raise RunError("the data ended before the run did: it must be endless")
    return batch
