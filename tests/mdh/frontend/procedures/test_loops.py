"""Data-dependent loops mean what Python makes of them: interpreted, and compiled under several configurations."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Sequential, expressions
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.agreement import traced


def escape_times(out, cr, ci):
    for i in range(len(ci)):
        for j in range(len(cr)):
            x = y = 0.0
            n = 0
            while x * x + y * y <= 4.0 and n < 20:
                x, y = x * x - y * y + cr[j], 2 * x * y + ci[i]
                n += 1
            out[i, j] = n


def escape_times_of_complex_numbers(out, cr, ci):
    for i in range(len(ci)):
        for j in range(len(cr)):
            z, c = 0j, cr[j] + 1j * ci[i]
            for k in range(20):  # noqa: B007
                if abs(z) > 2:
                    break
                z = z * z + c
            out[i, j] = k


def newton(y, x):
    for i, v in enumerate(x):
        r = v
        while abs(r * r - v) > 1e-12 * v:
            r = 0.5 * (r + v / r)
        y[i] = r


def bisection(y, x):
    for i in range(len(y)):
        low, high = 0, len(x)
        while low < high:
            middle = (low + high) // 2
            if x[middle] < y[i]:
                low = middle + 1
            else:
                high = middle
        y[i] = low


def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


def returned_from_two(M, limit):
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            if M[i, j] > limit:
                return i, j
    return -1, -1


def is_sorted(x):
    i = 1
    while i < len(x):
        if x[i - 1] > x[i]:
            return False
        i += 1
    return True


def searched_rows(y, M):
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            if M[i, j] > 0.7:
                y[i] = j
                break
        else:
            y[i] = -1


def insertion_sort(M):
    for row in M:
        for i in range(1, len(row)):
            v, j = row[i], i - 1
            while j >= 0 and row[j] > v:
                row[j + 1] = row[j]
                j -= 1
            row[j + 1] = v


def shell_sort(x):
    gap = len(x) // 2
    while gap > 0:
        for i in range(gap, len(x)):
            v, j = x[i], i
            while j >= gap and x[j - gap] > v:
                x[j] = x[j - gap]
                j -= gap
            x[j] = v
        gap //= 2


def bubble_sort(x):
    for n in range(len(x) - 1, 0, -1):
        swapped = False
        for j in range(n):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
                swapped = True
        if not swapped:
            break


def counted_total(x):
    total = 0
    for v in x:
        n = 0
        while v > 0.1:
            v *= 0.5
            n += 1
        total += n
    return total


def collatz(y):
    for i in range(len(y)):
        n, steps = i + 1, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        y[i] = steps


def skipping(y, x):
    for i in range(len(y)):
        k = 0
        while k < 12:
            k += 1
            if k % 3 == 0:
                continue
            if k > 7 + i:
                break
            y[i] += x[k % len(x)]


def under_a_condition(y, x):
    for i in range(len(y)):
        v = x[i]
        if v > 0.5:
            while v > 0.1:
                v = v / 3
        elif v > 0.2:
            v = -v
        y[i] = v


def kept_variable(y, x):
    for i in range(len(y)):
        for k in range(5):
            if x[i] * k > 1:
                break
        y[i] = k


def inner_sums(y, M):
    for i in range(M.shape[0]):
        best = 0.0
        r = 0
        while r < M.shape[1] and best < 1.5:
            row = 0.0
            for k in range(r + 1):
                row += M[i, k]
            best = max(best, row)
            r += 1
        y[i] = best


def greatest_common_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def divisors(y):
    for i in range(len(y)):
        y[i] = greatest_common_divisor(60, i + 1)


def found(x, v):
    for i in range(len(x)):
        if x[i] == v:
            return i
    return -1


def looked_up(y, x):
    for i in range(len(y)):
        y[i] = found(x, x[(3 * i) % len(x)])


def until_nothing_changes(x):
    changed = True
    rounds = 0
    while changed:
        changed = False
        for i in range(1, len(x)):
            if x[i - 1] > x[i]:
                x[i - 1] = x[i]
                changed = True
        rounds += 1
    return rounds


def typed_late(y, x):
    for i in range(len(y)):
        total = 0
        k = 0
        while total < 1 and k < 9:
            total = total + x[i]
            k += 1
        y[i] = total


def prefix_until(y, x):
    total, n = 0.0, 0
    while n < len(x) and total < 2.0:
        total += x[n]
        y[n] = total
        n += 1
    return n


def random(*shape):
    return np.random.default_rng(7).random(shape)


def fewest_coins(best, values):
    """Each element is found from others that data choose: no vectors, and nothing to look at beforehand."""
    for t in range(1, len(best)):
        for v in values:
            if v <= t and best[t - v] + 1 < best[t]:
                best[t] = best[t - v] + 1


def occurrences(text, pattern, fail):
    """Each iteration goes on from where a search in the one before has ended."""
    k = 0
    count = 0
    for i in range(len(text)):
        while k > 0 and pattern[k] != text[i]:
            k = fail[k - 1]
        if pattern[k] == text[i]:
            k += 1
        if k == len(pattern):
            count += 1
            k = fail[k - 1]
    return count


def longest_window(x, limit):
    total = 0.0
    begin = 0
    best = 0
    for end in range(len(x)):
        total += x[end]
        while total > limit:
            total -= x[begin]
            begin += 1
        best = max(best, end + 1 - begin)
    return best


def warm_roots(y, x):
    z = 1.0
    for i in range(len(x)):
        while abs(z * z - x[i]) > 1e-3:
            z = 0.5 * (z + x[i] / z)
        y[i] = z


PROGRAMS = [
    (occurrences, lambda n, m: (np.arange(9 * n) % 3 % 2, np.array([0, 1, 0, 0]), np.array([0, 0, 1, 1]))),
    (longest_window, lambda n, m: (random(n * m), 1.5)),
    (warm_roots, lambda n, m: (np.zeros(n), random(n) + 0.1)),
    (fewest_coins, lambda n, m: (np.where(np.arange(3 * n + 1) > 0, 99, 0), np.arange(1, 2 * m, 3))),
    (escape_times, lambda n, m: (np.zeros((n, m)), np.linspace(-2, 1, m), np.linspace(-1, 1, n))),
    (escape_times_of_complex_numbers, lambda n, m: (np.zeros((n, m)), np.linspace(-2, 1, m), np.linspace(-1, 1, n))),
    (newton, lambda n, m: (np.zeros(n), random(n) + 0.1)),
    (bisection, lambda n, m: (random(n), np.sort(random(m)))),
    (first_above, lambda n, m: (random(n * m), 0.9)),
    (first_above, lambda n, m: (random(n * m).astype(np.float32), 2.0)),
    (returned_from_two, lambda n, m: (random(n, m), 0.9)),
    (is_sorted, lambda n, m: (random(n),)),
    (is_sorted, lambda n, m: (np.arange(float(n)),)),
    (searched_rows, lambda n, m: (np.zeros(n), random(n, m))),
    (insertion_sort, lambda n, m: (random(n, m),)),
    (shell_sort, lambda n, m: (random(n * m),)),
    (bubble_sort, lambda n, m: (random(n),)),
    (counted_total, lambda n, m: (random(n) * 100,)),
    (collatz, lambda n, m: (np.zeros(n, np.int64),)),
    (skipping, lambda n, m: (np.zeros(n), random(m + 1))),
    (under_a_condition, lambda n, m: (np.zeros(n), random(n))),
    (kept_variable, lambda n, m: (np.zeros(n, np.int32), random(n))),
    (inner_sums, lambda n, m: (np.zeros(n), random(n, m))),
    (divisors, lambda n, m: (np.zeros(n, np.int64),)),
    (looked_up, lambda n, m: (np.zeros(n), random(m + 1))),
    (until_nothing_changes, lambda n, m: (random(n),)),
    (typed_late, lambda n, m: (np.zeros(n), random(n))),
    (prefix_until, lambda n, m: (np.zeros(n), random(n))),
]
IDS = [f"{f.__name__}_{n}" for n, (f, _) in enumerate(PROGRAMS)]


def same(expected, given) -> None:
    for a, b in zip(expected, given, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=IDS)
def test_same_as_python(function, arguments) -> None:
    decorated = mdh.jit(function, tune="off", cache=False)
    program = None
    for n, m in ((5, 7), (1, 1), (9, 3), (0, 4), (17, 16)):
        expected = arguments(n, m)
        interpreted, compiled = copy.deepcopy(expected), copy.deepcopy(expected)
        returned = function(*expected)
        program = program or traced(function, interpreted)
        assert interp.run(program, *interpreted) == returned
        same(expected, interpreted)
        assert decorated(*compiled) == returned
        same(expected, compiled)


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize(
    "function", [escape_times_of_complex_numbers, bisection, insertion_sort, counted_total], ids=lambda f: f.__name__
)
def test_same_on_an_opencl_device(function) -> None:
    arguments = next(make for f, make in PROGRAMS if f is function)
    decorated = mdh.jit(function, target="opencl", tune="off", cache=False)
    for n, m in ((5, 7), (17, 16)):
        expected = arguments(n, m)
        given = copy.deepcopy(expected)
        assert decorated(*given) == function(*expected)
        same(expected, given)


def test_loops_outside_of_a_procedure_stay_parallel() -> None:
    """Also where it writes arrays: rows of its own. Where iterations need each other they are inside."""
    for function, arguments, dims in (
        (escape_times, (np.zeros((3, 4)), np.zeros(4), np.zeros(3)), 2),
        (insertion_sort, (np.zeros((3, 4)),), 1),
        (shell_sort, (np.zeros(3),), 0),
    ):
        program = traced(function, arguments)
        assert not any(isinstance(step, Sequential) for step in program.steps)
        (expression,) = expressions(program.steps)
        assert [str(c) for c in expression.md_hom.combine] == ["++"] * dims
        assert len(expression.procedures) == 1


@pytest.mark.parametrize("function", [escape_times, insertion_sort], ids=lambda f: f.__name__)
def test_tuned_and_explained(function) -> None:
    arguments = next(make for f, make in PROGRAMS if f is function)
    decorated = mdh.jit(function, cache=False)
    decorated.tune(*arguments(9, 20), evaluations=4)
    expected = arguments(9, 20)
    given = copy.deepcopy(expected)
    function(*expected)
    decorated(*given)
    same(expected, given)
    assert function.__name__ in str(decorated.explain(*arguments(9, 20)))


def test_elements_that_are_found_from_others_that_data_choose_are_one_procedure() -> None:
    program = traced(fewest_coins, (np.full(20, 99), np.array([1, 5, 7])))
    (expression,) = expressions(program.steps)
    assert expression.procedures and not expression.md_hom.dims and not expression.indirect
    for function in (mdh.jit(fewest_coins, tune="off", cache=False), fewest_coins):
        with pytest.raises(IndexError):
            function(np.full(20, 99), np.array([1, -30]))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (occurrences, (np.arange(20) % 2, np.array([0, 1]), np.array([0, 0]))),
        (longest_window, (np.ones(9), 2.0)),
        (warm_roots, (np.zeros(9), np.ones(9))),
    ],
)
def test_loops_that_go_on_from_procedures_are_a_part_of_them(function, arguments) -> None:
    program = traced(function, arguments)
    assert len([e for e in expressions(program.steps) if e.procedures]) == 1
    assert not [e for e in expressions(program.steps) if e.md_hom.dims]


def test_what_is_counted_by_a_procedure_is_summed_by_a_reduction() -> None:
    program = traced(counted_total, (np.zeros(3),))
    assert [str(c) for e in expressions(program.steps) for c in e.md_hom.combine] == ["++", "•(add)"]


def test_results_that_nobody_reads_are_not_stored() -> None:
    (expression,) = expressions(traced(escape_times, (np.zeros((3, 4)), np.zeros(4), np.zeros(3))).steps)
    assert [a.buffer for a in expression.out_view] == ["out"]


def beyond(x):
    i = 0
    while x[i] < 5:
        i += 1
    return i


def from_the_end(x):
    i = -1
    while x[i] > 2:
        i -= 1
    return i


def test_subscripts_are_looked_at() -> None:
    decorated = mdh.jit(beyond, cache=False)
    assert decorated(np.arange(9.0)) == 5
    with pytest.raises(IndexError, match="a subscript of x is out of bounds"):
        decorated(np.zeros(9))
    with pytest.raises(IndexError):
        decorated(np.zeros(0))
    assert mdh.jit(from_the_end, cache=False)(np.arange(9.0)) == from_the_end(np.arange(9.0))


def quotients(y, x):
    for i in range(len(x)):
        n = 5
        while n > x[i]:
            n = n - 1
            y[i] += 1 / n


def test_a_fault_ends_the_loop_and_is_raised() -> None:
    decorated = mdh.jit(quotients, cache=False)
    y = np.zeros(20)
    decorated(y, np.ones(20))
    assert np.all(y == 1 / 4 + 1 / 3 + 1 / 2 + 1)
    with pytest.raises(ZeroDivisionError):
        decorated(y, np.full(20, -1.0))
    with pytest.raises(ZeroDivisionError):
        decorated(y, np.r_[np.ones(19), -np.inf])  # else it would never end


def variable_behind(x):
    for i in range(len(x)):
        if x[i] > 0.5:
            break
    return i


def test_a_variable_that_has_no_value() -> None:
    decorated = mdh.jit(variable_behind, cache=False)
    assert decorated(np.array([0.1, 0.7, 0.9])) == 1
    assert decorated(np.zeros(4)) == 3
    with pytest.raises(UnboundLocalError):
        decorated(np.zeros(0))


def test_precision_of_elements() -> None:
    def halved(y, x):
        for i in range(len(x)):
            v = x[i]
            while v > 0.3:
                v = v * 0.7
            y[i] = v

    for type in (np.float32, np.float64):
        x = (random(50) * 10).astype(type)
        expected, y = np.zeros(50, type), np.zeros(50, type)
        halved(expected, x)
        mdh.jit(halved, cache=False)(y, x)
        np.testing.assert_array_equal(expected, y)


def test_an_infinite_loop_of_points_that_do_not_exist() -> None:
    """Lanes behind the last element are in no loop."""

    def logarithm(y, x):
        for i in range(len(x)):
            v, n = x[i], 0
            while v != 1.0:
                v, n = v / 2, n + 1
            y[i] = n

    x = 2.0 ** np.arange(11)
    y = np.zeros(11)
    mdh.jit(logarithm, cache=False)(y, x)
    np.testing.assert_array_equal(y, np.arange(11) * math.log2(2))
