"""Optimisers of `torch.optim`, and lookahead, which torch has not."""

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Callable, Optional

import torch
from torch import Tensor, nn

from nnue_trainer.fields import RunError, choice, number


@dataclass(frozen=True)
class Optimiser:
    """The table `[optimiser]` of a run file.

    `ranger` is `radam` with lookahead: every 6 steps, unless `lookahead` says otherwise.
    """

    name: str = choice("adamw", "radam", "nadam", "ranger")
    beta1: float = number(0.9, low=0, below=1)
    beta2: float = number(0.999, low=0, below=1)
    epsilon: float = number(1e-8, above=0)
    weight_decay: float = number(0.0, low=0)
    """The part of each weight that a step with a rate of 1 would take away."""
    lookahead: Optional[int] = number(None, low=0, whole=True)
    """After how many steps the slow weights follow; 0 is never."""
    lookahead_share: float = number(0.5, above=0, high=1)
    """How much of the way the slow weights go."""

    def over(self, network: nn.Module, rate: float) -> torch.optim.Optimizer:
        """An optimiser of the network's parameters.

        Raises `RunError` if this torch has not what is asked for.
        """
        kinds: dict[str, Callable[..., torch.optim.Optimizer]] = {
            "adamw": torch.optim.AdamW,
            "nadam": torch.optim.NAdam,
        }
        kind = kinds.get(self.name, torch.optim.RAdam)
        options: dict[str, Any] = {
            "lr": rate,
            "betas": (self.beta1, self.beta2),
            "eps": self.epsilon,
            "weight_decay": self.weight_decay,
        }
        if self.name != "adamw":
            if "decoupled_weight_decay" in inspect.signature(kind).parameters:
                options["decoupled_weight_decay"] = True
            elif self.weight_decay > 0:
                raise RunError(
                    f"`weight_decay` of [optimiser] is {self.weight_decay}: `{self.name}` needs a "
                    f"newer torch than {torch.__version__} for it, whose decay is "
                    "not apart from the gradients"
                )
        return kind(network.parameters(), **options)

    def lookahead_over(self, network: nn.Module) -> "Lookahead":
        """The slow weights of the network's parameters; the same as the fast ones without
        lookahead."""
        every = self.lookahead
        if every is None:
            every = 6 if self.name == "ranger" else 0
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
