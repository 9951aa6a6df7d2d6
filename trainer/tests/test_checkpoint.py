"""Checkpoints: nothing in them is executed, and whatever is wrong with one is said."""

import json
import math
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from small_run import RUN, batches, changed, training, weights
from torch import Tensor

from nnue_trainer import checkpoint
from nnue_trainer.fields import RunError
from nnue_trainer.progress import Watcher
from nnue_trainer.run import Run

Tensors = dict[str, Tensor]
Contents = dict[str, Any]
Change = Callable[[Tensors, Contents], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The checkpoint of a run that is over."""
    training(RUN).go(batches(1), tmp_path, Watcher())
    return tmp_path / checkpoint.NAME


def refusal(path: Path, run: Run = RUN) -> str:
    """What is said of a file from which a run cannot go on."""
    fresh = training(run)
    with pytest.raises(RunError) as error:
        fresh.restore(path)
    message = str(error.value)
    assert "`--restart` begins without it" in message and len(message) < 500 + len(str(path))
    assert message.isprintable()
    return message


def rewritten(path: Path, change: Change) -> None:
    """The same checkpoint after `change(tensors, contents)`, which alters its tensors and JSON."""
    with safe_open(path, framework="pt") as file:
        contents = json.loads(file.metadata()["run"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no dict
    change(tensors, contents)
    save_file(tensors, path, metadata={"run": json.dumps(contents)})


def raw(header: Any, data: bytes = b"") -> bytes:
    """A file of safetensors with this header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def with_text(text: str) -> bytes:
    return raw({"__metadata__": {"run": text}})


class Executes:
    """Whoever unpickles it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


@pytest.mark.parametrize(
    "write", [torch.save, lambda value, path: path.write_bytes(pickle.dumps(value))]
)
def test_a_pickle_is_refused_and_not_executed(
    tmp_path: Path, write: Callable[[object, Path], object]
) -> None:
    path, executed = tmp_path / checkpoint.NAME, tmp_path / "executed"
    write({"version": 1, "network": Executes(executed)}, path)
    assert "cannot read the checkpoint" in refusal(path)
    assert not executed.exists()
    # It would have been, by what reads pickles.
    if write is torch.save:
        # By its name, torch would know that it should be another format.
        torch.load(path.rename(tmp_path / "checkpoint.pt"), weights_only=False)
    else:
        pickle.loads(path.read_bytes())
    assert executed.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"something else",
        struct.pack("<Q", 1 << 62) + b"{}",
        struct.pack("<Q", 90_000_000) + b"{}",
        raw(b"[" * 100_000),
        raw({"network": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 4]}}, b"1234"),
        raw(
            {"network": {"dtype": "F32", "shape": [1 << 62, 1 << 62], "data_offsets": [0, 4]}},
            b"1234",
        ),
        # Types that this torch need not have.
        raw({"network": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}}, b"1"),
        raw({"network": {"dtype": "U64", "shape": [1], "data_offsets": [0, 8]}}, b"12345678"),
        raw({"network": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
        raw({}),
        with_text(""),
        with_text("[" * 100_000),
        with_text("1" * 100_000),
        with_text("[]"),
        with_text("null"),
        with_text("{}"),
        with_text(json.dumps({"version": "\x1b[2J\u202e" * 1000})),
        with_text(json.dumps({"version": 1})),
        with_text(json.dumps({"version": checkpoint.VERSION})),
        with_text(json.dumps({"version": checkpoint.VERSION, "settings": []})),
        with_text(json.dumps({"version": checkpoint.VERSION, "settings": {"\x1b[2J" * 1000: 3}})),
    ],
)
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / checkpoint.NAME
    path.write_bytes(content)
    refusal(path)


def test_a_folder_is_no_checkpoint(tmp_path: Path) -> None:
    refusal(tmp_path)


def test_a_cut_file_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for length in (*range(0, len(whole), 97), len(whole) - 1):
        path.write_bytes(whole[:length])
        assert "cannot read the checkpoint" in refusal(path)


def test_a_checkpoint_of_another_run_is_refused(path: Path) -> None:
    checkpoint.load(path, training(changed(RUN, out="elsewhere")).settings)
    other = changed(RUN, loss={"exponent": 3.0})
    assert "of another run, with loss.exponent 2.0 and not 3.0; `--restart`" in refusal(path, other)
    with pytest.raises(RunError, match="of another run, with network"):
        checkpoint.load(path, {**training(RUN).settings, "network": "of another spec"})


def set_tensor(name: str, value: Tensor) -> Change:
    def change(tensors: Tensors, _: Contents) -> None:
        assert name in tensors
        tensors[name] = value

    return change


def set_progress(key: str, value: Any) -> Change:
    return lambda _, contents: contents["progress"].update({key: value})


def set_report(key: str, value: Any) -> Change:
    return lambda _, contents: contents["progress"]["reports"][0].update({key: value})


def repeated_reports(_: Tensors, contents: Contents) -> None:
    contents["progress"]["reports"] *= 2


def without_optimiser(tensors: Tensors, _: Contents) -> None:
    for name in [name for name in tensors if name.startswith("optimiser.")]:
        del tensors[name]


STEP = "optimiser.first.weight.step"


@pytest.mark.parametrize(
    "change, message",
    [
        (
            set_tensor("network.first.weight", torch.zeros(4, 8)),
            "is float32 [4, 8], and the run's float32 [8, 4]",
        ),
        (set_tensor("network.first.weight", torch.zeros(8, 4).double()), "is float64 [8, 4]"),
        (
            set_tensor("optimiser.first.weight.exp_avg", torch.zeros(3)),
            "`optimiser.first.weight.exp_avg` is",
        ),
        (
            lambda tensors, _: tensors.pop("network.first.bias"),
            "lacks the tensor `network.first.bias`",
        ),
        (
            lambda tensors, _: tensors.pop("optimiser.first.weight.exp_avg"),
            "lacks the tensor `optimiser.first",
        ),
        (lambda tensors, _: tensors.update({"\x1b[2J": torch.zeros(1)}), "which the run has not"),
        (
            lambda tensors, _: tensors.update({"average.module.0": torch.zeros(1)}),
            "which the run has not",
        ),
        (set_tensor(STEP, torch.tensor(-1.0)), "has not made the 40 steps"),
        (set_tensor(STEP, torch.tensor(0.0)), "has not made the 40 steps"),
        (set_tensor(STEP, torch.tensor(math.nan)), "has numbers that are not finite"),
        (lambda _, contents: contents.update(version=4), "version is 4, and this trainer reads 5"),
        (
            lambda _, contents: contents.update(progress=3),
            "the run's progress is 3: allowed is a table",
        ),
        (
            lambda _, contents: contents["progress"].pop("steps"),
            "`steps` of the run's progress is missing",
        ),
        (set_progress("more", 3), "unknown key `more`"),
        (set_progress("\x1b[2J" * 1000, 3), "unknown key '"),
        (set_progress("steps", "\x1b[2J" * 1000), "allowed is a whole number"),
        (set_progress("steps", 10**400), "allowed is a whole number"),
        (set_progress("steps", 1 << 70), "allowed is a whole number <= 9223372036854775807"),
        (
            set_progress("steps", -1),
            "`steps` of the run's progress is -1: allowed is a whole number >= 0",
        ),
        (set_progress("steps", 41), "it has 41 of 40 steps"),
        (set_progress("steps", 0), "it has 0 of 40 steps"),
        (set_progress("positions", 1.5), "allowed is a whole number"),
        (set_progress("positions", 5), "it has 5 positions after 40 steps, and the run 1,280"),
        (set_progress("positions", 1281), "it has 1,281 positions after 40 steps"),
        (set_progress("positions", 1279), "its reports do not lead to its 1,279 positions"),
        (set_report("positions", 640), "its reports do not lead to its 1,280 positions"),
        (repeated_reports, "its reports do not lead to its 1,280 positions"),
        (without_optimiser, "it lacks the tensors of the optimiser"),
        (
            set_tensor("network.first.bias", torch.full((8,), math.nan)),
            "`network.first.bias` has numbers",
        ),
        (
            set_tensor("optimiser.first.bias.exp_avg", torch.full((8,), math.nan)),
            "that are not finite",
        ),
        (
            set_tensor("optimiser.first.bias.exp_avg_sq", torch.full((8,), -1.0)),
            "has squares below 0",
        ),
        (
            set_tensor("network.first.bias", torch.full((8,), 0.8)),
            "its weights `first.bias` are larger",
        ),
        (set_progress("seconds", math.nan), "no text of a run"),
        (set_progress("reports", []), "and 0 reports"),
        (set_progress("reports", 7), "allowed is a list"),
        (set_progress("reports", [7]), "allowed is a table"),
        (set_report("mode", "other"), "`mode` of [reports] is 'other'"),
        (set_report("mode", []), "`mode` of [reports] is a list"),
        (set_report("positions", -1), "`positions` of [reports] is -1"),
        (set_report("train_loss", None), "allowed is a number"),
        (set_report("train_loss", 1e31), "allowed is a number <= 1e+30"),
    ],
)
def test_what_does_not_fit_the_run_is_said(path: Path, change: Change, message: str) -> None:
    rewritten(path, change)
    assert message in refusal(path)


def test_what_is_written_again_is_the_same_file(path: Path) -> None:
    again = training(RUN)
    again.restore(path)
    again.save(path.with_name("again"))
    assert path.with_name("again").read_bytes() == path.read_bytes()
    assert not torch.equal(weights(again.network), weights(training(RUN).network))


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def half(unfinished: Path) -> None:
        unfinished.write_text("ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        checkpoint.write_whole(path, half)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
