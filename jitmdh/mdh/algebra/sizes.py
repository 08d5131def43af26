"""Where sizes come from: shapes and scalar arguments of a call, and arithmetic on them."""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra import show
from jitmdh.mdh.algebra.index import Affine


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
