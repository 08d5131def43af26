"""Sizes as products of extents: what joins dimensions, and what takes them apart, compares.

x.shape[0] * x.shape[1] is (1, ("x.shape[0]", "x.shape[1]")), and so is every size that a program defines as this.
"""

from __future__ import annotations

from functools import cached_property

from jitmdh.mdh.algebra.expr import ArrayParameter, Definition, Program
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.rewrites.size_facts import equal_sizes
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName, SizeOperation

Product = tuple[int, tuple[str, ...]]
"""A number times extents of arguments, by their names in order: none of these is negative."""

ONE: Product = 1, ()


def times(a: Product, b: Product) -> Product:
    """The product of two."""
    return a[0] * b[0], tuple(sorted((*a[1], *b[1])))


class Products:
    """What sizes of a program are in every call, and names for products that have none.

    made: definitions that the program has not yet.
    """

    def __init__(self, program: Program) -> None:
        given = [p for p in program.parameters if isinstance(p, ArrayParameter)]
        self.extents = {shape_name(p.name, axis) for p in given for axis in range(p.rank)}
        self.made: dict[tuple[str, ...], Definition] = {}
        self._program = program
        self._values = {d.name: d.value for d in program.definitions}

    def is_extent(self, size: Affine) -> bool:
        """Whether this is an extent of an argument, or a number in its place."""
        if size.is_constant:
            return size.constant > 0
        return len(size.names) == 1 and size == Affine.of(*size.names) and self.extents.issuperset(size.names)

    def product(self, size: SizeExpr | Affine) -> Product | None:
        """A size as a product; None: it is none, or may be negative."""
        match size:
            case Affine():
                size = size.substitute(self._equal)
                if size.is_constant:
                    return (size.constant, ()) if size.constant >= 0 else None
                ((name, factor), *others) = size.terms
                found = None if others or size.constant or factor < 1 else self._named(name)
                return None if found is None else (found[0] * factor, found[1])
            case SizeConstant(value):
                return (value, ()) if value >= 0 else None
            case SizeName():
                return self.product(Affine.of(size.name))
            case SizeOperation("mul", left, right):
                one, other = self.product(left), self.product(right)
                return None if one is None or other is None else times(one, other)
        return None

    def affine(self, product: Product) -> Affine:
        """A product under a name."""
        factor, names = product
        if len(names) < 2:
            return Affine.of(names[0]) * factor if names else Affine((), factor)
        own = next((n for n, value in self._values.items() if self.product(value) == (1, names)), None)
        if own is not None:
            return Affine.of(own) * factor
        if names not in self.made:
            value: SizeExpr = SizeName(names[0])
            for other in names[1:]:
                value = SizeOperation("mul", value, SizeName(other))
            name = " ".join(names)
            while name in self._values:
                name += "_"
            self.made[names] = Definition(name, value)
        return Affine.of(self.made[names].name) * factor

    @cached_property
    def _equal(self) -> dict[str, Affine]:
        return equal_sizes(self._program)

    def _named(self, name: str) -> Product | None:
        if name in self.extents:
            return 1, (name,)
        made = next((names for names, d in self.made.items() if d.name == name), None)
        if made is not None:
            return 1, made
        return self.product(self._values[name]) if name in self._values else None
