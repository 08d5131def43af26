"""Mathematical functions as LLVM functions on vectors of any length: one definition for vectors and single values.

A result does not depend on the lane or the remainder loop that it is computed in. float32 goes through float64 and is
rounded once, where there is no shorter way. Lanes whose arguments a method does not cover (huge angles, for instance)
are left to the C library, in a branch that is hardly ever taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jitmdh.base.dtype import ScalarType
from jitmdh.mdh.targets.llvm.math import elementary, powers, trigonometry
from jitmdh.mdh.targets.llvm.types.lanes import Code, Floats, Mask
from jitmdh.mdh.targets.llvm.types.names import llvm_type, vector_type

Body = Callable[..., Floats]
LIBM = {"exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
        "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
        "arctan": "atan", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "hypot": "hypot",
        "pow": "pow"}  # fmt: skip
"""Names of the C library's functions for float64; those for float32 have an f more."""


@dataclass(frozen=True, slots=True)
class Method:
    """How a function is computed. body: in float64; short: of float32, without a detour; brief: of float32 in float64
    with fewer terms; rare: lanes to leave alone."""

    body: Body
    short: Body | None = None
    brief: Body | None = None
    rare: Callable[..., Mask] | None = None


def _large_angle(x: Floats) -> Mask:
    return x.size().is_not_below(trigonometry.LARGEST)


def _odd_quotient(y: Floats, x: Floats) -> Mask:
    """Zeros, infinities, NaN, and what may lose bits on the way."""
    most, least = 2.0**500, 2.0**-500
    return _beyond(y, least, most) | _beyond(x, least, most)


def _beyond(x: Floats, least: float, most: float) -> Mask:
    size = x.size()
    return size.is_not_below(most) | (size < least)


def _hypot(x: Floats, y: Floats) -> Floats:
    return x.fused(x, y * y).root()


def _odd_squares(x: Floats, y: Floats) -> Mask:
    """Squares that overflow, or that are too small to count where they should."""
    larger = x.size().chosen(x.size() > y.size(), y.size())
    return _beyond(larger, 2.0**-500, 2.0**500) | x.is_nan() | y.is_nan()


_METHODS: Mapping[str, Method] = {
    "exp": Method(elementary.exp, elementary.exp),
    "exp2": Method(elementary.exp2, elementary.exp2),
    "expm1": Method(elementary.expm1),
    "log": Method(elementary.log, elementary.log),
    "log1p": Method(elementary.log1p),
    "log2": Method(elementary.log2),
    "log10": Method(elementary.log10),
    "tanh": Method(elementary.tanh, elementary.tanh_32),
    "sinh": Method(elementary.sinh),
    "cosh": Method(elementary.cosh),
    "sin": Method(trigonometry.sin, brief=trigonometry.sin_briefly, rare=_large_angle),
    "cos": Method(trigonometry.cos, brief=trigonometry.cos_briefly, rare=_large_angle),
    "tan": Method(trigonometry.tan, rare=_large_angle),
    "arcsin": Method(trigonometry.arcsin),
    "arccos": Method(trigonometry.arccos),
    "arctan": Method(trigonometry.arctan),
    "arctan2": Method(trigonometry.arctan2, rare=_odd_quotient),
    "hypot": Method(_hypot, rare=_odd_squares),
    "pow": Method(powers.power, brief=powers.power_briefly, rare=powers.is_odd_power),
}
_INLINE = frozenset({"exp", "exp2", "hypot"})  # short enough to stand in the loop itself


@dataclass(frozen=True, slots=True)
class Definition:
    """A function of LLVM: its name, its text, and what the text needs declared."""

    name: str
    text: str
    declarations: frozenset[str]


def definition(op: str, type: ScalarType, lanes: int) -> Definition | None:
    """`op` on vectors of `lanes` float32 or float64; None where there is no method for it."""
    method = _METHODS.get(op)
    if method is None or type.bits not in (32, 64):
        return None
    vector, code = vector_type(llvm_type(type), lanes), Code(lanes)
    name = f"@{op}_f{type.bits}x{lanes}"
    arity = method.body.__code__.co_argcount
    arguments = [code.floats(f"%x{n}", type.bits) for n in range(arity)]
    wide = arguments if type.bits == 64 or method.short is not None else [a.widened() for a in arguments]
    body = method.body if type.bits == 64 else method.short or method.brief or method.body
    result = body(*wide)
    if result.bits != type.bits:
        result = result.narrowed()
    if method.rare is None:
        code.lines.append(f"  ret {vector} {result.text}")
    else:
        _leave_to_library(code, op, type, result, arguments, method.rare(*wide))
    parameters = ", ".join(f"{vector} %x{n}" for n in range(arity))
    inline = "alwaysinline" if op in _INLINE and method.rare is None else "noinline"
    lines = "\n".join(code.lines)
    text = f"define internal {vector} {name}({parameters}) #0 memory(none) {inline} {{\nentry:\n{lines}\n}}"
    return Definition(name, text, frozenset(code.declarations))


def _leave_to_library(
    code: Code, op: str, type: ScalarType, result: Floats, arguments: list[Floats], rare: Mask
) -> None:
    """Ends the function: where `rare` holds, the C library's result."""
    scalar, lanes = llvm_type(type), code.lanes
    vector = vector_type(scalar, lanes)
    any_rare = rare.text
    if lanes > 1:
        any_rare = code.call(f"@llvm.vector.reduce.or.v{lanes}i1", "i1", [(rare.type, rare.text)])
    code.lines += [f"  br i1 {any_rare}, label %rare, label %end, !prof !2", "rare:"]
    name = "@" + LIBM[op] + ("f" if type.bits == 32 else "")
    code.declarations.add(f"declare {scalar} {name}({', '.join([scalar] * len(arguments))}) memory(none)")
    found = "poison"
    for lane in range(lanes):
        one = [code.emit(f"extractelement {vector} {a.text}, i64 {lane}") if lanes > 1 else a.text for a in arguments]
        value = code.emit(f"call {scalar} {name}({', '.join(f'{scalar} {a}' for a in one)})")
        found = code.emit(f"insertelement {vector} {found}, {scalar} {value}, i64 {lane}") if lanes > 1 else value
    fixed = code.emit(f"select {rare.type} {rare.text}, {vector} {found}, {vector} {result.text}")
    code.lines += ["  br label %end", "end:"]
    code.lines.append(f"  %result = phi {vector} [ {result.text}, %entry ], [ {fixed}, %rare ]")
    code.lines.append(f"  ret {vector} %result")
