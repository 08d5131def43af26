"""Transformations that give parts to cores (parameters D2, S2, R2, and 0 on the layer of cores)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import (
    EVEN,
    Decisions,
    Loop,
    Refused,
    name_of,
    require_dim,
    require_integer,
)


def parallelize(d: Decisions, c: Computation, dim: str, parts: Any = None) -> Decisions:
    """for b: s  →  parallel for b: s      (its outermost loop; reductions too, combined by a tree)

    `b.cores` is a loop of its own, outermost to begin with: for b: s  →  parallel for b.cores: for b in its part: s
    parts: how many each core takes, one after the other; 0: one; None: open, or the strips of that loop.
    """
    count = None if parts is None else require_integer(parts, f"parts of {dim} for each core", 0)
    if isinstance(dim, str) and dim.endswith(".cores"):
        return _own_loop(d, c, dim.removesuffix(".cores"), count)
    loop = d.loop(c, dim, outermost="." not in str(dim))
    if count and loop.size:
        raise Refused(f"{dim} is in parts of {loop.size}, each of which a core takes", "leave `parts` out")
    if any(taken == loop for taken, _ in d.cores or ()):
        raise Refused(f"cores take the parts of `{dim}` already", "leave one of the two out")
    return replace(d, cores=(*(d.cores or ()), (loop, count)))


def _own_loop(d: Decisions, c: Computation, dim: str, count: int | None) -> Decisions:
    require_dim(c, dim)
    if any(loop.dim == dim for loop, _ in d.cores or ()):
        raise Refused(f"cores take parts of `{dim}` already", "leave one of the two out")
    return replace(d.with_even_parts(dim), cores=(*(d.cores or ()), (Loop(dim, EVEN), count)))


def sequential(d: Decisions, c: Computation) -> Decisions:
    """No loop is parallel: one core computes all."""
    return replace(d, cores=(), order=tuple(loop for loop in d.order if loop.size != EVEN))


def assign(d: Decisions, c: Computation, loop: str, to: str = "COR") -> Decisions:
    """Who takes the parts of a loop: cores ("COR"), or nobody but the loop itself ("loop")."""
    if to == "COR":
        found = parallelize(d, c, loop)
        assert found.cores is not None
        return replace(found, assigned=(*d.assigned, found.cores[-1][0]))
    if to != "loop":
        raise Refused(f"parts are taken by cores (COR) or a loop, not by {to!r}", 'give "COR" or "loop"')
    named = d.loop(c, loop, outermost="." not in loop)
    left = tuple(entry for entry in d.cores or () if entry[0] != named)
    return replace(d, cores=left, order=tuple(l for l in d.order if l != named or l.size != EVEN))


def threads(d: Decisions, c: Computation, n: Any) -> Decisions:
    """The parallel loop in n parts of even size: no more than n threads work."""
    return replace(d, threads=require_integer(n, "threads"))


def require_whole_vectors(d: Decisions) -> None:
    """Refused where a parallel loop is inside of the loop over the lanes: its threads would share the points of a
    vector. Where the order is open, parallel loops go outside."""
    if not d.order or d.lanes is None or d.lanes[1] == 1:
        return
    lanes, taken = Loop(d.lanes[0]), {loop for loop, _ in d.cores or ()}
    inside = next((loop for loop in d.order[d.order.index(lanes) + 1 :] if loop in taken), None)
    if inside is not None:
        dim = lanes.dim
        raise Refused(
            f"`{name_of(d, inside)}` is parallel inside of `{dim}`, whose points are the lanes of one vector",
            f"strip-mine {dim}: its strips may be around a parallel loop",
        )
