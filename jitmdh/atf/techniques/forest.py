"""A forest of extremely randomised trees on NumPy, grown level by level for all trees at once."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Forest:
    """Regression by `trees` random trees; predicts a mean and the trees' disagreement.

    Splits are tried at values of random samples, so only the order of feature values matters.
    """

    def __init__(self, trees: int = 32, tries: int = 6, depth: int = 12, smallest: int = 2) -> None:
        self.trees, self.tries, self.depth, self.smallest = trees, tries, depth, smallest

    def fit(self, features: Array, targets: Array, seed: int) -> Forest:
        """Grows the trees; every tree sees every sample."""
        rng = np.random.default_rng(seed)
        count = len(features)
        rows = np.tile(np.arange(count), self.trees)
        node = np.repeat(np.arange(self.trees), count)
        self._features: list[Array] = []
        self._thresholds: list[Array] = []
        self._left: list[Array] = []
        self._means: list[Array] = [np.full(self.trees, targets.mean())]
        nodes = self.trees
        for _ in range(self.depth):
            feature, threshold, split = self._best_splits(rng, features, targets, rows, node, nodes)
            if not split.any():
                break
            left = np.full(nodes, -1)
            left[split] = 2 * np.arange(int(split.sum()))
            self._features.append(feature)
            self._thresholds.append(threshold)
            self._left.append(left)
            going = split[node]
            rows, node = rows[going], node[going]
            right = features[rows, feature[node]] > threshold[node]
            node = left[node] + right
            nodes = 2 * int(split.sum())
            sizes = np.bincount(node, minlength=nodes)
            self._means.append(np.bincount(node, targets[rows], nodes) / np.maximum(sizes, 1))
        return self

    def _best_splits(
        self, rng: np.random.Generator, features: Array, targets: Array, rows: Array, node: Array, nodes: int
    ) -> tuple[Array, Array, Array]:
        """The best of `tries` random splits per node: least remaining squares."""
        sizes = np.bincount(node, minlength=nodes)
        sums = np.bincount(node, targets[rows], nodes)
        gain = np.full(nodes, 1e-12)
        best_feature, best_threshold = np.zeros(nodes, dtype=np.int64), np.zeros(nodes)
        order = np.argsort(node, kind="stable")
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        used = np.maximum(sizes, 1)
        for _ in range(self.tries):
            feature = rng.integers(0, features.shape[1], nodes)
            a = features[rows[order[starts + rng.integers(0, used)]], feature]
            b = features[rows[order[starts + rng.integers(0, used)]], feature]
            threshold = np.minimum(a, b)
            left = features[rows, feature[node]] <= threshold[node]
            left_sizes = np.bincount(node[left], minlength=nodes)
            left_sums = np.bincount(node[left], targets[rows[left]], nodes)
            right_sizes = sizes - left_sizes
            between = (left_sums * sizes - sums * left_sizes) ** 2 / (
                np.maximum(left_sizes, 1) * np.maximum(right_sizes, 1) * used
            )
            between[(left_sizes == 0) | (right_sizes == 0) | (sizes <= self.smallest)] = 0.0
            better = between > gain
            gain = np.where(better, between, gain)
            best_feature = np.where(better, feature, best_feature)
            best_threshold = np.where(better, threshold, best_threshold)
        return best_feature, best_threshold, gain > 1e-12

    def predict(self, features: Array) -> tuple[Array, Array]:
        """Mean and standard deviation over the trees, per row."""
        count = len(features)
        row = np.tile(np.arange(count), self.trees)
        node = np.repeat(np.arange(self.trees), count)
        result = self._means[0][node]
        active = np.arange(count * self.trees)
        for level, left in enumerate(self._left):
            going = left[node] >= 0
            active, node, row = active[going], node[going], row[going]
            right = features[row, self._features[level][node]] > self._thresholds[level][node]
            node = left[node] + right
            result[active] = self._means[level + 1][node]
        table = result.reshape(self.trees, count)
        return table.mean(axis=0), table.std(axis=0)
