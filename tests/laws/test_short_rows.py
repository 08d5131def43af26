"""Short rows that go through several steps a few at a time mean what they mean apart (S6): the first and the last rows
of a block, rows of any length, in arrays between guard pages.

Undecorated Python ≡ the interpreter of the program in blocks ≡ compiled code, whose loads and stores are all looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Together, expressions
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.joins import joined
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowering.schedule import Join, expression_names
from jitmdh.mdh.machine.known import known
from tests.laws.agreement import traced
from tests.laws.guard_pages import guarded
from tests.laws.test_overlapped_tiles import memory_checks

__all__ = ["memory_checks"]


def softmax(y: Any, x: Any) -> None:
    powers = np.exp(x - x.max(axis=1)[:, None])
    y[:] = powers / powers.sum(axis=1)[:, None]


def layer_norm(y: Any, x: Any) -> None:
    mean = x.mean(axis=1)[:, None]
    variance = ((x - mean) ** 2).mean(axis=1)[:, None]
    y[:] = (x - mean) / np.sqrt(variance + 1e-5)


def in_place(y: Any, x: Any) -> None:
    y[:] = x * x
    y /= y.sum(axis=1)[:, None]
    y[:] = np.sqrt(y)


def nearest(y: Any, x: Any) -> None:
    best = x.argmin(axis=1)
    y[:] = x - best[:, None]


def in_blocks(function: Callable[..., None], rows: int, columns: int) -> tuple[Any, tuple[Join, ...]]:
    """The program of such arrays, and all its steps in blocks of four rows."""
    arrays = (np.ones((rows, columns)), np.ones((rows, columns)))
    program = traced(function, arrays)
    names = expression_names(program)[1]
    rows_of = [next(d.name for d in e.md_hom.dims if d.name in e.out_view[0].index[0].names)
               for e in expressions(program.steps)]  # fmt: skip
    return program, (Join(tuple(zip(names, rows_of)), 4),)


@pytest.mark.in_turns(2)
@pytest.mark.usefixtures("memory_checks")
@pytest.mark.parametrize("function", (softmax, layer_norm, in_place, nearest))
def test_blocks_of_rows_mean_the_same(function: Callable[..., None]) -> None:
    random = np.random.default_rng(0)
    joins = in_blocks(function, 8, 8)[1]
    compiled = mdh.jit(schedule={"together": [join.data() for join in joins]}, tune="off", cache=False)(function)
    for rows, columns in ((1, 1), (3, 20), (4, 100), (9, 7), (13, 33)):
        x, wanted = random.random((rows, columns)) + 0.5, np.zeros((rows, columns))
        function(wanted, x)
        program, _ = in_blocks(function, rows, columns)
        made = joined(
            program, argument_binding.sizes_of(program, (wanted, x)), known("zen4", cores=2), 2, joins
        ).program
        check(made)
        assert [type(step) for step in made.steps] == [Together]
        y = np.zeros_like(wanted)
        interp.run(made, y, x)
        np.testing.assert_allclose(y, wanted, rtol=1e-12)
        for at_end in (False, True):
            got = guarded(np.zeros_like(wanted), at_end), guarded(x, at_end)
            compiled(*got)
            np.testing.assert_allclose(got[0], wanted, rtol=1e-12, atol=1e-14)  # sums in another order


@pytest.mark.parametrize(("columns", "dtype"), [(3, "float32"), (7, "float32"), (7, "uint8")])
def test_vectors_are_no_wider_than_rows(columns: int, dtype: str) -> None:
    """Results along a short axis have vectors that it fills, which cost less than wide ones with room left.

    Not so of three columns of bytes, whose products take several instructions each: their lanes are those of the terms.
    """

    def f(x: Any, y: Any) -> Any:
        return np.einsum("aik,akj->aij", x, y)

    random = np.random.default_rng(5)
    x, y = (random.integers(0, 9, shape).astype(dtype) for shape in ((40, 20, 30), (40, 30, columns)))
    jitted = mdh.jit(tune="off", cache=False)(f)
    np.testing.assert_array_equal(jitted(x, y), f(x, y))
    program = traced(f, (x, y))
    facts = problem(prepared(program.steps[0]), argument_binding.sizes_of(program, (x, y)), {"x": 2, "y": 2}, 1)
    reasons = choose(facts, known("sapphire-rapids", cores=1)).reasons
    assert reasons[0] == f"lanes: {max(columns + 1, 16 // x.itemsize)} of {program.steps[0].md_hom.dims[2].name}"


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda x, axis: (x + x).sum(axis=axis),
    "max": lambda x, axis: x.max(axis=axis),
    "argmin": lambda x, axis: x.argmin(axis=axis),
    "mean": lambda x, axis: (x + 3).mean(axis=axis),
}


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("axis", (0, 1))
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ("float32", "float64", "complex64", "int32", "uint8", "float16"))
def test_reductions_along_and_across_short_rows(name: str, dtype: str, axis: int) -> None:
    """Several rows are loaded at once, and sorted in registers: whole tiles, cut ones, arrays that end with a page, and
    calls of the same code with other numbers of rows and, where these are no part of it, other lengths."""
    if dtype == "complex64" and name not in ("sum", "mean"):
        return
    random, reduction = np.random.default_rng(17), REDUCTIONS[name]
    compiled = mdh.jit(tune="off", cache=False)(lambda x: reduction(x, axis))

    def compare(x: Any) -> None:
        exact = reduction(x.astype("complex128" if x.dtype.kind == "c" else "float64"), axis)
        np.testing.assert_allclose(compiled(x), exact, rtol=1e-2 if dtype == "float16" else 1e-5)

    for columns in (2, 3, 5, 8, 13, 27):
        for rows in (1200 // columns, 1201):
            x = random.integers(0, 5, (rows, columns)).astype(dtype)
            if dtype == "complex64":
                x += 1j * random.integers(0, 9, (rows, columns)).astype(np.float32)
            compare(guarded(x, at_end=True))
        for other in (np.repeat(x, 2, axis=1)[:, ::2], np.asfortranarray(x), x[::-1]) if columns == 3 else ():
            compare(other)
