"""What a row of the catalogue is: one computation of the thesis's Figure 20, written through each front end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.dsl import Computation

Array = np.ndarray[Any, Any]
Shapes = Callable[..., tuple[tuple[int, ...], ...]]


@dataclass(frozen=True)
class Row:
    """A computation.

    loops, arrays: functions of the inputs that return the outputs, for `jit`; arrays is None where no expression on
    whole arrays says it naturally. explicit: of a scalar type and the sizes, the explicit representation.
    sizes: small ones, by name, that divide nothing; shapes: those of the inputs for such sizes.
    data: the inputs themselves, of a random generator, a type and the sizes, where random numbers will not do.
    combine: the directive `combine=` that the loops need. types: the scalar types it is defined for.
    several: why the arrays do not become one expression, if they do not.
    """

    name: str
    text: str
    loops: Callable[..., Any]
    explicit: Callable[..., Computation]
    arrays: Callable[..., Any] | None
    sizes: Mapping[str, int]
    shapes: Shapes
    data: Callable[..., tuple[Array, ...]] | None = None
    combine: Mapping[str, Any] | None = None
    types: tuple[str, ...] = ("int64", "float32", "float64")
    several: str = ""

    def computation(self, type: ScalarType) -> Computation:
        """The explicit representation at the row's sizes."""
        return self.explicit(type, *self.sizes.values())

    def inputs(self, rng: np.random.Generator, type: ScalarType) -> tuple[Array, ...]:
        """Random inputs: small whole numbers, so that sums are exact in every type."""
        if self.data is not None:
            return self.data(rng, type.numpy, *self.sizes.values())
        shapes = self.shapes(*self.sizes.values())
        return tuple(rng.integers(-4, 5, shape).astype(type.numpy) for shape in shapes)
