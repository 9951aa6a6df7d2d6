"""Runs a model in onnxruntime: run.py MODEL FOLDER POSITIONS PERSPECTIVES.

FOLDER has rows.bin and stack.bin, which are numbers of 64 bits. Each output of the model becomes a
file there, of numbers of 32 bits.
"""

import pathlib
import sys

import numpy
import onnxruntime

model = sys.argv[1]
folder = pathlib.Path(sys.argv[2])
positions, perspectives = map(int, sys.argv[3:])
rows = numpy.fromfile(folder / "rows.bin", numpy.int64).reshape(positions, perspectives, -1)
stack = numpy.fromfile(folder / "stack.bin", numpy.int64)
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
inputs = {one.name: {"rows": rows, "stack": stack}[one.name] for one in session.get_inputs()}
names = [one.name for one in session.get_outputs()]
parts = []
for start in range(0, positions, 50):
    own = {name: values[start : start + 50] for name, values in inputs.items()}
    parts.append(session.run(names, own))
for name, values in zip(names, zip(*parts)):
    numpy.concatenate(values).astype(numpy.int32).tofile(folder / f"{name}.bin")
