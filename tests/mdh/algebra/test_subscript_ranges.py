"""Subscripts that data choose within limits: not looked at where sizes say that they are good, else like any other."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh


def binned(counts, x, n):
    for i in range(x.shape[0]):
        counts[max(min(int(x[i] * n), n - 1), 0)] += 1


def looked_up(y, table, pixels):
    for i in range(pixels.shape[0]):
        y[i] = table[pixels[i]]


def neighbours(y, x, at):
    n = x.shape[0]
    for i in range(at.shape[0]):
        k = min(max(at[i], 0), n - 1)
        y[i] = x[k] + x[k - 1] if at[i] > 0 else x[min(k + 1, n - 1)]


def one_sided(y, x, at):
    for i in range(at.shape[0]):
        y[i] = x[min(at[i], x.shape[0] - 1)]


def wraps_around(y, x, at):
    for i in range(at.shape[0]):
        y[i] = x[max(at[i], 0) + 1]  # of the greatest integer, the next one is negative


def outcome(f, *arguments):
    try:
        f(*arguments)
    except (IndexError, ValueError) as error:
        return IndexError if isinstance(error, IndexError) else ValueError
    return [a.tolist() for a in arguments if isinstance(a, np.ndarray)]


HUGE = 2**63 - 1
NUMBERS = np.array([-7.0, -0.5, 0.0, 0.3, 0.999, 1.0, 17.0])
CASES = [
    (binned, [(np.zeros(n, int), NUMBERS, n) for n in (1, 4, 0)]),
    (binned, [(np.zeros(3, int), NUMBERS, 4), (np.zeros(9, int), NUMBERS, 4), (np.zeros(4, int), NUMBERS * np.nan, 4)]),
    (looked_up, [(np.zeros(3), np.arange(float(n)), np.array([0, 255, 7], np.uint8)) for n in (256, 300, 255, 8)]),
    (looked_up, [(np.zeros(3), np.arange(float(n)), np.array([-128, 127, 7], np.int8)) for n in (128, 127, 256)]),
    (neighbours, [(np.zeros(4), np.arange(5.0), np.array([-9, 0, 4, 99]))]),
    (one_sided, [(np.zeros(3), np.arange(5.0), np.array(at)) for at in ([0, 4, 99], [-5, 1, 2], [-6, 1, 2])]),
    (wraps_around, [(np.zeros(2), np.arange(5.0), np.array(at)) for at in ([0, 3], [0, HUGE], [0, 4])]),
]  # fmt: skip


@pytest.mark.parametrize("f, calls", CASES)
def test_like_python(f, calls):
    compiled = mdh.jit(f)
    for call in calls:
        own = [a.copy() if isinstance(a, np.ndarray) else a for a in call]
        with np.errstate(over="ignore"):
            expected = outcome(f, *own)
        assert outcome(compiled, *[a.copy() if isinstance(a, np.ndarray) else a for a in call]) == expected


@pytest.mark.parametrize("f, call", [(f, calls[0]) for f, calls in CASES[:5]])
def test_good_sizes_are_enough(f, call):
    program = mdh.jit(f).inspect(*call, stage="mdh")
    assert "size range_0" in program or f is looked_up
    lines = mdh.jit(f).inspect(*call, stage="kernel").splitlines()
    decided = [n for n, line in enumerate(lines) if ">= 0" in line and line.strip().startswith("inside")]
    assert decided and all(lines[n + 1].strip().startswith("if (!(inside") for n in decided)
