"""Coalesced stores: a run of vectors that begins inside a cache line is written as whole lines.

Before:   store_run16(&y[at], a, b);

After:    auto *y.run1 = &y[at];
          const long behind.1 = misalignment16(&y.run1[0]);
          const long left.1 = 16 - behind.1;
          const int16 picks.1 = splat16((int)left.1) + iota16;
          auto *y.lines1 = &y.run1[left.1];
          store16(&y.lines1[0], permute(a, b; picks.1));
          store16(&y.run1[0], a ? iota16 < splat16((int)left.1));
          store16(&y.lines1[16], permute(b, b; picks.1) ? iota16 < splat16((int)behind.1));

Each line is put together from the end of one vector and the beginning of the next by one permutation: a store across
two lines takes as long as two. The ends are stores under a mask, or wait in a write-combining buffer (see
`write_combining`).

Requires: elements lie at multiples of their size. Knows: how many bytes of vectors are whole cache lines, and two of
them can be permuted by one instruction (0: none are).
Ensures: there is no `StoreRun`. Where vectors are not such lines, there is a store for each, at any address. The same
elements are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from jitmdh.base.dtype import ScalarType, int32, int64
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    CombineEnds,
    Iota,
    Kernel,
    Let,
    Misalignment,
    Name,
    Permute,
    Splat,
    Statement,
    Store,
    StoreRun,
    Value,
    View,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Rewriter, kinds, map_bodies

_NUMBERS = {4: int32, 8: int64}
"""Numbers of lanes are as wide as the elements that they pick, in bytes."""


def coalesce_stores(kernel: Kernel, line_bytes: int) -> Kernel:
    return _Coalesced(line_bytes).kernel(kernel) if StoreRun in kinds(kernel.body) else kernel


def fills_lines(run: StoreRun, line_bytes: int) -> bool:
    """Whether each of the vectors has as many bytes as a cache line, and can be permuted."""
    first = run.values[0]
    return first.type.size_bytes in _NUMBERS and first.lanes * first.type.size_bytes == line_bytes


class _Coalesced(Rewriter):
    kinds = NESTED | {StoreRun}

    def __init__(self, line_bytes: int) -> None:
        self.line_bytes, self.count = line_bytes, 0

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if not isinstance(node, StoreRun):
            return (map_bodies(node, self.body),)
        return tuple(self.lines(node) if fills_lines(node, self.line_bytes) else _one_by_one(node))

    def lines(self, node: StoreRun) -> Iterator[Statement]:
        self.count += 1
        n, type, lanes = self.count, node.values[0].type, node.values[0].lanes
        run, lines = f"{node.buffer}.run{n}", f"{node.buffer}.lines{n}"
        behind, left = Name(f"behind.{n}"), Name(f"left.{n}")
        values: list[Value] = []
        for value in node.values:
            if not isinstance(value, Name):
                name = Name(f"stored.{n}.{len(values)}", type, lanes)
                yield Let(name, value)
                value = name
            values.append(value)
        yield View(run, node.buffer, node.offset)
        yield Let(behind, Misalignment(run, integer(0), lanes))
        yield Let(left, subtract(integer(lanes), behind))
        numbers = _NUMBERS[type.size_bytes]
        picks = Name(f"picks.{n}", numbers, lanes)
        yield Let(picks, Apply("add", (_spread(left, numbers, lanes), Iota(lanes, numbers)), numbers, lanes))
        yield View(lines, run, left)
        for line, (one, other) in enumerate(pairwise(values)):
            place, whole = integer(line * lanes), Permute(one, other, picks)
            yield Store(lines, place, whole, aligned=True, streaming=node.streaming)
        tail = Permute(values[-1], values[-1], picks)
        if node.combining is not None:
            head = Permute(values[0], values[0], picks)
            yield CombineEnds(node.combining, run, integer(0), head, tail, len(values))
            return
        yield Store(run, integer(0), values[0], mask=_before(left, numbers, lanes))
        yield Store(lines, integer((len(values) - 1) * lanes), tail, mask=_before(behind, numbers, lanes))


def _one_by_one(node: StoreRun) -> Iterator[Statement]:
    for n, value in enumerate(node.values):
        yield Store(node.buffer, add(node.offset, integer(n * value.lanes)), value, streaming=node.streaming)


def _spread(value: Value, type: ScalarType, lanes: int) -> Value:
    return Splat(value if type == int64 else Apply("cast", (value,), type), type, lanes)


def _before(count: Value, type: ScalarType, lanes: int) -> Value:
    """The mask of the first `count` lanes; `count` is one from 0 to `lanes`."""
    return compare("lt", Iota(lanes, type), _spread(count, type, lanes))
