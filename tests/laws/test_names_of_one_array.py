"""A new array under two names is one array: what is written through one of them is read through the other."""

from __future__ import annotations

import itertools
import random
import warnings

import numpy as np
import pytest

import jitmdh as mdh
from tests.days import today
from tests.laws.examples import EXPLORING
from tests.source_text import function_in

NAMED = {
    "several targets": "u = v = {e}",
    "a chain of them": "u = w = v = {e}",
    "arguments": "x = y = {e}\n    u, v = x, y",
    "an argument": "x = {e}\n    u = v = x",
    "one after the other": "u = {e}\n    v = u",
    "in an expression": "v = (u := {e})",
    "a tuple": "p = ({e}, 1)\n    u, v = p[0], p[0]",
    "tuples": "p = q = ({e}, 1)\n    u, v = p[0], q[0]",
    "a helper": "u, v = same({e})",
    "a helper's argument": "u = {e}\n    v = itself(u)",
    "one of two": "u = v = {e} if n > 1 else x",
    "under a condition": "u = v = x * 2\n    if n > 1:\n        u = v = {e}",
    "in a loop": "u = v = x\n    for k in range(n):\n        u = v = {e}",
    "given on": "u = x\n    for v in ({e},):\n        u = v",
    "a part": "v = {e}\n    u = v[:]",
    "turned": "v = {e}\n    u = v[::-1]",
}
NEW = ("x + 1", "np.maximum(x, y.sum())", "np.where(x > 0.5, x, y)", "x[::-1] * 1.0", "np.zeros(4)", "x[at]", "A @ x",
       "A.sum(axis=0)", "np.cumsum(x)", "np.sort(x)", "A[1]", "x.copy()", "-x",
       "np.array([x[0], 2.0, n, 1.0])")  # fmt: skip
WRITTEN = ("pass", "v[0] = 7", "v += 1", "v[:] = y", "u[0] = 7", "u -= y", "v[at] = 5.0",
           "for i in range(4):\n        v[i] = i * u[0]",
           "x[0] = 9", "v[v > 0.5] = 2", "touched(v)")  # fmt: skip
READ = ("u", "u, v", "u.sum() + 2 * v.sum()", "u[0] * 10 + v[0]", "x, u", "(u + v).max()", "u * 2")
PROGRAM = """\
def same(a):
    return a, a


def itself(a):
    return a


def touched(a):
    a[1] = -1


def f(x, y, A, at, n):
    {named}
    {written}
    return {read}
"""
ALL = list(itertools.product(NEW, WRITTEN, READ))
PROGRAMS = 150 if EXPLORING else 4


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("named", NAMED)
def test_what_is_written_through_one_is_read_through_the_other(named: str) -> None:
    for new, written, read in random.Random(f"{named} {today()}").sample(ALL, PROGRAMS):
        text = PROGRAM.format(named=NAMED[named].format(e=new), written=written, read=read)
        function = function_in(text, f"<{named}, {new}, {written}, {read}>", {"np": np})
        compiled = mdh.jit(cache=False, tune="off", fallback="python")(function)
        x, y = np.array([0.25, 1.5, 0.75, -1.0]), np.array([2.0, -0.5, 1.0, 3.0])
        for n in (2, 1):
            given = [[x.copy(), y.copy(), np.outer(x, y), np.array([2, 0, 1, 2])] for _ in range(2)]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", mdh.errors.JitWarning)  # that it runs as plain Python
                found = compiled(*given[0], n)
            expected = function(*given[1], n)
            ours, theirs = (r if isinstance(r, tuple) else (r,) for r in (found, expected))
            for a, b in (*zip(ours, theirs, strict=True), *zip(*given)):
                np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=text)


def added(x, s):
    """Numbers that become arrays, and an array that is written behind that."""
    s *= x
    t = 1.0
    t += x
    t -= s
    x[0] = 50
    t[1] = 9
    return s + 1, t, s


def test_a_number_that_an_array_is_added_to():
    for got, want in zip(mdh.jit(added)(np.arange(3.0), 2.0), added(np.arange(3.0), 2.0), strict=True):
        np.testing.assert_array_equal(got, want)
