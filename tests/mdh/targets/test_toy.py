"""A new target is a package, a back end, and a row in each registry: nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.compilation import backend
from jitmdh.mdh.targets import registry


def matvec(w, M, v):  # type: ignore[no-untyped-def]
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def test_each_target_has_a_back_end() -> None:
    assert backend.BACKENDS.keys() == registry.TARGETS.keys()
    assert registry.DEFAULT in registry.TARGETS


def test_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    home = "tests.mdh.targets.toy.target"
    monkeypatch.setitem(registry.TARGETS, "toy", registry.Row(home, ("toy",)))
    monkeypatch.setitem(backend.BACKENDS, "toy", home)
    f = mdh.jit(target="toy", cache=False)(matvec)
    w, M, v = np.zeros(5), np.arange(35.0).reshape(5, 7), np.arange(7.0)
    f(w, M, v)
    np.testing.assert_allclose(w, M @ v)
    with pytest.raises(IndexError):
        f(w, M, v[:3])
    assert f.inspect(w, M, v, stage="toy").startswith("toy\nlong kernel(long *frame)")
    assert "define" in f.inspect(w, M, v, stage="llvm")
    with pytest.raises(mdh.errors.ConfigurationError, match=r"matvec.tune is not there yet for target='toy'"):
        f.tune(w, M, v)
    with pytest.raises(mdh.errors.ConfigurationError, match="is not one of None, 'cpu', 'opencl', 'cuda', 'toy'"):
        mdh.jit(target="gpu")
