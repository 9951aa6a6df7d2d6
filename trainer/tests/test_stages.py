"""A run in stages, on a few games."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from test_command import RUN, SPEC, TESTS, until_interrupted

from nnue_trainer import Description, Network, nnue, start
from nnue_trainer.__main__ import main
from nnue_trainer.fields import RunError
from nnue_trainer.run import read_runs
from nnue_trainer.source import FileSource

HEAD = RUN.replace("40_000", "5_120").replace("reports = 8", "reports = 2")
STAGES = f"""
[[stage]]
[[stage]]
positions = 2_560
reports = 1
data = {{ files = ["{TESTS}/games.txt.gz", "{TESTS}/games.txt.gz"] }}
loss = {{ lambda = 0.5 }}
schedule = {{ rate = 0.002 }}
"""


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(SPEC)
    path = tmp_path / "first.toml"
    path.write_text(HEAD + STAGES)
    return path


def test_what_a_stage_does_not_say_is_as_in_the_run(run_file: Path, tmp_path: Path) -> None:
    first, second = read_runs(run_file)
    assert (first.positions, first.reports, first.start) == (5120, 2, None)
    assert (second.positions, second.reports) == (2560, 1)
    assert first.out == str(tmp_path / "first/stage-1") and second.out.endswith("first/stage-2")
    assert second.start == str(tmp_path / "first/stage-1/checkpoint.safetensors")
    assert first.loss.lambda_ == (1.0, 1.0) and second.loss.lambda_ == (0.5, 0.5)
    assert (first.schedule.rate, second.schedule.rate) == (0.01, 0.002)
    assert len(first.data.files) == 1 and len(second.data.files) == 2
    assert first.data.batch_size == second.data.batch_size == 256
    assert first.seed < second.seed


@pytest.mark.parametrize(
    "text, message",
    [
        ("[[stage]]\nspec = 'x'\n", "`spec` of stage 1 is one of the whole run, before"),
        ("[[stage]]\n[[stage]]\nsteps = 3\n", "unknown key `steps` in stage 2"),
        (
            "[[stage]]\npositions = 0\n",
            "`positions` of stage 1 is 0: allowed is a whole number >= 1",
        ),
        ("[[stage]]\nloss = { lambada = 1 }\n", "unknown key `lambada` in [loss]"),
        ("[stage]\npositions = 5\n", "[[stage]] is a table: tables are expected"),
    ],
)
def test_what_is_wrong_in_a_stage_is_said(run_file: Path, text: str, message: str) -> None:
    run_file.write_text(HEAD + text)
    with pytest.raises(RunError) as error:
        read_runs(run_file)
    assert message in str(error.value)


def test_each_stage_starts_with_what_the_one_before_left(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(run_file)]) == 0
    assert "stage 1 of 2: 5,120 positions" in capsys.readouterr().err
    folder = tmp_path / "first"
    first, second = folder / "stage-1", folder / "stage-2"
    # The first net of the second stage is the last of the first, as the numbers are.
    assert (second / "nets/000000000000.nnue").read_bytes() == (first / "network.nnue").read_bytes()
    assert (folder / "network.nnue").read_bytes() == (second / "network.nnue").read_bytes()
    assert (folder / "network.nnue").read_bytes() != (first / "network.nnue").read_bytes()
    nnue.run(
        "verify",
        folder / "network.nnue",
        "--spec",
        tmp_path / "net.toml",
        "--golden",
        folder / "golden.txt",
    )
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["positions"] == 7680
    assert [stage["positions"] for stage in summary["stages"]] == [5120, 2560]
    assert [stage["strength"] for stage in summary["stages"]] == [[], []]

    # A second stage that has left nothing begins, and the first is not trained again.
    shutil.rmtree(second)
    wanted = (folder / "network.nnue").read_bytes()
    before = (first / "checkpoint.safetensors").read_bytes()
    (folder / "network.nnue").unlink()
    assert main([str(run_file)]) == 0
    assert (folder / "network.nnue").read_bytes() == wanted
    assert (first / "checkpoint.safetensors").read_bytes() == before

    # With another first stage, the second's checkpoint is of another run.
    run_file.write_text((HEAD + STAGES).replace("rate = 0.01", "rate = 0.02", 1))
    shutil.rmtree(first)
    assert main([str(run_file)]) == 1
    assert "is of another run, with" in capsys.readouterr().err


def interrupted(run_file: Path, stage: int, batches: int, *options: str) -> None:
    """The command, which Ctrl-C ends after so many batches of a stage."""
    whole_data = FileSource.training
    with pytest.MonkeyPatch.context() as patch:

        def data(source: FileSource, *given: Any) -> Any:
            batches_of_stage = whole_data(source, *given)
            if Path(source.run.out).name != f"stage-{stage}":
                return batches_of_stage
            return until_interrupted(batches_of_stage, batches)

        patch.setattr(FileSource, "training", data)
        assert main([str(run_file), *options]) == 130


def test_an_interrupted_second_stage_goes_on(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_file.write_text(HEAD + STAGES.replace("reports = 1", "reports = 2"))
    assert main([str(run_file)]) == 0
    folder = tmp_path / "first"
    names = ("network.nnue", "network.floats", "golden.txt")
    wanted = [(folder / name).read_bytes() for name in names]
    shutil.rmtree(folder)
    interrupted(run_file, 2, 7)
    assert not (folder / "network.nnue").exists()
    before = (folder / "stage-1/checkpoint.safetensors").read_bytes()
    capsys.readouterr()
    assert main([str(run_file)]) == 0
    said = capsys.readouterr().err
    assert "going on from 5,120 positions" in said and "going on from 1,280 positions" in said
    assert [(folder / name).read_bytes() for name in names] == wanted
    assert (folder / "stage-1/checkpoint.safetensors").read_bytes() == before


def test_all_stages_begin_anew(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(run_file)]) == 0
    net = tmp_path / "first/network.nnue"
    wanted = net.read_bytes()
    net.unlink()
    interrupted(run_file, 1, 15, "--restart")
    capsys.readouterr()
    assert main([str(run_file)]) == 0
    # Steps of 256: the first of two reports was after 2,560.
    assert capsys.readouterr().err.count("going on from 2,560 positions") == 1
    assert net.read_bytes() == wanted


def test_a_run_starts_with_a_net_and_keeps_nets_as_often_as_it_says(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_file.write_text(HEAD)
    assert main([str(run_file)]) == 0
    net = tmp_path / "start.nnue"
    shutil.copyfile(tmp_path / "first/network.nnue", net)
    second = tmp_path / "second.toml"
    second.write_text('start = "start.nnue"\nnets_every = 1_000\n' + HEAD)
    assert main([str(second)]) == 0
    nets = sorted((tmp_path / "second/nets").iterdir())
    # Steps are of 256 positions: nets are of the first step that has completed the number.
    names = [0, 1024, 2048, 3072, 4096, 5120]
    assert [int(each.stem) for each in nets] == names
    assert nets[0].read_bytes() == net.read_bytes() != nets[-1].read_bytes()
    network = Network(Description.of_spec(tmp_path / "net.toml"))
    start.load(network, nets[-1])

    second.write_text('start = "none.nnue"\n' + HEAD)
    assert main([str(second)]) == 1
    assert "none.nnue` to start with" in capsys.readouterr().err
