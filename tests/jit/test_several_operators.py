"""States that other compilers get wrong in parallel, or refuse; a different operator in each loop; prefix sums of every
kind. Everything on two threads, with sizes at which the work is shared, against NumPy and Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Expression, expressions
from jitmdh.mdh.codegen.loops.decomposition import core_parts
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type

rng = np.random.default_rng(5)


@pytest.fixture(autouse=True, scope="module")
def two_threads() -> Iterator[None]:
    before, core_parts.WORK_PER_THREAD = core_parts.WORK_PER_THREAD, 64
    threads = mdh.get_num_threads()
    mdh.set_num_threads(2)
    yield
    mdh.set_num_threads(threads)
    core_parts.WORK_PER_THREAD = before


def expressions_of(function: Callable[..., Any], *arguments: Any) -> tuple[Expression, ...]:
    program = trace(capture(getattr(function, "py_func", function)), tuple(map(argument_type, arguments)))
    return expressions(program.steps)


def operators(expression: Expression) -> str:
    return ", ".join(map(str, expression.md_hom.combine))


# ------------------------------------------------------------------------------ right in parallel, where others fail


@mdh.jit
def arg_max(x):
    best, place = np.float32(-np.inf), -1
    for i in range(x.shape[0]):
        if x[i] > best:
            best, place = x[i], i
    return best, place


@mdh.jit
def prefix_sum(x):
    y = np.empty_like(x)
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total
    return y


@mdh.jit
def top_with_payload(x, name):
    best, whose = np.float32(-np.inf), np.int32(-1)
    for i in range(x.shape[0]):
        if x[i] > best:
            best, whose = x[i], name[i]
    return best, whose


@mdh.operator(identity=(1, 0), commutative=False)
def then(f, g):
    """The map x ↦ f₀·x + f₁, then g."""
    return (f[0] * g[0], f[1] * g[0] + g[1])


@mdh.jit
def composed_maps(a, b):
    state = (1, 0)
    for i in range(a.shape[0]):
        state = then(state, (a[i], b[i]))
    return state


@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000, 100_003])
def test_states_that_others_get_wrong(n: int) -> None:
    x = rng.integers(-1000, 1000, n).astype(np.float32)
    name = rng.permutation(n).astype(np.int32)
    if n:
        assert arg_max(x) == (x.max(), np.argmax(x))
        assert top_with_payload(x, name) == (x.max(), name[np.argmax(x)])
    else:
        assert arg_max(x) == (-np.inf, -1)
    whole = rng.integers(-9, 9, n)
    np.testing.assert_array_equal(prefix_sum(whole), np.cumsum(whole))
    a, b = rng.integers(-1, 2, n), rng.integers(-9, 9, n)
    expected = (1, 0)
    for pair in zip(a.tolist(), b.tolist()):
        expected = then(expected, pair)
    assert composed_maps(a, b) == expected


# ----------------------------------------------------------------------------------------- an operator for each loop


def largest_row_sum(x):
    best = -np.inf
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    return best


def largest_row_sum_of_array(x):
    return x.sum(axis=1).max()


def smallest_norm(x, bias):
    best = np.inf
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j] * x[i, j]
        best = min(best, np.sqrt(total) + bias[i])
    return best


def sum_of_largest_of_sums(x):
    total = 0.0
    for i in range(x.shape[0]):
        best = -np.inf
        for j in range(x.shape[1]):
            inner = 0.0
            for k in range(x.shape[2]):
                inner += x[i, j, k]
            best = max(best, inner)
        total += best
    return total


SHAPES = [(0, 3), (3, 0), (1, 1), (1, 20_000), (20_000, 1), (70, 130), (301, 257)]


@pytest.mark.parametrize("shape", SHAPES)
def test_reductions_of_reductions(shape: tuple[int, int]) -> None:
    x, bias = rng.integers(-9, 9, shape).astype(float), rng.integers(0, 9, shape[0]).astype(float)
    sums = x.sum(axis=1)
    assert mdh.jit(largest_row_sum)(x) == max(sums, default=-np.inf)
    if shape[0]:
        assert mdh.jit(largest_row_sum_of_array)(x) == sums.max()
    norms = np.sqrt((x * x).sum(axis=1)) + bias
    assert mdh.jit(smallest_norm)(x, bias) == min(norms, default=np.inf)
    cube = rng.integers(-9, 9, (*shape[:1], 3, shape[1])).astype(float)
    expected = cube.sum(axis=2).max(axis=1).sum() if shape[0] else 0.0
    assert mdh.jit(sum_of_largest_of_sums)(cube) == expected


def test_each_is_one_expression() -> None:
    x, bias, cube = np.ones((3, 4)), np.ones(3), np.ones((2, 3, 4))
    (found,) = expressions_of(largest_row_sum, x)
    assert operators(found) == "•(fmax), •(add)"
    (found,) = expressions_of(largest_row_sum_of_array, x)
    assert operators(found) == "•(maximum), •(add)"
    (found,) = expressions_of(smallest_norm, x, bias)
    assert operators(found) == "•(fmin), •(add)" and found.between[0].inp_view[0].buffer == "bias"
    (found,) = expressions_of(sum_of_largest_of_sums, cube)
    assert operators(found) == "•(add), •(fmax), •(add)"


@mdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


def linkage(score, match, records, known):
    for i in range(records.shape[0]):
        best = (np.float32(-np.inf), -1)
        for j in range(known.shape[0]):
            total = np.float32(0)
            for k in range(known.shape[1]):
                total += np.float32(1) if records[i, k] == known[j, k] else np.float32(-1)
            best = better(best, (total, j))
        score[i] = best[0]
        match[i] = best[1]


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (5, 0, 3), (33, 70, 5), (64, 129, 17)])
def test_record_linkage_over_vectors_is_one_expression(m: int, n: int, k: int) -> None:
    records, known = (rng.integers(0, 3, (s, k)).astype(np.float32) for s in (m, n))
    score, match = np.zeros(m, np.float32), np.zeros(m, np.int64)
    (found,) = expressions_of(linkage, score, match, records, known)
    assert operators(found) == "++, •(better), •(add)"
    mdh.jit(linkage)(score, match, records, known)
    if n == 0:
        assert (score == -np.inf).all() and (match == -1).all()
        return
    totals = np.where(records[:, None] == known, 1, -1).sum(axis=2)
    np.testing.assert_array_equal(match, totals.argmax(axis=1))
    np.testing.assert_array_equal(score, totals.max(axis=1))


# -------------------------------------------------------------------------------------------------------- prefix sums


def largest_box_sum(x):
    total, best = 0.0, -np.inf
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    return best


def boxes(x):
    y = np.empty(x.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total
    return y


def before(x):
    y = np.empty(x.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        y[i] = total
        for j in range(x.shape[1]):
            total += x[i, j]
    return y


def from_the_end(x):
    y = np.empty(x.shape[0])
    total = 0.0
    for i in range(x.shape[0] - 1, -1, -1):
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total
    return y


@pytest.mark.parametrize("shape", SHAPES)
def test_prefix_sums_of_reductions(shape: tuple[int, int]) -> None:
    x = rng.integers(-9, 9, shape).astype(float)
    running = np.cumsum(x.sum(axis=1))
    np.testing.assert_array_equal(mdh.jit(boxes)(x), running)
    np.testing.assert_array_equal(mdh.jit(before)(x), np.concatenate([[0.0], running])[:-1])
    np.testing.assert_array_equal(mdh.jit(from_the_end)(x), np.cumsum(x.sum(axis=1)[::-1])[::-1])
    assert mdh.jit(largest_box_sum)(x) == max(running, default=-np.inf)


def test_box_sums_are_figure_20s_expression() -> None:
    (found,) = expressions_of(boxes, np.ones((3, 4)))
    assert operators(found) == "ps(add), •(add)"
    (found,) = expressions_of(before, np.ones((3, 4)))
    assert operators(found) == "ps(add, exclusive), •(add)"


def several_at_once(x, y, total, top, least):
    t, m, l = 0.0, -np.inf, np.inf
    for i in range(x.shape[0]):
        t += x[i] * y[i]
        m = max(m, x[i])
        l = min(l, y[i])
        total[i] = t
        top[i] = m
        least[i] = l


def rows_and_columns(x):
    return np.cumsum(np.cumsum(x, axis=0), axis=1)


@pytest.mark.parametrize("n", [0, 1, 5, 100, 70_001])
def test_several_prefix_sums_in_one_pass(n: int) -> None:
    x, y = (rng.integers(-9, 9, n).astype(float) for _ in range(2))
    found = [np.zeros(n) for _ in range(3)]
    mdh.jit(several_at_once)(x, y, *found)
    for mine, expected in zip(found, (np.cumsum(x * y), np.maximum.accumulate(x), np.minimum.accumulate(y))):
        np.testing.assert_array_equal(mine, expected)
    assert len(expressions_of(several_at_once, x, y, *found)) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_integral_image(shape: tuple[int, int]) -> None:
    x = rng.integers(-9, 9, shape).astype(float)
    np.testing.assert_array_equal(mdh.jit(rows_and_columns)(x), x.cumsum(axis=0).cumsum(axis=1))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", ["inclusive", "exclusive"])
def test_any_axis_forwards_and_backwards(axis: int, kind: str) -> None:
    """Loops over the axis inside those over the others, in both directions."""
    x = rng.integers(1, 4, (13, 17, 19))
    places = ["i", "j", "k"]
    moved = places[axis]
    for backwards in (False, True):
        loops = [p for p in places if p != moved]
        whole = f"range(x.shape[{axis}] - 1, -1, -1)" if backwards else f"range(x.shape[{axis}])"
        step = ["y[i, j, k] = t", "t *= x[i, j, k]"] if kind == "exclusive" else ["t *= x[i, j, k]", "y[i, j, k] = t"]
        text = ["def f(y, x):"]
        text += [f"{'    ' * (n + 1)}for {p} in range(x.shape[{places.index(p)}]):" for n, p in enumerate(loops)]
        text += ["            t = 1", f"            for {moved} in {whole}:", *("                " + s for s in step)]
        function = defined("\n".join(text) + "\n")
        mine, expected = np.zeros_like(x), np.zeros_like(x)
        mdh.jit(function)(mine, x)
        function(expected, x)
        np.testing.assert_array_equal(mine, expected)


def defined(text: str) -> Callable[..., Any]:
    """The function of a source text, which a compiler for Python source can read."""
    import linecache

    name = f"<{abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    return space["f"]
