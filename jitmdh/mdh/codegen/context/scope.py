"""What `build` knows while it writes a kernel: names in use, where sizes and strides are, packed copies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from math import gcd

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Indirect
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.interleaved import Interleaved
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.tile_shapes import Range
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import Let, Literal, Name, Statement, Value
from jitmdh.mdh.machine.model import Machine


@dataclass(slots=True)
class Scope:
    """sizes: value of each size name; strides: element strides of each buffer; types: element types.

    interleaved: the buffers that hold parts of elements, side by side in memory.
    layouts: of buffers that have more than strides. indirect: names for numbers from data, and the dimensions that
    they vary with. natural: those of them, and sizes, that never are negative. in_use: the status that means that one
    of them is out of bounds, for those that are looked at where they are used; all others have been before.
    as_read: those of them that negative ones need no look at, since what they index has cells for them, and the bits of
    them that count there.
    fixed: numbers from data that have been read for all points at hand. inside: subscripts that have been found to stay
    within axes of some extent; shapes: of buffers, for the others.
    held: conditions (≥ 0) that all points at hand are known to meet.
    multiples: what sizes are known to be multiples of; lengths: the same of the distances from begin to end of ranges.
    typical: sizes of the call that code is made for, which may serve others, too.
    work_in_turns: of computations in a sequential loop, by identity, the work per point that decides about threads.
    any_order: whether floats may be combined in an order that differs from call to call.
    """

    machine: Machine
    sizes: dict[str, Value] = field(default_factory=dict)
    strides: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    types: dict[str, ScalarType] = field(default_factory=dict)
    layouts: dict[str, Packed] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    indirect: dict[str, tuple[Indirect, frozenset[str]]] = field(default_factory=dict)
    interleaved: dict[str, Interleaved] = field(default_factory=dict)
    natural: set[str] = field(default_factory=set)
    in_use: dict[str, int] = field(default_factory=dict)
    as_read: dict[str, Value] = field(default_factory=dict)
    fixed: Mapping[str, Value] = field(default_factory=dict)
    inside: frozenset[tuple[Affine, Affine]] = frozenset()
    shapes: dict[str, tuple[Affine, ...]] = field(default_factory=dict)
    held: frozenset[Affine] = frozenset()
    multiples: Mapping[str, int] = field(default_factory=dict)
    lengths: dict[Range, int] = field(default_factory=dict)
    typical: Mapping[str, int] = field(default_factory=dict)
    work_in_turns: dict[int, int] = field(default_factory=dict)
    any_order: bool = False

    def fresh(self, hint: str) -> str:
        """A name not used before in this kernel, readable and an identifier in C."""
        stem = re.sub(r"\W+", "_", hint).strip("_") or "v"
        stem = f"v{stem}" if stem[0].isdigit() else stem
        count = self.used.get(stem, 0)
        name = stem if count == 0 else f"{stem}_{count}"
        while count and name in self.used:  # somebody's own name, such as t_1
            count += 1
            name = f"{stem}_{count}"
        self.used[stem] = count + 1
        self.used.setdefault(name, 1)
        return name

    def name(self, hint: str, type: ScalarType, lanes: int = 1) -> Name:
        return Name(self.fresh(hint), type, lanes)

    def index(self, hint: str) -> Name:
        return Name(self.fresh(hint))

    def named(self, hint: str, value: Value, out: list[Statement]) -> Value:
        """`value` under a name of its own, which a statement appended to `out` binds, unless it is simple already."""
        if isinstance(value, (Literal, Name)):
            return value
        name = self.index(hint)
        out.append(Let(name, value))
        return name

    @contextmanager
    def numbering(self, name: str, number: Value) -> Iterator[None]:
        """Meanwhile `name` is that of an iteration, whose number is known."""
        hidden, self.sizes[name] = self.sizes.get(name), number
        try:
            yield
        finally:
            if hidden is None:
                del self.sizes[name]
            else:
                self.sizes[name] = hidden

    @contextmanager
    def looking_at(self, in_use: dict[str, int]) -> Iterator[None]:
        """Meanwhile the numbers named in `in_use`, and no others, are looked at where they are used."""
        outer, self.in_use = self.in_use, in_use
        try:
            yield
        finally:
            self.in_use = outer

    @contextmanager
    def fixing(self, numbers: Mapping[str, Value]) -> Iterator[None]:
        """Meanwhile these numbers from data are known for all points at hand."""
        outer, self.fixed = self.fixed, {**self.fixed, **numbers}
        try:
            yield
        finally:
            self.fixed = outer

    @contextmanager
    def knowing_inside(self, subscripts: Iterable[tuple[Affine, Affine]]) -> Iterator[None]:
        """Meanwhile these subscripts are known to stay within the extents of their axes."""
        outer, self.inside = self.inside, self.inside | set(subscripts)
        try:
            yield
        finally:
            self.inside = outer

    @contextmanager
    def holding(self, conditions: Iterable[Affine]) -> Iterator[None]:
        """Meanwhile these conditions are known to be met."""
        outer, self.held = self.held, self.held | set(conditions)
        try:
            yield
        finally:
            self.held = outer

    def open(self, conditions: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """Those that are not known to be met."""
        return tuple([c for c in conditions if c not in self.held]) if self.held else conditions

    def multiple(self, expression: Affine) -> int:
        """A number that the value of an affine expression is known to be a multiple of."""
        return gcd(expression.constant, *(c * self.multiples.get(name, 1) for name, c in expression.terms))

    def length(self, range: Range) -> int:
        """A number that the length of a range is known to be a multiple of."""
        return self.lengths.get(range, 1)

    def affine(self, expression: Affine, values: Mapping[str, Value]) -> Value:
        """The value of an affine expression; names are looked up in `values`, then among the sizes."""
        total: Value = integer(0)
        for name, coefficient in expression.terms:
            value = values.get(name)
            total = add(total, multiply(self.sizes[name] if value is None else value, integer(coefficient)))
        return add(total, integer(expression.constant))
