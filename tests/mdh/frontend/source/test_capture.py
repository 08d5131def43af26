"""Sources of functions: the text that was run, whatever has become of the file."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.source import Loc
from jitmdh.mdh.frontend.source.capture import Source, capture, parsed, remember_text
from tests.source_text import function_in


def made(text: str, name: str = "f", **outer: object):
    """A function from source text, as a notebook cell makes it."""
    filename = f"<cell {hash((text, *map(str, outer.values())))}>"
    return function_in(text, filename, dict(outer), called=name)


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


def test_comments_docstrings_and_parentheses_do_not_count() -> None:
    other = 'def f(x):\n    "Scale."\n    # all of it\n    for i in range(len(x)):\n        x[i] = (a * x[i])\n'
    assert capture(made(BASE, a=2)).digest == capture(made(other, a=2)).digest
    assert capture(made(BASE)).digest != capture(made(BASE.replace("a * x", "x + x"))).digest


# ---------------------------------------------------------------------------------------------- edited files


CHANGES = {
    "a constant": ("2.0", "3.0"),
    "the sign of zero": ("+ 0.0", "+ -0.0"),
    "the type of a constant": ("2.0", "2"),
    "a name": ("a * x", "b * x"),
    "an operator": ("a * x", "a / x"),
    "a statement": ("        x[i] = 2.0", "        x[i] = 1.0\n        x[i] = 2.0"),
    "the function is gone": ("def f", "def g"),
}
FILE = """\
import numpy as np


def f(x):
    for i in range(len(x)):
        x[i] = 2.0 * a * x[i] + 0.0
        np.sqrt(x[i])
"""


def imported(path: Path, text: str, name: str = "f") -> Any:
    path.write_text(text)
    space: dict[str, Any] = {"a": 1.0, "b": 5.0}
    exec(compile(text, str(path), "exec"), space)
    return space[name]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_edited_before_the_source_is_read_is_refused(change: str, tmp_path: Path) -> None:
    f = imported(tmp_path / "edited.py", FILE)
    (tmp_path / "edited.py").write_text(FILE.replace(*CHANGES[change]))
    with pytest.raises(NotAnMdhError, match="is not the one that was run"):
        capture(f)


@pytest.mark.parametrize("change", CHANGES)
def test_the_text_at_the_time_of_decoration_is_used(change: str, tmp_path: Path) -> None:
    f = imported(tmp_path / "kept.py", FILE)
    remember_text(f)
    (tmp_path / "kept.py").write_text(FILE.replace(*CHANGES[change]))
    linecache.checkcache()
    assert "2.0 * a * x[i] + 0.0" in ast.unparse(capture(f).definition)


def test_what_changes_nothing_in_the_code_is_no_edit(tmp_path: Path) -> None:
    f = imported(tmp_path / "commented.py", FILE)
    (tmp_path / "commented.py").write_text(FILE.replace("def f(x):", "def f(x):  # scales") + "\n\nb = 3\n")
    assert capture(f).name == "f"


SHAPES = {
    "stacked decorators": "def d(f):\n    return f\n\n\n@d\n@d\ndef f(x):\n    return x\n",
    "a closure": "def outer(k):\n    def f(x):\n        return x + k\n    return f\n\n\nf = outer(2)\n",
    "a method": "class C:\n    def f(self, x):\n        return self.k + x\n\n\nf = C.f\n",
    "a method that knows its class": "class C:\n    def f(self):\n        return __class__\n\n\nf = C.f\n",
    "a static method": "class C:\n    @staticmethod\n    def f(x):\n        return x\n\n\nf = C.f\n",
    "several on one line": "e = lambda x: x + 1; f = lambda x: x + 2; g = lambda x: x + 3\n",
    "a recursive one": "def f(x):\n    return f(x - 1)\n",
    "a recursive one inside": "def g():\n    def f(x):\n        return f(x - 1)\n    return f\n\n\nf = g()\n",
    "a lambda over lines": "f = (\n    lambda x:\n    x + 1\n)\n",
    "one lambda in another": "f = (lambda y: lambda x: x + y)(2)\n",
    "a default lambda": "def f(x, g=lambda v: v + 1):\n    return g(x)\n",
    "an import that may fail": "try:\n    import math\nfinally:\n    pass\n\n\ndef f(x):\n    return math.sin(x)\n",
    "imports over lines": "from os import (\n    path,\n    sep,\n)\n\n\ndef f(x):\n    return path.join(x)\n",
    "text that looks like an import": 'TEXT = """\nfrom here on, "it is text\n"""\n\n\ndef f(x):\n    return x\n',
    "an import inside": "def f(x):\n    import math\n    return math.sin(x)\n",
    "an import of a lambda": "import math\n\n\ndef f(x):\n    g = lambda y: math.sin(y)\n    return g(x)\n",
    "annotations": "from __future__ import annotations\n\n\ndef f(x: Unknown) -> Unknown:\n    return x\n",
    "a function of its name inside": "def f(x):\n    def f(y):\n        return y\n    return f(x)\n",
    "a chosen one": "if True:\n    def f(x):\n        return x\nelse:\n    def f(x):\n        return -x\n",
    "tabs": "if True:\n\tdef f(x):\n\t\treturn x\n",
    "a comprehension": "def f(x):\n    return [a for a in range(3) if a in (1, 2)] + [x]\n",
    "no ASCII": "def f(x):\n    ä = 'ö'\n    return x  # ü\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_functions_of_all_shapes_are_found(shape: str, tmp_path: Path) -> None:
    f = imported(tmp_path / "shapes.py", SHAPES[shape])
    found = capture(f).definition
    assert [a.arg for a in found.args.args] == list(f.__code__.co_varnames[: f.__code__.co_argcount])
    if shape == "several on one line":
        assert ast.unparse(found) == "lambda x: x + 2"


def test_private_names_of_classes_are_refused(tmp_path: Path) -> None:
    f = imported(tmp_path / "private.py", "class C:\n    __k = 2\n    def f(x):\n        return C.__k\n\n\nf = C.f\n")
    with pytest.raises(NotAnMdhError, match="`__k` is a private name of a class"):
        capture(f)


def test_other_names_with_two_underscores_are_names_like_others() -> None:
    text = "def f(x, _C__k, __n):\n    return x[__n] + _C__k"
    assert ast.unparse(capture(made(text)).definition) == text


def test_where_what_has_no_place_stands() -> None:
    """In the first line, at its beginning; in a function of ours, where it is called."""
    f = made("def f(x):\n    return x\n")
    source, here = capture(f), Loc("file.py", 7, 3)
    assert (source.loc(ast.Load()).line, source.loc(ast.Load()).column) == (1, 0)
    assert source.is_ours is False and source.loc(source.definition).line == 1
    ours = Source(f, source.definition, source.filename, place=here)
    assert ours.is_ours is True and ours.loc(source.definition) is here


def test_a_text_that_ends_before_the_function() -> None:
    f = function_in("\n\n\ndef f(x):\n    return x\n", "<cell of which the end is lost>")
    linecache.cache["<cell of which the end is lost>"] = (1, None, ["\n"], "<cell of which the end is lost>")
    with pytest.raises(NotAnMdhError, match="the source of `f` is not available"):
        capture(f)


@pytest.mark.parametrize("interactive", [False, True])
def test_what_python_was_started_with(interactive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A redirected standard input is the text of the program; where somebody types, it is not."""
    program = tmp_path / "program.py"
    program.write_text(f"def f(x):\n    return x + {1 + interactive}\n")
    monkeypatch.delitem(linecache.cache, "<stdin>", raising=False)
    if interactive:
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    space: dict[str, Any] = {}
    exec(compile(program.read_text(), "<stdin>", "exec", dont_inherit=True), space)
    kept, file = os.dup(0), os.open(program, os.O_RDONLY)
    try:
        os.dup2(file, 0)
        if interactive:
            with pytest.raises(NotAnMdhError, match="the source of `f`"):
                capture(space["f"])
        else:
            assert ast.unparse(capture(space["f"]).definition) == program.read_text().strip()
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(file)
        linecache.cache.pop("<stdin>", None)


def test_a_text_is_parsed_again_where_python_mixes_up_two(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, refused = ast.parse, [SystemError("AST constructor recursion depth mismatch")]

    def mixed_up(text: str) -> ast.Module:
        if refused:
            raise refused.pop()
        return parse(text)

    monkeypatch.setattr(ast, "parse", mixed_up)
    assert isinstance(parsed("x = 1").body[0], ast.Assign) and not refused
