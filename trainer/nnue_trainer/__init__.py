"""Trains the NNUE networks that specs of nnue-compiler describe."""

__version__ = "0.1.0"
