"""A computation without points reads nothing, whatever is copied for it: an array may then be of any shape.

`y[i] += a[i] * b[k]` for no k at all is no reason to read a, and may be called with an a of no element. Bounds of
every load and store are looked at, by the interpreters of kernel IR: as threads of processors, as lanes of warps, and
as blocks of threads that share copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.agreement import Chooser, legal, traced
from tests.laws.examples import examples
from tests.laws.grids import random_blocks
from tests.laws.test_programs import random_configuration
from tests.mdh.codegen.in_grids import InGrids
from tests.mdh.codegen.interpreted import Interpreted


def matmul(c, a, b, n, m, l):
    for i in range(n):
        for j in range(m):
            for k in range(l):
                c[i, j] += a[i, k] * b[k, j]


def outer_sums(c, a, b, n, m, l):
    for i in range(n):
        for j in range(m):
            for k in range(l):
                c[i, j] += a[i, j] * b[k, k]


def windows(c, a, b, n, m, l):
    for i in range(n):
        for j in range(m):
            for k in range(l):
                c[i, j] = max(c[i, j], a[i + k, j] + b[k, l - 1 - k])


def scaled(c, a, b, n, m, l):
    for _k in range(l):
        for i in range(n):
            for j in range(m):
                c[i, j] = a[j, i] * b[j, j]


FUNCTIONS = (matmul, outer_sums, windows, scaled)
LARGE = (8, 4, 12)
SOME = {"n": 8, "m": 4, "l": 4}  # which sizes may be known to be multiples of, as 0 is
EMPTY = [sizes for sizes in product(*((n, 0) for n in LARGE)) if 0 in sizes]


def arguments(n: int, m: int, l: int, read: int = 24) -> tuple[Any, ...]:
    """read: the length of what is read, along each axis."""
    a, b = (np.random.default_rng(k).integers(-3, 3, (read, read)).astype(float) for k in range(2))
    return np.zeros((n, m)), a, b, n, m, l


def calls() -> Iterator[tuple[Any, ...]]:
    yield arguments(*LARGE)
    for read, sizes in enumerate(EMPTY):
        yield arguments(*sizes, read % 2)


def reads_nothing(function: Callable[..., Any], chooser: Chooser, make: Callable[..., Any], **known: Any) -> None:
    program = traced(function, arguments(*LARGE))
    axes: dict[str, int | None] = {"c": 1, "a": 1, "b": 1}
    try:
        code = make(program, legal(axes, chooser), unit_axes=axes, **known)
    except NotAnMdhError:
        return
    for call in calls():
        expected, mine = call[0].copy(), call[0].copy()
        function(expected, *call[1:])
        code(mine, *call[1:])
        np.testing.assert_array_equal(mine, expected, err_msg=f"{call[3:]}, {call[1].shape}")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@given(data=st.data())
@examples(2)
def test_on_processors(function: Callable[..., Any], data: st.DataObject) -> None:
    whole = {"sizes": SOME} if data.draw(st.booleans()) else {}
    reads_nothing(function, random_configuration(data), Interpreted, **whole)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@given(data=st.data())
@examples(2)
def test_in_grids(function: Callable[..., Any], data: st.DataObject) -> None:
    reads_nothing(function, random_blocks(data), InGrids, multiples=data.draw(st.sampled_from([SOME, {}])))


@pytest.mark.parametrize("target", ["cpu", "opencl"])
def test_by_a_schedule(target: str, opencl: Any) -> None:
    """The whole way through the decorator; machine code looks at its accesses."""
    copied = {"matmul": {"input_region": [["a", "(L1,i)", "L2"], ["b", "(L1,i)", "L2"]]}}
    with mdh.config(check_memory=target == "cpu"):
        code = mdh.jit(cache=False, tune="off", target=target, schedule=copied)(matmul)
        for sizes in EMPTY if target == "cpu" else [(8, 0, 1)]:
            c, *read = arguments(*sizes, 1)
            code(c, *read)
            assert not c.any()
