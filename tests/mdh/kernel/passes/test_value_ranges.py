"""Conditions that ranges decide, before and after; and that a kernel does what it did, whatever its loops are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.mdh.kernel.arithmetic import compare, integer, negated, spread
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    Assume,
    BufferArgument,
    Declare,
    Fail,
    For,
    If,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Statement,
    Store,
    Value,
    While,
)
from jitmdh.mdh.kernel.passes.value_ranges import narrow
from jitmdh.mdh.kernel.verify import verify
from tests.laws.examples import examples
from tests.mdh.kernel.passes.examples import body, kernel, number, text

N, M, I, J = (number(name) for name in "nmij")
ONE = Literal(1.0)
ACTIVE, FAULTY = Name("active", bool_), Name("faulty", bool_)
SIZE = Let(N, Argument(2, size=True))


def op(name: str, *operands: Value, type: ScalarType = int64) -> Apply:
    return Apply(name, operands, type, operands[-1].lanes)


def either(*conditions: Value) -> Apply:
    return op("or", *conditions, type=bool_)


def both(*conditions: Value) -> Apply:
    return op("and", *conditions, type=bool_)


def outside(index: Value) -> Apply:
    return either(compare("lt", index, integer(0)), compare("ge", index, N))


def checked(index: Value) -> If:
    return If(outside(index), (Assign(FAULTY, Literal(True, bool_)),), (Store("y", index, Literal(1.0)),), rare=True)


def test_golden() -> None:
    before = kernel(
        SIZE,
        Declare(FAULTY, Literal(False, bool_)),
        Declare(I, integer(1)),
        Declare(ACTIVE, both(compare("lt", I, N), negated(FAULTY))),
        While(
            ACTIVE,
            (
                checked(op("sub", I, integer(1))),
                checked(op("add", I, integer(1))),
                Assign(I, op("add", I, integer(1))),
                Assign(ACTIVE, compare("lt", I, N)),
            ),
        ),
        Fail(compare("gt", integer(0), N), 3),
        Return(integer(0)),
    )  # fmt: skip
    assert body(narrow(before)) == text("""
        const long n = frame[2];
        bool faulty = false;
        long i = 1;
        bool active = i < n;
        while (active) {
            y[i - 1] = 1.0;
            if ((i + 1) >= n) {
                faulty = true;
            } else {
                y[i + 1] = 1.0;
            }
            i = i + 1;
            active = i < n;
        }
        return status;
    """)


def test_what_calls_were_checked_for() -> None:
    """Two lengths that were compared: a loop over one stays inside the other, where there is anything."""
    never, longer = compare("ge", integer(0), M), compare("ge", N, M)
    before = kernel(
        SIZE,
        Let(M, Argument(3, size=True)),
        Declare(FAULTY, Literal(False, bool_)),
        Assume(either(never, longer)),
        For(J, integer(0), M, integer(1), (Declare(ACTIVE, compare("lt", J, M)), While(ACTIVE, (
            checked(J), Assign(ACTIVE, Literal(False, bool_)))))),
        Return(integer(0)),
    )  # fmt: skip
    assert "faulty =" not in body(narrow(before)).partition("for")[2]


def test_sums_that_wrap_around_are_not_moved() -> None:
    """n - i is no small number if i is a very negative one."""
    before = kernel(
        SIZE,
        Declare(FAULTY, Literal(False, bool_)),
        Let(I, Load("x", integer(0), int64)),
        Let(J, op("sub", N, I)),
        Declare(ACTIVE, compare("ge", J, integer(0))),
        While(ACTIVE, (checked(op("add", J, integer(1))), Assign(ACTIVE, Literal(False, bool_)))),
        Return(integer(0)),
    )
    assert "(j + 1) < 0" in body(narrow(before))


def test_neighbours_on_a_ring_take_no_division() -> None:
    steps = [(number(f"at_{n}"), op("mod", op("add", I, integer(n - 1)), N)) for n in range(4)]
    stored = [Store("y", integer(n), name) for n, (name, _) in enumerate(steps)]
    inside: tuple[Statement, ...] = (
        *(Let(name, step) for name, step in steps),
        *stored,
        Assign(I, op("add", I, integer(1))),
    )
    going = compare("lt", I, N)
    before = kernel(SIZE, Declare(I, integer(0)), Declare(ACTIVE, going), While(ACTIVE, (
        *inside, Assign(ACTIVE, going))), Return(integer(0)))  # fmt: skip
    found = body(narrow(before))
    assert "const long at_0 = (((i + -1) < 0) ? ((i + -1) + n) : (i + -1));" in found
    assert "const long at_1 = i + 0;" in found
    assert "const long at_2 = (((i + 1) == n) ? 0 : (i + 1));" in found
    assert "const long at_3 = mod(" in found


def test_neighbours_in_counted_loops_take_no_division_either() -> None:
    """Loops without remainders are left alone, and what they assign may be anything behind them."""
    at, k = number("at"), number("k")
    ring = For(I, integer(0), N, integer(1), (
        Let(at, op("mod", op("add", I, integer(1)), N)), Store("y", integer(0), at)))  # fmt: skip
    other = For(J, integer(0), M, integer(1), (Assign(k, op("add", k, integer(1))),))
    behind = If(compare("lt", k, integer(5)), (Store("y", integer(1), ONE),))
    before = kernel(SIZE, Let(M, Argument(3)), Declare(k, integer(0)), other, ring, behind, Return(integer(0)))
    found = body(narrow(before))
    assert "const long at = (((i + 1) == n) ? 0 : (i + 1));" in found
    assert "if (k < 5)" in found and "k = k + 1;" in found
    without = kernel(SIZE, Let(M, Argument(3)), Declare(k, integer(0)), other, Return(integer(0)))
    assert narrow(without) is without


# ------------------------------------------------------------------------------------------------ the law


@dataclass
class Writer:
    """Draws kernels as procedures are: counters and flags that loops carry. What conditions are is stored.

    lanes: of the counters.
    """

    draw: st.DrawFn
    lanes: int
    loops: int = 0
    stored: int = 0

    def counter(self) -> Name:
        return Name(self.draw(st.sampled_from("ij")), int64, self.lanes)

    def flag(self) -> Name:
        return Name(self.draw(st.sampled_from("fg")), bool_, self.lanes)

    def constant(self, *values: int) -> Value:
        return spread(integer(self.draw(st.sampled_from(values))), self.lanes)

    def value(self, depth: int = 1) -> Value:
        pick = self.draw(st.integers(0, 10 if depth else 5))
        if pick <= 1:
            return self.counter()
        if pick <= 3:
            return op("add", self.counter(), self.constant(-1, 1, 2))
        if pick == 4:
            return spread(self.draw(st.sampled_from([N, M])), self.lanes)
        if pick == 5:
            return self.constant(0, 1, 3, 2**62, 2**63 - 1)
        if pick == 6:
            return op("select", self.condition(0), self.value(0), self.value(0))
        if pick == 7:
            mean = op("add", self.counter(), self.counter())
            return op(self.draw(st.sampled_from(["floordiv", "mod"])), mean, self.constant(1, 2, 3))
        if pick == 8:
            length = op("maximum", spread(self.draw(st.sampled_from([N, M])), self.lanes), self.constant(1, 2))
            return op("mod", self.value(0), length)
        name = self.draw(st.sampled_from(["sub", "mul", "minimum", "maximum"]))
        return op(name, self.value(0), self.value(0))

    def condition(self, depth: int = 1) -> Value:
        pick = self.draw(st.integers(0, 7))
        if pick == 0:
            return self.flag()
        if pick == 1 and depth:
            return negated(self.condition(depth - 1))
        if pick <= 3 and depth:
            parts = self.condition(depth - 1), self.condition(depth - 1)
            return op("and" if pick == 2 else "or", *parts, type=bool_)
        name = self.draw(st.sampled_from(["lt", "le", "gt", "ge", "lt", "ge", "eq", "ne"]))
        return op(name, self.value(0), self.value(depth), type=bool_)

    def statements(self, depth: int) -> list[Statement]:
        return [each for _ in range(self.draw(st.integers(1, 3))) for each in self.statement(depth)]

    def seen(self, condition: Value) -> list[Statement]:
        """A condition is stored: counted where it holds, of each lane."""
        self.stored += 1
        one, none = (spread(integer(n), self.lanes) for n in (1, 0))
        offset = integer(self.stored * self.lanes)
        old = Load("o", offset, int64, self.lanes)
        return [Store("o", offset, op("add", old, op("select", condition, one, none)))]

    def statement(self, depth: int) -> list[Statement]:
        pick = self.draw(st.integers(0, 7 if depth else 4))
        if pick <= 1:
            return self.seen(self.condition())
        if pick <= 3:
            counter = self.counter()
            step = op("add", counter, self.constant(-1, 1, 1, 2))
            return [Assign(counter, step if pick == 2 else self.value())]
        if pick == 4:
            return [Assign(self.flag(), self.condition())]
        if pick == 5:
            raised = Assign(self.flag(), spread(Literal(True, bool_), self.lanes))
            return [If(self.condition(), (raised, *self.statements(0)), tuple(self.statements(depth - 1)), rare=True)]
        if pick == 6:
            inside = tuple(self.statements(depth - 1))
            return [For(number("k"), integer(0), op("minimum", N, integer(3)), integer(1), inside, natural=True)]
        return self.loop(depth)

    def loop(self, depth: int) -> list[Statement]:
        """A loop as procedures have them: a variable says of each lane whether it goes on, after six rounds none."""
        self.loops += 1
        rounds, active = number(f"round{self.loops}"), Name(f"active{self.loops}", bool_, self.lanes)
        counter, again = self.counter(), self.condition()
        again = both(both(again, spread(compare("lt", rounds, integer(6)), self.lanes)), negated(self.flag()))
        stepped = Assign(counter, op("add", counter, self.constant(-1, 1, 2)))
        inside = [*self.seen(self.condition()), *self.statements(depth - 1), *self.seen(self.condition()), stepped]
        inside += [Assign(rounds, op("add", rounds, integer(1))), Assign(active, again)]
        around = Declare(rounds, integer(0)), Declare(active, again), While(active, tuple(inside))
        return [*around, *self.seen(self.condition())]


@st.composite
def kernels(draw: st.DrawFn) -> tuple[Kernel, int]:
    lanes = draw(st.sampled_from([1, 1, 4]))
    writer = Writer(draw, lanes)
    starts: list[Value] = [integer(0), integer(1), N, op("sub", N, integer(1)), Load("o", integer(0), int64)]
    apart = [spread(draw(st.sampled_from(starts)), lanes) for _ in "ij"]
    if lanes > 1:
        apart[0] = op("add", apart[0], Iota(lanes))
    counters = [Declare(Name(n, int64, lanes), start) for n, start in zip("ij", apart)]
    flags = [Declare(Name(n, bool_, lanes), spread(Literal(False, bool_), lanes)) for n in "fg"]
    parts = SIZE, Let(M, Argument(3, size=True)), *counters, *flags, *writer.loop(2), Return(integer(0))
    return Kernel("k", (BufferArgument("o", int64, 0, written=True),), parts), (writer.stored + 1) * lanes


@given(kernels(), st.integers(0, 5), st.integers(0, 5), st.sampled_from([0, 1, -2, 7, 2**63 - 1, -(2**63)]))
@examples(300)
def test_every_kernel_does_what_it_did(drawn: tuple[Kernel, int], n: int, m: int, first: int) -> None:
    before, size = drawn
    verify(before)
    after = narrow(before)
    verify(after)
    found = []
    for each in (before, after):
        o = np.zeros(size, np.int64)
        o[0] = first
        status = run_kernel(each, np.array([o.ctypes.data, 0, n, m], np.int64), {0: o})
        found.append((status, o.tolist()))
    assert found[0] == found[1]
