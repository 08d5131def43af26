"""Local variables that a loop carries as cells of memory: the dependences of any array are theirs."""

from __future__ import annotations

import ast

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.python.inlining import flattened
from jitmdh.mdh.frontend.python.tracer import SymbolicValue, Tracer
from jitmdh.mdh.frontend.trace_ir.store_forwarding import append, new_local, reads_of, settle
from jitmdh.mdh.frontend.trace_ir.trace import Statement, Target


def make_cells(t: Tracer, values: dict[str, SymbolicValue]) -> dict[str, list[tuple[str, tuple[Affine, ...]]]]:
    """A memory cell for each local variable, holding its value before the loop."""
    trace = t.trace
    places: dict[str, list[tuple[str, tuple[Affine, ...]]]] = {}
    for name, value in values.items():
        places[name] = []
        for scalar in settle(trace, list(flattened(value))):
            buffer, index = new_local(trace, name, scalar, trace.block)
            places[name].append((buffer, index))
            append(trace, trace.block, Statement(trace.tick(), [Target(buffer, index, scalar)], trace.guards))
            trace.stored[buffer] = trace.tick()
    return places


def write_cells(
    t: Tracer, node: ast.For, names: list[str], places: dict[str, list[tuple[str, tuple[Affine, ...]]]],
    starts: dict[str, tuple[Scalar, ...]], ends: dict[str, tuple[Scalar, ...]],
) -> None:  # fmt: skip
    """At the end of an iteration: what has changed."""
    trace = t.trace
    targets = []
    for n in names:
        for (buffer, index), start, end in zip(places[n], starts[n], ends[n]):
            if end is not start:
                targets.append(Target(buffer, index, t.arithmetic.cast(end, trace.buffers[buffer].type)))
    if targets:
        values = settle(trace, [x.value for x in targets])
        targets = [Target(x.buffer, x.index, v) for x, v in zip(targets, values)]
        for group in _apart(t, targets):
            append(trace, trace.block, Statement(trace.tick(), group, trace.guards, (), t.loc(node)))
        for x in targets:
            trace.stored[x.buffer] = trace.tick()


def _apart(t: Tracer, targets: list[Target]) -> list[list[Target]]:
    """Assignments of one moment as several, none of which reads what another one writes: each is reduced by itself."""
    groups: list[tuple[set[str], set[str], list[Target]]] = []
    for target in targets:
        written, read, members = {target.buffer}, {r.buffer for r in reads_of(t.trace, target.value)}, [target]
        for group in [g for g in groups if g[0] & read or g[1] & written]:
            groups.remove(group)
            written, read, members = written | group[0], read | group[1], [*group[2], *members]
        groups.append((written, read, members))
    return [members for _, _, members in groups]
