"""From the arguments of a call to the key of a specialisation: types, ranks, layouts, aliases.
w: a vector, M: a matrix in C order, alpha: a Python float   ->   float64[1@0], float64[2@1], weak_float
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from jitmdh.base.capacity import LARGEST
from jitmdh.base.dtype import ScalarType, from_numpy, type_of, weak_int
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.process.signals import pass_on
from jitmdh.base.records import dataclass
from jitmdh.hca.interface.buffer import in_main_memory, is_foreign_array
from jitmdh.jit.compilation.static_arguments import STAND_IN, StaticKey, static_key
from jitmdh.mdh.frontend.trace_ir.argument_types import ArgumentType, ArrayType, ConstantKind, Group, ScalarKind

Array = np.ndarray[Any, Any]

_LONG, _FEW = 32, 8  # elements along an axis that are worth code of their own, alone and if there are many rows
MOST_STEP = 4  # elements from one to the next, where that is part of the key
_LONG_ROW, _MANY = 64, 1024  # elements of a row that fill vectors well; of an array whose short rows are worth joining
_LONG_ROW_OF_TWO = 16  # of a matrix, whose only loop around its rows is all that is saved
_MOST_WORK: Any = 100_000  # of deciding whether two arrays share memory; stubs of NumPy differ on its type


@dataclass(frozen=True, slots=True)
class ArrayKey:
    """An array: element type, rank, the axis whose stride is one element, the first argument it is identical to.

    ones: the axes that are known to have extent 1, since they are broadcast. steps: axes that are known to have another
    small stride, with these, in elements. rows: elements lie one behind the other, in short rows, worth joining.
    """

    type: ScalarType
    rank: int
    unit_axis: int | None
    alias: int | None = None
    ones: tuple[int, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()
    rows: bool = False

    @property
    def is_fortran(self) -> bool:
        """Whether neighbours along the first of several axes lie nearer to each other than those along others."""
        nearest = self.unit_axis if self.unit_axis is not None else next((axis for axis, _ in self.steps), None)
        return self.rank > 1 and nearest == 0

    def __str__(self) -> str:
        axis = "" if self.unit_axis is None or self.rank == 0 else f"@{self.unit_axis}"
        same = "" if self.alias is None else f"=#{self.alias}"
        known = [f"shape[{n}] = 1" for n in self.ones] + [f"steps of {step} along {n}" for n, step in self.steps]
        known += ["rows one behind the other"] if self.rows else []
        facts = f" with {', '.join(known)}" if known else ""
        return f"{self.type}[{self.rank}{axis}]{same}{facts}"


@dataclass(frozen=True, slots=True)
class ScalarKey:
    """A scalar; of a weak type if it is one of Python's own."""

    type: ScalarType

    def __str__(self) -> str:
        return str(self.type)


ArgumentKey = ArrayKey | ScalarKey | StaticKey


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments' keys, in the order of the parameters; structure: how arguments are made of these; outside: names
    of arrays from around the function, the last keys; otherwise: what slices do in these calls, and not in most."""

    keys: tuple[ArgumentKey, ...]
    structure: tuple[Group | None, ...] = ()
    outside: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()

    def __str__(self) -> str:
        made = [f"argument {n + 1} is {group}" for n, group in enumerate(self.structure) if group is not None]
        made += [f"with {', '.join(self.outside)}"] if self.outside else []
        return "; ".join([", ".join(map(str, self.keys)), *made, *self.otherwise])

    @property
    def has_aliases(self) -> bool:
        return any(isinstance(k, ArrayKey) and k.alias is not None for k in self.keys)

    @property
    def has_steps(self) -> bool:
        return any(isinstance(k, ArrayKey) and (k.steps or k.rows) for k in self.keys)

    @property
    def has_statics(self) -> bool:
        return any(isinstance(k, StaticKey) for k in self.keys)


def argument_types(
    signature: Signature, ordered: bool = True
) -> tuple[tuple[ArgumentType, ...], tuple[tuple[int, int], ...]]:
    """The types of the arguments as the front end wants them, and which of them are the same array. ordered: whether
    results have the orders of arguments, as NumPy's have."""
    types: list[ArgumentType] = []
    aliases: list[tuple[int, int]] = []
    for position, key in enumerate(signature.keys):
        if isinstance(key, ArrayKey):
            types.append(ArrayType(key.type, key.rank, key.ones, ordered and key.is_fortran))
            if key.alias is not None:
                aliases.append((key.alias, position))
        elif isinstance(key, StaticKey):
            types.append(ConstantKind(key.value))
        else:
            types.append(ScalarKind(key.type.concrete, key.type.is_weak))
    return tuple(types), tuple(aliases)


class Detour(Exception):
    """This call cannot use compiled code though Python can serve it; the undecorated function must run.

    lasting: no call of the same types can.
    """

    def __init__(self, reason: str, lasting: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.lasting = reason, lasting


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call made ready: arguments as the kernel can take them, and their signature.

    In the place of static arguments, which are in the signature, stands something else.

    copied: (position, the user's array) where `arguments` holds an aligned copy instead. Copies share no memory,
    whatever the user's arrays do: questions about memory are asked of `given`. foreign: (position, the user's object)
    where `given` is the same memory as a NumPy array.
    """

    arguments: tuple[Any, ...]
    signature: Signature
    copied: tuple[tuple[int, Array], ...] = ()
    foreign: tuple[tuple[int, Any], ...] = ()

    @property
    def given(self) -> tuple[Any, ...]:
        """The arguments with the user's own arrays."""
        originals = dict(self.copied)
        return tuple(originals.get(n, a) for n, a in enumerate(self.arguments))


def prepare(
    names: Sequence[str], arguments: Sequence[Any], static: Collection[str] = (), extents_known: bool = False
) -> Prepared:  # fmt: skip
    """Classifies the arguments. static: names of those whose numbers are part of the signature. extents_known: arrays
    have the same extents in all calls, so that all strides of those in rows are part of it.

    Raises ArgumentTypeError; Detour where Python has to serve.
    """
    taken: list[Any] = []
    keys: list[ArgumentKey] = []
    copied: list[tuple[int, Array]] = []
    foreign: list[tuple[int, Any]] = []
    for position, (name, argument) in enumerate(zip(names, arguments)):
        if is_foreign_array(argument):
            foreign.append((position, argument))
            argument = in_main_memory(argument, f"argument `{name}`")
        if isinstance(argument, np.ndarray):
            original = array = _plain_array(name, argument)
            _require_near(name, array)
            known = from_numpy(array.dtype).numpy
            if array.dtype is not known:  # an equal dtype object; the native call path compares identities
                array = array.view(known)
            if not _regular(array):
                array = _regular_copy(array)
            if array is not original:
                copied.append((position, original))
            taken.append(array)
            keys.append(array_key(array, extents_known))
        elif (key := static_key(argument, name in static)) is not None:
            taken.append(STAND_IN)
            keys.append(key)
        else:
            taken.append(_plain_scalar(name, argument))
            keys.append(ScalarKey(type_of(taken[-1])))
    return Prepared(tuple(taken), Signature(tuple(keys)), tuple(copied), tuple(foreign))


def _require_near(name: str, array: Array) -> None:
    """Detour for extents or distances in memory that are beyond what compiled code is for (see `base.capacity`)."""
    ends = ((n, (n - 1) * s) for n, s in zip(array.shape, array.strides) if n > 1)
    if any(n >= LARGEST or abs(span) >= LARGEST for n, span in ends):
        raise Detour(f"argument `{name}` has {array.shape} elements with strides {array.strides}: too many or too far")


def _regular(array: Array) -> bool:
    """Aligned, with strides that are whole elements: what kernels rely on. Of records, that each field is so."""
    if array.dtype.names is not None and not _natural(array):
        return False
    return array.flags.aligned and not any(s % array.itemsize for n, s in zip(array.shape, array.strides) if n > 1)


def _natural(array: Array) -> bool:
    """Whether each field of each record lies at a multiple of its size."""
    type = from_numpy(array.dtype)
    sizes = [(at, t.real.size_bytes) for _, t, at in type.fields]
    base, whole = array.ctypes.data, type.size_bytes
    return all((base + at) % size == 0 == at % size == whole % size for at, size in sizes)


def _regular_copy(array: Array) -> Array:
    """A copy that is regular; of records, in the layout that C would give them."""
    if array.dtype.names is None or not array.dtype.fields:
        return array.copy(order="K")
    fields = [(name, array.dtype.fields[name][0]) for name in array.dtype.names]
    dtype = np.dtype(fields, align=True)
    return array.astype(from_numpy(dtype).numpy, order="K")


def array_key(array: Array, extents_known: bool = False) -> ArrayKey:
    """The key of an aligned array of a supported type. extents_known: see `prepare`."""
    unit = unit_axis(array)
    steps = _steps_of_rows(array) if extents_known else None
    if steps is not None:
        return ArrayKey(from_numpy(array.dtype), array.ndim, array.ndim - 1, steps=steps)
    return ArrayKey(from_numpy(array.dtype), array.ndim, unit, steps=_steps(array, unit), rows=_has_short_rows(array))


def _has_short_rows(array: Array) -> bool:
    """Whether code for elements one behind the other is worth compiling: short rows, and many.

    >>> [_has_short_rows(np.zeros(shape)) for shape in ((9, 40, 6), (9, 40, 600), (400, 6), (400, 60))]
    [True, False, True, False]
    """
    flat = array.ndim > 1 and array.size >= _MANY and array.flags.c_contiguous
    return bool(flat) and array.shape[-1] < (_LONG_ROW if array.ndim > 2 else _LONG_ROW_OF_TWO)


def _steps_of_rows(array: Array) -> tuple[tuple[int, int], ...] | None:
    """All strides but the last of an array whose rows lie one behind the other; None for others.

    The stride of an axis of extent 1 means nothing, and native calls do not look at it.

    >>> _steps_of_rows(np.zeros((5, 56, 9))), _steps_of_rows(np.zeros((1, 56, 9))), _steps_of_rows(np.zeros((56, 9)).T)
    (((0, 504), (1, 9)), ((1, 9),), None)
    """
    if not array.ndim or not array.size or not array.flags.c_contiguous:
        return None
    extents = array.shape
    every = [(axis, prod(extents[axis + 1 :])) for axis in range(array.ndim - 1)]
    return tuple((axis, step) for axis, step in every if extents[axis] > 1)


def _steps(array: Array, unit: int | None) -> tuple[tuple[int, int], ...]:
    """The long axis whose elements lie nearest to each other, with the step, if that is short. Of many elements some
    vectors are worth it.

    Beside a shorter axis `unit` only of what may be a picture: narrow matrices share code with others.

    >>> _steps(np.zeros(100)[::-2], None), _steps(np.zeros((50, 60, 3)), 2), _steps(np.zeros((50, 3)), 1)
    (((0, -2),), ((1, 3),), ())
    """
    if unit is not None and (array.ndim < 3 or array.shape[unit] > MOST_STEP):
        return ()
    least = _LONG if array.size < _MANY else _FEW
    long = [axis for axis, extent in enumerate(array.shape) if extent >= least and axis != unit]
    axis = min(long, key=lambda axis: abs(array.strides[axis]), default=None)
    if axis is None or not array.size:
        return ()
    step = array.strides[axis] // array.itemsize
    return ((axis, step),) if 0 < abs(step) <= MOST_STEP else ()


def unit_axis(array: Array) -> int | None:
    """The last axis along which neighbours are neighbours in memory, or None. An axis of extent 0 or 1 fits.

    Unless another one is long: a column of a thousand elements has its own code, one of three elements has not.
    """
    shape: tuple[int, ...] = array.shape
    if not array.size:
        return array.ndim - 1
    unit = [axis for axis, stride in enumerate(array.strides) if stride == array.itemsize and shape[axis] > 1]
    fitting = [*unit, *(axis for axis, extent in enumerate(shape) if extent < 2)]
    last = max(fitting, default=None)
    if last is not None and shape[last] < 2:
        return next((axis for axis in reversed(unit) if shape[axis] >= _LONG), last)
    return last


def _plain_array(name: str, argument: Array) -> Array:
    if type(argument) is not np.ndarray:
        if not isinstance(argument, np.memmap):
            raise Detour(f"argument `{name}` is a {type(argument).__name__}, whose meaning only Python knows")
        argument = argument.view(np.ndarray)
    if argument.dtype.kind not in "biufcV":
        raise ArgumentTypeError(
            f"argument `{name}` has dtype {argument.dtype}, which is no number", hint=_conversion_hint(argument)
        )
    if not argument.dtype.isnative:
        raise Detour(f"argument `{name}` is not in native byte order (dtype {argument.dtype.str})")
    try:
        from_numpy(argument.dtype)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"argument `{name}`: {error.message}", hint=error.hint) from None
    return argument


def _conversion_hint(argument: Array) -> str:
    if argument.dtype.kind == "O":
        return "give it a numeric type: np.array(a, dtype=float)"
    return "pass an array of bool, integer, floating or complex numbers"


def _plain_scalar(name: str, argument: Any) -> Any:
    if isinstance(argument, np.void):
        raise ArgumentTypeError(f"argument `{name}` is one record", hint=f"pass its fields, such as {name}['x']")
    if isinstance(argument, np.generic):
        return argument
    if isinstance(argument, int):
        lo, hi = weak_int.concrete.limits()
        if not lo <= argument <= hi:
            raise Detour(f"argument `{name}` does not fit 64 bits")
        return int(argument)
    if isinstance(argument, float):
        return float(argument)
    if isinstance(argument, complex):
        return complex(argument)
    if isinstance(argument, (list, tuple)):
        raise ArgumentTypeError(
            f"argument `{name}` is a {type(argument).__name__}, not an array", hint=f"pass np.asarray({name})"
        )
    raise ArgumentTypeError(f"argument `{name}` is a {type(argument).__name__}; arrays and scalars can be passed")


def sizes(names: Sequence[str], arguments: Sequence[Any]) -> dict[str, int]:
    """Shapes and integers of a call, by the names that expressions have for them."""
    found: dict[str, int] = {}
    for name, argument in zip(names, arguments):
        if isinstance(argument, np.ndarray):
            found |= {f"{name}.shape[{axis}]": extent for axis, extent in enumerate(argument.shape)}
        elif isinstance(argument, (int, np.integer)):
            found[name] = signed(int(argument))
    return found


def signed(number: int) -> int:
    """`number` as the word of a frame that holds it: those of unsigned 64-bit integers are taken as signed."""
    return number - 2**64 if 2**63 <= number < 2**64 else number


# ---------------------------------------------------------------------------------------------- shared memory


def identical(a: Array, b: Array) -> bool:
    """Whether both are the same elements in the same order, and as much may be done with them."""
    first, second = ((x.ctypes.data, x.shape, x.strides, x.dtype, x.flags.writeable) for x in (a, b))
    return first == second


def overlaps(prepared: Prepared) -> list[tuple[int, int]]:
    """Pairs of array arguments whose bytes may overlap."""
    arrays = [(n, *_extent(a)) for n, a in enumerate(prepared.given) if isinstance(a, np.ndarray) and a.size]
    return [
        (i, j)
        for position, (i, begin, end) in enumerate(arrays)
        for j, other_begin, other_end in arrays[position + 1 :]
        if begin < other_end and other_begin < end
    ]


def _extent(array: Array) -> tuple[int, int]:
    """First address of an array that has elements, and the one behind its last; exactly, as native calls see it."""
    spans = [(n - 1) * s for n, s in zip(array.shape, array.strides)]
    begin: int = array.ctypes.data
    return begin + sum(s for s in spans if s < 0), begin + sum(s for s in spans if s > 0) + array.itemsize


def with_aliases(prepared: Prepared, pairs: Sequence[tuple[int, int]]) -> Prepared:
    """The call with these pairs of identical arrays known to be so: of arrays that are all the same, the first one
    stands in the place of each."""
    keys, arguments = list(prepared.signature.keys), list(prepared.arguments)
    first = {n: n for pair in pairs for n in pair}
    for i, j in pairs:  # two may be the same only by way of a third, which is written
        one, other = sorted((first[i], first[j]))
        first = {n: one if f == other else f for n, f in first.items()}
    for n, f in first.items():
        key = keys[n]
        assert isinstance(key, ArrayKey)
        if n != f:
            keys[n], arguments[n] = replace(key, alias=f), arguments[f]
    return replace(prepared, arguments=tuple(arguments), signature=replace(prepared.signature, keys=tuple(keys)))


def with_ones(prepared: Prepared) -> Prepared:
    """The call with its axes of extent 1 known to be such, so that they may be broadcast; itself if it has none."""
    keys = list(prepared.signature.keys)
    for n, (key, argument) in enumerate(zip(keys, prepared.arguments)):
        if isinstance(key, ArrayKey) and 1 in argument.shape:
            keys[n] = replace(key, ones=tuple(axis for axis, extent in enumerate(argument.shape) if extent == 1))
    return replace(prepared, signature=replace(prepared.signature, keys=tuple(keys)))


def share_elements(a: Array, b: Array) -> bool:
    """Whether two arrays have an element in common; True where that is too hard to tell."""
    try:
        return bool(np.shares_memory(a, b, max_work=_MOST_WORK))
    except Exception as error:  # np.exceptions.TooHardError; any doubt counts as shared
        pass_on(error)
        return True


def overlaps_itself(array: Array) -> bool:
    """Whether two elements of `array` may share memory (broadcast, or strided by hand)."""
    need = array.itemsize
    if array.size == 0:
        return False
    for stride, extent in sorted((abs(s), n) for s, n in zip(array.strides, array.shape) if n > 1):
        if stride < need:
            return True
        need += (extent - 1) * stride
    return False
