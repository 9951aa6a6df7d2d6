import copy
import inspect

import pytest
import torch
from support import REPOSITORY_SPECS, description

from nnue_trainer import Network
from nnue_trainer.fields import RunError
from nnue_trainer.matrix import Matrix
from nnue_trainer.muon import orthogonalised
from nnue_trainer.optimiser import Lookahead, Optimiser
from nnue_trainer.schema import given


def network() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


def learn(optimiser: Optimiser, steps: int = 200) -> float:
    """The loss of a linear network after some steps."""
    module = network()
    inner, lookahead = optimiser.over(module, 0.05), optimiser.lookahead_over(module)
    average = copy.deepcopy(module)
    schedule_free = optimiser.schedule_free_over(module, average)
    matrices = [Matrix(module.get_parameter("weight"))]
    inputs = torch.rand(50, 3)
    wanted = inputs @ torch.tensor([[1.0], [-1.0], [0.5]])
    for _ in range(steps):
        inner.zero_grad()
        loss = ((module(inputs) - wanted) ** 2).mean()
        loss.backward()
        optimiser.prepare(module, matrices)
        if schedule_free is not None:
            schedule_free.begin()
        inner.step()
        lookahead.step()
        if schedule_free is not None:
            schedule_free.end(0.05)
    if schedule_free is not None:
        # It is worth something, and the network whose gradients are computed is not.
        loss = ((average(inputs) - wanted) ** 2).mean()
    return float(loss)


@pytest.mark.parametrize("name", ["adamw", "radam", "nadam", "ranger", "schedule-free"])
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


def test_ranger21_is_adamw_with_lookahead_and_centralised_gradients() -> None:
    by_name = learn(Optimiser(name="ranger21"), 30)
    assert by_name == learn(Optimiser(lookahead=5, centralise=True), 30)
    assert by_name != learn(Optimiser(name="ranger21", centralise=False), 30)
    assert by_name != learn(Optimiser(name="ranger21", lookahead=0), 30)


def test_centralised_gradients_have_a_mean_of_zero() -> None:
    module = network()
    module(torch.tensor([[1.0, 2.0, 6.0]])).sum().backward()
    weight, bias = module.get_parameter("weight"), module.get_parameter("bias")
    Optimiser(name="ranger21").prepare(module, [Matrix(weight)])
    assert given(weight.grad).tolist() == [[-2.0, -1.0, 3.0]] and given(bias.grad).tolist() == [1.0]


def test_a_layer_with_one_input_learns_with_centralised_gradients() -> None:
    weight = torch.nn.Parameter(torch.tensor([[1.0], [2.0]]))
    weight.grad = torch.tensor([[3.0], [-4.0]])
    Optimiser(name="ranger21").prepare(torch.nn.ParameterList([weight]), [Matrix(weight)])
    assert weight.grad.tolist() == [[3.0], [-4.0]]


def test_gradients_have_a_mean_of_zero_over_the_inputs_that_a_neuron_sees() -> None:
    weight = torch.nn.Parameter(torch.zeros(2, 3, 4))
    reached = torch.tensor([[1.0, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]])
    weight.grad = torch.tensor([1.0, 2, 4, 9]) * reached * torch.tensor([1.0, 2])[:, None, None]
    Optimiser(name="ranger21").prepare(torch.nn.ParameterList([weight]), [Matrix(weight, reached)])
    first = [[-3.0, -2.0, 0.0, 5.0], [0.0, 2.0, 0.0, 0.0], [-3.0, -2.0, 0.0, 5.0]]
    assert weight.grad[0].tolist() == first
    assert weight.grad[1].tolist() == [[2 * each for each in row] for row in first]


def test_layers_in_shards_are_not_for_muon() -> None:
    shards = REPOSITORY_SPECS.parent / "tests/specs/layers/shards.toml"
    network = Network(description(shards))
    matrices = network.matrices()
    (sharded,) = [each for each in matrices if each.reached is not None]
    assert min(sharded.weights.shape[-2:]) > 1 and not sharded.has_directions
    with pytest.raises(RunError, match="that all see the same inputs"):
        Optimiser(name="muon").over(network, 0.01, [sharded])


def test_muon_moves_matrices_in_orthogonal_directions() -> None:
    torch.manual_seed(0)
    module = torch.nn.Linear(6, 4)
    weight, bias = module.get_parameter("weight"), module.get_parameter("bias")
    before, rate = weight.detach().clone(), 0.01
    optimiser = Optimiser(name="muon").over(module, rate, [Matrix(weight)])
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
        inner = optimiser.over(module, 0.01, [Matrix(module.get_parameter("1.weight"))])
        for _ in range(20):
            inner.zero_grad()
            # What the matrix is worth has no part in the gradients of the first layer.
            module[0](torch.tensor([[1.0, -1.0, 0.5]])).square().sum().backward()
            inner.step()
        return module.get_parameter("0.weight").detach()

    by_muon = moved(Optimiser(name="muon", weight_decay=0.1))
    assert torch.allclose(by_muon, moved(Optimiser(weight_decay=0.1)), atol=1e-6)


def test_muon_needs_a_layer_with_several_outputs() -> None:
    module = network()
    with pytest.raises(RunError, match="this network has none behind its transformer"):
        Optimiser(name="muon").over(module, 0.01, [Matrix(module.get_parameter("weight"))])
