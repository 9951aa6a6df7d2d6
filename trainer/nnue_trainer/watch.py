"""Which matches show the strength of a network in the course of a run, and how they ended."""

from typing import Annotated

import msgspec
from msgspec import Meta

from nnue_trainer.fields import Natural, Positive, Table

FIRST = "first"


class Watch(Table, frozen=True):
    """The table `[watch]` of a run file."""

    engine: str | None = None
    """A UCI engine that plays nets of the spec by its option EvalFile; without it, no match is
    played."""
    games: Annotated[int, Meta(ge=2, le=1_000_000, multiple_of=2)] = 100
    """Games of each match, an even number."""
    every: Natural = 0
    """After how many positions the next net that is kept plays; 0 is each of them."""
    opponent: str = "<material>"
    """A net file; `first`, the net before the first step; or what else EvalFile can be."""
    nodes: Positive = 5000
    """How many nodes are searched for a move."""


class Match(msgspec.Struct, frozen=True):
    """The result of a net, by the keys of `nnue match --json`, which has more."""

    positions: Natural
    """How many the net was trained on."""
    wins: Natural
    draws: Natural
    losses: Natural
    elo: float | None
    elo_low: float | None
    """The interval of 95 %. All three are `None` where all pairs of games ended alike."""
    elo_high: float | None
