"""The checker of traces: what is well-formed passes, and each kind of damage is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from jitmdh.base.dtype import float32, float64, int64
from jitmdh.base.errors import InternalError
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import IndexValue, Operation
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import Executed, execute
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.frontend.trace_ir.check import check
from jitmdh.mdh.frontend.trace_ir.trace import Repeated, Statement
from jitmdh.mdh.frontend.trace_ir.value_graph import Carried, Component, Read

VECTOR, MATRIX = ArrayType(float64, 1), ArrayType(float64, 2)


def row_sums(w, M):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k]


def executed() -> Executed:
    return execute(capture(row_sums), (VECTOR, MATRIX))


def statement(found: Executed) -> Statement:
    (item,) = found.items
    assert isinstance(item, Statement)
    return item


def unknown_array(found: Executed) -> None:
    statement(found).targets[0].buffer = "nowhere"


def missing_subscript(found: Executed) -> None:
    statement(found).targets[0].index = ()


def subscript_out_of_scope(found: Executed) -> None:
    statement(found).targets[0].index = (Affine.of("k"),)


def unknown_condition(found: Executed) -> None:
    statement(found).guard = (Affine.of("k"),)


def loop_opened_twice(found: Executed) -> None:
    statement(found).dims *= 2


def value_of_another_type(found: Executed) -> None:
    statement(found).targets[0].value = found.tracer.trace.graph.constant(1, int64)


def wrong_number_of_operands(found: Executed) -> None:
    target = statement(found).targets[0]
    target.value = Operation("add", (target.value,), float64)


def carried_by_a_closed_loop(found: Executed) -> None:
    statement(found).targets[0].value = found.tracer.trace.graph.new_leaf(Carried("total"), float64)


def leaf_without_a_description(found: Executed) -> None:
    statement(found).targets[0].value = found.tracer.trace.graph.variable("%unknown", float64)


def scatter_without_an_operator(found: Executed) -> None:
    statement(found).scattered = statement(found).dims


def read_in_another_type(found: Executed) -> None:
    read = Read("w", (Affine.of("i"),), (), 0, 0, False, None)
    node = found.tracer.trace.graph.new_leaf(read, float32)
    statement(found).targets[0].value = Operation("cast", (node,), float64)


def reduction_of_another_type(found: Executed) -> None:
    graph, target = found.tracer.trace.graph, statement(found).targets[0]
    component = graph.described(target.value)
    assert isinstance(component, Component)
    wrong = replace(component.reduction, body=(graph.constant(1, int64),))
    target.value = graph.new_leaf(Component(wrong, 0), float64)


def sequential_for_no_reason(found: Executed) -> None:
    item = statement(found)
    (dim,), item.dims = item.dims, ()
    found.items[:] = [Repeated(item.time, dim, [item], "")]


def component(found: Executed) -> Component:
    """The sum that the statement stores."""
    described = found.tracer.trace.graph.described(statement(found).targets[0].value)
    assert isinstance(described, Component)
    return described


def changed(found: Executed, number: int = 0, **fields: object) -> None:
    """Stores a component of a changed reduction."""
    leaf = found.tracer.trace.graph.new_leaf(Component(replace(component(found).reduction, **fields), number), float64)
    statement(found).targets[0].value = leaf


def no_targets(found: Executed) -> None:
    statement(found).targets.clear()


def empty_loop(found: Executed) -> None:
    item = statement(found)
    found.items[:] = [Repeated(item.time, item.dims[0], [], "time")]


def statement_in_its_own_loop(found: Executed) -> None:
    item = statement(found)
    found.items[:] = [Repeated(item.time, item.dims[0], [item], "time")]


def standing_still(found: Executed) -> None:
    item = statement(found)
    item.dims = (replace(item.dims[0], stride=0),)


def bound_out_of_scope(found: Executed) -> None:
    item = statement(found)
    item.dims = (replace(item.dims[0], room=Affine.of("i")),)


def length_out_of_scope(found: Executed) -> None:
    item = statement(found)
    item.dims = (replace(item.dims[0], length=Affine.of("k")),)


def scattered_over_another_loop(found: Executed) -> None:
    item, reduction = statement(found), component(found).reduction
    item.scattered, item.operator = reduction.dims, reduction.operator


def unknown_data(found: Executed) -> None:
    statement(found).targets[0].index = (Affine.of("@0"),)


def unknown_index(found: Executed) -> None:
    target = statement(found).targets[0]
    index = IndexValue(Affine.of("k"), float64)
    target.value = Operation("add", (target.value, index), float64)


def unknown_operation(found: Executed) -> None:
    target = statement(found).targets[0]
    target.value = Operation("frob", (target.value, target.value), float64)


def read_out_of_scope(found: Executed) -> None:
    read = Read("w", (Affine.of("k"),), (), 0, 0, False, None)
    statement(found).targets[0].value = found.tracer.trace.graph.new_leaf(read, float64)


def condition_of_a_read(found: Executed) -> None:
    read = Read("w", (Affine.of("i"),), (Affine.of("k"),), 0, 0, False, None)
    statement(found).targets[0].value = found.tracer.trace.graph.new_leaf(read, float64)


def component_beyond_the_state(found: Executed) -> None:
    changed(found, 1)


def component_before_the_state(found: Executed) -> None:
    changed(found, -1)


def scan_of_no_kind(found: Executed) -> None:
    changed(found, scan="sideways")


def reduction_over_nothing(found: Executed) -> None:
    changed(found, dims=())


def points_out_of_scope(found: Executed) -> None:
    changed(found, guard=(Affine.of("j"),))


def start_of_another_type(found: Executed) -> None:
    changed(found, init=(found.tracer.trace.graph.constant(0, int64),))


def start_out_of_scope(found: Executed) -> None:
    """What a reduction starts from is computed outside of its loops."""
    changed(found, init=(IndexValue(Affine.of("k"), float64),))


def body_out_of_scope(found: Executed) -> None:
    changed(found, body=(IndexValue(Affine.of("j"), float64),))


DAMAGES = {
    no_targets: "a statement without targets",
    empty_loop: "the loop i is empty",
    statement_in_its_own_loop: "a loop of i, i is opened twice",
    standing_still: "the loop i has the step 0",
    bound_out_of_scope: "bound of i uses i, which has no meaning there",
    length_out_of_scope: "bound of i uses k, which has no meaning there",
    scattered_over_another_loop: "it is scattered over loops that are not its own",
    unknown_data: "subscript of w uses .*, which has no meaning there",
    unknown_index: "index uses k, which has no meaning there",
    unknown_operation: "frob of 2 operands",
    read_out_of_scope: "subscript of w uses k, which has no meaning there",
    condition_of_a_read: "condition of w uses k, which has no meaning there",
    component_beyond_the_state: "component 1 of a reduction",
    component_before_the_state: "component -1 of a reduction",
    scan_of_no_kind: "a scan of kind sideways",
    reduction_over_nothing: "add over no loop",
    points_out_of_scope: "points of add uses j, which has no meaning there",
    start_of_another_type: r"add has a initial state of \(int64\)",
    start_out_of_scope: "index uses k, which has no meaning there",
    body_out_of_scope: "index uses j, which has no meaning there",
    unknown_array: "there is no array nowhere",
    missing_subscript: "w has 1 axes and 0 subscripts",
    subscript_out_of_scope: "subscript of w uses k, which has no meaning there",
    unknown_condition: "guard uses k, which has no meaning there",
    loop_opened_twice: "a loop of i, i is opened twice",
    value_of_another_type: "w of float64 is given int64",
    wrong_number_of_operands: "add of 1 operands",
    carried_by_a_closed_loop: "total is still carried by a loop that is closed",
    leaf_without_a_description: "%unknown stands for nothing",
    scatter_without_an_operator: "a scatter without an operator",
    read_in_another_type: "w of float64 is read as float32",
    reduction_of_another_type: r"add has a body of \(int64\)",
    sequential_for_no_reason: "the loop i is sequential for no reason",
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda f: f.__name__)
def test_damage_is_found(damage: Callable[[Executed], None]) -> None:
    found = executed()
    damage(found)
    with pytest.raises(InternalError, match=f"trace after damage: {DAMAGES[damage]}") as failure:
        check(found.tracer.trace, found.items, "damage")
    assert failure.value.loc is not None and failure.value.loc.filename == __file__


def chosen(y, x, at):
    for i in range(y.shape[0]):
        y[i] = x[at[i]]


def test_what_data_choose_is_well_formed() -> None:
    found = execute(capture(chosen), (VECTOR, VECTOR, ArrayType(int64, 1)))
    check(found.tracer.trace, found.items, "nothing")
