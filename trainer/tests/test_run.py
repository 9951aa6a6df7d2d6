from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nnue_trainer.fields import RunError
from nnue_trainer.run import Run, read_run

Read = Callable[..., Run]

LEAST = 'spec = "net.toml"\n[data]\nfiles = ["games.txt"]\n'


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a run file of this text, beside which there is a file `games.txt`."""
    (tmp_path / "games.txt").touch()
    (tmp_path / "more.txt").touch()

    def read_text(text: str, **arguments: Any) -> Run:
        path = tmp_path / "first.toml"
        path.write_text(text)
        return read_run(path, **arguments)

    return read_text


def test_what_is_not_said_has_a_default(read: Read, tmp_path: Path) -> None:
    run = read(LEAST)
    assert run.spec == str(tmp_path / "net.toml")
    assert run.out == str(tmp_path / "first")
    assert run.data.files == (str(tmp_path / "games.txt"),)
    assert (run.mode, run.loss.lambda_, run.optimiser.name, run.schedule.kind) == (
        "fake",
        (1.0, 1.0),
        "adamw",
        "cosine",
    )


def test_values_of_all_kinds_are_read(read: Read) -> None:
    run = read(
        'spec = "sfnnv9"\nseed = 7\nout = "here"\n'
        '[data]\nfiles = ["games.txt"]\nvalidation = ["more.txt"]\noptions = ["--min-ply", "16"]\n'
        "[loss]\nlambda = [1.0, 0.75]\nscore_scale = 300\n"
        '[optimiser]\nname = "muon"\nmomentum = 0.9\n[schedule]\nkind = "step"\nrate = 0.002\n'
    )
    assert run.spec == "sfnnv9" and run.seed == 7 and run.out.endswith("/here")
    assert run.data.options == ("--min-ply", "16") and run.data.validation[0].endswith("/more.txt")
    assert run.loss.lambda_ == (1.0, 0.75) and run.loss.score_scale == 300.0
    assert run.optimiser.momentum == 0.9 and run.schedule.rate == 0.002


def test_arguments_replace_what_the_file_says(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = read(LEAST, out="elsewhere", data=["more.txt"], device="cpu")
    assert run.out == str(tmp_path / "elsewhere") and run.device == "cpu"
    assert run.data.files == (str(tmp_path / "more.txt"),)


def test_tables_of_the_loop_are_left_alone(read: Read) -> None:
    read(
        'current = "old.nnue"\n'
        + LEAST
        + '[engine]\nfolder = "x"\n[selfplay]\ngames = 3\n[match]\ngames = 4\n'
        + '[trainer]\ncommand = ["nnue-train"]\n'
    )


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "sead = 3\n" + LEAST,
            "unknown key `sead` in the run (did you mean `seed`?): allowed are `spec`",
        ),
        (
            LEAST + "[loss]\nlambada = 3\n",
            "unknown key `lambada` in [loss] (did you mean `lambda`?)",
        ),
        (LEAST + "[loss]\nlambda_ = 1\n", "unknown key `lambda_` in [loss]"),
        ('"a - at `$.b" = 1\n' + LEAST, "unknown key 'a - at `$.b' in the run: allowed are"),
        ('"\\u001b[2J" = 1\n' + LEAST, "unknown key '\\x1b[2J' in the run: allowed are"),
        (LEAST + "[optimizer]\n", "unknown key `optimizer` in the run (did you mean `optimiser`?)"),
        (
            LEAST + '[optimiser]\nname = "adam"\n',
            "`name` of [optimiser] is 'adam' (did you mean `adamw`?): allowed are",
        ),
        (
            LEAST + "[loss]\nexponent = 0.5\n",
            "`exponent` of [loss] is 0.5: allowed is a number >= 1",
        ),
        (LEAST + "[loss]\nexponent = nan\n", "it has the number nan, which is not finite"),
        (LEAST + "[loss]\nexponent = 1e999\n", "it has the number 1e999, which is not finite"),
        (
            LEAST + '[loss]\nactivation = "much"\n',
            "`activation` of [loss] is 'much': allowed is a number",
        ),
        (
            LEAST + "[loss]\nlambda = [1, 0.5, 0]\n",
            "`lambda` of [loss] is a list: allowed is a list of length",
        ),
        (
            LEAST + "[loss]\nlambda = 1.5\n",
            "an item of `lambda` of [loss] is 1.5: allowed is a number <= 1",
        ),
        ("seed = 1.5\n" + LEAST, "`seed` of the run is 1.5: allowed is a whole number"),
        ("golden = 0\n" + LEAST, "`golden` of the run is 0: allowed is a whole number >= 1"),
        (LEAST + "batch_size = 2_000_000\n", "is 2000000: allowed is a whole number <= 1048576"),
        ("seed = true\n" + LEAST, "`seed` of the run is true: allowed is a whole number"),
        ("loss = 3\n" + LEAST, "`loss` of the run is 3: allowed is a table"),
        (LEAST.replace('["games.txt"]', "'x'"), "`files` of [data] is 'x': allowed is a list"),
        (LEAST + "options = [{}]\n", "an item of `options` of [data] is a table: allowed is text"),
        ("[data]\nfiles = ['games.txt']\n", "`spec` of the run is missing"),
        ("spec = 'x.toml'\n", "there is nothing to train on"),
        ("spec = 'x.toml'\n[data]\nfiles = ['none.txt']\n", "there is no file `"),
        ("float_first = 0.5\nmode = 'float'\n" + LEAST, "`float_first` is for runs with"),
        ("compile = 1\n" + LEAST, "`compile` of the run is 1: allowed is true or false"),
        (
            'logs = ["jsn"]\n' + LEAST,
            "an item of `logs` of the run is 'jsn' (did you mean `json`?): allowed are",
        ),
        ("spec = \n", "cannot read `"),
    ],
)
def test_what_is_wrong_is_said(read: Read, text: str, message: str) -> None:
    with pytest.raises(RunError) as error:
        read(text)
    assert message in str(error.value)


def test_a_run_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot read"):
        read_run(tmp_path / "none.toml")
