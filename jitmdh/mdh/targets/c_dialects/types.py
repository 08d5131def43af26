"""How types and constants are spelled in OpenCL C and its dialects, and what is not.

A truth value is an `int` (0 or 1); of several lanes it is an `int2` … `int16` of 0 and -1, as OpenCL compares.
float16 and bfloat16 are `float` in registers.
"""

from __future__ import annotations

import math

from jitmdh.base.dtype import ScalarType, bfloat16, bool_
from jitmdh.mdh.kernel.printer import c_type
from jitmdh.mdh.targets.c_dialects.half_floats import is_short

LANES = (1, 2, 4, 8, 16)


class NoSpelling(Exception):
    """What a dialect has no words for, by its name; the target says so as its own refusal."""


def value_type(type: ScalarType, lanes: int = 1) -> str:
    """The type of a value in registers."""
    if lanes not in LANES:
        raise NoSpelling(f"a vector of {lanes} lanes")
    return "int" + (str(lanes) if lanes > 1 else "") if type == bool_ else _c(type, lanes)


def memory_type(type: ScalarType) -> str:
    """The type of an element in memory."""
    if is_short(type):
        return "ushort" if type == bfloat16 else "half"
    return "uchar" if type == bool_ else _c(type)


def value_bits(type: ScalarType) -> int:
    """Of a number in registers."""
    return 32 if is_short(type) else type.bits


def _c(type: ScalarType, lanes: int = 1) -> str:
    if type.kind not in "iufb":
        raise NoSpelling(f"the type {type}")
    return f"float{lanes if lanes > 1 else ''}" if is_short(type) else c_type(type, lanes)


def literal(value: bool | int | float | complex, type: ScalarType) -> str:
    """
    >>> from jitmdh.base.dtype import float32, float64, int32, int64, int8
    >>> literal(0.1, float32), literal(-0.0, float64), literal(-(2**63), int64), literal(-3, int8), literal(True, bool_)
    ('0x1.99999a0000000p-4f', '(-0x0.0p+0)', '(-9223372036854775807L - 1)', '(char)(-3)', '1')
    >>> literal(-(2**31), int32)  # -2147483648 would be a long
    '(-2147483647 - 1)'
    """
    if type == bool_:
        return str(int(bool(value)))
    if type.is_integer:
        return _integer(int(value), type)  # type: ignore[arg-type]
    number = float(type.numpy.type(float(value)))  # type: ignore[arg-type]
    name = _c(type)
    if math.isnan(number):
        return f"({name})NAN"
    if math.isinf(number):
        return f"(({name}){'-' if number < 0 else ''}INFINITY)"
    text = number.hex() + ("f" if value_bits(type) == 32 else "")
    return f"({text})" if text.startswith("-") else text


def _integer(value: int, type: ScalarType) -> str:
    bits = value & ((1 << type.bits) - 1)
    number = bits - (1 << type.bits) if type.kind == "i" and bits >> (type.bits - 1) else bits
    suffix = {("i", 64): "L", ("u", 64): "UL", ("u", 32): "U"}.get((type.kind, type.bits), "")
    if type.bits >= 32 and number == -(1 << (type.bits - 1)):  # its absolute value is no number of the type
        return f"({number + 1}{suffix} - 1)"
    text = f"({number}{suffix})" if number < 0 else f"{number}{suffix}"
    return text if type.bits >= 32 else f"({_c(type)}){text}"
