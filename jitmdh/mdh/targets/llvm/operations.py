"""Scalar operations in LLVM IR, lane by lane, with Python's and NumPy's meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from jitmdh.base.dtype import ScalarType, bool_, float16, float32, float64, int32, int64, uint32, uint64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.kernel.ir import Apply
from jitmdh.mdh.targets.llvm.math import vector_functions
from jitmdh.mdh.targets.llvm.types.half_floats import ShortFloats
from jitmdh.mdh.targets.llvm.types.names import literal, llvm_type, vector_type

_COMPARE = {"lt": ("slt", "ult", "olt"), "le": ("sle", "ule", "ole"), "gt": ("sgt", "ugt", "ogt"),
            "ge": ("sge", "uge", "oge"), "eq": ("eq", "eq", "oeq"), "ne": ("ne", "ne", "une")}  # fmt: skip
_PLAIN = {"add": ("add", "fadd"), "sub": ("sub", "fsub"), "mul": ("mul", "fmul"), "truediv": ("", "fdiv"),
          "and": ("and", ""), "or": ("or", ""), "xor": ("xor", ""), "udiv": ("udiv", ""), "urem": ("urem", ""),
          "exact_div": ("sdiv exact", "")}  # fmt: skip
_INTRINSIC = {
    "sqrt": "sqrt",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "copysign": "copysign",
}


def fuses(node: Apply) -> bool:
    """Whether `c ± a·b` is rounded once: in reductions, on floats that are not computed as wider ones."""
    return node.relaxed and node.op in ("add_product", "sub_product") and node.type.kind == "f" and node.type.bits >= 32


class Declarations(Protocol):
    """The module around: declarations and helper functions it will contain."""

    declarations: set[str]
    functions: list[str]
    converts_half: bool


class Writer(Protocol):
    """The function in the making."""

    @property
    def module(self) -> Declarations: ...

    def emit(self, text: str, hint: str = "v") -> str: ...
    def do(self, text: str) -> None: ...


class Operations:
    """Spells `Apply` nodes for one function in the making."""

    def __init__(self, function: Writer) -> None:
        self.f = function
        self._short = ShortFloats(function.emit, function.module.converts_half)

    def apply(self, node: Apply, operands: list[str]) -> str:
        """`node` on operands that have been spelled already."""
        type = node.operands[0].type
        if node.op == "cast":
            return self.cast(operands[0], type, node.type, node.lanes)
        if node.op == "first_lanes":
            return self._first_lanes(operands[0], node.lanes)
        if node.op == "select":
            value = vector_type(llvm_type(node.type), node.lanes)
            mask = vector_type("i1", node.lanes)
            return self.f.emit(f"select {mask} {operands[0]}, {value} {operands[1]}, {value} {operands[2]}")
        if type.kind == "f" and type.bits == 16:
            return self._in_float32(node, operands, type)
        return self.operation(node.op, operands, type, node.lanes, node.relaxed)

    def operation(self, op: str, operands: list[str], type: ScalarType, lanes: int, relaxed: bool = False) -> str:
        """One operation on operands that all have `type`."""
        llvm, floating = vector_type(llvm_type(type), lanes), type.kind == "f"
        if type == bool_ and op == "add":
            op = "or"  # True + True is True
        if op in _PLAIN and _PLAIN[op][floating]:
            flags = " contract" if floating and relaxed else ""
            return self.f.emit(f"{_PLAIN[op][floating]}{flags} {llvm} {', '.join(operands)}")
        if op in ("add_product", "sub_product"):
            return self._product(op[:3], operands, type, lanes)
        if op in _COMPARE:
            which = 2 if floating else (0 if type.kind == "i" else 1)
            return self.f.emit(f"{'fcmp' if floating else 'icmp'} {_COMPARE[op][which]} {llvm} {', '.join(operands)}")
        special = getattr(self, f"_op_{op}", None)
        if special is not None:
            result: str = special(operands, type, lanes, llvm)
            return result
        if op in _INTRINSIC and floating:
            return self.intrinsic(_INTRINSIC[op], operands, type, lanes)
        if op in vector_functions.LIBM and floating:
            return self._libm(op, operands, type, lanes)
        raise NotAnMdhError(f"operation {op} on {type} is not supported by the CPU back end")

    def multiply_add(self, node: Apply, operands: list[str]) -> str:
        """`c ± a·b` on a, b and c, rounded once where the processor can."""
        if node.op.startswith("sub"):
            negative = self._op_neg(operands, node.type, node.lanes, vector_type(llvm_type(node.type), node.lanes))
            operands = [negative, *operands[1:]]
        return self.intrinsic("fmuladd", operands, node.type, node.lanes)

    def intrinsic(self, name: str, operands: list[str], type: ScalarType, lanes: int) -> str:
        scalar = llvm_type(type)
        llvm = vector_type(scalar, lanes)
        suffix = {"float": "f32", "double": "f64"}.get(scalar, scalar)
        full = f"@llvm.{name}." + (f"v{lanes}{suffix}" if lanes > 1 else suffix)
        self.f.module.declarations.add(f"declare {llvm} {full}({', '.join([llvm] * len(operands))})")
        return self.f.emit(f"call {llvm} {full}({', '.join(f'{llvm} {o}' for o in operands)})")

    def _libm(self, op: str, operands: list[str], type: ScalarType, lanes: int) -> str:
        """A function on vectors; where there is none, the C library's, lane after lane."""
        scalar = llvm_type(type)
        found = vector_functions.definition(op, type, lanes)
        if found is not None:
            self.f.module.declarations |= found.declarations
            if found.text not in self.f.module.functions:
                self.f.module.functions.insert(0, found.text)
            vector = vector_type(scalar, lanes)
            return self.f.emit(f"call {vector} {found.name}({', '.join(f'{vector} {o}' for o in operands)})")
        name = "@" + vector_functions.LIBM[op] + ("f" if type == float32 else "")
        self.f.module.declarations.add(f"declare {scalar} {name}({', '.join([scalar] * len(operands))}) memory(none)")
        return self.lanewise(
            lambda args: self.f.emit(f"call {scalar} {name}({', '.join(f'{scalar} {a}' for a in args)})"),
            operands, scalar, lanes,
        )  # fmt: skip

    def lanewise(self, one: Callable[[Sequence[str]], str], operands: list[str], scalar: str, lanes: int) -> str:
        if lanes == 1:
            return one(operands)
        wide = f"<{lanes} x {scalar}>"
        result = "poison"
        for lane in range(lanes):
            args = [self.f.emit(f"extractelement {wide} {o}, i64 {lane}") for o in operands]
            result = self.f.emit(f"insertelement {wide} {result}, {scalar} {one(args)}, i64 {lane}")
        return result

    def _in_float32(self, node: Apply, operands: list[str], type: ScalarType) -> str:
        """16-bit floats are computed in float32 and rounded after each operation, like NumPy's."""
        wide = [self.cast(o, type, float32, node.lanes) for o in operands]
        result = self.operation(node.op, wide, float32, node.lanes)
        return result if node.type == bool_ else self.cast(result, float32, node.type, node.lanes)

    def _first_lanes(self, count: str, lanes: int) -> str:
        if count.lstrip("-").isdigit():
            return "<" + ", ".join(f"i1 {str(n < int(count)).lower()}" for n in range(lanes)) + ">"
        most = self.f.emit(f"icmp slt i64 {count}, {lanes}")
        clamped = self.f.emit(f"select i1 {most}, i64 {count}, i64 {lanes}")
        least = self.f.emit(f"icmp sgt i64 {clamped}, 0")
        clamped = self.f.emit(f"select i1 {least}, i64 {clamped}, i64 0")
        short = self.f.emit(f"trunc i64 {clamped} to i32")
        one = self.f.emit(f"insertelement <{lanes} x i32> poison, i32 {short}, i64 0")
        wide = self.f.emit(
            f"shufflevector <{lanes} x i32> {one}, <{lanes} x i32> poison, <{lanes} x i32> zeroinitializer"
        )
        iota = "<" + ", ".join(f"i32 {n}" for n in range(lanes)) + ">"
        return self.f.emit(f"icmp ult <{lanes} x i32> {iota}, {wide}")

    def _op_capped_mul(self, operands: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        """The product of two numbers that are not negative, at most 2⁶²: a size that no memory has."""
        self.f.module.declarations.add("declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)")
        pair = self.f.emit(f"call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 {operands[0]}, i64 {operands[1]})")
        product = self.f.emit(f"extractvalue {{ i64, i1 }} {pair}, 0")
        overflow = self.f.emit(f"extractvalue {{ i64, i1 }} {pair}, 1")
        capped = self.f.emit(f"select i1 {overflow}, i64 {2**62}, i64 {product}")
        large = self.f.emit(f"icmp sgt i64 {capped}, {2**62}")
        return self.f.emit(f"select i1 {large}, i64 {2**62}, i64 {capped}")

    def cast(self, value: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
        """C's conversions; to bool: whether it is not zero."""
        if source == target:
            return value
        if source.kind == "f" and source.bits == 16:
            return self.cast(self._short.widened(value, source, lanes), float32, target, lanes)
        if target.kind == "f" and target.bits == 16:
            if source == float64 and target == float16:
                return self._short.narrowed(self._short.rounded_to_odd(value, lanes), target, lanes)
            return self._short.narrowed(self.cast(value, source, float32, lanes), target, lanes)
        have, want = vector_type(llvm_type(source), lanes), vector_type(llvm_type(target), lanes)
        zero = "zeroinitializer" if lanes > 1 else ("0.0" if source.kind == "f" else "0")
        if target == bool_:
            return self.f.emit(f"{'fcmp une' if source.kind == 'f' else 'icmp ne'} {have} {value}, {zero}")
        if source.kind == "f" and target.kind == "f":
            op = "fpext" if target.bits > source.bits else "fptrunc"
        elif source.kind == "f":
            return self._truncated(value, source, target, lanes)
        elif target.kind == "f":
            op = "sitofp" if source.kind == "i" else "uitofp"
        elif source != bool_ and target.bits == source.bits:
            return value
        else:
            narrow = source != bool_ and target.bits < source.bits
            op = "trunc" if narrow else ("sext" if source.kind == "i" else "zext")
        return self.f.emit(f"{op} {have} {value} to {want}")

    def _truncated(self, value: str, source: ScalarType, target: ScalarType, lanes: int) -> str:
        """A float as an integer, as NumPy's C code does it: by way of int32, or of int64 for uint32 and 64 bits, of
        which unsigned ones keep the low bits; from 2⁶³ on, a uint64 is 2⁶³ and the rest."""
        way = int64 if target.bits == 64 or target == uint32 else int32
        have, through = vector_type(llvm_type(source), lanes), vector_type(llvm_type(way), lanes)

        def number(of: str) -> str:
            return self.f.emit(f"freeze {through} {self.f.emit(f'fptosi {have} {of} to {through}')}")

        if target != uint64:
            return self.cast(number(value), way, target, lanes)
        half, top = literal(2.0**63, source), str(-(2**63))
        if lanes > 1:
            half, top = f"splat ({llvm_type(source)} {half})", f"splat (i64 {top})"
        large = self.f.emit(f"fcmp oge {have} {value}, {half}")
        less = self.f.emit(f"fsub {have} {value}, {half}")
        above = self.f.emit(f"xor {through} {number(less)}, {top}")
        return self._select(large, through, above, number(value), lanes)

    # ------------------------------------------------------------------- operations that are no instruction

    def _zero(self, type: ScalarType, lanes: int) -> str:
        return "zeroinitializer" if lanes > 1 else ("0.0" if type.kind == "f" else "0")

    def _ones(self, llvm: str, lanes: int) -> str:
        scalar = llvm.split(" x ")[1][:-1] if lanes > 1 else llvm
        one = "true" if scalar == "i1" else "-1"
        return f"splat ({scalar} {one})" if lanes > 1 else one

    def _select(self, mask: str, llvm: str, yes: str, no: str, lanes: int) -> str:
        return self.f.emit(f"select {vector_type('i1', lanes)} {mask}, {llvm} {yes}, {llvm} {no}")

    def _product(self, sign: str, o: list[str], type: ScalarType, lanes: int) -> str:
        """`a ± b·c`."""
        return self.operation(sign, [o[0], self.operation("mul", o[1:], type, lanes)], type, lanes)

    def _op_neg(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind == "f":
            return self.f.emit(f"fneg {llvm} {o[0]}")
        return self.f.emit(f"sub {llvm} {self._zero(type, lanes)}, {o[0]}")

    def _op_abs(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind == "f":
            return self.intrinsic("fabs", o, type, lanes)
        if type.kind != "i":
            return o[0]
        negative = self.f.emit(f"icmp slt {llvm} {o[0]}, {self._zero(type, lanes)}")
        return self._select(negative, llvm, self._op_neg(o, type, lanes, llvm), o[0], lanes)

    def _op_not(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self.f.emit(f"xor {llvm} {o[0]}, {self._ones(llvm, lanes)}")

    _op_invert = _op_not

    def _op_minimum(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._extreme("le", o, type, lanes, llvm)

    def _op_maximum(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._extreme("ge", o, type, lanes, llvm)

    def _extreme(self, op: str, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        """NumPy's: the first operand if it compares so or is NaN, else the second (which may be NaN)."""
        first = self.operation(op, o, type, lanes)
        if type.kind == "f":
            nan = self.f.emit(f"fcmp uno {llvm} {o[0]}, {o[0]}")
            first = self.f.emit(f"or {vector_type('i1', lanes)} {first}, {nan}")
        return self._select(first, llvm, o[0], o[1], lanes)

    def _op_fmin(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._select(self.operation("lt", [o[1], o[0]], type, lanes), llvm, o[1], o[0], lanes)

    def _op_fmax(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._select(self.operation("gt", [o[1], o[0]], type, lanes), llvm, o[1], o[0], lanes)

    def _op_isnan(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self.f.emit(f"fcmp uno {llvm} {o[0]}, {o[0]}" if type.kind == "f" else f"icmp ne {llvm} {o[0]}, {o[0]}")

    def _finiteness(self, op: str, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        size = self.intrinsic("fabs", o, type, lanes)
        infinity = literal(math.inf, type)
        other = f"splat ({llvm_type(type)} {infinity})" if lanes > 1 else infinity
        return self.f.emit(f"fcmp {op} {llvm} {size}, {other}")

    def _op_isinf(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._finiteness("oeq", o, type, lanes, llvm)

    def _op_isfinite(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._finiteness("olt", o, type, lanes, llvm)

    def _op_floordiv(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind == "u":
            return self.f.emit(f"udiv {llvm} {o[0]}, {o[1]}")
        return self._divmod(o, type, lanes, llvm)[0]

    def _op_mod(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind == "u":
            return self.f.emit(f"urem {llvm} {o[0]}, {o[1]}")
        return self._divmod(o, type, lanes, llvm)[1]

    def _divmod(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> tuple[str, str]:
        """Quotient and remainder that round to minus infinity."""
        zero, mask = self._zero(type, lanes), vector_type("i1", lanes)
        if type.kind == "i":
            return self._divmod_signed(o, type, lanes, llvm)
        rest = self.f.emit(f"frem {llvm} {o[0]}, {o[1]}")
        nonzero = self.f.emit(f"fcmp une {llvm} {rest}, {zero}")
        below = self.f.emit(f"fcmp olt {llvm} {rest}, {zero}")
        divisor_below = self.f.emit(f"fcmp olt {llvm} {o[1]}, {zero}")
        differ = self.f.emit(f"xor {mask} {below}, {divisor_below}")
        adjust = self.f.emit(f"and {mask} {nonzero}, {differ}")
        shifted = self.f.emit(f"fadd {llvm} {rest}, {o[1]}")
        modulo = self._select(adjust, llvm, shifted, rest, lanes)
        signed_zero = self.intrinsic("copysign", [zero, o[1]], type, lanes)
        modulo = self._select(nonzero, llvm, modulo, signed_zero, lanes)
        # The quotient before flooring is a whole number up to rounding (as in NumPy's divmod).
        difference = self.f.emit(f"fsub {llvm} {o[0]}, {rest}")
        quotient = self.f.emit(f"fdiv {llvm} {difference}, {o[1]}")
        one = f"splat ({llvm_type(type)} 1.0)" if lanes > 1 else "1.0"
        less = self.f.emit(f"fsub {llvm} {quotient}, {one}")
        quotient = self._select(adjust, llvm, less, quotient, lanes)
        half = f"splat ({llvm_type(type)} 0.5)" if lanes > 1 else "0.5"
        down = self.intrinsic("floor", [quotient], type, lanes)
        gap = self.f.emit(f"fsub {llvm} {quotient}, {down}")
        over = self.f.emit(f"fcmp ogt {llvm} {gap}, {half}")
        up = self.f.emit(f"fadd {llvm} {down}, {one}")
        down = self._select(over, llvm, up, down, lanes)
        ratio = self.f.emit(f"fdiv {llvm} {o[0]}, {o[1]}")
        whole = self.f.emit(f"fcmp une {llvm} {quotient}, {zero}")
        down = self._select(whole, llvm, down, self.intrinsic("copysign", [zero, ratio], type, lanes), lanes)
        by_zero = self.f.emit(f"fcmp oeq {llvm} {o[1]}, {zero}")
        return self._select(by_zero, llvm, ratio, down, lanes), modulo

    def _divmod_signed(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> tuple[str, str]:
        zero, mask = self._zero(type, lanes), vector_type("i1", lanes)
        minus = self._ones(llvm, lanes)
        # MIN // -1 traps in hardware: divide by 1 there and negate, which wraps like NumPy.
        is_minus = self.f.emit(f"icmp eq {llvm} {o[1]}, {minus}")
        one = f"splat ({llvm_type(type)} 1)" if lanes > 1 else "1"
        divisor = self._select(is_minus, llvm, one, o[1], lanes)
        quotient = self.f.emit(f"sdiv {llvm} {o[0]}, {divisor}")
        rest = self.f.emit(f"srem {llvm} {o[0]}, {divisor}")
        signs = self.f.emit(f"xor {llvm} {rest}, {o[1]}")
        differ = self.f.emit(f"icmp slt {llvm} {signs}, {zero}")
        nonzero = self.f.emit(f"icmp ne {llvm} {rest}, {zero}")
        adjust = self.f.emit(f"and {mask} {differ}, {nonzero}")
        less = self.f.emit(f"add {llvm} {quotient}, {minus}")
        down = self._select(adjust, llvm, less, quotient, lanes)
        negated = self.f.emit(f"sub {llvm} {zero}, {o[0]}")
        down = self._select(is_minus, llvm, negated, down, lanes)
        shifted = self.f.emit(f"add {llvm} {rest}, {o[1]}")
        modulo = self._select(adjust, llvm, shifted, rest, lanes)
        return down, self._select(is_minus, llvm, zero, modulo, lanes)

    def _op_lshift(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._shift("shl", o, type, lanes, llvm)

    def _op_rshift(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        return self._shift("ashr" if type.kind == "i" else "lshr", o, type, lanes, llvm)

    def _shift(self, op: str, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        """Shifts by the width or more give 0, or the sign."""
        width = f"splat ({llvm_type(type)} {type.bits})" if lanes > 1 else str(type.bits)
        most = f"splat ({llvm_type(type)} {type.bits - 1})" if lanes > 1 else str(type.bits - 1)
        small = self.f.emit(f"icmp ult {llvm} {o[1]}, {width}")
        amount = self._select(small, llvm, o[1], most, lanes)
        shifted = self.f.emit(f"{op} {llvm} {o[0]}, {amount}")
        if op == "ashr":
            return shifted
        return self._select(small, llvm, shifted, self._zero(type, lanes), lanes)

    def _op_pow(self, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
        if type.kind == "f":
            return self._libm("pow", o, type, lanes)
        scalar = llvm_type(type)
        name = f"@integer_power_{scalar}"
        text = _POWER.format(type=scalar, name=name)
        if text not in self.f.module.functions:
            self.f.module.functions.insert(0, text)
        return self.lanewise(lambda a: self.f.emit(f"call {scalar} {name}({scalar} {a[0]}, {scalar} {a[1]})"),
                             o, scalar, lanes)  # fmt: skip


_POWER = """define internal {type} {name}({type} %base, {type} %exponent) #0 {{
entry:
  br label %loop
loop:
  %result = phi {type} [ 1, %entry ], [ %kept, %step ]
  %square = phi {type} [ %base, %entry ], [ %squared, %step ]
  %left = phi {type} [ %exponent, %entry ], [ %halved, %step ]
  %done = icmp eq {type} %left, 0
  br i1 %done, label %end, label %step
step:
  %odd = and {type} %left, 1
  %is_odd = icmp ne {type} %odd, 0
  %product = mul {type} %result, %square
  %kept = select i1 %is_odd, {type} %product, {type} %result
  %squared = mul {type} %square, %square
  %halved = lshr {type} %left, 1
  br label %loop
end:
  ret {type} %result
}}"""
