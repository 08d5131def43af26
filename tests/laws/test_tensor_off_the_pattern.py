"""Off the patterns of the tensors that a kernel writes nothing is written: what stands there stays, whatever it is; and
it is no part of any result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.jit.compilation.pipeline import interpret
from jitmdh.jit.tensor import Kernel, in_batch, zeros
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.notation.expr import Tensor, elements
from jitmdh.mdh.frontend.tensor.program import lower
from tests.laws.examples import examples
from tests.laws.tensor_programs import Program, chains
from tests.laws.test_tensor_schedules import run_native
from tests.laws.test_tensor_schedules import small_work_is_shared as small_work_is_shared

GUARD = 1 << 40


def guarded(program: Program) -> list[Tensor]:
    """The results with known zeros, but those that are operands elsewhere: what stands off their patterns is zero."""
    read = {e for a in program.assignments for e in elements([a.value]) if e != a.target}
    outputs = program.checked.outputs
    return [t for t in outputs if t.pattern is not None and not any(e.tensor == t for e in read)]


def arrays_of(program: Program) -> dict[str, Any]:
    """Every array of a call, with numbers where results have known zeros."""
    arrays = program.arrays()
    for tensor in guarded(program):
        assert tensor.pattern is not None
        arrays[tensor.name][~tensor.pattern.mask] = GUARD
    return arrays


def assert_guarded(program: Program, arrays: dict[str, Any]) -> None:
    """What is in the patterns is right, and what is off them as before. arrays: of one element, or of several."""
    expected, own = run(program.checked, program.values), guarded(program)
    for tensor in program.checked.tensors:
        if tensor.name in arrays:
            want = expected[tensor.name]
            if tensor in own and tensor.pattern is not None:
                want = np.where(tensor.pattern.mask, want, GUARD)
            found = arrays[tensor.name]
            np.testing.assert_array_equal(found, np.broadcast_to(want, found.shape), err_msg=tensor.name)


@pytest.mark.in_turns(2)
@given(program=chains(3, np.int64), count=st.sampled_from([None, None, 3]))
@examples(200)
def test_nothing_off_the_pattern_is_written(program: Program, count: int | None) -> None:
    lowered, arrays = lower(program.checked, "program", for_batches=count is not None), arrays_of(program)
    if count is not None:
        lowered = in_batch(lowered, "e", ())
        arrays = {n: np.repeat(a[None], count, axis=0) for n, a in arrays.items()}
    check(lowered.program)
    interpret(lowered.program, (*(arrays[t.name] for t in lowered.tensors), *lowered.constants.values()))
    assert_guarded(program, arrays)


@given(program=chains(3, np.int64), count=st.sampled_from([None, 9]), data=st.data())
@examples(12)
def test_nothing_off_the_pattern_is_written_by_machine_code(
    program: Program, count: int | None, data: st.DataObject
) -> None:
    lowered, arrays = lower(program.checked, "program", for_batches=count is not None), arrays_of(program)
    if count is not None:
        lowered = in_batch(lowered, "e", ())
        arrays = {n: np.repeat(a[None], count, axis=0) for n, a in arrays.items()}
    run_native(lowered, arrays, data)
    assert_guarded(program, arrays)


@given(program=chains(3, np.int64), count=st.sampled_from([0, 1, 9, 64]), blocks=st.booleans())
@examples(8)
def test_nothing_off_the_pattern_is_written_by_batches(program: Program, count: int, blocks: bool) -> None:
    """Elements one after the other or on vector lanes; in arrays, and in blocks of elements."""
    batch = Kernel("program", program.assignments).batched()
    arrays = {n: np.repeat(a[None], count, axis=0) for n, a in arrays_of(program).items()}
    tensors = {t.name: t for t in program.checked.tensors}
    given = {n: zeros(tensors[n], count).pack(a) if blocks else a for n, a in arrays.items()}
    try:
        with mt.trust():
            batch(**given)
    except ArgumentTypeError as error:
        assert "cannot be computed on elements in blocks" in str(error)
        return
    assert_guarded(program, {n: np.asarray(a) for n, a in given.items()})


PATTERNS = {
    "rows": np.arange(12)[:, None] < np.full(5, 4),
    "columns": np.broadcast_to(np.arange(5) % 4 != 1, (12, 5)),
    "lower": np.tri(12, 5, dtype=bool),
    "spots": np.random.default_rng(3).random((12, 5)) < 0.3,
    "one": np.arange(60).reshape(12, 5) == 17,
    "nothing": np.zeros((12, 5), bool),
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("form", ["assigned", "added", "in place", "part"])
def test_patterns_of_results(pattern: str, form: str) -> None:
    """Rows, columns, what no few boxes are; results that are assigned, added to, computed from themselves, or of which
    a part is written."""
    known, numbers = PATTERNS[pattern], np.random.default_rng(5)
    R, A, B = Tensor("R", (12, 5), pattern=known), Tensor("A", (12, 5), pattern=known), Tensor("B", (12, 5))
    product, part = A["ij"] * B["ij"], slice(2, 9)
    statement = {
        "assigned": R["ij"] <= product,
        "added": R["ij"] <= R["ij"] + product,
        "in place": R["ij"] <= R["ij"] * B["ij"] - product * R["ij"],
        "part": R["ij"].at(i=part) <= A["ij"].at(i=part) * B["ij"].at(i=part) + R["ij"].at(i=part),
    }[form]
    kernel = Kernel("result", [statement])
    for count in (None, 3, 16):
        shape = (12, 5) if count is None else (count, 12, 5)
        values = {n: numbers.integers(-3, 4, shape).astype(float) for n in "RAB"}
        inside = {n: np.where(known, values[n], 0) if n != "B" else values[n] for n in values}
        of_one = [{n: a[e] for n, a in inside.items()} for e in range(count)] if count is not None else [inside]
        want = np.stack([run(kernel.program, one)["R"] for one in of_one]).reshape(shape)
        given = {**inside, "R": np.where(known, values["R"], np.nan)}
        function = kernel if count is None else kernel.batched()
        with mt.trust():
            function(**given)
        np.testing.assert_array_equal(given["R"], np.where(known, want, np.nan))


def test_results_are_checked_as_operands_are() -> None:
    """Of one element and of many, in arrays and in blocks, by Python's calls and by native ones."""
    known = np.arange(4)[:, None] < np.full(3, 2)
    R, A, B = (
        Tensor("R", (4, 3), pattern=known),
        Tensor("A", (4, 4), pattern=mt.lower),
        Tensor("B", (4, 3), pattern=known),
    )
    kernel = Kernel("result", [R["ij"] <= B["ij"] * A["ii"]])
    a, b, wrong = np.tril(np.ones((4, 4))), np.where(known, 2.0, 0), np.full((4, 3), -0.0)
    wrong[2, 1] = np.nan
    for _ in range(3):
        with pytest.raises(ArgumentValueError, match=r"R\[2, 1\] is nan, where R has a known zero"):
            kernel(A=a, B=b, R=wrong)
        assert not wrong[:2].any()
        good = np.full((4, 3), -0.0)
        kernel(A=a, B=b, R=good)
        np.testing.assert_array_equal(good, b)
        np.testing.assert_array_equal(kernel(A=a, B=b), b)
    batch, many = kernel.batched(), [np.repeat(x[None], 9, axis=0) for x in (a, b, np.zeros((4, 3)))]
    many[2][7, 3, 0] = 1
    for _ in range(3):
        with pytest.raises(ArgumentValueError, match=r"R\[7, 3, 0\] is 1.0, where R has a known zero"):
            batch(A=many[0], B=many[1], R=many[2])
        with pytest.raises(ArgumentValueError, match=r"R\[7, 3, 0\] is 1.0, where R has a known zero"):
            batch(**{t.name: zeros(t, 9).pack(x) for t, x in zip((A, B, R), many)})
        np.testing.assert_array_equal(batch(A=many[0], B=many[1]), many[1])


def test_results_that_are_left_out_are_zero_off_their_patterns() -> None:
    """Made by Python and by native calls, for one element, many, and members of a family; whatever memory held."""
    known = np.arange(40)[:, None] < np.full(30, 20)
    R, A = Tensor("R", (40, 30), pattern=known), Tensor("A", (40, 30), pattern=known)
    double = Kernel("double", [R["ij"] <= 2 * A["ij"]])
    family = mt.family("times", (2,), lambda m: R["ij"] <= (m + 1) * A["ij"])
    one, many = np.where(known, 3.0, 0), np.repeat(np.where(known, 3.0, 0)[None], 16, axis=0)
    members = np.arange(16) % 2
    batch, chosen = double.batched(), family.batched("e", member=members)
    for _ in range(4):
        for shape in ((40, 30), (16, 40, 30)):
            np.full(shape, np.nan)  # memory that NumPy is going to hand out again
        np.testing.assert_array_equal(double(A=one), 2 * one)
        np.testing.assert_array_equal(batch(A=many), 2 * many)
        np.testing.assert_array_equal(chosen(A=many), many * (members + 1)[:, None, None])
