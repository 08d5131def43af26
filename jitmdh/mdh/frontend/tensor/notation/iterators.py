"""TeML's tensors by lists of iterators: `vop` is a formula that is kept nowhere, `eq` one that is, `op` both.

Iterators name axes where they stand, and nothing outside: the same name in two formulas is no relation between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ExpressionTypeError
from jitmdh.mdh.frontend.tensor.notation import indices
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Expr, Tensor, Total
from jitmdh.mdh.frontend.tensor.notation.index_free import Whole, fresh_axes, outer, whole
from jitmdh.mdh.frontend.tensor.notation.places import place

_OPERATIONS = {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv"}


@entry
def vop(operation: str, left: Tensor | Whole, right: Tensor | Whole, iterators: Sequence[str]) -> Whole:
    """`operation` ("add", "sub", "mul" or "div") of elements of two tensors, which are named by their iterators; as a
    tensor that is kept nowhere, whose axes are these iterators, in the order in which they first appear.

    iterators: those of `left` and of `right`, such as `["ik", "kj"]`; "" of a single number. ExpressionTypeError where
    there are more or fewer than axes, or one stands for two extents.

    >>> A, B = Tensor("A", (2, 3)), Tensor("B", (3, 4))
    >>> vop("mul", A, B, ["ik", "kj"]).shape
    (2, 3, 4)
    """
    if operation not in _OPERATIONS:
        raise ExpressionTypeError(f"vop: `{operation}` is none of {', '.join(_OPERATIONS)}", loc=place())
    if len(iterators) != 2:
        raise ExpressionTypeError(f"vop: iterators of two tensors, not of {len(iterators)}", loc=place())
    extents: dict[str, int] = {}
    named = [_named(t, its, extents) for t, its in zip((whole(left), whole(right)), iterators)]
    axes = dict(zip(extents, fresh_axes(len(extents))))
    operands = tuple(t.renamed([axes[name] for name in names]) for t, names in named)
    return Whole(Apply(_OPERATIONS[operation], operands, place()), tuple(axes.values()), tuple(extents.values()))


@entry
def eq(tensor: Tensor | Whole, source: str | None = None, target: str | None = None) -> Whole:
    """`tensor`, kept in a temporary of its own, with axes in another order: those that `source` names are those that
    `target` names. What `target` does not name is summed; None: all, as they are.

    >>> eq(Tensor("A", (2, 3)), "ij", "ji").shape
    (3, 2)
    """
    w = whole(tensor)
    if source is None and target is None:
        return w.real()
    extents: dict[str, int] = {}
    _, names = _named(w, source or "", extents)
    wanted = _names(target or "")
    unknown = [name for name in wanted if name not in extents]
    if unknown or len(set(wanted)) != len(wanted):
        which = f"`{unknown[0]}`, and the axes are `{source}`" if unknown else "one twice"
        raise ExpressionTypeError(f"eq: `{target}` names {which}", loc=place())
    axes = dict(zip(extents, fresh_axes(len(extents))))
    value: Expr = w.renamed([axes[name] for name in names])
    summed = tuple(axes[name] for name in extents if name not in wanted)
    value = Total("add", summed, value, place()) if summed else value
    return Whole(value, tuple(axes[name] for name in wanted), tuple(extents[name] for name in wanted)).real()


@entry
def op(operation: str, left: Tensor | Whole, right: Tensor | Whole, iterators: Sequence[str], target: str) -> Whole:
    """`eq` of `vop`: kept in a temporary of its own with the axes that `target` names; others are summed.

    >>> op("mul", Tensor("A", (2, 3)), Tensor("B", (3, 4)), ["ik", "kj"], "ij").shape
    (2, 4)
    """
    found = vop(operation, left, right, iterators)
    order = dict.fromkeys(name for its in iterators for name in _names(its))
    return eq(found, " ".join(order), " ".join(_names(target)))


@entry
def outerproduct(first: Tensor | Whole, second: Tensor | Whole, *others: Tensor | Whole) -> Whole:
    """Every element of each with every element of the others; the axes of the first come first."""
    found = outer(first, second)
    for other in others:
        found = outer(found, other)
    return found


def _names(text: str) -> list[str]:
    parts = text.split() if " " in text.strip() else [*text.strip()]
    return [name for axis in indices.parse(" ".join(parts) or "", len(parts), "iterators") for name in axis.names]


def _named(w: Whole, text: str, extents: dict[str, int]) -> tuple[Whole, list[str]]:
    """The names of a tensor's axes; `extents` gets those that are new."""
    names = _names(text)
    if len(names) != len(w.axes):
        raise ExpressionTypeError(f"`{text}` names {len(names)} axes of a tensor of shape {w.shape}", loc=place())
    for name, extent in zip(names, w.shape):
        if extents.setdefault(name, extent) != extent:
            raise ExpressionTypeError(
                f"{w[text]}: {name} is {extent} in a tensor of shape {w.shape}, and {extents[name]} before",
                loc=place(),
            )
    return w, names
