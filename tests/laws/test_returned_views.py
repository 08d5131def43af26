"""A view that a function returns is the one that it returns undecorated: same memory, same strides, as writable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.texts import loaded

EXPRESSIONS = {
    1: (
        "x[1:]", "x[:-1]", "x[::2]", "x[::-1]", "x[-3:0:-2]", "x[:n]", "x[n:]", "x[n:n + 2]", "x[:, None]",
        "x[None, 1:]", "np.flip(x)", "x.reshape(2, -1)", "x.reshape(-1, 2, 1)", "x.reshape(2, 3).T", "x.ravel()",
        "x[::2].ravel()", "x.reshape(-1)", "np.expand_dims(x, 0)", "x[2:][1:]", "x[::-1][::-2]", "x[3:3]",
        "((x * 2,),)", "((x[1:], x.sum()), [x])", "[x + 1, (x, x.max())]", "(np.split(x, 2), (x[0],))",
        "(x, x[1:])", "[x[1:], x.sum()]", "(x[1:], x[1:] + 1)", "x.copy()", "x + 0", "x.astype(x.dtype)",
        "np.atleast_1d(x)", "np.array(x)", "x[[0, 2]]", "x[x > 1]", "np.roll(x, 1)", "np.split(x, 2)",
        "x.flatten()", "np.diff(x)",
    ),
    2: (
        "x.T", "x[1]", "x[-1]", "x[n]", "x[:, n]", "x[:, 1:]", "x[::2, ::-1]", "x.T[1:]", "x[1:].T",
        "np.transpose(x)", "x[n, 1:]", "x.swapaxes(0, 1)", "np.moveaxis(x, 0, 1)", "np.fliplr(x)", "np.flipud(x)",
        "np.rot90(x)",
        "x.reshape(-1)", "x.ravel()", "x.T.ravel()", "x.reshape(-1, 2)", "x.reshape(2, 2, 3)", "x[:, :, None]",
        "x[..., 0]", "x[1:, 1:].reshape(-1)", "x.flatten()", "(x.T, x)", "(x[0], x[1], x[0].sum())",
        "[x[0], x.sum(axis=0)]", "x[[1, 0]]", "x.reshape(3, 4)", "x.T.copy()",
    ),
    3: (
        "x[1]", "x[:, 1]", "x[n, n]", "x.transpose(2, 0, 1)", "np.moveaxis(x, 2, 0)[1:]", "x.reshape(6, -1)", "x.T",
        "x[..., n]",
    ),
}  # fmt: skip
SHAPES = {1: 6, 2: (4, 3), 3: (2, 3, 4)}


def layouts(shape: Any, dtype: str) -> list[np.ndarray[Any, Any]]:
    size = int(np.prod(shape))
    kept = np.arange(size).astype(dtype).reshape(shape)
    wide = np.arange(2 * size).astype(dtype).reshape((*np.atleast_1d(shape)[:-1], -1))
    return [kept, np.asfortranarray(kept), wide[..., ::2], kept[::-1]]


def look_alike(got: Any, want: Any, x: Any, y: Any) -> None:
    if isinstance(want, tuple | list):
        assert type(got) is type(want) and len(got) == len(want)
        for one, other in zip(got, want):
            look_alike(one, other, x, y)
        return
    assert type(got) is type(want)
    np.testing.assert_array_equal(got, want, strict=True)
    if not isinstance(want, np.ndarray):
        return
    assert np.shares_memory(got, x) == np.shares_memory(want, y)
    if np.shares_memory(want, y):
        laid = [[s for s, extent in zip(a.strides, a.shape) if extent > 1] for a in (got, want)]
        assert laid[0] == laid[1] and got.flags.writeable == want.flags.writeable
        if want.flags.writeable:
            got[...], want[...] = 7, 7
        np.testing.assert_array_equal(x, y)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("rank", "dtype"), [(1, "f8"), (2, "f4"), (3, "i4"), (2, "c16"), (1, "?")])
def test_views_are_those_of_the_undecorated_function(rank: int, dtype: str, tmp_path: Path) -> None:
    known = [e for e in EXPRESSIONS[rank] if dtype != "?" or "diff" not in e]
    for expression in known if dtype in ("f8", "f4", "i4") else known[::4]:
        plain = loaded(f"import numpy as np\n\n\ndef f(x, n):\n    return {expression}\n", tmp_path)
        decorated = mdh.jit(plain)
        for given, other in zip(layouts(SHAPES[rank], dtype), layouts(SHAPES[rank], dtype)):
            look_alike(decorated(given, 1), plain(other, 1), given, other)
        assert decorated.stats().fallbacks == 0, expression
