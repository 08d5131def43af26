"""Kernel IR means what the program means: undecorated Python ≡ interpreter of kernel IR ≡ code of the LLVM emitter.

As built, with the tasks of parallel loops in their order, and after all passes, with tasks in another; where integers
or exact floats are computed, results are equal to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError, NotAnMdhError
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.kernel.ir import Parallel
from jitmdh.mdh.kernel.rewrite import statements
from tests.laws.agreement import assert_agree, legal, model, outcome, threads, traced, unit_axes
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.laws.examples import examples
from tests.laws.python_programs import Source, sources
from tests.laws.small_work import small_work_is_shared as small_work_is_shared
from tests.laws.test_programs import exactness, random_configuration
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.interpreted import Interpreted
from tests.mdh.codegen.native import Native, host

SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 7]), min_size=4, max_size=4)
WAYS = ((False, None), (True, 1))
"""Before or after the passes, and the order of tasks: theirs, or a shuffled one."""


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=3)
def test_configurations_agree(name: str, data: st.DataObject) -> None:
    """Algebra ≡ kernel IR ≡ machine code, whatever the configuration."""
    expression = EXPRESSIONS[name]()
    features = data.draw(st.sampled_from([None, "avx2", "128"]))
    configuration = data.draw(configurations(facts_of(expression), host(features)))
    program = ex.program(expression)
    interpreted = Interpreted(program, lambda *_: configuration, features=features)
    code = Native.of(interpreted, features)
    sizes = shapes(name, data.draw(SIZES))
    given_arrays = arguments(program, sizes, data.draw(st.integers(0, 2**32)))
    expected = [a.copy() for a in given_arrays]
    fails = None
    try:
        interp.run(program, *expected)
    except DivisionError as error:
        fails = error
    for interpreted.passed, interpreted.seed in WAYS:
        for way in (interpreted, code):
            mine = [a.copy() for a in given_arrays]
            if fails is not None:
                with pytest.raises(DivisionError):
                    way(*mine)
                continue
            way(*mine)
            for a, b in zip(mine, expected):
                np.testing.assert_array_equal(a, b, err_msg=f"{type(way).__name__}, {sizes}, {configuration}")


@given(sources(), st.data())
@examples(24)
def test_programs_agree(source: Source, data: st.DataObject) -> None:
    check_kernel(data, source)


@given(sources(complexes=True), st.data())
@examples(10)
def test_complex_programs_agree(source: Source, data: st.DataObject) -> None:
    check_kernel(data, source)


def check_kernel(data: st.DataObject, source: Source) -> None:
    """The law for one program, in the model's configuration and in a drawn one."""
    function = source.function()
    sizes = {name: data.draw(st.sampled_from([3, 0, 1, 2, 5, 9])) for name in source.sizes}
    seed = data.draw(st.integers(0, 2**16))

    def call() -> tuple[Any, ...]:
        return source.arguments(sizes, seed)

    try:
        program = traced(function, call())
    except NotAnMdhError:
        assume(False)
    exact, expected, axes = exactness(source, program), outcome(function, call()), unit_axes(program, [call()])
    for name, chooser in (
        ("model", model(program, call(), axes)),
        ("drawn", legal(axes, random_configuration(data))),
    ):
        interpreted = Interpreted(program, chooser, unit_axes=axes)
        for interpreted.passed, interpreted.seed in WAYS:
            assert_agree(expected, outcome(interpreted, call()), f"interpreter of kernel IR, {name}", exact)
        with threads(2):
            assert_agree(expected, outcome(Native.of(interpreted), call()), f"code, {name}", exact)


def test_tasks_are_more_than_one() -> None:
    """What the laws shuffle: small work is shared here."""
    program: Program = ex.program(EXPRESSIONS["matmul"]())
    data = [a for a in arguments(program, shapes("matmul", [9, 7, 5, 1]), 0)]
    counts = []

    class Counting(Interpreted):
        def order(self, count: int) -> Any:
            counts.append(count)
            return super().order(count)

    counting = Counting(program, model(program, data, unit_axes(program, [tuple(data)])))
    assert any(isinstance(s, Parallel) for s in statements(counting.kernels[0].body))
    counting(*data)
    assert max(counts) > 1
