"""Loops that lanes go through side by side: what is one number for all of them, and what each has for itself.

Each program is executed for numbers of points around those of lanes; results, arrays and errors are those of Python.
"""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws import uniform_programs
from tests.source_text import function_in


def nearest(y, x, rows):
    for i in range(x.shape[0]):
        best, light = np.inf, 0.0
        for s in range(rows.shape[0]):
            d = rows[s, 2] - (x[i] - rows[s, 0]) ** 2
            if d > 0.0:
                height = rows[s, 1] - np.sqrt(d)
                if height < best:
                    best = height
                    light = max(0.15, d / rows[s, 2])
        y[i] = light


def first_row(y, x, rows):
    for i in range(x.shape[0]):
        s = 0
        while s < rows.shape[0]:
            if rows[s, 0] > x[i]:
                break
            s += 1
        y[i] = s


def row_after_a_search(y, x, rows):
    for i in range(x.shape[0]):
        k = 0
        for s in range(rows.shape[0]):
            k = s
            if rows[s, 1] > x[i]:
                break
        y[i] = rows[k, 2] + k


def steps_of_two_counters(y, x, rows):
    for i in range(x.shape[0]):
        a, b, total = 0, rows.shape[0] - 1, 0.0
        while a < b and total < x[i]:
            total += rows[a, 0] * rows[b, 1]
            a += 1
            b -= 1
        y[i] = total + a - b


def loops_in_each_other(y, x, rows):
    for i in range(x.shape[0]):
        total = x[i]
        for s in range(rows.shape[0]):
            for k in range(rows.shape[1]):
                if total < 2.0:
                    total = total * 1.25 + rows[s, k]
                else:
                    total = total - 1.0
        y[i] = total


def inner_loops_that_lanes_leave(y, x, rows):
    for i in range(x.shape[0]):
        count = 0
        for s in range(rows.shape[0]):
            v = x[i] + rows[s, 0]
            k = 0
            while v < 2.0 and k < 5:
                v = v * 1.5 + rows[s, k % 3]
                k += 1
            count += k * (s + 1)
        y[i] = count


def read_under_a_condition(y, x, rows):
    for i in range(x.shape[0]):
        total, last = 0.0, 7.0
        for s in range(rows.shape[0]):
            if x[i] > rows[s, 0]:
                last = rows[s, 1]
            total = total * 0.5 + last
        y[i] = total


def rows_of_its_own_begin(y, x, rows):
    for i in range(x.shape[0]):
        s, total = i % rows.shape[0], 0.0
        while s < rows.shape[0] and total < 1.0:
            total = total * 0.75 + rows[s, 0]
            s += 1
        y[i] = total


def outside_in_some_round(y, x, rows):
    for i in range(x.shape[0]):
        s, total = 0, 0.0
        while total < x[i] * 3.0:
            total += 0.3 + rows[s, 0]
            s += 1
        y[i] = total


def outside_where_few_go(y, x, rows):
    for i in range(x.shape[0]):
        total = 0.0
        for s in range(rows.shape[0] + 1):
            if x[i] > 0.9 or s < rows.shape[0]:
                total = total * 0.5 + rows[s, 0]
        y[i] = total


def error_of_some(y, x, rows):
    for i in range(x.shape[0]):
        total = 0.0
        for s in range(rows.shape[0]):
            total = total * 0.5 + math.sqrt(x[i] - 0.5 * rows[s, 1] * rows[s, 2])
        y[i] = total


PROGRAMS = (
    nearest, first_row, row_after_a_search, steps_of_two_counters, loops_in_each_other, inner_loops_that_lanes_leave,
    read_under_a_condition, rows_of_its_own_begin, outside_in_some_round, outside_where_few_go, error_of_some,
)  # fmt: skip


def result(function, arguments):
    arguments = copy.deepcopy(arguments)
    try:
        function(*arguments)
    except (IndexError, ValueError) as error:
        return next(kind for kind in (IndexError, ValueError) if isinstance(error, kind))
    return arguments[0].tolist()


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("type", [np.float64, np.float32])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_as_python(program, type: type) -> None:
    compiled = mdh.jit(tune="off", fallback="error")(program)
    random = np.random.default_rng(3)
    for n in (1, 2, 7, 8, 9, 16, 33, 64, 100):
        for count in (0, 1, 2, 5, 9):
            rows = random.random((count, 3)).astype(type) if n % 3 else random.random((3, count)).astype(type).T
            given = np.zeros(n, type), random.random(n).astype(type), rows
            if count == 0 and program in (row_after_a_search, rows_of_its_own_begin):
                continue  # a row that is not there, or a remainder by 0 that Python warns of
            assert result(compiled, given) == result(program, given), (n, count)
    assert compiled.stats().fallbacks == 0


def test_a_counter_is_one_number() -> None:
    given = np.zeros(64), np.random.default_rng(1).random(64), np.ones((9, 3))
    kernel = mdh.jit(tune="off")(nearest).inspect(*given, stage="kernel")
    assert "while (any(active))" in kernel and "long s = 0" in kernel and "gather" not in kernel


# What four names stand for in a round: a number of each point (`x[i]`) or one for all (`s`), unlike before the loop.
NAMES = "a, b, c, d = {of_all}, x[i], s + 0.5, x[i] * a - d"
LOOPS = {
    "for": """
        for s in range(n):
            {names}""",
    "while": """
        s = 1
        while s < n:
            {names}
            s *= 2""",
    "one name": """
        s = 0
        while s < n:
            {names}
            s += 2
        t = 1
        while t < n:
            s = 0
            while s < n:
                {names}
                s += 2 * t
            t *= 2""",
    "for and while": """
        for s in range(n):
            {names}
        while s > 0:
            {names}
            s //= 2
        for s in range(n):
            {names}""",
    "another type": """
        s = 8.0
        while s > n:
            {names}
            s /= 2
        s = int(x[i] * 4)
        while s < n:
            {names}
            s += 1
        s = x[i]
        for _ in range(n):
            {names}
            s = 2.0""",
    "left by all": """
        for s in range(2 * n):
            if s == n:
                break
            {names}""",
    "left by all in the end": """
        s = 0
        while True:
            {names}
            s += 1
            if s >= n:
                break""",
    "left by some": """
        for s in range(n):
            {names}
            if s > 4 * x[i]:
                break""",
    "some go in": """
        s = 3
        if x[i] > 0.5:
            while s < n:
                {names}
                s += 1
        else:
            for s in range(n):
                {names}""",
    "all go in": """
        s = 3
        if n > 2:
            while s > 0:
                {names}
                s -= 1
        else:
            for s in range(n):
                {names}""",
    "some in each other": """
        for r in range(n):
            s = r
            if x[i] > 0.5:
                while s < n:
                    {names}
                    s += 1
            a = float(r)""",
}


@pytest.mark.parametrize("form", LOOPS)
def test_names_that_differ_at_first_or_later(form: str) -> None:
    loop = LOOPS[form]
    text = f"""
def f(y, x, n):
    for i in range(len(x)):
        a, b, c, d = x[i], 2.0, 3.0, x[i]
        s = 0{loop.format(names=NAMES.format(of_all="s * 0.25"))}
        y[i] = a + 10 * b + 100 * c + 1000 * d + 10000 * s
"""
    program = function_in(text, f"<{form}>", {})
    compiled = mdh.jit(tune="off", fallback="error", cache=False)(program)
    x = np.random.default_rng(5).random(21)
    for n in (1, 2, 5):
        assert result(compiled, (np.zeros(21), x, n)) == result(program, (np.zeros(21), x, n)), n


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("seed", range(24))
def test_random_loops(seed: int) -> None:
    text = uniform_programs.program(seed)
    program = function_in(text, f"<uniform {seed}>", {})
    compiled = mdh.jit(tune="off", fallback="error", cache=False)(program)
    x = np.random.default_rng(seed).random(19)
    for n in (1, 2, 4):
        expected, found = np.zeros(19), np.zeros(19)
        program(expected, x, n)
        compiled(found, x, n)
        np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=text)
