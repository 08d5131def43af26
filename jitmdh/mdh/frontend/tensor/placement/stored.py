"""Programs on tensors whose known zeros are not stored.

Before: `Q[k] = Σ_l K[k, l] * x[l]`, K with its zeros. After, where what may be other than zero is in rows 2 to 4 and
columns 1 to 3: `Q[k] = Σ_l K[k - 2, l - 1] * x[l]`, with guards 0 ≤ k - 2, … on that access. Of a list an element at
fixed positions has a fixed place; lists that are accessed otherwise are brought to an array with the zeros before
anything else, and back after everything else where they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.expr import Access, Allocation, Buffer, Dim, Expression, Indirect, MdHom
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.scalar import Constant, Scalar, ScalarFunction, Variable, select
from jitmdh.mdh.frontend.tensor.notation.expr import Array
from jitmdh.mdh.tensor.storage import Storage


@dataclass(frozen=True, slots=True)
class Stored:
    """The steps, arrays of the program's own that they need, and tables that are further constants of it."""

    steps: tuple[Expression, ...]
    allocations: tuple[Allocation, ...]
    tables: dict[str, Array]


def stored(
    steps: Sequence[Expression], storages: Mapping[str, Storage], types: Mapping[str, ScalarType],
    read_first: Collection[str], new: Callable[[str], str],
) -> Stored:  # fmt: skip
    """`steps` on arrays in these storages. read_first: the tensors whose numbers matter when the program begins.

    ensures: the meaning of `steps` on the arrays with their zeros; what storage has no place for is read as 0, and is
    not written.
    """
    return _Placement(steps, storages, types, new).stored(steps, read_first)


class _Placement:
    def __init__(
        self, steps: Sequence[Expression], storages: Mapping[str, Storage], types: Mapping[str, ScalarType],
        new: Callable[[str], str],
    ) -> None:  # fmt: skip
        self.storages, self.types, self.new = storages, types, new
        self.tables: dict[str, Array] = {}
        self.places = {name: s.places() for name, s in storages.items() if s.is_list}
        self.empty = {name for name, s in storages.items() if not s.pattern.count}  # which have no place at all
        loose = {
            a.buffer for e in steps for a in (*e.reads, *e.out_view)
            if a.buffer in self.empty or (a.buffer in self.places and not all(i.is_constant for i in a.index))
        }  # fmt: skip
        self.dense = {name: new(name) for name in storages if name in loose}

    def stored(self, steps: Sequence[Expression], read_first: Collection[str]) -> Stored:
        written = frozenset[str]().union(*(e.written for e in steps))
        before = [self._unpacked(n) for n in self.dense if n in read_first]
        after = [self._packed(n) for n in self.dense if n in written and n not in self.empty]
        allocations = tuple(
            Allocation(own, self.types[name], tuple(map(as_affine, self.storages[name].pattern.shape)))
            for name, own in self.dense.items()
        )
        return Stored((*before, *map(self._step, steps), *after), allocations, self.tables)

    # ------------------------------------------------------------------------------------------ the steps at hand

    def _step(self, e: Expression) -> Expression:
        if not any(b.name in self.storages for b in e.buffers):
            return e
        ranges = {d.name: d.extent.constant for d in e.md_hom.dims if d.extent.is_constant}
        made = with_accesses(e, lambda a: self._access(a, ranges), self._buffer)
        return replace(made, name=self.dense.get(e.name, e.name))

    def _buffer(self, b: Buffer) -> Buffer:
        if b.name in self.dense:
            return Buffer(self.dense[b.name], b.type, tuple(map(as_affine, self.storages[b.name].pattern.shape)))
        storage = self.storages.get(b.name)
        if storage is None:
            return b
        if b.shape and all(extent.is_constant for extent in b.shape):  # of the program's own
            return replace(b, shape=tuple(map(as_affine, storage.shape)))
        return _own(b.name, b.type, len(storage.shape))

    def _access(self, a: Access, ranges: Mapping[str, int]) -> Access:
        if a.buffer in self.dense:
            return replace(a, buffer=self.dense[a.buffer])
        storage = self.storages.get(a.buffer)
        if storage is None:
            return a
        if storage.is_list:
            place = int(self.places[a.buffer][tuple(i.constant for i in a.index)])
            return replace(a, index=(as_affine(max(place, 0)),), guard=a.guard if place >= 0 else (as_affine(-1),))
        guard = list(a.guard)
        for index, (begin, end) in zip(a.index, storage.pattern.box):
            least, most = _range(index, ranges)
            guard += [index - begin] if least < begin else []
            guard += [end - 1 - index] if most >= end else []
        return replace(a, index=tuple(i - n for i, n in zip(a.index, storage.begin)), guard=tuple(guard))

    # ------------------------------------------------------------------------------------------ lists as arrays

    def _unpacked(self, name: str) -> Expression:
        """`dense[i, j] = mask[i, j] ? list[place[i, j]] : 0`."""
        storage, type, own = self.storages[name], self.types[name], self.dense[name]
        dims = [self.new("i") for _ in storage.pattern.shape]
        at = tuple(map(Affine.of, dims))
        zero = Constant({"b": False, "f": 0.0, "c": 0j}.get(type.kind, 0), type)
        target = Buffer(own, type, tuple(map(as_affine, storage.pattern.shape)))
        buffers, reads, indirect, value, parameters = [target], list[Access](), list[Indirect](), zero, list[Variable]()
        result: Scalar = value
        if name not in self.empty:
            table = self._table(np.maximum(self.places[name], 0))
            number, row = Variable("x", type), Variable("place", int64)
            place = Indirect(f"@{table}", (Access(table, at),), ScalarFunction((row,), (), (row,)),
                             Affine.of(shape_name(name, 0)), decided=True)  # fmt: skip
            reads, indirect, parameters = [Access(name, (Affine.of(place.name),))], [place], [number]
            buffers += [_own(name, type, 1), _own(table, int64, len(at))]
            result = number
            if not storage.pattern.is_dense:
                mask = self._table(np.array(storage.pattern.mask))
                known = Variable("known", bool_)
                reads, parameters = [*reads, Access(mask, at)], [number, known]
                buffers.append(_own(mask, bool_, len(at)))
                result = select(known, number, zero)
        whole = MdHom(
            tuple(Dim(d, as_affine(n)) for d, n in zip(dims, storage.pattern.shape)),
            ScalarFunction(tuple(parameters), (), (result,)),
            (cc,) * len(dims),
        )
        return Expression(own, tuple(buffers), tuple(reads), whole, None, (Access(own, at),), indirect=tuple(indirect))

    def _packed(self, name: str) -> Expression:
        """`list[n] = dense[row[n], column[n]]`."""
        storage, type, own = self.storages[name], self.types[name], self.dense[name]
        dim, number = self.new("n"), Variable("x", type)
        shape = tuple(map(as_affine, storage.pattern.shape))
        indirect = []
        for extent, positions in zip(shape, storage.positions()):
            table, row = self._table(positions), Variable("position", int64)
            read = (Access(table, (Affine.of(dim),)),)
            indirect.append(Indirect(f"@{table}", read, ScalarFunction((row,), (), (row,)), extent, decided=True))
        tables = [_own(n.inp_view[0].buffer, int64, 1) for n in indirect]
        whole = MdHom((Dim(dim, as_affine(storage.pattern.count)),), ScalarFunction((number,), (), (number,)), (cc,))
        return Expression(
            name, (_own(name, type, 1), Buffer(own, type, shape), *tables),
            (Access(own, tuple(Affine.of(n.name) for n in indirect)),), whole, None,
            (Access(name, (Affine.of(dim),)),), indirect=tuple(indirect),
        )  # fmt: skip

    def _table(self, array: Array) -> str:
        name = self.new("table")
        self.tables[name] = array
        return name


def _own(name: str, type: ScalarType, rank: int) -> Buffer:
    return Buffer(name, type, tuple(Affine.of(shape_name(name, axis)) for axis in range(rank)))


def _range(index: Affine, extents: Mapping[str, int]) -> tuple[float, float]:
    """The least and the largest value; infinite where an extent comes with the call."""
    least = most = float(index.constant)
    for name, factor in index.terms:
        last = factor * (max(extents.get(name, inf), 1) - 1)
        least, most = least + min(last, 0), most + max(last, 0)
    return least, most
