"""Decorated functions inside `@njit` code.

Numba asks an object it does not know for `_numba_type_`. It gets an njit function that stands for ours; for the
argument types Numba has inferred, that function fills a frame, and calls guard and kernel by address. Numba is
imported only here, when it has asked.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from jitmdh.base.dtype import ScalarType, from_numpy, weak_bool, weak_complex, weak_float, weak_int
from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError
from jitmdh.base.status import Status
from jitmdh.hca.drivers.cpu_entry import ArrayArgument, CallDescription, Plan, ScalarArgument
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.signature import ArgumentKey, ArrayKey, ScalarKey, Signature


class Specialised(Protocol):
    """A function compiled for one signature, with the plan of its calls."""

    @property
    def plan(self) -> Plan | None: ...
    @property
    def compiled(self) -> Compiled: ...


class FunctionForNumba(Protocol):
    """What is needed of a decorated function."""

    @property
    def name(self) -> str: ...
    @property
    def parameter_names(self) -> tuple[str, ...]: ...
    def specialise(self, signature: Signature) -> Specialised: ...


_WEAK: dict[str, ScalarType] = {"b": weak_bool, "i": weak_int, "f": weak_float, "c": weak_complex}


_called: list[Plan] = []  # Numba's code contains their addresses, and is never unloaded


def numba_type(function: FunctionForNumba) -> Any:
    """The Numba type of a decorated function: that of an njit function which calls it."""
    kept = vars(function).get("_numba_caller")
    if kept is None:
        kept = function._numba_caller = _caller(function)  # type: ignore[attr-defined]
    return kept._numba_type_


def _caller(function: FunctionForNumba) -> Any:
    """`njit(lambda a, b: stub(a, b))`, where `stub` is overloaded with one implementation per argument types."""
    import numba
    from numba.core.errors import TypingError
    from numba.extending import overload

    names = ", ".join(function.parameter_names)

    def implementation(*types: Any) -> Any:
        try:
            signature = Signature(tuple(_key(t) for t in types))
            specialisation = function.specialise(signature)
        except (ArgumentTypeError, NotAnMdhError, CompilerFault) as error:
            raise TypingError(str(error)) from None
        if specialisation.plan is None:
            raise TypingError(f"{function!r} has no native code that Numba could call")
        _called.append(specialisation.plan)
        return _implementation(function, specialisation.plan, specialisation.compiled)

    space: dict[str, Any] = {"implementation": implementation}
    exec(f"def stub({names}): raise NotImplementedError\ndef typed({names}): return implementation({names})", space)
    overload(space["stub"], strict=False)(space["typed"])
    exec(f"def caller({names}): return stub({names})", space)
    return numba.njit(space["caller"])


def _key(type: Any) -> ArgumentKey:
    """The key of an argument of a Numba type. ArgumentTypeError where there is none."""
    from numba.core import types
    from numba.np.numpy_support import as_dtype

    if isinstance(type, types.Array):
        if not type.aligned:
            raise ArgumentTypeError(f"misaligned arrays ({type}) cannot be passed inside njit code")
        axis = {"C": type.ndim - 1, "F": 0}.get(type.layout) if type.ndim else None
        return ArrayKey(from_numpy(as_dtype(type.dtype)), type.ndim, axis)
    if isinstance(type, (types.Literal, types.Omitted)):
        raise ArgumentTypeError(f"{type} cannot be passed inside njit code")
    try:
        scalar = from_numpy(as_dtype(type))
    except (NotImplementedError, ArgumentTypeError):
        raise ArgumentTypeError(f"{type} cannot be passed inside njit code") from None
    # inside njit code a Python scalar and the NumPy scalar of its width are one type: take the weak one
    weak = _WEAK.get(scalar.kind)
    return ScalarKey(weak if weak is not None and weak.concrete == scalar else scalar)


def _implementation(function: FunctionForNumba, plan: Plan, compiled: Compiled) -> Any:
    """Source of the implementation: fill the frame, look for overlap, guard, allocate, kernel, results."""
    description, names = plan.description, function.parameter_names
    space: dict[str, Any] = {"np": np, "span": _span(), "kernel": _invoker(plan, "kernel"), "plan": plan}
    lines = [
        f"def implementation({', '.join(names)}):",
        f"frame = np.empty({max(1, description.frame_slots)}, np.int64)",
    ]
    for name, argument, slot in zip(names, description.arguments, description.argument_slots):
        if isinstance(argument, ArrayArgument):
            lines.append(f"frame[{slot}] = {name}.ctypes.data")
            for axis in range(argument.rank):
                lines.append(f"frame[{slot + 1 + axis}] = {name}.shape[{axis}]")
                lines.append(f"frame[{slot + 1 + argument.rank + axis}] = {name}.strides[{axis}]")
        elif isinstance(argument, ScalarArgument):
            kind = argument.type.numpy.name.replace("bool", "bool_")
            lines.append(f"frame[{slot}:{slot + argument.slots}].view(np.{kind})[0] = {name}")
    lines += _overlap_checks(description, names, function)
    if "guard" in plan.code:
        space["guard"] = _invoker(plan, "guard")
        lines.append("failed = guard(frame.ctypes)")
        for number, check in enumerate(compiled.checks, 1):
            if check.kind in _ERRORS:
                lines.append(f"if failed == {number}: raise {_ERRORS[check.kind]}({check.message!r})")
        lines.append("if failed != 0:")
        lines.append(f"    raise IndexError('{function.name}: a subscript leaves its array, or shapes do not fit')")
    lines += _allocations(description)
    lines.append("status = kernel(frame.ctypes)")
    lines += [f"if status == {status}: raise {error}({message!r})" for status, error, message in _failures(compiled)]
    lines.append(f"if status != 0: raise MemoryError('{function.name}: not enough memory for working buffers')")
    lines.append(_return(description, names))
    exec("\n    ".join(lines), space)
    return space["implementation"]


_ERRORS = {
    "zero": "ZeroDivisionError", "value": "ValueError", "range": "OverflowError", "index": "IndexError",
    "unbound": "UnboundLocalError", "linalg": "ValueError", "raise": "RuntimeError",
}  # fmt: skip
"""What faults of each kind are, and checks that sizes decide."""


def _failures(compiled: Compiled) -> Iterator[tuple[int, str, str]]:
    """What each status but that for memory raises: status, name of the error, message."""
    yield Status.DIVISION_BY_ZERO, "ZeroDivisionError", "integer division or remainder by zero"
    yield (
        Status.INTERRUPTED,
        "RuntimeError",
        "ended by a signal, such as that of Ctrl-C",
    )  # Numba raises Exceptions only
    yield Status.NEGATIVE_POWER, "ValueError", "integers to negative integer powers are not allowed"
    for number, check in enumerate(compiled.data_checks):
        error = "IndexError" if check.kind == "bounds" else "ValueError"
        yield from ((first + number, error, check.message) for first in (Status.FIRST_EARLY, Status.FIRST_LATE))
    for number, fault in enumerate(compiled.faults):
        yield Status.FIRST_FAULT + number, _ERRORS.get(fault.kind, fault.kind), fault.message


def _overlap_checks(description: CallDescription, names: tuple[str, ...], function: FunctionForNumba) -> list[str]:
    arrays = [(n, a) for n, a in zip(names, description.arguments) if isinstance(a, ArrayArgument)]
    lines = []
    if description.writes:
        lines += [f"{name}_lo, {name}_hi = span({name})" for name, _ in arrays]
    for position, (name, argument) in enumerate(arrays):
        for other, beside in arrays[position + 1 :]:
            if argument.written or beside.written:
                lines.append(f"if {name}_lo < {other}_hi and {other}_lo < {name}_hi:")
                lines.append(f"    raise ValueError('{function.name}: arguments {name} and {other} overlap in memory')")
    return lines


def _allocations(description: CallDescription) -> list[str]:
    lines = []
    for number, (allocation, slot) in enumerate(zip(description.allocations, description.allocation_slots)):
        if allocation.returned:
            extents = ", ".join(f"frame[{slot + 1 + axis}]" for axis in range(allocation.rank)) or "1"
            kind = allocation.type.numpy.name.replace("bool", "bool_")
            if allocation.fortran:
                turned = ", ".join(f"frame[{slot + 1 + axis}]" for axis in reversed(range(allocation.rank)))
                lines.append(f"made{number} = np.empty(({turned},), np.{kind}).T")
            else:
                lines.append(f"made{number} = np.empty(({extents},), np.{kind})")
            lines.append(f"frame[{slot}] = made{number}.ctypes.data")
    return lines


def _return(description: CallDescription, names: tuple[str, ...]) -> str:
    if description.results is None:
        return "return None"
    values = []
    for result in description.results:
        if result.allocated:
            made = description.allocations[result.number]
            part = "" if made.length is None else f"[:made{made.length}[0]]"
            values.append(f"made{result.number}[0]" if made.rank == 0 else f"made{result.number}{part}")
        else:
            values.append(names[result.number])
    inner = ", ".join(values)
    return f"return ({inner},)" if description.returns_tuple else f"return {inner}"


def _invoker(plan: Plan, name: str) -> Any:
    """A function of the plan's code as a foreign function, which Numba calls by address (and never caches)."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(plan.code.address_of(name))


def _span() -> Any:
    """An njit function: the first and one past the last byte of an array."""
    import numba

    @numba.njit
    def span(array: Any) -> Any:
        lo = hi = array.ctypes.data
        if array.size == 0:
            return lo, lo
        for axis in range(array.ndim):
            reach = (array.shape[axis] - 1) * array.strides[axis]
            if reach < 0:
                lo += reach
            else:
                hi += reach
        return lo, hi + array.itemsize

    return span
