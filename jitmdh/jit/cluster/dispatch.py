"""Which calls are about arrays in blocks. Nothing of Dask is imported before one is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.jit.cluster.arguments import is_dask, is_labelled, is_zarr

if TYPE_CHECKING:
    from jitmdh.jit.explanation.report import Explanation


class ClusterCalls:
    """Calls of one function with arrays in blocks. make: makes a decorated function of another, by reference."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make = make

    def find(self, arguments: Sequence[Any]) -> Callable[[Any], Any] | None:
        """The call, to be given the function itself; None where no array is in blocks."""
        return (lambda function: self._called(function, arguments)) if are_in_blocks(arguments) else None

    def explain(self, function: Any, arguments: Sequence[Any]) -> Explanation | None:
        """What the call would do; None where no array is in blocks."""
        if not are_in_blocks(arguments):
            return None
        from jitmdh.jit.cluster.explain import explain

        return explain(function, arguments)

    def require_none(self, what: str, arguments: Sequence[Any]) -> None:
        """Raises ArgumentTypeError where some array is in blocks, which `what` does not take."""
        if are_in_blocks(arguments):
            hint = "pass NumPy arrays of the size of a part, such as x.blocks[0, 0].compute()"
            raise ArgumentTypeError(f"{what}: arrays are in blocks, of which parts run code of their own", hint=hint)

    def _called(self, function: Any, arguments: Sequence[Any]) -> Any:
        from jitmdh.jit.cluster.call import call

        return call(function, self.make, arguments)


def are_in_blocks(arguments: Sequence[Any]) -> bool:
    """Whether any is."""
    if all(isinstance(a, np.ndarray | np.generic | int | float | complex) for a in arguments):
        return False
    return any(is_dask(a) or is_zarr(a) or is_labelled(a) for a in arguments)
