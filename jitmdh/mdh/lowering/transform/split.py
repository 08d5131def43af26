"""Transformations that cut loops: strip-mining, tiling, unrolling, vector lanes, accumulators (parameters 0, R1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import (
    Decisions,
    Loop,
    Refused,
    entry,
    require_dim,
    require_integer,
    require_text,
)


def stripmine(d: Decisions, c: Computation, dim: str, size: Any, at: str | None = None) -> Decisions:
    """for i: …  →  for i.0 in parts of size: for i in the part: …

    By 1, or by the whole extent, it changes nothing, unless a layer is named. The last part may be shorter than the
    others. at: the layer; "COR": cores take the parts.
    """
    require_dim(c, require_text(dim, "a dimension is named"))
    number = require_integer(size, f"size of the parts of {dim}")
    found = d.with_strip(c, dim, number, None if at is None else require_text(at, "a layer is named"))
    return found if at != "COR" else replace(found, cores=(*(found.cores or ()), (Loop(dim, number), None)))


def stripmine_n(d: Decisions, c: Computation, n: Any, size: Any) -> Decisions:
    """for i: for j: for k: …  →  for i.0: for i: for j.0: for j: for k: …      (n = 2: the first n dimensions)"""
    count = require_integer(n, "number of dimensions")
    if count > len(c.names):
        raise Refused(f"there are {len(c.names)} dimensions, not {count}", f"give at most {len(c.names)}")
    for dim in c.names[:count]:
        d = d.with_strip(c, dim, require_integer(size, f"size of the parts of {dim}"))
    return d


def tile(d: Decisions, c: Computation, **sizes: Any) -> Decisions:
    """for i: for j: …  →  for i.0: for j.0: for i: for j: …

    Strip-mines each dimension, then moves the loops over parts, in the order given, outside of the others. The size
    of `*` is that of all dimensions.
    """
    if "*" in sizes:
        sizes = dict.fromkeys(c.names, sizes["*"])
    found = d
    for dim, size in sizes.items():
        require_dim(c, dim)
        found = found.with_strip(c, dim, require_integer(size, f"size of the parts of {dim}"))
    loops = found.loops(c)
    new = [loop for dim in sizes for loop in loops if loop.dim == dim and loop.size not in (0, *d.of(dim))]
    if not new:
        return found
    sizes_of = {loop.dim: loop.size for loop in new}
    rest = [loop for loop in found.loops(c) if loop not in new]
    at = next(n for n, loop in enumerate(rest) if loop.dim in sizes_of and loop.size < sizes_of[loop.dim])
    return found.ordered([*rest[:at], *new, *rest[at:]])


def unroll(d: Decisions, c: Computation, dim: str, n: Any = None) -> Decisions:
    """for k: s  →  for k by n: s(k); s(k + 1); …; s(k + n - 1)

    n: points that are computed side by side, in registers, counted in whole vectors along the lanes; None: all there
    are.
    """
    require_dim(c, require_text(dim, "a dimension is named"))
    count = 0 if n is None else require_integer(n, f"unrolled steps of {dim}")
    return replace(d, unrolled=_with(d.unrolled, dim, count))


def vectorize(d: Decisions, c: Computation, dim: str, lanes: Any = None) -> Decisions:
    """for j: s(j)  →  for j by n: s(j … j + n - 1) as one vector

    lanes: a power of two that fits the machine's vectors; None: as many as fit; 1: none.
    """
    require_dim(c, require_text(dim, "a dimension is named"))
    if d.lanes is not None and d.lanes[0] != dim and d.lanes[1] != 1:
        raise Refused(f"{d.lanes[0]} is vectorised: lanes are those of one dimension", "leave one of the two out")
    count = 0 if lanes is None else require_integer(lanes, f"lanes of {dim}")
    return replace(d, lanes=(dim, count))


def accumulators(d: Decisions, c: Computation, dim: str, n: Any) -> Decisions:
    """for k: acc += s(k)  →  for k by n: acc0 += s(k); acc1 += s(k + 1); …   acc = acc0 + acc1 + …

    n: unrolled steps of the reduction, each with an accumulator of its own; 1: one for all.
    """
    require_dim(c, require_text(dim, "a dimension is named"))
    if dim not in c.collapsed:
        raise Refused(f"{dim} is no reduction: its results stand side by side", _reductions(c))
    count = require_integer(n, f"accumulators of {dim}")
    found = replace(d, split=(*(p for p in d.split if p[0] != dim), (dim, count > 1)))
    return found if count == 1 and entry(d.unrolled, dim) is not None else unroll(found, c, dim, count)


def points(d: Decisions, c: Computation, dims: tuple[str, ...]) -> Decisions:
    """The unrolled points of a register tile, slowest first: for j': for i': s  →  for i': for j': s

    None named: those that collapse first.
    """
    for dim in dims:
        require_dim(c, require_text(dim, "a dimension is named"))
    if len(set(dims)) != len(dims):
        raise Refused("a dimension is named twice", "name each once")
    return replace(d, points=dims)


def _with(pairs: tuple[tuple[str, int], ...], name: str, value: int) -> tuple[tuple[str, int], ...]:
    return (*(p for p in pairs if p[0] != name), (name, value))


def _reductions(c: Computation) -> str:
    there = [n for n in c.names if n in c.collapsed]
    return f"reductions are {', '.join(there)}" if there else "this computation reduces nothing"
