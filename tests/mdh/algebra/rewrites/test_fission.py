"""Where an expression with several operators has to become two, and what the two are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.combine import PointWise, PrefixSum, elementwise
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.rewrites.fission import boundary, split
from tests.mdh.algebra import examples as ex

MAX = elementwise("maximum", float32, float("-inf"))


def largest_row_sum(scan: bool = False) -> Expression:
    """`m[()] = max_i Σ_k M[i, k] * v[k]`, or the maxima up to each i."""
    matvec = ex.matvec()
    outer = PrefixSum(MAX) if scan else PointWise(MAX)
    md_hom = replace(matvec.md_hom, combine=(outer, PointWise(ex.add(float32))))
    index = (ex.i,) if scan else ()
    rank = len(index)
    buffers = (ex.buffer("w", float32, rank), *matvec.buffers[1:])
    return replace(matvec, buffers=buffers, md_hom=md_hom, finish=None, out_view=(ex.access("w", *index),))


@pytest.mark.parametrize(
    ("scan", "shared", "expected"),
    [(False, (), None), (False, ("i",), None), (False, ("k",), 1), (True, (), None), (True, ("i",), 1)],
)
def test_boundary(scan: bool, shared: tuple[str, ...], expected: int | None) -> None:
    assert boundary(groups(largest_row_sum(scan)), shared) == expected


def test_inner_prefix_sums_are_complete_before_anything_outside() -> None:
    matvec = ex.matvec()
    inner = replace(matvec, md_hom=replace(matvec.md_hom, combine=(PointWise(MAX), PrefixSum(ex.add(float32)))))
    assert boundary(groups(inner), ()) == 1


def test_the_two_halves() -> None:
    first, second = split(largest_row_sum(), 1, ["t"])
    for part in (first, second):
        check_expression(part)
    assert [str(c) for c in first.md_hom.combine] == ["++", "•(add)"] and str(first.out_view[0]) == "t[i]"
    assert [str(c) for c in second.md_hom.combine] == ["•(maximum)"] and str(second.inp_view[0]) == "t[i]"
    assert second.out_view == largest_row_sum().out_view
