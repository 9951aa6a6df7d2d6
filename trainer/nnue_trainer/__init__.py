"""Trains the NNUE networks that specs of nnue-compiler describe."""

from . import export
from .batch import Batch
from .description import Description
from .network import Network

__all__ = ["Batch", "Description", "Network", "export"]
__version__ = "0.1.0"
