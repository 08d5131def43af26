"""Programs as users of NumPy and Numba write them ≡ plain Python; which are compiled, as a whole or by their loops."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, MdhError

NAMES = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith(("test_", "__", "conftest")))
BY_LOOPS = {"heat_equation"}
REFUSED: set[str] = set()


def test_all_programs_are_here() -> None:
    assert len(NAMES) == 92
    assert set(NAMES) > BY_LOOPS | REFUSED


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    module = importlib.import_module(f"tests.everyday.{name}")
    given = module.arguments(np.random.default_rng(7))
    theirs = copy.deepcopy(given)
    compiled = mdh.jit(module.program)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            got = compiled(*given)
        except MdhError:
            assert name in REFUSED
            return
    assert name not in REFUSED
    assert any(w.category is JitWarning for w in caught) == (name in BY_LOOPS)
    _same(got, module.program(*theirs))
    _same(given, theirs)


def _same(got: Any, want: Any) -> None:
    if dataclasses.is_dataclass(want) and not isinstance(want, type):
        got, want = (tuple(getattr(v, f.name) for f in dataclasses.fields(want)) for v in (got, want))
    if isinstance(want, tuple):
        assert isinstance(got, tuple) and len(got) == len(want)
        for g, w in zip(got, want):
            _same(g, w)
    elif isinstance(want, np.ndarray | np.generic | int | float):
        assert np.asarray(got).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-13)
    elif hasattr(want, "__dict__") and not callable(want):
        _same(tuple(vars(got).values()), tuple(vars(want).values()))
