"""Which matches show the strength of a network in the course of a run, and how they ended."""

from dataclasses import dataclass
from typing import Optional

from nnue_trainer.fields import REQUIRED, number, optional_number, text

FIRST = "first"


@dataclass(frozen=True)
class Watch:
    """The table `[watch]` of a run file."""

    engine: Optional[str] = text(None)
    """A UCI engine that plays nets of the spec by its option EvalFile; without it, no match is
    played."""
    games: int = number(100, low=2, high=1_000_000, whole=True)
    every: int = number(0, low=0, whole=True)
    """After how many positions the next net that is kept plays; 0 is each of them."""
    opponent: str = text("<material>")
    """A net file; `first`, the net before the first step; or what else EvalFile can be."""
    nodes: int = number(5000, low=1, whole=True)
    """How many nodes are searched for a move."""


@dataclass
class Match:
    """The result of a net."""

    positions: int = number(REQUIRED, low=0, high=1 << 62, whole=True)
    """How many the net was trained on."""
    wins: int = number(REQUIRED, low=0, whole=True)
    draws: int = number(REQUIRED, low=0, whole=True)
    losses: int = number(REQUIRED, low=0, whole=True)
    elo: Optional[float] = optional_number()
    elo_low: Optional[float] = optional_number()
    """The interval of 95 %. All three are `None` where all pairs of games ended alike."""
    elo_high: Optional[float] = optional_number()
