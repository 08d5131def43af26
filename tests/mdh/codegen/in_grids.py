"""Runs a program as grids of threads, by their interpreter, with a configuration of one's choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.expr import ArrayParameter, Program
from jitmdh.mdh.kernel.argument_frame import frame_layout
from jitmdh.mdh.kernel.ir import Barrier, Statement
from jitmdh.mdh.kernel.pass_manager import Pass, run_passes
from jitmdh.mdh.kernel.passes.multiply_add import fuse_multiply_adds
from jitmdh.mdh.kernel.passes.offloading.outline import outline
from jitmdh.mdh.kernel.passes.offloading.single_uses import leave_out_single_uses
from jitmdh.mdh.kernel.passes.offloading.wide_loads import wide_loads
from jitmdh.mdh.kernel.passes.warps import to_warps
from jitmdh.mdh.kernel.rewrite import Rewriter
from jitmdh.mdh.kernel.simt_interp import Report, run_grids
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.gpu import gpu
from tests.mdh.codegen.native import Built, Choose, Frame, build_kernels

PASSES = (
    Pass("fma", fuse_multiply_adds),
    Pass("outline", partial(outline, refuse=NotAnMdhError)),
    Pass("warps", partial(to_warps, refuse=NotAnMdhError), lambda machine: machine.warps),
    Pass("wide_loads", wide_loads),
    Pass("single_uses", leave_out_single_uses),
)


class InGrids(Built):
    """A program as kernel IR for a GPU. multiples: what sizes are known to be multiples of; any_order: of
    sums of floats; seed: decides the order of
    blocks (None: theirs); reports: of all grids; after: what is done to low-level expressions."""

    seed: int | None = None
    after: Callable[[LowLevel], LowLevel] = staticmethod(lambda low: low)

    def __init__(self, program: Program, choose: Choose, unit_axes: dict[str, int | None] | None = None,
                 bits: int = 1024, multiples: Mapping[str, int] | None = None,
                 any_order: bool = False) -> None:  # fmt: skip
        self.program, self.machine, self.layout = program, gpu("sm_90", bits), frame_layout(program)
        arrays = [p for p in program.parameters if isinstance(p, ArrayParameter)]
        units = {p.name: p.rank - 1 if p.rank else None for p in arrays} if unit_axes is None else unit_axes
        self.multiples = dict(multiples or {})
        self.built = build_kernels(program, choose, self.machine, units, {}, self.multiples, self.after, any_order)
        self.kernels = run_passes(PASSES, self.built, self.machine)[-1].kernels
        self.reports: list[Report] = []

    def order(self, count: int) -> Iterable[int]:
        blocks = list(range(count))
        if self.seed is not None:
            Random(self.seed).shuffle(blocks)
        return blocks

    def run(self, which: int, frame: Frame, arrays: dict[int, Frame]) -> int:
        report = run_grids(self.kernels[which], frame, arrays, threads=5, order=self.order)
        self.reports.append(report)
        return report.status


def begun_early(low: LowLevel) -> LowLevel:
    """With blocks that begin early, in dimensions that no copy has; of some expressions, so that others stay."""
    copied = {name for c in low.copies for index in low.expression.inp_view[c.access].index for name in index.names}
    chosen, parts = Random(repr(low)), []
    for part in low.parts:
        largest = part.size == max(q.size for q in low.parts if q.dim == part.dim)
        may = part.way == "block" and largest and part.size > 1 and part.dim in low.expression.remaining
        early = may and part.dim not in copied and chosen.random() < 0.6
        parts.append(replace(part, early=chosen.randrange(1, part.size)) if early else part)
    return replace(low, parts=tuple(parts))


class WithoutBarrier(Rewriter):
    """A kernel without its barrier `number`. seen: how many it had so far."""

    def __init__(self, number: int) -> None:
        self.number, self.seen = number, 0

    def statement(self, node: Statement) -> Sequence[Statement]:
        if not isinstance(node, Barrier):
            return Rewriter.statement(self, node)
        self.seen += 1
        return () if self.seen == self.number + 1 else (node,)
