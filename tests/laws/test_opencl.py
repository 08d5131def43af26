"""Undecorated Python ≡ code for an OpenCL device, over the same generated programs as the law for processors."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import Exactness, assert_agree, legal, model, outcome, traced, unit_axes
from tests.laws.examples import examples
from tests.laws.python_programs import Source, sources
from tests.laws.test_programs import exactness, random_configuration, sizes_for
from tests.mdh.codegen.on_opencl import OnOpenCl

counts: Counter[str] = Counter()


pytestmark = pytest.mark.usefixtures("opencl")


def check_program(data: st.DataObject, source: Source) -> None:
    function = source.function()
    calls = [(sizes_for(data, source), data.draw(st.integers(0, 2**16))) for _ in range(3)]
    plain, special = data.draw(st.booleans()), data.draw(st.booleans())

    def arguments(n: int) -> tuple[Any, ...]:
        slack = -1 if calls[n][1] % 11 == 0 else calls[n][1] % 2
        return source.arguments(*calls[n], special=special, slack=slack, plain=plain)

    first = arguments(0)
    try:
        program = traced(function, first)
    except NotAnMdhError:
        counts["no MDH"] += 1
        return
    axes = unit_axes(program, [arguments(n) for n in range(3)])
    exact = exactness(source, program)
    choosers = {
        "model": model(program, first, axes),
        "default": lambda *_: Configuration(),
        "one": legal(axes, random_configuration(data)),
    }
    for name in ("model", data.draw(st.sampled_from(("default", "one")))):
        try:
            code = OnOpenCl(program, choosers[name], axes, data.draw(st.sampled_from((128, 256, 512))))
        except NotAnMdhError as refusal:
            counts[f"refused: {refusal.message}"] += 1
            continue
        counts["codes"] += 1
        for n in range(3):
            expected = outcome(function, arguments(n))
            assert_agree(expected, outcome(code, arguments(n)), f"{name} on OpenCL", exact)
    check_decorated(function, arguments, exact)


def check_decorated(function: Any, arguments: Any, exact: Exactness) -> None:
    decorated = mdh.jit(target="opencl", cache=False)(function)
    for n in (0, 1, 0):
        found = outcome(decorated, arguments(n))
        if isinstance(found.error, NotAnMdhError):
            counts[f"decorated, refused: {found.error.message}"] += 1
            return
        assert_agree(outcome(function, arguments(n)), found, "decorated for OpenCL", exact)
    counts["decorated"] += 1


@given(sources(), st.data())
@examples(20)
def programs_agree(source: Source, data: st.DataObject) -> None:
    check_program(data, source)


@pytest.mark.in_turns(2)
def test_programs_agree() -> None:
    """And the law is not empty: what is refused is refused by name, and most programs are taken."""
    counts.clear()
    programs_agree()
    for taken, refused in (("codes", "refused"), ("decorated", "decorated, refused")):
        assert counts[taken] > sum(n for what, n in counts.items() if what.startswith(f"{refused}:")), dict(counts)
