"""Calls that are too large for copies are tried at smaller sizes, for which the same code is."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.compilation.compiled import within
from jitmdh.jit.compilation.pipeline import conditions_at, ranges_of, sizes_of
from jitmdh.jit.compilation.signature import prepare, sizes
from jitmdh.jit.execution import launch
from jitmdh.jit.online.candidate import Candidate, Verdict, task_for
from jitmdh.jit.online.helper_process import Helper
from jitmdh.jit.online.smaller_call import is_whole, shared, smaller
from tests.jit.online.test_helper_process import outcomes

Array = np.ndarray[Any, Any]


@mdh.jit
def matmul(C: Array, A: Array, B: Array) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@mdh.jit
def smooth(y: Array, x: Array) -> None:
    for i in range(y.shape[0]):
        y[i] = x[i] + x[i + 1] + x[i + 2]


@mdh.jit
def first(y: Array, x: Array, n: int) -> None:
    for i in range(n):
        y[i] = x[i]


CALLS: dict[str, tuple[Any, tuple[Any, ...], int]] = {
    "equal extents": (matmul, (np.zeros((1536, 20)), np.ones((1536, 2048)), np.ones((2048, 20))), 4 << 20),
    "near extents": (smooth, (np.zeros(100_000), np.ones(100_002)), 200_000),
    "a number": (first, (np.zeros(50_000), np.ones(50_000), 50_000), 100_000),
    "steps": (matmul, (np.zeros((1536, 40))[:, ::2], np.ones((2048, 3072)).T[::2], np.ones((2048, 20))), 4 << 20),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_smaller_call_is_one_for_the_same_code(name: str) -> None:
    function, arguments, limit = CALLS[name]
    specialisation, prepared, _ = function._compiled_for(arguments, {})
    names = function.parameter_names
    found = smaller(prepared, names, specialisation.compiled.conditions, limit)
    assert found is not None and sum(a.nbytes for a in found.arguments if isinstance(a, np.ndarray)) <= limit
    assert prepare(names, found.arguments).signature == prepared.signature
    assert within(specialisation.compiled.conditions, sizes(names, found.arguments))
    launch.run(specialisation, found, False)  # its checks hold, too
    assert all(np.may_share_memory(a, b) for a, b in zip(found.arguments, prepared.arguments) if np.ndim(a))


def test_where_there_is_none() -> None:
    arguments = (np.zeros((20, 20)), np.ones((20, 20)), np.ones((20, 20)))
    specialisation, prepared, _ = matmul._compiled_for(arguments, {})
    conditions = specialisation.compiled.conditions
    assert smaller(prepared, matmul.parameter_names, conditions, 2000) is None
    same = smaller(prepared, matmul.parameter_names, conditions)
    assert same is not None and all(a.shape == b.shape for a, b in zip(same.arguments, arguments))


def test_what_is_shared() -> None:
    arguments = (np.zeros((20, 20)), np.ones((20, 20)), np.ones((20, 20)))
    specialisation, prepared, _ = matmul._compiled_for(arguments, {})
    whole = shared(prepared, matmul.parameter_names, specialisation.compiled.conditions)
    assert whole is not None and all(map(np.array_equal, whole.arguments(), arguments))
    assert shared(prepared, matmul.parameter_names, specialisation.compiled.conditions, 2000) is None


def test_candidates_for_a_call_that_is_copied_whole_are_for_its_sizes_only() -> None:
    arguments = (np.zeros((70, 20)), np.ones((70, 90)), np.ones((90, 20)))
    specialisation, prepared, _ = matmul._compiled_for(arguments, {})
    program = matmul._pipeline.program(matmul, specialisation.signature, matmul.options)
    call = shared(prepared, matmul.parameter_names, specialisation.compiled.conditions)
    assert call is not None and is_whole(arguments)
    task = task_for(program, specialisation, matmul.options, call)
    assert set(task.ranges.values()) == {(70, 70), (20, 20), (90, 90)}
    fixed = task_for(program, specialisation, replace(matmul.options, deterministic=True), call)
    assert fixed.ranges == {}  # the order of combination depends on no size


def test_code_for_one_size_is_tried_at_another_of_its_class() -> None:
    """The sizes that its candidates are made for stay those of the user's call."""
    arguments = (np.zeros((700, 20)), np.ones((700, 900)), np.ones((900, 20)))
    specialisation, prepared, _ = matmul._compiled_for(arguments, {})
    program = matmul._pipeline.program(matmul, specialisation.signature, matmul.options)
    exact = conditions_at(program, sizes_of(program, arguments))
    narrow = replace(specialisation, compiled=replace(specialisation.compiled, conditions=exact))
    call = shared(prepared, matmul.parameter_names, exact, limit_bytes=3_500_000)
    assert call is not None and call.bytes < 4_500_000
    task = task_for(program, narrow, matmul.options, call)
    assert task.sizes == sizes_of(program, arguments) != sizes_of(program, call.arguments())
    assert task.ranges == ranges_of(program, task.sizes) == ranges_of(program, sizes_of(program, call.arguments()))
    helper = Helper(idle=False)
    helper.start()
    helper.submit(Candidate(task, {}, narrow.compiled))
    (outcome,) = outcomes(helper, 1)
    helper.stop()
    assert outcome.verdict is Verdict.RIGHT, outcome.reason


@pytest.mark.parametrize("function", ["memfd_create", "ftruncate", "posix_fallocate"])
def test_where_there_is_no_memory(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    arguments = (np.zeros((20, 20)), np.ones((20, 20)), np.ones((20, 20)))
    specialisation, prepared, _ = matmul._compiled_for(arguments, {})
    if hasattr(os, function):
        monkeypatch.setattr(os, function, full)
        before = len(os.listdir("/dev/fd"))
        assert shared(prepared, matmul.parameter_names, specialisation.compiled.conditions) is None
        assert len(os.listdir("/dev/fd")) == before
