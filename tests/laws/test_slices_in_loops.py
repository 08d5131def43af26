"""Whole-array statements on slices whose bounds move with loops: compiled code ≡ interpreter ≡ undecorated Python.

Arrays that such statements need in between have other lengths in each iteration.
"""

from __future__ import annotations

import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.jit.compilation.signature import prepare
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.examples import examples
from tests.laws.texts import loaded

SLICES = ("[:k]", "[k:]", "[:k + 1]", "[k - 1:]", "[1:k]", "[k:n]", "[:n - k]")
FUNCTIONS = (
    "np.flip({})",
    "{}[::-1]",
    "{}.copy()",
    "np.cumsum({})",
    "np.abs({}) + {}",
    "np.flip({}).copy() + np.max({})",
)
OPERATORS = ("=", "+=", "-=")


@st.composite
def texts(draw: st.DrawFn) -> str:
    body = []
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.sampled_from(SLICES))
        name = draw(st.sampled_from(("x", "y")))
        value = draw(st.sampled_from(FUNCTIONS)).replace("{}", name + at)
        body.append(f"        y{at} {draw(st.sampled_from(OPERATORS))} 0.5 * ({value})")
    bounds = draw(st.sampled_from(("1, n", "1, n - 1", "2, n + 1")))
    inner = "\n".join(body)
    return f"import numpy as np\n\ndef f(y, x):\n    n = x.shape[0]\n    for k in range({bounds}):\n{inner}\n"


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(60)
@given(text=texts(), n=st.sampled_from((1, 2, 5, 9, 17)))
def test_slices_in_loops(text: str, n: int) -> None:
    random = np.random.default_rng(n)
    given_y, x = random.integers(0, 3, n).astype(float), random.integers(0, 3, n).astype(float)
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        compiled = mdh.jit(plain)
        want, got, meant = given_y.copy(), given_y.copy(), given_y.copy()
        try:
            plain(want, x)
        except ValueError:  # shapes that do not fit
            return
        try:
            compiled(got, x)
        except NotAnMdhError:
            return
        np.testing.assert_allclose(got, want, rtol=1e-9, err_msg=text)
        signature = prepare(("y", "x"), (meant, x)).signature
        try:
            interp.run(compiled._pipeline.program(compiled, signature, compiled.options), meant, x)
        except interp.FallbackSignal:
            return
        np.testing.assert_allclose(meant, want, rtol=1e-9, err_msg=text)
