"""How strong a network becomes in the course of a run: matches of its nets against one opponent."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from nnue_trainer import nnue
from nnue_trainer.fields import RunError
from nnue_trainer.nets import kept_in, name_of
from nnue_trainer.run import Run
from nnue_trainer.watch import FIRST, Match


@dataclass
class Matches:
    """The matches of a run."""

    run: Run
    binary: str
    folder: Path
    played: list[Match] = field(default_factory=list)

    def play(self, positions: int) -> Iterator[Match]:
        """Lets the nets play that were kept up to so many positions, if it is their turn; each
        match comes when it has been played.

        Raises `RunError` if a match cannot be played.
        """
        engine = self.run.watch.engine
        if engine is None:
            return
        for kept in kept_in(self.folder / "nets"):
            if kept <= positions and self._is_due(kept):
                yield self._played(kept, engine)

    def _played(self, positions: int, engine: str) -> Match:
        watch = self.run.watch
        opponent = watch.opponent
        if opponent == FIRST:
            opponent = str(self.folder / "nets" / name_of(0))
        net = self.folder / "nets" / name_of(positions)
        options: list[object] = ["--engine", engine, "--games", watch.games]
        options += ["--nodes", watch.nodes, "--json"]
        if self.run.threads is not None:
            options += ["--concurrency", self.run.threads]
        try:
            said = nnue.run("match", net, opponent, *options, binary=self.binary)
            match = msgspec.convert({**msgspec.json.decode(said), "positions": positions}, Match)
        except (nnue.CommandFailed, ValueError, TypeError) as error:
            raise RunError(f"the match of [watch] was not played: {error}") from error
        self.played.append(match)
        games = match.wins + match.draws + match.losses
        print(f"after {positions:,} positions: {_elo(match)} in {games} games", file=sys.stderr)
        return match

    def _is_due(self, positions: int) -> bool:
        if positions == 0:
            return False
        every = self.run.watch.every
        last = self.played[-1].positions if self.played else 0
        return positions > last and (not every or positions // every > last // every)


def _elo(match: Match) -> str:
    if match.elo is None or match.elo_low is None or match.elo_high is None:
        return f"{match.wins} won, {match.draws} drawn, {match.losses} lost"
    return f"{match.elo:+.0f} Elo [{match.elo_low:+.0f}, {match.elo_high:+.0f}]"
