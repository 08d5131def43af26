"""Random assignments in index notation, and arrays for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.check import Checked, check
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Assignment,
    Element,
    Expr,
    Literal,
    Tensor,
    Total,
    elements,
    free,
)
from jitmdh.mdh.frontend.tensor.notation.sizes import size

NAMES = "ijkl"
EXTENTS = {"i": 3, "j": 4, "k": 2, "l": 3}


@dataclass(frozen=True)
class Program:
    """Well-formed statements, and whole numbers for every tensor that they read first."""

    assignments: tuple[Assignment, ...]
    checked: Checked
    values: dict[str, Any]

    def arrays(self) -> dict[str, Any]:
        """Every array of a call; those that are written first hold something."""
        found = {}
        for tensor in self.checked.tensors:
            if tensor.values is None:
                given = self.values.get(tensor.name)
                found[tensor.name] = np.full(tensor.shape, 77, tensor.type.numpy) if given is None else given.copy()
        return found


def with_sizes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with extents that come with the call, as they are in one call."""
    return tuple(size(f"n{extent}").at({f"n{extent}": extent}) for extent in shape)


@st.composite
def tensors(draw: st.DrawFn, type: Any, sized: bool) -> list[Tensor]:
    """A few tensors whose axes have the extents of known indices, some with known zeros, some constants.

    sized: whether the others have extents that come with the call.
    """
    found = []
    for number in range(draw(st.integers(2, 5))):
        axes = draw(st.lists(st.sampled_from(NAMES), max_size=3))
        shape = tuple(EXTENTS[n] for n in axes)
        numbers = np.random.default_rng(draw(st.integers(0, 999)))
        mask = numbers.random(shape) < draw(st.sampled_from([0.0, 0.3, 0.6, 1.0]))
        kind = draw(st.sampled_from(["dense", "dense", "pattern", "values"]))
        if kind == "values":
            values = numbers.integers(-3, 4, shape) * mask
            found.append(Tensor(f"T{number}", values=np.asarray(values, type)))
        else:
            pattern = mask if kind == "pattern" else None
            given = with_sizes(shape) if sized and pattern is None else shape
            found.append(Tensor(f"T{number}", given, type, pattern=pattern))
    return found


def uses(draw: st.DrawFn, among: list[Tensor]) -> Element:
    """An element of one of the tensors, under indices that have its extents; sometimes of one position."""
    tensor = draw(st.sampled_from(among))
    subscripts = []
    for extent in tensor.shape:
        same = [n for n in NAMES if EXTENTS[n] == extent]
        fixed = draw(st.integers(0, 9)) == 0
        position = Affine((), draw(st.integers(0, extent - 1)))
        subscripts.append(position if fixed else Affine.of(draw(st.sampled_from(same))))
    return Element(tensor, tuple(subscripts))


def formulas(draw: st.DrawFn, among: list[Tensor], depth: int) -> Expr:
    """Sums, differences, products, choices and explicit totals of elements and small numbers."""
    kind = draw(st.sampled_from(["leaf", "mul", "mul", "add", "sub", "neg", "where", "maximum", "total"]))
    if depth == 0 or kind == "leaf":
        return Literal(draw(st.integers(-2, 3))) if draw(st.integers(0, 5)) == 0 else uses(draw, among)
    if kind == "total":
        body = formulas(draw, among, depth - 1)
        names = free(body)
        operator = draw(st.sampled_from(["add", "maximum", "minimum"]))
        return Total(operator, (names[0],), body) if names else body
    parts = [formulas(draw, among, depth - 1) for _ in range({"neg": 1, "where": 3}.get(kind, 2))]
    if kind == "where":
        parts[0] = Apply("gt", (parts[0], Literal(0)))
    return Apply(kind, tuple(parts))


@st.composite
def programs(draw: st.DrawFn, statements: int = 3, type: Any = np.int64) -> Program:
    """A few assignments that the rules accept."""
    sized = draw(st.booleans())
    among = draw(tensors(type, sized))
    made: list[Assignment] = []
    for number in range(draw(st.integers(1, statements))):
        value = formulas(draw, among, draw(st.integers(1, 3)))
        kept = [n for n in NAMES if n in free(value) and draw(st.booleans())]
        shape = tuple(EXTENTS[n] for n in kept)
        same = [t for t in among if t.values is None and t.pattern is None and t.shape == shape]
        if not elements([value]):
            continue
        target = draw(st.sampled_from(same)) if same and draw(st.booleans()) else None
        if target is None:
            target = Tensor(f"R{number}", with_sizes(shape) if sized else shape, type)
            among = [*among, target]
        made.append(Assignment(Element(target, tuple(map(Affine.of, kept))), value))
    assume(made)
    checked = check(made)
    numbers = np.random.default_rng(draw(st.integers(0, 999)))
    values = {}
    for tensor in checked.inputs:
        given = np.asarray(numbers.integers(-4, 5, tensor.shape), type)
        values[tensor.name] = np.asarray(given if tensor.pattern is None else given * tensor.pattern.mask)
    return Program(tuple(made), checked, values)
