"""Data-dependent subscripts, in the explicit representation: `x=[lambda j: at('index', j)]` is x[index[j]]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from jitmdh.base.dtype import ScalarType
from jitmdh.base.error_codes import EXPLICIT
from jitmdh.base.errors import ConfigurationError, NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.expr import Access, Indirect
from jitmdh.mdh.algebra.index import Affine, as_affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an input, as a subscript."""

    buffer: str
    index: tuple[Affine | int, ...]

    def __str__(self) -> str:
        return f"at({', '.join([repr(self.buffer), *map(str, self.index)])})"


def at(buffer: str, *index: Affine | int) -> Element:
    """`buffer[index]`, a data-dependent integer, as a subscript in an index function.

    buffer: the name of an input of integers; index: affine in the dimensions. Negative elements count from the end;
    those out of bounds are an IndexError of the call, before anything is written.
    """
    return Element(buffer, index)


@dataclass(slots=True)
class Elements:
    """The elements that the index functions of an expression use as subscripts, with the names that stand for them."""

    types: Mapping[str, ScalarType]
    shapes: Mapping[str, tuple[int, ...] | None]
    found: dict[tuple[Element, int], Indirect] = field(default_factory=dict)

    def named(self, buffer: str, axis: int, element: Element, loc: Loc | None) -> Affine:
        """A name for the subscript `element` of an axis of `buffer`."""
        if element.buffer not in self.types:
            inputs = ", ".join(self.types)
            raise ConfigurationError(f"at({element.buffer!r}, …) reads none of the inputs {inputs}", loc=loc)
        type = self.types[element.buffer]
        if type.kind not in "iu":
            hint = "subscripts are integers"
            facts = f"at({element.buffer!r}, …) is {type}, in an index function of {buffer}"
            raise NotAnMdhError(facts, loc=loc, hint=hint, code=EXPLICIT)
        if not all(isinstance(i, Affine) or (isinstance(i, int) and not isinstance(i, bool)) for i in element.index):
            hint = "indices may be added, subtracted, and multiplied by integers"
            raise NotAnMdhError(
                f"an index of at({element.buffer!r}, …) is not affine", loc=loc, hint=hint, code=EXPLICIT
            )
        shape = self.shapes.get(buffer)
        if shape is None or axis >= len(shape):
            hint = f"declare it: {buffer}=Buffer[…, […]]"
            raise ConfigurationError(f"the size of {buffer} does not follow from data", loc=loc, hint=hint)
        key = (element, shape[axis])
        if key not in self.found:
            read = Access(element.buffer, tuple(as_affine(i) for i in element.index), (), loc)
            value = Variable(element.buffer, type)
            function = ScalarFunction((value,), (), (value,))
            self.found[key] = Indirect(f"@{len(self.found)}", (read,), function, as_affine(shape[axis]), loc)
        return Affine.of(self.found[key].name)

    @property
    def indirect(self) -> tuple[Indirect, ...]:
        return tuple(self.found.values())

    def accesses(self) -> list[tuple[tuple[str, int], Access]]:
        """What the names read."""
        return [((a.buffer, -1 - n), a) for n, i in enumerate(self.indirect) for a in i.inp_view]


def index_text(index: Affine, indirect: Sequence[Indirect]) -> str:
    """A subscript as index functions say it."""
    for name in indirect:
        if index == Affine.of(name.name):
            (access,) = name.inp_view
            return str(Element(access.buffer, access.index))
    return str(index)
