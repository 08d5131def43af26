"""The dimensions that vector lanes may take, how many lanes and vectors, and what combining arg-extrema costs."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.groups import places_ascend
from jitmdh.mdh.algebra.scalar import Fetch, IndexValue, called, instructions
from jitmdh.mdh.algebra.semantics.divergence import gathers, side_by_side
from jitmdh.mdh.lowering.model.transposition import MOST_TRANSPOSED, transposable_lanes
from jitmdh.mdh.lowering.problem.op_costs import operations
from jitmdh.mdh.lowering.problem.prices import Prices, prices
from jitmdh.mdh.lowering.problem.reuse import reads_once, reuses
from jitmdh.mdh.lowering.problem.rounds import vectors_at_once
from jitmdh.mdh.lowering.problem.traffic import Problem, counted, masked_only, masked_together
from jitmdh.mdh.lowering.problem.traffic import operations as at_point
from jitmdh.mdh.machine.model import Machine

# Lanes for rows whose length depends on data: short ones fit one masked vector.
_RAGGED_LANES = 8
_NARROWEST = 128  # bits of a vector
_RAGGED_STEPS = 4  # vectors a round, for rows whose length depends on data
_MOST_STRAIGHT = 3 << 10  # operations without a loop, some ten bytes each, that first-level instruction caches hold
# Points of a tile that update cells which data choose, at most: with 24 each update takes twice as long as with 16,
# with 64 five times (Zen 4), as if each waited for the stores before it.
_MOST_UPDATES = 16
# Vectors that have all points of a dimension, the last one masked; where several rows use them, no more than others.
_MOST_MASKED = 14
_MOST_COMBINED_TOGETHER = 4  # vectors of rows whose lanes are combined with those of other rows
# Operations of an arg-extremum that wait for each other from one point to the next: a score is compared, and kept.
_COMPARED_AND_KEPT = 2
# Of all operations of such an operator, the share that waits for the one before, as measured on an AMD EPYC (Zen 5).
_SERIAL = 0.5
LONG_CHAIN = 256  # operations: about as many as the processors that are known have under way
_MOST_SPLIT = 4  # times as many steps as there are accumulators for
# Operations that merge an accumulator of scores and numbers of vectors: scores; a distance; which have the best score.
_MERGED_PLACES = 6


def widest(p: Problem) -> int:
    """Bits of the widest type that lanes hold in the innermost loops; outer states may take several vectors.

    16-bit floats that are computed with, and not only moved, are in registers as float32.
    """
    e = p.expression
    written = e.out_view if len(p.groups) < 2 else ()
    bits = [8]
    bits += [e.buffer(a.buffer).type.bits for a in (*e.inp_view, *written) if a.index]
    for group in p.groups[-1:]:
        bits += [t.bits for t in group.operator.types]
    bits += [r.type.bits for r in e.md_hom.function.results]
    bits += [e.buffer(name).type.bits for procedure in e.procedures for name in procedure.written]
    most = max(bits)
    if most == 16:
        bits += [v.type.accumulator.bits for n in operations(e.md_hom.function) for v in (n, *n.operands)]
    return max(bits)


_GATHERED, _WORD = 32, 64  # bits of the smallest elements that are gathered by an instruction, and of a register

_FULL_VECTORS = 4  # along a dimension, for it to have longer ones

_FEW = 4
"""Elements of a single result: to put them into a vector and to sum its lanes takes longer than to add them up."""
_FEW_BEHIND_A_STORE = 24
"""The same of a sum in each round whose last element the round before has stored. Measured on an Intel Emerald Rapids:
a round of a Cholesky factorisation takes 22 ns with vectors and 9 ns without for sums of 13, 23 and 26 ns for 40."""


def lane_candidates(p: Problem, machine: Machine) -> list[tuple[str | None, int]]:
    """No dimension, then each that lanes can take, with how many lanes; without the first where that is too little.

    Loops of procedures have several vectors' lanes, where one alone would wait for its own results.
    """
    lanes = machine.vector_bits // widest(p)
    found: list[tuple[str | None, int]] = [(None, 1)]
    if lanes < 2 or _moved_by_data(p, machine) is not None:
        return found
    writes = any(procedure.written for procedure in p.expression.procedures)
    single, ragged = single_points(p), {d.name for d in p.expression.ragged}
    numbered = places_ascend(p.expression, p.groups)  # then states hold scores, and numbers as wide as they are
    for dim, combine in zip(p.expression.md_hom.dims, p.expression.md_hom.combine):
        name = dim.name
        collapses = name in p.collapsed
        if name in single or (not _write_side_by_side(p, name) if writes else _walks_through_rows(p, name)):
            continue
        scan = isinstance(combine, PrefixSum)
        if scan and name not in ragged:
            found += [(name, n) for n in _fewer(lanes, widest(p)) if p.extents[name] >= 2 * n]
        if name not in ragged and p.extents[name] < (2 * lanes if scan else 2):
            continue
        operator = p.operator_of(name)
        if collapses and (operator is None or not operator.commutative):
            continue
        few = _FEW_BEHIND_A_STORE if name in p.just_stored else _FEW
        if collapses and name not in ragged and 2 <= p.extents[name] <= few and p.points == p.extents[name]:
            continue
        if collapses and numbered:
            assert operator is not None
            found.append((name, machine.vector_bits // max(8, operator.types[0].bits)))
            continue
        longer = _longer_vectors(p, machine, name) if p.calls and name not in ragged else 1
        found.append((name, min(lanes, _RAGGED_LANES) if name in ragged else lanes * longer))
        narrow = max(_NARROWEST // widest(p), 1 << (p.extents[name] - 1).bit_length())
        if name not in ragged and not scan and narrow < lanes:
            found.append((name, narrow))  # half of a vector costs less than all of it, half empty
        if _fills_better(p, name, lanes, machine):
            found.append((name, lanes // 2))
        if lanes > MOST_TRANSPOSED != narrow and transposable_lanes(p, machine, name):
            found.append((name, MOST_TRANSPOSED))
    if any(name in ragged and name in p.collapsed for name, _ in found):
        return found[1:]  # good for rows of any length, which no size of a call tells
    return found


def one_by_one(p: Problem, machine: Machine, lane: str | None) -> frozenset[str]:
    """Dimensions of which a few points are taken together without vectors."""
    if lane is not None:
        return frozenset()
    moved = _moved_by_data(p, machine)
    return p.just_stored if moved is None else p.just_stored | {moved}


def _moved_by_data(p: Problem, machine: Machine) -> str | None:
    """The dimension along which elements that data choose are moved to neighbours, and no more than moved, where they
    are better moved one by one: vectors would be made of single elements only to be stored.

    That is where gathers take longer than a load each, and for elements that are gathered by no instruction. Tables of
    256 bytes by int64 take 0.70 of the time, of doubles 0.84 (Zen 4). Not where vectors are read whole along another
    dimension, nor where subscripts and results come from memory: lines arrive sooner for gathers (2 million: 0.7).
    """
    e = p.expression
    if p.operator is not None or e.procedures or e.scattered or e.finish is not None or machine.warps:
        return None
    if len(e.out_view) != 1 or counted(e.md_hom.function):
        return None
    by_data = {n.name for n in e.indirect if n.inp_view}
    streamed = [*e.out_view, *(a for n in e.indirect for a in n.inp_view)]
    if 2 * sum(map(p.bytes_of, streamed)) > machine.capacity_bytes("L3"):
        return None
    for dim in reversed(tuple(p.extents)):
        if p.lane_kind(e.out_view[0], dim) == "contiguous":
            chosen = [
                a for a in e.inp_view if p.indirect(a, dim) and any(by_data.intersection(i.names) for i in a.index)
            ]
            if any(p.lane_kind(a, other) == "contiguous" for a in chosen for other in p.extents):
                return None
            least = min((e.buffer(a.buffer).type.bits for a in chosen), default=0)
            slow = machine.figures.wide(machine.vector_bits).gather > 1.0 or least < _GATHERED
            return dim if 0 < least <= _WORD and slow else None
    return None


def _fewer(lanes: int, bits: int) -> Iterator[int]:
    """Lanes of narrower vectors: a prefix sum takes a step less with each half, and short rows fill some of them."""
    while (lanes := lanes // 2) * bits >= _NARROWEST:
        yield lanes


def _longer_vectors(p: Problem, machine: Machine, dim: str) -> int:
    """How many vectors are one, of a procedure along `dim`: no more than that few lanes of the last are not needed."""
    if dim in p.expression.scattered:
        return 1
    lanes = machine.vector_bits // widest(p)
    count = vectors_at_once(p.expression, prices(machine, lanes=lanes), machine)
    while count > 1 and (p.extents[dim] < _FULL_VECTORS * count * lanes or 8 * count * lanes > machine.vector_bits):
        count //= 2
    return count


def _fills_better(p: Problem, lane: str, lanes: int, machine: Machine) -> bool:
    """Whether long code takes fewer cycles in halves of vectors: more of these begin in a cycle, and fewer lanes idle.

    Nine points on Zen 4: two vectors of eight doubles take two cycles, three of four doubles one and a half.
    """
    if lanes < 4 or not masked_only(p.expression, lane, lanes // 2):
        return False
    whole, half = machine.figures.wide(machine.vector_bits), machine.figures.wide(machine.vector_bits // 2)
    points = p.extents[lane]
    return ceil(2 * points / lanes) / half.multiply_adds < ceil(points / lanes) / whole.multiply_adds


def _walks_through_rows(p: Problem, dim: str) -> bool:
    """Whether lanes along `dim` would each go through rows of their own in a procedure: better one by one."""
    e = p.expression
    if not e.procedures:
        return False
    function, finish = e.md_hom.function, e.finish.function if e.finish else None
    varying = [v.name for v, access in zip(function.parameters, e.inp_view) if dim in e.varying(access)]

    def differs(index: IndexValue) -> bool:
        return dim in e.depends(index.index)

    read = list(gathers(function, varying, differs))
    for procedure in called(finish) if finish else ():
        read += [part for part in instructions(procedure.body) if isinstance(part, Fetch)]
    return any(len(part.index) > 1 for part in read)


def _write_side_by_side(p: Problem, dim: str) -> bool:
    """Whether lanes along `dim` may execute procedures that write: each at its own elements, which are neighbours."""
    e = p.expression
    if dim in p.collapsed or (e.finish is not None and called(e.finish.function)):
        return False
    varying = [v.name for v, access in zip(e.md_hom.function.parameters, e.inp_view) if dim in e.varying(access)]
    return side_by_side(e.md_hom.function, varying, dim, lambda index: dim in e.depends(index.index))


def single_points(p: Problem) -> frozenset[str]:
    """Dimensions taken one by one: each of their points has ranges of its own."""
    return frozenset(n for d in p.expression.ragged for n in p.expression.depends(d.extent))


def is_scan(p: Problem, dim: str) -> bool:
    return dim in p.scanned


def extremum_costs(p: Problem, price: Prices, lane: str | None) -> tuple[int, int, float, float]:
    """Operations of a step of an arg-extremum, of these those that wait for each other; cycles that merge one more
    accumulator, and two halves of lanes.

    Points come in order, or scores first: one comparison, which decides what is kept. Else all of the operator is
    computed, also where accumulators of their own are merged, in turn.
    """
    assert p.operator is not None
    combined, state = price.operation * counted(p.operator.function), p.operator.arity
    each = 1 + state + counted(p.expression.md_hom.function)
    if lane in p.collapsed and places_ascend(p.expression, p.groups):
        waits = _COMPARED_AND_KEPT + (p.operator.types[0].kind == "f")  # whether what is kept is a NaN, too
        return each, waits, _MERGED_PLACES * price.operation, 2 * price.lanes_step
    return each, _COMPARED_AND_KEPT, _SERIAL * combined * price.independent, 2 * price.shuffle * state + combined


def lane_steps(
    p: Problem, machine: Machine, lane: str, lanes: int, streaming: bool, reused: bool
) -> list[tuple[str, int]]:
    """How many vectors along the lanes a tile may have."""
    most, whole = max(1, p.extents[lane] // lanes), 0
    if lane in {d.name for d in p.expression.ragged}:
        return [(lane, _RAGGED_STEPS)]
    if lane in p.expression.scattered:
        steps: tuple[int, ...] = (max(1, _MOST_UPDATES // lanes),)
    elif p.operator is None:
        once = p.extents[lane] % lanes and masked_only(p.expression, lane, lanes)
        most = 1 if once else min(most, _MOST_STRAIGHT // max(1, at_point(p.expression)))
        several = (1, 2, 3, 4) if p.extents[lane] == 4 * lanes else (1, 2, 3)  # else three are as good, and less code
        steps = (1,) if streaming else several  # remainders have no non-temporal stores
    elif lane in p.outer:
        steps = (1, 2, 3, 4, 5, 6, 8)
        whole = _whole_masked(p, machine, lane, lanes, steps[-1] if reused else _MOST_MASKED)
    else:
        once = any(reads_once(p, access) for access in p.expression.inp_view)
        steps = (1, 2, 4, 8) if once or not reused else (1, 2, 4)
    return [(lane, n) for n in steps if n <= most or n == 1] + ([(lane, whole)] if whole > most else [])


def _whole_masked(p: Problem, machine: Machine, lane: str, lanes: int, most: int) -> int:
    """How many vectors have all points along the lanes, where masks leave out the lanes behind them; 0: too many."""
    steps, accesses = ceil(p.extents[lane] / lanes), (*p.expression.inp_view, *p.expression.out_view)
    beside = all(p.lane_kind(a, lane) != "apart" for a in accesses)
    return steps if steps <= most and beside and masked_together(p.expression, lane, machine) else 0


def combined_together(p: Problem, machine: Machine, lane: str | None, lanes: int) -> list[list[tuple[str, int]]]:
    """How many rows that lanes collapse along have their lanes combined together, where rows have nothing in common:
    half of a vector that is combined with its other half is empty, those of as many rows as there are lanes are full.

    Of short rows: of others combining takes little, and the caches' prefetchers follow one row better than several.
    """
    operator = p.operator
    if lane not in p.inner or p.extents[lane] > _MOST_COMBINED_TOGETHER * lanes or machine.warps:
        return []
    if operator is None or operator.score is not None:
        return []
    dims = [d for d in p.outer if p.extents[d] > 1 and not is_scan(p, d)]
    dim = results_in_line(p) or (dims[-1] if dims else None)
    if dim is None or dim not in dims:
        return []
    most = min(p.extents[dim], MOST_TRANSPOSED, lanes)
    return [[(dim, n) for n in (1, 4, 8, 16) if n <= most or n == 1]]


def results_in_line(p: Problem) -> str | None:
    """The dimension along which results follow each other in memory; None: there is none, or they share what they read:
    tiles of those are chosen by what they share."""
    if any(p.extents[d] > 1 and not is_scan(p, d) and reuses(p, d) for d in p.outer):
        return None
    along = [d for d in p.outer if all(p.lane_kind(a, d) == "contiguous" for a in p.expression.out_view)]
    return along[-1] if along and not p.expression.scattered else None


def combined_cycles(p: Problem, price: Prices, lanes: int, longer: int) -> tuple[float, float]:
    """Cycles of combining two accumulators, and the halves of one, in line; longer: instructions beyond the operations.

    Of short rows, no more than those of the instructions: where the loop ends is foreseen, so that the next rows are
    read meanwhile. Behind a longer loop, which ends unforeseen, each step waits for the one before; so it is priced for
    what several results read, too, whose tiles are chosen by it.
    """
    assert p.operator is not None
    state, long = p.operator.arity, prod(p.extents[d] for d in p.inner) > _MOST_COMBINED_TOGETHER * lanes
    if long or any(p.extents[d] > 1 and not is_scan(p, d) and reuses(p, d) for d in p.outer):
        return price.lanes_step * state, price.lanes_step * state
    step = price.operation * (counted(p.operator.function) + longer)
    return 2 * state * price.shuffle + step, state * price.shuffle + step


def combining_steps(results: int, lanes: int) -> tuple[int, int]:
    """How often two accumulators, and the halves of one, are combined until each of `results` has one lane left.

    >>> combining_steps(1, 16), combining_steps(4, 16), combining_steps(16, 16)
    ((0, 4), (3, 2), (15, 0))
    """
    whole, rest = divmod(results, lanes)
    pairs, alone = whole * (lanes - 1), 0
    if rest:
        alone = (lanes // (1 << (rest - 1).bit_length())).bit_length() - 1
        while rest > 1:
            rest = -(-rest // 2)
            pairs += rest
    return pairs, alone


def taken_in_apart(p: Problem, lane: str | None) -> int:
    """How many vectors a vector of results takes in whose lanes lie apart, as of what results held."""
    finish = p.expression.finish
    return sum(p.lane_kind(a, lane) == "apart" for a in finish.inp_view) if finish is not None and lane else 0


def can_split_accumulators(p: Problem) -> bool:
    return p.operator is not None and p.operator.commutative and bool(p.inner)


def split_accumulator_dims(p: Problem, machine: Machine, counts: dict[str, int], lanes: int) -> tuple[str, ...]:
    """Collapsed dimensions whose unrolled steps get accumulators of their own: enough to hide the latency."""
    if not can_split_accumulators(p):
        return ()
    if all(counts.get(d, 1) == p.extents[d] for d in p.inner):
        return ()  # the next tile does not wait for this one
    results = prod(counts.get(d, 1) for d in p.outer)
    enough = prices(machine, lanes=lanes).independent
    split, copies = [], 1
    for dim in p.inner:
        step = counts.get(dim, 1)
        if step > 1 and results * copies < enough and results * copies * step <= machine.registers // 2:
            split.append(dim)
            copies *= step
    return tuple(split)


def of_long_chains(
    p: Problem, machine: Machine, lane: str | None, lanes: int, steps: dict[str, int]
) -> Iterator[dict[str, int]]:  # fmt: skip
    """Tiles with several steps of what collapses, each with an accumulator of its own, where there are too few results
    to hide how long a step waits for the one before: columns of a narrow array. Of a wide one more of a row are read.

    Where that is short, the processor takes in the next results meanwhile.
    """
    results, along = prod(steps.values()), p.inner[-1] if p.inner else None
    if along is None or lane not in p.outer or along in steps or not can_split_accumulators(p):
        return
    enough = prices(machine, lanes=lanes).independent
    if results >= enough or p.expression.ragged or machine.warps:
        return
    if p.extents[lane] >= enough * lanes and any(reads_once(p, access) for access in p.expression.inp_view):
        return
    if results * at_point(p.expression) * prod(p.extents[d] for d in p.inner) < LONG_CHAIN:
        return
    for n in (2, 4, 8):
        if _MOST_SPLIT * n <= p.extents[along] and split_accumulator_dims(p, machine, {**steps, along: n}, lanes):
            yield {**steps, along: n}
