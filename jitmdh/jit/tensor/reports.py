"""What a tensor kernel says of itself: its contractions, what its code executes, where numbers are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.frontend.tensor.check import Checked
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Expr, Tensor
from jitmdh.mdh.frontend.tensor.program import Lowered
from jitmdh.mdh.lowering.problem.traffic import operations as operations_of
from jitmdh.mdh.tensor.least_work import Leaf, Tree

if TYPE_CHECKING:
    from jitmdh.jit.explanation.report import Explanation


def contractions(lowered: Lowered) -> tuple[str, ...]:
    """A line for each step of the contractions, in the order in which they are computed."""
    return tuple(line for tree, factors in lowered.trees for line in _steps(tree, factors))


def executed(program: Program, tensors: Iterable[Tensor]) -> int:
    """Scalar operations of one call. tensors: whose arrays come with it."""
    extents = {shape_name(t.name, axis): int(extent) for t in tensors for axis, extent in enumerate(t.shape)}
    return sum(
        prod(d.extent.evaluate(extents) for d in e.md_hom.dims) * operations_of(e) for e in expressions(program.steps)
    )


def places(checked: Checked, lowered: Lowered, program: Program) -> dict[str, str]:
    """Where numbers are: of each tensor that does not come with the call, or that is not stored as it is, and of each
    intermediate result."""
    kept = {t.name: str(t.layout) for t in checked.tensors if t.layout is not None}
    found = {n: text for n, text in kept.items() if n in {t.name for t in lowered.tensors}}
    for a in program.allocations:
        found[a.name] = f"{kept.get(a.name, '×'.join(map(str, a.shape)) or 'a number')}, scratch"
    for tensor in checked.tensors:
        if tensor.values is not None and tensor.name not in lowered.constants:
            found[tensor.name] = f"{int(np.count_nonzero(tensor.values.array))} numbers in the code"
    for name, array in lowered.constants.items():
        found[name] = f"{kept.get(name, '×'.join(map(str, array.shape)) or 'a number')}, array beside the code"
    return found


def with_rows(report: Explanation, title: str, said: dict[str, str]) -> Explanation:
    """A report with a section that says this, by names; without one where nothing is said."""
    from jitmdh.jit.explanation.parts import ReportRow, Section

    rows = tuple(ReportRow(name, text) for name, text in said.items())
    return replace(report, sections=(*report.sections, Section(title, rows))) if rows else report


def patterns(checked: Checked) -> dict[str, Array]:
    """A mask for each tensor with known zeros, and for each that is assigned such a value."""
    found = {t.name: t.pattern.mask for t in checked.tensors if t.pattern is not None}
    for statement in checked.statements:
        if not statement.zeros.is_dense and statement.target.tensor.name not in found:
            found[statement.target.tensor.name] = statement.zeros.mask
    return found


def _steps(tree: Tree, factors: Sequence[Expr]) -> Iterator[str]:
    if isinstance(tree, Leaf):
        if tree.additions:
            yield f"[{' '.join(tree.names)}] = sum of {factors[tree.number]}: {tree.additions} additions"
        return
    yield from _steps(tree.left, factors)
    yield from _steps(tree.right, factors)
    sides = " * ".join(_name(side, factors) for side in (tree.left, tree.right))
    if tree.beforehand:
        yield f"[{' '.join(tree.names)}] = {sides}: computed beforehand, {tree.pattern.count} non-zeros"
        return
    work = f"{tree.multiplications} multiplications, {tree.additions} additions"
    yield f"[{' '.join(tree.names)}] = {sides}: {work}, {tree.pattern.count} non-zeros"


def _name(tree: Tree, factors: Sequence[Expr]) -> str:
    return str(factors[tree.number]) if isinstance(tree, Leaf) else f"[{' '.join(tree.names)}]"
