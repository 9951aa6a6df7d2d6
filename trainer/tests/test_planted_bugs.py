"""Mistakes in the model are noticed: with each of them, values differ from the interpreter's.

A comparison that no mistake fails would say nothing.
"""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from support import affine, batches, exact, interpreted, positions, small_specs, trained, write_net
from torch import Tensor

from nnue_trainer import Batch, arithmetic
from nnue_trainer.batch import Rows
from nnue_trainer.layers import Affine

Case = tuple[Path, list[Batch], list[int]]
"""A spec, its positions and their values."""

SPECS = small_specs()
COUNT = 100


@pytest.fixture(
    scope="module", params=["bullet_simple", "bullet_multi_layer", "sfnnv5", "viridithas"]
)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    spec, folder = SPECS[request.param], tmp_path_factory.mktemp(request.param)
    fens = positions()[:COUNT]
    net = write_net(trained(spec), folder)
    return spec, list(batches(spec, fens, folder)), interpreted(net, spec, fens, folder)


def test_nothing_is_noticed_without_a_bug(case: Case) -> None:
    spec, own, expected = case
    assert exact(trained(spec), own) == expected


@torch.no_grad()
def test_a_transposed_layer_is_noticed(case: Case) -> None:
    spec, own, expected = case
    network = trained(spec)
    first = next(iter(network.layers))
    weights = affine(network, first).weights
    stacks, outputs, inputs = weights.shape
    if outputs == 1:
        # Of a layer with one output, halves are what can be taken in another order.
        transposed = weights.view(stacks, 2, inputs // 2).transpose(1, 2)
    else:
        transposed = weights.transpose(1, 2)
    weights.copy_(transposed.reshape(weights.shape).clone())
    assert exact(network, own) != expected


@torch.no_grad()
@pytest.mark.parametrize("which", ["transformer", "first layer", "last layer"])
def test_a_forgotten_bias_is_noticed(case: Case, which: str) -> None:
    spec, own, expected = case
    network = trained(spec)
    layers = [layer for layer in network.layers.values() if isinstance(layer, Affine)]
    biases = [network.transformer.biases]
    biases += [layer.biases for layer in layers if layer.biases is not None]
    index = {"transformer": 0, "first layer": 1, "last layer": -1}[which]
    biases[index].zero_()
    assert exact(network, own) != expected


def test_swapped_perspectives_are_noticed(case: Case) -> None:
    spec, own, expected = case

    def swapped(batch: Batch) -> Batch:
        sets = []
        for active in batch.sets:
            begin = int(active.offsets[batch.n])
            own_offsets, others = active.offsets[: batch.n], active.offsets[batch.n :]
            rows = torch.cat([active.rows[begin:], active.rows[:begin]])
            offsets = torch.cat([others - begin, own_offsets + (len(rows) - begin)])
            sets.append(Rows(rows, offsets))
        return dataclasses.replace(batch, sets=sets)

    assert exact(trained(spec), [swapped(batch) for batch in own]) != expected


def test_rounding_instead_of_floor_is_noticed(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, own, expected = case

    class Nearest(arithmetic.Exact):
        def shift_right(self, x: Tensor, shift: int) -> Tensor:
            return self.shift_nearest(x, shift) if shift else x

        def divide(self, x: Tensor, by: Any, rounding: str) -> Tensor:
            quotient: Tensor = (x + by // 2).div(by, rounding_mode="floor")
            return quotient

    monkeypatch.setitem(arithmetic.ARITHMETIC, "exact", Nearest())
    assert exact(trained(spec), own) != expected
