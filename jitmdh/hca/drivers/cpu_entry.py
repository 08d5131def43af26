"""What one specialisation takes and returns, and its *plan*: the same, as words for the native call path.

`runtime/plan.h` says what the words mean, `runtime/call.c` does the work. Before anything uses it, `native_call_path`
compares the offsets it relies on with real objects of this Python and this NumPy; if one differs (another object
layout, a free-threaded build) the same steps are taken in Python (`cpu_frame.py`).
"""

from __future__ import annotations

import ctypes
import functools
import struct
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType, complex128, float64, int64
from jitmdh.base.log import logger
from jitmdh.base.process.signals import pass_on
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.cpu_trial import Trial
from jitmdh.hca.drivers.cpu_watches import Place, layout
from jitmdh.hca.drivers.native_code.cpu_callable import call_natively
from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode, load_object
from jitmdh.hca.drivers.native_code.formulas import HasAddress

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """An array parameter.

    unit_axis: the axis whose stride is the item size, None = no axis of two elements and more has this stride.
    alias: number of the first parameter that is the very same array (its own number: none before it). rows: the code
    is for arrays whose elements lie one behind the other.
    """

    type: ScalarType
    rank: int
    unit_axis: int | None
    written: bool
    alias: int
    rows: bool = False

    @property
    def slots(self) -> int:
        return 1 + 2 * self.rank


@dataclass(frozen=True, slots=True)
class ScalarArgument:
    """A scalar parameter. type: weak for a Python scalar, else that of the NumPy scalar it takes."""

    type: ScalarType

    @property
    def slots(self) -> int:
        return max(1, self.type.size_bytes // 8)


@dataclass(frozen=True, slots=True, eq=False)
class StaticArgument:
    """A parameter that takes one object only, which the code was made for and does not read."""

    value: object

    @property
    def slots(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArgument) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


Argument = ArrayArgument | ScalarArgument | StaticArgument


@dataclass(frozen=True, slots=True)
class AllocatedArray:
    """An array (rank 0: a scalar) made by the function; its shape is computed by the guard.

    length: number of the allocation that says, after the call, how many rows of it are returned; None: all. fortran:
    in Fortran's order.
    """

    type: ScalarType
    rank: int
    returned: bool
    length: int | None = None
    fortran: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """One returned value: argument or allocation number `number`."""

    allocated: bool
    number: int


@dataclass(frozen=True, slots=True)
class SizeCondition:
    """The code is for calls with `least ≤ frame[slot] ≤ most`, a multiple of `multiple`: it rests on such sizes.

    factors: slots of further sizes; the product of all is meant then.
    """

    slot: int
    least: int
    most: int
    multiple: int = 1
    factors: tuple[int, ...] = ()

    @property
    def slots(self) -> tuple[int, ...]:
        return self.slot, *self.factors

    def words(self) -> list[int]:
        """As `SizeCondition` in plan.h, one for each slot."""
        before = [word for slot in self.slots[:-1] for word in (slot, 0, 0, 1, 1)]
        return [*before, self.slots[-1], self.least, self.most, self.multiple, 0]


@dataclass(frozen=True, slots=True)
class CallDescription:
    """Everything about a call but the code: parameters, allocations, results (None: returns nothing)."""

    arguments: tuple[Argument, ...]
    allocations: tuple[AllocatedArray, ...] = ()
    results: tuple[Result, ...] | None = None
    returns_tuple: bool = False
    conditions: tuple[SizeCondition, ...] = ()

    @property
    def argument_slots(self) -> tuple[int, ...]:
        """Where each argument begins in the frame."""
        starts, at = [], 0
        for argument in self.arguments:
            starts.append(at)
            at += argument.slots
        return tuple(starts)

    @property
    def allocation_slots(self) -> tuple[int, ...]:
        at = sum(a.slots for a in self.arguments)
        starts = []
        for allocation in self.allocations:
            starts.append(at)
            at += 1 + 2 * allocation.rank
        return tuple(starts)

    @property
    def frame_slots(self) -> int:
        return sum(a.slots for a in self.arguments) + sum(1 + 2 * a.rank for a in self.allocations)

    def with_statics(self, arguments: tuple[object, ...]) -> tuple[object, ...]:
        """The arguments with the objects that static parameters take."""
        if not any(isinstance(a, StaticArgument) for a in self.arguments):
            return arguments
        pairs = zip(self.arguments, arguments)
        return tuple(a.value if isinstance(a, StaticArgument) else given for a, given in pairs)

    @property
    def writes(self) -> bool:
        return any(isinstance(a, ArrayArgument) and a.written for a in self.arguments)


# ---------------------------------------------------------------------------------------------- plans

_PYTHON_KINDS = {"b": 3, "i": 2, "f": 1, "c": 1}
_RESULT_KINDS = {"f": 2, "i": 3, "b": 4, "c": 5}


def _twin(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The other dtype object of the same values: long and long long where both have 64 bits."""
    for char in "lqLQ":
        other = np.dtype(char)
        if other == dtype and other is not dtype:
            return other
    return dtype


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A description bound to code, as words. Holds on to everything the words point to."""

    description: CallDescription
    code: LoadedCode
    words: ctypes.Array[ctypes.c_int64]
    kept: tuple[object, ...]
    trials: list[Trial] = field(default_factory=list)
    """The one in force first, if there is one; then others that calls are still inside of."""

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)

    @property
    def inside(self) -> int:
        """Calls by this plan that have not returned: until there are none, nothing of it may be freed."""
        return self.words[_INSIDE]

    @property
    def trial(self) -> Trial | None:
        """What times the calls of this plan."""
        return self.trials[0] if self.words[_TRIAL] else None

    def observe(self, trial: Trial | None) -> None:
        """Lets `trial` time the calls from now on, instead of the one before; None: no call is timed."""
        kept = [t for t in self.trials if t is not trial and (t.inside or t is self.trial)]
        self.trials[:] = kept if trial is None else [trial, *kept]
        self.words[_TRIAL] = 0 if trial is None else trial.address
        self.trials[:] = [t for t in self.trials if t is trial or t.inside]

    def precede(self, following: Plan | None) -> None:
        """Arranges that calls which this plan's conditions refuse go on to `following`, a plan of the same call."""
        if self.words[_CONDITIONS]:
            self.words[self.words[_CONDITIONS] + 1] = 0 if following is None else following.address

    def remember_in(self, memo: Memo | None) -> None:
        """Calls that begin here look up in `memo` which plan they take; None: they try one after the other."""
        if self.words[_CONDITIONS]:
            self.words[self.words[_CONDITIONS] + 2] = 0 if memo is None else ctypes.addressof(memo)

    @property
    def next_address(self) -> int:
        """Of the plan that calls go on to which this one's conditions refuse; 0: none."""
        return self.words[self.words[_CONDITIONS] + 1] if self.words[_CONDITIONS] else 0

    def succeed(self, other: Plan) -> None:
        """Arranges that calls go on as from `other`."""
        if self.words[_CONDITIONS]:
            self.words[self.words[_CONDITIONS] + 1] = other.next_address


_CONDITIONS, _INSIDE, _TRIAL = 9, 10, 11  # words of a plan: where its conditions are, and what `plan.h` says


def make_plan(description: CallDescription, code: LoadedCode, owner: object = None, release_gil: bool = True) -> Plan:
    """The plan of a call. `code` has `kernel` and, if there is anything to check, `guard`.

    owner: what the table's `fail` gets to know the meaning of a status by.
    """
    kept: list[object] = [owner]
    words = [len(description.arguments), code.address_of("kernel")]
    words.append(code.address_of("guard") if "guard" in code else 0)
    returned = [n for n, a in enumerate(description.allocations) if a.returned]
    results = description.results
    words += [description.frame_slots, len(returned), -1 if results is None else len(results)]
    words += [int(description.returns_tuple), int(description.writes), int(release_gil), 0]
    words += [0, 0, id(owner)]
    for argument, slot in zip(description.arguments, description.argument_slots):
        words += _argument_words(argument, slot, kept)
    for number in returned:
        allocation = description.allocations[number]
        length = 0 if allocation.length is None else 1 + returned.index(allocation.length)
        words += _allocation_words(allocation, description.allocation_slots[number], length, kept)
    for result in results or ():
        words += [int(result.allocated), returned.index(result.number) if result.allocated else result.number]
    if description.conditions:
        words[_CONDITIONS] = len(words)
        words += [sum(len(c.slots) for c in description.conditions), 0, 0]
        words += [word for c in description.conditions for word in c.words()]
    return Plan(description, code, (ctypes.c_int64 * len(words))(*words), tuple(kept))


def _argument_words(argument: Argument, slot: int, kept: list[object]) -> list[int]:
    if isinstance(argument, StaticArgument):
        kept.append(argument.value)
        return [4, int(_is_its_value(argument.value)), id(argument.value), 0, 0, 0, 0, -1, slot, 0]
    if isinstance(argument, ScalarArgument):
        type_object = _scalar_class(argument.type)
        kept.append(type_object)
        kind = _PYTHON_KINDS[argument.type.kind] if argument.type.is_weak else 1
        return [kind, argument.type.size_bytes, id(type_object), 0, 0, 0, 0, -1, slot, 0]
    dtype = argument.type.numpy
    twin = _twin(dtype)
    kept += [dtype, twin]
    flags = ALIGNED | (WRITEABLE if argument.written else 0) | (CONTIGUOUS if argument.rows else 0)
    axis = -1 if argument.unit_axis is None else argument.unit_axis
    size = argument.type.size_bytes
    return [0, argument.rank, id(dtype), id(twin), axis, size, flags, argument.alias, slot, 0]


def _is_its_value(value: object) -> bool:
    """Whether an object of the same type that is equal is no other value; 0.0 and -0.0 are two."""
    return type(value) in (str, int) or (type(value) is float and value != 0.0)


def _scalar_class(type: ScalarType) -> object:
    if type.is_weak:
        return {"b": bool, "i": int, "f": float, "c": complex}[type.kind]
    return type.numpy.type


def _allocation_words(allocation: AllocatedArray, slot: int, length: int, kept: list[object]) -> list[int]:
    dtype = allocation.type.numpy
    kept.append(dtype)
    kind = 0
    if allocation.rank == 0:
        kind = _RESULT_KINDS[allocation.type.kind] if allocation.type.is_weak else 1
    return [kind, allocation.rank, id(dtype), slot, length, int(allocation.fortran)]


# ---------------------------------------------------------------------------------------------- native code

# Positions in NumPy's table of C functions, fixed by its ABI.
_ARRAY_EMPTY, _ARRAY_ZEROS, _ARRAY_SCALAR, _ARRAY_RESIZE = 184, 183, 60, 80


@functools.cache
def _python() -> ctypes.PyDLL:
    """Python's C functions, with their types; an instance of our own, since types are set on it."""
    api = ctypes.PyDLL(None)
    for name, result, arguments in (
        ("PyCapsule_GetPointer", ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)),
        ("PyCapsule_New", ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)),
        ("PyCFunction_NewEx", ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)),
        ("Py_DecRef", None, (ctypes.py_object,)),
    ):
        function = getattr(api, name)
        function.restype, function.argtypes = result, arguments
    return api


def _array_api(position: int) -> int:
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    table = _python().PyCapsule_GetPointer(_multiarray_umath._ARRAY_API, None)
    address = ctypes.c_void_p.from_address(table + 8 * position).value
    assert address is not None
    return address


class _MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


DONE, MISMATCH, REFUSED, FAILED = 0, 1, 3, 4  # what `jitmdh_call` returns, in its low byte
_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_DISPATCH, FORMULA = "jitmdh_dispatch", "jitmdh_formula"


class NativeCallPath:
    """The loaded module `call` of the runtime."""

    def __init__(self, code: LoadedCode) -> None:
        self.code = code
        # PYFUNCTYPE: called with the GIL held, since it handles Python objects; the kernel runs without it
        self._call = ctypes.PYFUNCTYPE(
            ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
        )(code.address_of("jitmdh_call"))
        self._definitions = {
            entry: _MethodDefinition(b"__call__", code.address_of(entry), _FASTCALL_KEYWORDS, None)
            for entry in (_DISPATCH, FORMULA)
        }

    def call(self, plan: Plan, arguments: tuple[object, ...]) -> tuple[int, object]:
        """(status, result) of one call by `plan`; see `jitmdh_call`. Status 2 is raised as the exception it means."""
        arguments = plan.description.with_statics(arguments)
        count = len(arguments)
        objects = (ctypes.py_object * max(1, count))(*arguments)  # type: ignore[misc]
        result = ctypes.c_void_p()
        status = self._call(plan.address, ctypes.addressof(objects), count, ctypes.addressof(result))
        if status & 0xFF == FAILED:
            _python().Py_DecRef(ctypes.cast(result, ctypes.py_object).value)  # the plan's owner
        if status & 0xFF != DONE:
            return status, None
        if status >> 8 and plan.trial is not None:  # it asks to be looked at: after the next call that can be
            plan.trial.notice_at(plan.trial.spent_seconds)
        value = ctypes.cast(result, ctypes.py_object).value
        _python().Py_DecRef(value)
        return 0, value

    def builtin(self, table: HasAddress, keep: object, entry: str = _DISPATCH) -> Any:
        """A builtin function over `table`, which lives as long as it does, with `keep`. entry: FORMULA for formulas."""
        capsule = _python().PyCapsule_New(table.address, None, None)
        definition = ctypes.addressof(self._definitions[entry])
        return _python().PyCFunction_NewEx(definition, capsule, (table, keep))

    def take_calls(self, callable: object, table: HasAddress, entry: str = _DISPATCH) -> None:
        """Lets calls of an object, which keeps `table`, go there at once; see `call_natively`."""
        call_natively(callable, self.code.address_of(f"{entry}_object"), table.address)


Memo = ctypes.Array[ctypes.c_int64]
_MEMO_SIZES, _MEMO_CALLS = 6, 128
_WORTH_REMEMBERING = 3  # plans


def _memo(chain: Sequence[Plan]) -> Memo | None:
    """Nothing remembered yet, of plans that differ in code and conditions only; None where trying them is as good."""
    slots = sorted({slot for plan in chain for c in plan.description.conditions for slot in c.slots})
    if len(chain) < _WORTH_REMEMBERING or len(slots) > _MEMO_SIZES:
        return None
    return (ctypes.c_int64 * (1 + _MEMO_SIZES + _MEMO_CALLS * (_MEMO_SIZES + 1)))(len(slots), *slots)


_WATCHED_KEPT = 64  # layouts of watches: a call that reads one may, in Python code of an attribute, replace it


class CallTable:
    """The plans of one function, tried in order by its builtin; then the slow path.

    Of plans that differ in code and conditions only, the arguments are taken once.

    slow: called with the call's arguments when no plan fits; fail: called with a kernel's status and the owner of its
    plan, and raises; observe: called with the arguments of a call after it, where its trial asks for that.
    """

    CAPACITY = 128
    _HEADER = 6

    def __init__(self, slow: object, fail: object, observe: object = None) -> None:
        self._words = (ctypes.c_int64 * (self._HEADER + self.CAPACITY))(0, 0, id(slow), id(fail), id(observe))
        self._plans: tuple[Plan, ...] = ()
        self._retired: list[Plan] = []
        self._memos: list[tuple[list[Plan], Memo | None]] = []
        self._kept: list[object] = [slow, fail, observe]
        self._watched: deque[object] = deque(maxlen=_WATCHED_KEPT)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._words)

    @property
    def calls(self) -> int:
        """Calls that a plan of this table served."""
        return self._words[0]

    @property
    def plans(self) -> tuple[Plan, ...]:
        return self._plans

    def replace(self, plans: tuple[Plan, ...]) -> None:
        """Sets all plans, at most CAPACITY, at once.

        Until all are set, calls take the slow path. One that is running keeps what it uses: a plan is freed only when
        no call is inside.
        """
        self._retire(p for p in self._plans if p not in plans)
        self._words[1] = 0
        for plan in (*self._plans, *plans):
            plan.remember_in(None)
        chains: dict[CallDescription, list[Plan]] = {}
        for plan in plans:
            chains.setdefault(replace(plan.description, conditions=()), []).append(plan)
        for position, chain in enumerate(chains.values()):
            for plan, following in zip(chain, (*chain[1:], None)):
                plan.precede(following)
            self._words[self._HEADER + position] = chain[0].address
        self._plans = plans
        self._remember(chains.values())
        self._words[1] = len(chains)

    def _remember(self, chains: Iterable[list[Plan]]) -> None:
        """Lets calls look up their plans anew."""
        before, self._memos = self._memos, [(chain, _memo(chain)) for chain in chains]
        for chain, memo in self._memos:
            chain[0].remember_in(memo)
        del before  # by now no call can meet these

    def exchange(self, old: Plan, new: Plan) -> None:
        """Puts a plan for the same calls into the place of another, by one store: no call meets anything between."""
        if new.description != old.description:
            raise ValueError("only a plan for the same calls can take the place of another")
        plans = tuple(new if p is old else p for p in self._plans)
        new.succeed(old)
        for place in range(self._HEADER, self._HEADER + self._words[1]):
            if self._words[place] == old.address:
                self._words[place] = new.address
        for before in self._plans:
            if before.next_address == old.address:
                before.precede(new)
        self._plans = plans
        self._remember([[new if p is old else p for p in chain] for chain, _ in self._memos])
        self._retire([old])

    def _retire(self, plans: Iterable[Plan]) -> None:
        """Holds on to plans that calls are inside of, and lets go of those that had to be held."""
        self._retired = [p for p in (*self._retired, *plans) if p.inside]

    def watch(self, places: Sequence[Place], absent: object) -> None:
        """Calls take the slow path once one of these places holds another object. absent: stands for none."""
        words = layout(places, absent)
        array = (ctypes.c_int64 * len(words))(*words)
        self._watched.append((array, tuple(places)))
        self._words[5] = ctypes.addressof(array) if places else 0


def _symbols() -> dict[str, int]:
    return {
        "jitmdh_ndarray_type": id(np.ndarray),
        "jitmdh_array_empty": _array_api(_ARRAY_EMPTY),
        "jitmdh_array_zeros": _array_api(_ARRAY_ZEROS),
        "jitmdh_array_scalar": _array_api(_ARRAY_SCALAR),
        "jitmdh_array_resize": _array_api(_ARRAY_RESIZE),
    }


@functools.cache
def native_call_path() -> NativeCallPath | None:
    """The native call path; None where this Python or NumPy is laid out otherwise than it expects."""
    try:
        problem = _layout_problem()
        if problem:
            logger().info("calls go through Python: %s", problem)
            return None
        return NativeCallPath(load_object(cpu_runtime.own_code("call"), _symbols()))
    except Exception as error:
        pass_on(error)
        logger().warning("calls go through Python: %s", error)
        return None


# ---------------------------------------------------------------------------------------------- self-test


def _layout_problem() -> str:
    """What differs from the layout that `runtime/objects.h` relies on; empty if nothing does."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8:
        return "not CPython on a 64-bit machine"
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or object.__basicsize__ != 16:
        return "another object header (free-threaded or debug build)"
    for array in (np.zeros((3, 5), np.float32)[:, ::2], np.zeros((2, 3, 4), np.int64).T, np.zeros((), bool)):
        if (found := _array_problem(array)) is not None:
            return found
    content: list[int] = []
    cell = _cell(content)
    if _word(id(cell) + 16) != id(content):
        return "the contents of a closure cell are elsewhere"
    return _scalar_problem()


def _cell(content: object) -> object:
    return (lambda: content).__closure__[0]  # type: ignore[index]


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _array_problem(array: np.ndarray[Any, Any]) -> str | None:
    at, rank = id(array), array.ndim
    dims, strides = _word(at + 32), _word(at + 40)
    facts = {
        "type": (_word(at + 8), id(np.ndarray)),
        "data": (_word(at + 16), array.ctypes.data),
        "rank": (ctypes.c_int.from_address(at + 24).value, rank),
        "dtype": (_word(at + 56), id(array.dtype)),
        "flags": (ctypes.c_int.from_address(at + 64).value, array.flags.num),
    }
    for name, (found, expected) in facts.items():
        if found != expected:
            return f"field `{name}` of an array is elsewhere"
    for k in range(rank):
        if (_word(dims + 8 * k), _word(strides + 8 * k)) != (array.shape[k], array.strides[k]):
            return "shape or strides of an array are elsewhere"
    return None


def _scalar_problem() -> str:
    samples: list[tuple[object, bytes]] = [
        (1.5, struct.pack("d", 1.5)),
        (1.5 - 2j, struct.pack("dd", 1.5, -2.0)),
    ]
    for name in ("bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64"):
        value = np.dtype(name).type(1)
        samples.append((value, value.tobytes()))
    samples.append((np.complex128(1 + 2j), np.complex128(1 + 2j).tobytes()))
    for value, expected in samples:
        if ctypes.string_at(id(value) + 16, len(expected)) != expected:
            return f"the value of {type(value).__name__} is elsewhere"
    if (float64.size_bytes, int64.size_bytes, complex128.size_bytes) != (8, 8, 16):
        return "unexpected sizes"
    return ""
