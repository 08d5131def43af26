"""Quotients, remainders, shifts and powers of integers in LLVM IR, with Python's meaning."""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.targets.llvm.instructions.spelling import Spelling
from jitmdh.mdh.targets.llvm.types.names import llvm_type, vector_type


def floordiv(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    if type.kind == "u":
        return s.emit(f"udiv {llvm} {o[0]}, {o[1]}")
    return _divmod(s, o, type, lanes, llvm)[0]


def mod(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    if type.kind == "u":
        return s.emit(f"urem {llvm} {o[0]}, {o[1]}")
    return _divmod(s, o, type, lanes, llvm)[1]


def _divmod(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> tuple[str, str]:
    """Quotient and remainder that round to minus infinity."""
    zero, mask = s.zero(type, lanes), vector_type("i1", lanes)
    if type.kind == "i":
        return _divmod_signed(s, o, type, lanes, llvm)
    rest = s.emit(f"frem {llvm} {o[0]}, {o[1]}")
    nonzero = s.emit(f"fcmp une {llvm} {rest}, {zero}")
    below = s.emit(f"fcmp olt {llvm} {rest}, {zero}")
    divisor_below = s.emit(f"fcmp olt {llvm} {o[1]}, {zero}")
    differ = s.emit(f"xor {mask} {below}, {divisor_below}")
    adjust = s.emit(f"and {mask} {nonzero}, {differ}")
    shifted = s.emit(f"fadd {llvm} {rest}, {o[1]}")
    modulo = s.select(adjust, llvm, shifted, rest, lanes)
    signed_zero = s.intrinsic("copysign", [zero, o[1]], type, lanes)
    modulo = s.select(nonzero, llvm, modulo, signed_zero, lanes)
    # The quotient before flooring is a whole number up to rounding (as in NumPy's divmod).
    difference = s.emit(f"fsub {llvm} {o[0]}, {rest}")
    quotient = s.emit(f"fdiv {llvm} {difference}, {o[1]}")
    one = f"splat ({llvm_type(type)} 1.0)" if lanes > 1 else "1.0"
    less = s.emit(f"fsub {llvm} {quotient}, {one}")
    quotient = s.select(adjust, llvm, less, quotient, lanes)
    half = f"splat ({llvm_type(type)} 0.5)" if lanes > 1 else "0.5"
    down = s.intrinsic("floor", [quotient], type, lanes)
    gap = s.emit(f"fsub {llvm} {quotient}, {down}")
    over = s.emit(f"fcmp ogt {llvm} {gap}, {half}")
    up = s.emit(f"fadd {llvm} {down}, {one}")
    down = s.select(over, llvm, up, down, lanes)
    ratio = s.emit(f"fdiv {llvm} {o[0]}, {o[1]}")
    whole = s.emit(f"fcmp une {llvm} {quotient}, {zero}")
    down = s.select(whole, llvm, down, s.intrinsic("copysign", [zero, ratio], type, lanes), lanes)
    by_zero = s.emit(f"fcmp oeq {llvm} {o[1]}, {zero}")
    return s.select(by_zero, llvm, ratio, down, lanes), modulo


def _divmod_signed(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> tuple[str, str]:
    zero, mask = s.zero(type, lanes), vector_type("i1", lanes)
    minus = s.ones(type, lanes)
    known = _constant(o[1])
    if known is not None and known > 0:
        return _divmod_positive(s, o, known, type, lanes, llvm)
    # MIN // -1 traps in hardware: divide by 1 there and negate, which wraps like NumPy.
    is_minus = s.emit(f"icmp eq {llvm} {o[1]}, {minus}")
    one = f"splat ({llvm_type(type)} 1)" if lanes > 1 else "1"
    divisor = s.select(is_minus, llvm, one, o[1], lanes)
    quotient = s.emit(f"sdiv {llvm} {o[0]}, {divisor}")
    rest = s.emit(f"srem {llvm} {o[0]}, {divisor}")
    signs = s.emit(f"xor {llvm} {rest}, {o[1]}")
    differ = s.emit(f"icmp slt {llvm} {signs}, {zero}")
    nonzero = s.emit(f"icmp ne {llvm} {rest}, {zero}")
    adjust = s.emit(f"and {mask} {differ}, {nonzero}")
    less = s.emit(f"add {llvm} {quotient}, {minus}")
    down = s.select(adjust, llvm, less, quotient, lanes)
    negated = s.emit(f"sub {llvm} {zero}, {o[0]}")
    down = s.select(is_minus, llvm, negated, down, lanes)
    shifted = s.emit(f"add {llvm} {rest}, {o[1]}")
    modulo = s.select(adjust, llvm, shifted, rest, lanes)
    return down, s.select(is_minus, llvm, zero, modulo, lanes)


def _divmod_positive(
    s: Spelling, o: list[str], divisor: int, type: ScalarType, lanes: int, llvm: str
) -> tuple[str, str]:  # fmt: skip
    """By a number that the text says, which is positive: a power of two shifts and masks."""

    def number(value: int) -> str:
        return f"splat ({llvm_type(type)} {value})" if lanes > 1 else str(value)

    if divisor & (divisor - 1) == 0:
        quotient = s.emit(f"ashr {llvm} {o[0]}, {number(divisor.bit_length() - 1)}")
        return quotient, s.emit(f"and {llvm} {o[0]}, {number(divisor - 1)}")
    quotient = s.emit(f"sdiv {llvm} {o[0]}, {o[1]}")
    rest = s.emit(f"srem {llvm} {o[0]}, {o[1]}")
    below = s.emit(f"icmp slt {llvm} {rest}, {s.zero(type, lanes)}")
    less = s.emit(f"add {llvm} {quotient}, {s.ones(type, lanes)}")
    shifted = s.emit(f"add {llvm} {rest}, {o[1]}")
    return s.select(below, llvm, less, quotient, lanes), s.select(below, llvm, shifted, rest, lanes)


def _constant(operand: str) -> int | None:
    """The number that an operand is in the text: `8`, `splat (i64 8)`."""
    text = operand.removeprefix("splat (").removesuffix(")").rpartition(" ")[2]
    return int(text) if text.removeprefix("-").isdigit() else None


def lshift(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    return _shift(s, "shl", o, type, lanes, llvm)


def rshift(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    return _shift(s, "ashr" if type.kind == "i" else "lshr", o, type, lanes, llvm)


def _shift(s: Spelling, op: str, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    """Shifts by the width or more give 0, or the sign."""
    width = f"splat ({llvm_type(type)} {type.bits})" if lanes > 1 else str(type.bits)
    most = f"splat ({llvm_type(type)} {type.bits - 1})" if lanes > 1 else str(type.bits - 1)
    small = s.emit(f"icmp ult {llvm} {o[1]}, {width}")
    amount = s.select(small, llvm, o[1], most, lanes)
    shifted = s.emit(f"{op} {llvm} {o[0]}, {amount}")
    if op == "ashr":
        return shifted
    return s.select(small, llvm, shifted, s.zero(type, lanes), lanes)


def power(s: Spelling, o: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    if type.kind == "f":
        return s.library("pow", o, type, lanes)
    scalar = llvm_type(type)
    name = f"@integer_power_{scalar}"
    text = _POWER.format(type=scalar, name=name)
    if text not in s.f.module.functions:
        s.f.module.functions.insert(0, text)
    return s.lanewise(lambda a: s.emit(f"call {scalar} {name}({scalar} {a[0]}, {scalar} {a[1]})"),
                         o, scalar, lanes)  # fmt: skip


def capped_mul(s: Spelling, operands: list[str], type: ScalarType, lanes: int, llvm: str) -> str:
    """The product of two numbers that are not negative, at most 2⁶²: a size that no memory has."""
    s.f.module.declarations.add("declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)")
    pair = s.emit(f"call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 {operands[0]}, i64 {operands[1]})")
    product = s.emit(f"extractvalue {{ i64, i1 }} {pair}, 0")
    overflow = s.emit(f"extractvalue {{ i64, i1 }} {pair}, 1")
    capped = s.emit(f"select i1 {overflow}, i64 {2**62}, i64 {product}")
    large = s.emit(f"icmp sgt i64 {capped}, {2**62}")
    return s.emit(f"select i1 {large}, i64 {2**62}, i64 {capped}")


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
