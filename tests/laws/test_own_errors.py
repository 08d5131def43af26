"""`raise` and `assert` in compiled functions ≡ plain Python: the exception, its text; calls without one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

ERRORS = {
    "text": "if {wrong}:\n        {indent}raise ValueError('no weight')",
    "none": "if {wrong}:\n        {indent}raise KeyError",
    "several": "if {wrong}:\n        {indent}raise RuntimeError('no weight', 3)",
    "computed": "if {wrong}:\n        {indent}raise ValueError(f'{{n}} of {{x.shape}}')",
    "own": "if {wrong}:\n        {indent}raise Unfit(n)",
    "behind": "if {wrong}:\n        {indent}n = n + 1\n        {indent}raise Unfit(n)",
    "assertion": "assert not ({wrong})",
    "assertion with text": "assert not ({wrong}), 'no weight'",
    "assertion with a computed text": "assert not ({wrong}), f'{{n}} of {{x.shape}}'",
}
WRONG = {
    "sizes": "n > x.shape[0]",
    "other sizes": "n != x.shape[0] or x.shape[0] == 0",
    "one of several": "not (x.shape[0] >= n and n > 0)",
    "data": "x.sum() < 0",
    "both": "n > 0 and x[0] < 0",
}
PROGRAMS = {
    "in front": """
    {error}
    return x * n
""",
    "behind": """
    y = x + n
    {error}
    return y
""",
    "in a function": """
    check(x, n)
    return x * n
""",
    "in a loop": """
    s = 0.0
    for i in range(x.shape[0]):
        {inner}
        s += x[i]
    return s
""",
    "in an ordered loop": """
    s = 0.0
    for i in range(x.shape[0]):
        {inner}
        s = np.sin(s) + x[i]
    return s
""",
    "behind a search": """
    for i in range(x.shape[0]):
        if x[i] > 5.0:
            return i
    {error}
    return -1
""",
    "in an else": """
    if n < 3:
        k = 1
    elif n < 6:
        k = -1
    else:
        raise ValueError('no such n')
    {error}
    return x + k
""",
}


class Unfit(Exception):
    pass


def function_of(error: str, wrong: str, program: str) -> Callable[..., Any]:
    texts = {
        name: ERRORS[error].format(wrong=WRONG[wrong], indent=indent).replace("\n        ", "\n" + around)
        for name, around, indent in (("error", "    ", "    "), ("inner", "        ", "    "))
    }
    text = f"def check(x, n):\n    {texts['error']}\n\n\ndef f(x, n):{PROGRAMS[program].format(**texts)}"
    return of_text(text, f"<{error}, {wrong}, {program}>")


def of_text(text: str, name: str) -> Callable[..., Any]:
    """pytest rewrites what files assert."""
    return function_in(text, name, {"np": np, "Unfit": Unfit})


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), error.args


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("error", ERRORS)
def test_errors_of_the_functions_own(error: str, wrong: str, program: str) -> None:
    function = function_of(error, wrong, program)
    compiled = mdh.jit(cache=False, tune="off")(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n, sign in ((4, 1.0), (4, -1.0), (5, 1.0), (9, 1.0), (0, 1.0), (4, -1.0), (4, 1.0)):
            x = sign * np.arange(1.0, 5.0)
            found, expected = outcome(compiled, x, n), outcome(function, x, n)
            if isinstance(expected, tuple) or isinstance(found, tuple):
                assert found == expected, f"n = {n}"
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=f"n = {n}")
    assert compiled.compiled()


SCALED = """
def f(y, x):
    assert y.shape == x.shape, f"{y.shape} and {x.shape}"
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError("negative")
        y[i] = 2 * x[i]
"""


def test_sizes_are_looked_at_before_anything_is_written() -> None:
    scaled = mdh.jit(cache=False)(of_text(SCALED, "<scaled>"))
    y, x = np.zeros(3), np.ones(4)
    with pytest.raises(AssertionError, match=r"\(3,\) and \(4,\)"):
        scaled(y, x)
    assert not y.any()
    with pytest.raises(ValueError, match="negative") as caught:
        scaled(np.zeros(4), -x)
    assert caught.value.__notes__ == ["raised by the compiled form of <scaled>:6"]
    assert type(caught.value) is ValueError


DELETED = """
def f(x):
    t = x * 2
    s = t.sum()
    del t
    return {}
"""


def test_deleted_names() -> None:
    assert mdh.jit(of_text(DELETED.format("s"), "<deleted>"))(np.ones(3)) == 6.0
    with pytest.raises(mdh.errors.NotAnMdhError, match="`t` has been deleted in line 5"):
        mdh.jit(of_text(DELETED.format("t"), "<read again>"))(np.ones(3))
