"""Strength reduction of quotients: neighbours divided by one number, with one division for all of them.

(n + iota) // d     ->     q = n // d;  place = n % d + iota
(n + iota) % d             place < d ? q : q + 1          place < d ? place : place - d

That holds where at most one multiple of d lies between the first lane and the last, so for d ≥ lanes - 1; smaller ones,
which are rare, divide each lane. Vectors have no division of integers: it would be taken apart, lane by lane. The
quotients are neighbours themselves, which the next axis of `x.reshape(…)` divides.

Where such numbers are subscripts, elements need not be gathered: x[(n + iota) // d] are two elements, and
x[(n + iota) % d] two runs of them.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.mdh.codegen.microkernel.tile_code import Neighbours, Pieces, TileCode
from jitmdh.mdh.kernel.arithmetic import add, both, integer, multiply, spread, subtract
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, If, Iota, Literal, Load, Name, Splat, Statement, Value


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
        apart = code.bound("apart", apart)
    if first_of(dividend) is not None:
        two = Pieces(whole, add(whole, integer(1)), integer(0), behind, rest, divisor, apart)
        code.pieces[quotients] = two
        code.pieces[rests] = replace(two, low=rest, high=subtract(rest, divisor), step=integer(1))
    if apart is not None:
        each = {quotients: "floordiv", rests: "mod"}
        assigned = tuple(Assign(name, Apply(op, (dividend, wide), int64, lanes)) for name, op in each.items())
        code.out.append(If(apart, assigned, rare=True))
    unless = _either(None if _is_large(divisor, lanes) else _below(divisor, 0), found.unless)
    code.near[quotients] = Neighbours(whole, unless)
    return quotients, rests


def _is_large(divisor: Value, lanes: int) -> bool:
    return isinstance(divisor, Literal) and isinstance(divisor.value, int) and divisor.value >= lanes - 1


def _below(value: Value, number: int) -> Value:
    return Apply("lt", (value, integer(number)), bool_)


def _either(one: Value | None, other: Value | None) -> Value | None:
    return (other or one) if one is None or other is None else Apply("or", (one, other), bool_)


# ------------------------------------------------------------------------------------------ as subscripts


def pieces(code: TileCode, value: Value) -> Pieces | None:
    """The two pieces that a vector is made of; None: of others, or nobody knows."""
    match value:
        case Name():
            return code.pieces.get(value)
        case Apply("select", (where, other, one)) if value.lanes > 1 and value.type == int64:
            low, high = first_of(one), first_of(other)
            if low is not None and high is not None:  # two runs, as of neighbours on a ring
                return Pieces(low, high, integer(1), where, low, integer(0), None)
        case Apply("add", (Splat(value=shift), other)) | Apply("add", (other, Splat(value=shift))):
            found = pieces(code, other)
            if found is None:
                return None
            return replace(found, low=add(found.low, shift), high=add(found.high, shift))
        case Apply("add", (left, right)):
            a, b = pieces(code, left), pieces(code, right)
            if a is None or b is None or a.behind != b.behind:
                return None
            return replace(a, low=add(a.low, b.low), high=add(a.high, b.high), step=add(a.step, b.step))
        case Apply("mul", (other, Splat(value=by))):
            found = pieces(code, other)
            if found is None:
                return None
            low, high, step = (multiply(n, by) for n in (found.low, found.high, found.step))
            return replace(found, low=low, high=high, step=step)
    return None


def keep_pieces(code: TileCode, name: Value, value: Value) -> None:
    """What is known of `value` is known of its name."""
    found = pieces(code, value)
    if found is not None and isinstance(name, Name):
        code.pieces[name] = found


def from_end(code: TileCode, number: Value, size: Value) -> Pieces | None:
    """The pieces of subscripts of which negative ones count from the end of an axis of that size."""
    found = pieces(code, number)
    if found is None:
        return None
    if found.step == integer(1) and found.low == found.rest:  # remainders by positive numbers: none is negative
        return found
    if found.step != integer(0):
        return None
    low, high = (add(n, Apply("select", (_below(n, 0), size, integer(0)), int64)) for n in (found.low, found.high))
    return replace(found, low=low, high=high)


def load(code: TileCode, buffer: str, offset: Value, type: ScalarType, mask: Value | None) -> Value | None:
    """`buffer[offset]` for a vector of places that are two elements or two runs; None: they are neither.

    mask: which lanes are read; None or those before the end of the range.
    """
    found, lanes = pieces(code, offset), offset.lanes
    if found is None or found.step not in (integer(0), integer(1)):
        return None
    zero = spread(Literal(False if type == bool_ else 0, type), lanes)
    if found.unless is None:
        return code.let(buffer, _of_two(code, buffer, found, type, mask, zero))
    result, usual = code.scope.name(buffer, type, lanes), list[Statement]()
    with code.into(usual):
        usual.append(Assign(result, _of_two(code, buffer, found, type, mask, zero)))
    apart = Assign(result, Load(buffer, offset, type, lanes, integer(1), mask))
    code.out += [Declare(result, zero), If(found.unless, (apart,), tuple(usual), rare=True)]
    return result


def _of_two(code: TileCode, buffer: str, found: Pieces, type: ScalarType, mask: Value | None, zero: Value) -> Value:
    lanes = zero.lanes
    if found.step == integer(0):
        count: Value = integer(lanes)
        if mask is not None:
            count = Apply("minimum", (count, code.lanes_left()), int64)
        is_behind = Apply("gt", (add(found.rest, count), found.divisor), bool_)
        last = Apply("select", (is_behind, found.high, found.low), int64)
        low, high = (spread(code.let(buffer, Load(buffer, at, type)), lanes) for at in (found.low, last))
        value = Apply("select", (found.behind, high, low), type, lanes)
        return value if mask is None else Apply("select", (mask, value, zero), type, lanes)
    before = both(mask, Apply("not", (found.behind,), bool_, lanes))
    first = code.let(buffer, Load(buffer, found.low, type, lanes, mask=before))
    second = code.let(buffer, Load(buffer, found.high, type, lanes, mask=both(mask, found.behind)))
    return Apply("select", (found.behind, second, first), type, lanes)
