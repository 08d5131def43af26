"""Computations that are parts of the one element-wise computation that takes them in mean what they mean apart (S6):
products and what stands behind them, statement by statement, in place or through arrays of their own.

Undecorated Python ≡ the interpreter of the program with them inlined ≡ compiled code, whose loads and stores are all
looked at, for arrays between guard pages. Statements are drawn with near misses: of other points, of some points only,
of what is needed once more, of what is written in between.
"""

from __future__ import annotations

import json
import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from jitmdh.mdh.lowering.merges import with_merges, with_single_uses
from jitmdh.mdh.lowering.schedule import parse
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.guard_pages import guarded
from tests.laws.test_overlapped_tiles import memory_checks
from tests.laws.texts import loaded

__all__ = ["memory_checks"]

STATEMENTS = (
    "y[:] = A @ B", "y[:] = A @ B", "y += b", "y *= x", "y[:] = np.maximum(y, 0.0)", "z = np.sqrt(y * y)", "y[:] = z",
    "z = z + b", "z = A @ B", "y[:] = z - y", "y += A @ B", "y -= y.sum(axis=1)[:, None]",
    "y[1:] = y[:-1] + z[1:]", "y[:] = y[:, ::-1]", "y[0] += 1.0", "x[:] = y", "A[:] = y[:, :1]", "y[:] = z.sum(axis=0)",
    "if b[0] > 0.0: z[:] = x + y", "if b[1] > 0.0: y[:] = z", "z *= y",
)  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    body = draw(st.lists(st.sampled_from(STATEMENTS), min_size=2, max_size=5))
    lines = ["z = x - 1.0", *body, draw(st.sampled_from(("y += z", "y[:] = np.minimum(y, 9.0)")))]
    if draw(st.booleans()):
        lines.append(draw(st.sampled_from(("return z", "return y + z"))))
    return "import numpy as np\n\ndef f(y, x, A, B, b):\n" + "\n".join("    " + line for line in lines) + "\n"


def arguments(rows: int) -> list[Any]:
    random = np.random.default_rng(rows)
    shapes = (rows, 5), (rows, 5), (rows, 3), (3, 5), (5,)
    return [random.integers(-4, 5, shape).astype(float) for shape in shapes]


def inlined(text: str) -> tuple[Program, Program]:
    with tempfile.TemporaryDirectory() as folder:
        program = traced(loaded(text, folder), tuple(arguments(4)))
    return program, with_single_uses(program)


@pytest.mark.usefixtures("memory_checks")
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(24)
@given(text=texts(), rows=st.sampled_from((0, 1, 4, 9, 35)), at_end=st.booleans())
def test_parts_of_others_mean_the_same(text: str, rows: int, at_end: bool) -> None:
    given_arrays = arguments(rows)
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        want = [a.copy() for a in given_arrays]
        result = plain(*want)
        program = traced(plain, tuple(given_arrays))
        made = with_single_uses(program)
        check(made)
        native = [guarded(a, at_end) for a in given_arrays]
        runs = [(native, mdh.jit(tune="off", cache=False)(plain)(*native))]
        got = [a.copy() for a in given_arrays]
        try:
            runs.append((got, interp.run(made, *got)))
        except FallbackSignal:  # slices such as [:-1] of no rows, which plain Python serves
            assert rows == 0, text
    for arrays, value in runs:
        for a, b in zip(arrays, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=text)
        if result is not None:
            np.testing.assert_allclose(value, result, rtol=1e-12, err_msg=text)


def test_statements_behind_a_product_are_its_finish() -> None:
    """In place, and through arrays of their own; the caller's arrays are all that is written."""
    for body in (("y[:] = A @ B", "y += b", "y[:] = np.maximum(y, 0.0)"),
                 ("z = A @ B", "z = z + b", "y[:] = np.maximum(z, 0.0)")):  # fmt: skip
        text = "import numpy as np\n\ndef f(y, x, A, B, b):\n" + "\n".join("    " + line for line in body) + "\n"
        before, after = inlined(text)
        (only,) = expressions(after.steps)
        assert len(expressions(before.steps)) == 3 and only.collapsed and only.finish is not None
        assert [a.buffer for a in only.out_view] == ["y"] and not after.allocations
        data = json.loads(json.dumps({"merged": [{"inline": name} for (name,) in after.merged]}))
        assert with_merges(before, parse(data).merged) == after


@pytest.mark.parametrize("body", (
    ("z = A @ B", "y[:] = z * 2.0", "x[:] = z + y"),  # it is needed once more
    ("y[:] = A @ B", "y[1:] = y[1:] + 1.0"),  # some of it stays
    ("y[:] = A @ B", "x[:] = y[:, ::-1]"),  # the caller sees it
    ("z = x.sum(axis=1)", "y[:] = x - z[:, None]"),  # it would be computed for each column
))  # fmt: skip
def test_what_is_needed_elsewhere_stays(body: tuple[str, ...]) -> None:
    text = "import numpy as np\n\ndef f(y, x, A, B, b):\n" + "\n".join("    " + line for line in body) + "\n"
    before, after = inlined(text)
    assert after.steps == before.steps and not after.merged


def test_most_draws_have_parts() -> None:
    """Else the law above would say little."""
    found: list[bool] = []

    @examples(32)
    @given(text=texts())
    def draw(text: str) -> None:
        found.append(bool(inlined(text)[1].merged))

    draw()
    assert sum(found) >= len(found) // 2, f"{sum(found)} of {len(found)}"
