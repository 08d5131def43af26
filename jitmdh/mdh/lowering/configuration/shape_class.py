"""Which calls share code: short extents become constants, others have to be in the same range, or multiples of tiles.

Code is right for all sizes that meet its conditions; a class says for which sizes its configuration was chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import gcd, lcm, prod
from typing import TYPE_CHECKING

from jitmdh.mdh.algebra.expr import Access, ArrayParameter, Dim, Expression, Program, ScalarParameter, expressions
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.lowering.problem.nontemporal import least_row
from jitmdh.mdh.lowering.problem.prices import SHORT_ROWS_ARRAYS

if TYPE_CHECKING:
    from jitmdh.mdh.lowlevel.expr import LowLevel
    from jitmdh.mdh.machine.model import Machine

Range = tuple[int, int]

# Collapsed extents up to this become constants, so that their loops can be unrolled, and so do those of rows that lie
# one behind the other in what is reduced along another dimension: vectors are loaded of several rows at once.
SHORT_EXTENT = 8
_BOUNDS = (1, 7, 31, 127, 511)
_WIDE_BOUNDS = (31,)
_LEAST_HALVED, _LEAST_TERMS = 128, 128  # rows, and terms of a sum, from which on symmetric results are halved
SMALL = 127  # code for very different sizes is chosen apart for calls without a larger one
# What code for very different sizes is chosen for, where sizes differ: tiles that fill vectors, no copies. Of the cubes
# from 16³ to 600³, those between come nearest to code for each of 100 random products alone (Zen 5).
_TYPICAL = 32, 128
_LONG_ROW = 64  # elements that no register tile is as long as: lanes of several vectors
_LEAST, _NO_BOUND = -(2**63), 2**63 - 1  # what an integer argument can be


def shape_class(program: Program, sizes: Mapping[str, int], wide: bool = False) -> dict[str, Range]:
    """The smallest and largest value that each size may have in code for a call with these sizes.

    Only sizes that the caller knows by name (shapes and integers among the arguments) and that extents depend on.
    wide: for as many calls as is sensible.
    """
    bounds = _WIDE_BOUNDS if wide else _BOUNDS
    known = {p.name for p in program.parameters if isinstance(p, ScalarParameter) and p.type.is_integer}
    for p in program.parameters:
        if not isinstance(p, ScalarParameter):
            known |= {shape_name(p.name, axis) for axis in range(p.rank)}
    found = known_ranges(program)
    rows = {shape_name(p.name, p.rank - 1) for p in program.parameters if isinstance(p, ArrayParameter) and p.rows}
    for expression in expressions(program.steps):
        for dim in expression.md_hom.dims:
            for name, coefficient in dim.extent.terms:
                if name not in known or name not in sizes:
                    continue
                value = sizes[name]
                alone = len(dim.extent.terms) == 1 and coefficient == 1 and dim.extent.constant == 0
                short = not wide and alone and 1 <= value <= SHORT_EXTENT
                if short and (dim.name in expression.collapsed or (name in rows and _side_by_side(expression, dim))):
                    found[name] = value, value
                else:
                    found.setdefault(name, _range(value, bounds))
    return found


def _side_by_side(e: Expression, dim: Dim) -> bool:
    """Whether reductions stand side by side along a dimension that has nothing in common."""
    return bool(e.collapsed) and all(dim.name in e.varying(access) for access in e.inp_view)


def small_class(program: Program, sizes: Mapping[str, int]) -> dict[str, Range]:
    """As `shape_class`, for all calls whose sizes are small."""
    known = known_ranges(program)
    return {name: known.get(name, (_LEAST, SMALL)) for name in shape_class(program, sizes)}


def typical_sizes(sizes: Mapping[str, int], known: Collection[Mapping[str, Range]]) -> dict[str, int]:
    """The sizes that code for very different calls is chosen for, where `sizes` are those of the next one.

    known: for which sizes there is code. What is in the same range in all calls so far stays as it is: it is a number
    of channels, say. Of other sizes one call says little, if there are several; each is moved towards the usual ones.

    >>> typical_sizes({"m": 1, "n": 900, "k": 3}, [{"m": (2, 7), "n": (32, 127), "k": (3, 3)}])
    {'m': 32, 'n': 128, 'k': 3}
    """
    names = {name for ranges in known for name in ranges if name in sizes}
    alike = {name for name in names if all(r[name][0] <= sizes[name] <= r[name][1] for r in known if name in r)}
    different = {sizes[name] for name in names - alike}
    if len(names - alike) < 2:
        return dict(sizes)
    least, most = _TYPICAL  # equal sizes stay equal: of several arrays, say
    moved = {n: n not in alike and size in different for n, size in sizes.items()}
    return {n: min(max(size, least), most) if moved[n] else size for n, size in sizes.items()}


def known_ranges(program: Program) -> dict[str, Range]:
    """The sizes that are the same in all calls that the program is for."""
    arrays = [p for p in program.parameters if not isinstance(p, ScalarParameter)]
    return {shape_name(p.name, axis): (1, 1) for p in arrays for axis in p.ones}


def footprints(
    program: Program, ranges: Mapping[str, Range], sizes: Mapping[str, int], machine: Machine
) -> dict[str, Range]:
    """What products of sizes have to be in a class so that arrays fit a cache in all calls of it where they do in one
    of these sizes, and in none where they do not there: `{"x.shape[0]*x.shape[1]": (least, most)}`.

    Of arrays whose elements are written or read once, which alone are worth other code beyond a cache: stores bypass
    the last one, if rows are long enough, loads are prefetched. Without what holds in the class anyway.
    """
    found: dict[str, Range] = {}
    given = {p.name for p in program.parameters}
    for expression in expressions(program.steps):
        walked = _walked_once(expression, given, ranges, machine)
        for names, size_bytes, capacity in sorted({*walked, *_rows(expression, given, least_row(machine))}):
            own = [(ranges[name], sizes[name]) for name in names if name in ranges and name in sizes]
            fitting = (capacity - 1) // size_bytes  # elements
            fits = prod(size for _, size in own) <= fitting
            least, most = (prod(max(0, limits[n]) for limits, _ in own) for n in (0, 1))
            if len(own) == len(names) and least <= fitting < most:
                product = "*".join(names)
                low, high = found.get(product) or ranges.get(product) or (_LEAST, _NO_BOUND)
                found[product] = (low, min(high, fitting)) if fits else (max(low, fitting + 1), high)
    return found


def _walked_once(
    e: Expression, given: Collection[str], ranges: Mapping[str, Range], machine: Machine
) -> set[tuple[tuple[str, ...], int, int]]:
    """For arrays among those given with an access for each point, and results that nothing reads: the sizes that they
    are as long as, the bytes of an element, and of the cache. That is the last one but for a reduction from row to row,
    whose next row the processor does not foresee. For all that is read in rows which may be shorter than a tile,
    the share of the last cache that is left to such rows, too."""
    if e.indirect or e.procedures:
        return set()
    lengths = {d.name: _only_size(d.extent) for d in e.md_hom.dims if not d.extent.is_constant}
    read, found = {a.buffer for a in e.reads}, set()
    results = [a for a in e.out_view if a.buffer not in read]
    for access in (*results, *e.reads):
        buffer, names = e.buffer(access.buffer), sorted(lengths[d] for d in e.varying(access) if d in lengths)
        if not names or (buffer.of or buffer.name) not in given:
            continue
        key = tuple(names), buffer.type.size_bytes
        if access in results or len(names) == len(lengths):
            across = access not in results and e.collapsed and not set(e.collapsed) & e.depends(access.index[-1])
            found.add((*key, machine.capacity_bytes("L2" if across else "L3")))
        if access not in results and machine.masked and not machine.warps and _may_be_short(e, access, ranges):
            found.add((*key, machine.capacity_bytes("L3") // SHORT_ROWS_ARRAYS))
    return found


def _may_be_short(e: Expression, access: Access, ranges: Mapping[str, Range]) -> bool:
    """Whether rows of an input may be shorter than a register tile."""
    extents = {d.name: d.extent for d in e.md_hom.dims}
    along = [extents[name] for name in access.index[-1].names if name in extents]
    return prod(max(1, ranges.get(_only_size(n), (n.constant, 0))[0]) for n in along) < _LONG_ROW


def _rows(e: Expression, given: Collection[str], least: int) -> set[tuple[tuple[str, ...], int, int]]:
    """As `_walked_once`, for the rows of results, which are short or have `least` bytes."""
    lengths = {d.name: _only_size(d.extent) for d in e.md_hom.dims if not d.extent.is_constant}
    found: set[tuple[tuple[str, ...], int, int]] = set()
    for access in e.out_view if least and not e.collapsed else ():
        buffer, names = e.buffer(access.buffer), access.index[-1].names if access.index else ()
        if len(names) == 1 and lengths.get(names[0]) and (buffer.of or buffer.name) in given:
            found.add(((lengths[names[0]],), buffer.type.size_bytes, least))
    return found


def _only_size(extent: Affine) -> str:
    """`n` of n, and of n - 2; empty of what depends on several sizes."""
    terms = extent.terms
    return terms[0][0] if len(terms) == 1 and terms[0][1] == 1 else ""


def size_class(value: int) -> Range:
    """The least and the largest size in a class with this one, where it is no constant."""
    return _range(value, _BOUNDS)


def _range(value: int, bounds: tuple[int, ...]) -> Range:
    """
    >>> _range(5, _BOUNDS), _range(100, _BOUNDS)
    ((2, 7), (32, 127))
    """
    low = _LEAST
    for bound in bounds:
        if value <= bound:
            return low, bound
        low = bound + 1
    return low, _NO_BOUND


def specialised(program: Program, ranges: Mapping[str, Range]) -> Program:
    """The program with the sizes of a known value as constants."""
    from jitmdh.mdh.algebra.rewrites.specialise import specialise  # calls that only ask for a class do without it

    return specialise(program, {name: low for name, (low, high) in ranges.items() if low == high})


def with_halves(program: Program, ranges: Mapping[str, Range], named: Collection[str | None] | None = None) -> Program:
    """`program` with symmetric results computed in one triangle, where all calls are large enough for that: half of a
    few tiles is not much less than all of them, and the other triangle has to be written.

    named: the computations of a schedule, which says by them what is halved; None: there is none."""
    from jitmdh.mdh.algebra.rewrites.neighbours import symmetric_results

    def least(extent: Affine) -> int:
        (low, _) = ranges.get("".join(extent.names), (0, 0))
        return extent.constant if extent.is_constant else low if extent == Affine.of(*extent.names[:1]) else 0

    def is_worth(dim: Dim, e: Expression) -> bool:
        if named is not None:
            return any(name is not None and name.startswith(f"{e.name} half") for name in named)
        terms = prod(least(d.extent) for d in e.md_hom.dims if d.name in e.collapsed)
        return least(dim.extent) >= _LEAST_HALVED and terms >= _LEAST_TERMS

    return symmetric_results.with_halves(program, is_worth)


def multiples(low: LowLevel, sizes: Mapping[str, int], names: Collection[str]) -> dict[str, int]:
    """What those of `names` that are extents have to be multiples of so that fewer tiles are cut short.

    Only what holds for `sizes`: whole register tiles or, where these do not fit, whole vectors.
    """
    found: dict[str, int] = {}
    tiles = {p.dim: p.size for p in low.parts if p.layer == "L1"}
    if low.in_blocks:
        early = {p.dim for p in low.parts if p.early}  # cut short in any case
        tiles = {p.dim: max(q.size for q in low.parts if q.dim == p.dim) for p in low.parts if p.dim not in early}
    vectors = {p.dim: p.size for p in low.parts if p.way == "unroll"}
    wide = {p.dim for p in low.parts if p.way == "lane"}
    for dim in low.expression.md_hom.dims:
        name, tile = "".join(dim.extent.names), tiles.get(dim.name, 1)
        if tile == 1 or name not in names or dim.extent != Affine.of(name) or sizes.get(name, 0) < 1:
            continue
        common = gcd(tile, sizes[name])
        if common == tile or (dim.name in wide and common % vectors.get(dim.name, tile) == 0):
            found[name] = lcm(common, found.get(name, 1))
    return found
