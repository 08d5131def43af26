"""Every legal configuration gives what the interpreter gives (thesis 4.4: values of parameters change no meaning)."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, reached, shapes
from tests.laws.examples import examples
from tests.laws.small_work import small_work_is_shared as small_work_is_shared
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host

SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33]), min_size=4, max_size=4)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@examples(12)
def test_configurations_agree(name: str, data: st.DataObject) -> None:
    expression = EXPRESSIONS[name]()
    features = data.draw(st.sampled_from([None, None, "avx2", "128"]))
    configuration = data.draw(configurations(facts_of(expression), host(features)))
    assume(configuration != Configuration())
    program = ex.program(expression)
    known = sizes_of(program, arguments(program, shapes(name, [1, 1, 1, 1]), 0))
    typical = dict.fromkeys(known, data.draw(st.sampled_from([1, 20, 100, 200])))
    native = Native(program, lambda *_: configuration, features=features, typical=typical)
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


@pytest.mark.parametrize("order", list(permutations("ijk")), ids="".join)
@pytest.mark.parametrize("rows", [1, 4])
def test_non_temporal_stores_in_any_order_of_loops(order: tuple[str, ...], rows: int) -> None:
    """Rows that do not begin at cache lines; their ends are prefetched only where it is known which rows come."""
    name, sizes = "written smooth cube", ((Level("L1", "i"), rows), (Level("L1", "k"), 16), (Level("REG", "k"), 16))
    loops = tuple(Level("L1", dim) for dim in order)
    part_size = tuple((level, size) for level, size in sizes if size > 1)
    configuration = Configuration(part_size, loops, scalar_output_region="MM")
    program = ex.program(EXPRESSIONS[name]())
    native = Native(program, lambda *_: configuration)
    for extents in ([3, 4, 90, 0], [9, 3, 16, 0], [5, 2, 7, 0]):
        given_arrays = arguments(program, shapes(name, extents), 1)
        expected = [a.copy() for a in given_arrays]
        interp.run(program, *expected)
        native(*given_arrays)
        np.testing.assert_array_equal(given_arrays[0], expected[0])


def _require_results(program: Program, name: str, configuration: Configuration) -> None:
    """In code of this configuration those of the interpreter, for a few sizes."""
    native = Native(program, lambda *_: configuration)
    for n in ([6, 4, 24, 0], [19, 21, 13, 0], [40, 3, 50, 0], [3, 70, 33, 0]):
        given_arrays = arguments(program, shapes(name, n), 1)
        expected = [a.copy() for a in given_arrays]
        interp.run(program, *expected)
        native(*given_arrays)
        np.testing.assert_array_equal(given_arrays[0], expected[0], err_msg=f"{n} {configuration}")


@pytest.mark.parametrize(
    "name", ["triangular band", "triangular above", "gram of some results", "matmul of some terms"]
)
def test_conditions_cut_loops_in_any_order(name: str) -> None:
    """Empty tiles are skipped, but not results of empty sums, nor what begins or completes partial results."""
    program, k, around = ex.program(EXPRESSIONS[name]()), Level("L1", "k"), Level("MM", "k")
    results = "i" if name.startswith("triangular") else "ij"
    tile = (*zip((Level("L1", d) for d in results), (3, 2)), (k, 8), (Level("REG", k.dim), 4))
    for order, (blocks, vectors) in product(permutations(results), (((), True), ((around,), True), ((), False))):
        loops = (*blocks, *(Level("L1", d) for d in order), k)
        sizes = (*((level, 16) for level in blocks), *(tile if vectors else tile[:-2]))
        configuration = Configuration(sizes, loops)
        _require_results(program, name, configuration)


@pytest.mark.parametrize("name", ["gram of some results", "matmul of some terms", "triangular band"])
def test_conditions_leave_out_blocks(name: str) -> None:
    """Of results, in blocks for caches; those of which some point takes part are not left out."""
    program = ex.program(EXPRESSIONS[name]())
    results = "i" if name == "triangular band" else "ij"
    tile = (*zip((Level("L1", d) for d in results), (3, 2)), (Level("L1", "k"), 8))
    blocks = [Level("L3", d) for d in results]
    for outer in (*permutations(blocks), *([b] for b in blocks)):
        loops = (*outer, *(Level("L1", d) for d in results), Level("L1", "k"))
        configuration = Configuration((*((level, 6) for level in outer), *tile), loops)
        _require_results(program, name, configuration)


WHOLE = st.lists(st.sampled_from([6, 8, 12, 16, 24, 32, 48, 64]), min_size=4, max_size=4)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", ["matvec", "matmul", "conv2d", "batched", "prefix sums", "linkage"])
@given(data=st.data())
@examples(12)
def test_code_for_whole_tiles_agrees(name: str, data: st.DataObject) -> None:
    """Code without remainders, for all sizes that have none."""
    expression = EXPRESSIONS[name]()
    features = data.draw(st.sampled_from([None, None, "avx2", "128"]))
    configuration = data.draw(configurations(facts_of(expression), host(features)))
    program, extents = ex.program(expression), data.draw(WHOLE)
    first = arguments(program, shapes(name, extents), 0)
    native = Native(program, lambda *_: configuration, features=features, sizes=dict(sizes_of(program, first)))
    assume(native.multiples)
    for factors in ((1, 1, 1, 1), (2, 1, 3, 1), (0, 1, 1, 1), (1, 2, 0, 1)):
        sizes = shapes(name, [n * f for n, f in zip(extents, factors)])
        given_arrays = arguments(program, sizes, data.draw(st.integers(0, 2**32)))
        assume(all(n % native.multiples.get(size, 1) == 0 for size, n in sizes_of(program, given_arrays).items()))
        expected = [a.copy() for a in given_arrays]
        interp.run(program, *expected)
        native(*given_arrays)
        for p, mine, theirs in zip(program.parameters, given_arrays, expected):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"{p.name} for {sizes} with {configuration}")


LAYOUTS = ("transposed", "panels", "padding")
VALUES = {
    *(f"0 on {layer}" for layer in ("COR", "MM", "L3", "L2", "L1", "REG")),
    "D1: reduction outside results",
    "D2: results by cores", "D2: reduction by cores", "D2: reduction by cores, inside loops",
    "D2: a block given to cores", "D2: lanes of results", "D2: lanes of a reduction",
    "S1", "R1", "S1: other loops than D1", "R1: other loops than D1",
    "D3: REG", "S3: L1", "S3: MM", "S5: REG", "S5: MM", "S5: L1",
    *(f"D3: {region}" for region in ("L3", "L2", "L1")), *(f"R3: {region}" for region in ("MM", "L3", "L2", "L1")),
    *(f"R3 at {level}" for level in ("all", "COR", "MM", "L3", "L2", "L1")),
    *(f"{parameter}: {layout}" for parameter in ("D4", "S4", "S6", "R4") for layout in LAYOUTS),
}  # fmt: skip


@pytest.mark.in_turns(3)
def test_random_configurations_reach_every_value() -> None:
    """What the laws run on has every parameter of Table 1 at every kind of value, each many times."""
    count: dict[str, int] = dict.fromkeys(VALUES, 0)
    problems = [facts_of(EXPRESSIONS[name]()) for name in ("matvec", "matmul", "conv2d", "batched")]

    @settings(max_examples=500, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(data=st.data())
    def collect(data: st.DataObject) -> None:
        facts = data.draw(st.sampled_from(problems))
        for value in reached(data.draw(configurations(facts, host())), facts.collapsed):
            count[value] = count.get(value, 0) + 1

    collect()
    assert {value for value, times in count.items() if times < 3} == set()
