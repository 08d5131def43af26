"""Nothing is collected while something is compiled; before and afterwards it is as the program wants it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.process.collection import without_collection
from jitmdh.jit.compilation import pipeline


@pytest.fixture(autouse=True)
def on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_is_as_before_behind_an_error() -> None:
    with pytest.raises(KeyError), without_collection():
        assert not gc.isenabled()
        with without_collection():
            pass
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


def test_what_the_program_has_switched_off_stays_off() -> None:
    gc.disable()
    with without_collection():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_first_calls_compile_without(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    compiled = pipeline.Pipeline.compile
    monkeypatch.setattr(pipeline.Pipeline, "compile", lambda *a: seen.append(gc.isenabled()) or compiled(*a))

    @mdh.jit(cache=False)
    def doubled(y, x):  # type: ignore[no-untyped-def]
        for i in range(len(x)):
            y[i] = 2 * x[i]

    doubled(np.zeros(3), np.ones(3))
    assert seen == [False] and gc.isenabled()
