"""What is known of a computation that is measured: shapes, operations, and how results may differ."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.computations.retyped import module_in

Array = np.ndarray[Any, Any]
Shapes = Callable[..., tuple[list[tuple[int, ...]], list[tuple[int, ...]]]]


@dataclass(frozen=True)
class Kernel:
    """A computation at any size.

    shapes(*sizes): those of outputs and inputs. operations(*sizes): a fused multiply-add is one. terms(*sizes): how
    many are added up for one element. numba_loop: the loop that Numba shares out, None for no parallel loop.
    exact: data are whole numbers, and so are all results. positive: all terms are, whatever the inputs.
    magnitude: from the inputs in float64, how large what is added up is, for each output; None: what the computation
    makes of their absolute values. output_types: of each output, "" for that of the row, "complex" for its complex one.
    module: where the nest is. numba: whether Numba understands it.
    """

    name: str
    shapes: Shapes
    operations: Callable[..., float]
    terms: Callable[..., int]
    numba_loop: str | None
    flops_per_operation: int = 2
    exact: bool = False
    positive: bool = False
    output_types: tuple[str, ...] = ()
    inputs: Callable[..., list[Array]] | None = None
    named: Callable[..., dict[str, int]] = lambda *sizes: {}
    magnitude: Callable[..., Any] | None = None
    module: str = "suite"
    numba: bool = True

    def nest(self, dtype: str) -> Callable[..., None]:
        return getattr(module_in(dtype, self.module), self.name)

    def numpy(self, *sizes: int) -> Callable[..., Any]:
        """What a NumPy user writes, for these sizes."""
        form = getattr(import_module(f"benchmarks.peers.{self.forms('numpy')}"), self.name)
        return functools.partial(form, **self.named(*sizes))

    def forms(self, library: str) -> str:
        """The module with what users of a library write."""
        return f"{library}_forms" + ("" if self.module == "suite" else f"_{self.module}")


def product(*factors: float) -> float:
    return float(np.prod([float(f) for f in factors]))


def complex_of(dtype: str) -> str:
    """The complex type of numbers of type `dtype`."""
    return {"float32": "complex64", "float64": "complex128"}[dtype]
