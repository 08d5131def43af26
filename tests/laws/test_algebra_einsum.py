"""Random einsum-like programs: the interpreter against NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.dtype import ScalarType, float32, float64, from_numpy, int32
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.combine import PointWise, cc
from jitmdh.mdh.algebra.expr import Access, Dim, Expression, MdHom
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.scalar import Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.semantics.interp import run
from tests.mdh.algebra.examples import accumulate, add, buffer, op, program

LETTERS = "abcd"


@st.composite
def einsums(draw: st.DrawFn) -> tuple[list[str], str, dict[str, int], ScalarType, int]:
    inputs = draw(st.lists(st.text(LETTERS, max_size=3), min_size=1, max_size=3))
    used = sorted(set("".join(inputs)))
    output = "".join(draw(st.lists(st.sampled_from(used), unique=True))) if used else ""
    extents = {letter: draw(st.sampled_from([0, 1, 2, 3, 5])) for letter in used}
    return inputs, output, extents, draw(st.sampled_from([float32, float64, int32])), draw(st.integers(0, 2**30))


def as_expression(inputs: list[str], output: str, extents: dict[str, int], type: ScalarType) -> Expression:
    """`out[output] += Π inputs`."""
    names = [f"x{n}" for n in range(len(inputs))]
    variables = [Variable(n, type) for n in names]
    result: Scalar = variables[0]
    for variable in variables[1:]:
        result = op("mul", result, variable)
    dims = [Dim(letter, _extent(letter, names, inputs)) for letter in sorted(extents)]
    index = tuple(Affine.of(letter) for letter in output)
    return Expression(
        "einsum",
        (buffer("out", type, len(output)), *(buffer(n, type, len(s)) for n, s in zip(names, inputs))),
        tuple(Access(n, tuple(Affine.of(letter) for letter in s)) for n, s in zip(names, inputs)),
        MdHom(
            tuple(dims),
            ScalarFunction(tuple(variables), (), (result,)),
            tuple(cc if d.name in output else PointWise(add(type)) for d in dims),
        ),
        accumulate("out", type, *index),
        (Access("out", index),),
    )


def _extent(letter: str, names: list[str], inputs: list[str]) -> Affine:
    return next(Affine.of(shape_name(n, s.index(letter))) for n, s in zip(names, inputs) if letter in s)


@given(einsums())
def test_einsum(case: tuple[list[str], str, dict[str, int], ScalarType, int]) -> None:
    inputs, output, extents, type, seed = case
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(-4, 5, [extents[c] for c in s]).astype(type.numpy) for s in inputs]
    out = rng.integers(-4, 5, [extents[c] for c in output]).astype(type.numpy)
    computation = program(as_expression(inputs, output, extents, type))
    check(computation)
    expected = out + np.einsum(f"{','.join(inputs)}->{output}", *arrays)
    run(computation, out, *arrays)
    np.testing.assert_array_equal(out, expected)
    assert from_numpy(out.dtype) == type
