"""Copies for trials: equal, elsewhere, and of the same signature, however scattered the original is."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.jit.compilation.signature import Prepared, array_key, prepare
from jitmdh.jit.execution.replica import layout, replica
from jitmdh.jit.online.shared_call import SharedCall

Array = np.ndarray[Any, Any]


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    """Views of all kinds: steps, backwards, transposed, with axes of one element and of none, broadcast."""
    rank = draw(st.integers(0, 3))
    steps = [draw(st.sampled_from([1, 1, 2, 3, 40, -1, -2])) for _ in range(rank)]
    extents = [draw(st.sampled_from([0, 1, 2, 5, 33]) if rank < 3 else st.integers(1, 4)) for _ in range(rank)]
    whole = np.zeros([max(1, n * abs(s)) for n, s in zip(extents, steps)], draw(st.sampled_from(["f4", "f8", "i2"])))
    whole[...] = np.arange(whole.size).reshape(whole.shape) % 1000
    view = np.asarray(whole[tuple(slice(None, None, s) for s in steps)][tuple(slice(n) for n in extents)])
    if rank and draw(st.booleans()):
        view = view.transpose(draw(st.permutations(range(rank))))
    return np.broadcast_to(view, (3, *view.shape)) if draw(st.integers(0, 9)) == 0 else view


@given(arrays())
def test_a_replica_has_the_same_signature(array: Array) -> None:
    made = replica(array)
    np.testing.assert_array_equal(made, array)
    assert made.dtype == array.dtype and not np.may_share_memory(made, array)
    assert array_key(made) == array_key(array)
    assert layout(array).length <= max(8 * array.nbytes, 2 * array.nbytes) + 4096


@given(st.lists(arrays(), max_size=3), st.booleans())
def test_shared_calls_have_the_same_arguments(given: list[Array], twice: bool) -> None:
    given = [*given, given[0]] if twice and given else given
    prepared = prepare([f"x{n}" for n in range(len(given) + 1)], [*given, 3.5])
    call = SharedCall(prepared)
    found = call.arguments()
    call.close()
    for copy, array in zip(found, prepared.arguments):
        np.testing.assert_array_equal(copy, array)
        if isinstance(array, np.ndarray):
            assert array_key(copy) == array_key(array) and not (copy.size and copy.flags.writeable)
    assert not (twice and given) or found[0] is found[-2]
    assert Prepared(found, prepared.signature).signature == prepare(["x"] * len(found), found).signature


@mdh.jit
def row_sums(w: Array, M: Array) -> None:
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k]


def test_results_that_lie_far_apart_can_be_timed_and_tuned() -> None:
    """Their copies lie closer together, but are no neighbours: other code would be needed for those."""
    w, M = np.zeros(64 * 40)[::40], np.ones((64, 32))
    assert row_sums.explain(w, M).seconds
    assert not row_sums.tune(w, M, evaluations=3, progress=False).wrong
    row_sums(w, M)
    assert (w == 32).all()
