"""Algebra ≡ grids of threads, whatever the configuration: no race, no wrong lane, nothing that nobody wrote."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError, NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.gpu import gpu
from tests.laws.agreement import assert_agree, legal, model, outcome, traced, unit_axes
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.laws.examples import examples
from tests.laws.python_programs import Source, sources
from tests.laws.small_work import small_work_is_shared as small_work_is_shared
from tests.laws.test_programs import exactness, random_configuration, sizes_for
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.in_grids import InGrids


def histogram(h: Any, b: Any) -> None:
    for i in range(b.shape[0]):
        h[b[i]] += 1


def gather(y: Any, x: Any, n: Any) -> None:
    for i in range(n.shape[0]):
        y[i] = x[n[i]]


def spmv(y: Any, row: Any, column: Any, value: Any, x: Any) -> None:
    for i in range(y.shape[0]):
        for k in range(row[i], row[i + 1]):
            y[i] += value[k] * x[column[k]]


def _bins() -> tuple[Any, ...]:
    return np.zeros(7, np.int64), np.random.default_rng(0).integers(0, 7, 500)


def _gathered() -> tuple[Any, ...]:
    return np.zeros(300), np.random.default_rng(0).random(9), np.random.default_rng(1).integers(0, 9, 300)


def _sparse() -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    row = np.concatenate([[0], np.cumsum(random.integers(0, 90, 40))])
    return np.zeros(40), row, random.integers(0, 50, row[-1]), random.random(row[-1]), random.random(50)


INDIRECT: dict[str, tuple[Any, Any]] = {
    "gather": (gather, _gathered), "histogram": (histogram, _bins), "spmv": (spmv, _sparse),
}  # fmt: skip
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


@given(sources(), st.data())
@examples(12)
def test_programs_agree(source: Source, data: st.DataObject) -> None:
    """Undecorated Python ≡ grids of threads."""
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
    try:
        code = InGrids(program, chooser, axes, data.draw(st.sampled_from([2048, 1024])))
    except NotAnMdhError as refusal:
        counts[f"refused: {refusal.message}"] += 1
        return
    counts["codes"] += 1
    assert_agree(outcome(function, call()), outcome(code, call()), "grids", exact)


@pytest.mark.parametrize("chosen", ["model", "plain"])
@pytest.mark.parametrize("name", sorted(INDIRECT))
def test_what_data_decide(name: str, chosen: str) -> None:
    """Histograms, gathers and sparse rows: several threads of a warp want one place."""
    function, make = INDIRECT[name]
    program = traced(function, make())
    axes = unit_axes(program, [make()])
    chooser = model(program, make(), axes) if chosen == "model" else lambda *_: Configuration()
    code = InGrids(program, chooser, axes)
    expected, mine = make(), make()
    function(*expected)
    code(*mine)
    np.testing.assert_allclose(mine[0], expected[0], rtol=1e-5)


def test_most_were_taken() -> None:
    """What is refused is refused by name; the law is not empty."""
    refused = sum(count for what, count in counts.items() if what != "codes")
    assert counts["codes"] > refused, counts
