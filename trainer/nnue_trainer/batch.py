"""The rows that some positions switch on, as tensors."""

from dataclasses import dataclass, replace
from typing import Optional

import numpy as np
import torch


@dataclass
class Rows:
    """The active rows of a feature set, as `embedding_bag` takes them.

    `rows` are counted from the set's first one. `offsets` `[perspectives * n]` says where those of
    each position begin: those of all positions as the side to move sees them, then, with two
    perspectives, as its opponent does.
    """

    rows: torch.Tensor
    offsets: torch.Tensor
    bags_of_rows: Optional[tuple] = None
    """What `sparse` keeps for gradients, because all tables of a set have the same."""


@dataclass
class Batch:
    """Some positions; the types of the tensors are those of the table in `trainer/README.md`."""

    sets: list
    stack: torch.Tensor
    pieces: torch.Tensor
    white: torch.Tensor
    score: torch.Tensor
    result: torch.Tensor

    @property
    def n(self):
        return len(self.stack)

    def __len__(self):
        return self.n

    def to(self, device, non_blocking=False):
        """The same positions on a device."""
        move = lambda tensor: tensor.to(device, non_blocking=non_blocking)
        sets = [Rows(move(rows.rows), move(rows.offsets)) for rows in self.sets]
        others = ("stack", "pieces", "white", "score", "result")
        return replace(self, sets=sets, **{name: move(getattr(self, name)) for name in others})

    @classmethod
    def of_numpy(cls, sets, stack, pieces, white, score, result):
        """Of arrays. `sets` has, for each set, a list of `(rows, offsets)` for each perspective,
        with `n + 1` offsets each."""
        joined = []
        for perspectives in sets:
            starts, before = [], 0
            for rows, offsets in perspectives:
                starts.append(offsets[:-1].astype(np.int32) + np.int32(before))
                before += len(rows)
            rows = np.concatenate([rows for rows, _ in perspectives])
            joined.append(Rows(_tensor(rows, np.int32), _tensor(np.concatenate(starts), np.int32)))
        return cls(
            sets=joined,
            stack=_tensor(stack, np.int64),
            pieces=_tensor(pieces, np.uint8),
            white=_tensor(white, np.bool_),
            score=_tensor(score, np.float32),
            result=_tensor(result, np.float32),
        )


def _tensor(values, element):
    return torch.from_numpy(np.array(values, dtype=element))
