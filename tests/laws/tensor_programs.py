"""Random assignments in index notation, and arrays for them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
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
        """Every array of a call; those that are written first hold something, but zeros where these are known."""
        found = {}
        for tensor in self.checked.tensors:
            if tensor.values is None:
                given = self.values.get(tensor.name)
                if given is None:
                    given = np.full(tensor.shape, 77, tensor.type.numpy)
                    given = given if tensor.pattern is None else given * tensor.pattern.mask
                found[tensor.name] = np.array(given)
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


_ARITY = {"neg": 1, "sign": 1, "square": 1, "maximum": 2, "minimum": 2, "clip": 3}
_OF_BITS = {"invert": 1, "xor": 2, "and": 2}
"""Operations that are drawn now and then, and how many operands they have; those of integers alone."""


def formulas(draw: st.DrawFn, among: list[Tensor], depth: int) -> Expr:
    """Sums, differences, products, choices, other operations and explicit totals of elements and small numbers."""
    often = ["leaf", "mul", "mul", "add", "sub", "where", "total"]
    arity = _ARITY | (_OF_BITS if among[0].type.is_integer else {})
    kind = draw(st.sampled_from([*often, *often, *arity]))
    if depth == 0 or kind == "leaf":
        return Literal(draw(st.integers(-2, 3))) if draw(st.integers(0, 5)) == 0 else uses(draw, among)
    if kind == "total":
        body = formulas(draw, among, depth - 1)
        names = free(body)
        operator = draw(st.sampled_from(["add", "maximum", "minimum"]))
        return Total(operator, (names[0],), body) if names else body
    parts = [formulas(draw, among, depth - 1) for _ in range(arity.get(kind, 3 if kind == "where" else 2))]
    if kind == "where":
        parts[0] = Apply("gt", (parts[0], Literal(0)))
    return Apply(kind, tuple(parts))


def programs(statements: int = 3, type: Any = np.int64) -> st.SearchStrategy[Program]:
    """A few assignments that the rules accept: any formulas, or sums of chains of matrices."""
    return st.one_of(mixtures(statements, type), chains(statements, type))


@st.composite
def mixtures(draw: st.DrawFn, statements: int, type: Any) -> Program:
    """Assignments of formulas of any shape, over few indices."""
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
    return with_values(draw, made, 4)


def with_values(draw: st.DrawFn, made: list[Assignment], largest: int) -> Program:
    """The assignments, and whole numbers up to `largest`, of both signs, for what they read."""
    checked = check(made)
    numbers = np.random.default_rng(draw(st.integers(0, 999)))
    values = {}
    for tensor in checked.inputs:
        given = np.asarray(numbers.integers(-largest, largest + 1, tensor.shape), tensor.type.numpy)
        values[tensor.name] = np.asarray(given if tensor.pattern is None else given * tensor.pattern.mask)
    return Program(tuple(made), checked, values)


# ------------------------------------------------------------------------------------------------- chains of matrices


def zeros_of(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Where a matrix may be other than zero: at random, in a band, or in rows and columns that begin late or end early.

    Sparse ones are written out into the code; of those of which some rows are not needed a part is computed.
    """
    rows, columns = np.indices(shape)
    kind = draw(st.sampled_from(["random", "random", "band", "box", "rows", "dense", "nothing"]))
    first, last = sorted(draw(st.tuples(*[st.integers(0, n - 1)] * 2)) for n in shape)
    random = np.random.default_rng(draw(st.integers(0, 999))).random(shape)
    found = {
        "random": random < draw(st.sampled_from([0.1, 0.2, 0.4])),
        "band": (rows - columns <= draw(st.integers(0, 1))) & (columns - rows <= draw(st.integers(0, 1))),
        "box": (rows >= first[0]) & (rows <= first[1]) & (columns >= last[0]) & (columns <= last[1]),
        "rows": columns < np.random.default_rng(draw(st.integers(0, 99))).integers(0, shape[1] + 1, shape[0])[:, None],
        "dense": np.ones(shape, bool),
        "nothing": np.zeros(shape, bool),
    }
    return found[kind] & (random < draw(st.sampled_from([0.3, 1.0, 1.0])))


class Matrices:
    """Matrices of a program of chains: by their shapes, to be used again."""

    def __init__(self, draw: st.DrawFn, type: Any) -> None:
        self.draw, self.type = draw, type
        self.made: list[Tensor] = []

    def new(self, shape: tuple[int, ...]) -> Tensor:
        """A constant, one with a pattern, or one without."""
        name, zeros = f"T{len(self.made)}", zeros_of(self.draw, shape)
        if self.draw(st.booleans()):
            random = np.random.default_rng(self.draw(st.integers(0, 999)))
            numbers = random.choice([-2, -1, 1, 2], shape) * zeros
            made = Tensor(name, values=np.asarray(numbers, self.type))
        else:
            made = Tensor(name, shape, self.type, pattern=None if zeros.all() else zeros)
        self.made.append(made)
        return made

    def factor(self, names: str, extents: dict[str, int]) -> Element:
        """An element of a matrix at two indices, in this order or the other one."""
        order = names if self.draw(st.integers(0, 3)) else names[::-1]
        shape = tuple(extents[n] for n in order)
        same = [t for t in self.made if t.shape == shape]
        tensor = self.draw(st.sampled_from(same)) if same and self.draw(st.booleans()) else self.new(shape)
        return Element(tensor, tuple(map(Affine.of, order)))


@st.composite
def chains(draw: st.DrawFn, statements: int, type: Any) -> Program:
    """Sums of products of two to four matrices with known zeros; what one statement computes may be in the next chain.

    `R0["ab"] <= T0["ac"] * T1["cd"] * T2["db"] - T3["ca"] * T4["cb"]`
    """
    extents = {n: draw(st.sampled_from([2, 3, 3, 4, 6, 9])) for n in "abcde"}
    matrices = Matrices(draw, type)
    made: list[Assignment] = []
    for number in range(draw(st.integers(1, min(2, statements)))):
        value: Expr | None = None
        for _ in range(draw(st.integers(1, 2))):
            between = draw(st.sampled_from(["c", "cd", "dc", "ec", "ecd"]))
            path = ["a", *between, "b"]
            factors = [matrices.factor(one + other, extents) for one, other in pairwise(path)]
            product = factors[0]
            for factor in factors[1:]:
                product = Apply("mul", (product, factor))
            if draw(st.integers(0, 3)) == 0:
                product = Apply("mul", (Literal(draw(st.integers(-1, 2))), product))
            value = product if value is None else Apply(draw(st.sampled_from(["add", "sub"])), (value, product))
        assert value is not None
        kept = draw(st.sampled_from(["ab", "ab", "ba", "a", "b"]))
        shape = tuple(extents[n] for n in kept)
        given = Tensor(f"R{number}", shape, type)
        target = Element(given, tuple(map(Affine.of, kept)))
        known = check([Assignment(target, value)]).statements[0].zeros
        if draw(st.booleans()) and not known.is_dense:
            more = zeros_of(draw, shape) if len(shape) == 2 and draw(st.booleans()) else np.zeros(shape, bool)
            given = Tensor(f"R{number}", shape, type, pattern=known.mask | more)
            target = Element(given, target.subscripts)
        made.append(Assignment(target, Apply("add", (target, value)) if draw(st.booleans()) else value))
        matrices.made += [given] * (len(shape) == 2)
    return with_values(draw, made, 2)
