"""The scalar types of the compiler: what they are in NumPy, and how they promote.

Promotion is NumPy's (NEP 50). A Python `bool`, `int`, `float` or `complex` has a *weak* type, which says only its kind:
it adapts to the NumPy type it meets, so `f32 * 2.5` is f32. What operations return says the table of operations in
`mdh/algebra/operations`. All of this is data and small rules, checked against NumPy for every combination of types.

>>> str(promote(int32, float32)), str(promote(float32, weak_float)), str(promote(int32, weak_float))
('float64', 'float32', 'float64')
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


@dataclass(frozen=True, slots=True, eq=False)
class ScalarType:
    """A scalar type. kind: 'b' bool, 'i' signed, 'u' unsigned, 'f' floating, 'c' complex; bits: 0 if weak.

    kind 'V' is a record: no scalar itself, but what arrays of records have as elements. fields: its (name, type,
    offset in bytes), in the order of names that tuples are assigned in.
    """

    name: str
    kind: str
    bits: int
    fields: tuple[tuple[str, ScalarType, int], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Types are compared more often than anything else: nearly always with themselves, or with another name."""
        if self is other:
            return True
        if not isinstance(other, ScalarType) or self.name != other.name:
            return False
        return (self.kind, self.bits, self.fields) == (other.kind, other.bits, other.fields)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name + "_" * (self.name == "bool")

    @property
    def is_weak(self) -> bool:
        """Whether this is the type of a Python scalar, which adapts to what it meets."""
        return self.bits == 0

    @property
    def is_integer(self) -> bool:
        """Whether values are signed or unsigned integers (bool is none)."""
        return self.kind in "iu"

    @property
    def is_floating(self) -> bool:
        """Whether values are real floating-point numbers."""
        return self.kind == "f"

    @property
    def size_bytes(self) -> int:
        """Size in memory; bool takes a byte."""
        return max(8, self.concrete.bits) // 8

    @property
    def concrete(self) -> ScalarType:
        """This type, or for a weak one the type that NumPy gives such a Python scalar on its own."""
        return _CONCRETE[self.kind] if self.is_weak else self

    @property
    def accumulator(self) -> ScalarType:
        """The type in which long sums of this one are kept: float32 for the 16-bit floats, else itself."""
        return float32 if self.kind == "f" and self.bits == 16 else self

    @property
    def real(self) -> ScalarType:
        """The type of the real part: float32 for complex64, float64 for complex128, else itself."""
        if self.kind != "c":
            return self
        return weak_float if self.is_weak else _BY_NAME[f"float{self.bits // 2}"]

    @property
    def parts(self) -> tuple[tuple[str, ScalarType, int], ...]:
        """(name, type, offset in bytes) of what an element consists of, in the order of memory: fields, or real and
        imaginary part; () if it is one number."""
        if self.kind == "c":
            return ("real", self.real, 0), ("imag", self.real, self.size_bytes // 2)
        return tuple(sorted(self.fields, key=lambda field: field[2]))

    @property
    def is_uniform(self) -> bool:
        """Whether the parts are equally large and fill the element, in order."""
        size = self.size_bytes // max(1, len(self.parts))
        return all(t.size_bytes == size and at == n * size for n, (_, t, at) in enumerate(self.parts))

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype, in native byte order. bfloat16 needs the package ml_dtypes."""
        return _numpy(self.concrete.name)

    def limits(self) -> tuple[int, int]:
        """Least and greatest value of a bool or integer type.

        >>> int8.limits()
        (-128, 127)
        """
        if self.kind == "b":
            return 0, 1
        if not self.is_integer:
            raise ArgumentTypeError(f"{self} has no integer limits")
        bits = self.concrete.bits
        return (0, 2**bits - 1) if self.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


bool_ = ScalarType("bool", "b", 1)
int8, int16, int32, int64 = (ScalarType(f"int{bits}", "i", bits) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (ScalarType(f"uint{bits}", "u", bits) for bits in (8, 16, 32, 64))
float16, float32, float64 = (ScalarType(f"float{bits}", "f", bits) for bits in (16, 32, 64))
bfloat16 = ScalarType("bfloat16", "f", 16)
complex64, complex128 = ScalarType("complex64", "c", 64), ScalarType("complex128", "c", 128)

weak_bool, weak_int = ScalarType("weak_bool", "b", 0), ScalarType("weak_int", "i", 0)
weak_float, weak_complex = ScalarType("weak_float", "f", 0), ScalarType("weak_complex", "c", 0)

INTEGER_TYPES = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)
FLOATING_TYPES = (float16, bfloat16, float32, float64)
COMPLEX_TYPES = (complex64, complex128)
SCALAR_TYPES = (bool_, *INTEGER_TYPES, *FLOATING_TYPES, *COMPLEX_TYPES)
WEAK_TYPES = (weak_bool, weak_int, weak_float, weak_complex)

_BY_NAME = {t.name: t for t in SCALAR_TYPES}
_CONCRETE = {"b": bool_, "i": int64, "f": float64, "c": complex128}
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


# ---------------------------------------------------------------------------------------------- NumPy and Python


_records: dict[str, np.dtype[Any]] = {}
"""The NumPy dtype object that a record type was made from first: native calls compare identities."""


@cache
def _numpy(name: str) -> np.dtype[Any]:
    if name.startswith("record("):
        type = named(name)
        names = [n for n, _, _ in type.fields]
        formats = [t.numpy for _, t, _ in type.fields]
        layout = {"names": names, "formats": formats, "offsets": [at for _, _, at in type.fields]}
        made: np.dtype[Any] = np.dtype({**layout, "itemsize": type.size_bytes})  # type: ignore[call-overload]
        return _records.setdefault(name, made)
    if name == "bfloat16":
        try:
            import ml_dtypes  # noqa: F401  (teaches NumPy the name)
        except ImportError:
            raise ArgumentTypeError("NumPy has no bfloat16 of its own", hint="install the package ml_dtypes") from None
    if name == "int128":
        return np.dtype(object)  # Python's integers: guards compare in it what 64 bits cannot hold
    return np.dtype(name)


_found: dict[np.dtype[Any], ScalarType] = {}  # of numbers; NumPy takes long to say what a dtype is called


def from_numpy(dtype: DTypeLike) -> ScalarType:
    """The scalar type of a NumPy dtype. Raises ArgumentTypeError for a byte order or type that is not supported.

    >>> from_numpy("f4"), from_numpy(np.dtype(bool))
    (float32, bool_)
    """
    try:
        given = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{dtype!r} is no type of elements", reason=str(error)) from None
    if (known := _found.get(given)) is not None:
        return known
    if given.names is not None:
        return _record(given)
    found = _BY_NAME.get(given.name)
    if found is None:
        raise ArgumentTypeError(f"no support for dtype {given}", hint=f"supported: {', '.join(_BY_NAME)}")
    if not given.isnative:
        raise ArgumentTypeError(
            f"dtype {given.str} is not in native byte order", hint=f"convert it with a.astype(np.{given.name})"
        )
    return _found.setdefault(given, found)


def _record(dtype: np.dtype[Any]) -> ScalarType:
    """The type of a structured dtype whose fields are numbers and do not overlap."""
    fields: list[tuple[str, ScalarType, int]] = []
    end = 0
    assert dtype.names is not None and dtype.fields is not None
    for name in sorted(dtype.names, key=lambda name: dtype.fields[name][1]):  # type: ignore[index]
        field, at, *_ = dtype.fields[name]
        if not name.isidentifier():
            raise ArgumentTypeError(f"field {name!r} of a record", hint="give it a name that Python would allow")
        if field.names is not None or field.subdtype is not None:
            what = "a record itself" if field.names is not None else "an array"
            raise ArgumentTypeError(f"field `{name}` of a record is {what}", hint="pass it as an array of its own")
        type = from_numpy(field)
        if at < end:
            raise ArgumentTypeError(f"field `{name}` of a record overlaps another one")
        end = at + type.size_bytes
        fields.append((name, type, at))
    if not fields:
        raise ArgumentTypeError("a record without fields")
    fields.sort(key=lambda field: dtype.names.index(field[0]))  # type: ignore[union-attr]  # what tuples are in
    listed = ",".join(f"{name}:{type.name}@{at}" for name, type, at in fields)
    text = f"record({listed},{dtype.itemsize})"
    _records.setdefault(text, dtype)
    return named(text)


@cache
def named(name: str) -> ScalarType:
    """The type of that name; KeyError if there is none.

    >>> named("float32"), named("record(x:float32@0,n:int64@8,16)").parts[1]
    (float32, ('n', int64, 8))
    """
    if not name.startswith("record("):
        return _BY_NAME[name]
    *listed, size = name[len("record(") : -1].split(",")
    fields = []
    for one in listed:
        field, _, rest = one.partition(":")
        type, _, at = rest.partition("@")
        fields.append((field, _BY_NAME[type], int(at)))
    return ScalarType(name, "V", 8 * int(size), tuple(fields))


def type_of(value: object) -> ScalarType:
    """The type of a scalar value: weak for Python's own, else that of the NumPy scalar.

    >>> type_of(3), type_of(np.float32(3))
    (weak_int, float32)
    """
    if isinstance(value, (np.generic, np.ndarray)):
        return from_numpy(value.dtype)
    for python, weak in ((bool, weak_bool), (int, weak_int), (float, weak_float), (complex, weak_complex)):
        if isinstance(value, python):
            return weak
    raise ArgumentTypeError(f"no scalar of a supported type: {type(value).__name__}")


# ---------------------------------------------------------------------------------------------------- promotion


def python_number(value: bool | int | float | complex, type: ScalarType) -> bool | int | float | complex:
    """A number as Python has those of a type: 1 of floats is 1.0.

    Not remembered: 0.0 and -0.0 are one key.
    """
    match type.kind:
        case "b":
            return bool(value)
        case "f" if not isinstance(value, complex):
            return float(value)
        case "c":
            return complex(value)
    return value


def promote(a: ScalarType, b: ScalarType) -> ScalarType:
    """The type in which NumPy combines values of `a` and `b`: commutative; weak only if both are."""
    if a == b:
        return a
    if a.is_weak or b.is_weak:
        return _promote_weak(a, b)
    if _RANK[a.kind] > _RANK[b.kind]:
        a, b = b, a
    if a.kind == "b":
        return b
    if b.kind == "c":
        return max(b, _complex_of(a), key=lambda t: t.bits)
    if b.kind == "f":
        return _widest_float(b, a if a.kind == "f" else smallest_float(a, b))
    return _promote_integers(a, b)


def is_same_kind(source: ScalarType, target: ScalarType) -> bool:
    """Whether NumPy converts numbers of a type to another by itself (casting="same_kind"); Python's integers adapt."""
    if "V" in (source.kind, target.kind):
        return source == target
    if source.kind == "i" and target.kind == "u":
        return source.is_weak
    return _RANK[source.kind] <= _RANK[target.kind]


def _promote_weak(a: ScalarType, b: ScalarType) -> ScalarType:
    weak, other = (a, b) if a.is_weak else (b, a)
    if other == bfloat16 and weak.kind == "f":
        return float32  # as ml_dtypes registers it with NumPy: a Python float counts as a float16 there
    if _RANK[weak.kind] <= _RANK[other.kind]:
        return other
    if other.is_weak:
        return weak
    if weak.kind == "c" and other.kind == "f":
        return _complex_of(other)
    return weak.concrete


def _promote_integers(a: ScalarType, b: ScalarType) -> ScalarType:
    if a.kind == b.kind:
        return max(a, b, key=lambda t: t.bits)
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    bits = max(signed.bits, 2 * unsigned.bits)
    return _BY_NAME[f"int{bits}"] if bits <= 64 else float64


def smallest_float(integer: ScalarType, beside: ScalarType = float16) -> ScalarType:
    """The smallest floating type that holds all values of `integer`, in the sense of NumPy's safe casting."""
    if integer.bits <= 8:
        return bfloat16 if beside == bfloat16 else float16
    return float32 if integer.bits == 16 else float64


def _complex_of(part: ScalarType) -> ScalarType:
    """The smallest complex type whose parts hold values of `part`; a complex type is its own."""
    if part.kind == "c":
        return part
    if part.is_integer:
        part = smallest_float(part)
    return complex128 if part.bits == 64 else complex64


def _widest_float(a: ScalarType, b: ScalarType) -> ScalarType:
    if a.bits == b.bits and a != b:
        return float32  # float16 with bfloat16: neither holds the other
    return max(a, b, key=lambda t: t.bits)
