"""Algebra ≡ grids of threads, whatever the configuration: no race, no wrong lane, nothing that nobody wrote."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError, NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.machine.gpu import gpu
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.laws.small_work import small_work_is_shared as small_work_is_shared
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.in_grids import InGrids

SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 7, 33]), min_size=4, max_size=4)
counts: Counter[str] = Counter()


@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=3)
def test_configurations_agree(name: str, data: st.DataObject) -> None:
    expression = EXPRESSIONS[name]()
    bits = data.draw(st.sampled_from([2048, 1024, 256]))
    configuration = data.draw(configurations(facts_of(expression), gpu("sm_90", bits)))
    program = ex.program(expression)
    try:
        code = InGrids(program, lambda *_: configuration, bits=bits)
    except NotAnMdhError as refusal:
        counts[f"refused: {refusal.message}"] += 1
        return
    counts["codes"] += 1
    sizes = shapes(name, data.draw(SIZES))
    given_arrays = arguments(program, sizes, data.draw(st.integers(0, 2**32)))
    expected = [a.copy() for a in given_arrays]
    fails = None
    try:
        interp.run(program, *expected)
    except DivisionError as error:
        fails = error
    for code.seed in (None, 1):
        mine = [a.copy() for a in given_arrays]
        if fails is not None:
            with pytest.raises(DivisionError):
                code(*mine)
            continue
        code(*mine)
        for a, b in zip(mine, expected):
            np.testing.assert_array_equal(a, b, err_msg=f"{sizes}, {configuration}")


def test_most_were_taken() -> None:
    """What is refused is refused by name; the law is not empty."""
    refused = sum(count for what, count in counts.items() if what != "codes")
    assert counts["codes"] > refused, counts
