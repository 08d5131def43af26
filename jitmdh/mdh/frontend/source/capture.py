"""From a function object to its syntax tree: the text that was run, not one that has taken its place in the file.

A text is taken for the source of a function only if it compiles to the function's code.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import copy
import hashlib
import inspect
import linecache
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from tokenize import TokenError
from types import CodeType, FunctionType

from jitmdh.base.error_codes import CANNOT_BE_READ
from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.frontend.source.ended_loops import without_leaving_else

Definition = ast.FunctionDef | ast.Lambda
_PARSES = 3
_NO_STATEMENT = (SyntaxError, ValueError, TokenError)  # what text that is none, such as part of a string, is met with
_REMEDY = "linecache.cache[name] = (len(text), None, text.splitlines(True), name); exec(compile(text, name, 'exec'))"
_PROGRAM = "<string>"  # file of `python -c`, whose text Python 3.13 keeps, and of whatever exec is given


@dataclass(frozen=True, slots=True)
class Source:
    """A function and its syntax tree; line and column numbers in the tree are those of the file.

    digest: of what the tree means: comments, docstrings, positions and the function's own name do not count.
    place: where everything stands for those who read messages, if not where it is: of a function of ours, its call.
    inside: its subscripts are inside of their arrays, by construction: one of ours that says so.
    """

    function: FunctionType
    definition: Definition
    filename: str
    digest: str = ""
    place: Loc | None = None
    inside: bool = False

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def is_ours(self) -> bool:
        """Whether the text is one of ours, whose free names are Python's own, whatever the caller calls so."""
        return self.place is not None

    def loc(self, node: ast.AST) -> Loc:
        """Where a node of the tree stands."""
        if self.place is not None:
            return self.place
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = linecache.getline(self.filename, line)
        end = getattr(node, "end_col_offset", None)
        return Loc(
            self.filename, line, _characters(text, column), getattr(node, "end_lineno", None),
            _characters(text, end) if end is not None and getattr(node, "end_lineno", line) == line else end,
        )  # fmt: skip


def _characters(text: str, column: int) -> int:
    """`ast` counts columns in bytes; people count characters."""
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))


def python_function(value: object) -> FunctionType | None:
    """The plain Python function behind `value`: itself, or what a decorator of ours wraps (`.py_func`)."""
    inner = getattr(value, "py_func", value)
    return inner if isinstance(inner, FunctionType) else None


def capture(function: object) -> Source:
    """The source of a Python function. Raises NotAnMdhError where there is none, or another than was run."""
    plain = python_function(function)
    if plain is None:
        raise NotAnMdhError(
            f"`{getattr(function, '__name__', type(function).__name__)}` is not a Python function",
            hint="decorate a function defined with def",
        )
    code = plain.__code__
    linecache.lazycache(code.co_filename, plain.__globals__)  # of modules that an archive, or a loader, keeps
    definition, digest = _found(code)
    return Source(plain, definition, code.co_filename, digest)


def as_function(source: Source) -> Source:
    """The same as a definition with statements: a lambda returns its expression."""
    definition = source.definition
    if not isinstance(definition, ast.Lambda):
        return source
    made = _empty_function("lambda_", definition)
    made.args, made.body = definition.args, [ast.copy_location(ast.Return(definition.body), definition.body)]
    return replace(source, definition=made)


# ---------------------------------------------------------------------------------------------- texts of files

_TEXTS_KEPT = 4
_MOST_TEXT_BYTES = 1 << 24
_texts: dict[str, list[list[str]]] = {}  # by file name, the lines that functions were decorated under, newest first


def remember_text(function: object) -> None:
    """Keeps the text of the file that `function` is in as it is now, when the function is defined."""
    code = getattr(function, "__code__", None)
    if code is not None:
        linecache.lazycache(code.co_filename, getattr(function, "__globals__", {}))
        _current(code.co_filename)


def _current(filename: str) -> list[str]:
    """The lines of a file as they are now; kept."""
    linecache.checkcache(filename)
    lines = linecache.getlines(filename) or _of_the_program(filename)
    kept = _texts.setdefault(filename, [])
    if lines and not any(lines is k for k in kept):
        kept.insert(0, lines)
        del kept[_TEXTS_KEPT:]
    return lines


def _of_the_program(filename: str) -> list[str]:
    """The text that Python was started with, by `python -c` or from a redirected standard input.

    It goes to `linecache`, as Python 3.13 does it, so that tracebacks and errors show its lines, too.
    """
    text = None
    if filename == _PROGRAM and "-c" in sys.orig_argv[1:-1]:
        text = sys.orig_argv[sys.orig_argv.index("-c", 1) + 1]
    elif filename == "<stdin>" and not hasattr(sys, "ps1"):
        try:
            text = os.pread(0, _MOST_TEXT_BYTES, 0).decode()  # of a file; what came through a pipe is gone
        except (OSError, UnicodeDecodeError):
            return []
    if not text:
        return []
    lines = [line + "\n" for line in text.splitlines()]
    linecache.cache[filename] = (len(text), None, lines, filename)
    return lines


_made: dict[int, tuple[CodeType, Definition, str]] = {}  # functions that have no text, by their code


PYTHONS = "numbers of Python's where the function has them"
"""What a function returns, as its annotation: it is Python that goes on with it, in the middle of a function."""


def gives_pythons(definition: Definition) -> bool:
    """Whether a function gives numbers of Python's where Python would; others give NumPy's."""
    returns = getattr(definition, "returns", None)
    return isinstance(returns, ast.Constant) and returns.value == PYTHONS


def remember_source(function: FunctionType, definition: Definition) -> None:
    """`definition` is the source of a function that was made from it, and not from text."""
    code = function.__code__
    _made[id(code)] = (code, definition, _digest(definition))


_SOURCES_KEPT = 256
_sources: dict[int, tuple[CodeType, Definition, str]] = {}


def _found(code: CodeType) -> tuple[Definition, str]:
    known = _made.get(id(code)) or _sources.get(id(code))
    if known is not None and known[0] is code:
        return known[1], known[2]
    definition = _definition(code)
    digest = _digest(definition)
    without_leaving_else(definition)
    if len(_sources) >= _SOURCES_KEPT:
        _sources.clear()
    _sources[id(code)] = (code, definition, digest)
    return definition, digest


def _definition(code: CodeType) -> Definition:
    first = code.co_firstlineno
    before = list(_texts.get(code.co_filename, ()))
    lines = _current(code.co_filename)
    texts = [t for t in (*before, lines) if t and first <= len(t)]
    for text in texts:
        for candidate in _candidates(code, text):
            _refuse_private_names(candidate, code)
            for imported in (_imported, _nothing, _imported_anywhere):
                if _compiles_to(candidate, code, set(imported(text, _names(code)))):
                    return candidate
    if not texts or code.co_filename == _PROGRAM:
        raise NotAnMdhError(
            f"the source of `{code.co_name}` is not available",
            reason=f"it comes from {code.co_filename!r}, and a just-in-time compiler for Python source has to read it",
            hint=f"put the function into a file or a notebook cell, or give its text to linecache first: {_REMEDY}",
            code=CANNOT_BE_READ,
        )
    raise NotAnMdhError(
        f"the source of `{code.co_name}` in {code.co_filename} is not the one that was run",
        reason=f"no function at line {first} compiles to the code of this one",
        hint="the file has changed since it was imported: restart Python, or reload the module",
        code=CANNOT_BE_READ,
    )


# ---------------------------------------------------------------------------------------------- is it the text?


def parsed(text: str) -> ast.Module:
    """The syntax tree of a text. SyntaxError, ValueError.

    Before 3.11.8 and 3.12.2, Python counts the depth of two trees that are made at the same time, in a thread or a
    handler of a signal, in one place, and gives up one of them (python/cpython#106905).
    """
    for _ in range(_PARSES):
        with contextlib.suppress(SystemError):
            return ast.parse(text)
    return ast.parse(text)


def _candidates(code: CodeType, lines: list[str]) -> Iterator[Definition]:
    """The definitions in the text that start where the code says."""
    first = code.co_firstlineno
    is_lambda = code.co_name == "<lambda>"
    try:
        if is_lambda:
            tree = parsed("".join(lines))
        else:
            text = "".join(inspect.getblock(lines[first - 1 :]))
            indented = text[:1].isspace()
            tree = ast.increment_lineno(parsed("if 1:\n" + text if indented else text), first - 1 - indented)
    except _NO_STATEMENT:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            if is_lambda and node.lineno == first:
                yield node
        elif isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            yield node


_FUTURE = [getattr(__future__, name) for name in __future__.all_feature_names]
_PLACE = inspect.CO_NESTED | getattr(inspect, "CO_METHOD", 0)  # the second since Python 3.14


def _compiles_to(definition: Definition, code: CodeType, imported: set[str]) -> bool:
    """Whether a definition compiles to this code, inside a function that has its free names.

    imported: names that the file imports; for the compiler, calls of their attributes are no calls of methods.
    """
    outer = _empty_function("outer", definition)
    outer.args.args = [ast.arg(name) for name in code.co_freevars]
    plain = copy.copy(definition)
    plain.args = copy.copy(definition.args)  # without what is evaluated outside of the function
    plain.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    plain.args.kw_defaults = [d and ast.Constant(None) for d in definition.args.kw_defaults]
    if isinstance(plain, ast.Lambda):
        outer.body = [ast.Expr(plain)]
    else:
        plain.decorator_list = []
        if sys.version_info >= (3, 12):
            plain.type_params = []
        itself: list[ast.stmt] = [] if plain.name in code.co_freevars else [ast.Global([plain.name])]
        outer.body = [*itself, plain]
    imports = [ast.alias(name) for name in sorted(_names(code) & imported)]
    head = [ast.copy_location(ast.Import(imports), definition)] if imports else []
    flags = sum(f.compiler_flag for f in _FUTURE if f.compiler_flag & code.co_flags)
    module = ast.fix_missing_locations(ast.Module([*head, outer], type_ignores=[]))
    try:
        compiled = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    (around,) = _codes_in(compiled)
    return any(_same(inner, code) for inner in _codes_in(around))


def _codes_in(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _names(code: CodeType) -> set[str]:
    """The names that a code reads by name, functions inside of it included."""
    return set(code.co_names).union(*map(_names, _codes_in(code)))


def _imported(lines: list[str], names: set[str]) -> Iterator[str]:
    """Those of `names` that statements at the left margin import: nearly always all, and quickly found."""
    for number, line in enumerate(lines):
        if line.startswith(("import ", "from ")):
            in_one_line = line.count("(") == line.count(")") and not line.rstrip().endswith("\\")
            if in_one_line and names.isdisjoint(re.findall(r"\w+", line)):
                continue
            try:
                (statement,) = parsed("".join(inspect.getblock(lines[number:]))).body[:1]
            except _NO_STATEMENT:
                continue
            for alias in getattr(statement, "names", ()):
                yield alias.asname or alias.name.partition(".")[0]


def _nothing(lines: list[str], names: set[str]) -> Iterator[str]:
    """For a part of a file that was compiled by itself, as examples in documents are."""
    return iter(())


def _imported_anywhere(lines: list[str], names: set[str]) -> Iterator[str]:
    """Names that the file imports outside of its functions and classes."""
    try:
        rest: list[ast.AST] = [parsed("".join(lines))]
    except (SyntaxError, ValueError):
        return
    while rest:
        for node in ast.iter_child_nodes(rest.pop()):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.stmt | ast.excepthandler) and not isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            ):
                rest.append(node)


def _empty_function(name: str, like: ast.AST) -> ast.FunctionDef:
    """`def name(): pass`, with whatever fields this version of Python has."""
    made = parsed(f"def {name}(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    return ast.copy_location(made, like)


def _same(a: CodeType, b: CodeType) -> bool:
    """Equal but for positions, and for whether the function is in another one or in a class."""
    plain = all(
        getattr(a, name) == getattr(b, name)
        for name in ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount",
                     "co_posonlyargcount", "co_kwonlyargcount", "co_exceptiontable")
    )  # fmt: skip
    flags = a.co_flags & ~_PLACE == b.co_flags & ~_PLACE
    return plain and flags and _same_constant(a.co_consts, b.co_consts)


def _same_constant(a: object, b: object) -> bool:
    """Equal and of one type, -0.0 and 0.0 apart."""
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return _same(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    return type(a) is type(b) and (a == b if isinstance(a, frozenset) else repr(a) == repr(b))


def _refuse_private_names(definition: Definition, code: CodeType) -> None:
    """Inside a class `__name` means `_Class__name`, which the tree does not show."""
    if not any(name.startswith("_") and "__" in name[1:] for name in (*code.co_names, *code.co_varnames)):
        return
    known = code.co_names + code.co_varnames + code.co_freevars + code.co_cellvars
    for node in ast.walk(definition):
        name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
        if isinstance(name, str) and name.startswith("__") and not name.endswith("__") and name not in known:
            raise NotAnMdhError(f"`{name}` is a private name of a class", hint="begin it with a single underscore")


# ---------------------------------------------------------------------------------------------- what it means


def _digest(definition: Definition) -> str:
    return hashlib.blake2b(_canonical(definition).encode(), digest_size=16).hexdigest()


def _canonical(definition: Definition) -> str:
    if isinstance(definition, ast.Lambda):
        return ast.dump(definition)
    body = definition.body
    if (
        isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        body = body[1:]
    kind = [PYTHONS] if gives_pythons(definition) else []
    return "\n".join([*kind, ast.dump(definition.args), *(ast.dump(statement) for statement in body)])
