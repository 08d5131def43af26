"""Lanes that lie apart in memory: vectors that are transposed in registers, as tiles load or store them or on their way
into copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, prod

from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere
from jitmdh.mdh.lowering.problem.prices import Prices, prices
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

# Points of a tile along rows, besides as many as there are lanes: shorter columns take as many shuffles.
_STEPS = (4, 8)

# Uses of an element up to which it may be better loaded where it lies than copied: a tile of 16 loads it twice, then.
_SELDOM = 32

ONE_BY_ONE = 0.4
"""How many elements of a copy are moved one by one, of whole rows that are not whole vectors."""

MOVED = 3
"""How often an element of a copy goes between caches: it is read, its place is read, and written."""

# Elements from one lane to the next: if all between them are loaded, too; and if not.
_MOST_BETWEEN, _MOST_IN_VECTORS = 8, 4

MOST_TRANSPOSED = 16
"""Lanes of vectors that are transposed: the code for more is long."""


def row_dim(p: Problem, machine: Machine, access: Access, lane: str | None) -> str | None:
    """The dimension along which elements follow each other in memory where the lanes lie apart; None: there is none.

    Of reductions, what is read once, in another order than some other input: others are copied instead, and what tiles
    with more points along rows of results take is not known well enough (of 44 contractions, half were slower). Of
    arg-extrema, rows that lanes have for themselves: to combine lanes takes longer. Lanes that are threads are not
    transposed.
    """
    e = p.expression
    unit = p.unit_axes.get(access.buffer)
    if machine.warps or lane is None or unit is None or unit >= len(access.index):
        return None
    if p.groups and not (access in e.inp_view and _read_once(p, access)):
        return None
    scores = p.operator is not None and p.operator.score is not None
    if scores and (lane in p.inner or neighbours(p, access, lane)[0]):
        return None
    if e.scattered or e.ragged or p.calls or p.lane_kind(access, lane) != "apart":
        return None
    if not _by_lanes(p, machine, access, lane):
        return None
    terms = [(n, c) for n, c in access.index[unit].terms if n in p.extents]
    if len(terms) != 1 or terms[0][1] not in (1, -1) or terms[0][0] == lane:
        return None
    dim = terms[0][0]
    short = lane in p.inner and p.constant_extent(dim) is not None  # reductions side by side, fewer than lanes
    if p.groups and not (short or scores) and not any(p.lane_kind(other, dim) == "apart" for other in e.inp_view):
        return None  # with these lanes, nothing is
    return dim if p.extents[dim] > 1 else None


def _read_once(p: Problem, access: Access) -> bool:
    """Whether no copy of an input would be used again. Prefix sums have code of their own."""
    e = p.expression
    own = e.has_prefix_sum or p.operator is None
    return not (own or e.indirect) and p.footprint(access, p.extents) >= p.points


def _by_lanes(p: Problem, machine: Machine, access: Access, lane: str) -> bool:
    """Whether each lane has a row of its own: data say, of each lane by itself, where it is; and a guard, whether all
    of it is there, which masks can say, too."""
    e = p.expression
    chosen = {n for index in access.index for n in index.names if e.named(n) is not None}
    if any(not e.depends(Affine.of(n)) <= {lane} for n in chosen):
        return False
    if not access.guard:
        return True
    return machine.masked and len(access.guard) == 1 and p.extents.keys() & set(access.guard[0].names) <= {lane}


def row_steps(p: Problem, machine: Machine, lane: str | None, lanes: int) -> dict[str, list[int]]:
    """How many points along rows, by dimension, are worth a look: as many as there are lanes, or fewer."""
    moved = (*p.expression.out_view, *p.expression.inp_view)
    dims = {row_dim(p, machine, access, lane) for access in moved} if 1 < lanes <= MOST_TRANSPOSED else set()
    most = min(lanes, machine.registers // 2)
    return {
        d: sorted({n for n in (*_STEPS, most, p.extents[d]) if 1 < n <= min(most, p.extents[d])}) for d in dims if d
    }


def transposable_lanes(p: Problem, machine: Machine, lane: str) -> bool:
    """Whether vectors along a dimension can be transposed."""
    moved = (*p.expression.out_view, *p.expression.inp_view)
    return any(row_dim(p, machine, access, lane) is not None for access in moved)


def transposed_cycles(
    p: Problem, price: Prices, along: str, counts: Mapping[str, int], lanes: int, apart: float, few: float
) -> float:
    """Cycles of a vector that is loaded or stored with others of its tile: rows of whole tiles are transposed, vectors
    of others take `apart`. few: what a row takes more, as not each may be there."""
    rows, extent = min(counts.get(along, 1), lanes), p.extents[along]
    if rows < 2 or lanes > MOST_TRANSPOSED:
        return apart
    whole = extent // rows * rows / extent
    return whole * min(apart, price.columns(lanes, rows) + few * lanes / rows) + (1 - whole) * apart


def beside(
    p: Problem, machine: Machine, accesses: Sequence[Access], lane: str | None, lanes: int, price: Prices, stored: bool
) -> dict[int, float]:  # fmt: skip
    """Cycles of a vector of accesses, by number, whose lanes lie apart while others of the point are beside them: rows
    that are written out, `t[k, 0] = …; t[k, 1] = …` with lanes along k, are transposed as those along a dimension.

    stored: then each row has to be whole; of what is loaded, the vectors between two others are loaded, too.
    """
    e = p.expression
    if machine.warps or p.groups or lane is None or e.scattered or e.ragged or p.calls or lanes > MOST_TRANSPOSED:
        return {}
    groups: dict[tuple[object, ...], dict[int, list[int]]] = {}
    for number, access in enumerate(accesses):
        unit = p.unit_axes.get(access.buffer)
        if unit is None or unit >= len(access.index) or access.guard or p.lane_kind(access, lane) != "apart":
            continue
        at = access.index[unit]
        if not any(n in p.extents for n in at.names):
            key = access.buffer, (*access.index[:unit], at.terms, *access.index[unit + 1 :])
            groups.setdefault(key, {}).setdefault(at.constant, []).append(number)
    found: dict[int, float] = {}
    for group in groups.values():
        for run in _near(sorted(group), 1 if stored else lanes, lanes):
            length = run[-1] - run[0] + 1
            if len(run) > 1:
                each = price.columns(lanes, length) * length / len(run)
                found |= {number: each for place in run for number in group[place]}
    return found


def neighbours(p: Problem, access: Access, lane: str | None) -> tuple[int, frozenset[str]]:
    """How far apart lanes are where that is few elements, and what goes through those between two of them: vectors are
    loaded whole then (`kernel.passes.memory.strided_loads`), or short rows are transposed. 0: it is not known, or far.
    """
    step = abs(p.lane_distance(access, lane)) if lane is not None and p.lane_kind(access, lane) == "apart" else 0
    if not 2 <= step <= _MOST_BETWEEN:
        return 0, frozenset()
    between = (d for d in p.extents if d != lane and 0 < abs(p.lane_distance(access, d)) < step)
    return step, frozenset(between)


def neighbours_cycles(price: Prices, step: int, among: int, lanes: int) -> float:
    """Cycles of a vector whose lanes are so far apart; among: how many such vectors whole ones are loaded for."""
    if among < step and step > min(_MOST_IN_VECTORS, lanes // 2):
        return inf
    return step / max(1, min(among, step)) * price.load + (step - 1) * price.shuffle


def _near(places: Sequence[int], step: int, most: int) -> Iterator[list[int]]:
    """Runs of places, none more than `step` from the one before, nor `most` or more from the first."""
    run: list[int] = []
    for place in places:
        if run and (place - run[-1] > step or place - run[0] >= most):
            yield run
            run = []
        run.append(place)
    yield run


def transposable(p: Problem, access: Access, lane: str | None) -> bool:
    """Whether a copy with `lane` innermost can be made of whole vectors: contiguous along what collapses."""
    along = any(p.lane_kind(access, d) == "contiguous" for d in p.inner)
    return lane in p.outer and along and p.lane_kind(access, lane) == "apart"


def row_length(p: Problem, access: Access) -> int:
    """Elements that follow each other in memory along one axis of an access."""
    unit = p.unit_axes.get(access.buffer)
    along = access.index[unit].names if unit is not None and unit < len(access.index) else ()
    return prod(max(1, p.extents[d]) for d in along if d in p.extents)


def copied_cycles(p: Problem, machine: Machine, access: Access, lane: str | None, lanes: int) -> float:
    """Cycles of an element on its way into a copy whose rows are not those along what collapses: alone, or in rows
    whose vectors are transposed."""
    price = prices(machine)
    rows = any(p.lane_kind(access, d) == "contiguous" for d in p.outer if d != lane)
    if not rows or row_length(p, access) < lanes:
        return price.copied
    size = p.expression.buffer(access.buffer).type.size_bytes
    far = 2 * p.bytes_of(access) > machine.capacity_bytes("L2")
    return min(price.copied, ONE_BY_ONE * price.copied + (MOVED * size / price.stalls["L3"] if far else 0.0))


def packable(p: Problem, access: Access, lane: str | None) -> bool:
    guarded = access.guard or (p.expression.md_hom.guard and not inside_everywhere(p.expression, access))
    if guarded or lane is None or p.expression.indirect:
        return False
    if lane in p.inner and p.lane_kind(access, lane) == "apart":
        return False  # panels are stored step by step of what collapses
    return all(len([n for n in a.names if n in p.extents]) <= 1 for a in access.index) and all(
        c == 1 for a in access.index for n, c in a.terms if n in p.extents
    )


def used_seldom(p: Problem, access: Access) -> bool:
    """Whether elements of an input are used by so few points that tiles may load each of them once or twice in all."""
    return p.points <= _SELDOM * p.footprint(access, p.extents)
