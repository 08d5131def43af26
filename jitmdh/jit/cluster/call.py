"""A call with arrays in blocks: traced as any other, cut into parts, and handed over as a Dask graph.

What is computed is what the undecorated function computes. Arrays of Dask's that the function writes stand for their
new content afterwards, as after `x[...] = y`; NumPy's and Zarr's arrays among those are filled before the call returns.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, NotAnMdhError
from jitmdh.base.log import warn
from jitmdh.base.records import dataclass
from jitmdh.jit.cluster import worker
from jitmdh.jit.cluster.arguments import is_dask, is_labelled, is_zarr
from jitmdh.jit.cluster.cluster_nodes import client, nodes_known
from jitmdh.jit.cluster.earlier_calls import known_ranges, planned
from jitmdh.jit.cluster.graph import Graph
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.signature import Detour, Prepared, with_aliases
from jitmdh.mdh.algebra.expr import Expression, Program, expressions
from jitmdh.mdh.algebra.semantics import argument_binding
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from jitmdh.mdh.lowering.problem.op_costs import ExpressionRun, instructions
from jitmdh.mdh.partition.grids import Box, Grid
from jitmdh.mdh.partition.nodes import TYPICAL, Costs, Nodes
from jitmdh.mdh.partition.plan import Block, Given, Indivisible, Made, Plan, Version, brought, gathers
from jitmdh.mdh.partition.planning.decompose import decompose
from jitmdh.mdh.partition.ranges import Range

_ASKED = 64  # parts of a call of which ranges are kept


class ClusterFunction(Protocol):
    """What is needed of a decorated function."""

    options: Options

    @property
    def name(self) -> str: ...
    @property
    def parameter_names(self) -> tuple[str, ...]: ...
    def prepared(self, arguments: tuple[Any, ...]) -> Prepared: ...
    def traced(self, prepared: Prepared) -> Program: ...


@dataclass(frozen=True)
class Argument:
    """An array of a call. given: what the user passed; array: the same as Dask's."""

    name: str
    given: Any
    array: da.Array

    @property
    def chosen(self) -> bool:
        """Whether its blocks are somebody's choice."""
        return not isinstance(self.given, np.ndarray)

    @property
    def grid(self) -> Grid:
        return Grid.of_chunks(self.array.chunks)

    def key(self, given: Given) -> Any:
        """The key of a block; blocks without elements are none of the grid's."""
        places = [[n for n, length in enumerate(c) if length] or [0] for c in self.array.chunks]
        return (self.array.name, *(p[n] for p, n in zip(places, given.at)))

    def future(self, given: Given) -> Any:
        """Of a block that workers keep; otherwise None."""
        found = self.array.dask.get(self.key(given))
        return found if type(found).__module__ == "distributed.client" else None


@dataclass(frozen=True)
class Traced:
    """A call as far as it is known before it is cut into parts. found: its arrays, by parameter."""

    function: ClusterFunction
    found: Mapping[str, Argument]
    prepared: Prepared
    program: Program
    sizes: Mapping[str, int]

    def plan(self) -> Plan:
        """Raises Indivisible."""
        if any(r.length for r in self.program.returns or ()):
            raise Indivisible("data decide how long a result is", self.program.loc)
        grids = {n: a.grid if a.chosen else None for n, a in self.found.items()}

        def make(nodes: Callable[[], Nodes]) -> Plan:
            return decompose(self.program, self.sizes, grids, Costs(nodes, _operations))

        return planned(self.program, self.sizes, grids, self._nodes, make)

    def _nodes(self) -> Nodes:
        """What it is to run on; where bits may not depend on that, always the same."""
        return TYPICAL if self.function.options.deterministic else nodes_known(client())


def _operations(e: Expression, sizes: Mapping[str, int]) -> float:
    """Of an expression, at each of its points."""
    run = ExpressionRun(e, 1, sizes)
    return instructions(run) / max(1, run.points)


def traced(function: ClusterFunction, arguments: Sequence[Any]) -> Traced:
    """Raises NotAnMdhError or ArgumentTypeError where the function is not taken on, MdhError where sizes do not fit."""
    found = dict(_arrays(function.parameter_names, arguments))
    prepared = _prepared(function, found, arguments)
    program = function.traced(prepared)
    if program.values:
        what = f"{function.name}: returns a view of distributed arrays, or a tuple inside of a tuple"
        raise NotAnMdhError(what, loc=program.loc, hint="return copies, x[…].copy(), side by side")
    try:
        sizes = argument_binding.sizes_of(program, prepared.arguments)
        argument_binding.check_sizes(program, sizes)
    except FallbackSignal as signal:
        raise NotAnMdhError(f"{function.name}: cannot be cut into parts: {signal.message}", loc=signal.loc) from None
    return Traced(function, found, prepared, program, sizes)


def call(function: Any, make: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What the call returns; see the module."""
    known = traced(function, arguments)
    found, program, sizes, options = known.found, known.program, known.sizes, function.options
    token = tokenize(repr(program), options.numerics(), sorted(sizes.items()), _tokens(found, arguments))

    def given(block: Given) -> Any:
        return found[block.buffer].key(block) if block.buffer in found else None

    graph = Graph(function.name, token, options, make, given, _Ranges(found).known)
    try:
        plan = known.plan()
    except Indivisible as whole:
        plan = _in_one_piece(function, program, sizes, found, arguments, graph, whole)
    else:
        for parameter, value in zip(program.parameters, known.prepared.arguments):
            if parameter.name not in found:
                graph.tasks[graph.scalar(parameter.name)] = np.array(value, parameter.type.numpy)[()]
        _require_own_blocks(function, plan, {n for n, a in found.items() if is_zarr(a.given)})
        graph.ends = _ends(plan, graph, *_wanted(program, found))
        graph.add(plan)
        _warn_of_reads(function, plan)
    return _results(function, program, plan, graph, found)


@dataclass
class _Ranges:
    """Ranges that arguments say: they are looked for beside the first call, and known in later ones."""

    found: Mapping[str, Argument]
    asked: int = 0

    def known(self, asked: worker.AskedRanges) -> tuple[Range, ...] | None:
        pieces = [p for gather in asked.sources for p in gather.brought]
        self.asked += 1
        if self.asked > _ASKED or not pieces:
            return None
        futures = [self._future(p.block) for p in pieces]

        def ask() -> Any:
            client = futures[0].client
            taken = [
                f if p.complete or p.nearly else client.submit(worker.take, worker.Cut(p.source), f, pure=False)
                for p, f in zip(pieces, futures)
            ]
            return client.submit(worker.run_ranges, asked, *taken, pure=False)

        return known_ranges((asked, tuple(f and f.key for f in futures)), futures, ask)

    def _future(self, block: Block) -> Any:
        if not isinstance(block, Given) or block.buffer not in self.found:
            return None
        return self.found[block.buffer].future(block)


# ------------------------------------------------------------------------------------------------ arguments


def _arrays(names: Sequence[str], arguments: Sequence[Any]) -> Iterator[tuple[str, Argument]]:
    for name, given in zip(names, arguments):
        if is_labelled(given):
            array = given.data
        elif is_dask(given):
            array = given
        elif is_zarr(given):
            array = da.from_zarr(given)
        elif isinstance(given, np.ndarray):
            array = da.from_array(given.copy(), chunks=given.shape)  # later changes of the user's are not seen
        else:
            continue
        if any(np.isnan(n) for n in array.shape):
            hint = f"compute them first: {name}.compute_chunk_sizes()"
            raise ArgumentTypeError(f"argument `{name}` has blocks of unknown sizes", hint=hint)
        yield name, Argument(name, given, array)


def _prepared(function: ClusterFunction, found: Mapping[str, Argument], arguments: Sequence[Any]) -> Prepared:
    """The call as tracing sees it: arrays of the same types and shapes, without memory."""
    names = function.parameter_names
    taken = [
        np.broadcast_to(np.zeros((), found[n].array.dtype), found[n].array.shape) if n in found else a
        for n, a in zip(names, arguments)
    ]
    try:
        prepared = function.prepared(tuple(taken))
    except Detour as detour:
        raise ArgumentTypeError(f"{function.name}: cannot be cut into parts: {detour.reason}") from None
    same = [
        (i, j) for j in range(len(arguments)) for i in range(j)
        if names[i] in found and arguments[i] is arguments[j]
    ]  # fmt: skip
    return with_aliases(prepared, same) if same else prepared


def _tokens(found: Mapping[str, Argument], arguments: Sequence[Any]) -> list[str]:
    arrays = [a.array.name for a in found.values()]
    return [*arrays, *(repr(a) for a in arguments if isinstance(a, int | float | complex | np.generic))]


def _require_own_blocks(function: ClusterFunction, plan: Plan, stored: set[str]) -> None:
    """Blocks of a Zarr array are overwritten one after the other: each may be read for its own new content only."""
    for name in stored:
        own = plan.results[name].blocks
        if all(block == Given(name, at) for at, block in own.items()):
            continue
        for number, task in enumerate(plan.tasks):
            for block in {p.block for g in gathers(task) for p in g.pieces}:
                if isinstance(block, Given) and block.buffer == name and own.get(block.at) != Made(number, 0):
                    raise ArgumentValueError(
                        f"{function.name}: blocks of the Zarr array `{name}` are read after others of them are written",
                        hint="pass another Zarr array for the results",
                    )


def _warn_of_reads(function: ClusterFunction, plan: Plan) -> None:
    for buffer, moved in plan.whole_reads.items():
        warn(
            f"{function.name}: data decide where `{buffer}` is read: each part takes all of it, "
            f"{moved / 1e6:,.1f} MB in sum",
        )


# ------------------------------------------------------------------------------------------------ results


def _wanted(program: Program, found: Mapping[str, Argument]) -> tuple[dict[str, Argument], list[str]]:
    """The arguments that the function writes, and the names of these and of what it returns."""
    written = {n for e in expressions(program.steps) for n in e.written}
    updated = {n: a for n, a in found.items() if n in written}
    return updated, [*updated, *(r.name for r in program.returns or () if r.name not in updated)]


def _results(
    function: ClusterFunction, program: Program, plan: Plan, graph: Graph, found: Mapping[str, Argument]
) -> Any:
    updated, wanted = _wanted(program, found)
    made: dict[str, da.Array] = {}
    chunks = {n: _chunks(n, plan, updated) for n in wanted}
    names = {n: graph.named(f"to-{n}") for n in wanted}
    name = graph.named("parts")
    layers = {names[n]: _blocks(names[n], chunks[n], plan.results[n], graph) for n in wanted}
    for key in [k for k in graph.ends.values() if k in graph.tasks]:
        layers[key[0]][key] = graph.tasks.pop(key)
    urgent = {"priority": worker.Urgency(frozenset(graph.first))} if graph.first else {}
    tasks = MaterializedLayer(graph.tasks, annotations={**urgent, **dask.get_annotations()})
    parts = HighLevelGraph.from_collections(name, tasks, dependencies=[a.array for a in found.values()])
    around = {a.array.name for a in found.values()}
    whole = HighLevelGraph({**parts.layers, **layers},
                           {**parts.dependencies, **{n: {name, *around} for n in layers}})  # fmt: skip
    unknown = {r.name for r in program.returns or () if r.length}
    for n in wanted:
        known: tuple[tuple[float, ...], ...] = chunks[n]
        if n in unknown:
            known = ((math.nan,), *known[1:])  # dask.array's word for a length that nobody knows
        made[n] = da.Array(whole, names[n], known, dtype=plan.results[n].type.numpy)
    _fill({n: made[n] for n in updated}, updated)
    if program.returns is None:
        return None
    results = [updated[r.name].given if r.name in updated else made[r.name] for r in program.returns]
    results = [found[r.name].given if r.name in found and r.name not in updated else x
               for r, x in zip(program.returns, results)]  # fmt: skip
    if program.returns_list:
        return results
    return tuple(results) if program.returns_tuple or len(results) != 1 else results[0]


def _chunks(name: str, plan: Plan, updated: Mapping[str, Argument]) -> tuple[tuple[int, ...], ...]:
    if name in updated and updated[name].chosen:
        return updated[name].array.chunks  # type: ignore[no-any-return]
    return plan.results[name].grid.chunks


def _boxes(chunks: tuple[tuple[int, ...], ...]) -> Iterator[tuple[tuple[int, ...], Box]]:
    """Blocks, by place."""
    ends = [np.cumsum([0, *c]).tolist() for c in chunks]
    for at in np.ndindex(*(len(c) for c in chunks)):
        yield at, tuple((e[n], e[n + 1]) for e, n in zip(ends, at))


def _blocks(name: str, chunks: tuple[tuple[int, ...], ...], version: Version, graph: Graph) -> dict[Any, Any]:
    """The tasks that give a result in these blocks, but for parts that are one."""
    found = {}
    for at, box in _boxes(chunks):
        gather = version.box(box)
        block = None if gather.whole is None else graph.block(gather.whole)
        if block != (key := (name, *at)):
            found[key] = graph.gathered(gather) if block is None else (worker.same, block)
    return found


def _ends(plan: Plan, graph: Graph, updated: Mapping[str, Argument], names: Sequence[str]) -> dict[Made, Any]:
    """What tasks make that is just a block of one result, which nothing else needs, with the keys of these blocks."""
    uses = Counter(b for task in plan.tasks for b, _ in brought(task) if isinstance(b, Made))
    found = {}
    for name in names:
        for at, box in _boxes(_chunks(name, plan, updated)):
            gather = plan.results[name].box(box)
            uses.update(p.block for p in gather.pieces if isinstance(p.block, Made))
            if isinstance(gather.whole, Made):
                found[gather.whole] = (graph.named(f"to-{name}"), *at)
    return {made: key for made, key in found.items() if uses[made] == 1}


def _fill(made: Mapping[str, da.Array], updated: Mapping[str, Argument]) -> None:
    """The arguments that the function writes get their new content."""
    stored = {n: a.given for n, a in updated.items() if is_zarr(a.given)}
    filled = {n: a.given for n, a in updated.items() if isinstance(a.given, np.ndarray)}
    if stored or filled:
        written = da.store([made[n] for n in stored], [*stored.values()], lock=False, compute=False) if stored else None
        _, *results = dask.compute(written, *(made[n] for n in filled))
        for array, result in zip(filled.values(), results):  # the memory of this process: no worker has it
            array[...] = result
    for n, argument in updated.items():
        if n in stored or n in filled:
            continue
        if is_labelled(argument.given):
            argument.given.data = made[n]
        else:
            array = argument.given
            array._meta, array.dask, array._name, array._chunks = (
                made[n]._meta, made[n].dask, made[n].name, made[n].chunks,
            )  # fmt: skip


def one_piece(found: Mapping[str, Argument], reason: Indivisible) -> str:
    """Why a call is not cut, and what that costs."""
    moved = sum(a.array.nbytes for a in found.values() if a.array.npartitions > 1)
    where = "" if reason.loc is None else f" (line {reason.loc.line})"
    return f"runs in one piece, for which {moved / 1e6:,.1f} MB are brought together: {reason}{where}"


def _in_one_piece(
    function: ClusterFunction, program: Program, sizes: Mapping[str, int], found: Mapping[str, Argument],
    arguments: Sequence[Any], graph: Graph, reason: Indivisible,
) -> Plan:  # fmt: skip
    """The plan of one task that calls the function itself on whole arrays."""
    warn(f"{function.name}: {one_piece(found, reason)}")
    names = list(function.parameter_names)
    written = [n for n in names if any(n in e.written for e in expressions(program.steps))]
    versions: dict[str, Version] = {}
    gathers = []
    for n, argument in found.items():
        grid = argument.grid
        version = Version(grid, _type(program, n), {at: Given(n, at) for at in grid.coordinates()})
        gathers.append((names.index(n), version.box(tuple((0, e) for e in grid.shape))))
        versions[n] = version
    others = tuple(None if n in found else a for n, a in zip(names, arguments))
    whole = worker.WholeCall(function, others, tuple(gathers), tuple(names.index(n) for n in written))
    graph.outputs.append(0)
    graph.parts.append((graph.named("part"), 0))
    graph.tasks[graph.parts[0]] = (worker.run_whole, whole, *graph.blocks(g for _, g in gathers))
    allocated = {a.name: a for a in program.allocations}
    returned = [r.name for r in program.returns or ()]
    for number, n in enumerate([*written, *returned]):
        if n in versions and n not in written:
            continue
        if n in allocated:
            shape = tuple(max(0, extent.evaluate(sizes)) for extent in allocated[n].shape)
        else:
            shape = tuple(found[n].array.shape)
        if number < len(written) or n in allocated:
            versions[n] = Version(Grid.whole(shape), _type(program, n), {(0,) * len(shape): Made(0, number)})
    return Plan([], versions)


def _type(program: Program, name: str) -> Any:
    return next(x.type for x in (*program.parameters, *program.allocations) if x.name == name)
