"""Integers that stay the same in a loop are made before it."""

from __future__ import annotations

import re

import numpy as np

import jitmdh as mdh
from jitmdh.base.dtype import bool_, int64
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Apply, Name
from jitmdh.mdh.targets.llvm.numbering import Line, Loops, flat, is_number


def test_the_outermost_loop_in_which_no_operand_is_made() -> None:
    loops, lines = Loops(), list[Line]()
    loops.made("%size")
    assert loops.around(["%size"]) is None
    loops.enter(lines, [])
    loops.made("%i")
    loops.enter(lines, [])
    loops.made("%j")
    outer, inner = loops.around(["%size", "4"]), loops.around(["%i", "%size"])
    assert outer is not None and inner is not None and outer is not inner
    assert loops.around(["%j", "%i"]) is None
    with loops.outside(inner):
        loops.made("%row")  # depends on %i alone
    assert loops.around(["%row"]) is inner
    loops.leave()
    assert loops.around(["%row"]) is None
    assert loops.around(["%size"]) is outer


def test_lines_before_a_loop_precede_it() -> None:
    loops, lines = Loops(), list[Line](["a"])
    loops.enter(lines, [])
    lines.append("c")
    found = loops.around(["1"])
    assert found is not None
    found.before.append("b")
    assert list(flat(lines)) == ["a", "b", "c"]


def test_what_may_be_computed_without_need() -> None:
    x, y = Name("x", int64), Name("y", int64)
    assert is_number(Apply("mul", (x, y), int64))
    assert is_number(Apply("udiv", (x, integer(8)), int64))
    assert not is_number(Apply("udiv", (x, y), int64))  # y may be 0 where the loop is not entered
    assert not is_number(Apply("lt", (x, y), bool_))


@mdh.jit(tune="off", cache=False)
def products(out, x, y):
    for b in range(out.shape[0]):
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                for k in range(x.shape[1]):
                    out[b, i, j] += x[b, k, i] * y[b, k, j]


def test_products_of_outer_indices_are_not_in_the_innermost_loop() -> None:
    """Of the two accesses there, only k times a stride is computed in each round."""
    out, x, y = np.zeros((9, 30, 50), np.float32), np.ones((9, 40, 30), np.float32), np.ones((9, 40, 50), np.float32)
    llvm = products.inspect(out, x, y, stage="llvm")
    blocks = re.split(r"\n(?=[\w.]+:)", llvm)
    innermost = [b for b in blocks if b.startswith("loop") and "fmul" in b]
    assert innermost and all(len(re.findall(r"= mul (?:n\w+ )*i64", b)) <= 2 for b in innermost)
