"""Formulas without indices, as the tensor model language has them: outer products, contractions and transpositions of
whole tensors, by the numbers of their axes. They become formulas with indices of names that nothing else has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ExpressionTypeError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.frontend.tensor.notation import indices
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Element, Expr, Tensor, Total
from jitmdh.mdh.frontend.tensor.notation.renaming import rename

_numbers = count()


@dataclass(frozen=True, slots=True)
class Whole:
    """A formula whose free indices are axes, in this order. `w["ij"]` names them."""

    value: Expr
    axes: tuple[str, ...]
    shape: tuple[int, ...]

    def __getitem__(self, subscripts: object) -> Expr:
        axes = indices.parse(subscripts, len(self.axes), str(self.value))
        if any(len(a.terms) != 1 or a.constant or a.terms[0][1] != 1 for a in axes):
            raise ExpressionTypeError(f"{self.value}: its axes take names of indices")
        return self.renamed([a.names[0] for a in axes])

    def real(self) -> Whole:
        """The same, kept in a temporary of its own; see `Expr.real`."""
        return Whole(self.value.real(), self.axes, self.shape)

    def virtual(self) -> Whole:
        """The same, kept nowhere; see `Expr.virtual`."""
        return Whole(self.value.virtual(), self.axes, self.shape)

    def renamed(self, names: Sequence[str]) -> Expr:
        """The formula with other names for its axes."""
        value = self.value
        for axis, name in zip(self.axes, names):
            value = rename(value, axis, name)
        return value


def whole(tensor: Tensor | Whole, loc: Loc | None = None) -> Whole:
    """All of a tensor."""
    if isinstance(tensor, Whole):
        return tensor
    axes = fresh_axes(tensor.rank)
    return Whole(Element(tensor, indices.parse(axes, tensor.rank, tensor.name), (), loc), axes, tensor.shape)


@entry
def outer(left: Tensor | Whole, right: Tensor | Whole, loc: Loc | None = None) -> Whole:
    """Every element of one with every element of the other; the axes of `left` first."""
    a, b = _fresh(whole(left)), _fresh(whole(right))
    return Whole(Apply("mul", (a.value, b.value), loc), a.axes + b.axes, a.shape + b.shape)


def trace(tensor: Tensor | Whole, first: int, second: int, loc: Loc | None = None) -> Whole:
    """The sum over equal positions of two axes, which the result no longer has."""
    w = _fresh(whole(tensor))
    one, other = _axis(w, first, loc), _axis(w, second, loc)
    if one == other or w.shape[one] != w.shape[other]:
        raise ExpressionTypeError(
            f"a contraction over axes of extents {w.shape[one]} and {w.shape[other]}"
            + (", which are the same axis" if one == other else ""),
            loc=loc,
        )
    value = Total("add", (w.axes[one],), rename(w.value, w.axes[other], w.axes[one]), loc)
    left = [n for n in range(len(w.axes)) if n not in (one, other)]
    return Whole(value, tuple(w.axes[n] for n in left), tuple(w.shape[n] for n in left))


@entry
def contract(left: Tensor | Whole, right: Tensor | Whole, axes: tuple[int, int]) -> Whole:
    """The product summed over axis `axes[0]` of `left` together with axis `axes[1]` of `right`, counted from 0."""
    a, b = whole(left), whole(right)
    one, other = _axis(a, axes[0], None), _axis(b, axes[1], None)
    return trace(outer(a, b), one, len(a.axes) + other)


@entry
def transpose(tensor: Tensor | Whole, axes: tuple[int, int], loc: Loc | None = None) -> Whole:
    """With two axes exchanged, counted from 0."""
    w = whole(tensor)
    one, other = _axis(w, axes[0], loc), _axis(w, axes[1], loc)
    order = list(range(len(w.axes)))
    order[one], order[other] = other, one
    return Whole(w.value, tuple(w.axes[n] for n in order), tuple(w.shape[n] for n in order))


@entry
def entrywise(op: str, left: Tensor | Whole, right: Tensor | Whole, loc: Loc | None = None) -> Whole:
    """`op` of elements at equal positions, or of all elements and a single number: rank 0 on the left of a product, or
    on the right of a quotient."""
    a, b = _fresh(whole(left)), _fresh(whole(right))
    if a.shape == b.shape:
        return Whole(Apply(op, (a.value, b.renamed(a.axes)), loc), a.axes, a.shape)
    if op == "mul" and not a.shape:
        return Whole(Apply(op, (a.value, b.value), loc), b.axes, b.shape)
    if op == "truediv" and not b.shape:
        return Whole(Apply(op, (a.value, b.value), loc), a.axes, a.shape)
    raise ExpressionTypeError(f"`{op}` of tensors of shapes {a.shape} and {b.shape}", loc=loc)


def _entrywise(name: str, op: str) -> Callable[..., Whole]:
    def made(first: Tensor | Whole, second: Tensor | Whole, *others: Tensor | Whole) -> Whole:
        found = whole(first)
        for other in (second, *others):
            found = entrywise(op, found, other)
        return found

    made.__name__ = made.__qualname__ = name
    made.__doc__ = (
        f"Elements of tensors at equal positions, one after the other by `{op}`: two tensors or more, of one shape; or "
        "of rank 0, on the left of a product or on the right of a quotient. ExpressionTypeError for others."
    )
    return entry(made)


entrywise_add, entrywise_sub = _entrywise("entrywise_add", "add"), _entrywise("entrywise_sub", "sub")
entrywise_mul, entrywise_div = _entrywise("entrywise_mul", "mul"), _entrywise("entrywise_div", "truediv")


def fresh_axes(count: int) -> tuple[str, ...]:
    """Names of axes that nothing else has."""
    return tuple(f"axis{next(_numbers)}" for _ in range(count))


def _fresh(w: Whole) -> Whole:
    """With axes of new names: one tensor may be used several times."""
    axes = fresh_axes(len(w.axes))
    return Whole(w.renamed(axes), axes, w.shape)


def _axis(w: Whole, number: int, loc: Loc | None) -> int:
    if not -len(w.axes) <= number < len(w.axes):
        raise ExpressionTypeError(f"a tensor of shape {w.shape} has no axis {number}", loc=loc)
    return number % len(w.axes)
