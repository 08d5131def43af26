"""Where sizes come from: shapes and scalar arguments of a call, and arithmetic on them."""

from __future__ import annotations

from collections.abc import Container, Mapping

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra import show
from jitmdh.mdh.algebra.index import Affine, is_size


@dataclass(frozen=True, slots=True)
class SizeConstant:
    value: int

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.ShownFormula:
        return show.constant(self.value)


@dataclass(frozen=True, slots=True)
class SizeName:
    """`array.shape[axis]` (see `index.shape_name`), an integer argument, or an earlier definition."""

    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def formula(self) -> show.ShownFormula:
        return show.ShownFormula(self.name)


@dataclass(frozen=True, slots=True)
class SizeOperation:
    """op: add, sub, mul, floordiv, mod (Python's), min, max; two operands."""

    op: str
    left: SizeExpr
    right: SizeExpr

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.ShownFormula:
        return show.operation(self.op, (self.left.formula, self.right.formula), "int64")


SizeExpr = SizeConstant | SizeName | SizeOperation


def size_expr(e: Affine) -> SizeExpr:
    """An affine expression of sizes as a size."""
    result: SizeExpr | None = SizeConstant(e.constant) if e.constant or not e.terms else None
    for name, c in e.terms:
        term: SizeExpr = SizeName(name) if c == 1 else SizeOperation("mul", SizeConstant(c), SizeName(name))
        result = term if result is None else SizeOperation("add", result, term)
    assert result is not None
    return result


def affine_of(size: SizeExpr) -> Affine | None:
    """A size as an affine expression of others, if it is written as one."""
    match size:
        case SizeConstant(value):
            return Affine((), value)
        case SizeName(name):
            return Affine.of(name)
        case SizeOperation("add" | "sub" as op, left, right):
            a, b = affine_of(left), affine_of(right)
            return None if a is None or b is None else a + b if op == "add" else a - b
        case SizeOperation("mul", SizeConstant(value), right):
            b = affine_of(right)
            return None if b is None else b * value
    return None


def bounds_of(name: str, value: SizeExpr) -> tuple[Affine, ...]:
    """Of a least or a greatest one of several sizes, under this name: what is never negative.

    >>> [str(one) for one in bounds_of("m", SizeOperation("min", SizeName("a"), SizeConstant(3)))]
    ['a - m', '-m + 3']
    """
    if not isinstance(value, SizeOperation) or value.op not in ("min", "max"):
        return ()
    found, waiting = [], [value.left, value.right]
    for one in waiting:
        if isinstance(one, SizeOperation) and one.op == value.op:
            waiting += [one.left, one.right]
        elif (bound := affine_of(one)) is not None:
            found.append(bound - Affine.of(name) if value.op == "min" else Affine.of(name) - bound)
    return tuple(found)


def is_natural(size: SizeExpr, natural: Container[str]) -> bool:
    """Whether a size is certain to be no negative number. natural: names of such.

    >>> is_natural(SizeOperation("mod", SizeName("k"), SizeOperation("max", SizeName("n"), SizeConstant(1))), ())
    True
    """
    match size:
        case SizeConstant(value):
            return value >= 0
        case SizeName(name):
            return name in natural or is_size(name)
        case SizeOperation("max", left, right):
            return is_natural(left, natural) or is_natural(right, natural)
        case SizeOperation("min", left, right):
            return is_natural(left, natural) and is_natural(right, natural)
        case SizeOperation("mod", _, right):
            return is_natural(right, natural)
    return False


def evaluate_size(expr: SizeExpr, values: Mapping[str, int]) -> int:
    """The number `expr` stands for. ZeroDivisionError as in Python."""
    if isinstance(expr, SizeConstant):
        return expr.value
    if isinstance(expr, SizeName):
        return values[expr.name]
    left, right = evaluate_size(expr.left, values), evaluate_size(expr.right, values)
    match expr.op:
        case "add":
            return left + right
        case "sub":
            return left - right
        case "mul":
            return left * right
        case "floordiv":
            return left // right
        case "mod":
            return left % right
        case "min":
            return min(left, right)
        case "max":
            return max(left, right)
    raise AssertionError(expr.op)
