"""From a function object to its syntax tree and to the values that it reads from around it."""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.source import Loc

_LIBRARIES = frozenset({"numpy", "math", "operator", "cmath", "builtins", "jitmdh"})
_MISSING = object()
_PROGRAM = "<string>"  # file of `python -c`, whose text Python 3.13 keeps, and of whatever exec is given


@dataclass(frozen=True, slots=True)
class Source:
    """A function and its syntax tree; line and column numbers in the tree are those of the file."""

    function: FunctionType
    definition: ast.FunctionDef | ast.Lambda
    filename: str
    outer: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.function.__name__

    def loc(self, node: ast.AST) -> Loc:
        """Where a node of the tree stands."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = linecache.getline(self.filename, line)
        end = getattr(node, "end_col_offset", None)
        return Loc(
            self.filename, line, _characters(text, column), getattr(node, "end_lineno", None),
            _characters(text, end) if end is not None and getattr(node, "end_lineno", line) == line else end,
        )  # fmt: skip

    def lookup(self, name: str) -> object:
        """The value of a name that the function does not bind itself. KeyError where there is none."""
        if name in self.outer:
            return self.outer[name]
        space = self.function.__globals__
        return space[name] if name in space else vars(builtins)[name]


def _characters(text: str, column: int) -> int:
    """`ast` counts columns in bytes; people count characters."""
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))


def python_function(value: object) -> FunctionType | None:
    """The plain Python function behind `value`: itself, or what a decorator of ours wraps (`.py_func`)."""
    inner = getattr(value, "py_func", value)
    return inner if isinstance(inner, FunctionType) else None


def capture(function: object) -> Source:
    """The source of a Python function. Raises NotAnMdhError where there is none."""
    plain = python_function(function)
    if plain is None:
        raise NotAnMdhError(
            f"`{getattr(function, '__name__', type(function).__name__)}` is not a Python function",
            hint="decorate a function defined with def",
        )
    filename = plain.__code__.co_filename
    return Source(plain, _definition(plain.__code__), filename, dict(_closure(plain)))


def _closure(function: FunctionType) -> Iterator[tuple[str, object]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def _definition(code: CodeType) -> ast.FunctionDef | ast.Lambda:
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    first = code.co_firstlineno
    if not lines or first > len(lines) or (code.co_filename == _PROGRAM and not _made_of(code, "".join(lines))):
        raise NotAnMdhError(
            f"the source of `{code.co_name}` is not available",
            reason=f"it comes from {code.co_filename!r}, and a just-in-time compiler for Python source has to read it",
            hint="put the function into a file or a notebook cell",
        )
    found = _lambda(code, lines) if code.co_name == "<lambda>" else _def(code, lines)
    if found is None:
        raise NotAnMdhError(
            f"the source of `{code.co_name}` in {code.co_filename} is not the one that was run",
            reason=f"no function of that name and signature starts at line {first}",
            hint="the file has changed since it was imported: restart Python, or reload the module",
        )
    return found


def _made_of(code: CodeType, text: str) -> bool:
    """Whether compiling `text` gives this code."""
    try:
        waiting = [compile(text, code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    while waiting:
        found = waiting.pop()
        if found == code:
            return True
        waiting += [constant for constant in found.co_consts if isinstance(constant, CodeType)]
    return False


def _def(code: CodeType, lines: list[str]) -> ast.FunctionDef | None:
    first = code.co_firstlineno
    text = "".join(inspect.getblock(lines[first - 1 :]))
    try:
        if text[:1].isspace():
            tree = ast.increment_lineno(ast.parse("if 1:\n" + text), first - 2)
        else:
            tree = ast.increment_lineno(ast.parse(text), first - 1)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            return node if _same_signature(node.args, code) else None
        if isinstance(node, ast.AsyncFunctionDef):
            return None
    return None


def _lambda(code: CodeType, lines: list[str]) -> ast.Lambda | None:
    """Several lambdas may start on one line: the right one contains the positions of the code."""
    positions = [p for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3] != 0]
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return None
    best: ast.Lambda | None = None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Lambda) or not _same_signature(node.args, code):
            continue
        body = node.body
        start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
        if positions and all(start <= (p[0] or 0, p[2] or 0) and (p[1] or 0, p[3] or 0) <= end for p in positions[1:]):
            best = node  # ast.walk is breadth first: the last one found is the innermost
    return best


def _same_signature(arguments: ast.arguments, code: CodeType) -> bool:
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(names) == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# -------------------------------------------------------------------------------------------------- fingerprint


def fingerprint(function: object) -> str:
    """A digest of what a function means: its source, that of all it calls, and the values it reads from outside.

    Comments, docstrings, positions and the function's own name in the file do not count. The same in every process.
    """
    digest = hashlib.blake2b(digest_size=20)
    seen: dict[int, int] = {}
    for part in _parts(function, seen):
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


def _parts(function: object, seen: dict[int, int]) -> Iterator[str]:
    plain = python_function(function)
    if plain is None:
        yield f"object {type(function).__qualname__}"
        return
    if id(plain) in seen:
        yield f"function {seen[id(plain)]}"
        return
    seen[id(plain)] = len(seen)
    source = capture(plain)
    yield _canonical(source.definition)
    yield repr((plain.__defaults__, plain.__kwdefaults__))
    options = getattr(function, "fingerprint_options", None)
    if options is not None:
        yield f"options {options!r}"
    for name in sorted(set(_names(plain.__code__))):
        try:
            value = source.lookup(name)
        except KeyError:
            continue
        yield name
        yield from _value(value, plain.__code__, seen)


def _canonical(definition: ast.FunctionDef | ast.Lambda) -> str:
    if isinstance(definition, ast.Lambda):
        return ast.dump(definition)
    body = definition.body
    if (
        isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        body = body[1:]
    return "\n".join([ast.dump(definition.args), *(ast.dump(statement) for statement in body)])


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value(value: object, code: CodeType, seen: dict[int, int]) -> Iterator[str]:
    match value:
        case None | bool() | int() | float() | complex() | str() | bytes() | np.dtype() | np.generic():
            yield f"{type(value).__name__} {value!r}"
        case tuple() | list():
            yield f"{type(value).__name__} {len(value)}"
            for item in value:
                yield from _value(item, code, seen)
        case np.ndarray():
            yield f"array {value.dtype.str} {value.shape}"
            yield hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=20).hexdigest()
        case ModuleType():
            yield f"module {value.__name__}"
            if value.__name__.partition(".")[0] not in _LIBRARIES:
                for name in sorted(set(_names(code))):
                    inner = vars(value).get(name, _MISSING)
                    if inner is not _MISSING and not isinstance(inner, ModuleType):
                        yield name
                        yield from _value(inner, code, seen)
        case type() | BuiltinFunctionType() | np.ufunc():
            yield f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}"
        case _ if python_function(value) is not None:
            plain = python_function(value)
            assert plain is not None
            if plain.__module__ is not None and plain.__module__.partition(".")[0] in _LIBRARIES - {"jitmdh"}:
                yield f"{plain.__module__}.{plain.__qualname__}"
            else:
                yield from _parts(value, seen)
        case _:
            yield f"object {type(value).__module__}.{type(value).__qualname__}"
