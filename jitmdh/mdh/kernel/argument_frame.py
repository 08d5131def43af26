"""The argument frame of a kernel: which 64-bit slot holds what.

Parameters in order, then allocations. An array of rank r takes 1 + 2r slots: address, shape, strides in bytes; a
scalar takes one (complex128: two).
"""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import ArrayParameter, Program
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.kernel.ir import Argument


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """First slot and rank of each name (rank None: a scalar held in the slot), and the number of slots."""

    first: Mapping[str, int]
    rank: Mapping[str, int | None]
    size: int

    def address(self, name: str) -> int:
        return self.first[name]

    def shape(self, name: str, axis: int) -> int:
        return self.first[name] + 1 + axis

    def stride(self, name: str, axis: int) -> int:
        return self.first[name] + 1 + (self.rank[name] or 0) + axis

    def sizes(self) -> dict[str, Argument]:
        """The value of every size that an affine expression can name, as slots."""
        found = {}
        for name, slot in self.first.items():
            rank = self.rank[name]
            if rank is None:
                found[name] = Argument(slot)
            for axis in range(rank or 0):
                found[shape_name(name, axis)] = Argument(self.shape(name, axis), size=True)
        return found


def frame_layout(program: Program) -> FrameLayout:
    first: dict[str, int] = {}
    rank: dict[str, int | None] = {}
    slot = 0
    for p in program.parameters:
        first[p.name] = slot
        if isinstance(p, ArrayParameter):
            rank[p.name] = p.rank
            slot += 1 + 2 * p.rank
        else:
            rank[p.name] = None
            slot += max(1, p.type.bits // 64)
    for a in program.allocations:
        first[a.name] = slot
        rank[a.name] = len(a.shape)
        slot += 1 + 2 * len(a.shape)
    return FrameLayout(first, rank, slot)
