"""Undecorated Python ≡ plans over random blocks of the arrays, over generated programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import InternalError, NotAnMdhError
from jitmdh.jit.compilation.pipeline import written_buffers
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.partition import interp as parts
from jitmdh.mdh.partition import rows
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.interp import carry_out
from jitmdh.mdh.partition.nodes import TYPICAL, UNKNOWN, Costs, Nodes, Pace
from jitmdh.mdh.partition.plan import Combine, Fold, Indivisible, Mosaic, ProgramCall, programs
from jitmdh.mdh.partition.planning import choice, shared_inputs, trees
from jitmdh.mdh.partition.planning import cut as cutting
from jitmdh.mdh.partition.planning.chain import Chain
from jitmdh.mdh.partition.planning.decompose import decompose
from tests.laws import indirect_programs
from tests.laws.agreement import assert_agree, outcome, traced
from tests.laws.choices import Seeded
from tests.laws.examples import EXPLORING
from tests.laws.program_data import Source
from tests.laws.program_expressions import FAMILIES
from tests.laws.python_programs import source
from tests.laws.test_programs import exactness

PROGRAMS = 2000 if EXPLORING else 190  # in two blockings each: some 300 a day that are not refused
counts: Counter[str] = Counter()
WORKERS = (
    TYPICAL, Nodes(1, 2, overhead=2e-5), Nodes(8, 2, 1e9, 1e-3, 1e-3), Nodes(4, 1, 1e12, 0.0, 0.0, Pace(1e3, 1e3, 1e2)),
)  # fmt: skip


def random_grid(choices: Seeded, shape: tuple[int, ...]) -> Grid:
    """Blocks of an array: in one piece, of equal lengths, or of any."""
    cuts = []
    for extent in shape:
        inner: set[int] = set()
        match choices.number(0, 3):
            case 1:
                inner = set(range(0, extent, choices.number((extent + 3) // 4, extent))) if extent else inner
            case 2 | 3:
                inner = {choices.number(0, extent) for _ in range(choices.number(1, 3))}
        cuts.append((0, *sorted(i for i in inner if 0 < i < extent), extent))
    return Grid(tuple(cuts))


def run_checked(program: Program, *arguments: Any) -> Any:
    """As compiled code would: what a part updates is no part of what it reads."""
    check(program)
    returned = {r.name for r in program.returns or ()}
    given = {p.name: a for p, a in zip(program.parameters, arguments) if np.ndim(a)}
    for updated, other in ((u, o) for u in returned.intersection(given) for o in given if u != o):
        assert not np.shares_memory(given[updated], given[other]), f"{updated} is read as {other}"
    return interp.run(program, *arguments)


def in_parts(program: Program, grids: dict[str, Grid], free: set[str], costs: Costs = UNKNOWN) -> Callable[..., Any]:
    """The program as a plan over blocks; results of arrays in `free` may be in any blocks."""

    def run(*arguments: Any) -> Any:
        buffers = argument_binding.bind(program, arguments)
        sizes = argument_binding.sizes_from(program, buffers)
        argument_binding.check_sizes(program, sizes)
        taken = {n: None if n in free else g for n, g in grids.items()}
        whole = {n: grids[n] if n not in free else Grid.whole(b.shape) for n, b in buffers.items()}
        plan = decompose(program, sizes, taken, costs)
        counts["cut otherwise"] += any("instead of" in c.what for c in plan.choices)
        counts["other numbers together"] += any("partial result" in c.what for c in plan.choices)
        counts["inputs put together"] += any("put together once" in c.what for c in plan.choices)
        counts["parts"] += len(plan.tasks) > 1
        counts["combined"] += any(isinstance(t, Combine | Fold) for t in plan.tasks)
        counts["folded"] += any(isinstance(t, Fold) for t in plan.tasks)
        counts["windows"] += any(isinstance(t, ProgramCall) and t.windows for t in plan.tasks)
        mosaics = [t for t in plan.tasks if isinstance(t, Mosaic)]
        counts["chained"] += any(len({c.origin.around for _, c in t.calls}) > 1 for t in mosaics)
        counts["pieced"] += len(mosaics) > 0
        counts["in turn"] += any(len(t.calls) > len({places for places, _ in t.calls}) for t in mosaics)
        made = {p for t in plan.tasks if isinstance(t, ProgramCall | Mosaic) for p in programs(t)}
        counts["most programs of a plan"] = max(counts["most programs of a plan"], len(made))
        found = carry_out(plan, buffers, whole, run_checked)
        for name in written_buffers(program.steps):
            if name in buffers:
                buffers[name][...] = found[name]
        if program.returns is None:
            return None
        results = [found[r.name] if found[r.name].ndim else found[r.name][()] for r in program.returns]
        return results if program.returns_list else tuple(results) if program.returns_tuple else results[0]

    return run


def difference(
    function: Any, make: Callable[[], tuple[Any, ...]], exact: Any, choices: Seeded, alike: bool = False,
    costs: Costs = UNKNOWN, times: int = 1,
) -> str:  # fmt: skip
    """What is wrong with the parts of one call; empty: nothing. alike: all arrays are in the same blocks; times: how
    many blocks are tried."""
    arguments = make()
    try:
        program = traced(function, arguments)
    except NotAnMdhError:
        counts["refused"] += 1
        return ""
    counts["programs"] += 1
    names = [p.name for p in program.parameters]
    expected = None
    for _ in range(times):
        grids = {n: random_grid(choices, np.shape(a)) for n, a in zip(names, arguments)}
        if alike:
            grids = {n: grids[names[0]] if np.ndim(a) else g for (n, g), a in zip(grids.items(), arguments)}
        free = {n for n in names if not alike and choices.number(0, 3) == 0}
        try:
            found = outcome(in_parts(program, grids, free, costs), make())
            expected = expected or outcome(function, make())
            counts["compared"] += 1
            assert_agree(expected, found, "in parts", exact(program))
        except Indivisible as whole:
            counts["whole"] += 1
            counts[whole.reason] += 1
            return ""
        except (AssertionError, InternalError) as error:
            return f"{error}\nblocks {grids}\nof any blocks: {free}\n{program}"
    return ""


def sizes_for(source: Source, choices: Seeded) -> dict[str, int]:
    most = {1: 67, 2: 33, 3: 13, 4: 7}[max(1, source.depth)]
    possible = [n for n in (5, 0, 1, 2, 3, 4, 7, 8, 11, 13, 16, 17, 31, 33, 67) if n <= most]
    return {name: choices.pick(possible) for name in source.sizes}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("half", range(2))
def test_generated_programs_in_parts(half: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that nothing divides, empty ones too; blocks of any lengths; arrays whose blocks nobody has chosen; partial
    results in tasks of their own, and in one task."""
    counts.clear()
    wrong = []
    for seed in range(half * PROGRAMS, (half + 1) * PROGRAMS):
        choices = Seeded(f"parts {seed}")
        monkeypatch.setattr(trees, "_ENOUGH", 1 if seed % 2 else 10**9)
        monkeypatch.setattr(trees, "_WORTH_SENDING", 0 if seed % 3 else 0.25)
        monkeypatch.setattr(trees, "_LARGE", 8 if seed % 5 else 2**20)
        monkeypatch.setattr(cutting, "_WORTH_PIECING", 1 if seed % 4 else 2**20)
        monkeypatch.setattr(choice, "_SAVED", 0.0 if seed % 3 == 2 else 1e9)
        monkeypatch.setattr(shared_inputs, "_FEWEST", 2)
        monkeypatch.setattr(shared_inputs, "_seconds", lambda *_, s=seed: (s % 4, 2.0))
        monkeypatch.setattr(choice, "_SHARE", 1.0)
        monkeypatch.setattr(Chain, "most_together", lambda chain, s=seed: 1 + s % 7 % len(chain.links))
        drawn = source(choices, FAMILIES)
        sizes, data = sizes_for(drawn, choices), choices.number(0, 2**16)
        make = partial(drawn.arguments, sizes, data)
        costs = Costs(lambda s=seed: WORKERS[s % len(WORKERS)])  # type: ignore[misc]
        found = difference(drawn.function(), make, partial(exactness, drawn), choices, costs=costs, times=2)
        if found:
            wrong.append(f"seed {seed}, sizes {sizes}: {found}\n{drawn.text}")
    assert not wrong, f"{len(wrong)} are wrong\n" + "\n".join(wrong[:5])
    assert counts["programs"] > 0.8 * PROGRAMS and counts["parts"] > 0.3 * PROGRAMS, counts
    assert counts["whole"] < 0.3 * PROGRAMS and counts["combined"] > 0.03 * PROGRAMS and counts["folded"] > 2, counts
    assert counts["pieced"] > 0.03 * PROGRAMS, counts
    assert counts["compared"] >= 300, counts
    assert counts["cut otherwise"] > 3, counts


def added(c, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def begun(c, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 3
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[j, i] = total


def greatest(c, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] = max(a[i, k] - b[k, j], c[i, j])


def multiplied(c, a, b):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            c[i, 0] *= a[i, k] - 3


def doubled(c, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0
            for k in range(a.shape[1]):
                total += a[i, k]
            c[i, j] = 2 * c[i, j] + a[i, 0] + total


def subtracted(c, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = c[i, j] - 2 * total


def shifted(c, a, b):
    for i in range(a.shape[0] - 1):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i + 1, j] += a[i, k] * b[k, j]


def nearest(c, a, b):
    for i in range(a.shape[0]):
        least, at = 1000, -1
        for j in range(b.shape[1]):
            if b[i, j] < least:
                least, at = b[i, j], j
        c[i, 0] = least
        c[i, 1] = at


IN_TURN = (added, begun, greatest, doubled)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    "function", [*IN_TURN, multiplied, subtracted, shifted, nearest], ids=lambda f: f.__name__  # type: ignore[attr-defined]
)  # fmt: skip
def test_blocks_of_sums_are_taken_in_one_after_the_other(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the part that has the result, where what is done with its old content allows that."""
    counts.clear()
    for name, value in {"_ENOUGH": 1, "_WORTH_SENDING": 0}.items():
        monkeypatch.setattr(trees, name, value)
    monkeypatch.setattr(cutting, "_WORTH_PIECING", 1)
    monkeypatch.setattr(choice, "_SAVED", 1e9)
    for seed in range(12):
        choices = Seeded(f"in turn {seed}")
        n = choices.number(2, 9)

        def make(n: int = n, seed: int = seed) -> tuple[Any, ...]:
            rng = np.random.default_rng(seed)
            return tuple(rng.integers(1, 9, (n, n)) for _ in range(3))

        found = difference(function, make, lambda _: "exactly", choices)
        assert not found, found
    assert counts["in turn"] > 2 or function not in IN_TURN, counts
    assert counts["in turn"] == 0 or function is not subtracted, counts


BY_ROWS = ("spmv", "spmm", "squares")


def data_of(function: Any, seed: int) -> tuple[Any, ...]:
    return tuple(indirect_programs.data(function, seed, np.int64, 40))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", indirect_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_subscripts_from_data_in_parts(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what lies between the ends that data say, a part takes no more; of what is in several pieces, points that read
    from one of them take it as it is."""
    counts.clear()
    by_rows = parts.by_rows

    def counted(*arguments: Any) -> Any:
        calls = by_rows(*arguments) if choices.number(0, 1) else None
        counts["by rows"] += calls is not None
        return calls

    monkeypatch.setattr(rows, "_WORTH", 1)
    monkeypatch.setattr(parts, "by_rows", counted)
    for seed in range(6):
        choices = Seeded(seed)
        monkeypatch.setattr(rows, "_AT_ONCE", choices.number(1, 9))
        make = partial(data_of, function, seed)
        found = difference(function, make, lambda _: "nearly", choices)
        assert not found, found
    if "indptr" in signature(function).parameters:
        assert counts["windows"] or not counts["parts"], counts
        assert counts["by rows"] or function.__name__ not in BY_ROWS, counts
