"""Python, algebra ≡ grids on an OpenCL device: groups of work-items on a real device, with real barriers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import DivisionError, NotAnMdhError
from jitmdh.hca.interface.device import Device
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.gpu import gpu
from tests.laws.agreement import assert_agree, legal, model, outcome, traced, unit_axes
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.laws.examples import examples
from tests.laws.python_programs import Source, sources
from tests.laws.test_programs import exactness, random_configuration, sizes_for
from tests.laws.test_simt import INDIRECT, SIZES
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.on_opencl import OnOpenCl

pytestmark = pytest.mark.usefixtures("opencl")
counts: Counter[str] = Counter()


def on_groups(program: Any, chooser: Any, axes: dict[str, int | None], bits: int = 1024) -> OnOpenCl | None:
    """None: refused."""
    try:
        code = OnOpenCl(program, chooser, axes, machine=gpu("sm_90", bits, 1))
    except NotAnMdhError as refusal:
        counts[f"refused: {refusal.message}"] += 1
        return None
    counts["codes"] += 1
    return code


@given(data=st.data())
@settings(max_examples=6)
def test_configurations_agree(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(EXPRESSIONS)))
    expression, bits = EXPRESSIONS[name](), data.draw(st.sampled_from([2048, 1024, 256]))
    configuration = data.draw(configurations(facts_of(expression), gpu("sm_90", bits)))
    program, sizes = ex.program(expression), shapes(name, data.draw(SIZES))
    code = on_groups(program, lambda *_: configuration, {}, bits)
    if code is None:
        return
    expected = arguments(program, sizes, data.draw(st.integers(0, 2**32)))
    mine = [a.copy() for a in expected]
    try:
        interp.run(program, *expected)
    except DivisionError:
        with pytest.raises(DivisionError):
            code(*mine)
        return
    code(*mine)
    for a, b in zip(mine, expected):
        np.testing.assert_array_equal(a, b, err_msg=f"{sizes}, {configuration}")


@given(sources(), st.data())
@examples(6)
def test_programs_agree(source: Source, data: st.DataObject) -> None:
    function = source.function()
    sizes, seed = sizes_for(data, source), data.draw(st.integers(0, 2**16))

    def call() -> tuple[Any, ...]:
        return source.arguments(sizes, seed)

    try:
        program = traced(function, call())
    except NotAnMdhError:
        return
    exact, axes = exactness(source, program), unit_axes(program, [call()])
    chooser = data.draw(st.sampled_from([model(program, call(), axes), legal(axes, random_configuration(data))]))
    code = on_groups(program, chooser, axes, data.draw(st.sampled_from([2048, 1024])))
    if code is not None:
        assert_agree(outcome(function, call()), outcome(code, call()), "groups", exact)


@pytest.mark.parametrize("name", sorted(INDIRECT))
def test_what_data_decide(name: str) -> None:
    function, make = INDIRECT[name]
    program = traced(function, make())
    code = on_groups(program, lambda *_: Configuration(), unit_axes(program, [make()]))
    assert code is not None
    expected, mine = make(), make()
    function(*expected)
    code(*mine)
    np.testing.assert_allclose(mine[0], expected[0], rtol=1e-5)


def test_most_were_taken() -> None:
    """What is refused is refused by name; the law is not empty."""
    refused = sum(count for what, count in counts.items() if what != "codes")
    assert counts["codes"] > refused, counts


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
        assert "reqd_work_group_size(32, 1, 1)" in text and "barrier(CLK_LOCAL_MEM_FENCE)" in text
        grouped(s, x)
    np.testing.assert_allclose(s, x.sum(dtype=np.float64), rtol=1e-5)
