"""Files of trained networks."""

from pathlib import Path

import numpy as np
import pytest
import torch
from random_batch import random_batch
from support import affine, description, small_specs, trained

from nnue_trainer import export, nnue, tensor_file
from nnue_trainer.grid import Grid

SPECS = small_specs()

NOT_BY_QUANTISE = {
    "binary",
    "channels",
    "factorised",
    "factorised_all",
    "factorised_each",
    "scales",
}
"""Of these, the floats do not say what 1.0 is, or the file has the parts of sums."""


def test_floats_are_the_parameters_with_the_padding_of_the_file(tmp_path: Path) -> None:
    spec = SPECS["sfnnv1"]
    network = trained(spec)
    network.write_floats(tmp_path / "floats")
    floats = np.fromfile(tmp_path / "floats", "<f4")
    assert len(floats) == sum(tensor.values for tensor in description(spec).tensors)
    assert floats[:32].tolist() == network.transformer.biases[0].tolist()
    # Of factorised sets, the sums.
    rows = network.transformer.sets[0].coalesced()
    assert floats[32 : 32 + rows.numel()].tolist() == rows.flatten().tolist()
    assert floats[-1] == 0 or floats[-32] == affine(network, "fc_2").weights[0, 0, 0].item()


@pytest.mark.parametrize("name", SPECS)
def test_quantise_makes_the_same_file_of_the_floats(name: str, tmp_path: Path) -> None:
    spec, network = SPECS[name], trained(SPECS[name])
    floats, net, quantised = (tmp_path / each for each in ("floats", "net", "quantised"))
    network.write_floats(floats)
    network.write_net(net)
    try:
        nnue.run("quantise", floats, quantised, "--spec", spec)
    except nnue.CommandFailed:
        assert name in NOT_BY_QUANTISE
    else:
        assert quantised.read_bytes() == net.read_bytes()


def test_quotients_in_files_are_those_that_the_network_has() -> None:
    grid = Grid(1.0, None, divisor=(4.0, (-128, 127)))
    # Halves too, and numbers beyond the ends of the type.
    numbers = torch.arange(-300, 300, dtype=torch.float32) / 8
    integers = grid.integers(numbers)
    assert integers.tolist() == integers.round().tolist()
    assert (float(integers.min()), float(integers.max())) == (-128, 127)
    assert torch.equal(integers / 4, grid.exact(numbers))


def test_golden_vectors_need_as_many_positions_as_fens(tmp_path: Path) -> None:
    spec = SPECS["bullet_simple"]
    batch = random_batch(description(spec), 3)
    network = trained(spec)
    with pytest.raises(ValueError, match="found 3 positions in the batches and 2 FENs"):
        export.write_golden(network, ["a", "b"], [batch], tmp_path / "golden")
    assert network.mode == "float"


def test_compressed_numbers_have_their_shortest_form() -> None:
    numbers = np.array([0, 1, -1, 63, 64, -64, -65, 8191, 8192, -32768, 2**31 - 1, -(2**31)])
    packed = tensor_file._leb128(numbers)
    found, position, lens = [], 0, []
    while position < len(packed):
        value, shift, begin = 0, 0, position
        while True:
            byte = packed[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        found.append(value - (1 << shift) if byte & 0x40 else value)
        lens.append(position - begin)
    assert found == numbers.tolist()
    assert lens == [1, 1, 1, 1, 2, 1, 2, 2, 3, 3, 5, 5]


def test_a_missing_program_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NNUE", str(tmp_path / "nnue"))
    with pytest.raises(FileNotFoundError, match="names no program"):
        nnue.find()


def test_the_command_says_why_it_failed(tmp_path: Path) -> None:
    with pytest.raises(nnue.CommandFailed, match="no such spec"):
        nnue.run("describe", tmp_path / "no such spec")
