"""A network of a spec as a PyTorch module."""

import torch
from torch import nn

from . import initial, output
from .arithmetic import ARITHMETIC
from .layers import KINDS, Affine, Stacks
from .transformer import Transformer

BLOCK = 4
"""Outputs of the transformer that engines skip together if all of them are zero."""


class Network(nn.Module):
    """Any network of the language, in three modes: see `trainer/README.md`."""

    def __init__(self, description, mode="float", seed=0, factorise=True):
        """Raises `ValueError` if the description has an operation that is not known."""
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.description = description
        self.mode = mode
        self.observe = False
        self.statistics = {}
        self.activation_mean = None
        self.transformer = Transformer(description, factorise, generator)
        self.layers = nn.ModuleDict()
        for layer in description.layers:
            kind = KINDS.get(layer.operation.kind)
            if kind is None:
                raise ValueError(
                    f"found the operation `{layer.operation.kind}` in `{layer.name}`, which is not known"
                )
            self.layers[layer.name] = kind(description, layer, generator)
        for name in {term.layer for head in description.output.heads for term in head.terms}:
            if isinstance(self.layers[name], Affine):
                initial.of_output(self.layers[name], self.units_one)
        self.clip()

    @property
    def mode(self):
        """`float`, `fake` or `exact`."""
        return self._mode

    @mode.setter
    def mode(self, mode):
        if mode not in ARITHMETIC:
            raise ValueError(f"found the mode `{mode}`, allowed are {', '.join(ARITHMETIC)}")
        self._mode = mode

    @property
    def units_one(self):
        """What 1.0 is in the engine's units."""
        return output.units_one(self.description.output)

    def forward(self, batch):
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

    def outputs(self, batch):
        """`[n, 1]`, or `[n, 3]` for win, draw and loss: the network's own values."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.mode != "exact"):
            return self._outputs(batch)

    def win_draw_loss(self, batch):
        """`[n, 3]`: the outputs of win, draw and loss, in units of 1.0.

        Raises `ValueError` if the network has one output.
        """
        values = self.outputs(batch)
        if values.shape[1] != 3:
            raise ValueError(f"`{self.description.name}` has one output, not win, draw and loss")
        return values / self.units_one

    def _expected_score(self, values):
        floats = values if values.is_floating_point() else values.double()
        win, draw, _ = (floats / self.units_one).softmax(dim=1).unbind(dim=1)
        return win + draw / 2

    def _outputs(self, batch):
        arithmetic = ARITHMETIC[self.mode]
        values, psqt = self.transformer(batch, arithmetic)
        if self.observe:
            self._look_at(values["transformer"])
        stacks = Stacks(batch.stack, self.description.buckets.count)
        values = {name: tensor[stacks.order] for name, tensor in values.items()}
        psqt = None if psqt is None else psqt[stacks.order]
        for layer in self.description.layers:
            inputs = [
                values[slice.source][:, slice.start : slice.start + slice.len] for slice in layer.inputs
            ]
            values[layer.name] = self.layers[layer.name](inputs, arithmetic, stacks)
        evaluated = output.evaluate(self.description.output, values, psqt, arithmetic)
        return evaluated[stacks.order.argsort()]

    def _look_at(self, activations):
        """Statistics of the transformer's output."""
        one = max(self.description.transformer.output.ones)
        self.activation_mean = activations.abs().to(self.transformer.biases.dtype).mean() / one
        whole = activations.shape[1] // BLOCK * BLOCK
        blocks = activations.detach()[:, :whole].unflatten(1, (-1, BLOCK))
        zero = (blocks == 0).all(dim=2)
        self.statistics = {
            "zero_blocks": float(zero.float().mean()) if zero.numel() else 0.0,
            "activation_mean": float(self.activation_mean),
        }

    @torch.no_grad()
    def clip(self):
        """Brings all parameters to the nearest numbers whose integers their types hold, and that
        keep the sums within theirs."""
        self.transformer.clip()
        for layer in self.layers.values():
            if hasattr(layer, "clip"):
                layer.clip()

    def write_tensors(self, path):
        """The file of floating point that `nnue quantise IN OUT --spec SPEC` reads."""
        from .tensor_file import write

        write(self, path)
