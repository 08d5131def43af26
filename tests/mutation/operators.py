"""Mutants of a source file: small changes of the bodies of its functions, each of which a test should notice."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Change = tuple[str, ast.AST | None]
"""What was done, and what stands in the node's place; None: nothing does."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}
_SWAPPED = (ast.Sub, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_DROPPED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """One change of one function. `code` compiles it: the code object that takes the place of the function's own.

    at_import: the module calls the function itself, when it is imported: nothing calls it later.
    """

    path: str
    function: str
    line: int
    lines: tuple[int, ...]  # of the node, then of the statement around it: tests that reach one of them may notice
    kind: str
    before: str
    after: str
    code: Callable[[], CodeType]
    at_import: bool = False

    @property
    def name(self) -> str:
        """What identifies it while lines move."""
        return f"{self.path}: {self.function}: {self.before} -> {self.after}"


def mutants(path: Path, root: Path) -> list[Mutant]:
    """All of a file, in the order of its lines. What annotations, docstrings, asserts and defaults say stays."""
    tree = ast.parse(path.read_text())
    found, at_import = [], _called_at_import(tree)
    for function, name in _functions(tree, ""):
        for steps, node, statement in _nodes(function):
            for kind, changed in _changes(node):
                mutant = _mutant(path, root, tree, function, name, steps, node, statement, kind, changed)
                found.append(replace(mutant, at_import=name in at_import))
    return _numbered([mutant for mutant in found if mutant.before != mutant.after])


def _called_at_import(tree: ast.Module) -> set[str]:
    """The private functions of a module that its own statements call, and nothing else names but each other."""
    own = [node for node in tree.body if not isinstance(node, _Function | ast.ClassDef)]
    calls = [n.func for node in own for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    found = {n.id for n in calls if n.id.startswith("_")}
    while True:
        others = [node for node in tree.body if not isinstance(node, _Function) or node.name not in found]
        named = {n.id for node in others for n in ast.walk(node) if isinstance(n, ast.Name) and n not in calls}
        if not found & named:
            return found
        found -= named


def _numbered(found: list[Mutant]) -> list[Mutant]:
    """Changes that look the same in one function are told apart by their numbers."""
    seen: Counter[str] = Counter()
    numbered = []
    for mutant in found:
        seen[mutant.name] += 1
        number = seen[mutant.name]
        numbered.append(mutant if number == 1 else replace(mutant, after=f"{mutant.after}  #{number}"))
    return numbered


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[_Function, str]]:
    """The functions of modules and classes; those inside of functions belong to the outer ones."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function):
            yield child, prefix + child.name
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


_Steps = tuple[tuple[str, int | None], ...]


def _nodes(function: _Function) -> Iterator[tuple[_Steps, ast.AST, ast.stmt]]:
    """The nodes of a body, each with the way to it and the statement that it stands in."""

    def walk(node: ast.AST, steps: _Steps, statement: ast.stmt) -> Iterator[tuple[_Steps, ast.AST, ast.stmt]]:
        if isinstance(node, ast.Assert) or _is_docstring(node):
            return
        yield steps, node, statement
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "args", "decorator_list") and not isinstance(node, ast.Call):
                continue
            for i, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST):
                    yield from walk(child, (*steps, (field, i)), child if isinstance(child, ast.stmt) else statement)

    for i, child in enumerate(function.body):
        yield from walk(child, (("body", i),), child)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _changes(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.Compare(ops=[operator], comparators=[_]):
            for other in _COMPARISONS[type(operator)]:
                yield "comparison", ast.Compare(node.left, [other()], node.comparators)
        case ast.BoolOp():
            other_word = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and, or", ast.BoolOp(other_word, node.values)
            for i in range(len(node.values)):
                rest = node.values[:i] + node.values[i + 1 :]
                yield "condition dropped", ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", node.operand
        case ast.UnaryOp(op=ast.USub()) if not isinstance(node.operand, ast.Constant):
            yield "minus dropped", node.operand
        case ast.BinOp() if not _has_text(node):
            for swapped in _ARITHMETIC.get(type(node.op), ()):
                yield "operator", ast.BinOp(node.left, swapped(), node.right)
            if isinstance(node.op, _SWAPPED):
                yield "operands swapped", ast.BinOp(node.right, node.op, node.left)
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield "constant", ast.Constant(value + 1)
            if value > 0:
                yield "constant", ast.Constant(value - 1)
        case ast.Call(func=ast.Name(id=called)) if called in _CALLED:
            yield "function", ast.Call(ast.Name(_CALLED[called], ast.Load()), node.args, node.keywords)
        case ast.comprehension(ifs=[_, *_]):
            yield "filter dropped", ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.IfExp() if _is_plain(node.test):
            yield "condition negated", ast.IfExp(node.test, node.orelse, node.body)
        case ast.Match() if len(node.cases) > 1:
            for i, case in enumerate(node.cases):
                if not _never_comes(case):
                    yield "case dropped", ast.Match(node.subject, node.cases[:i] + node.cases[i + 1 :])
        case ast.match_case(guard=ast.expr()):
            yield "guard dropped", ast.match_case(node.pattern, None, node.body)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "None returned", ast.Return(ast.Constant(None))
        case ast.If():
            if _is_plain(node.test):
                yield "condition negated", ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
            yield "statement dropped", ast.If(ast.Constant(False), node.body, node.orelse)
        case ast.stmt() if isinstance(node, _DROPPED):
            yield "statement dropped", None


def _has_text(node: ast.BinOp) -> bool:
    """Whether it certainly puts strings together: without its `+`, anything would be an error."""
    parts = [node.left, node.right]
    texts = [isinstance(p, ast.JoinedStr) or (isinstance(p, ast.Constant) and isinstance(p.value, str)) for p in parts]
    return any(texts)


def _is_plain(test: ast.expr) -> bool:
    """A condition that no other change negates."""
    return not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)


def _never_comes(case: ast.match_case) -> bool:
    """`case _: assert_never(…)`, which is there for mypy."""
    return "assert_never(" in ast.unparse(case.body[0])


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _mutant(
    path: Path, root: Path, tree: ast.Module, function: _Function, name: str,
    steps: _Steps, node: ast.AST, statement: ast.stmt, kind: str, changed: ast.AST | None,
) -> Mutant:  # fmt: skip
    """The change as a mutant. The tree is copied only when it is compiled."""

    def code() -> CodeType:
        memo: dict[int, object] = {}
        whole = copy.deepcopy(tree, memo)
        parent = memo[id(function)]
        for field, i in steps[:-1]:
            parent = getattr(parent, field) if i is None else getattr(parent, field)[i]
        new = ast.Pass() if changed is None else copy.deepcopy(changed)
        field, i = steps[-1]
        if i is None:
            setattr(parent, field, ast.copy_location(new, node))
        else:
            getattr(parent, field)[i] = ast.copy_location(new, node)
        compiled = compile(ast.fix_missing_locations(whole), str(path), "exec", dont_inherit=True)
        return next(c for c in codes(compiled) if c.co_qualname == name and c.co_firstlineno == first)

    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    line = getattr(node, "lineno", statement.lineno)
    after = "pass" if changed is None else _short(changed)
    lines = (line, statement.lineno)
    return Mutant(str(path.relative_to(root)), name, line, lines, kind, _short(node), after, code)


def _short(node: ast.AST) -> str:
    match node:
        case ast.If():
            return f"if {ast.unparse(node.test)}"
        case ast.Match():
            return f"match {ast.unparse(node.subject)}: " + " | ".join(ast.unparse(c.pattern) for c in node.cases)
        case ast.match_case():
            return f"case {ast.unparse(node.pattern)}" + (f" if {ast.unparse(node.guard)}" if node.guard else "")
        case ast.comprehension():
            return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}" + "".join(
                f" if {ast.unparse(condition)}" for condition in node.ifs
            )
    return " ".join(ast.unparse(node).split())


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)
