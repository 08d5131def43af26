"""Steps under one loop mean what the loop means: undecorated Python ≡ interpreter ≡ compiled, together and apart.

Programs are loops over elements with local arrays; what points share, stencils over elements and arrays that outlive
the loop are drawn as well, which keep some of the steps apart.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import ScheduleError
from jitmdh.jit.compilation.signature import prepare
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Together
from jitmdh.mdh.algebra.rewrites.neighbours.together import together
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.examples import examples
from tests.laws.texts import loaded

ROWS, COLUMNS = 3, 5
READ = (
    "I[e, i, j]",
    "I[e, i, j] * K[i, j]",
    "Q[e, i, j] + 1",
    "t[i, j]",
    "u[i, j] - t[i, j]",
    "R[e, i]",
    "I[0, i, j]",
    "e",
)
SUMMED = ("I[e, k, j] * K[i, k]", "t[k, j] * S[i, k]", "u[i, k] * K[k, j]", "Q[e, i, k]", "t[i, k] * t[i, k]")
WRITTEN = ("t[i, j]", "t[i, j]", "u[i, j]", "Q[e, i, j]", "P[e, i, j]")
ROW = ("R[e, i]", "r[i]")
STENCIL = ("P[e, i, j] = Q[e - 1, i, j] if e > 0 else 0.0", "Q[e, i, j] += I[e, ROWS - 1 - i, j]", "V[i, j] = t[i, j]")


@st.composite
def texts(draw: st.DrawFn) -> str:
    body = ["t = np.zeros((ROWS, COLUMNS))", "u = np.ones((ROWS, COLUMNS))", "r = np.zeros(ROWS)"]
    for _ in range(draw(st.integers(2, 5))):
        kind = draw(st.sampled_from(("point", "point", "sum", "sum", "row", "other")))
        loops = ["for i in range(ROWS):", "    for j in range(COLUMNS):"]
        if kind == "point":
            sign = draw(st.sampled_from(("=", "+=")))
            loops.append(f"        {draw(st.sampled_from(WRITTEN))} {sign} {draw(st.sampled_from(READ))}")
        elif kind == "sum":
            value, to = draw(st.sampled_from(SUMMED)), draw(st.sampled_from(WRITTEN))
            loops += [
                "        s = 0.0",
                "        for k in range(ROWS):",
                f"            s += {value}",
                f"        {to} = s",
            ]
        elif kind == "row":
            loops = [loops[0], "    s = 0.0", loops[1], f"        s += {draw(st.sampled_from(READ[:5]))}"]
            loops.append(f"    {draw(st.sampled_from(ROW))} = s")
        else:
            loops.append("        " + draw(st.sampled_from(STENCIL)))
        body += loops
    inner = "\n".join("        " + line for line in body)
    head = f"import numpy as np\n\nROWS, COLUMNS = {ROWS}, {COLUMNS}\n\ndef f(Q, P, R, V, I, K, S):\n"
    return f"{head}    for e in range(Q.shape[0]):\n{inner}\n"


def arguments(elements: int) -> list[Any]:
    random = np.random.default_rng(elements)
    shapes = [(elements, ROWS, COLUMNS), (elements, ROWS, COLUMNS), (elements, ROWS), (ROWS, COLUMNS)]
    shapes += [(max(1, elements), ROWS, COLUMNS), (5, 5), (5, 5)]
    return [random.integers(-2, 3, shape).astype(float) for shape in shapes]


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(24)
@given(text=texts(), elements=st.sampled_from((0, 1, 2, 7)))
def test_together_is_the_loop(text: str, elements: int) -> None:
    given_arrays = arguments(elements)
    want = [a.copy() for a in given_arrays]
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        plain(*want)
        for schedule in ({"together": True}, {"together": False}):
            got = [a.copy() for a in given_arrays]
            compiled = mdh.jit(schedule=schedule, tune="off", fallback="python")(plain)
            compiled(*got)
            for a, b in zip(got, want):
                np.testing.assert_array_equal(a, b, err_msg=f"{schedule}\n{text}")
        signature = prepare(tuple("QPRVIKS"), tuple(given_arrays)).signature
        try:
            program = compiled._pipeline.program(compiled, signature, compiled.options)
        except mdh.errors.NotAnMdhError:
            return
    gathered = together(program, lambda *_: True)
    check(gathered)
    got = [a.copy() for a in given_arrays]
    interp.run(gathered, *got)
    for a, b in zip(got, want):
        np.testing.assert_array_equal(a, b, err_msg=f"{gathered}\n{text}")


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(24)
@given(text=texts(), elements=st.sampled_from((1, 2, 7)), data=st.data())
def test_what_a_schedule_puts_under_one_loop_means_the_same(text: str, elements: int, data: st.DataObject) -> None:
    """S6: `compute_at` of neighbours, nests inside transformed; taken apart again it is the schedule before."""
    given_arrays = arguments(elements)
    want = [a.copy() for a in given_arrays]
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        plain(*want)
        try:
            apart = nests = s.build(plain, *given_arrays)
        except mdh.errors.NotAnMdhError:
            return
        if not isinstance(nests, s.Nests):
            return
        for producer, consumer in pairwise(nests):
            dim = data.draw(st.sampled_from(("e", "e", "e", "i")))
            try:
                nests = nests[producer].compute_at(nests[consumer], dim)
            except ScheduleError as error:
                assert error.loc is not None and error.message and error.hint, error
        for name, nest in nests.items():
            if nest.computation.names and data.draw(st.booleans()):
                nests |= {name: nest | s.attempt(s.vectorize(nest.computation.names[-1], 2), s.sequential())}
        got = [a.copy() for a in given_arrays]
        mdh.jit(schedule=nests, tune="off", fallback="python")(plain)(*got)
    for a, b in zip(got, want):
        np.testing.assert_array_equal(a, b, err_msg=f"{nests}\n{text}")
    for join in nests.joined:
        nests = nests.distribute(join.names[0])
    assert nests.joined == () and [*nests] == [*apart]


def test_most_draws_are_together() -> None:
    """Else the law above would say little."""
    found: list[bool] = []

    @examples(24)
    @given(text=texts())
    def draw(text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            compiled = mdh.jit(tune="off")(loaded(text, folder))
            signature = prepare(tuple("QPRVIKS"), tuple(arguments(2))).signature
            try:
                program = compiled._pipeline.program(compiled, signature, compiled.options)
            except mdh.errors.NotAnMdhError:
                return
        found.append(any(isinstance(s, Together) and s.local for s in together(program, lambda *_: True).steps))

    draw()
    assert sum(found) >= 0.5 * len(found) > 0
