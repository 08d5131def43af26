"""What NumPy gives as a view, as a copy, or read-only: what is written to it, or to its array, afterwards, tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.test_returned_views import look_alike
from tests.laws.texts import loaded

REAL = (
    "x.real", "np.real(x)", "x.conj()", "x.conjugate()", "np.conj(x)", "x.clip(None, None)", "np.einsum('ij->ji', x)",
    "np.einsum('ij', x)", "np.einsum('ii->i', x)", "np.einsum('...i->i...', x)", "np.einsum(x, [0, 1], [1, 0])",
    "np.einsum('ij->j', x)", "np.diagonal(x)", "x.diagonal(1)", "np.diag(x, -1)", "x[:2].diagonal(k)", "x.round()",
    "np.diag(x[0])", "x.T.diagonal()[::-1]", "x.diagonal()[1:]", "np.einsum('ij->ji', x, dtype=float)",
)  # fmt: skip
COMPLEX = (
    "x.real", "x.imag", "np.imag(x)", "x.real[1:]", "x[::2].imag.T", "x.conj()", "x.T.real[0]", "x.diagonal().imag",
    "np.einsum('ij->ji', x)", "x.real.reshape(-1)", "np.ravel(x.imag)", "x.reshape(-1).real", "x.imag.copy()",
    "abs(x.real)", "x.real.T[1:, ::2]", "(x + 1).real", "np.diag(x.real)",
)  # fmt: skip
LATER = {"to the array": "x[0, 1] = 50\n    x[2] += 7", "to what it gives": "v[...] += 3\n    v[0] = -1"}
REFUSED = {
    "np.diagonal",
    "x.diagonal",
    "np.diag(x",
    "x[:2].d",
    "x.T.d",
    "reshape",
    "ravel",
    ".imag",
    ".real",
    "np.imag",
}
"""May be refused: in NumPy read-only, a view or a copy by the strides, or a part of complex numbers that is written."""


def arrays(dtype: type) -> list[np.ndarray[Any, Any]]:
    kept: np.ndarray[Any, Any] = np.arange(9.0).reshape(3, 3).astype(dtype)
    if dtype is complex:
        kept += 1j * kept[::-1]
    return [kept, np.asfortranarray(kept), np.repeat(kept, 2, axis=1)[:, ::-2]]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("later", list(LATER))
@pytest.mark.parametrize("dtype", [float, complex])
def test_what_is_written_later(dtype: type, later: str, tmp_path: Path) -> None:
    for expression in REAL if dtype is float else COMPLEX:
        text = f"import numpy as np\n\n\ndef f(x, k):\n    v = {expression}\n    {LATER[later]}\n    return v, x\n"
        plain = loaded(text, tmp_path)
        decorated = mdh.jit(fallback="error")(plain)
        for given, other, untouched in zip(arrays(dtype), arrays(dtype), arrays(dtype)):
            try:
                got = decorated(given, 1)
            except NotAnMdhError:
                assert any(name in expression for name in REFUSED), expression
                np.testing.assert_array_equal(given, untouched)
                continue
            look_alike(got, plain(other, 1), given, other)


def test_numpy_refuses_to_write_to_diagonals(tmp_path: Path) -> None:
    for written in (
        "v[1] = 5.0",
        "v += 1",
        "v[:] = 0",
        "np.add(v, v, out=v)",
        "v[[0, 1]] = 2",
        "v[v > 1] = 0",
        "v.sort()",
    ):
        plain = loaded(f"import numpy as np\n\n\ndef f(x):\n    v = x.diagonal()\n    {written}\n", tmp_path)
        with pytest.raises(NotAnMdhError, match="read-only"):
            mdh.jit(plain)(np.ones((3, 3)))
        with pytest.raises(ValueError):
            plain(np.ones((3, 3)))
