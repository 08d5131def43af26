"""`@guvectorize`: a function of arrays of known ranks as a function of arrays of any higher rank.

After NumPy's generalised universal functions: a signature such as "(m,k),(k,n)->(m,n)" names the core dimensions, the
last ones of each array. All others are loops, broadcast as in universal functions; the nest around the function has one
loop for each of them, and the function's own loops are inside of it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.ufuncs.core_dimensions import CoreSignature, core_signature, extents, loop_shape, with_core, without
from jitmdh.jit.ufuncs.loop_types import DeclaredLoops, DType, Loop, loops
from jitmdh.jit.ufuncs.nests import Axes, Nests
from jitmdh.jit.ufuncs.operands import Array, Results, operand, outputs, require_castable, resolved, type_key


class GeneralizedFunction(DeclaredLoops):
    """A function of arrays that is called with arrays of higher rank: what `guvectorize` makes.

    `f(*arrays, out=None, axes=None, axis=None, dtype=None, casting="same_kind")` as NumPy's generalised universal
    functions: the last axes of each array, or those that `axes` lists, are its core dimensions; all others are
    broadcast. Results go to `out` (an array, or a tuple of arrays) or to new arrays. `py_func` is the function itself.
    """

    def __init__(self, function: FunctionType, options: Options, signature: str, types: Any = None) -> None:
        functools.update_wrapper(self, function)
        self.__name__: str
        self.__qualname__: str
        self.py_func, self.options, self._given_types = function, options, types
        self.core: CoreSignature = core_signature(signature)
        self.nin, self.nout = len(self.core.inputs), len(self.core.outputs)
        taken = len([p for p in inspect.signature(function).parameters.values() if p.default is p.empty])
        if taken not in (self.nin, self.nin + self.nout):
            raise ConfigurationError(
                f"`{function.__name__}` takes {taken} arguments, the signature {signature!r} has {self.nin} and "
                f"{self.nout} of results",
                hint="take the arguments and return the results, or take arrays for the results, too, and fill them",
            )
        self.returns = taken == self.nin
        self.loops = () if types is None else loops(types, self.nin, self.nout)
        self.nests = Nests(function, options)
        self._results = Results(function, options, self.nin, [len(core) for core in self.core.outputs])

    @property
    def signature(self) -> str:
        """The core dimensions, as given."""
        return self.core.text

    @entry
    def __call__(
        self, *args: Any, out: Any = None, axes: Any = None, axis: Any = None, dtype: Any = None,
        casting: str = "same_kind",
    ) -> Any:  # fmt: skip
        outs = outputs(self, args[self.nin :], out)
        if len(args) < self.nin:
            raise ArgumentTypeError(f"{self.__name__} takes {self.nin} arrays, {len(args)} given")
        given = [np.asarray(operand(self.__name__, a)) for a in args[: self.nin]]
        places = self._places(axes, axis)
        operands = [_moved(a, place) for a, place in zip(given, places)]
        targets = [None if o is None else _moved(o, place) for o, place in zip(outs, places[self.nin :])]
        sizes, missing = extents(self.__name__, self.core, operands, targets)
        operands = [with_core(a, core, missing) for a, core in zip(operands, self.core.inputs)]
        shape = loop_shape(self.__name__, self.core, operands, targets, missing)
        loop = self._loop(given, operands, outs, dtype, casting)
        require_castable(self.__name__, loop.outputs, outs, casting)
        made = [np.empty(shape + tuple(sizes[d.name] for d in core), type)
                for core, type in zip(self.core.outputs, loop.outputs)]  # fmt: skip
        if all(extent for extent in shape):
            self._run(loop, operands, made, shape)
        dropped = [without(m, core, missing) for m, core in zip(made, self.core.outputs)]
        results = [self._given(m, o, t, p) for m, o, t, p in zip(dropped, outs, targets, places[self.nin :])]
        return results[0] if self.nout == 1 else tuple(results)

    def _given(self, made: Array, out: Array | None, target: Array | None, place: tuple[int, ...]) -> Any:
        if out is None or target is None:
            last = tuple(range(-len(place), 0))
            result = made if place == last else np.moveaxis(made, last, place)
            return result[()] if result.ndim == 0 else result
        np.copyto(target, made, casting="unsafe")
        return out

    def _places(self, axes: Any, axis: Any) -> list[tuple[int, ...]]:
        """Where the core dimensions of each argument and result are."""
        cores = [*self.core.inputs, *self.core.outputs]
        if axis is not None:
            if axes is not None or len({d.name for core in cores for d in core}) != 1:
                raise ArgumentTypeError(f"{self.__name__}: axis is for one core dimension that all share, without axes")
            return [(int(axis),) * len(core) for core in cores]
        last = [tuple(range(-len(core), 0)) for core in cores]
        if axes is None:
            return last
        listed = [tuple(a) if isinstance(a, Sequence) else (int(a),) for a in axes]
        without = [core for core in self.core.outputs if core]
        if len(listed) == self.nin and not without:
            listed += [()] * self.nout
        if [len(a) for a in listed] != [len(core) for core in cores]:
            raise ArgumentValueError(f"{self.__name__}: axes must list the axes of {self.core.text}, got {axes!r}")
        return listed

    def _loop(
        self, given: Sequence[Array], operands: Sequence[Array], outs: Sequence[Array | None], dtype: Any, casting: Any
    ) -> Loop:
        """The types to compute with."""
        wanted = None if dtype is None else np.dtype(dtype)
        types = [type_key(a) for a in given]
        if self.loops:
            return resolved(self.__name__, self.loops, types, wanted, casting)
        plain: tuple[DType, ...] = tuple(t for t in types if isinstance(t, np.dtype))
        if wanted is not None:
            return Loop(plain, (wanted,) * self.nout)
        if self.returns:
            samples = [_sample(a, len(core)) for a, core in zip(operands, self.core.inputs)]
            return Loop(plain, self._results.of(samples, tuple(types), lambda: samples))
        if any(o is None for o in outs):
            raise ArgumentTypeError(f"{self.__name__}: the types of its results are not known",
                                    hint="pass out= or dtype=, declare types=, or return the results")  # fmt: skip
        return Loop(plain, tuple(type_key(o) for o in outs if o is not None))  # type: ignore[misc]

    def _run(self, loop: Loop, operands: Sequence[Array], made: Sequence[Array], shape: tuple[int, ...]) -> None:
        """The function at each point of the loops; there is one loop at least."""
        rank = max(len(shape), 1)
        arguments: list[Any] = []
        axes: list[tuple[Axes, int]] = []
        for array, core, type in zip(operands, self.core.inputs, loop.inputs):
            kept, part = _loops_of(array.astype(type, copy=False), len(core), shape)
            arguments.append(part[()] if part.ndim == 0 else part)
            axes.append((kept or None, len(core)))
        for result, core in zip(made, self.core.outputs):
            padded = result if shape else result[None]
            arguments.append(padded if core or self.returns else padded[..., None])
        nest = self.nests.call(rank, axes, [len(core) for core in self.core.outputs], self.returns)
        nest(*arguments)

    def __repr__(self) -> str:
        return f"<generalised universal function {self.py_func.__module__}.{self.__qualname__} {self.core.text}>"

    def __reduce__(self) -> Any:
        from jitmdh.jit.pickling import sent

        name, value = sent(self, self.__qualname__, self.py_func)
        return name or (_rebuilt, (value or self.py_func, self.options, self.core.text, self._given_types))


def _rebuilt(function: Any, options: Options, signature: str, types: Any) -> GeneralizedFunction:
    from jitmdh.jit.decorator import make
    from jitmdh.jit.pickling import received

    return GeneralizedFunction(received(function, make), options, signature, types)


def _moved(array: Array, place: tuple[int, ...]) -> Array:
    """`array` with the axes of `place` last; itself where they are, or where it has too few (an error later)."""
    if not place or array.ndim < len(place) or place == tuple(range(-len(place), 0)):
        return array
    axes = [normalize_axis_index(int(axis), array.ndim) for axis in place]
    return np.moveaxis(array, axes, range(-len(axes), 0))


def _sample(array: Array, core: int) -> Any:
    """An argument of the function itself."""
    if not core:
        return np.zeros((), array.dtype)[()]
    return np.zeros(array.shape[array.ndim - core :], array.dtype)


def _loops_of(array: Array, core: int, shape: tuple[int, ...]) -> tuple[tuple[int, ...], Array]:
    """The loops that an operand takes part in, and the operand with axes for those and its core dimensions only."""
    before = array.ndim - core
    first = len(shape) - before
    kept = [n for n in range(before) if array.shape[n] == shape[first + n]]
    part = array[tuple(slice(None) if n in kept else 0 for n in range(before))]
    return tuple(first + n for n in kept), part


__all__ = ["GeneralizedFunction"]
