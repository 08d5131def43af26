"""Children of kernel IR's nodes, walks over them and a rewriter: what every pass and every analysis rests on.

The fields of a node are sorted once, by their annotations: a new kind of node in `ir.py` is walked and rewritten
without a line here. Nothing that stays the same is copied: a pass that changes nothing returns the very same kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter, is_
from typing import Any, ClassVar, TypeVar, get_args

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Apply, Kernel, Literal, Name, Splat, Statement, Value

Node = Value | Statement
Body = tuple[Statement, ...]
N = TypeVar("N", bound=Node)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a kind of node that hold other nodes.

    names: of all fields; values: a value, or None; many: a tuple of values; bodies: statements; binds: the name that a
    statement gives a value to, if any. In the order in which they are declared. all_values: gets `values`, as a tuple;
    only: gets the one value of a kind that holds no other.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    many: tuple[str, ...]
    bodies: tuple[str, ...]
    binds: str | None
    all_values: Callable[[Node], tuple[Value | None, ...]]
    only: Callable[[Node], Value | None] | None = None


def _sorted(kind: type) -> Fields:
    by_type: dict[str, list[str]] = {}
    for field in fields(kind):
        by_type.setdefault(str(field.type), []).append(field.name)
    values = [f.name for f in fields(kind) if f.type in ("Value", "Value | None")]
    many, bodies = by_type.get("tuple[Value, ...]", []), by_type.get("tuple[Statement, ...]", [])
    binds = next(iter((*by_type.get("Name", ()), *by_type.get("Name | None", ()))), None)
    names = tuple(f.name for f in fields(kind))
    only: Callable[[Node], Any] | None = attrgetter(values[0]) if len(values) == 1 and not many else None
    return Fields(names, tuple(values), tuple(many), tuple(bodies), binds, _getter(values), only)


def _getter(names: Sequence[str]) -> Callable[[Node], tuple[Value | None, ...]]:
    """`attrgetter` gives what it gets as a tuple only where it gets several."""
    if not names:
        return lambda node: ()
    get: Callable[[Node], Any] = attrgetter(*names)
    return get if len(names) > 1 else lambda node: (get(node),)


FIELDS: dict[type, Fields] = {kind: _sorted(kind) for kind in (*get_args(Value), *get_args(Statement))}
"""For each kind of node what it is made of."""

_VALUES: frozenset[type] = frozenset(get_args(Value))
_NAMED: frozenset[type] = frozenset({Name, Literal})
_LEAVES: frozenset[type] = frozenset(k for k in get_args(Value) if not FIELDS[k].values and not FIELDS[k].many)

NESTED: frozenset[type] = frozenset(kind for kind in get_args(Statement) if FIELDS[kind].bodies)
"""Kinds of statements that have others inside."""


def children(node: Node) -> list[Value]:
    """The values that `node` is computed from or works on; not what is in the bodies of a statement."""
    if isinstance(node, Apply):
        return list(node.operands)
    parts = FIELDS[type(node)]
    if parts.only is not None:
        child = parts.only(node)
        return [] if child is None else [child]
    found = [child for child in parts.all_values(node) if child is not None]
    for name in parts.many:
        found += getattr(node, name)
    return found


def bodies(node: Node) -> list[Body]:
    """The bodies of a loop, a branch or a buffer's life, in the order in which they are written."""
    return [getattr(node, name) for name in FIELDS[type(node)].bodies]


def bound(node: Statement) -> Name | None:
    """The name that a statement gives a value to: of a `Let`, a variable (first or again), or a loop."""
    name = FIELDS[type(node)].binds
    return None if name is None else getattr(node, name)


def values(node: Node) -> Iterator[Value]:
    """All values inside a value or a statement (itself, if it is one, last); not those in bodies."""
    found: list[Value] = []
    waiting = [node] if type(node) in _VALUES else children(node)
    while waiting:  # not by recursion: sums that are written out are thousands of terms deep
        found.append(one := waiting.pop())  # type: ignore[arg-type]
        if type(one) not in _LEAVES:
            waiting += children(one)
    return reversed(found)


def statements(body: Body) -> Iterator[Statement]:
    """All statements, those inside others right behind them."""
    waiting = [iter(body)]
    while waiting:
        for statement in waiting[-1]:
            yield statement
            if FIELDS[type(statement)].bodies:
                waiting += [iter(inner) for inner in reversed(bodies(statement))]
                break
        else:
            waiting.pop()


def kinds(body: Body) -> set[type]:
    """The kinds of all statements, those inside others included: what a pass that acts on few kinds asks first."""
    found: set[type] = set()
    waiting = [body]
    while waiting:
        own = waiting.pop()
        found.update(map(type, own))
        for statement in own:
            if type(statement) in NESTED:
                waiting += bodies(statement)
    return found


def of_leaves(node: Apply) -> bool:
    """Whether an operation is one of names and literals alone, as most are."""
    return all([type(operand) in _NAMED for operand in node.operands])


def is_flat(node: Apply) -> bool:
    """As `of_leaves`, where a literal in all lanes is a leaf, too: a multiply-add by a coefficient."""
    for operand in node.operands:
        if type(operand) not in _NAMED and (type(operand) is not Splat or type(operand.value) is not Literal):
            return False
    return True


def map_children(node: N, f: Callable[[Value], Value]) -> N:
    """`node` with `f` of each of its children; `node` itself if they all stay the same object."""
    if isinstance(node, Apply):  # most of a kernel
        old = node.operands
        operands: tuple[Value, ...]
        if len(old) == 2:
            left, right = operands = f(old[0]), f(old[1])
            if left is old[0] and right is old[1]:
                return node
        else:
            operands = tuple([f(operand) for operand in old])
            if all(map(is_, operands, old)):
                return node
        return Apply(node.op, operands, node.type, node.lanes, node.relaxed, node.loc)  # type: ignore[return-value]
    parts = FIELDS[type(node)]
    if parts.only is not None:
        child = parts.only(node)
        if child is None or (new := f(child)) is child:
            return node
        return with_fields(node, {parts.values[0]: new})
    changed: dict[str, object] = {}
    if parts.values:
        held = parts.all_values(node)
        mapped = [child if child is None else f(child) for child in held]
        if not all(map(is_, mapped, held)):
            changed.update(zip(parts.values, mapped))
    for name in parts.many:
        several = getattr(node, name)
        if not same(all_mapped := tuple([f(child) for child in several]), several):
            changed[name] = all_mapped
    return with_fields(node, changed) if changed else node


def map_bodies(node: N, f: Callable[[Body], Body]) -> N:
    """`node` with `f` of each of its bodies; `node` itself if they all stay the same object."""
    names = FIELDS[type(node)].bodies
    if not names:
        return node
    changed: dict[str, object] = {}
    for name in names:
        body = getattr(node, name)
        if (new := f(body)) is not body:
            changed[name] = new
    return with_fields(node, changed) if changed else node


def with_fields(node: N, changed: dict[str, object]) -> N:
    """`replace`, without looking at the fields anew each time."""
    kind: Callable[..., N] = type(node)
    return kind(*[changed[name] if name in changed else getattr(node, name) for name in FIELDS[type(node)].names])


def same(new: Sequence[object], old: Sequence[object]) -> bool:
    """Whether these are the very same objects in the same order."""
    return len(new) == len(old) and all(map(is_, new, old))


class Rewriter:
    """Base of passes: rebuilds a kernel from the leaves up, and only what changes.

    A pass overrides `value` (what a value becomes), `statement` (by which statements one is replaced: none deletes it)
    or `body`, and calls the inherited method for what is inside.

    kinds: of the statements that `statement` is asked about; all others stay as they are.
    """

    kinds: ClassVar[frozenset[type]] = frozenset(get_args(Statement))

    def kernel(self, kernel: Kernel) -> Kernel:
        body = self.body(kernel.body)
        return kernel if body is kernel.body else replace(kernel, body=body)

    def body(self, body: Body) -> Body:
        new: list[Statement] = []
        for node in body:
            if type(node) in self.kinds:
                new += self.statement(node)
            else:
                new.append(node)
        return body if same(new, body) else tuple(new)

    def statement(self, node: Statement) -> Sequence[Statement]:
        node = map_children(node, self.value)
        return (map_bodies(node, self.body) if FIELDS[type(node)].bodies else node,)

    def value(self, node: Value) -> Value:
        return map_children(node, self.value)
