"""What the steps of one point load and store is asked of memory for the next point, each cache line once.

    for e in the task's part:                     for e in the task's part:
        for l …                                       prefetch(&S[(e + 1)*72 + …]);
            I[e*1440 + l*72] · S[e*72 + …]            for l …
                                                          prefetch(&I[(e + 1)*1440 + l*72]);
                                                          I[e*1440 + l*72] · S[e*72 + …]

Hardware prefetchers see many arrays, each in pages of its own and in an order of its own. A prefetch stands beside the
first access of its line, outside of the loops that the line does not vary with, so that they are spread over the work.
Long loops have none: hardware follows them. Nor have single elements that lie in one line for several points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.mdh.codegen.microkernel.store_coalescing import linear
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import Apply, For, Let, Literal, Load, Name, Prefetch, Statement, Store, Value
from jitmdh.mdh.kernel.rewrite import bodies, bound, map_bodies, statements, values
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES

_MOST = 2048  # in the code of one point
_LONG = 64  # rounds


def with_next_point(body: Sequence[Statement], point: Name) -> list[Statement]:
    """`body`, the steps at `point`, with prefetches of what they will touch at `point + 1`; as it is where these would
    be too many."""
    found = _PointAccesses(point, frozenset(s.buffer for s in statements(tuple(body)) if isinstance(s, Store)))
    new: list[Statement] = []
    for statement in body:
        loops = any(isinstance(s, For) for s in statements((statement,)))
        if loops:
            found.leave()
        inside, outside = found.of((statement,), ())
        new += [*outside, *inside]
        if loops:
            found.leave()
    return list(body) if len(found.lines) > _MOST else new


class _PointAccesses:
    """What the nests of one point access. seen: arrays of earlier nests, whose loops have names of their own; here: of
    the nest at hand, or of those without loops that follow each other; lines: those that have a prefetch; known: values
    of names, by indices of loops; data: names of numbers that memory or an earlier round says."""

    def __init__(self, point: Name, written: frozenset[str]) -> None:
        self.point, self.written = point, written
        self.seen: set[str] = set()
        self.here: set[str] = set()
        self.lines: set[tuple[str, frozenset[tuple[Value, int]], int]] = set()
        self.known: dict[str, Value] = {}
        self.data: set[str] = set()

    def leave(self) -> None:
        """A nest of loops begins or ends."""
        self.seen |= self.here
        self.here = set()

    def of(self, body: tuple[Statement, ...], loops: tuple[str, ...]) -> tuple[tuple[Statement, ...], list[Prefetch]]:
        """`body` with the prefetches that vary with the innermost of `loops`; those that have to stand outside."""
        new: list[Statement] = []
        outside: list[Prefetch] = []

        for statement in body:
            self._note(statement)
            found = list(self._lines_of(statement))
            if bodies(statement) and not (isinstance(statement, For) and _is_long(statement)):
                inner = (*loops, statement.name.name) if isinstance(statement, For) else loops
                parts = [self.of(part, inner) for part in bodies(statement)]
                made = iter([part for part, _ in parts])
                statement = map_bodies(statement, lambda _, made=made: next(made))  # type: ignore[misc]
                found += [line for _, lines in parts for line in lines]
            here = [line for line in found if loops and _varies(line.offset, loops[-1])]
            outside += [line for line in found if line not in here]
            new += [*here, statement]
        return tuple(new), outside

    def _note(self, statement: Statement) -> None:
        name = bound(statement)
        if name is None or isinstance(statement, For):
            return
        if isinstance(statement, Let) and name.type == int64 and not any(map(_is_load, values(statement.value))):
            self.known[name.name] = self._expanded(statement.value)
        else:
            self.data.add(name.name)

    def _lines_of(self, statement: Statement) -> Iterator[Prefetch]:
        """Of what a statement itself loads and stores, those that no other has asked for."""
        for access in [v for v in values(statement) if isinstance(v, Load)]:
            yield from self._line(access)
        if isinstance(statement, Store):
            yield from self._line(statement)

    def _line(self, access: Load | Store) -> Iterator[Prefetch]:
        buffer, offset = access.buffer, access.offset
        if buffer in self.seen or offset.lanes > 1 or access.stride != Literal(1):
            return
        value = access.value if isinstance(access, Store) else access
        size = value.type.size_bytes
        offset = self._expanded(offset)
        names = {v.name for v in values(offset) if isinstance(v, Name)}
        constant, atoms = linear(offset)
        line = buffer, frozenset(atoms.items()), constant * size // LINE_BYTES
        near = value.lanes == 1 and abs(atoms.get(self.point, LINE_BYTES)) * size < LINE_BYTES
        if self.point.name in names and not names & self.data and not near and line not in self.lines:
            self.lines.add(line)
            self.here.add(buffer)
            yield Prefetch(buffer, _next(offset, self.point), buffer in self.written)

    def _expanded(self, value: Value) -> Value:
        """In terms of indices of loops and of what is known outside."""
        if isinstance(value, Name):
            return self.known.get(value.name, value)
        if isinstance(value, Apply):
            return replace(value, operands=tuple(map(self._expanded, value.operands)))
        return value


def _is_long(loop: For) -> bool:
    """Whether rounds are many, or nobody knows how many: then hardware sees where the loop goes."""
    bounds = loop.begin, loop.end, loop.step
    if not all(isinstance(b, Literal) for b in bounds):
        return True
    begin, end, step = (int(b.value) for b in bounds)  # type: ignore[union-attr, arg-type]
    return end - begin > _LONG * step


def _is_load(value: Value) -> bool:
    return isinstance(value, Load)


def _varies(value: Value, name: str) -> bool:
    return any(isinstance(v, Name) and v.name == name for v in values(value))


def _next(value: Value, point: Name) -> Value:
    """`value` at the point behind `point`; sums and products are made anew, so that constants come together."""
    if isinstance(value, Name):
        return add(value, integer(1)) if value.name == point.name else value
    if isinstance(value, Apply):
        operands = [_next(o, point) for o in value.operands]
        made = {"add": add, "mul": multiply}.get(value.op)
        return made(*operands) if made is not None and len(operands) == 2 else replace(value, operands=tuple(operands))
    return value


__all__ = ["with_next_point"]
