"""Transformations that give parts to cores (parameters D2, S2, R2, and 0 on the layer of cores)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import Decisions, Refused, require_integer


def parallelize(d: Decisions, c: Computation, dim: str, parts: Any = None) -> Decisions:
    """for b: s  →  parallel for b: s      (its outermost loop; reductions too, combined by a tree)

    parts: how many each core takes, one after the other; None: one of even size, or the strips of that loop.
    """
    loop = d.loop(c, dim, outermost="." not in str(dim))
    count = 0 if parts is None else require_integer(parts, f"parts of {dim} for each core")
    if count and loop.size:
        raise Refused(f"{dim} is in parts of {loop.size}, each of which a core takes", "leave `parts` out")
    if any(taken == loop for taken, _ in d.cores or ()):
        raise Refused(f"cores take the parts of `{dim}` already", "leave one of the two out")
    return replace(d, cores=(*(d.cores or ()), (loop, count)))


def sequential(d: Decisions, c: Computation) -> Decisions:
    """No loop is parallel: one core computes all."""
    return replace(d, cores=())


def assign(d: Decisions, c: Computation, loop: str, to: str = "COR") -> Decisions:
    """Who takes the parts of a loop: cores ("COR"), or nobody but the loop itself ("loop")."""
    if to == "COR":
        found = parallelize(d, c, loop)
        assert found.cores is not None
        return replace(found, assigned=(*d.assigned, found.cores[-1][0]))
    if to != "loop":
        raise Refused(f"parts are taken by cores (COR) or a loop, not by {to!r}", 'give "COR" or "loop"')
    named = d.loop(c, loop, outermost="." not in loop)
    return replace(d, cores=tuple(entry for entry in d.cores or () if entry[0] != named))


def threads(d: Decisions, c: Computation, n: Any) -> Decisions:
    """The parallel loop in n parts of even size: no more than n threads work."""
    return replace(d, threads=require_integer(n, "threads"))
