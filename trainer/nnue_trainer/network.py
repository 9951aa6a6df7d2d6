"""A network of a spec as a PyTorch module."""

import os
from collections.abc import ValuesView
from typing import cast

import torch
from torch import Tensor, nn

from . import initial, output, sparse
from .arithmetic import ARITHMETIC
from .batch import Batch
from .description import Description
from .layers import KINDS, Affine, Layer
from .stacks import Stacks
from .transformer import Transformer

BLOCK = 4
"""Outputs of the transformer that engines skip together if all of them are zero."""


class Layers(nn.ModuleDict):
    """The layers of a network by their names."""

    def __getitem__(self, name: str) -> Layer:
        return cast(Layer, super().__getitem__(name))

    def values(self) -> ValuesView[Layer]:
        """The layers in their order."""
        return cast(ValuesView[Layer], super().values())


class Network(nn.Module):
    """Any network of the language, in three modes: see `trainer/README.md`."""

    def __init__(
        self, description: Description, mode: str = "float", seed: int = 0, factorise: bool = True
    ) -> None:
        """Raises `ValueError` if the description has an activation that is not known."""
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.description = description
        self.mode = mode
        self.observe = False
        self.activation_mean: Tensor | None = None
        self._observed: dict[str, Tensor] = {}
        self._active = torch.zeros(0, dtype=torch.bool)
        self.transformer = Transformer(description, factorise, generator)
        self.layers = Layers()
        for layer in description.layers:
            kind = KINDS[type(layer.operation)]
            self.layers[layer.name] = kind(description, layer, layer.operation, generator)
        for name in {term.layer for head in description.output.heads for term in head.terms}:
            last = self.layers[name]
            if isinstance(last, Affine):
                initial.of_output(last, self.units_one)
        self.clip()

    @property
    def mode(self) -> str:
        """`float`, `fake` or `exact`."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        if mode not in ARITHMETIC:
            raise ValueError(f"found the mode `{mode}`, allowed are {', '.join(ARITHMETIC)}")
        self._mode = mode

    @property
    def units_one(self) -> float:
        """What 1.0 is in the engine's units."""
        return output.units_one(self.description.output)

    @property
    def statistics(self) -> dict[str, float]:
        """What `observe` has seen in the last pass. To ask for it waits for the device."""
        return {name: float(value) for name, value in self._observed.items()}

    @property
    def active(self) -> Tensor:
        """`[values]`: which outputs of the transformer were not 0 in some position of the last pass
        that `observe` has seen."""
        return self._active

    @torch.no_grad()
    def saturated(self) -> dict[str, float]:
        """By tensors, the shares of numbers whose integers are the ends of their types."""
        shares = {
            f"rows of {own.features.name}": own.grid.saturated(own.coalesced())
            for own in self.transformer.sets
        }
        for name, layer in self.layers.items():
            if isinstance(layer, Affine):
                shares[f"weights of {name}"] = layer.weight_grid.saturated(layer.numbers()[0])
        return {name: share for name, share in shares.items() if share is not None}

    def prepared(self, batch: Batch, device: torch.device) -> Batch:
        """The same positions, with what a step on a device needs to know of them beforehand. It
        may be asked for in another thread, and `batch` is on the CPU."""
        batch.lens = batch.stack.bincount(minlength=self.description.buckets.count).tolist()
        if device.type == "cuda":
            return batch.pinned()
        if device.type == "cpu":
            for own, rows in zip(self.transformer.sets, batch.sets):
                # Of separate weights, rows depend on the colour.
                if own.copies == 1:
                    sparse.prepare(rows, own.features.rows)
        return batch

    def forward(self, batch: Batch) -> Tensor:
        """`[n]`: values in the engine's units, from the side to move's view.

        Of win, draw and loss it is the value whose sigmoid is the expected score, in which 1.0 is
        `units_one`. White-first networks evaluate for white, so that black's values are negated.
        """
        values = self.outputs(batch)
        if values.shape[1] == 1:
            values = values[:, 0]
        else:
            score = self._expected_score(values)
            values = self.units_one * torch.logit(score, eps=1e-6)
        if self.description.transformer.perspectives.order != "white-first":
            return values
        return torch.where(batch.white, values, -values)

    def outputs(self, batch: Batch) -> Tensor:
        """`[n, 1]`, or `[n, 3]` for win, draw and loss: the network's own values, in the engine's
        units."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.mode != "exact"):
            return self._outputs(batch)

    def win_draw_loss(self, batch: Batch) -> Tensor:
        """`[n, 3]`: the outputs of win, draw and loss, in units of 1.0.

        Raises `ValueError` if the network has one output.
        """
        values = self.outputs(batch)
        if values.shape[1] != 3:
            raise ValueError(f"`{self.description.name}` has one output, not win, draw and loss")
        return values / self.units_one

    def _expected_score(self, values: Tensor) -> Tensor:
        floats = values if values.is_floating_point() else values.double()
        win, draw, _ = (floats / self.units_one).softmax(dim=1).unbind(dim=1)
        return win + draw / 2

    def _outputs(self, batch: Batch) -> Tensor:
        arithmetic = ARITHMETIC[self.mode]
        values, psqt = self.transformer(batch, arithmetic)
        if self.observe:
            self._look_at(values["transformer"])
        stacks = Stacks(batch.stack, self.description.buckets.count, batch.lens)
        values = {name: stacks.in_order(tensor) for name, tensor in values.items()}
        psqt = None if psqt is None else stacks.in_order(psqt)
        for layer in self.description.layers:
            inputs = [
                values[part.source][:, part.start : part.start + part.len] for part in layer.inputs
            ]
            values[layer.name] = self.layers[layer.name](inputs, arithmetic, stacks)
        evaluated = output.evaluate(self.description.output, values, psqt, arithmetic)
        return stacks.as_they_came(evaluated)

    def _look_at(self, activations: Tensor) -> None:
        """Statistics of the transformer's output `[n, values]`."""
        one = max(self.description.transformer.output.ones)
        self.activation_mean = activations.abs().to(self.transformer.biases.dtype).mean() / one
        self._active = (activations != 0).any(dim=0)
        whole = activations.shape[1] // BLOCK * BLOCK
        blocks = activations.detach()[:, :whole].unflatten(1, (-1, BLOCK))
        zero = (blocks == 0).all(dim=2)
        self._observed = {
            "zero_blocks": zero.float().mean() if zero.numel() else torch.zeros(()),
            "activation_mean": self.activation_mean.detach(),
        }

    @torch.no_grad()
    def clip(self) -> None:
        """Brings all parameters to the nearest numbers whose integers their types hold, and that
        keep the sums within theirs."""
        self.transformer.clip()
        for layer in self.layers.values():
            layer.clip()

    def matrices(self) -> list[nn.Parameter]:
        """The weights of the layers behind the transformer that Muon can train."""
        return [matrix for layer in self.layers.values() for matrix in layer.matrices()]

    def write_net(self, path: str | os.PathLike[str]) -> None:
        """Writes the net file, as the spec says.

        Raises `ValueError` if the file has numbers that the network does not use.
        """
        from .tensor_file import write_net

        write_net(self, path)

    def write_floats(self, path: str | os.PathLike[str]) -> None:
        """Writes the file of floating point that `nnue quantise IN OUT --spec SPEC` reads."""
        from .tensor_file import write_floats

        write_floats(self, path)
