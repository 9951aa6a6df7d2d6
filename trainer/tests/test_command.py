"""The whole command, on a few games."""

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from nnue_trainer import Batch, Network, nnue, schema, tensor_file
from nnue_trainer.__main__ import main
from nnue_trainer.source import FileSource
from nnue_trainer.train import Training

TESTS = Path(__file__).parent

SPEC = """
name = "(768 -> 8)x2 -> 1"
[[features]]
set = "A"
[transformer]
width = 8
one = 255
activation = "screlu"
[[layer]]
name = "l1"
op = "affine"
outputs = 1
weights = "i16"
divide = 255
one = 16320
[output]
sum = "l1"
one = 16320
scale = 400
[file]
format = "bullet"
"""

RUN = f"""
spec = "net.toml"
positions = 40_000
reports = 8
golden = 100
device = "cpu"
[data]
files = ["{TESTS}/games.txt.gz"]
hold_out = "1/3"
options = ["--buffer", "2000"]
batch_size = 256
[schedule]
rate = 0.01
"""


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(SPEC)
    path = tmp_path / "first.toml"
    path.write_text(RUN)
    return path


def test_a_run_gives_a_network_that_engines_compute_alike(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(run_file)]) == 0
    out, err = capsys.readouterr()
    folder = tmp_path / "first"
    summary = json.loads((folder / "summary.json").read_text())
    assert json.loads(out).items() <= summary.items()
    assert summary["positions"] == 40_192 and len(summary["reports"]) == 8
    assert summary["reports"][-1]["validation_loss"] < summary["reports"][0]["validation_loss"]
    assert summary["validation_loss_of_integers"] == pytest.approx(
        summary["validation_loss"], rel=1e-3
    )
    cost = summary["rounding_cost"]
    assert cost["fake"]["mean_centipawns"] < 1 < cost["float"]["mean_centipawns"] < 200
    assert cost["fake"]["mean_centipawns"] <= cost["fake"]["most_centipawns"]
    assert "validation" in err and "100.0%" in err
    assert (folder / "curves.svg").is_file() and (folder / "network.floats").is_file()

    lines = (folder / "golden.txt").read_text().splitlines()
    golden = [tuple(line.split(" | ")) for line in lines if line[0] != "#"]
    assert len(golden) == 100
    fens = tmp_path / "fens"
    fens.write_text("\n".join(fen for fen, _ in golden))
    printed = nnue.run(
        "eval",
        "--spec",
        tmp_path / "net.toml",
        "--net",
        folder / "network.nnue",
        "--fens",
        fens,
        "--json",
    )
    values = [str(json.loads(line)["value"]) for line in printed.splitlines()]
    assert values == [value for _, value in golden]


def test_each_report_leaves_a_net_and_so_does_the_start(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_file.write_text(RUN.replace("40_000", "2_560").replace("reports = 8", "reports = 2"))
    assert main([str(run_file)]) == 0
    folder = tmp_path / "first"
    nets = sorted((folder / "nets").iterdir())
    assert [net.name for net in nets] == [f"{count:012}.nnue" for count in (0, 1280, 2560)]
    assert len({net.read_bytes() for net in nets}) == 3
    assert nets[-1].read_bytes() == (folder / "network.nnue").read_bytes()


def test_nets_of_an_earlier_run_are_set_aside(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "first"

    def names(nets: str) -> list[int]:
        return sorted(int(net.stem) for net in (folder / nets).iterdir())

    short = RUN.replace("40_000", "2_560")
    run_file.write_text(short.replace("reports = 8", "reports = 2"))
    assert main([str(run_file)]) == 0
    assert main([str(run_file)]) == 0
    assert names("nets") == [0, 1280, 2560] and not (folder / "nets.old").exists()
    run_file.write_text(short.replace("reports = 8", "reports = 5"))
    assert main([str(run_file), "--restart"]) == 0
    assert names("nets") == [0, 512, 1024, 1536, 2048, 2560] and names("nets.old") == [
        0,
        1280,
        2560,
    ]
    # Without a checkpoint, the run begins at the first step too.
    (folder / "checkpoint.safetensors").unlink()
    run_file.write_text(short.replace("reports = 8", "reports = 1"))
    assert main([str(run_file)]) == 0
    assert names("nets") == [0, 2560] and names("nets.old") == [0, 512, 1024, 1536, 2048, 2560]


def test_a_net_that_is_not_what_was_trained_ends_the_run_before_the_first_step(
    run_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    correct = tensor_file.Numbers.integers

    def transposed(
        self: tensor_file.Numbers, tensor: schema.Tensor, stack: int | None
    ) -> tensor_file.Arranged:
        values, axes = correct(self, tensor, stack)
        return (values[..., ::-1] if tensor.name == "l1.weights" else values), axes

    monkeypatch.setattr(tensor_file.Numbers, "integers", transposed)
    monkeypatch.setattr(Training, "step", lambda *_: pytest.fail("a step was made"))
    assert main([str(run_file)]) == 1
    said = capsys.readouterr().err
    assert "the net after 0 positions is not what the trainer computes" in said
    assert "differences; the first are" in said and "interpreted" in said
    assert list((tmp_path / "first" / "nets").iterdir()) == []


def test_a_net_that_goes_wrong_later_ends_the_run_at_the_report(
    run_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    correct = Network.write_net

    def wrong_later(network: Network, path: Path) -> None:
        correct(network, path)
        if "000000000000" not in path.name:
            content = bytearray(path.read_bytes())
            # A bias, behind the rows of 8 words.
            content[768 * 8 * 2] ^= 64
            path.write_bytes(content)

    monkeypatch.setattr(Network, "write_net", wrong_later)
    assert main([str(run_file)]) == 1
    assert "the net after 5,120 positions is not what" in capsys.readouterr().err
    folder = tmp_path / "first"
    assert [net.name for net in (folder / "nets").iterdir()] == ["000000000000.nnue"]
    assert not (folder / "checkpoint.pt").exists() and not (folder / "network.nnue").exists()


def test_stacks_that_the_engine_chooses_are_refused_before_the_first_step(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stacks = '[stacks]\ncount = 2\nselect = { by = "caller" }\n[[layer]]'
    (tmp_path / "net.toml").write_text(SPEC.replace("[[layer]]", stacks))
    assert main([str(run_file)]) == 1
    assert "leaves the choice of its 2 stacks to the engine" in capsys.readouterr().err


def until_interrupted(batches: Generator[Batch, None, None], count: int = 75) -> Iterator[Batch]:
    """The first batches of a run, and then what Ctrl-C sends."""
    with contextlib.closing(batches):
        yield from itertools.islice(batches, count)
        # Shells let what they run in the background ignore it, and so does Python then.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)


def test_runs_repeat_and_go_on_after_an_interruption(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "whole"
    assert main([str(run_file), "--out", str(whole)]) == 0
    again = tmp_path / "again"
    assert main([str(run_file), "--out", str(again)]) == 0

    interrupted = tmp_path / "interrupted"
    command = [str(run_file), "--out", str(interrupted)]
    with pytest.MonkeyPatch.context() as patch:
        whole_data = FileSource.training
        patch.setattr(FileSource, "training", lambda *given: until_interrupted(whole_data(*given)))
        assert main(command) == 130
    assert "goes on from the last checkpoint" in capsys.readouterr().err
    assert not (interrupted / "network.nnue").exists()
    # Of the process that was interrupted, only the files are left.
    program = [sys.executable, "-m", "nnue_trainer", *command]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    resumed = subprocess.run(program, capture_output=True, env=environment, text=True)
    assert resumed.returncode == 0 and "going on from 15,104 positions" in resumed.stderr

    for name in ("network.nnue", "network.floats", "golden.txt"):
        wanted = (whole / name).read_bytes()
        assert (again / name).read_bytes() == wanted, name
        assert (interrupted / name).read_bytes() == wanted, name
    reports = [
        [
            (report["train_loss"], report["validation_loss"])
            for report in json.loads(text)["reports"]
        ]
        for text in ((folder / "summary.json").read_text() for folder in (whole, interrupted))
    ]
    assert reports[0] == reports[1]


def test_what_is_left_of_a_run_that_begins_anew_is_never_gone_on_from(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_file.write_text(RUN.replace("40_000", "2_560").replace("reports = 8", "reports = 2"))
    assert main([str(run_file)]) == 0
    net = tmp_path / "first/network.nnue"
    wanted = net.read_bytes()
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        whole_data = FileSource.training
        patch.setattr(
            FileSource, "training", lambda *given: until_interrupted(whole_data(*given), 3)
        )
        assert main([str(run_file), "--restart"]) == 130
    said = capsys.readouterr().err
    assert "interrupted: the same command without `--restart` goes on from the last" in said
    net.unlink()
    assert main([str(run_file)]) == 0
    assert "going on from" not in capsys.readouterr().err
    assert net.read_bytes() == wanted


def test_a_run_does_not_begin_anew_with_the_checkpoint_that_it_would_remove(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = RUN.replace("40_000", "2_560").replace("reports = 8", "reports = 2")
    run_file.write_text(short)
    assert main([str(run_file)]) == 0
    run_file.write_text('start = "first/checkpoint.safetensors"\n' + short)
    assert main([str(run_file), "--restart"]) == 1
    assert "which `--restart` removes: a copy elsewhere" in capsys.readouterr().err
    assert (tmp_path / "first/checkpoint.safetensors").is_file()


def test_another_run_in_the_same_folder_is_refused(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = RUN.replace("40_000", "2_000")
    run_file.write_text(short)
    assert main([str(run_file)]) == 0
    run_file.write_text(short.replace("rate = 0.01", "rate = 0.02"))
    assert main([str(run_file)]) == 1
    said = capsys.readouterr().err
    assert "is of another run, with schedule.rate 0.01 and not 0.02" in said
    assert "without this file a single stage begins anew" in said
    assert main([str(run_file), "--restart"]) == 0


def test_what_goes_wrong_is_said_in_a_line(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def error(*arguments: str) -> str:
        assert main([str(run_file), *arguments]) == 1
        return capsys.readouterr().err

    assert error("--nnue", "/nowhere/nnue").startswith("error: ")
    bad = tmp_path / "bad.txt"
    bad.write_text("no position | 3 | 1.0\n")
    assert "error: `" in error("--data", str(bad))
    run_file.write_text(RUN.replace('"1/3"', '"3/2"'))
    assert "--held-out 3/2" in error()
    (tmp_path / "net.toml").write_text(SPEC.replace("screlu", "scralu"))
    assert "scralu" in error()


def test_a_network_that_was_trained_without_rounding_loses_more(
    run_file: Path, tmp_path: Path
) -> None:
    def cost(mode: str) -> float:
        run_file.write_text(f'mode = "{mode}"\n' + RUN)
        folder = tmp_path / mode
        assert main([str(run_file), "--out", str(folder)]) == 0
        summary = json.loads((folder / "summary.json").read_text())
        return float(summary["rounding_cost"][mode]["mean_centipawns"])

    assert cost("fake") < 1
    assert cost("float") > cost("fake") + 0.5
