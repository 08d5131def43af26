"""Each error has a code of its own that is documented and told; docs/error_codes.md is what the tables say today."""

from __future__ import annotations

import ast
import pickle

from docs import generate_error_codes
from jitmdh.base import error_codes, errors


def test_the_page_is_up_to_date() -> None:
    written = generate_error_codes.PAGE.read_text(encoding="utf-8")
    assert written == generate_error_codes.page(), "run python docs/generate_error_codes.py"


def test_each_class_and_each_kind_of_construct_has_a_code_of_its_own() -> None:
    own = [c.code for c in generate_error_codes.classes() if "code" in vars(c)]
    nodes = [n for n in vars(ast).values() if isinstance(n, type) and issubclass(n, (ast.expr, ast.stmt))]
    present = [n for n in nodes if n.__new__ is ast.AST.__new__]  # the others, `ast.Num`, are names of before
    constructs = {error_codes.of_construct(n.__new__(n)) for n in present}
    reasons = {error_codes.CANNOT_BE_READ, error_codes.EXPLICIT}
    assert len(own) == len(set(own)) and not set(own) & (constructs | reasons)
    assert {*own, *constructs, *reasons} == set(error_codes.CODES)


def test_an_example_is_of_its_code() -> None:
    for code, name in generate_error_codes.EXAMPLES.items():
        assert generate_error_codes.raised(f"bad_{name}").code == code


def test_the_first_line_tells_the_code_also_in_another_process() -> None:
    error = errors.NotAnMdhError("first\nsecond", hint="third", code="MDH112")
    copied = pickle.loads(pickle.dumps(error))
    assert str(error) == str(copied) == "first [MDH112]\nsecond\n  hint: third"
    assert copied.code == "MDH112" and errors.BoundsError("out").code == "MDH211"
