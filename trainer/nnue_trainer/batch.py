"""The rows that some positions switch on, as tensors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Array = npt.NDArray[Any]


@dataclass
class Rows:
    """The active rows of a feature set, as `embedding_bag` takes them.

    `rows` are counted from the set's first one. `offsets` `[perspectives * n]` says where those of
    each position begin: those of all positions as the side to move sees them, then, with two
    perspectives, as its opponent does.
    """

    rows: Tensor
    """int32."""
    offsets: Tensor
    """int32."""
    bags_of_rows: tuple[Tensor, Tensor] | None = None
    """What `sparse` keeps for gradients, because all tables of a set have the same."""


@dataclass
class Batch:
    """Some positions; the types of the tensors are those of the table in `trainer/README.md`."""

    sets: list[Rows]
    stack: Tensor
    pieces: Tensor
    white: Tensor
    score: Tensor
    result: Tensor
    lens: list[int] | None = None
    """How many positions each stack has, where somebody has counted them."""

    @property
    def n(self) -> int:
        """How many positions."""
        return len(self.stack)

    def __len__(self) -> int:
        return self.n

    def to(self, device: str | torch.device, non_blocking: bool = False) -> "Batch":
        """The same positions on a device."""

        def move(tensor: Tensor) -> Tensor:
            return tensor.to(device, non_blocking=non_blocking)

        return self._each(move)

    def pinned(self) -> "Batch":
        """The same positions in memory from which copies to a GPU do not wait for it."""
        return self._each(Tensor.pin_memory)

    def _each(self, change: Callable[[Tensor], Tensor]) -> "Batch":
        sets = [
            Rows(change(rows.rows), change(rows.offsets), rows.bags_of_rows) for rows in self.sets
        ]
        others = ("stack", "pieces", "white", "score", "result")
        changed: dict[str, Any] = {name: change(getattr(self, name)) for name in others}
        return replace(self, sets=sets, **changed)

    @classmethod
    def of_numpy(
        cls,
        sets: Sequence[Sequence[tuple[Array, Array]]],
        stack: npt.ArrayLike,
        pieces: npt.ArrayLike,
        white: npt.ArrayLike,
        score: npt.ArrayLike,
        result: npt.ArrayLike,
    ) -> "Batch":
        """Of arrays `[n]`. `sets` has, for each set, a list of `(rows, offsets)` for each
        perspective, with `n + 1` offsets each."""
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


def _tensor(values: npt.ArrayLike, element: npt.DTypeLike) -> Tensor:
    return torch.from_numpy(np.array(values, dtype=element))
