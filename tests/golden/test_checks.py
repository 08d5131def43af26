"""What is looked at before a call writes anything, for subscripts of every kind: by sizes, by ranges, by data.

Laws compare what the checks do with what Python does; here it is that there is no check too many, either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from jitmdh.base.dtype import float64, int32, int64, uint8, uint64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.bounds import DataCheck, checkable_in_use, data_checks
from jitmdh.mdh.algebra.expr import Check, Expression, Program, expressions
from jitmdh.mdh.algebra.subscript_ranges import decide_from_sizes
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArgumentType, ArrayType, ScalarKind
from tests.golden import check_forms
from tests.source_text import function_in

NUMBER = ScalarKind(int64, True)
TYPES: tuple[ArgumentType, ...] = (
    ArrayType(float64, 1), ArrayType(float64, 1), ArrayType(float64, 2), ArrayType(int64, 1), ArrayType(uint8, 1),
    ArrayType(int32, 1), ArrayType(uint64, 1), NUMBER, NUMBER,
)  # fmt: skip


def body_of(form: str) -> str:
    """The lines of a function."""
    parts = re.split(r" ([|]+|;) ", f" ; {form}")[1:]
    return "\n".join("    " * (1 + bars.count("|")) + text for bars, text in zip(parts[::2], parts[1::2]))


def of_sizes(check: Check) -> str:
    when = " and ".join(f"{e} > 0" for e in check.when)
    return f"{check.kind}: {check.value} ≥ 0{f' if {when}' if when else ''}  # {check.message}"


def shown(expression: Expression) -> Iterator[str]:
    """Without the operator, which is the same for all."""
    for line in str(expression).splitlines():
        if not re.match(r" *(minimum, maximum:|identity |inp_view\(\)$|where$)", line):
            yield line


def of_data(check: DataCheck) -> Iterator[str]:
    where = f"before {check.before.out_view[0].buffer}" if check.before else "at the beginning"
    low = f"-({check.extent})" if check.wraps else "0"
    again = "" if check.again else ", when something has been written"
    yield f"{check.kind}, {where}{again}: in [{low}, {check.extent})  # {check.message}"
    yield from (f"  {line}" for line in shown(check.expression))
    if check.enough:
        yield "  enough: " + ", ".join(f"{e} ≥ 0" for e in check.enough)
    if check.wider is not None:
        yield "  or all of"
        yield from (f"    {line}" for line in shown(check.wider))


def checks_of(program: Program) -> Iterator[str]:
    yield from (f"{d.name} = {d.value}" for d in program.definitions)
    yield from (of_sizes(check) for check in program.checks)
    for e in expressions(program.steps):
        for n in e.indirect:
            enough = ", ".join(f"{x} ≥ 0" for x in n.enough)
            yield f"{n.name}: {'decided' if n.decided else 'on each point'}{f', or {enough}' if enough else ''}"
    for check in data_checks(program):
        yield from of_data(check)
    if in_use := checkable_in_use(program):
        yield "in use: what writes " + ", ".join(e.out_view[0].buffer for e in in_use)


@pytest.mark.parametrize("kind", ["SIZES", "RANGES", "DATA"])
def test_what_is_looked_at(kind: str, golden: Callable[[str, str], None]) -> None:
    found = []
    for form in getattr(check_forms, kind).strip().splitlines():
        body = body_of(form)
        function = function_in(
            f"def f(y, x, table, at, few, near, big, n, m):\n{body}\n", f"<checks {form}>", {"np": np}
        )
        try:
            lines = list(checks_of(decide_from_sizes(trace(capture(function), TYPES))))
        except NotAnMdhError as error:
            lines = [f"refused: {str(error).splitlines()[0].partition('>:')[2]}"]
        found.append("\n".join([body, *(f"        {line}" for line in lines or ["nothing"])]))
    golden(f"checks/{kind.lower()}", "\n\n".join(found))
