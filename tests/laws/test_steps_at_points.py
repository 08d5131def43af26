"""Steps in time as loops at each point (loop interchange): random steps, some of which are about other points, too.

Undecorated Python ≡ the interpreter ≡ compiled code; arrays of lengths around those of vectors, 0 and more steps.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Sequential
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.laws.examples import examples
from tests.mdh.frontend.test_programs import argument_type
from tests.source_text import function_in

OWN = (
    "x[:] = x + y", "y -= 0.5 * x", "x[:] = np.minimum(x, 3.0) * y", "z[:] = x", "x += z", "x[:] = x * 0.5 + c[k]",
    "y[:] = y + k", "x[:] = np.where(x > y, x - 1.0, y)", "t = x - y\n        y[:] = t * t", "x[:] = c[n - 1 - k]",
    "for i in range(len(x)):\n            x[i] = y[i] - x[i]",
    "for i in range(len(x)):\n            if y[i] > 1.0:\n                y[i] *= 0.25",
    "for i in range(len(x)):\n            s = x[i]\n            for _ in range(3): s += y[i] * s\n            y[i] = s",
    "x[:] = abs(x) + y * y", "y[:] = np.maximum(x, y)", "m += x > 1.0", "x[:] = x + m", "b[:] = x > y",
    "h[:] = h * 1j + x", "x[:] = np.where(b, x, y)", "b ^= y > 1.0", "h[:] = y",
)  # fmt: skip
OTHERS = (
    "x[1:] = x[1:] + y[:-1]", "x[:] = x[::-1]", "y[:] = y + x.sum()", "y[0] = x[-1]", "x[:] = x + A[:, k % 2]",
    "for i in range(k, len(x)):\n            x[i] += 1.0", "x[:-1] = y[1:]",
)  # fmt: skip
HEAD = "import numpy as np\ndef f(x, y, z, c, m, b, h, A, n):\n"


def text_of(around: list[str], steps: list[str]) -> str:
    inside = "".join(f"        {s}\n" for s in steps)
    before = "".join(f"    {s}\n" for s in around)
    return f"{HEAD}{before}    for k in range(n):\n{inside}    return x + y\n"


@st.composite
def texts(draw: st.DrawFn) -> str:
    steps = draw(st.lists(st.sampled_from(OWN), min_size=1, max_size=4))
    if draw(st.integers(0, 3)) == 0:
        steps.insert(draw(st.integers(0, len(steps))), draw(st.sampled_from(OTHERS)))
    return text_of(draw(st.sampled_from(([], ["z[:] = 0.5"], ["w = np.zeros(len(x))", "y += w"]))), steps)


def arguments(points: int, n: int) -> list[object]:
    random = np.random.default_rng(points)
    arrays = [random.integers(0, 5, points) * 0.5 for _ in range(3)]
    return [*arrays, random.random(max(1, n)), np.zeros(points, np.int64), arrays[0] > 1.0, 1j * arrays[1],
            random.random((points, 2)), n]  # fmt: skip


def compared(text: str, points: int, n: int, compiled: bool) -> bool:
    """Whether there are no steps left."""
    plain = function_in(text, f"steps at points {hash(text)}")
    theirs, mine, own = (arguments(points, n) for _ in range(3))
    expected = plain(*theirs)
    program = trace(capture(plain), tuple(map(argument_type, mine)))
    results = [(run(program, *mine), mine)]
    if compiled:
        results.append((mdh.jit(plain, tune="off", cache=False)(*own), own))
    for found, arrays in results:
        for a, b in zip((found, *arrays), (expected, *theirs)):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True, err_msg=text)
    return not any(isinstance(step, Sequential) for step in program.steps)


@examples(60)
@given(text=texts(), points=st.sampled_from((1, 7, 33, 200)), n=st.sampled_from((0, 1, 2, 5)), compiled=st.booleans())
def test_steps_keep_their_meaning(text: str, points: int, n: int, compiled: bool) -> None:
    with np.errstate(all="ignore"):
        compared(text, points, n, compiled)


@pytest.mark.in_turns(6)
def test_each_step_by_itself() -> None:
    """Those that are about their own points become loops at these: else the law above would say little."""
    found = Counter[bool]()
    with np.errstate(all="ignore"):
        for step in OWN:
            found[compared(text_of([], [step]), 5, 3, False)] += 1
    assert found[True] >= len(OWN) - 3, found
