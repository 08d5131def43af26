"""Loop-invariant code motion of functions: what they give for numbers that stay the same is computed before the loop.

Before:   for (i = 0; i < n; i += 1) {        after:   const double t = exp(a[0]);
              const double t = exp(a[0]);              const bool wrong = t == inf;
              const bool wrong = t == inf;             for (i = 0; i < n; i += 1) {
              if (wrong) status = 7;                       if (wrong) status = 7;
              y[i] = t * x[i];                             y[i] = t * x[i];
          }                                            }

What is a part of something else, such as exp(a[0]) * x[i] of vectors, gets a name for that.

A parallel loop in a loop is no obstacle: all its tasks, in all rounds, are given what was computed once.

Moved are exponentials, powers, quotients, roots and the like, what they are computed from, and what is computed from
them. A product or a sum alone stays where it is: it costs less than a register that is taken through a loop.

Requires: no two statements of a function bind the same name, or these names stay where they are.
Ensures: no scalar is computed by such a function in a loop in which its operands stay the same: neither from
integers, whose quotients may not exist, nor from elements of arrays, which may be written. Every value stays what it
was; an error is found where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    For,
    Grid,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Parallel,
    Statement,
    Value,
    While,
)
from jitmdh.mdh.kernel.passes.functions.calls import calls_one, functions_from
from jitmdh.mdh.kernel.rewrite import (
    FIELDS,
    NESTED,
    Body,
    N,
    children,
    is_flat,
    map_bodies,
    map_children,
    same,
    statements,
    values,
)

_EXPENSIVE = 4
"""Instructions as long as a multiply-add that a function takes at least, to be moved."""

_FUNCTIONS = functions_from(_EXPENSIVE)

_OF_INTEGERS = frozenset({"add", "sub", "mul", "neg", "minimum", "maximum", "cast", "select"})
"""What integers always have."""

_CHANGING = 1 << 30
"""In how many loops a variable, or what is read from memory, is made: in no loop it stays the same."""


def hoist_functions(kernel: Kernel) -> Kernel:
    every = [s for s in statements(kernel.body) if type(s) not in NESTED]
    if not any(map(_has_function, every)):
        return kernel
    bound = Counter(s.name.name for s in every if isinstance(s, Let))
    found = _Found({b.name for b in kernel.buffers if b.inline and not b.written}, bound)
    found.body(kernel.body, ())
    body = _moved(kernel.body, found)
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(slots=True)
class _Found:
    """What can be moved, and where to. numbers: buffers that are scalar arguments; bound: how often a name is bound.

    made: in how many loops each name gets its value; waiting: statements that could be moved, with the loop in front of
    which they would stand; before: those that are, by the identity of that loop; names: of these;
    functions: names of what is computed by functions, or from that; parts: of what is a part of a statement, by the
    identities of that and of the loop around it; known: of parts in front of a loop, by its identity.
    """

    numbers: set[str]
    bound: Counter[str]
    made: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, tuple[Let, Statement]] = field(default_factory=dict)
    before: dict[int, list[Let]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    parts: dict[tuple[int, int], dict[Value, Name]] = field(default_factory=dict)
    known: dict[tuple[Value, int], Name] = field(default_factory=dict)

    def body(self, body: Body, loops: tuple[Statement, ...]) -> None:
        for node in body:
            if isinstance(node, Let):
                self.let(node, loops)
            elif type(node) in NESTED:
                self.nested(node, loops)
            moved = isinstance(node, Let) and node.name.name in self.names
            if loops and not moved and _has_function(node):
                self.name_parts(node, loops)
            if (binds := FIELDS[type(node)].binds) is not None and not isinstance(node, Let):
                self.made[getattr(node, binds).name] = _CHANGING

    def nested(self, node: Statement, loops: tuple[Statement, ...]) -> None:
        inside = (*loops, node) if isinstance(node, For | While) else loops
        made = self.made
        if isinstance(node, For):
            made[node.name.name] = len(inside)
        if isinstance(node, Parallel):  # of tasks, which are given what they take from outside
            self.made[node.name.name] = len(loops)
        elif isinstance(node, Grid):  # what each block computes stays in it
            inside, self.made = (), {name: 0 if depth < _CHANGING else depth for name, depth in made.items()}
            self.made[node.name.name] = 0
        for name in FIELDS[type(node)].bodies:
            self.body(getattr(node, name), inside)
        self.made = made

    def let(self, node: Let, loops: tuple[Statement, ...]) -> None:
        name = node.name.name
        depth = self.depth(node.value) if self.bound[name] == 1 else _CHANGING
        self.made[name] = min(depth, len(loops))
        if depth >= len(loops):
            return
        self.waiting[name] = node, loops[depth]
        if _is_expensive(node) or any(n in self.functions for n in _names(node.value)):
            self.functions.add(name)
            self.take(name)

    def name_parts(self, node: Statement, loops: tuple[Statement, ...]) -> None:
        """Gives names to the numbers in a statement that can be moved."""
        waiting = children(node)
        while waiting:
            value = waiting.pop()
            depth = self.depth(value)
            if depth >= len(loops):
                waiting += children(value)
            elif calls_one(value, _FUNCTIONS, "fc"):
                loop = loops[depth]
                name = self.known.get((value, id(loop)))
                if name is None:
                    name = self.known[value, id(loop)] = Name(f"function.{len(self.known)}", value.type)
                    self.made[name.name], self.waiting[name.name] = depth, (Let(name, value), loop)
                    self.functions.add(name.name)
                    self.take(name.name)
                self.parts.setdefault((id(node), id(loops[-1])), {})[value] = name

    def take(self, name: str) -> None:
        """Moves a statement, behind those that it rests on."""
        node, loop = self.waiting.pop(name)
        for other in _names(node.value):
            if other in self.waiting:
                self.take(other)
        self.before.setdefault(id(loop), []).append(node)
        self.names.add(name)

    def depth(self, node: Value) -> int:
        """In how many loops a value is made; it may be computed where nobody needs it."""
        if node.lanes > 1:
            return _CHANGING
        match node:
            case Literal() | Argument():
                return 0
            case Name(name):
                return self.made.get(name, _CHANGING)
            case Load(buffer, Literal(0), mask=None) if buffer in self.numbers:
                return 0
            case Apply(op, operands) if node.type.kind in "fcb" or op in _OF_INTEGERS:
                return max(map(self.depth, operands), default=0)
        return _CHANGING


def _moved(body: Body, found: _Found, around: int = 0) -> Body:
    """around: the identity of the innermost loop."""
    new: list[Statement] = []
    for node in body:
        if isinstance(node, Let) and node.name.name in found.names:
            continue
        new += found.before.get(id(node), ())
        if type(node) in NESTED:
            loop = id(node) if isinstance(node, For | While) else around
            node = map_bodies(node, partial(_moved, found=found, around=loop))
        elif (names := found.parts.get((id(node), around))) is not None:
            node = _with_names(node, names)
        new.append(node)
    return body if same(new, body) else tuple(new)


def _names(value: Value) -> list[str]:
    if isinstance(value, Name):
        return [value.name]
    return [name for child in children(value) for name in _names(child)]


def _with_names(node: N, names: Mapping[Value, Name]) -> N:
    return map_children(node, lambda v: names[v] if v in names else _with_names(v, names))


def _has_function(node: Statement) -> bool:
    """Whether a statement itself computes numbers by such a function."""
    if type(node) in NESTED or (type(node) is Let and type(node.value) is Apply and _is_plain(node.value)):
        return False
    return any(
        isinstance(v, Apply) and v.op in _FUNCTIONS and v.lanes == 1 and v.type.kind in "fc" for v in values(node)
    )


def _is_plain(value: Apply) -> bool:
    """Whether it is no such operation, of values that are there already: most of a kernel."""
    return (value.lanes > 1 or value.op not in _FUNCTIONS) and is_flat(value)


def _is_expensive(node: Let) -> bool:
    """Of reals and complex numbers: quotients of integers may not exist."""
    return calls_one(node.value, _FUNCTIONS, "fc")
