"""Small random changes of programs, on their syntax trees: what generators do not write."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

TYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64",
         "bool", "complex64", "complex128")  # fmt: skip
NUMBERS = (0, 1, 2, 3, -1, -2, 5, 7, 100, 300, 2**31, 2**40)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def changed(program: Program, choices: Seeded) -> Program:
    """The program with one change, or as it is where that one cannot be made."""
    if choices.number(0, 4) == 0:
        return _other_type(program, choices)
    tree = ast.parse(program.text)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "program")
    change = choices.pick((_number, _operator, _operator, _name, _name, _statement, _statement, _subscript, _range))
    change(function, choices, [n for n, a in program.arguments.items() if isinstance(a, Array)])
    return replace(program, text=ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _other_type(program: Program, choices: Seeded) -> Program:
    arrays = [n for n, a in program.arguments.items() if isinstance(a, Array) and not a.dtype.startswith("[")]
    plain = [n for n in arrays if not getattr(program.arguments[n], "fill", "").startswith("cells")]
    if not plain or any(isinstance(a, Array) and a.of for a in program.arguments.values()):
        return program
    name = choices.pick(plain)
    array = program.arguments[name]
    assert isinstance(array, Array)
    made = replace(array, dtype=choices.pick(TYPES), fill=choices.pick(("small", array.fill)))
    return replace(program, arguments={**program.arguments, name: made})


def _nodes(tree: ast.AST, *kinds: type[ast.AST]) -> list[ast.AST]:
    return [n for n in ast.walk(tree) if isinstance(n, kinds)]


def _number(function: ast.FunctionDef, choices: Seeded, arrays: Sequence[str]) -> None:
    numbers = [n for n in _nodes(function, ast.Constant) if isinstance(n.value, int | float)]  # type: ignore[attr-defined]
    if numbers:
        choices.pick(numbers).value = choices.pick(NUMBERS)


def _operator(function: ast.FunctionDef, choices: Seeded, arrays: Sequence[str]) -> None:
    found = _nodes(function, ast.BinOp, ast.AugAssign, ast.Compare)
    if not found:
        return
    node = choices.pick(found)
    if isinstance(node, ast.Compare):
        node.ops[0] = choices.pick(COMPARISONS)()
    else:
        node.op = choices.pick(OPERATORS[: 3 if isinstance(node, ast.AugAssign) else 7])()


def _name(function: ast.FunctionDef, choices: Seeded, arrays: Sequence[str]) -> None:
    """Another array where one is read or written: carried dependences, several writers of one array."""
    found = [n for n in _nodes(function, ast.Name) if n.id in arrays]  # type: ignore[attr-defined]
    if len(arrays) > 1 and found:
        choices.pick(found).id = choices.pick(arrays)


def _subscript(function: ast.FunctionDef, choices: Seeded, arrays: Sequence[str]) -> None:
    """Somewhere else: `x[i]` becomes `x[i - 1]`."""
    found = [n for n in _nodes(function, ast.Subscript) if isinstance(n.value, ast.Name) and n.value.id in arrays]  # type: ignore[attr-defined]
    if not found:
        return
    node = choices.pick(found)
    by = ast.Constant(choices.pick((1, 2, 3)))
    op = choices.pick((ast.Sub, ast.Add, ast.Mult, ast.FloorDiv, ast.Mod))()
    if isinstance(node.slice, ast.Tuple):
        at = choices.number(0, len(node.slice.elts) - 1)
        if not isinstance(node.slice.elts[at], ast.Slice):
            node.slice.elts[at] = ast.BinOp(node.slice.elts[at], op, by)
    elif isinstance(node.slice, ast.Name | ast.BinOp):
        node.slice = ast.BinOp(node.slice, op, by)


def _range(function: ast.FunctionDef, choices: Seeded, arrays: Sequence[str]) -> None:
    loops = [n for n in _nodes(function, ast.For) if isinstance(n.iter, ast.Call)]  # type: ignore[attr-defined]
    if not loops:
        return
    call = choices.pick(loops).iter
    way = choices.number(0, 3)
    if way == 0 and len(call.args) == 1:
        call.args = [ast.Constant(choices.pick((1, 2, -1))), call.args[0]]
    elif way == 1 and len(call.args) == 1:
        minus = ast.UnaryOp(ast.USub(), ast.Constant(1))
        call.args = [ast.BinOp(call.args[0], ast.Sub(), ast.Constant(1)), minus, minus]
    elif way == 2:
        start = [ast.Constant(0)] if len(call.args) == 1 else call.args[:1]
        stop = call.args[0] if len(call.args) == 1 else call.args[1]
        call.args = [*start, stop, ast.Constant(choices.pick((2, 3, 5, -1)))]
    elif others := [n.target.id for n in loops if isinstance(n.target, ast.Name)]:  # type: ignore[attr-defined]
        call.args[-1] = ast.BinOp(call.args[-1], choices.pick((ast.Sub, ast.Add))(), ast.Name(choices.pick(others)))


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    nodes = _nodes(function, ast.FunctionDef, ast.For, ast.If)
    return [b for n in nodes for b in (n.body, getattr(n, "orelse", [])) if b]  # type: ignore[attr-defined]


def _statement(function: ast.FunctionDef, choices: Seeded, arrays: Sequence[str]) -> None:
    """Statements of a block in another order, twice, gone, under a condition, or moved out of their loop."""
    block = choices.pick(_blocks(function))
    at = choices.number(0, len(block) - 1)
    way = choices.number(0, 4)
    if way == 0 and len(block) > 1:
        block[at], block[at - 1] = block[at - 1], block[at]
    elif way == 1:
        block.insert(choices.number(0, len(block)), ast.parse(ast.unparse(block[at])).body[0])
    elif way == 2 and len(block) > 1:
        del block[at]
    elif way == 3 and not isinstance(block[at], ast.Return):
        loops = [n.target.id for n in _nodes(function, ast.For) if isinstance(n.target, ast.Name)]  # type: ignore[attr-defined]
        name = choices.pick([*loops, "1"])
        test = ast.parse(f"{name} {choices.pick(('>', '==', '% 3 !=', '<'))} {choices.pick((0, 1, 2))}").body[0]
        assert isinstance(test, ast.Expr)
        block[at] = ast.If(test.value, [block[at]], [])
    elif way == 4:
        other = choices.pick(_blocks(function))
        other.insert(choices.number(0, len(other)), ast.parse(ast.unparse(block[at])).body[0])


# ------------------------------------------------------------------------------------------------- records


def with_fields(text: str, names: Sequence[str], inside: bool) -> str:
    """Accesses `x[i]` to these arrays as `rec[i]["x"]` (inside) or `rec["x"][i]`."""

    class Fields(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            self.generic_visit(node)
            if inside and isinstance(node.value, ast.Subscript) and getattr(node.value.value, "id", "") == "rec":
                field = node.value.slice
                return ast.Subscript(ast.Subscript(node.value.value, node.slice), field, node.ctx)
            return node

        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.Subscript(ast.Name("rec"), ast.Constant(node.id), node.ctx) if node.id in names else node

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            if node.name == "program":
                kept = [a for a in node.args.args if a.arg not in names]
                node.args.args = [ast.arg("rec"), *kept]
                self.generic_visit(node)
            return node

    return ast.unparse(ast.fix_missing_locations(Fields().visit(ast.parse(text)))) + "\n"
