"""Conversions between types in LLVM IR: C's, and to bool whether a value is not zero."""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType, bool_, float16, float32, float64, int32, int64, uint32, uint64
from jitmdh.mdh.targets.llvm.instructions.spelling import Spelling
from jitmdh.mdh.targets.llvm.types.half_floats import ShortFloats
from jitmdh.mdh.targets.llvm.types.names import literal, llvm_type, vector_type


def cast(s: Spelling, value: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
    """C's conversions; to bool: whether it is not zero."""
    if source == target:
        return value
    short = ShortFloats(s.f.emit, s.f.module.converts_half)
    if source.kind == "f" and source.bits == 16:
        return cast(s, short.widened(value, source, lanes), float32, target, lanes)
    if target.kind == "f" and target.bits == 16:
        if source == float64 and target == float16:
            return short.narrowed(short.rounded_to_odd(value, lanes), target, lanes)
        return short.narrowed(cast(s, value, source, float32, lanes), target, lanes)
    have, want = vector_type(llvm_type(source), lanes), vector_type(llvm_type(target), lanes)
    zero = "zeroinitializer" if lanes > 1 else ("0.0" if source.kind == "f" else "0")
    if target == bool_:
        return s.emit(f"{'fcmp une' if source.kind == 'f' else 'icmp ne'} {have} {value}, {zero}")
    if source.kind == "f" and target.kind == "f":
        op = "fpext" if target.bits > source.bits else "fptrunc"
    elif source.kind == "f":
        return _truncated(s, value, source, target, lanes)
    elif target.kind == "f":
        op = "sitofp" if source.kind == "i" else "uitofp"
    elif source != bool_ and target.bits == source.bits:
        return value
    else:
        narrow = source != bool_ and target.bits < source.bits
        op = "trunc" if narrow else ("sext" if source.kind == "i" else "zext")
    return s.emit(f"{op} {have} {value} to {want}")


def _truncated(s: Spelling, value: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
    """A float as an integer, as NumPy's C code does it: by way of int32, or of int64 for uint32 and 64 bits, of
    which unsigned ones keep the low bits; from 2⁶³ on, a uint64 is 2⁶³ and the rest."""
    way = int64 if target.bits == 64 or target == uint32 else int32
    have, through = vector_type(llvm_type(source), lanes), vector_type(llvm_type(way), lanes)

    def number(of: str) -> str:
        return s.emit(f"freeze {through} {s.emit(f'fptosi {have} {of} to {through}')}")

    if target != uint64:
        return cast(s, number(value), way, target, lanes)
    half, top = literal(2.0**63, source), str(-(2**63))
    if lanes > 1:
        half, top = f"splat ({llvm_type(source)} {half})", f"splat (i64 {top})"
    large = s.emit(f"fcmp oge {have} {value}, {half}")
    less = s.emit(f"fsub {have} {value}, {half}")
    above = s.emit(f"xor {through} {number(less)}, {top}")
    return s.select(large, through, above, number(value), lanes)
