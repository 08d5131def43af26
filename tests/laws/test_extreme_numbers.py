"""Guard arithmetic is exact: whatever bounds, steps, coefficients and offsets are, compiled code does what Python does.

Each program is first run by Python with a limit on its rounds; only those that end, or raise, within it are compiled.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError, NotAnMdhError
from tests.laws.examples import examples
from tests.laws.extreme_programs import ExtremeProgram, TooLong, bounded, programs
from tests.laws.texts import loaded
from tests.laws.ways import ways


@pytest.mark.in_turns(2)
@given(programs())
@examples(150)
def test_as_with_integers_of_any_size(tmp_path_factory, program: ExtremeProgram) -> None:
    function = loaded(program.text, _folder(tmp_path_factory), "program")
    try:
        kind, expected = program.outcome(bounded(function))
    except TooLong:
        assume(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mdh.errors.JitWarning)
        drawn = int(len(program.text) % 3 == 0)
        for way in ways(function, (np.zeros(program.size, np.int64), *program.arguments), drawn=drawn):
            try:
                got_kind, got = program.outcome(way)
            except (NotAnMdhError, ConfigurationError):
                return  # refused: nothing is claimed; or the schedule is for another class of sizes
            assert got_kind == kind, (program, way.name)
            # before anything is written, or as Python left it
            assert got in ((expected, [0] * program.size) if kind else (expected,)), (program, way.name)


def first_elements(y, x):
    for i in range(y.shape[0]):
        y[i] = x[0, 0] + i
    y[0] = x.shape[0] - y.shape[0]


_first_elements = mdh.jit(tune="off")(first_elements)
_extents = st.sampled_from((1, 2, 3, 2**31, 2**32 + 1, 2**55, 2**56 - 1, 2**56, 2**57))
_distances = st.sampled_from([s * (8 * n) for s in (1, -1) for n in (0, 1, 2, 2**31, 2**45, 2**53, 2**58)])


@given(st.lists(st.tuples(_extents, _distances), min_size=2, max_size=2))
@examples(150)
def test_arrays_of_any_extents_and_strides(axes: list[tuple[int, int]]) -> None:
    """Only the first element lies in memory; the others are neither read nor in the way of anything."""
    memory = np.arange(4.0)
    try:
        x = as_strided(memory[2:], tuple(n for n, _ in axes), tuple(s for _, s in axes))
    except ValueError:  # NumPy has no such array
        assume(False)
    found, expected = memory[:2].copy(), memory[:2].copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mdh.errors.JitWarning)
        _first_elements(found, x)
    first_elements(expected, x)
    assert found.tolist() == expected.tolist()


def _folder(tmp_path_factory: object) -> Path:
    folder: Path = tmp_path_factory.getbasetemp() / "extreme"  # type: ignore[attr-defined]
    folder.mkdir(exist_ok=True)
    return folder
