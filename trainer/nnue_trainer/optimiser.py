"""Optimisers: those of `torch.optim` and the trainer's own, and what happens to gradients before
their steps."""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

import torch
from torch import Tensor, nn

from nnue_trainer.fields import RunError, choice, flag, number
from nnue_trainer.matrix import Matrix
from nnue_trainer.muon import Muon
from nnue_trainer.schedule_free import ScheduleFree

LOOKAHEAD = {"ranger": 6, "ranger21": 5}
"""Optimisers that have lookahead by themselves, and after how many steps."""


@dataclass(frozen=True)
class Optimiser:
    """The table `[optimiser]` of a run file.

    `ranger` is `radam` with lookahead, and `ranger21` is `adamw` with lookahead and centralised
    gradients, unless other keys say otherwise.
    """

    name: str = choice("adamw", "radam", "nadam", "ranger", "ranger21", "schedule-free", "muon")
    beta1: float = number(0.9, low=0, below=1)
    """Of `schedule-free`, how near the average gradients are computed."""
    beta2: float = number(0.999, low=0, below=1)
    epsilon: float = number(1e-8, above=0)
    momentum: float = number(0.95, low=0, below=1)
    """What `muon` keeps of the direction of its matrices at each step."""
    weight_decay: float = number(0.0, low=0)
    """The part of each weight that a step with a rate of 1 would take away."""
    centralise: Optional[bool] = flag(None)
    """Whether the gradient of each neuron of a layer gets a mean of 0; by default only of
    `ranger21`."""
    clip_norm: float = number(0.0, low=0)
    """The longest that all gradients together may be; 0 is any length."""
    clip_value: float = number(0.0, low=0)
    """How far each gradient may be from 0; 0 is any distance."""
    lookahead: Optional[int] = number(None, low=0, whole=True)
    """After how many steps the slow weights follow; 0 is never."""
    lookahead_share: float = number(0.5, above=0, high=1)
    """How much of the way the slow weights go."""

    @property
    def is_schedule_free(self) -> bool:
        """Whether the optimiser itself makes the average that is exported."""
        return self.name == "schedule-free"

    def over(
        self, network: nn.Module, rate: float, matrices: Sequence[Matrix] = ()
    ) -> torch.optim.Optimizer:
        """An optimiser of the network's parameters, of which `matrices` are those of its layers.

        Raises `RunError` if this torch has not what is asked for, or the network no such layer.
        """
        if self.name == "muon":
            return self._muon(network, rate, matrices)
        kinds: dict[str, Callable[..., torch.optim.Optimizer]] = {
            "radam": torch.optim.RAdam,
            "ranger": torch.optim.RAdam,
            "nadam": torch.optim.NAdam,
        }
        kind = kinds.get(self.name, torch.optim.AdamW)
        options: dict[str, Any] = {
            "lr": rate,
            # The way to the average takes the place of momentum.
            "betas": (0.0 if self.is_schedule_free else self.beta1, self.beta2),
            "eps": self.epsilon,
            "weight_decay": self.weight_decay,
        }
        if kind is not torch.optim.AdamW:
            if "decoupled_weight_decay" in inspect.signature(kind).parameters:
                options["decoupled_weight_decay"] = True
            elif self.weight_decay > 0:
                raise RunError(
                    f"`weight_decay` of [optimiser] is {self.weight_decay}: `{self.name}` needs a "
                    f"newer torch than {torch.__version__} for it, whose decay is "
                    "not apart from the gradients"
                )
        return kind(network.parameters(), **options)

    def _muon(
        self, network: nn.Module, rate: float, matrices: Sequence[Matrix]
    ) -> torch.optim.Optimizer:
        wide = [matrix.weights for matrix in matrices if matrix.has_directions]
        if not wide:
            raise RunError(
                "`name` of [optimiser] is 'muon', which is for layers with several inputs and "
                "outputs that all see the same inputs: this network has none behind its transformer"
            )
        chosen = {id(matrix) for matrix in wide}
        others = [each for each in network.parameters() if id(each) not in chosen]
        return Muon(
            wide,
            others,
            lr=rate,
            betas=(self.beta1, self.beta2),
            eps=self.epsilon,
            weight_decay=self.weight_decay,
            momentum=self.momentum,
        )

    def schedule_free_over(self, network: nn.Module, average: nn.Module) -> Optional[ScheduleFree]:
        """What `schedule-free` keeps beside the network, whose `average` it makes; of all others,
        nothing."""
        if not self.is_schedule_free:
            return None
        return ScheduleFree(network.parameters(), average.parameters(), self.beta1)

    @torch.no_grad()
    def prepare(self, network: nn.Module, matrices: Iterable[Matrix]) -> None:
        """Centralises and clips the gradients of the network, as the keys say."""
        centralise = self.name == "ranger21" if self.centralise is None else self.centralise
        if centralise:
            for matrix in matrices:
                matrix.centralise()
        if self.clip_value > 0:
            nn.utils.clip_grad_value_(network.parameters(), self.clip_value)
        if self.clip_norm > 0:
            nn.utils.clip_grad_norm_(network.parameters(), self.clip_norm)

    def lookahead_over(self, network: nn.Module) -> "Lookahead":
        """The slow weights of the network's parameters; the same as the fast ones without
        lookahead."""
        every = self.lookahead
        if every is None:
            every = LOOKAHEAD.get(self.name, 0)
        return Lookahead(network.parameters() if every else (), every, self.lookahead_share)


class Lookahead:
    """Slow weights, which follow those that an optimiser changes, and to which these return.

    Every `every` steps the slow weights go `share` of the way to the fast ones, and the fast ones
    continue from there ("Lookahead Optimizer: k steps forward, 1 step back", Zhang and others,
    2019).
    """

    def __init__(self, parameters: Iterable[Tensor], every: int, share: float) -> None:
        self.fast = list(parameters)
        self.every, self.share = every, share
        self.steps = 0
        self.slow = [parameter.detach().clone() for parameter in self.fast]

    @torch.no_grad()
    def step(self) -> None:
        """Follows a step of the optimiser."""
        self.steps += 1
        if self.every and self.steps % self.every == 0:
            for slow, fast in zip(self.slow, self.fast):
                slow.lerp_(fast, self.share)
                fast.copy_(slow)

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` takes."""
        return {"steps": self.steps, "slow": self.slow}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from what `state_dict` gave."""
        self.steps = state["steps"]
        for slow, saved in zip(self.slow, state["slow"]):
            slow.copy_(saved)
