"""Every legal configuration of the low-level representation means what the expression means, carried out naively."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.parts.components import with_parts
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.lowlevel.interp import run_lowlevel
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.laws.examples import examples
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import host

SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 6, 7]), min_size=4, max_size=4)
CONFIGURATIONS = 4


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@examples(8)
def test_lowlevel_agrees(name: str, data: st.DataObject) -> None:
    expression = EXPRESSIONS[name]()
    sizes = shapes(name, data.draw(SIZES))
    given_arrays = arguments(ex.program(expression), sizes, data.draw(st.integers(0, 2**32)))
    expected = [a.copy() for a in given_arrays]
    fails = None
    try:
        interp.run(ex.program(expression), *expected)
    except DivisionError as error:
        fails = error
    for _ in range(CONFIGURATIONS):
        configuration = data.draw(configurations(facts_of(expression), host()))
        mine = [a.copy() for a in given_arrays]
        cores = data.draw(st.sampled_from([1, 2, 3]))
        if fails is not None:
            with pytest.raises(DivisionError):
                run(expression, configuration, mine, cores)
            continue
        run(expression, configuration, mine, cores)
        for a, b in zip(mine, expected):
            np.testing.assert_array_equal(a, b, err_msg=f"for {sizes} with {configuration}")


def run(expression: Expression, configuration: Configuration, arrays: list[np.ndarray[Any, Any]], cores: int) -> None:
    low = lower(prepared(expression), configuration)
    check(low)
    program = ex.program(expression)
    run_lowlevel(
        low, with_parts(argument_binding.bind(program, arrays)), argument_binding.sizes_of(program, arrays), cores
    )
