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
