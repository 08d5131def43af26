"""A nest as C-like text: its loops, who takes them, copies; open decisions are marked `?`."""

from __future__ import annotations

from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import EVEN, Decisions, Loop, entry, name_of


def show(c: Computation, d: Decisions, opened: tuple[str, ...] = (), sizes: frozenset[str] = frozenset()) -> str:
    """The nest, one line for each loop. opened: transformations that leave something open, as text; sizes:
    dimensions with parts of open size."""
    shape = ", ".join(f"{a.name} {a.combine}" for a in c.dims)
    lines = [f"// {c.name}: {shape}"]
    if not d.order:
        lines.append("// ? order")
    if d.lanes is None:
        lines.append("// ? lanes")
    if d.cores is None:
        lines.append("// ? cores")
    lines += [f"// ? {text}" for text in opened]
    lines += [f"// {text}" for text in _without_a_place(c, d)]
    depth = 0
    lines += [_copy(c, d, None, depth)] if _copy(c, d, None, depth) else []
    for loop in d.loops(c):
        lines.append("    " * depth + _loop(c, d, loop, loop.dim in sizes))
        depth += 1
        copied = _copy(c, d, loop, depth)
        if copied:
            lines.append(copied)
    lines.append("    " * depth + _body(c))
    return "\n".join(lines)


def _without_a_place(c: Computation, d: Decisions) -> list[str]:
    """What is decided of the nest as a whole."""
    texts = [f"{array} is read from {region}{_layout(layout)}" for array, region, layout in d.reads]
    outputs = ", ".join(dict.fromkeys(a.name for a in c.outputs))
    if d.writes is not None:
        texts.append(f"{outputs} is combined in {d.writes[0]}{_layout(d.writes[1])}")
    in_place = (*d.in_place, *([outputs] if d.staged == () else ()))
    if in_place:
        texts.append(f"in place: {', '.join(in_place)}")
    if d.points is not None:
        texts.append(f"points: {', '.join(d.points) or 'the usual order'}")
    if d.threads is not None:
        texts.append(f"{d.threads} parts for threads")
    return texts


def _loop(c: Computation, d: Decisions, loop: Loop, opened: bool) -> str:
    loops, name = d.loops(c), name_of(d, loop)
    outer = [other for other in loops[: loops.index(loop)] if other.dim == loop.dim]
    begin = name_of(d, outer[-1]) if outer else "0"
    extent = str(c.extent(loop.dim))
    length = "?" if opened or (outer and outer[-1].size == EVEN) else str(outer[-1].size if outer else 0)
    end = f"min({begin} + {length}, {extent})" if outer else extent
    taken = dict(d.cores or ())
    parallel = "parallel " if loop in taken else ""
    size = "?" if opened or loop.size == EVEN else str(loop.size)
    step, notes = f"{name} += {size}" if loop.size else f"{name}++", []
    if not loop.size:
        lanes = d.lanes[1] if d.lanes is not None and d.lanes[0] == loop.dim else None
        if lanes is not None and lanes != 1:
            notes.append(f"{lanes or '?'} lanes")
        count = entry(d.unrolled, loop.dim)
        if count is not None:
            notes.append("unrolled" if not count else f"{count} unrolled")
        if dict(d.split).get(loop.dim):
            notes.append("accumulators of their own")
    if parts := taken.get(loop):
        notes.append(f"{parts} parts for each core")
    note = f"  // {', '.join(notes)}" if notes else ""
    return f"{parallel}for ({name} = {begin}; {name} < {end}; {step}){note}"


def _copy(c: Computation, d: Decisions, at: Loop | None, depth: int) -> str:
    """Copies that are made when a part of a loop begins, and where its results wait."""
    texts = [f"{p.array} → {p.region}{_layout(p.layout)}" for p in d.packs if p.at == at]
    names = ", ".join(dict.fromkeys(a.name for a in c.outputs))
    texts += [f"{names} waits in {s.region}{_layout(s.layout)}" for s in d.staged or () if s.at == at]
    return "    " * depth + f"// {', '.join(texts)}" if texts else ""


def _layout(layout: tuple[tuple[int, int], ...]) -> str:
    if not layout:
        return ""
    return f"[{', '.join(str(axis + 1) + (f'/{block}' if block != 1 else '') for axis, block in layout)}]"


def _body(c: Computation) -> str:
    outputs = ", ".join(dict.fromkeys(f"{a.name}[{', '.join(a.index)}]" for a in c.outputs))
    inputs = ", ".join(dict.fromkeys(f"{a.name}[{', '.join(a.index)}]" for a in c.inputs))
    sign = next((d.combine for d in c.dims if d.combine != "++"), "")
    return f"{outputs} {sign}= f({inputs});"
