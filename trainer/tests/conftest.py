"""What must be so before the tests import torch."""

import os

# Their networks are too small for several threads, and `pytest -n` gives each core a process.
os.environ.setdefault("OMP_NUM_THREADS", "1")
