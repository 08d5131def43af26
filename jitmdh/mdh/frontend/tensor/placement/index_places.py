"""Where the indices of a formula are while its steps are made: at a number, in a part of their extents, or anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jitmdh.mdh.algebra.index import Affine, as_affine


class IndexPlaces:
    """The indices of the nest at hand.

    extents: of all indices of the statement; fixed: those that have a number in the term at hand; ranges: those that
    run over a part of their extents; order: those of the results. taken: names that dimensions must not have, to which
    theirs are added.
    """

    def __init__(self, taken: set[str]) -> None:
        self.extents: dict[str, int] = {}
        self.fixed: Mapping[str, int] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        self.order: Sequence[str] = ()
        self._taken = taken
        self._dims: dict[str, str] = {}
        self._numbers: dict[int, Affine] = {}
        self._begun: dict[tuple[str, int], Affine] = {}

    def dim(self, name: str) -> str:
        """The dimension of an index: its name, apart from those of tensors, scalars and other dimensions."""
        if name not in self._dims:
            own = name
            while own in self._taken:
                own += "_"
            self._taken.add(own)
            self._dims[name] = own
        return self._dims[name]

    def index(self, name: str) -> Affine:
        """Where an index is, of the dimension that runs over its part."""
        if (number := self.fixed.get(name)) is not None:
            if number not in self._numbers:
                self._numbers[number] = as_affine(number)
            return self._numbers[number]
        begin = self.ranges[name][0] if name in self.ranges else 0
        if (name, begin) not in self._begun:
            self._begun[name, begin] = Affine.of(self.dim(name)) + begin
        return self._begun[name, begin]

    def axes(self, subscripts: Sequence[Affine]) -> tuple[Affine, ...]:
        """Subscripts, which are about indices, of dimensions."""
        return tuple([self._axis(axis) for axis in subscripts])

    def _axis(self, axis: Affine) -> Affine:
        match axis.terms:
            case ((name, 1),):
                return self.index(name) + axis.constant if axis.constant else self.index(name)
            case _:
                return axis.substitute({n: self.index(n) for n in axis.names})

    def range(self, name: str) -> tuple[int, int]:
        """The values that an index takes in the nest at hand, or in the term of it."""
        if (number := self.fixed.get(name)) is not None:
            return number, number + 1
        return self.ranges[name] if name in self.ranges else (0, self.extents[name])

    def count(self, name: str) -> int:
        """How many values an index takes in the nest at hand, or in the term of it."""
        begin, end = self.range(name)
        return end - begin
