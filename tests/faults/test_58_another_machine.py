"""Fault 58: code of another processor, LLVM or Python is not found; none of it runs here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.jit.compilation import code_cache


def called(place: Path) -> tuple[int, int]:
    """Compilations and hits of a call in a function that has none of its own yet."""
    with config(cache=True, cache_dir=str(place)):

        @mdh.jit(tune="off")
        def total(x):
            s = 0.0
            for i in range(x.shape[0]):
                s += x[i]
            return s

        assert total(np.ones(10)) == 10.0
        stats = total.stats()
        return stats.compiles, stats.cache_hits


@pytest.fixture(autouse=True)
def versions_of_now() -> Iterator[None]:
    yield
    code_cache.versions.cache_clear()


@pytest.mark.parametrize("what", ["target_identity", "compiler_version"])
def test_what_was_made_for_another_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    assert called(tmp_path) == (1, 0)
    assert called(tmp_path) == (0, 1)
    honest = getattr(cpu_compile, what)()
    monkeypatch.setattr(cpu_compile, what, lambda *_: f"another than {honest}")
    code_cache.versions.cache_clear()
    assert called(tmp_path) == (1, 0)


def test_another_python_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert called(tmp_path) == (1, 0)
    now = code_cache.versions()
    assert "python 3" in now
    monkeypatch.setattr(code_cache, "versions", lambda: now.replace("python 3", "python 4"))
    assert called(tmp_path) == (1, 0)
    monkeypatch.undo()
    assert called(tmp_path) == (0, 1)
