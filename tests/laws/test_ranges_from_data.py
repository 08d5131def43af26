"""Loops whose bounds are data and numbers of outer loops together, and bounds that are written behind their use.

Law: the decorated function does what the undecorated one does, compiled (`fallback="error"`), whatever the bounds are:
none, increasing, decreasing, the whole array, negative. So it does where they are at the ends of 64 bits, and where
elements that decide them do not exist: there it raises what Python raises, and may run as plain Python.
"""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.agreement import outcome
from tests.laws.texts import loaded

BOUNDS = ([0, 0, 0], [1, 2, 3], [4, 3, 2], [5, 5, 5], [-1, -2, 2], [-1, 5, 1])


def sum_of_rows(x, k):
    total = 0.0
    for i in range(3):
        for j in range(i, k[i]):
            total += x[j]
    return total


def largest_of_rows(x, k):
    y = np.zeros(3)
    for i in range(3):
        for j in range(2 * i, k[i] + i):
            y[i] = max(y[i], x[j])
    return y


def updates_of_rows(x, k):
    for i in range(3):
        for j in range(i, k[i]):
            x[j] += i + 1


def backward_rows(x, k):
    total = 0.0
    for i in range(3):
        for j in range(k[i], i, -1):
            total += x[j] * j
    return total


def rows_written_behind_their_bound(x, k):
    for i in range(2):
        for j in range(i, k[i]):
            x[j] += 1
        k[i + 1] = 2


def halved_bound(x, k):
    for _ in range(2):
        for j in range(k[0]):
            x[j] += 1
        k[0] = k[0] // 2


def slice_behind_its_bound(x, k):
    for _ in range(2):
        r = x[k[1] :]
        k[1] = 1
        r += 1


def sum_behind_its_bound(x, k):
    y = np.zeros(2)
    for i in range(2):
        r = x[: k[1]]
        k[1] = 1
        y[i] = r.sum()
    return y


def element_behind_its_number(x, k):
    for _ in range(2):
        at = k[1]
        k[1] = 1
        x[at] += 1


def triangle_behind_its_bound(x, k):
    for i in range(2):
        r = x[i : k[1]]
        k[1] = i
        r *= 2


def sum_before_its_bound_shrinks(x, k):
    total = 0.0
    for i in range(3):
        for j in range(k[i]):
            total += x[j]
        k[i] -= 1
    return total


def sum_whose_loop_writes_its_bound(x, k):
    total = 0.0
    for i in range(3):
        for j in range(k[i]):
            total += x[j]
            k[i] -= 1
    return total


def largest_whose_loop_writes_other_bounds(x, k):
    largest = x[0]
    for i in range(3):
        for j in range(min(k[i], 3)):
            largest = max(largest, x[j])
            k[j] += 1
    return largest


def updates_whose_loop_writes_bounds(x, k):
    for i in range(3):
        for j in range(min(k[i], 3)):
            x[j] += 1
            k[j] += 1


def updates_from_outer_to_written_bounds(x, k):
    for i in range(3):
        for j in range(i, k[i] % 4):
            x[j] += j
            k[j % 3] += 1


def heads(x, k):
    y = np.zeros(7)
    for i in range(3):
        for j in range(k[i]):
            y[j] += x[i]
    return y


def heads_backwards(x, k):
    y = np.zeros(7)
    for i in range(2, -1, -1):
        for j in range(k[i] // 2):
            y[j] += x[i]
    return y


def decaying_heads(x, k):
    for i in range(3):
        for j in range(k[i]):
            x[j] = x[j] * 0.5 + i


def largest_heads(x, k):
    for i in range(3):
        for j in range(k[i]):
            x[j] = max(x[j], i * 2.0)


FUNCTIONS = (
    sum_of_rows,
    largest_of_rows,
    updates_of_rows,
    backward_rows,
    rows_written_behind_their_bound,
    halved_bound,
    slice_behind_its_bound,
    sum_behind_its_bound,
    element_behind_its_number,
    triangle_behind_its_bound,
    sum_before_its_bound_shrinks,
    sum_whose_loop_writes_its_bound,
    largest_whose_loop_writes_other_bounds,
    updates_whose_loop_writes_bounds,
    updates_from_outer_to_written_bounds,
    heads,
    heads_backwards,
    decaying_heads,
    largest_heads,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_python(function: Callable[..., Any]) -> None:
    compiled = mdh.jit(function, fallback="error")
    for bounds in BOUNDS:
        results = []
        for f in (function, compiled):
            x, k = np.arange(1.0, 8.0), np.array(bounds)
            results.append((f(x, k), x, k))
        (value, x, k), (own, own_x, own_k) = results
        message = f"{function.__name__}, bounds {bounds}"
        np.testing.assert_allclose(own, value, rtol=1e-14, err_msg=message) if value is not None else None
        np.testing.assert_array_equal(own_x, x, err_msg=message)
        np.testing.assert_array_equal(own_k, k, err_msg=message)


# ---------------------------------------------------------------------------------- ends of 64 bits, and no elements


def sum_between(x, lo, hi):
    total = 0.0
    for i in range(3):
        for j in range(lo[i], hi[i]):
            total += x[j]
    return total


def updates_between(x, lo, hi):
    for i in range(3):
        for j in range(lo[i] + i, hi[i]):
            x[j] += 1


def updates_up_to(x, lo, hi):
    for i in range(3):
        for j in range(hi[i]):
            x[j] += lo[0]


def updates_down_from_a_loop(x, lo, hi):
    for i in range(3):
        for j in range(i, -hi[i], 3):
            x[j] += 1


def updates_from_the_bound_to_a_loop(x, lo, hi):
    for i in range(3):
        for j in range(lo[i], i):
            x[j] += 1


def recurrence_between(x, lo, hi):
    for i in range(3):
        for j in range(lo[i], hi[i]):
            x[j] = x[j - 1] + 1


def slices_between(x, lo, hi):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[lo[i] : hi[i]].sum()
    return y


def slices_written_between(x, lo, hi):
    for i in range(3):
        r = x[lo[i] : hi[i]]
        lo[:] = 1
        r += 1


def slices_of_an_order(x, lo, hi):
    for i in range(3):
        x[i] = x[i - 1] + x[-lo[i] : hi[i]].sum()


def slices_of_chosen_bounds(x, lo, hi):
    for i in range(3):
        x[3 : hi[lo[i]]] += 1


def element(x, lo, hi):
    for i in range(3):
        x[hi[i]] += x[lo[i]]


def element_in_order(x, lo, hi):
    for i in range(3):
        x[i] = x[i - 1] + x[hi[i]]


def unused_between(x, lo, hi):
    total = 0.0
    for i in range(3):
        for j in range(lo[i], hi[i]):
            total += x[j + 1] - x[j]
    total = x[0]
    return total


def slices_up_to(x, lo, hi):
    for j in range(hi[1]):
        x[1 : lo[j]] *= 2


def rounds_of_slices(x, lo, hi):
    y = np.zeros(1)
    for j in range(hi[1]):
        for _ in x[lo[j] :]:
            y[0] += 1
    return y


def rows_of_rows(x, lo, hi):
    for i in range(3):
        for j in range(lo[i], hi[i]):
            for q in range(lo[j], hi[j]):
                x[q] += 1


def updates_between_the_ends(x, lo, hi):
    for j in range(lo[1], hi[1]):
        x[1] += j % 3
        if x[1] > 9:
            break


def updates_beside_empty_ranges(x, lo, hi):
    for i in range(3):
        for _ in range(max(lo[i], 0), min(hi[i], 9)):
            x[i] += 1


def updates_down_from_the_ends(x, lo, hi):
    for i in range(3):
        for j in range(hi[i], lo[i], -1):
            x[j] += 1


BETWEEN = (
    updates_between_the_ends,
    updates_beside_empty_ranges,
    updates_down_from_the_ends,
    slices_up_to,
    rounds_of_slices,
    rows_of_rows,
    sum_between,
    updates_between,
    updates_up_to,
    updates_down_from_a_loop,
    updates_from_the_bound_to_a_loop,
    recurrence_between,
    slices_between,
    slices_written_between,
    slices_of_an_order,
    slices_of_chosen_bounds,
    element,
    element_in_order,
    unused_between,
)
ENDS = (
    ([0, 1, 2], [2, 3, 4]),
    ([0, -(2**63), 2], [1, 1, 1]),
    ([0, 3, 1], [0, 1, 2]),
    ([-(2**63), 0, 0], [0, 2**63 - 1, 1]),
    ([0, 0, 2], [1, 7, 2]),
    ([0, 0, 2], [1, 2**63 + 5, 2]),
    ([0, 2**64 - 1, 1], [1, 2, 2]),
    ([0, 1, 2], [2**64 - 1, 2, 2]),
    ([0, 2**64 - 5, 2], [1, 2**64 - 1, 2]),
    ([0, 2**63 - 5, 0], [1, -(2**63), 2]),
    ([0, 2**63, 2], [1, 2**63 + 1, 2]),
    ([0, 2**63 + 5, 2], [1, 2**63 + 5, 2]),
)


@pytest.mark.in_turns(3)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("function", BETWEEN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [np.int64, np.uint64], ids=["int64", "uint64"])
def test_ends_of_64_bits(function: Callable[..., Any], kind: type) -> None:
    compiled = mdh.jit(function)
    limits = np.iinfo(kind)
    for lower, upper in ENDS:
        if min(*lower, *upper) < limits.min or max(*lower, *upper) > limits.max:
            continue
        results: list[object] = []
        for f in (function, compiled):
            x, lo, hi = np.arange(1.0, 8.0), np.array(lower, kind), np.array(upper, kind)
            try:
                results.append((f(x, lo, hi), x, lo, hi))
            except (IndexError, OverflowError) as error:  # NumPy's of a subscript beyond 64 bits
                if "a range begins beyond 64 bits" in str(error):
                    results = results * 2
                    break
                results.append("an element that is not there")
        np.testing.assert_equal(results[1], results[0], err_msg=f"{function.__name__}, from {lower} to {upper}")


def rounds_in_steps(k):
    rounds = 0
    for j in range(k[0], k[1], k[2]):
        rounds += 1 + j % 5
        if rounds > 99:
            break
    return rounds


def rounds_in_known_steps(k):
    rounds = 0
    for j in range(k[0], k[1], 3):
        rounds += j % 7
        if rounds > 99:
            break
    for j in range(k[1], k[0], -(2**62)):
        rounds += j % 7
        if rounds > 99:
            break
    return rounds


M = 2**63


@pytest.mark.parametrize("function", [rounds_in_steps, rounds_in_known_steps], ids=lambda f: f.__name__)
def test_steps_at_the_ends_of_64_bits(function: Callable[..., Any]) -> None:
    compiled = mdh.jit(function, fallback="error")
    for bounds in ([0, M - 1, M // 2], [M - 2, M - 1, 5], [-M, M - 1, M // 2], [-M, M - 1, M - 1], [M - 1, -M, -M],
                   [0, -M, -M // 2], [M - 9, M - 1, 2], [-M + 9, -M, -2], [0, 10, 3], [3, 3, 1]):  # fmt: skip
        assert compiled(np.array(bounds)) == function(np.array(bounds)), bounds


def beside_elements(x, k):
    for j in range(k[0], k[1]):
        if j - k[2] < 1:
            x[1] += 1


def added_to_elements(x, k):
    s = 0
    for j in range(k[0], k[1]):
        s -= j
        k[1] = 0
    return x.astype(np.int32) + s


@pytest.mark.parametrize("function", [beside_elements, added_to_elements], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int8], ids=["int64", "uint64", "int8"])
def test_range_counts_with_numbers_of_python(function: Callable[..., Any], kind: type) -> None:
    compiled = mdh.jit(function)
    for bounds in ([1, 3, 3], [0, 0, 1], [2, 5, 1]):
        results = []
        for f in (function, compiled):
            x, k = np.arange(1.0, 8.0), np.array(bounds, kind)
            with np.errstate(over="ignore"):
                results.append((f(x, k), x, k))
        np.testing.assert_equal(results[1], results[0], err_msg=f"{function.__name__}, bounds {bounds}")
        assert getattr(results[1][0], "dtype", None) == getattr(results[0][0], "dtype", None)


def columns_added(y, A, k):
    for i in range(k.shape[0]):
        for j in range(k[i]):
            y[j] += A[j, i]


def columns_from_the_diagonal(y, A, k):
    for i in range(k.shape[0]):
        for j in range(i, k[i]):
            y[j] = y[j] / 2 + A[j, i]


def diagonal_again_and_again(y, A, k):
    for i in range(k.shape[0]):
        for j in range(i, k[1]):
            A[j, j] += 2


def columns_copied(y, A, k):
    for i in range(k.shape[0]):
        for j in range(k[i]):
            A[j, i] = i - j


def rows_of_columns(y, A, k):
    for i in range(k.shape[0]):
        for j in range(k[i]):
            for q in range(A.shape[1]):
                y[i] += A[j, q] * A[q, i]


COLUMNS = (columns_added, columns_from_the_diagonal, diagonal_again_and_again, columns_copied, rows_of_columns)


@pytest.mark.parametrize("options", [{}, {"deterministic": True}, {"reassociate": False}], ids=str)
@pytest.mark.parametrize("function", COLUMNS, ids=lambda f: f.__name__)
def test_ranges_along_columns(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """What the model chooses is legal (MDH_CHECK), though the innermost loop would go along rows better."""
    compiled = mdh.jit(fallback="error", cache=False, tune="off", **options)(function)
    for n in (2, 3, 9):
        k = np.random.default_rng(n).integers(0, n + 1, n)
        ours, theirs = ([np.arange(1.0, n + 1), np.arange(n * n).reshape(n, n) % 7.0, k.copy()] for _ in range(2))
        compiled(*ours)
        function(*theirs)
        for found, expected in zip(ours, theirs):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@mdh.jit(fallback="error")
def walked(bounds, found):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(bounds[0], bounds[1], bounds[2]):
        found[n] = i
        n += 1
    return n


def test_steps_that_data_decide_at_the_ends_of_64_bits() -> None:
    """As many iterations as Python's, from one end to the other."""
    low, high = -(2**63), 2**63 - 1
    ends = (low, low + 1, -(2**62), -7, 0, 9, 2**62, high - 1, high)
    steps = (low, low + 1, -(2**62), -3, -1, 1, 4, 2**61, 2**62 + 1, high)
    seen = 0
    for start, stop, step in itertools.product(ends, ends, steps):
        wanted = range(start, stop, step)
        if start != stop and (stop > start) == (step > 0) and abs(stop - start) > 20 * abs(step):
            continue
        found = np.zeros(24, np.int64)
        assert walked(np.array([start, stop, step]), found) == len(list(wanted))
        assert found[: len(wanted)].tolist() == list(wanted)
        seen += len(wanted) > 1
    assert seen > 50
    with pytest.raises(ValueError, match="arg 3 must not be zero"):
        walked(np.array([0, 3, 0]), np.zeros(3, np.int64))


@pytest.mark.parametrize("bounds", ("3, 3", "5, 3", "3, 5", "n, n", "n, 0", "out[0], out[0]", "0, 0"))
def test_steps_of_0_are_errors_in_ranges_of_no_numbers_too(bounds: str, tmp_path: Path) -> None:
    """What is written out may say that there is no round before the step is looked at."""
    lines = (
        "def f(out, steps):", "    n = steps.shape[0]", "    total = 0", "    for i in range(n):",
        f"        for j in range({bounds}, steps[i]):", "            total += j", "    out[1] = total",
    )  # fmt: skip
    plain = loaded("\n".join(lines) + "\n", str(tmp_path))
    compiled = mdh.jit(tune="off", cache=False, fallback="error")(plain)
    for steps in ([1, 2, -3], [1, 0, 2], [0], []):
        given = [np.array([4, 0]), np.array(steps, np.int64)]
        want, got = (outcome(f, tuple(a.copy() for a in given)) for f in (plain, compiled))
        assert isinstance(got.error, type(want.error)) and str(want.error or "") in str(got.error or "")
        if want.error is None:
            np.testing.assert_array_equal(got.arrays[0], want.arrays[0])
