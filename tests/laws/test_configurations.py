"""Every legal configuration gives what the interpreter gives (thesis 4.4: values of parameters change no meaning)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError
from jitmdh.mdh.algebra import interp
from jitmdh.mdh.codegen import fill, nest
from jitmdh.mdh.lowering.params import Configuration
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host

SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33]), min_size=4, max_size=4)



@pytest.fixture(autouse=True, scope="module")
def small_work_is_shared() -> Iterator[None]:
    """Tests are small: without this, one task would do all of it."""
    before = nest.WORK_PER_THREAD, fill.COPIED_PER_TASK
    nest.WORK_PER_THREAD = fill.COPIED_PER_TASK = 1
    yield
    nest.WORK_PER_THREAD, fill.COPIED_PER_TASK = before


@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=12)
def test_configurations_agree(name: str, data: st.DataObject) -> None:
    expression = EXPRESSIONS[name]()
    machine = host()
    configuration = data.draw(configurations(facts_of(expression), machine))
    assume(configuration != Configuration())
    program = ex.program(expression)
    native = Native(program, lambda *_: configuration)
    for _ in range(3):
        sizes = shapes(name, data.draw(SIZES))
        given_arrays = arguments(program, sizes, data.draw(st.integers(0, 2**32)))
        expected = [a.copy() for a in given_arrays]
        try:
            interp.run(program, *expected)
        except DivisionError:
            with pytest.raises(DivisionError):
                native(*given_arrays)
            continue
        native(*given_arrays)
        for p, mine, theirs in zip(program.parameters, given_arrays, expected):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"{p.name} for {sizes} with {configuration}")
