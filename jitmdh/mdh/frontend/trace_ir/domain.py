"""Iteration domains: least and greatest value of affine expressions, and small exact proofs about their sign.

The proofs are sums: `e ≥ 0` holds if e is a known non-negative fact plus something simpler that is non-negative.
They settle the common cases without islpy, whose import alone takes longer than tracing a function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from jitmdh.base.records import record
from jitmdh.mdh.algebra.index import Affine, is_size
from jitmdh.mdh.frontend.trace_ir.value_graph import LoopDim


@record(frozen=True, slots=True)
class Domain:
    """The points of `dims` (outermost first) where all of `guard` are ≥ 0. Non-empty wherever a proof is used."""

    dims: tuple[LoopDim, ...]
    guard: tuple[Affine, ...] = ()
    size_facts: tuple[Affine, ...] = ()

    @property
    def is_box(self) -> bool:
        """Whether every combination of indices belongs to it."""
        return not self.guard and not any(d.guard for d in self.dims)

    def greatest(self, index: Affine) -> Affine | None:
        """An upper bound of `index` in terms of sizes: exact for a box; None if it has no affine form."""
        return self._extreme(index, 1)

    def least(self, index: Affine) -> Affine | None:
        """A lower bound of `index` in terms of sizes: exact for a box; None if it has no affine form."""
        return self._extreme(index, -1)

    def _extreme(self, index: Affine, sign: int) -> Affine | None:
        for dim in reversed(self.dims):
            c = index.coefficient(dim.name)
            if c == 0:
                continue
            rest = index.without((dim.name,))
            if c * sign < 0:
                index = rest + c * self.first(dim)
            elif dim.length is not None:
                index = rest + (dim.length - 1) * c
            elif c % dim.stride == 0:
                index = rest + (dim.room - 1) * (c // dim.stride)
            else:
                return None
        return index

    def first(self, dim: LoopDim) -> int:
        """The least number of `dim` at points that exist: conditions, and loops inside that are empty, may say more
        than 0."""
        own = Affine.of(dim.name)
        facts = [*self.guard, *(d.room - 1 for d in self.dims if d is not dim)]
        facts += [g for d in self.dims for g in d.guard]
        rests = [fact - own for fact in facts if fact.coefficient(dim.name) == 1]
        return max((-rest.constant for rest in rests if rest.is_constant and rest.constant < 0), default=0)

    def facts(self) -> tuple[Affine, ...]:
        """Expressions that are ≥ 0 at every point."""
        found = [*self.guard, *self.size_facts]
        for d in self.dims:
            own = Affine.of(d.name)
            found.append(d.room - 1 - own * d.stride)
            if d.length is not None and d.stride != 1:
                found.append(d.length - 1 - own)
                found.append(d.room - 1 - (d.length - 1) * d.stride)
        return tuple(found)

    def proves(self, index: Affine) -> bool:
        """Whether `index` ≥ 0 at every point is certain."""
        names = {d.name for d in self.dims}
        if _Proof((), names).of(index, 0):
            return True
        lowest, proof = self.least(index), _Proof(self.facts(), names)
        return (lowest is not None and proof.of(lowest, 3)) or proof.of(index, 4)

    def proves_negative(self, index: Affine) -> bool:
        """Whether `index` < 0 at every point is certain."""
        return self.proves(-index - 1)


class _Proof:
    """A search for sums of facts. dims: names that are never negative, beside those of sizes."""

    def __init__(self, facts: Iterable[Affine], dims: Collection[str]) -> None:
        self.dims = dims
        self.of_name: dict[str, list[tuple[int, Affine]]] = {}
        for fact in facts:
            for name, coefficient in fact.terms:
                self.of_name.setdefault(name, []).append((coefficient, fact))
        self.failed: dict[Affine, int] = {}
        """The most facts with which it is not known of an expression: the same rests are come to in many ways."""

    def of(self, e: Affine, depth: int) -> bool:
        """Whether `e` is, by up to `depth` facts, a sum of what is ≥ 0."""
        negative = next((n for n, c in e.terms if c < 0 or not (n in self.dims or is_size(n))), None)
        if negative is None and e.constant >= 0:
            return True
        if depth == 0 or self.failed.get(e, 0) >= depth:
            return False
        for name in (negative,) if negative is not None else e.names:
            c = e.coefficient(name)
            for f, fact in self.of_name.get(name, ()):
                if c % f == 0 and c // f > 0 and self.of(e - fact * (c // f), depth - 1):
                    return True
        self.failed[e] = depth
        return False
