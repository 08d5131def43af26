"""Dimensions that lie behind each other in all arrays are one; a program with joined dimensions means the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.jit.compilation.signature import array_key
from jitmdh.jit.tensor import kernels
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import ArrayParameter, Program, Together, expressions
from jitmdh.mdh.algebra.rewrites.dimensions.joined_dimensions import with_joined_dimensions
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.tensor.check import check as check_formulas
from jitmdh.mdh.frontend.tensor.program import lower
from tests.laws.tensor_programs import Program as Formulas
from tests.laws.tensor_programs import programs


def joined(program: Program, arrays: list[Any]) -> Program:
    """As calls with these arrays are compiled."""
    keys = [array_key(a, True) if isinstance(a, np.ndarray) else None for a in arrays]
    parameters = tuple(
        replace(p, steps=k.steps) if k is not None and isinstance(p, ArrayParameter) else p
        for p, k in zip(program.parameters, keys)
    )
    units = {p.name: k.unit_axis for p, k in zip(parameters, keys) if k is not None}
    made = with_joined_dimensions(replace(program, parameters=parameters), units)
    check(made)
    return made


def dims(assignments: Any, *arrays: Any) -> list[list[str]]:
    """The names of the dimensions of each expression, joined."""
    program = lower(check_formulas([assignments]), "f").program
    return [[d.name for d in e.md_hom.dims] for e in expressions(joined(program, list(arrays)).steps)]


def test_rows_of_results_are_one_row() -> None:
    A, B, C = (mt.Tensor(n, (4, 5, 3)) for n in "ABC")
    arrays = [np.zeros((4, 5, 3)) for _ in range(3)]
    assert dims(C["ijk"] <= A["ijk"] + 2 * B["ijk"], *arrays) == [["ijk"]]
    part = C["ijk"].at(i=slice(1, 3)) <= A["ijk"].at(i=slice(1, 3)) + 2 * B["ijk"].at(i=slice(1, 3))
    assert dims(part, *arrays) == [["ijk"]]


def test_dimensions_stay_apart_that_some_array_has_apart() -> None:
    A, B, C, v = mt.Tensor("A", (4, 5)), mt.Tensor("B", (5, 4)), mt.Tensor("C", (4, 5)), mt.Tensor("v", (5,))
    a, b = np.zeros((4, 5)), np.zeros((5, 4))
    assert dims(C["ij"] <= A["ij"] + B["ji"], a, a, b) == [["i", "j"]]
    assert dims(C["ij"] <= A["ij"] + v["j"], a, a, np.zeros(5)) == [["i", "j"]]
    inner = C["ij"].at(j=slice(1, 4)) <= A["ij"].at(j=slice(1, 4))
    assert dims(inner, a, a) == [["i", "j"]]
    assert dims(C["ij"] <= 2 * A["ij"], np.zeros((4, 6))[:, :5], a) == [["i", "j"]]


def test_sums_are_joined_and_rows_beside_a_product() -> None:
    A, B, s = mt.Tensor("A", (4, 5)), mt.Tensor("B", (4, 5)), mt.Tensor("s", ())
    a = np.zeros((4, 5))
    assert dims(s[""] <= A["ij"] * B["ij"], np.zeros(()), a, a) == [["ij"]]
    D, T, R = mt.Tensor("D", (6, 4)), mt.Tensor("T", (4, 3, 5)), mt.Tensor("R", (6, 3, 5))
    arrays = np.zeros((6, 3, 5)), np.zeros((6, 4)), np.zeros((4, 3, 5))
    assert dims(R["ijk"] <= D["il"] * T["ljk"], *arrays) == [["i", "jk", "l"]]


def test_loops_of_functions_keep_their_names() -> None:
    """Of a picture one stride is known; schedules speak of its loops."""

    @mdh.jit
    def doubled(out: Any, picture: Any) -> None:
        for y in range(picture.shape[0]):
            for x in range(picture.shape[1]):
                for c in range(3):
                    out[y, x, c] = 2 * picture[y, x, c]

    picture = np.random.default_rng(0).random((50, 60, 3))
    text = doubled.inspect(np.zeros_like(picture), picture, stage="lowlevel")
    assert "xc" not in text


def test_elements_on_vector_lanes_are_copied_as_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """What says which elements there are, a guard or a list, leaves the axes of one element alone."""
    monkeypatch.setattr(kernels, "moves_more", lambda *_: False)  # so small an element is not worth its way to lanes
    Q, I = mt.Tensor("Q", (5, 3)), mt.Tensor("I", (5, 3))
    K = mt.Tensor("K", values=np.eye(5)[:, ::-1])
    kernel = mt.kernel("turned", Q["kp"] <= Q["kp"] + K["kl"] * I["lp"])
    numbers = np.random.default_rng(0).integers(-9, 9, (2, 19, 5, 3)).astype(float)
    rows, arrays = np.random.default_rng(1).permutation(19)[:11], {"Q": numbers[0], "I": numbers[1]}
    for batch in (kernel.batched(), kernel.batched(elements=rows)):
        program, (q, i) = batch.lowered.program, numbers.copy()
        made = joined(program, [q, i, *batch.constants])
        copies = [e for s in made.steps if isinstance(s, Together) for e in expressions(s.body) if e.reads[0].guard]
        assert copies and all(len(e.md_hom.dims) == 2 for e in copies)
        run(made, q, i, *batch.constants)
        batch(**arrays)
        np.testing.assert_array_equal(q, arrays["Q"])
        arrays["Q"][...] = numbers[0] = q


@pytest.mark.in_turns(2)
@given(program=programs())
@settings(max_examples=120)
def test_the_joined_program_means_the_same(program: Formulas) -> None:
    """By the interpreter, bit for bit for whole numbers."""
    lowered = lower(program.checked, "program")
    plain, other = program.arrays(), program.arrays()
    constants = list(lowered.constants.values())
    run(lowered.program, *(plain[t.name] for t in lowered.tensors), *constants)
    arrays = [*(other[t.name] for t in lowered.tensors), *constants]
    run(joined(lowered.program, arrays), *arrays)
    for name, array in plain.items():
        np.testing.assert_array_equal(other[name], array, strict=True)


@pytest.mark.parametrize("order", ["rows first", "rows last"])
def test_arrays_in_rows_and_others_have_code_of_their_own(order: str) -> None:
    """One kernel is called with arrays in rows, with parts of larger ones, and with transposed ones."""
    Q, D = mt.Tensor("Q", (7, 9)), mt.Tensor("D", (7, 9))
    kernel = mt.kernel("twice", Q["kp"] <= Q["kp"] + 2 * D["kp"])
    numbers = np.random.default_rng(0).integers(-9, 9, (7, 9)).astype(float)
    wide, turned = np.zeros((7, 12)), np.zeros((9, 7))
    forms = [np.zeros((7, 9)), wide[:, :9], turned.T, np.zeros((7, 9)), wide[:, 3:]]
    for q in forms if order == "rows first" else forms[::-1]:
        for d in (numbers, np.asfortranarray(numbers), np.repeat(numbers, 2, axis=0)[::2]):
            q[:] = 1
            kernel(Q=q, D=d)
            np.testing.assert_array_equal(q, 1 + 2 * numbers)


SHAPES = (15, 19, 6, 4), (5, 1, 7, 40), (40, 50, 1)
"""Short rows, and single elements between axes that are joined."""

FUNCTIONS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x + 2 * y,
    lambda x, y: (x * y).sum(axis=(1, 2)),
    lambda x, y: (x * y).max(axis=-1),
    lambda x, y: np.cumsum(x, axis=1) + y[0],
    lambda x, y: x[1:] * (y[1:] + 1j * x[:-1]),
    lambda x, y: (x * y).argmin(axis=0),
    lambda x, y: (x * y).argmax(axis=1),
)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_functions_of_short_rows(f: Callable[[Any, Any], Any], shape: tuple[int, ...]) -> None:
    """Calls with elements one behind the other, with others of the same extents, and again."""
    random = np.random.default_rng(17)
    x, y = random.random(shape), random.random(shape)
    apart = np.zeros(tuple(2 * n for n in shape))[tuple(slice(None, None, 2) for _ in shape)]
    apart[...] = x
    jitted = mdh.jit(tune="off", cache=False)(f)
    for first, second in ((x, y), (apart, y), (y, x)):
        np.testing.assert_allclose(jitted(first, second), f(first, second), rtol=1e-12)
    assert array_key(x).rows and not array_key(apart).rows


def test_axes_that_no_place_names_are_joined() -> None:
    """The place of an extremum is along another axis."""

    def f(x: Any) -> Any:
        return x.argmin(axis=0)

    x = np.random.default_rng(3).integers(0, 9, (47, 28, 6)).astype(np.float32)
    least = mdh.jit(tune="off", cache=False)(f)
    np.testing.assert_array_equal(least(x), f(x))
    assert "(L1,ij)" in least.config(x)["f"]["part_size"]


def test_extents_that_calls_bring() -> None:
    def f(x: Any, y: Any) -> Any:
        return x.transpose((2, 3, 0, 1)) + y

    x, y = np.ones((9, 10, 11, 12)), np.ones((11, 12, 9, 10))
    jitted = mdh.jit(tune="off", cache=False)(f)
    assert set(jitted.config(x, y)["f"]["part_size"]) & {"(L1,ij)", "(L1,kl)"}
    # A schedule is for the dimensions that it names.
    for mentioned in ({"(L1,kl)": 16}, {"(L1,k)": 3}):
        told = mdh.jit(tune="off", cache=False, schedule={"part_size": mentioned})(f)
        np.testing.assert_array_equal(told(x, y), f(x, y))
        assert told.config(x, y)["f"]["part_size"].items() >= mentioned.items()
