"""`@vectorize`: a function of numbers as a function of arrays, after NumPy's universal functions.

A call is a loop nest over the points of the broadcast shape. NumPy's iterator broadcasts the operands, casts them,
makes results in their memory order, joins dimensions and copies what overlaps; the nest that is left has one subscript
for each dimension that an operand has, and is compiled as `@jit` compiles loops.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.decorator import JitFunction
from jitmdh.jit.ufuncs import folds
from jitmdh.jit.ufuncs.loop_types import DeclaredLoops, DType, Loop, loops
from jitmdh.jit.ufuncs.nests import Axes, Nest, Nests
from jitmdh.jit.ufuncs.operands import (
    Array,
    Operand,
    Results,
    converted,
    first_elements,
    operand,
    outputs,
    require_castable,
    resolved,
    type_key,
)

if TYPE_CHECKING:
    from jitmdh.jit.explanation.report import Explanation

_FLAGS = ("zerosize_ok", "copy_if_overlap")
_READ = ("readonly", "copy", "aligned", "nbo", "overlap_assume_elementwise")
_WRITE = ("allocate", "no_broadcast", "updateifcopy", "aligned", "nbo")


class _NotReorderable:
    """No identity, and operands of a reduction keep their order: what `identity` is where it is not given."""

    def __repr__(self) -> str:
        return "<not reorderable>"


NOT_REORDERABLE: Any = _NotReorderable()


class UniversalFunction(DeclaredLoops):
    """A function of numbers that is called with arrays: what `vectorize` makes.

    `f(*arrays, out=None, where=True, dtype=None, casting="same_kind", order="K")` as NumPy's universal functions:
    operands are broadcast; results go to `out` (an array, or a tuple of arrays and None) or to new arrays, numbers
    where all operands are numbers; where `where` is False, results are left as they are; `dtype` is the type of the
    first result. `f.reduce`, `f.accumulate` and `f.outer` are there for functions of two numbers. `py_func` is the
    function itself.
    """

    def __init__(
        self, function: FunctionType, options: Options, types: Any = None, nout: int = 1,
        identity: Any = NOT_REORDERABLE,
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, function)
        self.__name__: str
        self.__qualname__: str
        self.py_func, self.options, self._given_types = function, options, types
        self.nin, self.nout = inputs_of(function), nout
        if self.nout < 1:
            raise ConfigurationError(f"vectorize: nout={nout!r} is no number of results")
        self.reorderable = identity is not NOT_REORDERABLE
        self.identity = identity if self.reorderable else None
        self.loops = () if types is None else loops(types, self.nin, self.nout)
        self.nests = Nests(function, options)
        self._results = Results(function, options, self.nin, (0,) * nout)

    @entry
    def __call__(
        self, *args: Any, out: Any = None, where: Any = True, dtype: Any = None, casting: str = "same_kind",
        order: str = "K",
    ) -> Any:  # fmt: skip
        operands = self._operands(args[: self.nin])
        outs = outputs(self, args[self.nin :], out)
        loop = self.loop(operands, dtype, casting)
        require_castable(self.__name__, loop.outputs, outs, casting)
        # of what is left as it is where the mask is False, nothing is to be converted to the type of results
        direct = [o if where is True or o is None or o.dtype == t else None for o, t in zip(outs, loop.outputs)]
        with self._iterator(loop, operands, direct, where, order) as iterator:
            if iterator.itersize:
                nest, arguments = self._planned(loop, operands, iterator)
                nest(*arguments)
            made = iterator.operands[-self.nout :]
        for m, d, o in zip(made, direct, outs):
            if o is not None and d is None:
                np.copyto(o, m, "unsafe", where)
        results = [m if o is None else o for m, o in zip(made, outs)]
        found = [r[()] if o is None and r.ndim == 0 else r for r, o in zip(results, outs)]
        return found[0] if self.nout == 1 else tuple(found)

    def _operands(self, args: Sequence[Any]) -> list[Operand]:
        if len(args) != self.nin:
            raise ArgumentTypeError(f"{self.__name__} takes {self.nin} arrays or numbers, {len(args)} given")
        return [operand(self.__name__, a) for a in args]

    def loop(self, operands: Sequence[Operand], dtype: Any = None, casting: Any = "same_kind") -> Loop:
        """The types to compute with. Without declared ones, what the function gives for the operands' own."""
        given = [type_key(o) for o in operands]
        wanted = None if dtype is None else np.dtype(dtype)
        if self.loops:
            return resolved(self.__name__, self.loops, given, wanted, casting)
        samples = [np.zeros((), g)[()] if isinstance(g, np.dtype) else g(1) for g in given]
        first = functools.partial(first_elements, self.__name__, operands)
        results = self._results.of(samples, tuple(given), first)
        if wanted is not None:
            require_castable(self.__name__, results[:1], [np.empty(0, wanted)], casting)
            results = (wanted, *results[1:])
        return Loop(tuple(g if isinstance(g, np.dtype) else np.dtype(g) for g in given), results)

    def _iterator(
        self, loop: Loop, operands: Sequence[Operand], outs: Sequence[Array | None], where: Any, order: Any
    ) -> np.nditer:
        """NumPy's iterator over the arrays, the mask and the results. Errors as NumPy has them."""
        arrays = [(o, t) for o, t in zip(operands, loop.inputs) if isinstance(o, np.ndarray) and o.ndim]
        if where is not True:
            mask = np.asarray(where)
            if mask.dtype != bool:
                raise ArgumentTypeError(f"{self.__name__}: where must be an array of bool, not of {mask.dtype}")
            arrays.append((mask, mask.dtype))
        write = "writeonly" if where is True else "readwrite"
        flags: Any = [*[_READ] * len(arrays), *[(write, *_WRITE)] * self.nout]
        types = [*(t for _, t in arrays), *loop.outputs]
        try:
            return np.nditer([*(a for a, _ in arrays), *outs], _FLAGS, flags, types, order, "unsafe")  # type: ignore
        except ValueError as problem:
            raise ArgumentValueError(f"{self.__name__}: {problem}") from None

    def _planned(self, loop: Loop, operands: Sequence[Operand], iterator: np.nditer) -> tuple[Nest, list[Any]]:
        """The nest for what the iterator goes over, and its arguments."""
        views = [view if view.ndim else view[None] for view in iterator.itviews]
        results, read = views[-self.nout :], iter(views[: -self.nout])
        arguments: list[Any] = []
        axes: list[Axes] = []
        for value, type in zip(operands, loop.inputs):
            if isinstance(value, np.ndarray) and value.ndim:
                _take(next(read), arguments, axes)
            else:
                weak = not self.loops and not isinstance(value, np.ndarray)
                arguments.append(value if weak else converted(value, type))
                axes.append(None)
        if masked := (mask := next(read, None)) is not None:
            _take(mask, arguments, axes)
        return self.nests.map(results[0].ndim, axes, self.nout, masked), [*arguments, *results]

    @entry
    def outer(self, A: Any, B: Any, /, **kwargs: Any) -> Any:
        """`f(a, b)` of each element of A with each of B: a result of shape `A.shape + B.shape`."""
        folds.require_two(self, "outer")
        left, right = (np.asarray(x) if np.ndim(x) else x for x in (A, B))
        if np.ndim(left):
            left = left.reshape(left.shape + (1,) * np.ndim(right))
        return self(left, right, **kwargs)

    @entry
    def reduce(
        self, array: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = folds.NOT_GIVEN, where: Any = True,
    ) -> Any:  # fmt: skip
        """`f(…f(f(a[0], a[1]), a[2])…, a[n-1])` along an axis, several (a tuple), or all (None).

        With an `identity`, f counts as associative and commutative: elements may be combined in any order, and an
        empty axis gives the identity. Without, elements keep their order, only one axis is allowed, and an empty one
        is a ValueError. initial: what the reduction starts with; where: elements that take part.
        """
        return folds.reduce(self, array, axis, dtype, out, keepdims, initial, where)

    @entry
    def accumulate(self, array: Any, /, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """All partial results of `reduce` along an axis: an array of the shape of `array`."""
        return folds.accumulate(self, array, axis, dtype, out)

    def inspect(self, *args: Any, stage: str = "mdh", **kwargs: Any) -> str:
        """The nest of such a call at a stage; see `jit`."""
        nest, arguments = self._nest_of(args, kwargs)
        return nest.inspect(*arguments, stage=stage)

    def explain(self, *args: Any, measure: bool = True, **kwargs: Any) -> Explanation:
        """A report on the nest of such a call; see `jit`."""
        nest, arguments = self._nest_of(args, kwargs)
        return nest.explain(*arguments, measure=measure)

    @entry
    def _nest_of(self, args: Sequence[Any], kwargs: Any) -> tuple[JitFunction[..., Any], list[Any]]:
        operands, outs = self._operands(args[: self.nin]), outputs(self, args[self.nin :], kwargs.get("out"))
        loop = self.loop(operands, kwargs.get("dtype"), kwargs.get("casting", "same_kind"))
        where, order = kwargs.get("where", True), kwargs.get("order", "K")
        with self._iterator(loop, operands, outs, where, order) as iterator:
            if not iterator.itersize:
                raise ArgumentValueError(f"{self.__name__}: there are no elements to compute")
            nest, arguments = self._planned(loop, operands, iterator)
        if not isinstance(nest, JitFunction):
            raise ConfigurationError(f"{self.__name__} is not compiled: MDH_DISABLE_JIT is set")
        return nest, arguments

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<universal function {self.py_func.__module__}.{self.__qualname__}>"

    def __reduce__(self) -> Any:
        from jitmdh.jit.pickling import sent

        name, value = sent(self, self.__qualname__, self.py_func)
        identity = (self.identity,) if self.reorderable else ()
        return name or (_rebuilt, (value or self.py_func, self.options, self._given_types, self.nout, identity))


def _rebuilt(function: Any, options: Options, types: Any, nout: int, identity: tuple[Any, ...]) -> UniversalFunction:
    from jitmdh.jit.decorator import make
    from jitmdh.jit.pickling import received

    return UniversalFunction(received(function, make), options, types, nout, *identity)


def inputs_of(function: Callable[..., Any]) -> int:
    """How many operands a function takes: its positional parameters that have no default."""
    given = inspect.signature(function).parameters.values()
    for parameter in given:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ConfigurationError(f"`{function.__name__}` takes any number of arguments", hint="name each of them")
    return len([p for p in given if p.default is p.empty and p.kind is not p.KEYWORD_ONLY])


def _take(view: Array, arguments: list[Any], axes: list[Axes]) -> None:
    """A view of the iterator as an argument, without the axes along which it is broadcast."""
    kept = tuple(n for n, (extent, stride) in enumerate(zip(view.shape, view.strides)) if stride or extent == 1)
    arguments.append(view[tuple(slice(None) if n in kept else 0 for n in range(view.ndim))])
    axes.append(kept or None)


__all__ = ["NOT_REORDERABLE", "DType", "UniversalFunction", "inputs_of"]
