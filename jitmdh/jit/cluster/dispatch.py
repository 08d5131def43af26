"""Which calls are about arrays in blocks. Nothing of Dask is imported before one is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jitmdh.jit.cluster.arguments import is_dask, is_labelled, is_zarr


class ClusterCalls:
    """Calls of one function with arrays in blocks. make: makes a decorated function of another, by reference."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make = make

    def find(self, arguments: Sequence[Any]) -> Callable[[Any], Any] | None:
        """The call, to be given the function itself; None where no array is in blocks."""
        if all(isinstance(a, np.ndarray | np.generic | int | float | complex) for a in arguments):
            return None
        if not any(is_dask(a) or is_zarr(a) or is_labelled(a) for a in arguments):
            return None
        return lambda function: self._called(function, arguments)

    def _called(self, function: Any, arguments: Sequence[Any]) -> Any:
        from jitmdh.jit.cluster.call import call

        return call(function, self.make, arguments)
