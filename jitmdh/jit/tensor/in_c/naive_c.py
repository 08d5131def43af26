"""What formulas mean, as plain loops in C: what `jitmdh.tensor.write` compares its kernels with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import operation
from jitmdh.mdh.algebra.scalar import Constant, Operation, Variable
from jitmdh.mdh.algebra.scalar import Scalar as ScalarNode
from jitmdh.mdh.frontend.einsum.programs import combine_operator
from jitmdh.mdh.frontend.symbolic.values import convert
from jitmdh.mdh.frontend.tensor.check import Checked, Statement
from jitmdh.mdh.frontend.tensor.notation.expr import Array, Element, Expr, Scalar, Tensor, free
from jitmdh.mdh.frontend.tensor.scalar_functions import Leaf, scalar, type_of


def c_type(type: ScalarType) -> str:
    """The type in C. ArgumentTypeError where C has none."""
    if type.kind == "c" or (type.kind == "f" and type.bits == 16):
        raise ArgumentTypeError(f"C code for {type} is not there", hint="float32, float64, bools and integers are")
    if type.kind == "f":
        return {32: "float", 64: "double"}[type.bits]
    return {"b": "uint8_t", "i": f"int{type.bits}_t", "u": f"uint{type.bits}_t"}[type.kind]


def naive(checked: Checked, name: str, parameters: Sequence[Tensor | Scalar]) -> str:
    """A function `static void name(…)` over flat arrays that does what the statements say, one loop for each index.

    It needs stdint.h, stdlib.h, string.h and math.h. Known zeros are multiplied by: the arrays hold zeros there.
    ArgumentTypeError for operations that have no function in C.
    """
    return _Function(checked).text(name, parameters)


def literal(value: bool | int | float | complex, type: ScalarType) -> str:
    """A number in C."""
    if type.kind == "f":
        number = float(value.real)
        if math.isnan(number) or math.isinf(number):
            return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"
        return f"{number!r}{'f' if type.bits == 32 else ''}"
    if type.kind == "u":
        return f"UINT64_C({value})"
    return f"(-INT64_C({2**63 - 1}) - 1)" if value == -(2**63) else f"INT64_C({int(value.real)})"


def initialiser(array: Array, type: ScalarType) -> str:
    """The elements of an array, in C order."""
    return ", ".join(literal(n.item(), type) for n in array.reshape(-1))


class _Function:
    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.lines: list[str] = []
        self.depth = 1
        self.numbers = count()

    def text(self, name: str, parameters: Sequence[Tensor | Scalar]) -> str:
        written = {t.name for t in self.checked.outputs}
        said = []
        for p in parameters:
            if isinstance(p, Scalar):
                said.append(f"{c_type(p.type)} {p.name}")
            else:
                said.append(f"{'' if p.name in written else 'const '}{c_type(p.type)} *{p.name}")
        for tensor in self.checked.tensors:
            if tensor.values is not None:
                numbers = initialiser(tensor.values.array, tensor.type) or "0"
                self.line(f"static const {c_type(tensor.type)} {tensor.name}[] = {{{numbers}}};")
            elif tensor.temporary:
                self.line(f"{c_type(tensor.type)} *{tensor.name} = {_allocated(math.prod(tensor.shape), tensor.type)};")
        for statement in self.checked.statements:
            self.statement(statement)
        for tensor in self.checked.tensors:
            if tensor.temporary:
                self.line(f"free({tensor.name});")
        return "\n".join([f"static void {name}({', '.join(said)})", "{", *self.lines, "}"])

    def statement(self, statement: Statement) -> None:
        """All values first, then what is written."""
        target, names = statement.target, free(statement.target)
        type, value = target.tensor.type, f"value{next(self.numbers)}"
        points = math.prod(statement.extents[n] for n in names)
        self.line(f"/* {str(statement).replace('*/', '* /')} */")
        self.line(f"{c_type(type)} *{value} = {_allocated(points, type)};")
        place = _flat([Affine.of(n) for n in names], [statement.extents[n] for n in names])
        with self.loops(names, statement.extents):
            point = self.value(statement.value, statement.extents)
            self.line(f"{value}[{place}] = {self.spelled(convert(point, type))};")
        with self.loops(names, statement.extents):
            self.line(f"{target.tensor.name}[{_flat(target.subscripts, target.tensor.shape)}] = {value}[{place}];")
        self.line(f"free({value});")

    def value(self, node: Expr, extents: dict[str, int]) -> ScalarNode:
        """`node` at one point; the loops of its totals come before."""

        def leaf(node: Leaf) -> ScalarNode:
            match node:
                case Element(tensor, subscripts):
                    return Variable(f"{tensor.name}[{_flat(subscripts, tensor.shape)}]", tensor.type)
                case Scalar():
                    return Variable(node.name, node.type)
            type = type_of(node.body).concrete.accumulator
            by = combine_operator(node.operator, type)
            if by.identity is None:
                raise ArgumentTypeError(f"`{node}`: `{by.name}` has no neutral element to begin with in C")
            state, part = f"state{next(self.numbers)}", f"part{next(self.numbers)}"
            self.line(f"{c_type(type)} {state} = {self.spelled(by.identity[0])};")
            with self.loops(node.names, extents):
                body = self.value(node.body, extents)
                self.line(f"const {c_type(type)} {part} = {self.spelled(convert(body, type))};")
                names = dict(zip((p.name for p in by.function.parameters), (state, part)))
                for variable, bound in by.function.bindings:
                    names[variable.name] = f"bound{next(self.numbers)}"
                    made = self.spelled(bound, names)
                    self.line(f"const {c_type(variable.type)} {names[variable.name]} = {made};")
                self.line(f"{state} = {self.spelled(by.function.results[0], names)};")
            return Variable(state, type)

        return scalar(node, leaf)

    def spelled(self, node: ScalarNode, names: dict[str, str] | None = None) -> str:
        """A scalar in C. names: of variables that are called something else."""
        match node:
            case Constant(value, type):
                return literal(value, type)
            case Variable(name):
                return (names or {}).get(name, name)
            case Operation(op, operands, type):
                return f"(({c_type(type)}){_applied(op, [self.spelled(o, names) for o in operands], node)})"
        raise ArgumentTypeError(f"`{node}` has no counterpart in C")

    # ------------------------------------------------------------------------------------------ lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def loops(self, names: Sequence[str], extents: dict[str, int]) -> Iterator[None]:
        for name in names:
            self.line(f"for (int64_t {name} = 0; {name} < {int(extents[name])}; {name}++) {{")
            self.depth += 1
        yield
        for _ in names:
            self.depth -= 1
            self.line("}")


def _applied(op: str, operands: list[str], node: Operation) -> str:
    type = node.operands[0].type
    spelling = operation(op).c
    match op, operands:
        case "cast", [a]:
            return f"({a} != 0)" if node.type.kind == "b" else a
        case "neg", [a]:
            return f"(-{a})"
        case "not", [a]:
            return f"(!{a})"
        case "abs", [a]:
            return f"({a} < 0 ? -{a} : {a})" if type.kind != "f" else f"fabs{_suffix(type)}({a})"
        case "select", [a, b, c]:
            return f"({a} ? {b} : {c})"
        case (("minimum" | "maximum"), [a, b]):  # a NaN of either is passed on
            return f"({a} {'<' if op == 'minimum' else '>'} {b} || {a} != {a} ? {a} : {b})"
        case (("fmin" | "fmax"), [a, b]):
            return f"({b} {'<' if op == 'fmin' else '>'} {a} ? {b} : {a})"
        case _ if spelling and not spelling[0].isalpha():
            return f"({operands[0]} {spelling} {operands[1]})"
        case _ if spelling and type.kind == "f":
            return f"{spelling}{_suffix(type)}({', '.join(operands)})"
    raise ArgumentTypeError(f"`{op}` of {type} has no counterpart in C", hint="write(…, test=False) writes no test")


def _suffix(type: ScalarType) -> str:
    return "f" if type.bits == 32 else ""


def _allocated(points: int, type: ScalarType) -> str:
    return f"calloc({max(1, points)}, sizeof({c_type(type)}))"


def _flat(subscripts: Sequence[Affine], shape: Sequence[int]) -> str:
    """The position in an array in C order."""
    total = Affine()
    for axis, extent in zip(subscripts, shape):
        total = total * int(extent) + axis
    return " + ".join([f"{c} * {n}" if c != 1 else n for n, c in total.terms] + [str(total.constant)] * bool(
        total.constant or not total.terms
    )).replace("+ -", "- ")  # fmt: skip
