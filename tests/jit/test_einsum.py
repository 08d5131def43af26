"""`mdh.einsum` against `np.einsum`: thousands of random calls in the interpreter, some of them compiled."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from jitmdh.jit import einsum as module
from jitmdh.jit.einsum import einsum
from tests.jit.einsum_cases import Case, case

CASES, COMPILED = 2400, 60


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No code is generated: contractions run in the interpreter of the algebra."""
    _forget()
    monkeypatch.setattr(module, "_generate", lambda *_: None)
    yield
    _forget()


def _forget() -> None:
    module._planned.cache_clear()
    module._function.cache_clear()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.usefixtures("interpreted")
def test_same_as_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(CASES // 8):
        compare(case(rng))


def test_same_as_numpy_compiled() -> None:
    rng = np.random.default_rng(100)
    for _ in range(COMPILED):
        compare(case(rng, dtypes=("i4", "i8", "u1", "f4", "f8", "?"), faults=False))


def compare(c: Case) -> None:
    expected, error = outcome(np.einsum, c)
    mine, my_error = outcome(einsum, c)
    if error is not None:
        kind = ValueError if isinstance(error, ValueError) else TypeError
        assert isinstance(my_error, kind), f"{c}: NumPy raises {error!r}, jitmdh {my_error!r}"
        return
    assert my_error is None, f"{c}: {my_error!r}"
    assert type(mine) is type(expected), str(c)
    assert (mine.dtype, mine.shape) == (expected.dtype, expected.shape), str(c)
    tolerance = {2: 2e-2, 4: 1e-4}.get(expected.real.dtype.itemsize, 1e-10) if expected.dtype.kind in "fc" else 0
    np.testing.assert_allclose(mine, expected, rtol=tolerance, atol=tolerance, err_msg=str(c))


def outcome(function: Any, c: Case) -> tuple[Any, Exception | None]:
    options = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in c.options.items()}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            result = function(*c.arguments, **options)
    except (TypeError, ValueError) as error:
        return None, error
    if "out" in options:
        assert result is options["out"]
    return result, None
