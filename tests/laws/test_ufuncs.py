"""`mdh.vectorize` and `mdh.guvectorize` against NumPy's own (generalised) universal functions: types, shapes, memory
order, elements and errors of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as npst
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh

TYPES = ("f8", "f4", "i4", "?")


def add(x, y):
    return x + y


def larger(x, y):
    return x if x > y else y


def less(x, y):
    return x < y


def divided(x, y):
    return x // y, x % y


def signed(x, y):
    return np.copysign(x, y)


def products(A, B):
    return A @ B


def products_into(A, B, C):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            s = A[i, 0] * B[0, j]
            for k in range(1, A.shape[1]):
                s += A[i, k] * B[k, j]
            C[i, j] = s


def decorated() -> tuple[dict[str, tuple[Any, Any]], list[Any]]:
    """Functions of ours and those of NumPy that they must equal."""
    pairs = {
        "add": (mdh.vectorize(identity=0)(add), np.add),
        "larger": (mdh.vectorize(larger), np.maximum),
        "less": (mdh.vectorize(less), np.less),
        "divided": (mdh.vectorize(nout=2)(divided), np.divmod),
        "signed": (mdh.vectorize(types=["ee->e", "ff->f", "dd->d"])(signed), np.copysign),
    }
    types = [f"void({t}[:,:], {t}[:,:], {t}[:,:])" for t in ("i4", "f4", "f8")]
    core = "(n?,k),(k,m?)->(n?,m?)"
    return pairs, [mdh.guvectorize(core)(products), mdh.guvectorize(types, core)(products_into)]


COMPILED = decorated()
with mdh.config(disable_jit=True):
    PLAIN = decorated()  # around the loops, all is the same


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...], types: tuple[str, ...] = TYPES) -> Any:
    """Small numbers, in one of many memory layouts: every element of a larger array, or every second, backwards."""
    dtype = np.dtype(draw(st.sampled_from(types)))
    start = draw(st.integers(1, 9))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from((1, 1, 2, -1))) for _ in shape]
    around = tuple(shape[n] * abs(steps[n]) for n in order)
    base = (np.arange(int(np.prod(around, dtype=int))) * 7 % 11 + start).reshape(around).astype(dtype)
    array = base.transpose(np.argsort(order))[tuple(slice(None, None, s) for s in steps)]
    assert array.shape == shape
    return array if shape or draw(st.booleans()) else array[()].item()


def outcome(call: Callable[[], Any]) -> Any:
    """Results with their types and memory orders, or the class of NumPy's that an error is of."""
    try:
        found = call()
    except (TypeError, ValueError, OverflowError) as error:
        return next(c for c in (TypeError, ValueError, OverflowError) if isinstance(error, c))
    results = found if isinstance(found, tuple) else (found,)
    orders = [[s for s, n in zip(r.strides, r.shape) if n > 1 and r.size] for r in results]
    return [(type(r), r.dtype, r.shape, order, r.tolist()) for r, order in zip(results, orders)]


def calls(data: st.DataObject, pairs: dict[str, tuple[Any, Any]], general: list[Any]) -> None:
    name = data.draw(st.sampled_from(sorted(pairs)))
    ours, numpys = pairs[name]
    shapes = data.draw(npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4)).input_shapes
    types = ("f8", "f4", "i4") if name == "divided" else TYPES
    left, right = (data.draw(arrays(s, types)) for s in shapes[:2])
    if name == "larger":  # in Python, one of them as it is
        left, right = map(np.asarray, (left, right))
    shape, where = np.broadcast_shapes(*shapes[:2]), {}
    if masked := data.draw(st.booleans()):
        shape, where = np.broadcast_shapes(*shapes), {"where": np.asarray(data.draw(arrays(shapes[2], ("?",))))}
    out_type = data.draw(st.sampled_from((*TYPES, "i8"))) if masked or data.draw(st.booleans()) else None

    def called(f: Callable[..., Any]) -> Any:
        if out_type is None:
            return f(left, right, **where)
        outs = tuple(np.full(shape, 3, out_type) for _ in range(numpys.nout))
        return f(left, right, out=outs, **where)

    assert outcome(lambda: called(ours)) == outcome(lambda: called(numpys))


def folds(data: st.DataObject, pairs: dict[str, tuple[Any, Any]], general: list[Any]) -> None:
    ours, numpys = pairs[data.draw(st.sampled_from(("add", "larger")))]
    shape = data.draw(npst.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    array = data.draw(arrays(shape))
    dtype = data.draw(st.sampled_from((array.dtype, np.dtype("f8"))))
    axis = data.draw(st.sampled_from((None, 0, -1, (0,), tuple(range(array.ndim)), 3)))
    options: dict[str, Any] = {"axis": axis, "dtype": dtype, "keepdims": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        options["initial"] = 2
    if data.draw(st.booleans()):
        options["where"] = data.draw(arrays(shape, ("?",)))
    if ours.reorderable or isinstance(axis, int) or array.ndim == 1:  # NumPy has all of its own declared
        assert outcome(lambda: ours.reduce(array, **options)) == outcome(lambda: numpys.reduce(array, **options))
    along = data.draw(st.integers(0, array.ndim - 1))
    parts = [f.accumulate(array, along, dtype=dtype) for f in (ours, numpys)]
    assert parts[0].dtype == parts[1].dtype and np.array_equal(*parts)
    left, right = data.draw(arrays((2, 3))), data.draw(arrays((0,) if 0 in shape else (3,)))
    assert outcome(lambda: ours.outer(left, right)) == outcome(lambda: numpys.outer(left, right))


def general_calls(data: st.DataObject, pairs: dict[str, tuple[Any, Any]], general: list[Any]) -> None:
    ours = data.draw(st.sampled_from(general))
    n, k, m = (data.draw(st.integers(1, 3)) for _ in range(3))
    loops = data.draw(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3)).input_shapes
    wrong = data.draw(st.sampled_from((0, 0, 0, 1)))
    lefts, rights = (loops[0] + (n, k), (k,)), (loops[1] + (k + wrong, m), (k + wrong,))
    shapes = [data.draw(st.sampled_from(s)) for s in (lefts, rights)]
    left, right = (data.draw(arrays(s, ("f8", "f4", "i4"))) for s in shapes)
    options: dict[str, Any] = {}
    if data.draw(st.booleans()) and left.ndim > 1 < right.ndim:
        options["axes"] = [(0, -1), (-2, -1), (-1, -2)]
    elif not wrong and data.draw(st.booleans()):
        out = (left.astype("f8") @ right) * 0
        options["out"] = np.stack([out, out]) if data.draw(st.booleans()) else np.asarray(out)
    ordered = [outcome(lambda f=f: f(left, right, **options)) for f in (ours, np.matmul)]
    if isinstance(ordered[0], list) and isinstance(ordered[1], list):
        ordered = [[(*r[:3], r[4]) for r in results] for results in ordered]  # memory order is left open
    assert ordered[0] == ordered[1]


def check(data: st.DataObject, functions: tuple[dict[str, tuple[Any, Any]], list[Any]]) -> None:
    data.draw(st.sampled_from((calls, folds, general_calls)))(data, *functions)


@settings(max_examples=100)
@given(st.data())
def test_around_plain_loops_all_is_as_with_numpys_functions(data: st.DataObject) -> None:
    check(data, PLAIN)


@settings(max_examples=12)
@given(st.data())
def test_results_are_those_of_numpys_functions(data: st.DataObject) -> None:
    check(data, COMPILED)
