"""The mode `exact` computes the integers of the interpreter and of the generated code, and `fake`
in 64 bits computes those of `exact`.

With NNUE_POSITIONS the tests take that many positions, from the file that NNUE_GAMES names if there
are more than in the one beside the tests, and compile each network rather than a single one.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from support import (
    batches,
    exact,
    interpreted,
    positions,
    small_specs,
    trained,
    write_net,
)

from nnue_trainer import Batch, export, nnue

SPECS = small_specs()

COMPILED = "bullet_simple"
"""The network whose code is compiled in any case; it takes less than a minute."""


@pytest.fixture(scope="module", params=SPECS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Case":
    return Case(SPECS[request.param], tmp_path_factory.mktemp(request.param))


class Case:
    """A network, its net file and its positions."""

    def __init__(self, spec: Path, folder: Path) -> None:
        self.spec, self.folder = spec, folder
        self.network = trained(spec)
        self.net = write_net(self.network, folder)
        self.fens = positions()
        self.values = exact(self.network, self.batches())

    def batches(self) -> Iterator[Batch]:
        return batches(self.spec, self.fens, self.folder)


def test_exact_is_what_the_interpreter_computes(case: Case) -> None:
    assert case.values == interpreted(case.net, case.spec, case.fens, case.folder)
    # Other positions have other values, or nothing would be compared. Binary nets have few.
    assert len(set(case.values)) > 15


def test_fake_in_64_bits_is_exact(case: Case) -> None:
    network = trained(case.spec).double()
    network.mode = "fake"
    with torch.no_grad():
        found = [
            value for batch in case.batches() for value in network.outputs(batch)[:, 0].tolist()
        ]
    assert found == case.values


def test_exact_is_what_the_generated_code_computes(case: Case) -> None:
    if case.spec != SPECS[COMPILED] and "NNUE_POSITIONS" not in os.environ:
        pytest.skip(
            "GENERATED CODE IS NOT COMPARED: compiling takes minutes; set NNUE_POSITIONS to do it"
        )
    golden = case.folder / "golden-of-code.txt"
    export.write_golden(case.network, case.fens, case.batches(), golden)
    options = ["--golden", golden, "--compile", "--runtime", nnue.REPOSITORY]
    nnue.run("verify", case.net, "--spec", case.spec, *options)
