"""Strength reduction of quotients: neighbours divided by one number, with one division for all of them.

(n + iota) // d     ->     q = n // d;  place = n % d + iota
(n + iota) % d             place < d ? q : q + 1          place < d ? place : place - d

That holds where at most one multiple of d lies between the first lane and the last, so for d ≥ lanes - 1; smaller ones,
which are rare, divide each lane. Vectors have no division of integers: it would be taken apart, lane by lane. The
quotients are neighbours themselves, which the next axis of `x.reshape(…)` divides.
"""

from __future__ import annotations

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.codegen.microkernel.tile_code import Neighbours, TileCode
from jitmdh.mdh.kernel.arithmetic import add, integer, spread
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, If, Iota, Literal, Name, Splat, Value


def neighbours(code: TileCode, value: Value) -> Neighbours | None:
    """What is known of a vector of integers; None: nothing."""
    match value:
        case Name():
            return code.near.get(value)
        case Iota():
            return Neighbours(integer(0))
        case Apply("mul", (Iota(), Splat(Literal(1)))):
            return Neighbours(integer(0))
        case Apply("add", (Splat(value=shift), other)) | Apply("add", (other, Splat(value=shift))):
            found = neighbours(code, other)
            return None if found is None else Neighbours(add(found.first, shift), found.unless)
    return None


def first_of(value: Value) -> Value | None:
    """What a vector is in its first lane, if each further lane is one more; else None."""
    match value:
        case Iota() | Apply("mul", (Iota(), Splat(Literal(1)))):
            return Literal(0, value.type)
        case Apply("add", (Splat(value=shift), other)) | Apply("add", (other, Splat(value=shift))):
            found = first_of(other)
            return None if found is None else add(shift, found)
    return None


def quotient(code: TileCode, op: str, dividend: Value, divisor: Value) -> Value | None:
    """`floordiv` or `mod` of a vector by one number that is not 0; None: there is nothing to gain."""
    key = ("quotient", dividend, divisor)
    if key not in code.known:
        found = neighbours(code, dividend)
        if found is None or dividend.type != int64 or divisor.type != int64 or divisor.lanes != 1:
            return None
        code.known[key], code.known["remainder", dividend, divisor] = _both(code, dividend, divisor, found)
    return code.known[key if op == "floordiv" else ("remainder", dividend, divisor)]


def _both(code: TileCode, dividend: Value, divisor: Value, found: Neighbours) -> tuple[Name, Name]:
    lanes = dividend.lanes
    wide, zero = spread(divisor, lanes), spread(integer(0), lanes)
    first = code.bound("first", found.first)
    whole = code.let("whole", Apply("floordiv", (first, divisor), int64))
    rest = code.let("rest", Apply("sub", (first, Apply("mul", (whole, divisor), int64)), int64))
    shift = code.let("shift", Apply("sub", (first, rest), int64))
    place = code.let("place", Apply("sub", (dividend, spread(shift, lanes)), int64, lanes))
    behind = code.let("behind", Apply("ge", (place, wide), bool_, lanes))
    more = Apply("select", (behind, spread(integer(1), lanes), zero), int64, lanes)
    less = Apply("select", (behind, wide, zero), int64, lanes)
    quotients, rests = (code.scope.name(hint, int64, lanes) for hint in ("quotient", "remainder"))
    code.out.append(Declare(quotients, Apply("add", (spread(whole, lanes), more), int64, lanes)))
    code.out.append(Declare(rests, Apply("sub", (place, less), int64, lanes)))
    apart = _either(None if _is_large(divisor, lanes) else _below(divisor, lanes - 1), found.unless)
    if apart is not None:
        each = {quotients: "floordiv", rests: "mod"}
        assigned = tuple(Assign(name, Apply(op, (dividend, wide), int64, lanes)) for name, op in each.items())
        code.out.append(If(code.bound("apart", apart), assigned, rare=True))
    unless = _either(None if _is_large(divisor, lanes) else _below(divisor, 0), found.unless)
    code.near[quotients] = Neighbours(whole, unless)
    return quotients, rests


def _is_large(divisor: Value, lanes: int) -> bool:
    return isinstance(divisor, Literal) and isinstance(divisor.value, int) and divisor.value >= lanes - 1


def _below(value: Value, number: int) -> Value:
    return Apply("lt", (value, integer(number)), bool_)


def _either(one: Value | None, other: Value | None) -> Value | None:
    return (other or one) if one is None or other is None else Apply("or", (one, other), bool_)
