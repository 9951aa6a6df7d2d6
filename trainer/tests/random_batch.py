"""Batches of random rows, which no position needs to have."""

import numpy as np

from nnue_trainer import Batch, Description

MOST = 20


def random_batch(description: Description, n: int, seed: int = 1) -> Batch:
    random = np.random.default_rng(seed)
    sets = []
    for features in description.features:
        count = min(features.max_active, features.rows, MOST)
        perspectives = []
        for _ in range(description.transformer.perspectives.count):
            rows = [random.choice(features.rows, count, replace=False) for _ in range(n)]
            perspectives.append((np.concatenate(rows), np.arange(n + 1) * count))
        sets.append(perspectives)
    stack = random.integers(0, description.buckets.count, n)
    unknown = np.full(n, np.nan)
    return Batch.of_numpy(sets, stack, np.full(n, 32), random.random(n) < 0.5, unknown, unknown)
