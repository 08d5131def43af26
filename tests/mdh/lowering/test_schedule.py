"""Configurations as plain data: there and back, laid over the model's choice, and refused with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.base.dtype import float32
from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.algebra.expr import Allocation
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.scalar import Constant
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1, Configuration, Level
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.lowering.schedule import PARAMETERS, configuration_of, expression_names, merged, parse, plain
from tests.golden.test_lowlevel import MATVEC, PACKED
from tests.laws.configurations import EXPRESSIONS, configurations, facts_of
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import host

FULL = Configuration(
    part_size=((Level("COR", "i"), -4), (Level("L1", "i"), 6)),
    decomposition_order=(Level("COR", "i"), Level("L1", "i")),
    decomposition_assignment=((Level("L1", "i"), "L1"),),
    input_region=((0, Level("MM", ""), "L2"), (1, Level("L1", "i"), "L1")),
    input_layout=((0, ((0, 6), (1, 1), (0, 1))),),
    scalar_order=(Level("L1", "i"),),
    scalar_assignment=((Level("REG", "C.1"), "REG"),),
    scalar_input_region=((0, "L1"), (1, "REG")),
    scalar_input_layout=((0, ((0, 1), (-1, 3), (1, 1))),),
    scalar_output_region="MM",
    scalar_output_layout=((1, 1), (0, 1)),
    recomposition_order=(Level("REG", "k"), Level("L1", "k")),
    recomposition_assignment=((Level("L1", "i"), "L1"),),
    output_region=((Level("L1", "i"), "L2"),),
    output_layout=((Level("L1", "i"), ((0, 1), (1, 1))),),
)


@pytest.mark.parametrize("configuration", [Configuration(), MATVEC, PACKED, FULL])
def test_there_and_back(configuration: Configuration) -> None:
    data = plain(configuration)
    assert tuple(data) == PARAMETERS == tuple(row.field for row in TABLE_1)
    assert configuration_of(json.loads(json.dumps(data))) == configuration


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=10)
def test_random_ones_there_and_back(name: str, data: st.DataObject) -> None:
    configuration = data.draw(configurations(facts_of(EXPRESSIONS[name]()), host()))
    assert configuration_of(json.loads(json.dumps(plain(configuration)))) == configuration


# ------------------------------------------------------------------------------------------------ merging


def matmul(i: int = 512, j: int = 512, k: int = 512) -> Problem:
    sizes = {"C.shape[0]": i, "C.shape[1]": j, "A.shape[1]": k}
    return problem(lift_identities(ex.matmul(float32)), sizes, {}, 2)


def applied(data: Any, p: Problem, chosen: Configuration) -> Configuration:
    found = parse(data).applied("matmul", True, chosen, p, host())
    assert found is not None
    return found


def test_a_whole_one_stands_for_itself() -> None:
    p = matmul()
    assert applied({**plain(PACKED), "reasons": ["because"]}, p, choose(p, host()).configuration) == PACKED
    assert applied({"matmul": plain(PACKED)}, p, Configuration()) == PACKED


def test_others_keep_the_model_s_choice() -> None:
    p = matmul()
    assert parse({"other": {"part_size": {}}}).applied("matmul", False, PACKED, p, host()) is None


@pytest.mark.parametrize(("level", "size"), [
    ("(L1,i)", 4), ("(L1,i)", 7), ("(L1,j)", 16), ("(L1,j)", 96), ("(REG,j)", 4), ("(REG,j)", 8), ("(MM,k)", 100),
    ("(L3,i)", 64), ("(COR,i)", 0), ("(L1,k)", 4),
])  # fmt: skip
def test_part_sizes_around_a_given_one_are_fitted(level: str, size: int) -> None:
    p, machine = matmul(), host()
    chosen = choose(p, machine).configuration
    inner = chosen.size("L1", "i") or 1
    size = size // inner * inner if level == "(L3,i)" else size
    found = applied({"part_size": {level: size}}, p, chosen)
    assert plain(found)["part_size"][level] == size
    assert violation(p, machine, found) is None, plain(found)


def test_panels_stay_as_wide_as_the_tile() -> None:
    p = matmul()
    found = merged(PACKED, parse({"part_size": {"(L1,i)": 4}}).entries[None], p)
    assert dict(found.input_layout)[0] == ((0, 4), (1, 1), (0, 1))
    assert dict(found.input_layout)[1] == dict(PACKED.input_layout)[1]


def test_none_takes_a_part_size_away() -> None:
    found = merged(PACKED, parse({"part_size": {"(L3,j)": None}}).entries[None], matmul())
    assert found.size("L3", "j") is None and found.size("L2", "k") == 256


def test_orders_follow_the_first() -> None:
    order = ["(COR,i)", "(L1,i)", "(L1,k)"]
    found = merged(MATVEC, parse({"decomposition_order": order}).entries[None], facts_of(ex.matvec(float32)))
    assert plain(found)["scalar_order"] == order and plain(found)["recomposition_order"] == ["(REG,k)", *order]


def test_arrays_by_name() -> None:
    p = matmul()
    given = {"input_region": [["A", "(L2,i)", "L2"], [1, "(L2,k)", "L3"]], "input_layout": [["B", [[1, 1], [0, 1]]]]}
    found = applied(given, p, PACKED)
    assert found.input_region == ((0, Level("L2", "i"), "L2"), (1, Level("L2", "k"), "L3"))
    assert found.input_layout == ((1, ((1, 1), (0, 1))),)
    with pytest.raises(ConfigurationError, match=r"`D` is no array(.|\n)*0 \(A\), 1 \(B\)"):
        applied({"input_region": [["D", "(L2,i)", "L2"]]}, p, PACKED)


# ------------------------------------------------------------------------------------------------- names


def test_names_of_computations() -> None:
    allocation = Allocation("C", float32, (ex.size("A", 0), ex.size("B", 1)), Constant(0.0, float32))
    program = ex.program(ex.matmul(float32), "C", allocations=(allocation,))
    assert expression_names(program) == (("fill C", "matmul"), ("matmul",))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "expected what f.config"),
        ({1: {}}, "expected what f.config"),
        ({"part_sizes": {}}, r"no parameter `part_sizes`(.|\n)*parameters are part_size, decomposition_order"),
        ({"part_sizes": {"(L1,i)": 4}}, "no parameter `part_sizes`"),
        ({"part_size": {"(L1,i)": 4}, "ordr": []}, "no parameter `ordr`"),
        ({"f": {"part_size": {}, "ordr": []}}, "schedule of f: there is no parameter `ordr`"),
        ({"part_size": {"L1": 4}}, "it looks like"),
        ({"part_size": {"(L1,i)": 4.5}}, "it looks like"),
        ({"part_size": {"(L1,i)": True}}, "it looks like"),
        ({"part_size": [4]}, "it looks like"),
        ({"decomposition_order": "(L1,i)"}, "it looks like"),
        ({"decomposition_order": ["i"]}, "it looks like"),
        ({"input_region": [["A", "(L1,i)"]]}, "it looks like"),
        ({"input_layout": [["A", [0, 1]]]}, "it looks like"),
        ({"scalar_output_region": 1}, "it looks like"),
    ],
)
def test_what_is_no_schedule(data: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        parse(data)
    assert caught.value.loc is None


def test_computations_that_are_not_there() -> None:
    with pytest.raises(ConfigurationError, match=r"no computation `g`(.|\n)*computations are fill C, f"):
        parse({"g": {"part_size": {}}}).require(("fill C", "f"), ("f",))
    with pytest.raises(ConfigurationError, match=r"for which of 2 computations(.|\n)*'f 2'"):
        parse({"part_size": {}}).require(("f", "f 2"), ("f", "f 2"))
    parse({"fill C": {"part_size": {}}}).require(("fill C", "f"), ("f",))


def refused(schedule: dict[str, Any]) -> ConfigurationError:
    """What a call of MatMul says to a schedule that is not legal."""
    sizes = {f"{array}.shape[{axis}]": 64 for array in "ABC" for axis in (0, 1)}
    with pytest.raises(ConfigurationError) as found:
        generate(
            Request(
                ex.program(ex.matmul()), sizes, {"A": 1, "B": 1, "C": 1}, host(), threads=2, schedule=parse(schedule)
            )
        )
    return found.value


@pytest.mark.parametrize(
    ("schedule", "hint"),
    [
        ({"decomposition_order": ["(L1,k)", "(L1,i)"]}, "what is left without decomposition_order is legal"),
        ({"part_size": {"(L1,i)": 2000, "(L1,j)": 32}}, "what is left without part_size (L1,i) is legal"),
        (
            {"input_region": [["A", "(L1,k)", "L1"]], "scalar_input_region": [["A", "L1"]]},
            "what is left without input_region or without scalar_input_region is legal",
        ),
        ({"part_size": {"(L9,i)": 4}, "scalar_output_region": "L2"}, "f.config(…) gives one that is legal"),
    ],
)
def test_the_hint_says_which_value_stands_in_the_way(schedule: dict[str, Any], hint: str) -> None:
    assert refused(schedule).hint.startswith(hint)


def test_lanes_of_another_dimension_take_the_place_of_the_model_s() -> None:
    p = problem(lift_identities(ex.matmul(float32)), {}, {}, 2)
    chosen = Configuration(part_size=((Level("L1", "i"), 6), (Level("L1", "j"), 32), (Level("REG", "j"), 16)))
    found = merged(chosen, {"part_size": ((Level("REG", "i"), 8),)}, p)
    assert dict(found.part_size) == {Level("REG", "i"): 8, Level("L1", "i"): 8, Level("L1", "j"): 2}
    assert violation(p, host(), found) is None
