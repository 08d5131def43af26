"""Each function and method that docs/supported.md lists is compiled, and gives NumPy's values, types and shapes."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from docs import generate_supported
from jitmdh.mdh.frontend.arrays import functions as array_functions
from tests.mdh.frontend.arrays.supported_calls import FUNCTIONS, METHODS, arguments
from tests.source_text import function_in

OF_FUNCTIONS, OF_METHODS = ([line for line in text.split("\n") if line] for text in (FUNCTIONS, METHODS))
SPACE = {"np": np, "math": math, "mdh": mdh}


def test_each_function_of_the_page_is_called() -> None:
    listed = {*array_functions.CALLABLE, *generate_supported.composed()}
    called = {re.sub(r"^.*?((np|math|mdh)\.[\w.]+).*$", r"\1", line) for line in OF_FUNCTIONS}
    missing = {generate_supported.short(name) for name in listed} - called
    assert missing == set()


def test_each_method_of_the_page_is_called() -> None:
    listed = {*array_functions.METHODS, *generate_supported.composed_methods()}
    assert {name for name in listed if f".{name}(" not in METHODS} == set()


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("line", [*OF_FUNCTIONS, *OF_METHODS])
def test_supported_call(line: str) -> None:
    name = re.findall(r"np\.[\w.]+", line)
    if name and not _is_there(name[0]):
        pytest.skip(f"NumPy {np.__version__} has no {name[0]}")
    given = {k: v for k, v in arguments().items() if re.search(rf"\b{k}\b", line)}
    *before, result = line.split("; ")
    text = f"def f({', '.join(given)}):\n" + "".join(f"    {s}\n" for s in before) + f"    return {result}\n"
    function = function_in(text, f"<supported {line}>", dict(SPACE))
    want = function(*(v.copy() for v in given.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = mdh.jit(function, tune="off", fallback="error")(*(v.copy() for v in given.values()))
    _same(got, want)


def _is_there(name: str) -> bool:
    found: Any = np
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found is not None


def _same(got: Any, want: Any) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
