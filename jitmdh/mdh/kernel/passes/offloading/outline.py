"""What runs on the device becomes parallel loops, and what the host can decide stays around them.

Before:   const double a = x[0];                      after:   const long frame.2 = frame[2];
          y[frame[2]] = a;                                     parallel for (long item = 0; item < 1; item++) {
          parallel for (long t = 0; t < n; t++) {                  const double a = x[0];
              double b[m];                                         y[frame.2] = a;
              …                                                }
          }                                                    double b.of_all[m * n];
                                                               parallel for (long t = 0; t < n; t++) {
                                                                   b = b.of_all + t * m;
                                                                   …
                                                               }

What one loop computes and another uses lies in cells of memory between them (see `cells`). Conditions that only the
device knows are looked at by each loop inside of them; loops whose bounds only the device knows are run in order, by
one iteration.

Requires: nothing.
Ensures: memory is touched in parallel loops only, and these use values of the host that never change. Outside of them
stand sizes, sequential loops, conditions on sizes, and working buffers, each for all iterations of a loop, with as much
for each as the largest needs (see `sizes`). A program that is not so is refused: NotAnMdhError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import field, replace

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, both, compare, divide, integer, maximum, multiply, negated
from jitmdh.mdh.kernel.bounds import Bounds
from jitmdh.mdh.kernel.free_variables import free_names
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Barrier,
    Failed,
    For,
    Grid,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Misalignment,
    Name,
    Parallel,
    Return,
    Scratch,
    SetArgument,
    Statement,
    Store,
    Thread,
    Value,
    View,
)
from jitmdh.mdh.kernel.passes.offloading.cells import SINGLE, Cells, free
from jitmdh.mdh.kernel.passes.offloading.sizes import Sizes
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, bound, children, map_bodies, statements
from jitmdh.mdh.machine.blocks import SHARED

Refuse = Callable[[str], Exception]
_LINE = 64  # bytes; a cache line, and the widest vector


def outline(kernel: Kernel, refuse: Refuse) -> Kernel:
    """refuse: makes the error for what cannot be so, from its name."""
    outliner = _Outliner(frozenset(b.name for b in kernel.buffers if b.inline), refuse, Bounds(kernel.body))
    body = outliner.body(kernel.body, frozenset())
    return replace(kernel, body=Cells(outliner.shared).around(body))


@dataclass(slots=True)
class _Outliner:
    """inline: buffers that are scalar arguments. bounds: of what the host has computed; loops, sizes: how many there
    are. conditions: that only the device knows, around what is being written, and whether they hold there; shared:
    values that one loop computes and another uses; views: that loops may use."""

    inline: frozenset[str]
    refuse: Refuse
    bounds: Bounds
    loops: int = 0
    sizes: int = 0
    conditions: tuple[tuple[Value, bool], ...] = ()
    shared: dict[str, Name] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)

    def body(self, body: Body, known: frozenset[str]) -> Body:
        """known: the names that the host has values of."""
        out: list[Statement] = []
        waiting: list[Statement] = []

        def flush() -> None:
            if waiting:
                out.extend(self.single(tuple(waiting), known))
                waiting.clear()

        for node in body:
            if isinstance(node, Let) and node.name.lanes == 1 and self.on_host(node.value, known):
                if node.name.name in known:  # what waits uses the one before
                    flush()
                out.append(node)
                self.bounds.bind(node)
                known |= {node.name.name}
            elif _is_control(node):
                if isinstance(node, If) and not self.on_host(node.condition, known):
                    node = self.decided(node, waiting)
                flush()
                out += self.control(node, known)
            else:
                if isinstance(node, View):
                    self.views[node.buffer] = node
                waiting.append(node)
                if (name := bound(node)) is not None:
                    known -= {name.name}
        flush()
        return tuple(out)

    def on_host(self, value: Value, known: frozenset[str]) -> bool:
        """Whether a value is made of the frame and of known names only."""
        match value:
            case Name():
                return value.name in known
            case Load():
                return value.buffer in self.inline
            case Misalignment() | Failed():
                return False
        return value.lanes == 1 and all(self.on_host(child, known) for child in children(value))

    def decided(self, node: If, waiting: list[Statement]) -> If:
        """The same branch, on a condition that what is inside does not change."""
        if node.condition in (Failed(), negated(Failed())):
            return node
        self.loops += 1
        name = Name(f"decided.{self.loops}", bool_, node.condition.lanes)
        waiting.append(Let(name, node.condition))
        return replace(node, condition=name)

    def control(self, node: Statement, known: frozenset[str]) -> list[Statement]:
        on_host = all(self.on_host(value, known) for value in children(node))
        match node:
            case If() if not on_host:
                return [*self.inside(node, True, known), *self.inside(node, False, known)]
            case Parallel() if on_host:
                return self.parallel(node, known)
            case Grid() if on_host:
                return [self.grid(node, known)]
            case For() if on_host:
                self.bounds.bind(node)
                return [replace(node, body=self.body(node.body, known | {node.name.name}))]
            case If() | Scratch() if on_host:
                return [map_bodies(node, lambda body: self.body(body, known))]
            case Return() | SetArgument() if on_host and not self.conditions:
                return [node]
        if _ends((node,)):
            raise self.refuse("an end of the function that depends on data")
        if any(isinstance(inner, Grid) for inner in statements((node,))):
            raise self.refuse("a grid of threads under a condition that data decide")
        return self.single(_InOrder().body((node,)), known)

    def inside(self, node: If, holds: bool, known: frozenset[str]) -> Body:
        """What is done where the condition, which the device knows, holds, or where it does not."""
        around = self.conditions
        self.conditions = (*around, (node.condition, holds))
        body = self.body(node.then if holds else node.otherwise, known)
        self.conditions = around
        return body

    def single(self, body: Body, known: frozenset[str]) -> list[Statement]:
        """These statements as a loop of one iteration."""
        frame = _Frame()
        body = frame.body(body)
        self.loops += 1
        loop = Parallel(Name(f"{SINGLE}{self.loops}"), integer(1), body)
        found = list(frame.found.values())
        return [*found, *self.parallel(loop, known | {let.name.name for let in found})]

    def parallel(self, node: Parallel, known: frozenset[str]) -> list[Statement]:
        body = node.body
        for condition, holds in reversed(self.conditions):
            body = (If(condition, body) if holds else If(condition, (), body),)
        node = replace(node, body=self.with_views(body))
        self.shared |= {n: name for n, name in free(node.body, {node.name.name}).items() if n not in known}
        sizes = Sizes(lambda value: self.on_host(value, known), self.bounds, {})
        parts = _Parts(node, sizes, self.sizes)
        with self.bounds.inside():
            loop: Statement = replace(node, body=parts.body(node.body))
        if parts.unknown:
            raise self.refuse("a working buffer whose size is computed in a parallel loop")
        self.sizes += len(parts.sizes)
        for whole, scratch in parts.found.items():
            loop = Scratch(whole, scratch.type, _times(scratch.count, node.count), (loop,), scratch.region)
        return [*parts.sizes, loop]

    def grid(self, node: Grid, known: frozenset[str]) -> Grid:
        """What is a grid already. Its barriers need all threads of a block: one of them looks at conditions for all."""
        body = self.with_views(node.body)
        if self.conditions:
            body = self.agreed(body)
        node = replace(node, body=body)
        self.shared |= {n: name for n, name in free(body, {node.name.name}).items() if n not in known}
        return node

    def agreed(self, body: Body) -> Body:
        """`body` where all conditions hold for the first thread of the block, when it begins."""
        self.loops += 1
        cell = f"agreed.{self.loops}"
        holds: Value | None = None
        for condition, wanted in self.conditions:
            holds = both(holds, condition if wanted else negated(condition))
        assert holds is not None
        looked = If(compare("eq", Thread(), integer(0)), (Store(cell, integer(0), holds),))
        whole = looked, Barrier(), If(Load(cell, integer(0), bool_), body)
        return (Scratch(cell, bool_, integer(1), whole, SHARED),)

    def with_views(self, body: Body) -> Body:
        """`body` behind those views from outside that it uses."""
        own = {s.buffer for s in statements(body) if isinstance(s, View | Scratch)}
        used, before = free_names(body).buffers - own, list[View]()
        for view in reversed(self.views.values()):
            if view.buffer in used:
                before.insert(0, view)
                used.add(view.of)
        return (*before, *body)


def _is_control(node: Statement) -> bool:
    """Whether the host has to do it: start loops, set the frame, end the kernel from a condition, however deep."""
    return any(isinstance(inner, Parallel | Grid | SetArgument | Return) for inner in statements((node,)))


def _ends(body: Body) -> bool:
    return any(isinstance(inner, SetArgument | Return) for inner in statements(body))


class _InOrder(Rewriter):
    """Parallel loops as sequential ones."""

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if isinstance(node, Parallel):
            node = For(node.name, integer(0), node.count, integer(1), node.body, node.comment)
        return (map_bodies(node, self.body),)


def _times(count: Value, iterations: Value) -> Value:
    return count if iterations == integer(1) else Apply("capped_mul", (count, iterations), int64)


class _Parts(Rewriter):
    """The body of a loop whose working buffers are parts of one for all iterations.

    found: the buffers for all, by name, with what each iteration has of them. Buffers of the same name and size that
    follow each other are one. known: how large sizes are; sizes: those that each iteration computes anew, as the most
    that they are, the first of them with this number; unknown: whether there is one of which that is not known.
    """

    def __init__(self, loop: Parallel, known: Sizes, number: int) -> None:
        self.loop, self.known, self.number = loop, known, number
        self.found: dict[str, Scratch] = {}
        self.sizes: list[Let] = []
        self.unknown = False
        rebound = Counter(name.name for s in statements((loop,)) if (name := bound(s)) is not None)
        self.changing = {name for name, count in rebound.items() if count > 1}
        known.bind(For(loop.name, integer(0), loop.count, integer(1), ()))

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if isinstance(node, Let | For) and node.name.name not in self.changing:
            self.known.bind(node)
        if not isinstance(node, Scratch):
            return (map_bodies(node, self.body),)
        count = self.size(node)
        whole = f"{node.buffer}.of_all"
        while whole in self.found and (self.found[whole].type, self.found[whole].count) != (node.type, count):
            whole += "'"
        self.found[whole] = replace(node, count=count)
        at = integer(0) if self.loop.count == integer(1) else multiply(self.loop.name, count)
        return (View(node.buffer, whole, at), *self.body(node.body))

    def size(self, node: Scratch) -> Value:
        """What each iteration has of a buffer, known to the host; computed ones are whole cache lines."""
        most = self.known.most(node.count)
        if most is None:
            self.unknown = True
            return node.count
        if most == node.count or isinstance(most, Literal):
            return most
        line = _LINE // node.type.size_bytes
        whole = multiply(divide(add(maximum(most, integer(0)), integer(line - 1)), line), integer(line))
        size = Let(Name(f"{node.buffer}.size.{self.number + len(self.sizes)}", int64), whole)
        self.sizes.append(size)
        return size.name


@dataclass(slots=True)
class _Frame(Rewriter):
    """Statements with slots of the frame as names. found: what these stand for."""

    found: dict[tuple[int, ScalarType], Let] = field(default_factory=dict)

    def value(self, node: Value) -> Value:
        if not isinstance(node, Argument):
            return Rewriter.value(self, node)
        key = node.slot, node.type
        if key not in self.found:
            self.found[key] = Let(Name(f"frame.{node.slot}.{node.type.name}", node.type), node)
        return self.found[key].name
