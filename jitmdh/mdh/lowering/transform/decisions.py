"""What a schedule has decided: the holes of a configuration that are filled.

A loop is named by its dimension and the size of its parts; 0: the points of the innermost parts. Users write `"j"` for
the innermost loop of j, `"j.0"` for the outermost, `"j.1"` for the next, `"j.cores"` for that over the parts of even
size that cores take.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowlevel.layout import Layout


class Refused(Exception):
    """A transformation is not legal. reason: the rule; hint: what would be, where that is known; step: which one."""

    step: Any = None

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


@dataclass(frozen=True, slots=True, order=True)
class Loop:
    """A loop over parts of `size` elements of a dimension; size 0: over its register tiles, down to single points;
    EVEN: over as many parts of even size as cores take."""

    dim: str
    size: int = 0


EVEN = -1


@dataclass(frozen=True, slots=True)
class Pack:
    """A copy of an input, named as by `Computation.input`: made when a part of `at` begins (None: before all loops),
    kept in `region`."""

    array: str
    at: Loop | None
    region: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class Staged:
    """Results wait in `region` until a part of `at` ends (None: until all is done)."""

    at: Loop | None
    region: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is decided; everything absent is open.

    strips: sizes of the parts by dimension, outermost first. order: all loops, outermost first; empty: open.
    layers: those that were named, by loop; all others are found.
    cores: loops whose parts cores take, with how many parts each takes (0: one of even size; None: open); none: ()
    said, None open.
    lanes: dimension and number of vector lanes (0: as many as fit). unrolled: points in a register tile by dimension,
    counted in vectors along the lanes (0: all). split: reductions whose unrolled steps have accumulators of their own.
    points: order of the unrolled points, slowest first; (): the usual one, None: open. packs, reads: by input.
    writes, staged: of the results. in_place: inputs without a copy.
    fixed: Table-1 parameters that are the model's, not the tuner's. conditions: on sizes and orders, as text.
    """

    strips: tuple[tuple[str, tuple[int, ...]], ...] = ()
    order: tuple[Loop, ...] = ()
    layers: tuple[tuple[Loop, str], ...] = ()
    cores: tuple[tuple[Loop, int | None], ...] | None = None
    threads: int | None = None
    assigned: tuple[Loop, ...] = ()
    lanes: tuple[str, int] | None = None
    unrolled: tuple[tuple[str, int], ...] = ()
    split: tuple[tuple[str, bool], ...] = ()
    points: tuple[str, ...] | None = None
    packs: tuple[Pack, ...] = ()
    reads: tuple[tuple[str, str, Layout], ...] = ()
    writes: tuple[str, Layout] | None = None
    staged: tuple[Staged, ...] | None = None
    in_place: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    conditions: tuple[str, ...] = ()

    def of(self, dim: str) -> tuple[int, ...]:
        """Sizes of the strips of a dimension, outermost first."""
        return dict(self.strips).get(dim, ())

    def with_strip(self, c: Computation, dim: str, size: int, layer: str | None = None) -> Decisions:
        """With parts of `size` of a dimension. Where the order is decided, just outside of the next smaller ones.

        layer: where they are; None: the next one outwards, and none at all where there would be one part.
        """
        extent, old = c.extent(dim), self.of(dim)
        if size < 1:
            raise Refused(f"{dim}: parts of {size} elements", "give at least 1")
        if layer is not None and layer not in STRIP_LAYERS:
            raise Refused(f"{dim}: there are no strips on {layer!r}", f"layers are {', '.join(STRIP_LAYERS)}")
        if size in old or (layer is None and size in (1, extent)):
            return self if layer is None else replace(self, layers=with_layer(self.layers, Loop(dim, size), layer))
        for other in old:
            if max(other, size) % min(other, size):
                raise Refused(
                    f"{dim}: parts of {min(other, size)} do not fill parts of {max(other, size)}",
                    f"{_fitting(other, size)} fits {other}",
                )
        of_cores = [n for n in old if (Loop(dim, n), "COR") in self.layers]
        if layer != "COR" and len(old) - len(of_cores) == MOST_STRIPS:
            raise Refused(f"{dim} has {MOST_STRIPS} strips already, on the layers L2, L3 and MM, inside threads and "
                          "around L1, registers and lanes", "leave one out")  # fmt: skip
        sizes = tuple(sorted((*old, size), reverse=True))
        strips = (*((d, n) for d, n in self.strips if d != dim), (dim, sizes))
        order = self.order
        if order:
            at = next(n for n, loop in enumerate(order) if loop.dim == dim and loop.size < size)
            order = (*order[:at], Loop(dim, size), *order[at:])
        layers = self.layers if layer is None else with_layer(self.layers, Loop(dim, size), layer)
        return replace(self, strips=strips, order=order, layers=layers)

    def with_even_parts(self, dim: str) -> Decisions:
        """With a loop of its own over the parts of even size that cores take; the outermost one, to begin with."""
        order = (Loop(dim, EVEN), *self.order) if self.order else ()
        return replace(self, order=order)

    def even(self, dim: str) -> bool:
        """Whether the even parts that cores take of a dimension have a loop of their own."""
        return any(loop == Loop(dim, EVEN) for loop, _ in self.cores or ())

    def loops(self, c: Computation) -> tuple[Loop, ...]:
        """All loops as they stand: in the decided order, else in the program's, parts of a dimension next to it."""
        if self.order:
            return self.order
        even = [loop for loop, _ in self.cores or () if loop.size == EVEN]
        return (*even, *(Loop(dim, size) for dim in c.names for size in (*self.of(dim), 0)))

    def loop(self, c: Computation, name: str, outermost: bool = False) -> Loop:
        """The loop that a user names. Refused if there is none."""
        dim, _, number = require_text(name, "a loop is named").partition(".")
        require_dim(c, dim)
        sizes = (*self.of(dim), 0)
        if not number:
            return Loop(dim, sizes[0 if outermost else -1])
        if number == "cores" and self.even(dim):
            return Loop(dim, EVEN)
        if not number.isdigit() or int(number) >= len(sizes):
            there = ", ".join(name_of(self, Loop(dim, size)) for size in sizes)
            raise Refused(f"there is no loop `{name}`", f"loops over {dim} are {there}")
        return Loop(dim, sizes[int(number)])

    def ordered(self, order: Sequence[Loop]) -> Decisions:
        """With the loops in this order. Refused where parts of a dimension would be outside of those they belong to."""
        last: dict[str, Loop] = {}
        for loop in order:
            outer = last.get(loop.dim)
            if outer is not None and EVEN not in (outer.size, loop.size) and outer.size < loop.size:
                raise Refused(
                    f"{name_of(self, loop)} would be inside {name_of(self, outer)}, whose points are parts of its own",
                    f"strip-mine {loop.dim} with other sizes",
                )
            last[loop.dim] = loop
        return replace(self, order=tuple(order))


MOST_STRIPS = 3
STRIP_LAYERS = ("L2", "L3", "MM", "COR")


def with_layer(layers: tuple[tuple[Loop, str], ...], loop: Loop, layer: str) -> tuple[tuple[Loop, str], ...]:
    """`layers` with that of a loop."""
    return (*(entry for entry in layers if entry[0] != loop), (loop, layer))


def name_of(d: Decisions, loop: Loop) -> str:
    """As users name it: `j`, `j.0` where it is a strip, or `j.cores`."""
    if loop.size == EVEN:
        return f"{loop.dim}.cores"
    sizes = d.of(loop.dim)
    return loop.dim if not loop.size or loop.size not in sizes else f"{loop.dim}.{sizes.index(loop.size)}"


def require_dim(c: Computation, dim: str) -> None:
    if dim not in c.names:
        near = difflib.get_close_matches(dim, c.names, n=1, cutoff=0.3)
        others = [n for n in c.names if n not in near]
        known = "" if c.facts is None else c.facts.elsewhere(c.name, dim)
        if (of := dim.partition(".")[0]) != dim and of in c.names:
            raise Refused(f"`{dim}` is a loop over parts of {of}: its dimension is wanted", f"such as {of!r}")
        raise Refused(known or f"{c.name} has no dimension `{dim}`", f"dimensions are {', '.join([*near, *others])}")


def require_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise Refused(f"{what} by text, got {value!r}", 'such as "i"')
    return value


def require_integer(value: object, what: str, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return require_integer(int(value), what, least)
        raise Refused(f"{what} is {value!r}: no whole number", f"give {least} or more")
    if value < least:
        raise Refused(f"{what} is {value}", f"give {least} or more")
    return value


def entry(pairs: Sequence[tuple[str, int]], name: str) -> int | None:
    found: Mapping[str, int] = dict(pairs)
    return found.get(name)


def _fitting(other: int, size: int) -> int:
    """The size next to `size` that fills, or is filled by, `other`."""
    if size > other:
        return max(1, round(size / other)) * other
    return min((n for n in range(1, other + 1) if other % n == 0), key=lambda n: (abs(n - size), -gcd(n, size)))
