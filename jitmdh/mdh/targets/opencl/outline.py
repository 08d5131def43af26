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

Requires: nothing.
Ensures: memory is touched in parallel loops only, and these use values of the host that never change. Outside of them
stand sizes, sequential loops, conditions on sizes, and working buffers, each for all iterations of a loop. A program
that is not so is refused: NotAnMdhError.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    For,
    If,
    Kernel,
    Let,
    Load,
    Misalignment,
    Name,
    Parallel,
    Return,
    Scratch,
    SetArgument,
    Statement,
    Value,
    View,
    integer,
    multiply,
)
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, bound, children, map_bodies, statements, values
from jitmdh.mdh.targets.opencl.types import refused


def outline(kernel: Kernel) -> Kernel:
    outliner = _Outliner(frozenset(b.name for b in kernel.buffers if b.inline))
    return replace(kernel, body=outliner.body(kernel.body, frozenset()))


@dataclass(slots=True)
class _Outliner:
    """inline: buffers that are scalar arguments."""

    inline: frozenset[str]
    loops: int = 0

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
                known |= {node.name.name}
            elif _is_control(node):
                flush()
                out += self.control(node, known)
            else:
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
            case Misalignment():
                return False
        return value.lanes == 1 and all(self.on_host(child, known) for child in children(value))

    def control(self, node: Statement, known: frozenset[str]) -> list[Statement]:
        for value in children(node):
            if not self.on_host(value, known):
                raise refused("a parallel loop whose extent is computed on the way")
        match node:
            case Parallel():
                return self.parallel(node, known)
            case For():
                return [replace(node, body=self.body(node.body, known | {node.name.name}))]
            case If() | Scratch():
                return [map_bodies(node, lambda body: self.body(body, known))]
            case Return() | SetArgument():
                return [node]
        raise refused(f"{type(node).__name__} around a parallel loop")

    def single(self, body: Body, known: frozenset[str]) -> list[Statement]:
        """These statements as a loop of one iteration."""
        frame = _Frame()
        body = frame.body(body)
        self.loops += 1
        loop = Parallel(Name(f"item.{self.loops}"), integer(1), body)
        found = list(frame.found.values())
        return [*found, *self.parallel(loop, known | {let.name.name for let in found})]

    def parallel(self, node: Parallel, known: frozenset[str]) -> list[Statement]:
        inside = {node.name.name} | {name.name for s in statements(node.body) if (name := bound(s)) is not None}
        for statement in statements(node.body):
            for value in (v for child in children(statement) for v in values(child)):
                if isinstance(value, Name) and value.name not in inside | known:
                    raise refused(f"the value {value.name}, which is computed by another kernel,")
        parts = _Parts(node)
        loop: Statement = replace(node, body=parts.body(node.body))
        for whole, scratch in parts.found.items():
            if not self.on_host(scratch.count, known):
                raise refused("a working buffer whose size is computed in a parallel loop")
            loop = Scratch(whole, scratch.type, _times(scratch.count, node.count), (loop,), scratch.region)
        return [loop]


def _is_control(node: Statement) -> bool:
    """Whether the host has to do it: start loops, set the frame, end the kernel from a condition, however deep."""
    return any(isinstance(inner, Parallel | SetArgument | Return) for inner in statements((node,)))


def _times(count: Value, iterations: Value) -> Value:
    return count if iterations == integer(1) else Apply("capped_mul", (count, iterations), int64)


class _Parts(Rewriter):
    """The body of a loop whose working buffers are parts of one for all iterations.

    found: the buffers for all, by name, with what each iteration has of them. Buffers of the same name and size that
    follow each other are one.
    """

    def __init__(self, loop: Parallel) -> None:
        self.loop = loop
        self.found: dict[str, Scratch] = {}

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if not isinstance(node, Scratch):
            return (map_bodies(node, self.body),)
        whole = f"{node.buffer}.of_all"
        while whole in self.found and (self.found[whole].type, self.found[whole].count) != (node.type, node.count):
            whole += "'"
        self.found[whole] = node
        at = integer(0) if self.loop.count == integer(1) else multiply(self.loop.name, node.count)
        return (View(node.buffer, whole, at), *self.body(node.body))


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
