"""What the demonstration runs: tasks, each one decorated function with its data, its check and its peers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass

Array = np.ndarray[Any, Any]
EPSILON = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, slots=True)
class Check:
    """Largest difference to a float64 NumPy result; where it is largest relative to its bound, that bound."""

    error: float
    tolerance: float

    @property
    def passed(self) -> bool:
        return self.error <= self.tolerance  # False for NaN

    @classmethod
    def of(cls, result: Array, expected: Array, bound: Array | float) -> Check:
        """Element by element: |result − expected| ≤ bound."""
        wide = np.complex128 if result.dtype.kind == "c" else np.float64
        difference = np.abs(result.astype(wide) - expected)
        bounds = np.broadcast_to(np.asarray(bound, np.float64), difference.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.where(difference == 0, 0.0, difference / bounds)
        worst = np.unravel_index(int(np.argmax(excess)), excess.shape)  # argmax finds NaN first
        return cls(float(difference[worst]), float(bounds[worst]))


@dataclass(frozen=True, slots=True)
class Task:
    """One computation of the table.

    function(*arguments): the decorated nest, filling `outputs`; numpy(): the same by NumPy, returning it.
    part, share: arguments with which the undecorated function does that share of the work.
    operations: multiply-adds, additions, comparisons …, one for each vector lane; a fused multiply-add is one.
    products: how many of them multiply; None: all.
    """

    title: str
    detail: str
    function: Any
    arguments: tuple[Any, ...]
    outputs: tuple[Array, ...]
    numpy: Callable[[], object]
    check: Callable[[], Check]
    part: tuple[Any, ...]
    share: float
    operations: float
    bytes_read: int
    bytes_written: int
    products: float | None = None
