"""What updates of carried variables are recognised as (golden), and that they mean what Python computes (law)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import cycle
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, bool_, float16, float32, float64, int32, int64, uint64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.combine import PointWise, PrefixSum, Scatter
from jitmdh.mdh.algebra.expr import Program, Sequential, expressions
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from tests.golden.update_forms import FORMS, OPERATORS
from tests.mdh.frontend.to_algebra.test_bounds_checks import function_of

HEAD = """import numpy as np
def f(x, b):
    s, t, u, c, p, n = b[0], b[1], -1, False, 0.0, 0
    for i in range(x.shape[0]):
"""
END = "    return s, t, u, c, p, n\n"
ARRAYS = {
    "scattered": ("h", "np.zeros(3, x.dtype)"),
    "elements": ("h", "np.full(3, b[0])"),
    "scanned": ("y", "np.zeros(x.shape, x.dtype)"),
}
FLOATS = ([1, 3, 3, 2], [nan, 1, 2, nan, 2, -4], [-inf, -inf], [inf, -1, nan], [nan, nan], [5], [])  # ties, NaN, …
STARTS = ((-inf, 1), (0, 4), (nan, 1), (2, 4), (-inf, 1), (nan, 4), (inf, 1))
INTEGERS = ([1, 3, 3, 2], [-4, 2**53 + 1, 2**53, 7, 6], [-(2**63), 2**63 - 1, 0], [0, 0], [5], [])
BOUNDS = ((0, 1), (-(2**63), 4), (2**63 - 1, 1), (2, 4))
SMALL, SMALL_STARTS = ([1, 3, 3, 2], [7, 6, 9, 4, 9], [5], []), ((0, 1), (6, 4))
Call = tuple[np.ndarray, np.ndarray]


def calls(type: ScalarType) -> Iterator[Call]:
    """Each of the data with a start near them, which hides nothing, and with one of the others in turns."""
    data, starts = {float64: (FLOATS, STARTS), int64: (INTEGERS, BOUNDS)}.get(type, (SMALL, SMALL_STARTS))
    turns = cycle(starts)
    for x in data:
        for b in dict.fromkeys(((2, 4), next(turns))):
            yield np.array(x, type.numpy), np.array(b, type.numpy)


def recognised(program: Program, type: ScalarType) -> str:
    """Operators, with a type that neither the data nor places have, and `in order` where iterations follow each other,
    as a loop or at one point."""
    found = expressions(program.steps)
    kinds = {PrefixSum: "scan ", Scatter: "scatter "}
    operators = [
        (kinds.get(c.__class__, ""), c.operator)
        for e in found
        for c in e.md_hom.combine
        if isinstance(c, PointWise | PrefixSum | Scatter)
    ]
    types = [operator.types[0] for _, operator in operators]
    other = [f"[{of}]" if of not in (type, bool_, int64) else "" for of in types]
    names = {f"{kind}{operator.name}{of}" for (kind, operator), of in zip(operators, other)}
    ordered = any(e.procedures for e in found) or any(isinstance(s, Sequential) for s in program.steps)
    return ", ".join(sorted(names) + ["in order"] * ordered) or "nothing"


def program_of(function: Any, type: ScalarType, reassociate: bool = True) -> Program | None:
    """None where it is refused."""
    array = ArrayType(type, 1)
    try:
        return trace(capture(function), (array, array), reassociate=reassociate)
    except NotAnMdhError:
        return None


def functions(group: str) -> Iterator[tuple[str, Callable[..., Any], tuple[ScalarType, ...]]]:
    """The forms of a group, each as a function, with the types of x and b."""
    head, end = HEAD, END
    if group in ARRAYS:
        name, made = ARRAYS[group]
        head, end = HEAD.replace("    for", f"    {name} = {made}\n    for"), END.replace("s,", f"{name}, s,")
    if group in ("declared", "scattered"):
        head = OPERATORS + head
    types = {"mixed": (int32, uint64, float32, float16), "scattered": (int64, int32)}.get(group, (float64, int64))
    for form in FORMS[group]:
        yield form, function_of(head + "".join(f"        {line}\n" for line in form.split(";")) + end), types


@pytest.mark.parametrize("group", FORMS)
def test_updates(group: str, golden: Callable[[str, str], None]) -> None:
    """One line for each form: with float64, with int64, and with float64 whose sums keep their order."""
    lines = []
    for form, function, types in functions(group):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            programs = [(type, program_of(function, type)) for type in types]
            if types[0] == float64:
                programs.append((float64, program_of(function, float64, reassociate=False)))
        columns = ["refused" if program is None else recognised(program, type) for type, program in programs]
        lines.append(f"{form}  ->  {' | '.join(columns)}")
    golden(f"updates/{group}", "\n".join(lines))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("group", FORMS)
def test_they_mean_the_same(group: str) -> None:
    for form, function, types in functions(group):
        for type in types:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                program = program_of(function, type)
                for x, b in calls(type) if program is not None else ():
                    wanted = function(x.copy(), b.copy())
                    try:
                        got = run(program, x.copy(), b.copy())
                    except FallbackSignal:
                        continue
                    same = all(np.array_equal(g, w, equal_nan=True) for g, w in zip(got, wanted))
                    assert same, (form, x, b, got, wanted)
