"""Which elements a statement means is decided once, before it writes anything, and does not change afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, NotAnMdhError
from tests.fuzz import compare as fuzz
from tests.fuzz import place_programs
from tests.laws.choices import Seeded
from tests.source_text import function_in

OWN = (
    "x[x]", "x[x[::-1]]", "x[(x + 1) % 4]", "x[x[0]:]", "x[x[1]:x[2]]", "x[x[x]]", "x[x[1:]]", "A[A[0]]", "A[A[0, 0]]",
    "A[:, A[0]]", "A[A[0], A[1]]", "A[A[0, 1]][A[1]]", "A[:, A[1, 1]]", "A.T[A[1]]", "A[A[2, 0], 1:]", "x[k[x]]",
)  # fmt: skip
"""Elements that the array itself decides."""
CHANGES = ("{} = 0", "{} = 3", "{} += 1", "{} = {} * 3 % 4", "{} = (5 - {}) % 4")
AROUND = {
    "alone": "{}",
    "under a condition": "if x[0] > 0 and A[0, 1] < 3:\n        {}",
    "in a loop": "for i in range(2):\n        {}\n        x %= 4\n        A %= 4",
    "in order": "i = 0\n    while i < 3:\n        {}\n        x %= 4\n        A %= 4\n        i += 1 + x[0] // 2",
}


def compared(text: str, name: str) -> None:
    """Whether the program and Python agree; a refusal has to leave all as it was."""
    function = function_in(text, name, {"np": np})
    compiled: Callable[..., Any] = mdh.jit(cache=False, tune="off")(function)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        given = [rng.integers(0, 4, shape) for shape in ((4,), (4, 4), (4,))]
        ours, theirs = ([a.copy() for a in given] for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", JitWarning)
            try:
                found, expected = compiled(*ours), function(*theirs)
            except NotAnMdhError:
                theirs, found, expected = given, None, None
        for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, expected)), strict=True):
            np.testing.assert_array_equal(a, b, err_msg=text)
        for a, b in zip(ours, theirs):
            np.testing.assert_array_equal(a, b, err_msg=text)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("own", OWN)
def test_elements_that_an_array_decides_itself(own: str, change: str, around: str) -> None:
    text = f"def f(x, A, k):\n    {AROUND[around].format(change.replace('{}', own))}\n"
    compared(text, f"<{own}, {CHANGES.index(change)}, {around}>")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("at", ("x, x", "x, x % 2", "x, (x + 1) % 3", "A[0], A[0]", "A, A[0]", "A[:, 1], A[1]"))
def test_updates_at_places_that_an_array_decides_itself(at: str, around: str) -> None:
    text = f"def f(x, A, k):\n    {AROUND[around].format(f'np.add.at({at}, 1)')}\n"
    compared(text, f"<at {at}, {around}>")


VIEWS = (
    "x[k[0]:]", "x[:k[1]]", "x[k[0]:k[1] + 2]", "x[k]", "A[k[0]]", "A[k[0], 1:]", "A.T[k[1]]", "A[:, k[0]]", "A[k]",
    "A[k[0]][k[1]:]", "x[::-1][k[2]:]",
)  # fmt: skip
WRITES = ("k[0] = 2", "k[:] = 0", "k[:] = (k + 1) % 4", "for i in range(4):\n        k[i] = 3 - k[i]", "k[k] = 1")
USES = (
    "return r.sum()",
    "r[:] = 7",
    "r += 5",
    "return r * 2",
    "x[:] = 1 + r.sum()",
    "if len(r) > 1:\n        r[1] = 9",
    "return len(r) + 1",
    "return r * 1.0, r.shape[0]",
)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("view", VIEWS)
def test_views_stay_where_they_are(view: str, write: str, use: str) -> None:
    text = f"def f(x, A, k):\n    r = {view}\n    {write}\n    {use}\n"
    compared(text, f"<{view}, {WRITES.index(write)}, {USES.index(use)}>")


@pytest.mark.in_turns(12)
@pytest.mark.parametrize(
    "use", ("return r", "return len(r)", "return r.size + n", "for i in range(n):\n        s += 1")
)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("view", VIEWS)
def test_lengths_stay_what_they_are(view: str, write: str, use: str) -> None:
    text = (
        f"def f(x, A, k):\n    s = 0\n    r = {view} * 2\n    n = len({view})\n    {write}\n    {use}\n    return s\n"
    )
    compared(text, f"<length, {view}, {WRITES.index(write)}, {use}>")
    looped = f"def f(x, A, k):\n    for i in range(2):\n        n = len({view})\n        k[i] = i\n        x[i] = n\n"
    compared(looped, f"<length in a loop, {view}>")


VALUES = (
    "A[x[0]] + 0",
    "A[x]",
    "A[:, x[1]] + 0",
    "x[A[x[0]]]",
    "A[x[0], x]",
    "x[::-1][x[2]] + x",
    "A[x[3]].sum() + x[x]",
)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("target", ("x[:]", "A[x[0]]", "A[:, 0]"))
def test_values_that_come_from_where_the_written_array_says(target: str, value: str, around: str) -> None:
    text = f"def f(x, A, k):\n    {AROUND[around].format(f'{target} = {value}')}\n"
    compared(text, f"<{target} = {value}, {around}>")


CONDITIONS = (
    "k[A[-1, 0]] > 1",
    "k[A[0, 1]] > 1 and A[0, 0] > 0",
    "x[k[x[1]]] < 2",
    "(k[A[0]] > 0).any()",
    "A[1, A[2, 0]] > 1",
)
UNDER = ("A[:] = A.T", "A[:] = 1", "A += 1", "x[:] = x[::-1] % 3", "A[0] = A[2] % 2", "k[:] = A[1]", "A[:, 0] = k[x]")
FORMS = ("if {}:\n        {}", "c = {}\n    if c:\n        {}", "while {}:\n        {}\n        break")


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("write", UNDER)
def test_conditions_are_decided_before_what_they_decide(write: str, condition: str, form: str) -> None:
    """Also where the array that is written only says which element of another one they read."""
    compared(f"def f(x, A, k):\n    {form.format(condition, write)}\n", f"<{condition}, {write}, {form[0]}>")


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("part", range(6))
def test_programs_drawn_from_seeds(part: int) -> None:
    found = []
    for seed in range(part * 20, (part + 1) * 20):
        options = ({"algebra": seed % 4 > 0, "optimised": False, "checked": seed % 4 > 0},)
        verdict = fuzz.compared(replace(place_programs.program(Seeded(f"places {seed}")), options=options))
        found += [f"seed {seed}: {d}" for d in verdict.differences]
    assert not found, "\n".join(found)
