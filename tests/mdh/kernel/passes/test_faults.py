"""Faults of a block, before and after they are gathered."""

from __future__ import annotations

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import both, compare, integer
from jitmdh.mdh.kernel.ir import Fail, If, Let, Literal, Name, Return, Store, Value
from jitmdh.mdh.kernel.passes.faults import gather_faults
from tests.mdh.kernel.passes.examples import body, kernel, real, text

A, B = real("a", lanes=8), real("b", lanes=8)


def negative(value: Value, code: int) -> Fail:
    return Fail(compare("lt", value, B), code)


def test_golden() -> None:
    before = kernel(
        negative(A, Status.FIRST_FAULT),
        negative(A, 3),  # no fault: what comes after may depend on it
        Store("y", integer(0), A),
        negative(real("c"), Status.FIRST_FAULT + 1),
        negative(B, Status.FIRST_FAULT),
        If(compare("lt", real("n", int64), integer(0)), (negative(A, Status.FIRST_FAULT), Return(integer(0)))),
    )
    assert body(before) == text("""
        if (any(a < b)) status = 16777216;
        if (any(a < b)) status = 3;
        store8(&y[0], a);
        if (any(splat8(c) < b)) status = 16777217;
        if (any(b < b)) status = 16777216;
        if (n < 0) {
            if (any(a < b)) status = 16777216;
            return status;
        }
    """)
    assert body(gather_faults(before)) == text("""
        const bool8 fault.1 = a < b;
        if (any(a < b)) status = 3;
        store8(&y[0], a);
        const bool8 fault.2 = splat8(c) < b;
        const bool8 fault.3 = b < b;
        if (any(fault.1 | fault.3)) status = 16777216;
        if (any(fault.2)) status = 16777217;
        if (n < 0) {
            const bool8 fault.4 = a < b;
            if (any(fault.4)) status = 16777216;
            return status;
        }
    """)


def test_a_kernel_without_faults_stays() -> None:
    before = kernel(negative(A, 3), Store("y", integer(0), Literal(0.0)), Return(integer(0)))
    assert gather_faults(before) is before


def test_of_a_conjunction_the_first_part_is_looked_at() -> None:
    infinite, finite = compare("eq", A, real("c")), compare("lt", B, real("c"))
    wrong = Name("wrong", bool_, 8)
    before = kernel(
        Let(wrong, both(infinite, finite)),
        Fail(wrong, Status.FIRST_FAULT),
        negative(A, Status.FIRST_FAULT),
        Store("y", integer(0), A),
    )
    assert body(gather_faults(before)) == text("""
        const bool8 wrong = (a == splat8(c)) & (b < splat8(c));
        const bool8 fault.1 = a == splat8(c);
        const bool8 fault.2 = a < b;
        store8(&y[0], a);
        if (any(fault.1 | fault.2)) {
            if (any((fault.1 & (b < splat8(c))) | fault.2)) status = 16777216;
        }
    """)
