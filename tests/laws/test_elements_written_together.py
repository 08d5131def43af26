"""What an assignment writes is computed before it writes anything, as by NumPy; a list of places is an array."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import jitmdh as mdh
from tests.source_text import function_in

STATEMENTS = (
    "A[[0, 3]] = A[[3, 0]]",
    "A[[k, 5 - k]] = A[[5 - k, k]]",
    "A[[0, 3], 1] = A[[3, 0], 1]",
    "A[1, [2, 4]] = A[[0, 5], 3]",
    "A[[0, 1, 2]] += A[[1, 2, 3]]",
    "A[i] = A[j]",
    "A[i] = A[j] + A[i]",
    "A[i, 0] = A[j, 1]",
    "A[:, i] = A[:, j]",
    "A[i] = A[j][:, ::-1]",
    "A[[0, 1]], A[[2, 3]] = A[[2, 3]], A[[0, 1]]",
    "A[i[:2], j[:2]], A[j[:2], i[:2]] = A[j[:2], i[:2]], A[i[:2], j[:2]]",
    "A[0], A[3] = A[3], A[0]",
    "A[0], A[3] = A[3].copy(), A[0] * 2",
    "A[0, 1], A[2, 3] = A[2, 3], A[0, 1]",
    "A[np.arange(6), i] = A[i, np.arange(6)]",
    "A[i] = 0.5 * (A[i] + A[j]).sum(axis=1)[:, None]",
    "A[1:] = A[:-1]",
    "A[i] = A[k, 1]",
    "A[[1, 0], j[:2]] = A[0, k] + A.sum()",
    "np.add.at(A, i[:3], A[k, 2])",
    "A[A > 0.5] = A[k, 0]",
    "A[:, 1:] = A[k, 1]",
    "A[::-1] = A + 1",
    "v = A[:, 0]\n        v[i] = v[j]",
    "w = A[[1, 0]]\n        A[0] = 7\n        A[[1, 2]] = w",
    "places = [4, 2]\n        A[places] = A[[k, 1]] - A[places]",
    "A[[[0, 1], [2, 3]], 0] = A[[[3, 2], [1, 0]], 1]",
)
LOOPS = {
    "once": "for k in range(1):",
    "several times": "for k in range(3):",
    "while": "k = -1\n    while k < 2:\n        k += 1",
}


def function_of(statement: str, loop: str) -> Callable[..., None]:
    text = f"def f(A, i, j):\n    {LOOPS[loop]}\n        {statement}\n"
    name = f"<{statement}, {loop}>"
    return function_in(text, name, {"np": np})


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_is_written_is_what_was_there_before(statement: str, loop: str) -> None:
    r = np.random.default_rng(len(statement))
    expected, i, j = r.random((6, 6)), r.permutation(6), r.permutation(6)
    found = expected.copy()
    function = function_of(statement, loop)
    function(expected, i, j)
    mdh.jit(cache=False, tune="off", fallback="python")(function)(found, i, j)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
