"""Matches along a run. The engine is none here: what is asked of `nnue match` is looked at."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_command import RUN, SPEC

from nnue_trainer import nnue, strength
from nnue_trainer.__main__ import main
from nnue_trainer.fields import RunError
from nnue_trainer.run import read_run

HEAD = RUN.replace("40_000", "5_120").replace("reports = 8", "reports = 4")
WATCH = '[watch]\nengine = "engine"\ngames = 20\nnodes = 300\n'


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    (tmp_path / "net.toml").write_text(SPEC)
    (tmp_path / "engine").touch()
    return tmp_path / "first.toml"


@pytest.fixture
def broken() -> set[str]:
    """The nets whose matches cannot be played."""
    return set()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, broken: set[str]) -> list[list[str]]:
    """The matches that have been asked for; each has a better result than the one before."""
    matches: list[list[str]] = []

    def run(command: str, *arguments: object, binary: str) -> str:
        assert command == "match"
        words = [str(argument) for argument in arguments]
        assert Path(words[0]).is_file(), "the net is there before it plays"
        if Path(words[0]).name in broken:
            raise nnue.CommandFailed("no engine")
        matches.append(words)
        elo = None if len(matches) == 1 else 10.0 * len(matches)
        ends = (None, None) if elo is None else (elo - 40, elo + 40)
        return json.dumps(
            {
                "wins": 8 + len(matches),
                "draws": 4,
                "losses": 8 - len(matches),
                "elo": elo,
                "elo_low": ends[0],
                "elo_high": ends[1],
                "further": "keys that the run does not keep",
            }
        )

    class Nnue:
        CommandFailed = nnue.CommandFailed

    fake: Any = Nnue()
    fake.run = run
    monkeypatch.setattr(strength, "nnue", fake)
    return matches


def test_kept_nets_play_and_the_report_says_how(
    run_file: Path,
    tmp_path: Path,
    asked: list[list[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_file.write_text("threads = 2\n" + HEAD + WATCH)
    assert main([str(run_file)]) == 0
    nets = tmp_path / "first/nets"
    assert [Path(words[0]) for words in asked] == [
        nets / f"{count:012}.nnue" for count in (1280, 2560, 3840, 5120)
    ]
    engine = str(tmp_path / "engine")
    options = ["--engine", engine, "--games", "20", "--nodes", "300", "--json"]
    assert asked[0][1:] == ["<material>", *options, "--concurrency", "2"]
    summary = json.loads((tmp_path / "first/summary.json").read_text())
    assert [match["positions"] for match in summary["strength"]] == [1280, 2560, 3840, 5120]
    assert [match["elo"] for match in summary["strength"]] == [None, 20.0, 30.0, 40.0]
    said = capsys.readouterr().err
    assert "after 1,280 positions: 9 won, 4 drawn, 7 lost in 20 games" in said
    assert "after 5,120 positions: +40 Elo [+0, +80] in 20 games" in said
    assert "Elo against &lt;material&gt;" in (tmp_path / "first/curves.svg").read_text()
    # What has been played is in the checkpoint, and is not played again.
    assert main([str(run_file)]) == 0
    assert len(asked) == 4
    again = json.loads((tmp_path / "first/summary.json").read_text())
    assert again["strength"] == summary["strength"]


def test_the_first_net_can_be_the_opponent_and_matches_can_be_fewer(
    run_file: Path, tmp_path: Path, asked: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    run_file.write_text(HEAD + WATCH + 'opponent = "first"\nevery = 2_500\n')
    assert main([str(run_file)]) == 0
    nets = tmp_path / "first/nets"
    assert [words[:2] for words in asked] == [
        [str(nets / f"{count:012}.nnue"), str(nets / "000000000000.nnue")] for count in (2560, 5120)
    ]


def test_a_match_that_cannot_be_played_ends_the_run(
    run_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_file.write_text(HEAD + WATCH)
    assert main([str(run_file)]) == 1
    assert "the match of [watch] was not played: `" in capsys.readouterr().err


def test_what_was_trained_before_a_match_that_cannot_be_played_is_kept(
    run_file: Path,
    tmp_path: Path,
    asked: list[list[str]],
    broken: set[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken.add("000000003840.nnue")
    # Reports are after 2,560 and 5,120 positions, and nets are kept at twice as many places.
    text = "nets_every = 1_280\n" + HEAD.replace("reports = 4", "reports = 2") + WATCH
    run_file.write_text(text)
    assert main([str(run_file)]) == 1
    assert "was not played: no engine" in capsys.readouterr().err
    # Without the matches, all is trained: none of it is done again.
    broken.clear()
    assert main([str(run_file)]) == 0
    said = capsys.readouterr().err
    assert "going on from 5,120 positions" in said and "100.0%" not in said
    nets = tmp_path / "first/nets"
    counts = (1280, 2560, 3840, 5120)
    assert [Path(words[0]) for words in asked] == [nets / f"{count:012}.nnue" for count in counts]
    summary = json.loads((tmp_path / "first/summary.json").read_text())
    assert [match["positions"] for match in summary["strength"]] == list(counts)
    assert main([str(run_file)]) == 0
    assert len(asked) == 4


def test_what_cannot_be_watched_is_said(run_file: Path, tmp_path: Path) -> None:
    run_file.write_text(HEAD + WATCH.replace("20", "21"))
    with pytest.raises(RunError, match=r"`games` of \[watch\] is 21: allowed is .* multiple of 2"):
        read_run(run_file)
    run_file.write_text(HEAD + WATCH + 'opponent = "none.nnue"\n')
    with pytest.raises(RunError, match=r"none.nnue`, the `opponent` of \[watch\]"):
        read_run(run_file)
    (tmp_path / "none.nnue").touch()
    assert read_run(run_file).watch.opponent == str(tmp_path / "none.nnue")
    (tmp_path / "engine").unlink()
    run_file.write_text(HEAD + WATCH)
    with pytest.raises(RunError, match=r"engine`, the `engine` of \[watch\]"):
        read_run(run_file)
