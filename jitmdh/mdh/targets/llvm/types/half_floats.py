"""float16 and bfloat16 in LLVM IR: 16 bits in registers, float32 in arithmetic, conversions rounded to nearest even.

LLVM has types for both, but turns conversions that the processor lacks into calls of its own runtime library, which
nobody has at hand; so they are written out.
"""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import ScalarType, bfloat16
from jitmdh.mdh.targets.llvm.types.names import vector_type


class ShortFloats:
    """Conversions on vectors of `lanes`; `emit` writes an instruction and names its result.

    converts_half: the processor has instructions between float16 and float32.
    """

    def __init__(self, emit: Callable[[str], str], converts_half: bool) -> None:
        self.emit, self.converts_half = emit, converts_half

    def widened(self, value: str, type: ScalarType, lanes: int) -> str:
        """A 16-bit float as float32: exact."""
        if type == bfloat16:
            wide = self._cast("zext", value, "i16", "i32", lanes)
            return self._cast("bitcast", self._integer("shl", wide, 16, lanes), "i32", "float", lanes)
        if self.converts_half:
            half = self._cast("bitcast", value, "i16", "half", lanes)
            return self._cast("fpext", half, "half", "float", lanes)
        return self._widened_half(value, lanes)

    def narrowed(self, value: str, type: ScalarType, lanes: int) -> str:
        """float32 as a 16-bit float."""
        if type != bfloat16 and self.converts_half:
            half = self._cast("fptrunc", value, "float", "half", lanes)
            return self._cast("bitcast", half, "half", "i16", lanes)
        bits = self._cast("bitcast", value, "float", "i32", lanes)
        short = self._brain_bits(bits, lanes) if type == bfloat16 else self._half_bits(bits, lanes)
        return self._cast("trunc", short, "i32", "i16", lanes)

    def rounded_to_odd(self, value: str, lanes: int) -> str:
        """float64 as float32, inexact results with an odd last bit: rounding once more rounds as if from the start."""
        near = self._cast("fptrunc", value, "double", "float", lanes)
        back = self._cast("fpext", near, "float", "double", lanes)
        bits = self._cast("bitcast", near, "float", "i32", lanes)
        wide = vector_type("double", lanes)
        sizes = [self._size(v, lanes) for v in (back, value)]
        beyond = self.emit(f"fcmp ogt {wide} {sizes[0]}, {sizes[1]}")
        inexact = self.emit(f"fcmp one {wide} {back}, {value}")
        below = self._select(beyond, self._integer("sub", bits, 1, lanes), bits, lanes)
        odd = self._select(inexact, self._integer("or", below, 1, lanes), below, lanes)
        return self._cast("bitcast", odd, "i32", "float", lanes)

    # ---------------------------------------------------------------------------------------------- bit by bit

    def _brain_bits(self, bits: str, lanes: int) -> str:
        """The upper half, rounded; NaN stays NaN."""
        even = self._integer("and", self._integer("lshr", bits, 16, lanes), 1, lanes)
        nudged = self._both("add", self._integer("add", bits, 0x7FFF, lanes), even, lanes)
        rounded = self._integer("lshr", nudged, 16, lanes)
        nan = self._integer("or", self._integer("lshr", bits, 16, lanes), 0x40, lanes)
        size = self._integer("and", bits, 0x7FFFFFFF, lanes)
        return self._select(self._above(size, 0x7F800000, lanes), nan, rounded, lanes)

    def _half_bits(self, bits: str, lanes: int) -> str:
        """Normal results by adding to the bits, subnormal ones by adding a float whose last bit is theirs."""
        size = self._integer("and", bits, 0x7FFFFFFF, lanes)
        odd = self._integer("and", self._integer("lshr", size, 13, lanes), 1, lanes)
        nudged = self._both("add", self._integer("add", size, 0xFFF - (112 << 23), lanes), odd, lanes)
        normal = self._integer("lshr", nudged, 13, lanes)
        magic = 126 << 23
        number = self._cast("bitcast", size, "i32", "float", lanes)
        shift = self._cast("bitcast", self._constant(magic, lanes), "i32", "float", lanes)
        sum = self.emit(f"fadd {vector_type('float', lanes)} {number}, {shift}")
        subnormal = self._integer("sub", self._cast("bitcast", sum, "float", "i32", lanes), magic, lanes)
        result = self._select(self._above(size, (113 << 23) - 1, lanes), normal, subnormal, lanes)
        nan = self._select(
            self._above(size, 0x7F800000, lanes), self._constant(0x7E00, lanes), self._constant(0x7C00, lanes), lanes
        )
        result = self._select(self._above(size, (143 << 23) - 1, lanes), nan, result, lanes)
        sign = self._integer("and", self._integer("lshr", bits, 16, lanes), 0x8000, lanes)
        return self._both("or", result, sign, lanes)

    def _widened_half(self, value: str, lanes: int) -> str:
        """Exponent and mantissa moved up and scaled by 2¹¹²; infinities and NaN get the greatest exponent."""
        bits = self._cast("zext", value, "i16", "i32", lanes)
        moved = self._integer("shl", self._integer("and", bits, 0x7FFF, lanes), 13, lanes)
        number = self._cast("bitcast", moved, "i32", "float", lanes)
        scale = self._cast("bitcast", self._constant(239 << 23, lanes), "i32", "float", lanes)
        scaled = self.emit(f"fmul {vector_type('float', lanes)} {number}, {scale}")
        finite = self._cast("bitcast", scaled, "float", "i32", lanes)
        special = self._integer("or", moved, 0x7F800000, lanes)
        size = self._select(self._above(moved, (0x7C00 << 13) - 1, lanes), special, finite, lanes)
        sign = self._integer("shl", self._integer("and", bits, 0x8000, lanes), 16, lanes)
        return self._cast("bitcast", self._both("or", size, sign, lanes), "i32", "float", lanes)

    # ------------------------------------------------------------------------------------------------ spelling

    def _constant(self, value: int, lanes: int) -> str:
        signed = (value + 2**31) % 2**32 - 2**31
        return f"splat (i32 {signed})" if lanes > 1 else str(signed)

    def _cast(self, op: str, value: str, source: str, target: str, lanes: int) -> str:
        return self.emit(f"{op} {vector_type(source, lanes)} {value} to {vector_type(target, lanes)}")

    def _integer(self, op: str, value: str, constant: int, lanes: int) -> str:
        return self._both(op, value, self._constant(constant, lanes), lanes)

    def _both(self, op: str, left: str, right: str, lanes: int) -> str:
        return self.emit(f"{op} {vector_type('i32', lanes)} {left}, {right}")

    def _above(self, value: str, limit: int, lanes: int) -> str:
        return self.emit(f"icmp ugt {vector_type('i32', lanes)} {value}, {self._constant(limit, lanes)}")

    def _select(self, mask: str, yes: str, no: str, lanes: int) -> str:
        type = vector_type("i32", lanes)
        return self.emit(f"select {vector_type('i1', lanes)} {mask}, {type} {yes}, {type} {no}")

    def _size(self, value: str, lanes: int) -> str:
        """Absolute value of a double, by its bits."""
        wide, bits = vector_type("double", lanes), vector_type("i64", lanes)
        most = f"splat (i64 {2**63 - 1})" if lanes > 1 else str(2**63 - 1)
        masked = self.emit(f"and {bits} {self.emit(f'bitcast {wide} {value} to {bits}')}, {most}")
        return self.emit(f"bitcast {bits} {masked} to {wide}")
