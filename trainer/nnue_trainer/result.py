"""What a run leaves: the net file, golden values, and what rounding costs."""

import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor

from nnue_trainer.batch import Batch
from nnue_trainer.checkpoint import write_whole
from nnue_trainer.nets import Nets
from nnue_trainer.network import Network
from nnue_trainer.run import Run
from nnue_trainer.train import Training


def finish(run: Run, training: Training, nets: Nets, folder: Path) -> dict[str, Any]:
    """Writes the network that was trained into `folder`, and `summary.json`, which is returned."""
    nets.final(training)
    # The integers are computed in f64, which MPS has not.
    network = training.network.cpu()
    batches = [batch.to(torch.device("cpu")) for batch in training.validation]
    write_whole(folder / "network.floats", network.write_floats)
    values = {mode: values_of(network, batches, mode) for mode in ("exact", "fake", "float")}
    last = training.reports[-1]
    score = torch.cat([batch.score for batch in batches]).double()
    result = torch.cat([batch.result for batch in batches]).double()
    summary = {
        "spec": run.spec,
        "mode": run.mode,
        "positions": training.positions,
        "seconds": training.seconds,
        "positions_per_second": training.positions / training.seconds,
        "train_loss": last.train_loss,
        "validation_loss": last.validation_loss,
        "validation_loss_of_integers": float(run.loss(values["exact"], score, result, 1.0)),
        "validation_positions": len(score),
        "warnings": training.warnings,
        "strength": msgspec.to_builtins(training.matches),
        "zero_blocks": last.zero_blocks,
        "rounding_cost": {
            mode: rounding_cost(values[mode], values["exact"], run.loss.units)
            for mode in ("fake", "float")
        },
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "processes": training.processes.count,
        "device": device_name(training.processes.device),
        "torch": torch.__version__,
        "settings": run.settings(),
        "reports": msgspec.to_builtins(training.reports),
    }
    text = json.dumps(summary, indent=2) + "\n"
    write_whole(folder / "summary.json", lambda path: path.write_text(text, encoding="utf-8"))
    return summary


@torch.no_grad()
def values_of(network: Network, batches: Sequence[Batch], mode: str) -> Tensor:
    """`[n]`: the network's values in a mode, as f64."""
    network.mode = mode
    return torch.cat([network(batch).double() for batch in batches])


def rounding_cost(values: Tensor, exact: Tensor, units: float) -> dict[str, float]:
    """How far values `[n]` are from those of the integers, in centipawns, of which one is
    `units`."""
    difference = (values - exact).abs() / units
    return {"mean_centipawns": float(difference.mean()), "most_centipawns": float(difference.max())}


def device_name(device: torch.device) -> str:
    """What the device calls itself."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type} ({platform.machine()}, {torch.get_num_threads()} threads)"
