"""Views made of what a program returns: by slices where those say it, else by strides, which nobody may write to."""

import numpy as np

from jitmdh.mdh.algebra.index import Together, ViewReturned
from jitmdh.mdh.algebra.semantics.returned_views import values_of

ZERO, WHOLE = (-1, 0), (-2, 0)


def test_values_are_arrays_views_and_what_is_asked_for_twice_is_one() -> None:
    x = np.arange(12.0).reshape(3, 4)
    end = ViewReturned(0, ((ZERO, ((1, 1),)), ((-3, -1), ((0, -1),))), ((-3, 0), WHOLE))
    row = ViewReturned(0, (((1, 0), ()), (ZERO, ((0, 1),))), ((-3, 0),))
    one, number, two, third = values_of((x, np.int64(2)), (end, 1, row, end))
    assert number == 2 and third is one and one.base is x.base
    np.testing.assert_array_equal(one, x[:, ::-1].T)
    np.testing.assert_array_equal(two, x[2])
    assert values_of((x, 5), (Together((1, Together((0,), "list"))), 1)) == ((5, [x]), 5)
    assert end.shown(("x", "n")) == "(x[i1, x.shape[1] - 1 + -1 * i0] for i0 < x.shape[1], i1 < x.shape[0])"
    assert row.shown(("x", "n")) == "(x[n, i0] for i0 < x.shape[1])"


def test_axes_that_are_split_and_those_that_nothing_runs_along() -> None:
    x = np.arange(6.0)
    split = ViewReturned(0, ((ZERO, ((0, 3), (1, 1))),), ((-1, 2), (-1, 3)))
    repeated = ViewReturned(0, ((ZERO, ((1, 1),)),), ((-1, 4), WHOLE))
    joined = ViewReturned(0, ((ZERO, ((0, 2),)),), ((-1, 3),), then=())
    a, b, c = values_of((x,), (split, repeated, joined))
    np.testing.assert_array_equal(a, x.reshape(2, 3))
    np.testing.assert_array_equal(b, np.broadcast_to(x, (4, 6)))
    np.testing.assert_array_equal(c, x[::2])
    assert np.shares_memory(b, x) and not b.flags.writeable and not np.shares_memory(c, x)
