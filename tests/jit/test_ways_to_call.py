"""Arguments by place, by name, by default: a decorated function takes the calls that Python takes, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

PARAMETERS = ("x, y, n", "x, y, n=2", "x, y, *, n", "x, y, *, n=2", "x, /, y, n=2", "x, /, y, *, n", "x, *, y, n=3")
BODY = "    for i in range(x.shape[0]):\n        y[i] = x[i] * n\n"


def calls() -> Iterator[tuple[int, tuple[str, ...]]]:
    """How many arguments are given by place, and which by name."""
    for count in range(5):
        for given in product([False, True], repeat=4):
            yield count, tuple(name for name, one in zip(("x", "y", "n", "m"), given) if one)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_calls_that_python_takes_and_no_others(parameters: str) -> None:
    plain = function_in(f"def f({parameters}):\n{BODY}", f"<called with {parameters}>")
    decorated = mdh.jit(plain)
    x = np.arange(4.0)
    for turn in range(3):  # before there is code, and after
        for count, names in calls():
            results = []
            for f in (plain, decorated):
                y = np.zeros(4)
                values = {"x": x, "y": y, "n": 5, "m": 7}
                try:
                    f(*[values[name] for name in "xynm"[:count]], **{name: values[name] for name in names})
                except TypeError:
                    results.append(None)
                else:
                    results.append(y.tolist())
            assert results[0] == results[1], (turn, count, names)
    assert decorated.stats().fallbacks == 0 and decorated.stats().compiles <= 1
