"""A different operator in each dimension: every representation means what the point-by-point definition says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.rewrites.fission import split
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.codegen.loops.decomposition import core_parts
from jitmdh.mdh.codegen.packing import packing
from jitmdh.mdh.lowering.configuration.constraints import WAITING, violation
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.lowlevel.interp import run_lowlevel
from tests.laws.configurations import configurations, facts_of
from tests.laws.examples import examples
from tests.laws.several_operators import Case, cases, meaning
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host

SMALL = st.tuples(*[st.integers(0, 4)] * 4)
LARGE = st.tuples(*[st.sampled_from([0, 1, 2, 3, 5, 8, 9, 17])] * 4)


@pytest.fixture(autouse=True, scope="module")
def small_work_is_shared() -> Iterator[None]:
    """Tests are small: without this, one task would do all of it."""
    before = core_parts.WORK_PER_THREAD, packing.COPIED_PER_TASK
    core_parts.WORK_PER_THREAD = packing.COPIED_PER_TASK = 1
    yield
    core_parts.WORK_PER_THREAD, packing.COPIED_PER_TASK = before


def agree(case: Case, mine: dict[str, np.ndarray], expected: dict[str, np.ndarray], with_: object = "") -> None:
    for name, array in expected.items():
        np.testing.assert_array_equal(mine[name], array, err_msg=f"{name} of {case.expression}\n{with_}")


@given(cases(), SMALL, st.integers(0, 2**32))
def test_interpreter_agrees(case: Case, extents: tuple[int, ...], seed: int) -> None:
    check_expression(case.expression)
    arrays = case.arrays(extents[: case.rank], seed)
    expected = meaning(case, arrays)
    whole = prepared(case.expression)
    check_expression(whole)
    for expression in (case.expression, lift_identities(case.expression), whole):
        mine = {name: a.copy() for name, a in arrays.items()}
        sizes = {f"x.shape[{axis}]": n for axis, n in enumerate(extents[: case.rank])}
        interp.evaluate(expression, mine, {**sizes, "u.shape[0]": extents[0]})
        agree(case, mine, expected, expression)


@given(cases(), SMALL, st.integers(0, 2**32), st.data())
def test_two_expressions_mean_the_same(
    case: Case, extents: tuple[int, ...], seed: int, data: st.DataObject
) -> None:  # fmt: skip
    whole = prepared(case.expression)
    found = groups(whole)
    assume(len(found) > 1)
    arrays = case.arrays(extents[: case.rank], seed)
    expected = meaning(case, arrays)
    at = data.draw(st.integers(1, len(found) - 1))
    sizes = {f"x.shape[{axis}]": n for axis, n in enumerate(extents[: case.rank])}
    names = [f"between{n}" for n in range(len(found[at].operator.types))]
    for part in split(whole, at, names):
        check_expression(part)
        for name in names:
            made = part.buffer(name)
            arrays.setdefault(name, np.full([n.evaluate(sizes) for n in made.shape], 77, made.type.numpy))
        interp.evaluate(part, arrays, sizes)
    agree(case, arrays, expected)


@examples(60)
@given(cases(), SMALL, st.integers(0, 2**32), st.data())
def test_lowlevel_agrees(case: Case, extents: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    arrays = case.arrays(extents[: case.rank], seed)
    expected = meaning(case, arrays)
    program = ex.program(case.expression)
    for _ in range(3):
        facts = facts_of(case.expression)
        waiting = Configuration(output_region=WAITING)
        configuration = data.draw(st.one_of(configurations(facts, host()), st.just(waiting)))
        if violation(facts, host(), configuration) is not None:
            continue
        low = lower(prepared(case.expression), configuration)
        check(low)
        mine = {name: a.copy() for name, a in arrays.items()}
        given_arrays = [mine[p.name] for p in program.parameters]
        cores = data.draw(st.sampled_from([1, 2, 3]))
        run_lowlevel(
            low, argument_binding.bind(program, given_arrays), argument_binding.sizes_of(program, given_arrays), cores
        )
        agree(case, mine, expected, configuration)


@pytest.mark.in_turns(2)
@examples(60)
@given(cases(), st.integers(0, 2**32), st.data())
def test_compiled_code_agrees(case: Case, seed: int, data: st.DataObject) -> None:
    program = ex.program(case.expression)
    machine = host()
    facts = facts_of(case.expression)
    model = choose(facts, machine).configuration
    assert violation(facts, machine, model) is None
    chosen = data.draw(
        st.one_of(
            st.just(model),
            configurations(facts, machine),
            st.just(Configuration()),
            st.just(Configuration(output_region=WAITING)),
        )
    )
    assume(violation(facts, machine, chosen) is None)
    native = Native(program, lambda *_: chosen)
    for _ in range(3):
        extents = data.draw(LARGE)[: case.rank]
        arrays = case.arrays(extents, seed)
        expected = meaning(case, arrays)
        native(*[arrays[p.name] for p in program.parameters])
        agree(case, arrays, expected, chosen)
