"""Muon: matrices take steps whose directions are orthogonal (Keller Jordan and others, 2024)."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

ITERATIONS = 5
QUINTIC = (3.4445, -4.7750, 2.0315)
"""The coefficients of the published iteration: they bring singular values near 1 the fastest."""
ROOT_MEAN_SQUARE = 0.2
"""How large steps are compared with the rate, as those of Adam usually are ("Muon is Scalable for
LLM Training", 2025): so matrices and all other weights can share a rate."""


class Muon(torch.optim.Optimizer):
    """Muon of `matrices`, each `[..., outputs, inputs]`, and AdamW of all `others`."""

    def __init__(
        self,
        matrices: Sequence[Tensor],
        others: Sequence[Tensor],
        lr: float,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
        momentum: float,
    ) -> None:
        self.betas, self.eps, self.momentum = betas, eps, momentum
        groups = [
            {"params": list(matrices), "is_orthogonal": True},
            {"params": list(others), "is_orthogonal": False},
        ]
        super().__init__(groups, {"lr": lr, "weight_decay": weight_decay})

    # Later versions of torch say more of the type of `closure`.
    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override,unused-ignore]
        """Makes a step; `closure` is there because other optimisers have it, and is not called."""
        for group in self.param_groups:
            rate = group["lr"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                state.setdefault("step", torch.zeros(()))
                state["step"] += 1
                parameter.mul_(1 - rate * group["weight_decay"])
                direction = self._orthogonal if group["is_orthogonal"] else self._of_adam
                parameter.add_(direction(parameter.grad, state), alpha=-rate)

    def _orthogonal(self, gradient: Tensor, state: dict[str, Any]) -> Tensor:
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(gradient)
        momentum = state["momentum"]
        momentum.lerp_(gradient, 1 - self.momentum)
        outputs, inputs = gradient.shape[-2:]
        size = ROOT_MEAN_SQUARE * math.sqrt(max(outputs, inputs))
        direction: Tensor = orthogonalised(gradient.lerp(momentum, self.momentum)) * size
        return direction

    def _of_adam(self, gradient: Tensor, state: dict[str, Any]) -> Tensor:
        for name in ("exp_avg", "exp_avg_sq"):
            if name not in state:
                state[name] = torch.zeros_like(gradient)
        (beta1, beta2), steps = self.betas, float(state["step"])
        state["exp_avg"].lerp_(gradient, 1 - beta1)
        state["exp_avg_sq"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = (state["exp_avg_sq"] / (1 - beta2**steps)).sqrt_().add_(self.eps)
        direction: Tensor = state["exp_avg"] / root / (1 - beta1**steps)
        return direction


def orthogonalised(matrices: Tensor) -> Tensor:
    """`[..., outputs, inputs]`: matrices with the same singular vectors, and singular values near 1
    (0.7 to 1.2), by an iteration of Newton and Schulz. Zeros stay zeros."""
    a, b, c = QUINTIC
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.transpose(-2, -1) if is_tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(ITERATIONS):
        gram = x @ x.transpose(-2, -1)
        x = a * x + (b * gram + c * gram @ gram) @ x
    result: Tensor = x.transpose(-2, -1) if is_tall else x
    return result
