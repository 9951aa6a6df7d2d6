from pathlib import Path
from typing import Literal

import pytest
import torch
from support import REPOSITORY_SPECS, description, small_specs

from nnue_trainer import Network
from nnue_trainer.fields import RunError
from nnue_trainer.muon import orthogonalised
from nnue_trainer.optimiser import Optimiser
from nnue_trainer.schema import given

SPECS = small_specs()


def test_muon_moves_matrices_in_orthogonal_directions() -> None:
    torch.manual_seed(0)
    module = torch.nn.Linear(6, 4)
    weight, bias = module.get_parameter("weight"), module.get_parameter("bias")
    before, rate = weight.detach().clone(), 0.01
    optimiser = Optimiser(name="muon").over(module, rate, [weight])
    module(torch.rand(5, 6)).square().sum().backward()
    optimiser.step()
    # 0.2 of the rate for each weight, on average: the root of the larger side makes it so.
    step = (before - weight.detach()) / (rate * 0.2 * 6**0.5)
    values = torch.linalg.svdvals(step)
    assert values.min() > 0.6 and values.max() < 1.3
    # The gradient's own are far from each other.
    own = torch.linalg.svdvals(given(weight.grad))
    assert own.max() / own.min() > 10
    assert set(optimiser.state[weight]) == {"step", "momentum"}
    assert set(optimiser.state[bias]) == {"step", "exp_avg", "exp_avg_sq"}


@pytest.mark.parametrize("shape", [(4, 4), (3, 8, 2), (2, 16)])
def test_orthogonalised_matrices_keep_their_singular_vectors(shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    matrices = torch.randn(shape) * torch.linspace(1, 5, shape[-2])[:, None]
    found = orthogonalised(matrices)
    left, values, right = torch.linalg.svd(matrices, full_matrices=False)
    own = left.transpose(-2, -1) @ found @ right.transpose(-2, -1)
    diagonal = own.diagonal(dim1=-2, dim2=-1)
    assert values.max() / values.min() > 1.3
    assert diagonal.min() > 0.5 and diagonal.max() < 1.3
    assert (own - torch.diag_embed(diagonal)).abs().max() < 1e-4
    assert not orthogonalised(torch.zeros(shape)).any()


def test_what_muon_leaves_out_moves_as_by_adamw() -> None:
    def moved(optimiser: Optimiser) -> torch.Tensor:
        torch.manual_seed(0)
        module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
        inner = optimiser.over(module, 0.01, [module.get_parameter("1.weight")])
        for _ in range(20):
            inner.zero_grad()
            # What the matrix is worth has no part in the gradients of the first layer.
            module[0](torch.tensor([[1.0, -1.0, 0.5]])).square().sum().backward()
            inner.step()
        return module.get_parameter("0.weight").detach()

    by_muon = moved(Optimiser(name="muon", weight_decay=0.1))
    assert torch.allclose(by_muon, moved(Optimiser(weight_decay=0.1)), atol=1e-6)


@pytest.mark.parametrize("name", ["adamw", "muon"])
def test_each_optimiser_learns(name: Literal["adamw", "muon"]) -> None:
    torch.manual_seed(0)
    module = torch.nn.Linear(3, 2)
    optimiser = Optimiser(name=name).over(module, 0.05, [module.get_parameter("weight")])
    inputs = torch.rand(50, 3)
    wanted = inputs @ torch.tensor([[1.0, 0.2], [-1.0, 0.3], [0.5, -0.7]])
    for _ in range(400):
        optimiser.zero_grad()
        loss = (module(inputs) - wanted).square().mean()
        loss.backward()
        optimiser.step()
    assert float(loss.detach()) < 0.01


def test_only_layers_whose_outputs_see_the_same_inputs_are_for_muon() -> None:
    def matrices(spec: Path) -> list[tuple[int, ...]]:
        return [tuple(matrix.shape) for matrix in Network(description(spec)).matrices()]

    tests = REPOSITORY_SPECS.parent / "tests/specs/layers"
    assert matrices(SPECS["sfnnv5"]) == [(8, 16, 64), (8, 32, 30)]
    assert matrices(tests / "shards.toml") == []
    assert matrices(SPECS["factorised_all"]) == []
    with pytest.raises(RunError, match="this network has none behind its transformer"):
        Optimiser(name="muon").over(Network(description(SPECS["bullet_simple"])), 0.01)
