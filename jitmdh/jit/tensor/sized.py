"""Kernels of tensors whose extents come with the call: for each set of extents a kernel, made when it is first called.

Where no tensor with known zeros has such an extent, the kernels of all extents have one program, and so share code.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.decorator import JitFunction
from jitmdh.jit.stats import Stats
from jitmdh.jit.tensor.kernels import Batch, Kernel
from jitmdh.jit.tensor.remembered import Values
from jitmdh.jit.tensor.storage import Elements
from jitmdh.mdh.frontend.tensor.notation.expr import Assignment, Tensor
from jitmdh.mdh.frontend.tensor.notation.renaming import with_sizes
from jitmdh.mdh.frontend.tensor.notation.sizes import Size

if TYPE_CHECKING:
    from jitmdh.jit.explanation.report import Explanation
    from jitmdh.jit.tuning.report import TuningReport

_MOST = 64  # kernels that are kept, the latest


class _OfSizes(Kernel):
    """What kernels and batches of sizes have in common: a call is one of the kernel for its extents."""

    _kernels: OrderedDict[tuple[int, ...], Kernel]

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the extents that come with the call."""
        return tuple(dict.fromkeys(size.name for t in self.program.tensors for size in t.sizes))

    def at(self, **sizes: int) -> Kernel:
        """The kernel for these extents. ArgumentTypeError unless they are those of `self.sizes`."""
        if sizes.keys() != set(self.sizes):
            raise ArgumentTypeError(f"{self.__name__}.at: the sizes are {', '.join(self.sizes)}")
        key = tuple(sizes[name] for name in self.sizes)
        found = self._kernels.pop(key, None)
        self._kernels[key] = found = self._of(sizes) if found is None else found
        if len(self._kernels) > _MOST:
            self._kernels.popitem(last=False)
        return found

    def _of(self, sizes: Mapping[str, int]) -> Kernel:
        raise NotImplementedError

    def _array_of(self, tensor: Tensor, value: Any) -> tuple[int, ...] | None:
        """The extents that an argument has for those of a tensor; None where it is no array for it."""
        return value.shape if isinstance(value, np.ndarray) and value.ndim == tensor.rank else None

    def _of_call(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Kernel, dict[str, Any]]:
        """The kernel for a call, and the arguments without sizes."""
        found = {name: named.pop(name) for name in self.sizes if name in named and name not in self.parameters}
        given = dict(zip(self.parameters, args)) | named
        for tensor in self.tensors:
            extents = self._array_of(tensor, given.get(tensor.name))
            for expected, extent in zip(tensor.shape, extents or ()):
                if isinstance(expected, Size):
                    found.setdefault(expected.name, extent)
        missing = [name for name in self.sizes if name not in found]
        if missing:
            kind = next((t for t in self.tensors for s in t.sizes if s.name == missing[0]), None)
            wanted = "" if kind is None else f": {kind} is an array of shape {kind.shape}"
            raise ArgumentTypeError(f"{self.__name__}: no argument says what the size {missing[0]} is{wanted}")
        for name, extent in found.items():
            if isinstance(extent, bool) or not isinstance(extent, int | np.integer) or extent < 0:
                raise ArgumentValueError(f"{self.__name__}: the size {name} is {extent!r}, which is no extent")
        return self.at(**{name: int(extent) for name, extent in found.items()}), named

    def __call__(self, *args: Any, **named: Any) -> Any:
        kernel, named = self._of_call(args, named)
        return kernel(*args, **named)

    def _given(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[JitFunction[..., Any], tuple[Any, ...]]:
        kernel, named = self._of_call(args, named)
        return kernel._given(args, named)

    def explain(self, *args: Any, measure: bool = True, **named: Any) -> Explanation:
        """As `Kernel.explain`."""
        kernel, named = self._of_call(args, named)
        return kernel.explain(*args, measure=measure, **named)

    def tune(
        self, *args: Any, seconds: float | None = None, evaluations: int | None = None, technique: Any = None,
        progress: bool | None = None, **named: Any,
    ) -> TuningReport:  # fmt: skip
        """As `Kernel.tune`, for the extents of this call."""
        kernel, named = self._of_call(args, named)
        return kernel.tune(
            *args, seconds=seconds, evaluations=evaluations, technique=technique, progress=progress, **named
        )

    def with_pattern(self, said: Values | None = None, /, **more: str) -> NoReturn:
        """ArgumentTypeError: it depends on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("with_pattern")

    def stats(self) -> Stats:
        """Counts of all extents whose code is still there."""
        others = [f for f in self._functions.values() if f is not self.function]
        counts: Stats = self.function.stats()
        return counts.with_others(f.stats() for f in others)

    @property
    def steps(self) -> NoReturn:
        """ArgumentTypeError: they depend on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("steps")

    @property
    def nonzero_flops(self) -> NoReturn:
        """ArgumentTypeError: they depend on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("nonzero_flops")

    @property
    def flops(self) -> NoReturn:
        """ArgumentTypeError: they depend on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("flops")

    @property
    def storage(self) -> NoReturn:
        """ArgumentTypeError: it depends on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("storage")

    @property
    def pattern(self) -> NoReturn:
        """ArgumentTypeError: it depends on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("pattern")

    @property
    def patterns(self) -> NoReturn:
        """ArgumentTypeError: they depend on the sizes. Ask `k.at(n=…)`."""
        raise self._of_none("patterns")

    def _of_none(self, what: str) -> ArgumentTypeError:
        sizes = ", ".join(f"{name}=…" for name in self.sizes)
        facts = f"{self.__name__}.{what} depends on the sizes {', '.join(self.sizes)}"
        return ArgumentTypeError(facts, hint=f"{self.__name__}.at({sizes}).{what}")


class SizedKernel(_OfSizes):
    """A kernel some extents of whose tensors come with the call: by its arrays, or as `n=…`."""

    def __init__(self, name: str, assignments: Sequence[Assignment]) -> None:
        super().__init__(name, assignments)
        self._kernels = OrderedDict()

    def _of(self, sizes: Mapping[str, int]) -> Kernel:
        return Kernel(self.__name__, [with_sizes(a, sizes) for a in self._assignments], self._functions)

    def batched(
        self, axis: str = "e", shared: Sequence[str] = (), *, elements: Any = None,
        gathered: Mapping[str, Any] | None = None,
    ) -> Batch:  # fmt: skip
        """As `Kernel.batched`; all elements have the same extents. ArgumentTypeError for lists: they are of a batch for
        some extents, `k.at(n=…).batched(elements=…)`."""
        if elements is not None or gathered:
            raise self._of_none("batched by lists")
        return SizedBatch(self, axis, shared)


class SizedBatch(_OfSizes, Batch):
    """A batch whose elements have extents that come with the call."""

    def __init__(self, kernel: SizedKernel, axis: str, shared: Sequence[str]) -> None:
        super().__init__(kernel, axis, shared)
        self._kernels = OrderedDict()
        self._kernel_at: Callable[..., Kernel] = kernel.at

    def _of(self, sizes: Mapping[str, int]) -> Kernel:
        return self._kernel_at(**sizes).batched(self._axis, self._shared)

    def _array_of(self, tensor: Tensor, value: Any) -> tuple[int, ...] | None:
        if tensor.name not in self.each:
            return super()._array_of(tensor, value)
        if isinstance(value, Elements):
            return value.tensor.shape
        return value.shape[1:] if isinstance(value, np.ndarray) and value.ndim == tensor.rank + 1 else None
