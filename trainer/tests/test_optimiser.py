import inspect

import pytest
import torch

from nnue_trainer.fields import RunError
from nnue_trainer.optimiser import Lookahead, Optimiser


def network() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


def learn(optimiser: Optimiser, steps: int = 200) -> float:
    """The loss of a linear network after some steps."""
    module = network()
    inner, lookahead = optimiser.over(module, 0.05), optimiser.lookahead_over(module)
    inputs = torch.rand(50, 3)
    wanted = inputs @ torch.tensor([[1.0], [-1.0], [0.5]])
    for _ in range(steps):
        inner.zero_grad()
        loss = ((module(inputs) - wanted) ** 2).mean()
        loss.backward()
        inner.step()
        lookahead.step()
    return float(loss)


@pytest.mark.parametrize("name", ["adamw", "radam", "nadam", "ranger"])
def test_each_optimiser_learns(name: str) -> None:
    assert learn(Optimiser(name=name), steps=400) < 0.01


def test_ranger_is_radam_with_lookahead() -> None:
    assert learn(Optimiser(name="ranger"), 30) == learn(Optimiser(name="radam", lookahead=6), 30)
    assert learn(Optimiser(name="ranger"), 30) != learn(Optimiser(name="radam"), 30)
    assert learn(Optimiser(name="ranger", lookahead=0), 30) == learn(Optimiser(name="radam"), 30)


def test_lookahead_goes_back_half_of_the_way() -> None:
    weight = torch.nn.Parameter(torch.tensor([0.0]))
    lookahead = Lookahead([weight], 2, 0.5)
    seen = []
    for _ in range(4):
        with torch.no_grad():
            weight.add_(1)
        lookahead.step()
        seen.append(float(weight))
    # 1, 2 -> 1, 2, 3 -> half of the way from 1 to 3
    assert seen == [1.0, 1.0, 2.0, 2.0]


def test_a_decay_that_torch_has_not_is_refused() -> None:
    if "decoupled_weight_decay" in inspect.signature(torch.optim.RAdam).parameters:
        assert learn(Optimiser(name="radam", weight_decay=0.1)) != learn(Optimiser(name="radam"))
    else:
        with pytest.raises(RunError, match="needs a newer torch"):
            Optimiser(name="radam", weight_decay=0.1).over(network(), 0.1)
