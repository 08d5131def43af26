"""How types and constants are spelled in LLVM IR."""

from __future__ import annotations

import math
import struct

import numpy as np

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.base.errors import NotAnMdhError

# float16 as its bits: arithmetic is float32's, and conversions need not be the processor's.
_FLOATS = {16: "i16", 32: "float", 64: "double"}

_MEMORY: dict[str, str] = {}
"""What `memory_type` has answered, by the names of types."""


def llvm_type(type: ScalarType) -> str:
    """The type of a value in registers (bool: i1)."""
    return "i1" if type.kind == "b" else memory_type(type)


def memory_type(type: ScalarType) -> str:
    """The type of a value in memory (bool: i8)."""
    known = _MEMORY.get(type.name)
    if known is None:
        known = _MEMORY[type.name] = _memory_type(type)
    return known


def _memory_type(type: ScalarType) -> str:
    found = _FLOATS.get(type.bits) if type.kind == "f" else "i8" if type.kind == "b" else None
    if found is not None:
        return found
    if type.kind in "iu":
        return f"i{type.bits}"
    raise NotAnMdhError(
        f"values of type {type} are not supported by the CPU back end yet",
        hint="use real and imaginary parts as separate arrays",
    )


def vector_type(type: str, lanes: int) -> str:
    return type if lanes == 1 else f"<{lanes} x {type}>"


def literal(value: bool | int | float | complex, type: ScalarType) -> str:
    """A constant in LLVM's spelling: floating-point numbers as the bits of a double.

    >>> from jitmdh.base.dtype import bool_, float32
    >>> literal(0.5, float32), literal(True, bool_)
    ('0x3FE0000000000000', 'true')
    """
    if type.kind == "b":
        return "true" if value else "false"
    if type is int64 and -(1 << 63) <= value < 1 << 63:  # type: ignore[operator]
        return str(int(value))  # type: ignore[arg-type]
    if type.is_integer:
        bits = int(value) & ((1 << type.bits) - 1)  # type: ignore[arg-type]
        return str(bits - (1 << type.bits) if bits >> (type.bits - 1) else bits)
    number = float(value)  # type: ignore[arg-type]
    if type.bits == 16 and type.name == "bfloat16":
        raw = struct.unpack("<I", struct.pack("<f", np.float32(number)))[0]
        rounded = (raw + 0x7FFF + ((raw >> 16) & 1)) >> 16 if math.isfinite(number) else raw >> 16
        return str((rounded & 0xFFFF ^ 0x8000) - 0x8000)
    if type.bits == 16:
        with np.errstate(over="ignore"):
            return str(int(np.float16(number).view(np.int16)))
    if type.bits == 32:
        with np.errstate(over="ignore"):
            number = float(np.float32(number))
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
