"""Loop-invariant code motion of working buffers: they are taken, and filled with what stays the same, before the loop.

Before:   for (e = e0; e < e1; e += 1) {      after:   double *A.copy = scratch(n);
              double *A.copy = scratch(n);             if (e0 < e1) {
              for (p = 0; p < n; p += 1)                   for (p = 0; p < n; p += 1)
                  A.copy[p] = A[p * s];                        A.copy[p] = A[p * s];
              for (p = 0; p < n; p += 1)               }
                  y[e * n + p] = A.copy[p];            for (e = e0; e < e1; e += 1)
          }                                                for (p = 0; p < n; p += 1)
                                                               y[e * n + p] = A.copy[p];

To take a buffer and to give it back takes some hundred cycles, for which all threads take turns: two that do so for
each of many small points wait for each other most of the time. So this is done to loops of tasks that threads share.

Requires: no two statements bind the same name, and no two buffers have the same, or they stay where they are.
Ensures: no task takes a buffer from the pool in a loop in which its size stays the same; no buffer is filled in a loop
that writes neither it nor what it is filled with, and whose fill depends on nothing that changes. What a loop without
rounds does not read is not read before it either. Every value stays what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from jitmdh.base.dtype import bool_
from jitmdh.mdh.kernel.free_variables import memories
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assume,
    Exchange,
    Fail,
    Failed,
    Fence,
    For,
    If,
    InOrder,
    Kernel,
    Let,
    Literal,
    Load,
    Misalignment,
    Name,
    Parallel,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Scratch,
    Statement,
    Store,
    StoreRun,
    Thread,
    Threads,
    Value,
    View,
    Vote,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, bound, kinds, map_bodies, statements, values

_ALWAYS = frozenset({"add", "sub", "mul", "neg", "minimum", "maximum", "capped_mul", "select",
                     "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not"})  # fmt: skip
"""What integers and flags always have."""
_BY_CONSTANTS = frozenset({"udiv", "urem"})

_ELSEWHERE = (Failed, Misalignment, Thread, Exchange, Vote)
"""Values that another place, or another time, may change."""
_ON_STACK = 1 << 15
"""Bytes of a buffer that lies on the stack, in the code of processors, if it has a fixed size."""
_WRITES_WHAT_IT_SAYS = (Let, Store, StoreRun, For, If, Scratch, View, Fail, Fence, InOrder, Assume, Prefetch,
                        PrefetchInputs, PrefetchResults)  # fmt: skip
"""Statements of which it is known here what they write."""


def hoist_copies(kernel: Kernel) -> Kernel:
    if not {Parallel, Scratch} <= kinds(kernel.body):
        return kernel
    names: Counter[str] = Counter()
    buffers: Counter[str] = Counter()
    views: set[str] = set()
    for node in statements(kernel.body):
        if (name := bound(node)) is not None:
            names[name.name] += 1
        if isinstance(node, (Scratch, View)):
            buffers[node.buffer] += 1
        if isinstance(node, View):
            views.add(node.buffer)
    return _Hoisting(names, buffers, views, memories(kernel)).kernel(kernel)


class _Hoisting(Rewriter):
    """names, buffers: how often each is bound; views: other names of buffers; memory: of each; shared: inside of what
    threads share."""

    kinds = NESTED

    def __init__(self, names: Counter[str], buffers: Counter[str], views: set[str], memory: dict[str, str]) -> None:
        self.names, self.buffers, self.views, self.memory = names, buffers, views, memory
        self.shared = False

    def statement(self, node: Statement) -> Sequence[Statement]:
        around, self.shared = self.shared, self.shared or isinstance(node, Parallel)
        node = map_bodies(node, self.body)
        self.shared = around
        return self.hoisted(node) if isinstance(node, For) and self.shared else (node,)

    def hoisted(self, loop: For) -> list[Statement]:
        """A loop behind all that can be taken out of it."""
        found = self.first(loop)
        if found is None:
            return [loop]
        before, scratch, loop = found
        return [*before, replace(scratch, body=(*scratch.body, *self.hoisted(loop)))]

    def first(self, loop: For) -> tuple[list[Statement], Scratch, For] | None:
        """The first buffer of a loop that can be taken before it: what its size needs, the buffer with what fills it,
        and the loop without these."""
        if not any(isinstance(node, Scratch) for node in loop.body):
            return None
        written = self.written(loop.body)
        changing = {loop.name.name} | {name.name for s in statements(loop.body) if (name := bound(s)) is not None}
        moved: list[Statement] = []
        for at, node in enumerate(loop.body):
            if isinstance(node, Let) and self.names[node.name.name] == 1 and _stays(node.value, changing):
                moved.append(node)
                changing.discard(node.name.name)
            elif isinstance(node, Scratch) and self.buffers[node.buffer] == 1 and _stays(node.count, changing):
                before, fill, rest = self.split(node, changing, written)
                if self.is_worth_it(node, bool(fill)):
                    moved += before
                    kept = tuple(s for s in (*loop.body[:at], *rest, *loop.body[at + 1 :]) if s not in moved)
                    once = (If(Apply("lt", (loop.begin, loop.end), bool_), tuple(fill)),) if fill else ()
                    return moved, replace(node, body=once), replace(loop, body=kept)
        return None

    def is_worth_it(self, scratch: Scratch, fill: bool) -> bool:
        """Small ones lie on the stack and take no time to have; of those for L1 more do, if not one inside another."""
        count = scratch.count
        if not isinstance(count, Literal):
            return scratch.region != "L1"
        return fill or int(count.value) * scratch.type.size_bytes > _ON_STACK  # type: ignore[arg-type]

    def split(
        self, scratch: Scratch, changing: set[str], written: Counter[str] | None
    ) -> tuple[list[Let], list[Statement], Body]:
        """What a buffer begins with: integers that stay the same, what fills it with what stays the same, the rest."""
        before: list[Let] = []
        fill: list[Statement] = []
        body, changing = list(scratch.body), set(changing)
        while body and written is not None:
            node = body[0]
            if isinstance(node, Let) and self.names[node.name.name] == 1 and _stays(node.value, changing):
                before.append(node)
                changing.discard(node.name.name)
            elif self.fills(node, scratch.buffer, changing, written):
                fill.append(node)
            else:
                break
            del body[0]
        own = self.written(tuple(fill)) or Counter()
        if not fill or written is None or own[self.memory[scratch.buffer]] != written[self.memory[scratch.buffer]]:
            return [], [], scratch.body
        return before, fill, tuple(body)

    def fills(self, node: Statement, buffer: str, changing: set[str], written: Counter[str]) -> bool:
        """Whether a statement only fills a buffer, with what stays the same."""
        if not isinstance(node, For | If | Store):
            return False
        inside = list(statements((node,)))
        own = {name.name for s in inside if (name := bound(s)) is not None}
        for s in inside:
            if not isinstance(s, For | If | Let) and not (isinstance(s, Store) and s.buffer == buffer):
                return False
            for value in values(s):
                if isinstance(value, _ELSEWHERE):
                    return False
                if isinstance(value, Name) and value.name in changing and value.name not in own:
                    return False
                if isinstance(value, Load) and (value.buffer in self.views or written[self.memory[value.buffer]]):
                    return False
        return all(self.names[name] == 1 for name in own)

    def written(self, body: Body) -> Counter[str] | None:
        """How many statements write each memory; None: something else may."""
        found: Counter[str] = Counter()
        for node in statements(body):
            if not isinstance(node, _WRITES_WHAT_IT_SAYS):
                return None
            if isinstance(node, Store | StoreRun):
                found[self.memory[node.buffer]] += 1
        return found


def _stays(value: Value, changing: set[str]) -> bool:
    """Whether an integer can be computed before the loop that makes the names `changing`."""
    if value.lanes > 1 or value.type.kind not in "iub":
        return False
    match value:
        case Literal() | Threads():
            return True
        case Name(name):
            return name not in changing
        case Apply(op, operands):
            divisor = operands[-1]
            constant = isinstance(divisor, Literal) and divisor.value != 0
            known = op in _ALWAYS or (op in _BY_CONSTANTS and constant)
            return known and all(_stays(operand, changing) for operand in operands)
    return False
