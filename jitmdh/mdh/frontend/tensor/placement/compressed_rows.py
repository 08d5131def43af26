"""Sums over compressed rows: of the terms that a mask leaves, each row has its own, found by a table.

    Q[k, p] = Σ_l (mask[k, l] ? K[k, l] * t[l, p] : 0)      l < 56, at most 7 of which are left in a row
    Q[k, p] = Σ_l (here[k, l] ? K'[k, l] * t[@, p] : 0)     l < 7, @ = column[k, l], K' the numbers of these places

Rows that have fewer than the longest end masked; where all have as many, nothing is masked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jitmdh.base.dtype import bool_, from_numpy, int64
from jitmdh.mdh.algebra.combine import PointWise
from jitmdh.mdh.algebra.expr import Access, Buffer, Expression, Indirect
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.scalar import Constant, Operation, ScalarFunction, Variable

Array = NDArray[Any]


def over_compressed_rows(
    steps: Sequence[Expression], masks: Collection[str], constants: MutableMapping[str, Array],
    new: Callable[[str], str],
) -> tuple[Sequence[Expression], Collection[str]]:  # fmt: skip
    """`steps` with sums that have one of `masks` over its compressed rows; and the masks of which there are such sums.

    constants: arrays by name, the masks among them; tables are added. new: a name that nothing has.
    ensures: the meaning of `steps`; terms are added in the same order.
    """
    made = [_over_rows(e, masks, constants, new) for e in steps] if masks else [(e, None) for e in steps]
    return [e for e, _ in made], {mask for _, mask in made if mask is not None}


def _over_rows(
    e: Expression, masks: Collection[str], constants: MutableMapping[str, Array], new: Callable[[str], str]
) -> tuple[Expression, str | None]:
    """`e` over compressed rows of one of `masks`, and which one; itself and None where it is no such sum."""
    chosen = next((a for a in e.inp_view if a.buffer in masks and _leaves_terms(e, a)), None)
    summed = None if chosen is None else _summed(e, chosen)
    if chosen is None or summed is None:
        return e, None
    rows = _Rows(e, chosen, summed, constants, new)
    return (rows.expression(), chosen.buffer) if rows.are_shorter else (e, None)


def _leaves_terms(e: Expression, mask: Access) -> bool:
    """Whether the terms of a sum are absent where the mask says so."""
    results = e.md_hom.function.results
    match results[0] if len(results) == 1 else None:
        case Operation("select", (condition, _, Constant(value))) if value == 0:
            parameter = e.md_hom.function.parameters[e.inp_view.index(mask)]
            return any(v == parameter for v in _all_of(condition))
    return False


def _all_of(condition: Any) -> list[Any]:
    """What has to be true for a condition to be."""
    if isinstance(condition, Operation) and condition.op in ("and", "logical_and"):
        return [v for o in condition.operands for v in _all_of(o)]
    return [condition]


def _summed(e: Expression, mask: Access) -> str | None:
    """The only dimension of the mask that is summed, if its subscripts are dimensions, and their extents are known."""
    dims = {d.name: (d, c) for d, c in zip(e.md_hom.dims, e.md_hom.combine)}
    used = [name for axis in mask.index for name in axis.names]
    plain = all([c for _, c in axis.terms] in ([], [1]) for axis in mask.index) and len({*used}) == len(used)
    if not plain or mask.guard or any(n not in dims or not dims[n][0].extent.is_constant for n in used):
        return None
    found = [n for n in used if isinstance(dims[n][1], PointWise)]
    if len(found) != 1 or e.indirect or e.between:
        return None
    combine = dims[found[0]][1]
    return found[0] if isinstance(combine, PointWise) and combine.operator.name == "add" else None


class _Rows:
    """The rows of a mask in an expression: over its other dimensions, in their order there."""

    def __init__(
        self, e: Expression, mask: Access, summed: str, constants: MutableMapping[str, Array],
        new: Callable[[str], str],
    ) -> None:  # fmt: skip
        self.e, self.mask, self.summed, self.constants, self.new = e, mask, summed, constants, new
        self.extents = {d.name: d.extent.constant for d in e.md_hom.dims if d.extent.is_constant}
        self.over = (*(n for axis in mask.index for n in axis.names if n != summed), summed)
        self.points = self._of(constants[mask.buffer], mask)
        self.longest = int(self.points.sum(axis=-1).max(initial=0))
        order = np.argsort(~self.points, axis=-1, kind="stable")  # what is there first, in its order
        self.columns = np.ascontiguousarray(order[..., : self.longest])
        self.here = np.ascontiguousarray(np.take_along_axis(self.points, self.columns, -1))

    @property
    def are_shorter(self) -> bool:
        """Whether anything is gained, and there is anything at all."""
        return 0 < self.longest < int(self.points.shape[-1])

    def expression(self) -> Expression:
        column, place = self._table("column", self.columns), Variable("column", int64)
        at = tuple(map(Affine.of, self.over))
        found = Indirect(
            f"@{column.name}", (Access(column.name, at),), ScalarFunction((place,), (), (place,)),
            as_affine(self.extents[self.summed]), decided=True,
        )  # fmt: skip
        buffers, reads = dict.fromkeys([*self.e.buffers, column]), list[Access]()
        function = self._function()
        for access in self.e.inp_view:
            if access == self.mask and function is not self.e.md_hom.function:
                continue
            table = self._compressed(access)
            if table is not None:
                buffers[table] = None
                reads.append(Access(table.name, at))
            else:
                index = tuple(a.substitute({self.summed: Affine.of(found.name)}) for a in access.index)
                reads.append(replace(access, index=index))
        kept = {a.buffer for a in (*reads, *self.e.out_view, *(self.e.finish.inp_view if self.e.finish else ()))}
        dims = tuple(
            replace(d, extent=as_affine(self.longest)) if d.name == self.summed else d for d in self.e.md_hom.dims
        )
        return replace(
            self.e,
            buffers=tuple(b for b in buffers if b.name in kept or b == column),
            inp_view=tuple(reads),
            md_hom=replace(self.e.md_hom, dims=dims, function=function),
            indirect=(found,),
        )

    def _function(self) -> ScalarFunction:
        """Of a term; without a choice where every row has as many terms."""
        function = self.e.md_hom.function
        own = function.parameters[self.e.inp_view.index(self.mask)]
        match function.results:
            case (Operation("select", (condition, value, _)),) if self.here.all() and condition == own:
                return replace(function, parameters=tuple(p for p in function.parameters if p != own), results=(value,))
        return function

    def _compressed(self, access: Access) -> Buffer | None:
        """A table of what an access of a constant reads, where that goes with the mask."""
        if access == self.mask:
            return self._table("here", self.here)
        array = self.constants.get(access.buffer)
        if array is None or access.guard or access.index != self.mask.index:
            return None
        numbers = np.take_along_axis(self._of(array, access), self.columns, -1)
        return self._table(access.buffer, np.where(self.here, numbers, np.zeros((), array.dtype)))

    def _of(self, array: Array, access: Access) -> Array:
        """The part of an array that an access with the subscripts of the mask reads, its axes as those of `over`."""
        spans = tuple(
            slice(a.constant, a.constant + self.extents[a.names[0]]) if a.names else a.constant for a in access.index
        )
        names = [a.names[0] for a in access.index if a.names]
        return array[spans].transpose([names.index(n) for n in self.over])

    def _table(self, name: str, array: Array) -> Buffer:
        made = self.new(name)
        self.constants[made] = np.ascontiguousarray(array)
        return Buffer(
            made, bool_ if array.dtype == np.bool_ else from_numpy(array.dtype),
            tuple(Affine.of(shape_name(made, axis)) for axis in range(array.ndim)),
        )  # fmt: skip
