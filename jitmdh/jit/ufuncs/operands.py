"""Operands of functions of elements: as arrays or numbers, and the types of the loop that takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, NotAnMdhError
from jitmdh.base.settings import config
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.jit.ufuncs.loop_types import DType, Loop
from jitmdh.jit.ufuncs.nests import calling
from jitmdh.mdh.algebra.index import Together, plain_values

Array = np.ndarray[Any, Any]
Operand = Array | int | float | complex
"""An array, of rank 0 where it is a number of NumPy's; or a number of Python's, whose type gives way to others."""

TypeKey = DType | type
"""What the type of an operand is: that of its elements, or one of Python's."""

_OF_PYTHON = (int, float, complex)
_KINDS = "biufc"
_WEAK = {int: 1, float: 3, complex: 4}


def operand(function: str, value: Any) -> Operand:
    """An argument as NumPy's functions take it. ArgumentTypeError where its meaning is not that of its elements."""
    if isinstance(value, _OF_PYTHON) and not isinstance(value, bool | np.generic):
        return value
    if isinstance(value, np.ndarray) and not isinstance(value, np.memmap) and type(value) is not np.ndarray:
        raise ArgumentTypeError(
            f"{function}: an argument is a {type(value).__name__}, whose meaning only Python knows",
            hint="pass its elements: np.asarray(a)",
        )
    array = np.asarray(value)
    try:
        from_numpy(array.dtype.newbyteorder("="))
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{function} is not defined for {array.dtype}: {error.message}") from None
    if array.dtype.names is not None:
        raise ArgumentTypeError(f"{function} is not defined for records", hint="pass their fields: a['x']")
    return array


def type_key(value: Operand) -> TypeKey:
    return from_numpy(value.dtype.newbyteorder("=")).numpy if isinstance(value, np.ndarray) else type(value)


def resolved(
    function: str, listed: Sequence[Loop], given: Sequence[TypeKey], output: DType | None, casting: Any
) -> Loop:
    """The first loop, in the order in which they are listed, that the given types can be cast to without loss.

    output: the type that the first result must have; then `casting` says which conversions are allowed. A number of
    Python's can be cast to each type of its kind and of later kinds where an array is of such a type, too; else it is
    one of int64, float64 or complex128. ArgumentTypeError where there is no such loop.
    """
    rule = "safe" if output is None else casting
    widest = max((_KINDS.index(g.kind) for g in given if isinstance(g, np.dtype)), default=0)
    for loop in listed:
        if output is not None and loop.outputs[0] != output:
            continue
        if all(_fits(g, t, rule, widest) for g, t in zip(given, loop.inputs)):
            return loop
    types = ", ".join(g.__name__ if isinstance(g, type) else str(g) for g in given)
    there = ", ".join(map(str, listed))
    wanted = "" if output is None else f" with results of {output}"
    raise ArgumentTypeError(f"{function}: no loop{wanted} takes ({types}) with casting {rule!r}; there is {there}")


def _fits(given: TypeKey, type: DType, rule: Any, widest: int) -> bool:
    if isinstance(given, np.dtype) or _WEAK[given] > widest:
        return bool(np.can_cast(np.dtype(given), type, rule))
    return _KINDS.index(type.kind) >= _WEAK[given]


def converted(value: Operand, type: DType) -> Any:
    """A number as one of this type. OverflowError for an integer of Python's that is too large."""
    return np.asarray(value, type)[()] if not isinstance(value, np.ndarray) else value.astype(type)[()]


class Results:
    """What a function gives for operands of some types, found by tracing it."""

    def __init__(self, function: FunctionType, options: Options, nin: int, ranks: Sequence[int]) -> None:
        """ranks: of each result."""
        self._function, self._ranks = function, tuple(ranks)
        self._element: JitFunction[..., Any] = make(calling(function, nin), options)
        self._fallback = options.fallback
        self._known: dict[Any, tuple[DType, ...]] = {}

    @property
    def _name(self) -> str:
        return self._function.__name__

    def of(self, samples: Sequence[Any], key: Any, first: Callable[[], Sequence[Any]]) -> tuple[DType, ...]:
        """The types of the results. samples: arguments of these types and ranks; first: the call's first ones."""
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._found(samples, first)
        return known

    def _found(self, samples: Sequence[Any], first: Callable[[], Sequence[Any]]) -> tuple[DType, ...]:
        try:
            program = self._element.traced(self._element.prepared(tuple(samples)))
        except CompilerFault as fault:
            raise fault.error from None
        except NotAnMdhError:
            if (self._fallback or config.fallback) == "error" and not config.disable_jit:
                raise
            return self._in_python(first())
        types = {a.name: (a.type, len(a.shape)) for a in program.allocations}
        types |= {p.name: (p.type, getattr(p, "rank", 0)) for p in program.parameters}
        given = [(r.weak, 0) if r.weak is not None else types[r.name] for r in program.returns or ()]
        if any(isinstance(v, Together) for v in program.values):
            raise ArgumentTypeError(f"{self._name} returns tuples inside of a tuple", hint="return them side by side")
        views = plain_values(program.values)
        given = [given[v] if isinstance(v, int) else (given[v.of][0], v.rank) for v in views] or given
        self._require(tuple(rank for _, rank in given), program.returns_tuple)
        return tuple(type.concrete.numpy for type, _ in given)

    def _in_python(self, arguments: Sequence[Any]) -> tuple[DType, ...]:
        """As `np.vectorize` finds types: of what the first elements lead to."""
        given = self._function(*arguments)
        results = [np.asarray(r) for r in (given if isinstance(given, tuple) else (given,))]
        self._require(tuple(r.ndim for r in results), isinstance(given, tuple))
        return tuple(from_numpy(r.dtype).numpy for r in results)

    def _require(self, ranks: tuple[int, ...], several: bool) -> None:
        if len(ranks) != len(self._ranks) or several != (len(ranks) > 1):
            there = "nothing" if not ranks else f"{len(ranks)} values" if several else "one value"
            hint = f"write nout={len(ranks)}" if ranks else "return what it computes"
            raise ArgumentTypeError(f"{self._name} returns {there}, not {len(self._ranks)}", hint=hint)
        if ranks != self._ranks:
            raise ArgumentTypeError(
                f"{self._name} returns arrays of {', '.join(map(str, ranks))} dimensions, not of "
                f"{', '.join(map(str, self._ranks))}",
                hint="mdh.vectorize is for functions of numbers, mdh.guvectorize for those of arrays",
            )


def first_elements(function: str, operands: Sequence[Any]) -> list[Any]:
    """The first element of each operand. ArgumentValueError where there is none."""
    if any(np.size(o) == 0 for o in operands):
        raise ArgumentValueError(f"{function}: types of results are not known where there are no elements",
                                 hint="give types=")  # fmt: skip
    return [o.flat[0] if isinstance(o, np.ndarray) else o for o in operands]


def outputs(function: Any, positional: Sequence[Any], out: Any) -> list[Array | None]:
    """The arrays that a call gives for the results, None for those to be made. function: has `__name__` and `nout`."""
    name, count = function.__name__, function.nout
    if positional and out is not None:
        raise ArgumentTypeError(f"{name}: out is given twice")
    given = tuple(positional) or (out if isinstance(out, tuple) else () if out is None else (out,))
    if len(given) > count or (isinstance(out, tuple) and len(given) != count):
        raise ArgumentTypeError(f"{name} has {count} results, {len(given)} arrays are given for them")
    if any(o is not None and not isinstance(o, np.ndarray) for o in given):
        raise ArgumentTypeError(f"{name}: out must be an array, or a tuple of arrays and None")
    return [*given, *[None] * (count - len(given))]


def require_castable(function: str, results: Sequence[DType], outs: Sequence[Array | None], casting: Any) -> None:
    """ArgumentTypeError where a result may not be converted to the type of the array that it is to go to."""
    for result, out in zip(results, outs):
        if out is not None and not np.can_cast(result, out.dtype, casting):
            raise ArgumentTypeError(
                f"{function}: cannot cast results from {result} to {out.dtype} with casting rule {casting!r}"
            )


__all__ = ["Array", "Operand", "Results", "TypeKey", "converted", "first_elements", "operand", "outputs",
           "require_castable", "resolved", "type_key"]  # fmt: skip
