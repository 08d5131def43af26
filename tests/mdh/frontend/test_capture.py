"""Sources of functions, and digests that change with everything a function means."""

from __future__ import annotations

import ast
import linecache

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.frontend.capture import capture, fingerprint
from jitmdh.mdh.frontend.operators import operator


def made(text: str, name: str = "f", **outer: object):
    """A function from source text, as a notebook cell makes it."""
    filename = f"<cell {hash((text, *map(str, outer.values())))}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space = dict(outer)
    exec(compile(text, filename, "exec"), space)
    return space[name]


def test_lines_and_columns_are_those_of_the_file() -> None:
    def inner(x):
        return x + 1

    source = capture(inner)
    assert isinstance(source.definition, ast.FunctionDef)
    loc = source.loc(source.definition.body[0])
    assert linecache.getline(loc.filename, loc.line)[loc.column : loc.end_column] == "return x + 1"


def test_the_right_one_of_several_lambdas() -> None:
    f, g = (lambda x: x + 1), (lambda x: x * 2)
    assert ast.unparse(capture(f).definition) == "lambda x: x + 1"
    assert ast.unparse(capture(g).definition) == "lambda x: x * 2"


def test_no_source() -> None:
    space: dict[str, object] = {}
    exec("def f(x): pass", space)
    with pytest.raises(NotAnMdhError, match="the source of `f` is not available"):
        capture(space["f"])
    with pytest.raises(NotAnMdhError, match="is not a Python function"):
        capture(len)


def test_the_text_of_a_program_is_not_the_source_of_what_it_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.13 keeps the text of `python -c` under the name that functions made by `exec` have, too."""
    program = "def f(x):\n    return x + 1\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(program), None, program.splitlines(True), "<string>"))
    space: dict[str, object] = {}
    exec(compile(program, "<string>", "exec", dont_inherit=True), space)
    assert ast.unparse(capture(space["f"]).definition) == program.strip()
    for other in ("def f(x): pass", "def f(x):\n    return x + 2\n", "def g(y): pass"):
        exec(other, space)
        with pytest.raises(NotAnMdhError, match="is not available"):
            capture(space[other[4]])


BASE = "def f(x):\n    for i in range(len(x)):\n        x[i] = a * x[i]\n"


def test_comments_and_docstrings_do_not_count() -> None:
    other = 'def f(x):\n    "Scale."\n    # all of it\n    for i in range(len(x)):\n        x[i] = (a * x[i])\n'
    assert fingerprint(made(BASE, a=2)) == fingerprint(made(other, a=2))


@pytest.mark.parametrize("value", [3, 2.0, np.float32(2), (2,), np.ones(3), np.zeros(3)])
def test_globals_count(value: object) -> None:
    assert fingerprint(made(BASE, a=2)) != fingerprint(made(BASE, a=value))


def test_callees_count() -> None:
    text = "def f(x):\n    for i in range(len(x)):\n        x[i] = a(x[i])\n"
    one = made("def a(v):\n    return v + b\n", "a", b=1)
    two = made("def a(v):\n    return v + b\n", "a", b=2)
    assert fingerprint(made(text, a=one)) != fingerprint(made(text, a=two))
    assert fingerprint(made(text, a=operator(one))) != fingerprint(made(text, a=operator(one, identity=0)))


def test_closures_count() -> None:
    def scaled(factor):
        def f(x):
            x[0] = factor

        return f

    assert fingerprint(scaled(1)) != fingerprint(scaled(2))
    assert fingerprint(scaled(1)) == fingerprint(scaled(1))
