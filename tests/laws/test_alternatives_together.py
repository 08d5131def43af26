"""Whatever else than the model's choice may be under one loop, a program means the same (S6): what a search tries.

Undecorated Python ≡ the interpreter of the program with each alternative ≡ compiled code of it, whose loads and stores
are all looked at, for arrays between guard pages. No two alternatives are the same, and each is plain data.
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
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.lowering import joins
from jitmdh.mdh.lowering.schedule import parse
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.guard_pages import guarded
from tests.laws.test_merged_computations import arguments, texts
from tests.laws.test_overlapped_tiles import memory_checks
from tests.laws.texts import loaded
from tests.mdh.codegen.native import host

__all__ = ["memory_checks"]


def looked_at(text: str, points: int, at_end: bool) -> int:
    """How many alternatives there are to the model's choice, after each has been looked at."""
    given_arrays = arguments(points)
    want = [a.copy() for a in given_arrays]
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        plain(*want)
        program = traced(plain, tuple(given_arrays))
        sizes = argument_binding.sizes_of(program, tuple(given_arrays))
        chosen = joins.joined(program, sizes, host(), 2, None).joins
        found = joins.alternatives(program, sizes, host(), 2, chosen)
        assert len(set(found)) == len({joins.text(f) for f in found}) == len(found) <= joins.MOST_ALTERNATIVES
        assert chosen not in found
        for alternative in found:
            data: dict[str, Any] = {"together": [join.data() for join in alternative]}
            assert parse(json.loads(json.dumps(data))).together == alternative
            made = joins.joined(program, sizes, host(), 2, alternative)
            assert set(made.joins) == set(alternative)
            check(made.program)
            again = [a.copy() for a in given_arrays]
            interp.run(made.program, *again)
            np.testing.assert_array_equal(again[0], want[0], err_msg=f"{alternative}\n{text}")
            got = [guarded(a, at_end) for a in given_arrays]
            mdh.jit(schedule=data, tune="off", cache=False)(plain)(*got)
            np.testing.assert_array_equal(got[0], want[0], err_msg=f"{alternative}\n{text}")
        return len(found)


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays are looked at as if they were large."""
    monkeypatch.setattr(joins, "is_near", lambda *_: False)


@pytest.mark.usefixtures("memory_checks", "far")
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(24)
@given(text=texts(), points=st.sampled_from((1, 5, 6, 7, 23)), at_end=st.booleans())
def test_alternatives_mean_the_same(text: str, points: int, at_end: bool) -> None:
    looked_at(text, points, at_end)


@pytest.mark.usefixtures("far")
def test_programs_have_several() -> None:
    """Else the law above would say little."""
    lines = ["import numpy as np", "", "def f(y, x):", "    n = x.shape[0]", "    a = np.empty((n, 5))",
             "    b = np.empty((n, 5))"]  # fmt: skip
    for target, value in (("a", "x[i, j] * 2"), ("b", "a[i, j] + 1"), ("y", "b[i, j] * b[i, j]")):
        lines += ["    for i in range(n):", "        for j in range(5):", f"            {target}[i, j] = {value}"]
    text = "\n".join(lines) + "\n"
    assert looked_at(text, 23, True) >= 3
    stencil = text.replace("+ 1", "+ a[i + 1, j]").replace("range(n)", "range(n - 1)").replace("x[i, j] * 2", "x[i, j]")
    stencil = stencil.replace("range(n - 1)", "range(n)", 1)
    assert looked_at(stencil, 23, False) >= 1
