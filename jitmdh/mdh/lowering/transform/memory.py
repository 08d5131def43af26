"""Transformations of where inputs and results lie (parameters D3, D4, S3–S6, R3, R4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitmdh.mdh.lowering.transform.computation import Array, Computation
from jitmdh.mdh.lowering.transform.decisions import Decisions, Pack, Refused, Staged, require_text
from jitmdh.mdh.lowlevel.layout import Layout


def pack(
    d: Decisions, c: Computation, array: str, at: str | None = None, region: str = "L2", transposed: bool = False,
    layout: Any = None,
) -> Decisions:  # fmt: skip
    """for k: … B[k, j] …  →  for k: b = copy(B[k, …]); … b[j] …

    at: the loop at whose parts' beginning the copy is made; None: of all, before the loops. region: L1, L2, L3 or MM.
    transposed: with the last two axes swapped. layout: pairs of an axis and a block size.
    """
    access = _input(c, array)
    if transposed and layout is not None:
        raise Refused(f"{array} has a layout and is transposed", "the layout says it all")
    found = _transposed(access) if transposed else _layout(layout)
    made = Pack(array, None if at is None else d.loop(c, at), require_text(region, "a region is named"), found)
    others = tuple(p for p in d.packs if (p.array, p.at) != (made.array, made.at))
    return replace(d, packs=(*others, made), in_place=tuple(name for name in d.in_place if name != array))


def in_place(d: Decisions, c: Computation, arrays: tuple[str, ...]) -> Decisions:
    """These inputs are read, these outputs are written where they are: nothing is copied, no result waits.

    None named: all of them.
    """
    outputs = {a.name for a in c.outputs}
    inputs = list(arrays) if arrays else [c.access(n) for n in range(len(c.inputs))]
    inputs = [name for name in inputs if c.input(name) is not None or (name not in outputs and _input(c, name))]
    waits = () if not arrays or outputs.intersection(arrays) else d.staged
    packs = tuple(p for p in d.packs if p.array not in inputs)
    return replace(d, packs=packs, staged=waits, in_place=tuple(dict.fromkeys((*d.in_place, *inputs))))


def read_from(d: Decisions, c: Computation, array: str, region: str, layout: Any = None) -> Decisions:
    """What a register tile reads comes from where it is ("REG"), from an L1 buffer ("L1"), or from memory, with
    prefetches ("MM")."""
    _input(c, array)
    entry = (array, require_text(region, "a region is named"), _layout(layout))
    return replace(d, reads=(*(r for r in d.reads if r[0] != array), entry))


def write_to(d: Decisions, c: Computation, region: str, layout: Any = None) -> Decisions:
    """What a register tile comes to is combined in registers ("REG"), in an L1 buffer ("L1"), or goes to memory
    by non-temporal stores ("MM")."""
    return replace(d, writes=(require_text(region, "a region is named"), _layout(layout)))


def stage(
    d: Decisions, c: Computation, output: str, at: str | None = None, region: str = "L2", layout: Any = None
) -> Decisions:
    """for i.0: … C[i, j] = …  →  for i.0: …; c[i, j] = …; C[part] = c

    Results wait in a buffer until a part of the loop `at` ends (None: until all is done).
    """
    names = dict.fromkeys(a.name for a in c.outputs)
    if output not in names:
        raise Refused(f"{c.name} does not write `{output}`", f"outputs are {', '.join(names)}")
    made = Staged(None if at is None else d.loop(c, at), require_text(region, "a region is named"), _layout(layout))
    return replace(d, staged=(*(s for s in d.staged or () if s.at != made.at), made))


def _input(c: Computation, array: str) -> Array:
    """The one access of that name. Refused for what is written, absent, or read in several places."""
    require_text(array, "an array is named")
    number = c.input(array)
    if number is not None:
        return c.inputs[number]
    found = [a for a in c.inputs if a.name == array]
    names = ", ".join(dict.fromkeys(a.name for a in c.inputs)) or "none"
    if not found and any(a.name == array for a in c.outputs):
        raise Refused(f"`{array}` is written: only what is read alone can be copied", f"inputs are {names}")
    if not found:
        raise Refused(f"{c.name} does not read `{array}`", f"inputs are {names}")
    raise Refused(
        f"`{array}` is read in {len(found)} places: one copy for all of them is not there yet",
        f"name one of them, such as {str(found[0])!r}",
    )


def _transposed(access: Array) -> Layout:
    rank = len(access.index)
    if rank < 2:
        raise Refused(f"`{access.name}` has {rank} axes: nothing to transpose", "leave `transposed` out")
    axes = [*range(rank - 2), rank - 1, rank - 2]
    return tuple((axis, 1) for axis in axes)


def _layout(layout: Any) -> Layout:
    try:
        return () if layout is None else tuple((int(axis), int(block)) for axis, block in layout)
    except (TypeError, ValueError):
        raise Refused(
            f"layout is {layout!r}", "give pairs of an axis and a block size, such as ((1, 1), (0, 1))"
        ) from None
