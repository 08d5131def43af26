"""Subscripts whose range sizes alone decide, by interval arithmetic: products, and limited numbers from data.

before   @0 = i * m + j, in [-o.shape[0], o.shape[0])                  a condition on each point
after    size @0.greatest = max((n - 1) * m, 0) + (m - 1), …           checks of the call: @0.greatest < o.shape[0], …

The range of a sum or product of quantities that vary independently of each other ends at a corner of the box; so
where each dimension occurs once and all points of the box belong to the computation, the condition on each point is
one on sizes, and holds before anything is computed. Elsewhere such a range may be too wide: where it is within the
bounds, so are the points; where it is not, they are looked at (`bounds`). So it is with what data decide within
limits: `hist[max(min(int(x[i] * s), n - 1), 0)]`, or a table of 256 elements by numbers of eight bits.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field, replace

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import (
    Access,
    ArrayParameter,
    Check,
    Definition,
    Dim,
    Expression,
    Indirect,
    Program,
    Step,
)
from jitmdh.mdh.algebra.index import Affine, is_size, shape_name
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeExpr, SizeName, SizeOperation, evaluate_size

Ends = tuple[SizeExpr | None, SizeExpr | None]
"""The least and the greatest value; None: sizes do not limit it."""

_NARROW_BITS = 16
"""Integers of so many bits: their types limit them enough to be worth a comparison with an extent."""


class _Unknown(Exception):
    """What sizes do not decide."""


def decide_from_sizes(program: Program) -> Program:
    """`program` with the ranges of subscripts that are products of sizes and indices as sizes, and checks of them.

    ensures: the same meaning; an `Indirect` that is `decided` has no condition on its points.
    """
    made = _Made(_sizes(program))
    steps = tuple(made.step(s, ()) for s in program.steps)
    if not made.found:
        return program
    return replace(
        program,
        definitions=(*program.definitions, *made.definitions),
        checks=(*program.checks, *made.checks),
        steps=steps,
    )


def _sizes(program: Program) -> set[str]:
    """Names of what is known when definitions are made."""
    found = {d.name for d in program.definitions}
    for p in program.parameters:
        if isinstance(p, ArrayParameter):
            found |= {shape_name(p.name, axis) for axis in range(p.rank)}
        found.add(p.name)
    return found


@dataclass(slots=True)
class _Made:
    """names: of sizes that definitions may use; found: whether sizes decide anything."""

    names: set[str]
    definitions: list[Definition] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    known: dict[SizeExpr, str] = field(default_factory=dict)
    found: bool = False

    def step(self, step: Step, around: tuple[Dim, ...]) -> Step:
        if not isinstance(step, Expression):
            return replace(step, body=tuple(self.step(s, (*around, step.dim)) for s in step.body))
        indirect = tuple(self.indirect(n, step, (*around, *step.md_hom.dims)) for n in step.indirect)
        if all(a is b for a, b in zip(indirect, step.indirect)):
            return step
        return replace(step, indirect=indirect)

    def indirect(self, indirect: Indirect, e: Expression, dims: tuple[Dim, ...]) -> Indirect:
        if indirect.extent is None or len(indirect.function.results) != 1:
            return indirect
        before, known = len(self.definitions), dict(self.known)
        try:
            range = _Range(self, indirect.function, dims)
            least, greatest = map(self.end, range.ends)
            positive = tuple(self.end(divisor) - 1 for divisor in dict.fromkeys(range.divisors))
            extents = () if indirect.inp_view else tuple(self.over(d.extent, dims, 1) for d in dims)
        except _Unknown:
            del self.definitions[before:]
            self.known = known
            return indirect
        self.found = True
        low, high = least + indirect.extent, indirect.extent - 1 - greatest
        box = not indirect.inp_view and not e.guard and all(d.extent == x for d, x in zip(dims, extents))
        if not (box and _varies_once(indirect.function, dims)):
            return replace(indirect, enough=(low, high, *positive))
        some = tuple(x for x in extents if not (x.is_constant and x.constant > 0))
        text = f"index {text_of(indirect)} is out of bounds for {axis_of(e, indirect)}"
        self.checks += [Check(x, "bounds", text, some, indirect.loc) for x in (low, high)]
        return replace(indirect, decided=True)

    def over(self, affine: Affine, dims: Sequence[Dim], sign: int) -> Affine:
        """The greatest (sign 1) or least value of an affine expression over the hull of `dims`, in terms of sizes."""
        for dim in reversed(dims):
            c = affine.coefficient(dim.name)
            if c:
                affine = affine.substitute({dim.name: dim.extent - 1 if c * sign > 0 else 0})
        if not self.names.issuperset(affine.names):
            raise _Unknown
        return affine

    def end(self, value: SizeExpr | None) -> Affine:
        if value is None:
            raise _Unknown
        return Affine((), value.value) if isinstance(value, SizeConstant) else Affine.of(self.size(value))

    def size(self, value: SizeExpr) -> str:
        """A name for a size; the same one for the same size."""
        if value not in self.known:
            name = f"range_{len(self.known)}"
            while name in self.names:
                name += "_"
            self.names.add(name)
            self.known[value] = name
            self.definitions.append(Definition(name, value))
        return self.known[value]


def never_negative(function: ScalarFunction, natural: Container[str], lengths: Sequence[Affine] = ()) -> bool:
    """Whether a whole number is ≥ 0 whatever the data are. natural: names that stand for numbers ≥ 0; lengths: ≥ 1."""
    known: dict[str, bool] = {}
    conditions = dict[str, Scalar]()

    def chosen(node: Scalar, fact: Affine | None) -> bool:
        """Whether it is where `fact` is, too."""
        limited = fact is not None and isinstance(node, IndexValue) and is_sum(node.index - fact)
        return limited or holds(node)

    def is_sum(index: Affine) -> bool:
        return is_natural(index, natural) or any(is_natural(index - length + 1, natural) for length in lengths)

    def holds(node: Scalar) -> bool:
        match node:
            case Constant(value):
                return isinstance(value, int) and value >= 0
            case IndexValue(index):
                return is_sum(index)
            case Variable(name):
                return known.get(name, node.type.kind in "bu")
            case Operation("maximum" | "fmax", operands):
                return any(map(holds, operands))
            case Operation("minimum" | "fmin", operands):
                return all(map(holds, operands))
            case Operation("select", (condition, *arms)):
                return all(map(chosen, arms, _facts(condition, conditions)))
            case Operation("cast", (Operation("minimum", (one, Constant(most))),)) if one.type.kind == "u":
                return isinstance(most, int) and most <= node.type.limits()[1]
            case Operation("cast", (one,)) if one.type.kind in "biu" and node.type.kind == "i":
                return node.type.bits > one.type.bits - (one.type.kind == "i") and holds(one)
            case Operation("faulted", (one, *_)):
                return holds(one)
            case Operation("mod", (_, divisor)) if node.type.is_integer:
                return holds(divisor)
        return node.type.kind in "bu"

    for variable, value in function.bindings:
        known[variable.name], conditions[variable.name] = holds(value), value
    return holds(function.results[0])


def _facts(condition: Scalar, named: Mapping[str, Scalar]) -> tuple[Affine | None, Affine | None]:
    """What is ≥ 0 where a condition holds, and where it does not, if it compares indices. named: conditions."""
    if isinstance(condition, Variable):
        condition = named.get(condition.name, condition)
    match condition:
        case Operation("ge" | "lt" | "gt" | "le" as op, (one, other)):
            left, right = _index_of(one), _index_of(other)
            if left is not None and right is not None:
                apart = left - right if op in ("ge", "lt") else right - left
                return (apart, -apart - 1) if op in ("ge", "le") else (-apart - 1, apart)
    return None, None


def _index_of(node: Scalar) -> Affine | None:
    match node:
        case IndexValue(index):
            return index
        case Constant(value) if isinstance(value, int):
            return Affine((), int(value))
    return None


def is_natural(index: Affine, natural: Container[str]) -> bool:
    """Whether an index is ≥ 0 since all that it is a sum of is; lengths are."""
    return index.constant >= 0 and all(c > 0 and (n in natural or is_size(n)) for n, c in index.terms)


def text_of(indirect: Indirect) -> str:
    """The subscript, as its one line says it."""
    return str(indirect.function.results[0])


def axis_of(expression: Expression, indirect: Indirect) -> str:
    """Which axis an indirect name is a subscript of."""
    accesses: Sequence[Access] = (*expression.reads, *expression.out_view)
    for access in accesses:
        for axis, index in enumerate(access.index):
            if indirect.name in index.names:
                return f"axis {axis} of `{access.buffer}`"
    return f"an axis of {indirect.extent} elements"


class _Range:
    """The least and the greatest value of an integer function of indices and sizes over a box, where all sizes among
    `divisors` are positive."""

    def __init__(self, made: _Made, function: ScalarFunction, dims: tuple[Dim, ...]) -> None:
        self.made, self.dims = made, dims
        self.bound: dict[str, Ends] = {}
        self.zero: dict[str, Affine] = {}
        self.conditions: dict[str, Scalar] = {}
        self.divisors: list[SizeExpr] = []
        for variable, value in function.bindings:
            self.conditions[variable.name] = value
            match value:
                case Operation("eq", (IndexValue(index), Constant(0))):
                    self.zero[variable.name] = index
            if variable.type == int64:
                self.bound[variable.name] = self.of(value)
        self.ends = self.of(function.results[0])

    def of(self, node: Scalar) -> Ends:
        if node.type != int64:
            return _limits(node.type)
        match node:
            case Constant(value):
                return SizeConstant(int(value)), SizeConstant(int(value))  # type: ignore[arg-type]
            case Variable(name):
                return self.bound.get(name, _ANY)
            case IndexValue(index):
                return self.over(index, -1), self.over(index, 1)
            case Operation("select", (condition, *arms)):
                (a, b), (c, d) = map(self.chosen, arms, _facts(condition, self.conditions))
                return _both("min", a, c), _both("max", b, d)
            case Operation("minimum" | "fmin", (left, right)):
                (a, b), (c, d) = self.of(left), self.of(right)
                return _both("min", a, c), _either("min", b, d)
            case Operation("maximum" | "fmax", (left, right)):
                (a, b), (c, d) = self.of(left), self.of(right)
                return _either("max", a, c), _both("max", b, d)
            case Operation("faulted", (one, _, _)) | Operation("cast", (one,)):
                return self.of(one)
            case Operation("neg", (one,)):
                return self.binary("sub", (_ZERO, _ZERO), self.of(one))
            case Operation(op, (left, right)) if op in ("add", "sub", "mul"):
                return self.binary(op, self.of(left), self.of(right))
            case Operation("floordiv" | "mod" as op, (left, right)):
                return self.quotient(op, self.of(left), right)
        return _ANY

    def over(self, index: Affine, sign: int) -> SizeExpr | None:
        try:
            return _size(self.made.over(index, self.dims, sign))
        except _Unknown:
            return None

    def chosen(self, node: Scalar, fact: Affine | None) -> Ends:
        """Of what counts where `fact` is ≥ 0 only: if it is that and a size, or a size without it, that ends there."""
        ends = self.of(node)
        if fact is None or not isinstance(node, IndexValue):
            return ends
        least, greatest = node.index - fact, node.index + fact
        names = {d.name for d in self.dims}
        return (
            ends[0] if names.intersection(least.names) else self.over(least, -1),
            ends[1] if names.intersection(greatest.names) else self.over(greatest, 1),
        )

    def quotient(self, op: str, left: Ends, right: Scalar) -> Ends:
        """By a size, or by 1 in its place where it is zero: `n // (1 if t else m)` with t = (m == 0)."""
        match right:
            case Operation("select", (Variable(name), Constant(1), IndexValue(index))) if self.zero.get(name) == index:
                right = right.operands[2]
        low, by = self.of(right)
        if low is None or low != by or (isinstance(by, SizeConstant) and by.value < 1):
            return _ANY
        assert by is not None
        if not isinstance(by, SizeConstant):
            self.divisors.append(by)
        if op == "mod":
            return _ZERO, _op("sub", by, SizeConstant(1))
        least, greatest = left
        if least is None or greatest is None:
            return _ANY
        divisor = by if isinstance(by, SizeConstant) else _op("max", by, SizeConstant(1))
        return _op("floordiv", least, divisor), _op("floordiv", greatest, divisor)

    def named(self, value: SizeExpr) -> SizeExpr:
        return SizeName(self.made.size(value)) if isinstance(value, SizeOperation) else value

    def binary(self, op: str, left: Ends, right: Ends) -> Ends:
        """What is not limited on one side may wrap around to the other."""
        (a, b), (c, d) = left, right
        if a is None or b is None or c is None or d is None:
            return _ANY
        if op == "add":
            return _op("add", a, c), _op("add", b, d)
        if op == "sub":
            return _op("sub", a, d), _op("sub", b, c)
        corners = dict.fromkeys(self.named(_op("mul", x, y)) for x in (a, b) for y in (c, d))
        return _all("min", tuple(corners)), _all("max", tuple(corners))


_ANY: Ends = (None, None)


def _limits(type: ScalarType) -> Ends:
    if not type.is_integer or not 0 < type.bits <= _NARROW_BITS:
        return _ANY
    least, greatest = type.limits()
    return SizeConstant(least), SizeConstant(greatest)


def _both(op: str, left: SizeExpr | None, right: SizeExpr | None) -> SizeExpr | None:
    """The end of what may be either of two."""
    return None if left is None or right is None else _op(op, left, right)


def _either(op: str, left: SizeExpr | None, right: SizeExpr | None) -> SizeExpr | None:
    """The end of the lesser, or greater, of two: each of them limits it."""
    return right if left is None else left if right is None else _op(op, left, right)


_ZERO = SizeConstant(0)


def _op(op: str, left: SizeExpr, right: SizeExpr) -> SizeExpr:
    if op in ("min", "max") and left == right:
        return left
    if op == "mul" and _ZERO in (left, right):
        return _ZERO
    if op in ("add", "sub") and right == _ZERO:
        return left
    if op == "add" and left == _ZERO:
        return right
    made = SizeOperation(op, left, right)
    if isinstance(left, SizeConstant) and isinstance(right, SizeConstant):
        return SizeConstant(evaluate_size(made, {}))
    return made


def _all(op: str, values: Sequence[SizeExpr]) -> SizeExpr:
    result = values[0]
    for value in values[1:]:
        result = _op(op, result, value)
    return result


def _size(affine: Affine) -> SizeExpr:
    parts: list[SizeExpr] = [
        SizeName(n) if c == 1 else SizeOperation("mul", SizeConstant(c), SizeName(n)) for n, c in affine.terms
    ]
    if affine.constant or not parts:
        parts.append(SizeConstant(affine.constant))
    return _all("add", parts)


def _varies_once(function: ScalarFunction, dims: Sequence[Dim]) -> bool:
    """Whether the value is made of sums, differences and products in which each dimension occurs once."""
    if function.bindings:
        return False
    seen: list[str] = []
    for node in _nodes(function.results[0]):
        if isinstance(node, Operation) and node.op not in ("add", "sub", "mul", "neg"):
            return False
        if isinstance(node, IndexValue):
            seen += [d.name for d in dims if d.name in node.index.names]
    return len(seen) == len(set(seen))


def _nodes(node: Scalar) -> Iterator[Scalar]:
    yield node
    if isinstance(node, Operation):
        for operand in node.operands:
            yield from _nodes(operand)
