"""Files of trained networks."""

import json
from pathlib import Path

import numpy as np
import pytest
from random_batch import random_batch
from support import affine, description, small_specs, trained

from nnue_trainer import export, nnue, tensor_file

SPECS = small_specs()


def test_floats_are_the_parameters_with_the_padding_of_the_file(tmp_path: Path) -> None:
    spec = SPECS["sfnnv1"]
    network = trained(spec)
    network.write_tensors(tmp_path / "floats")
    floats = np.fromfile(tmp_path / "floats", "<f4")
    assert len(floats) == sum(tensor.values for tensor in description(spec).tensors)
    assert floats[:32].tolist() == network.transformer.biases[0].tolist()
    # Of factorised sets, the sums.
    rows = network.transformer.sets[0].coalesced()
    assert floats[32 : 32 + rows.numel()].tolist() == rows.flatten().tolist()
    assert floats[-1] == 0 or floats[-32] == affine(network, "fc_2").weights[0, 0, 0].item()


def test_what_rounding_costs_is_reported(tmp_path: Path) -> None:
    spec = SPECS["sfnnv5"]
    report = tmp_path / "report.json"
    export.write_net(trained(spec), spec, tmp_path / "net", report=report)
    said = json.loads(report.read_text())
    weights = next(tensor for tensor in said["tensors"] if tensor["name"] == "fc_0.weights")
    assert weights["clipped"] == 0 and 0 < weights["largest_error"] <= 0.5 / 64 + 1e-6


def test_specs_whose_numbers_quantise_does_not_know_have_their_own_file_written() -> None:
    own = {name for name, spec in SPECS.items() if tensor_file.needs_own_file(description(spec))}
    assert own == {
        "binary",
        "channels",
        "factorised",
        "factorised_all",
        "factorised_each",
        "scales",
    }


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
