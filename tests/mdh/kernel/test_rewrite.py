"""Children, walks and the rewriter of kernel IR."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import get_args

from jitmdh.base.dtype import float64
from jitmdh.mdh.kernel import ir
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import Apply, For, If, Kernel, Let, Literal, Load, Name, Prefetch, Statement, Store, Value
from jitmdh.mdh.kernel.rewrite import FIELDS, Rewriter, bound, children, map_children, statements, values

i, n = Name("i"), Name("n")
doubled = Apply("mul", (Load("x", i, float64), Literal(2.0, float64)), float64)
BODY: tuple[Statement, ...] = (
    Prefetch("x", integer(0)),
    For(i, integer(0), n, integer(1), (If(compare("lt", i, n), (Store("y", i, doubled),)),)),
)
KERNEL = Kernel("kernel", (), BODY)


def test_fields_of_every_node_are_known() -> None:
    """A field whose annotation says that it holds nodes is one that is walked."""
    for kind in (*get_args(Value), *get_args(Statement)):
        parts = FIELDS[kind]
        known = {*parts.values, *parts.many, *parts.bodies, parts.binds}
        for field in fields(kind):
            held = any(word in str(field.type) for word in ("Value", "Statement", "Name"))
            assert held == (field.name in known), (kind.__name__, field.name)


def test_every_class_of_the_ir_is_a_node() -> None:
    nodes = {*get_args(Value), *get_args(Statement), ir.BufferArgument, ir.Kernel}
    classes = {c for c in vars(ir).values() if isinstance(c, type) and is_dataclass(c) and c.__module__ == ir.__name__}
    assert classes == nodes


def test_children_are_values_only() -> None:
    loop = BODY[1]
    assert children(loop) == [integer(0), n, integer(1)]
    assert bound(loop) is i
    assert children(Store("y", i, doubled)) == [i, doubled, integer(1)]  # no mask


def test_walks() -> None:
    assert [type(s).__name__ for s in statements(BODY)] == ["Prefetch", "For", "If", "Store"]
    assert list(values(doubled))[-1] is doubled
    assert [v for v in values(Store("y", i, doubled)) if isinstance(v, Load)] == [doubled.operands[0]]


def test_nothing_changed_is_the_same_object() -> None:
    assert map_children(doubled, lambda v: v) is doubled
    assert Rewriter().kernel(KERNEL) is KERNEL


def test_only_what_changes_is_rebuilt() -> None:
    class Shifted(Rewriter):
        def value(self, node: Value) -> Value:
            if isinstance(node, Load):
                return Load(node.buffer, add(node.offset, integer(1)), node.type)
            return super().value(node)

    changed = Shifted().kernel(KERNEL)
    assert changed.body[0] is KERNEL.body[0]
    store = list(statements(changed.body))[-1]
    assert isinstance(store, Store) and isinstance(store.value, Apply)
    assert store.value.operands == (Load("x", add(i, integer(1)), float64), Literal(2.0, float64))
    assert store.value.operands[1] is doubled.operands[1]


def test_statements_are_deleted_and_added() -> None:
    class Cleaned(Rewriter):
        def statement(self, node: Statement) -> tuple[Statement, ...]:
            if isinstance(node, Prefetch):
                return ()
            if isinstance(node, Store):
                return (Let(Name("v", float64), node.value), Store(node.buffer, node.offset, Name("v", float64)))
            (whole,) = super().statement(node)
            return (whole,)

    kinds = [type(s).__name__ for s in statements(Cleaned().kernel(KERNEL).body)]
    assert kinds == ["For", "If", "Let", "Store"]
