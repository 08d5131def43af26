"""Conditions on the data of a call, as code: computed like anything else, compared before what they are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.algebra.bounds import DataCheck, data_checks
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.codegen.kernel_ir import (
    Apply,
    Assign,
    Declare,
    Fail,
    If,
    Literal,
    Load,
    Name,
    Scratch,
    Statement,
    Value,
    both,
    compare,
    integer,
    subtract,
)
from jitmdh.mdh.codegen.nest import Nest
from jitmdh.mdh.codegen.scope import Scope
from jitmdh.mdh.lowlevel.expr import LowLevel

EARLY, LATE = 16, 1 << 20
"""Status of a kernel whose data do not fulfil condition n: this + n, before anything is written or later."""


class Checks:
    """The conditions of a program, each to be written before the expression that it is about."""

    def __init__(self, program: Program, lowering: Callable[[Expression], LowLevel], scope: Scope) -> None:
        self.all, self.lowering, self.scope = data_checks(program), lowering, scope

    def guarded(self, before: Expression | None, steps: list[Statement]) -> list[Statement]:
        """`steps` where the conditions that precede `before` (None: everything) hold."""
        for number, check in reversed(list(enumerate(self.all))):
            if check.before is before:
                steps = self._guarded(number, check, steps)
        return steps

    def _guarded(self, number: int, check: DataCheck, steps: Sequence[Statement]) -> list[Statement]:
        good = self.scope.name("inside", bool_)
        body = self._compared(check, check.expression, good)
        if check.wider is not None:
            body = [*self._compared(check, check.wider, good), If(good, (), tuple(body))]
        bad = Apply("not", (good,), bool_)
        first = EARLY if check.before is None else LATE
        return [Declare(good, Literal(False, bool_)), *body, Fail(bad, first + number), If(good, tuple(steps))]

    def _compared(self, check: DataCheck, computation: Expression, good: Name) -> list[Statement]:
        """`good` is set to whether the subscripts are within bounds at the points of `computation`."""
        names = [self.scope.fresh(n) for n in (check.least, check.greatest)]
        type = computation.md_hom.function.result_types[0]
        for name in names:
            self.scope.strides[name], self.scope.types[name] = (), type
        expression = _writing(computation, (check.least, check.greatest), names)
        body: list[Statement] = Nest(self.lowering(expression), self.scope).write()
        extent = self.scope.affine(check.extent, {})
        least, greatest = (_wide(Load(name, integer(0), type)) for name in names)
        low: Value = subtract(integer(0), extent) if check.wraps else integer(0)
        holds = both(compare("ge", least, low), compare("lt", greatest, extent))
        assert holds is not None
        body.append(Assign(good, holds))
        for name in reversed(names):
            body = [Scratch(name, type, integer(1), tuple(body))]
        return body


def _wide(value: Value) -> Value:
    return value if value.type == int64 else Apply("cast", (value,), int64)


def _writing(e: Expression, old: Sequence[str], names: Sequence[str]) -> Expression:
    """A computation with its results in scalars of other names."""
    renamed = dict(zip(old, names))
    buffers = tuple(replace(b, name=renamed.get(b.name, b.name)) for b in e.buffers)
    outputs = tuple(replace(a, buffer=renamed[a.buffer]) for a in e.out_view)
    return replace(e, buffers=buffers, out_view=outputs)
