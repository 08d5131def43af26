"""Subscripts that are numbers of an outer loop, read where a condition on data holds ≡ plain Python.

Where it holds nowhere, such a number may be anything; where it does, one out of bounds is an error, as in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

# mypy: disable-error-code="no-untyped-def"


def improved(w, best, done, at):
    for k in range(len(at)):
        u = at[k]
        for v in range(len(best)):
            if not done[v] and w[u, v] < best[v]:
                best[v] = w[u, v]
    return best


def counted(w, best, done, at):
    n = 0
    for k in range(len(at)):
        for v in range(len(best)):
            if done[v] and w[at[k], v] < best[v]:
                n += 1
    return n


def nearest(w, best, done, at):
    """The next row is the place of what has become the least."""
    u = at[0]
    for _ in range(len(best)):
        done[u] = True
        for v in range(len(best)):
            if not done[v] and w[u, v] < best[v]:
                best[v] = w[u, v]
        u = -1
        for v in range(len(best)):
            if not done[v] and (u < 0 or best[v] < best[u]):
                u = v
    return best


def outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    given = [a.copy() for a in arguments]
    try:
        return function(*given), given[1], given[2]
    except IndexError as error:
        return str(error).split("\n")[0]


@pytest.mark.parametrize("size", [1, 7, 24, 51])
@pytest.mark.parametrize("which", ["none", "some", "all"])
@pytest.mark.parametrize("last", [0, -1, "first row", "behind", "before"])
@pytest.mark.parametrize("function", [improved, counted])
@pytest.mark.in_turns(4)
def test_numbers_of_an_outer_loop(function: Any, last: Any, which: str, size: int) -> None:
    random = np.random.default_rng(size)
    w = random.random((size, size)).astype(np.float32 if size == 24 else np.float64)
    there = {"none": 1.0, "some": 0.5, "all": 0.0}[which]
    done = random.random(size) < there
    number = {"behind": size, "before": -size - 1, "first row": -size}.get(last, last)
    at = np.array([size // 2, 0, number, size - 1])
    arguments = w, random.random(size), done, at
    ours, theirs = outcome(mdh.jit(function, tune="off"), arguments), outcome(function, arguments)
    assert isinstance(ours, str) == isinstance(theirs, str)
    if not isinstance(theirs, str):
        np.testing.assert_equal(ours, theirs)


@pytest.mark.parametrize("size", [1, 9, 40])
def test_numbers_that_the_loop_itself_finds(size: int) -> None:
    random = np.random.default_rng(size)
    arguments = random.random((size, size)), np.full(size, np.inf), np.zeros(size, np.bool_), np.array([0])
    np.testing.assert_equal(outcome(mdh.jit(nearest, tune="off"), arguments), outcome(nearest, arguments))


def flipped(s, at, x):
    """As in the Ising model: what is written is chosen by what is there."""
    n = len(s)
    for t in range(len(at)):
        i = at[t]
        change = 2.0 * s[i] * (s[(i + 1) % n] + s[(i - 1) % n])
        if change <= 0 or x[t] < np.exp(-change):
            s[i] = -s[i]
    return s


def beside_whole_arrays(s, at, x):
    for t in range(len(at)):
        w = np.sort(x[t % 3 :: 3])
        if s[at[t]] + w[0] < x[t]:
            s[at[t]] = w.sum() - s[at[t]]
    return s


def exchanged(s, at, x):
    for t in range(len(at) - 1):
        if s[at[t]] < s[at[t + 1]] and x[t] > 0.2:
            s[at[t]], s[at[t + 1]] = s[at[t + 1]], s[at[t]]
        elif x[t] < 0.1:
            s[at[t]] += 1.0
    return s


def read_between(s, at, x):
    y = np.zeros(len(at))
    for t in range(len(at)):
        if s[at[t]] < x[t]:
            y[t] = s[at[t]]
            s[at[t]] = x[t]
            s[(at[t] + 1) % len(s)] += y[t]
    return s, y


def conditions_in_each_other(s, at, x):
    for t in range(len(at)):
        if s[at[t]] < x[t]:
            if s[0] > 0.1:
                s[at[t]] = x[t] - s[2]
            s[1] = 0.5 * s[at[t]]
    return s


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("function", [flipped, beside_whole_arrays, exchanged, read_between, conditions_in_each_other])
def test_elements_that_decide_where_they_are_written(function: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    at = random.integers(-9 if seed else 0, 9, 30)
    arguments = random.random(9), at, random.random(30)
    ours, theirs = (g(*(a.copy() for a in arguments)) for g in (mdh.jit(function, tune="off"), function))
    for mine, own in zip(*((x if isinstance(x, tuple) else (x,)) for x in (ours, theirs))):
        np.testing.assert_allclose(mine, own, rtol=1e-9)
