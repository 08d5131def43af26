"""Python, algebra ≡ grids on an OpenCL device: groups of work-items on a real device, with real barriers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.hca.interface.device import Device
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.gpu import gpu
from tests.laws.configurations import EXPRESSIONS
from tests.laws.examples import examples
from tests.laws.grids import INDIRECT, Grids
from tests.laws.python_programs import Source, sources
from tests.mdh.codegen.on_opencl import OnOpenCl

pytestmark = pytest.mark.usefixtures("opencl")


_MOST_BARRIERS = 24
"""Of a text: PoCL 3.1 has copies of the code around barriers in loops of loops, and compiled 36 of them for minutes."""


def on_groups(program: Any, chooser: Any, axes: dict[str, int | None] | None, bits: int) -> OnOpenCl:
    code = OnOpenCl(program, chooser, axes or {}, machine=gpu("sm_90", bits, 1))
    if code.text.source().count("barrier(CLK") > _MOST_BARRIERS:
        raise NotAnMdhError("too many barriers for PoCL")
    return code


GROUPS = Grids(on_groups)


@given(data=st.data())
@settings(max_examples=6)
def test_configurations_agree(data: st.DataObject) -> None:
    GROUPS.configurations_agree(data.draw(st.sampled_from(sorted(EXPRESSIONS))), data)


@given(data=st.data())
@settings(max_examples=4)
def test_blocks_agree(data: st.DataObject) -> None:
    GROUPS.blocks_agree(data.draw(st.sampled_from(sorted(EXPRESSIONS))), data)


@pytest.mark.in_turns(2)
@given(sources(), st.data())
@examples(6)
def test_programs_agree(source: Source, data: st.DataObject) -> None:
    GROUPS.programs_agree(source, data)


@pytest.mark.parametrize("name", sorted(INDIRECT))
def test_what_data_decide(name: str) -> None:
    GROUPS.what_data_decide_agrees(name, lambda *_: lambda *_: Configuration())


def test_most_were_taken() -> None:
    GROUPS.most_were_taken()


def test_the_setting_machine_makes_groups(opencl: Device) -> None:
    """Code as for a GPU of that name, on any device; without it, processors have none."""

    def total(s, x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            s[0] += x[i]

    x, s = np.arange(5000, dtype=np.float32), np.zeros(1, np.float32)
    plain = mdh.jit(target="opencl", cache=False)(total)
    assert "reqd_work_group_size" not in plain.inspect(s, x, stage="opencl")
    with mdh.config(machine="sm_80"):
        grouped = mdh.jit(target="opencl", cache=False)(total)
        text = grouped.inspect(s, x, stage="opencl")
        assert "reqd_work_group_size(" in text and "barrier(CLK_LOCAL_MEM_FENCE" in text
        grouped(s, x)
    np.testing.assert_allclose(s, x.sum(dtype=np.float64), rtol=1e-5)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("type", ["float16", "float32", "int8"])
@pytest.mark.parametrize("region", ["SM", "SM*3"])
def test_copies_in_local_memory(region: str, type: str) -> None:
    """OpenCL C has no arrays of half; what is copied ahead is there at once. Rows of 8 elements are vectors."""

    def sums(y, x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            for k in range(x.shape[1]):
                y[i] += x[i, k]

    schedule = {
        "part_size": {"(BLK,i)": 8, "(DEV,k)": 4, "(SHR,k)": 1, "(THR,i)": 1},
        "decomposition_order": ["(BLK,i)", "(DEV,k)", "(SHR,k)", "(THR,i)"],
        "input_region": [["x", "(DEV,k)", region]],
    }
    with mdh.config(machine="sm_80"):
        code = mdh.jit(target="opencl", cache=False, schedule=schedule)(sums)
        for shape in ((13, 7), (16, 8)):
            x, y = np.arange(shape[0] * shape[1]).reshape(shape).astype(type) % 5, np.zeros(shape[0], type)
            code(y, x)
            assert "local" in code.inspect(y, x, stage="opencl")
            np.testing.assert_array_equal(y, x.sum(axis=1).astype(type))
