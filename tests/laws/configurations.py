"""Random legal configurations of an expression, and programs with random data to run them on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from jitmdh.base.dtype import ScalarType, bfloat16, bool_, float16, float32, int32
from jitmdh.mdh.algebra.combine import CombineOperator, Operator, PointWise, PrefixSum, cc, elementwise, product
from jitmdh.mdh.algebra.expr import ArrayParameter, Dim, Expression, Finish, MdHom, Program
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable, select
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, loops_of
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.lowlevel.layout import PADDING, Layout
from jitmdh.mdh.machine.model import Machine
from tests.laws.configured_programs import WRITTEN
from tests.mdh.algebra import examples as ex


def prefix_sums(type: ScalarType, exclusive: bool = False, reverse: bool = False) -> Expression:
    """`y[j, i] = Σ_{n ≤ i} Σ_k x[n, j, k]`."""
    x = Variable("x", type)
    i, j, k = ex.i, ex.j, ex.k
    return Expression(
        "prefix_sums",
        (ex.buffer("y", type, 2), ex.buffer("x", type, 3)),
        (ex.access("x", i, j, k),),
        MdHom(
            (Dim("j", ex.size("x", 1)), Dim("i", ex.size("x", 0)), Dim("k", ex.size("x", 2))),
            ScalarFunction((x,), (), (x,)),
            (cc, PrefixSum(ex.add(type), exclusive, reverse), PointWise(ex.add(type))),
        ),
        None,
        (ex.access("y", j, i),),
    )


def triangular(type: ScalarType) -> Expression:
    """`w[i] += Σ_{k ≤ i} M[i, k]`."""
    m = Variable("M", type)
    return Expression(
        "triangular",
        (ex.buffer("w", type, 1), ex.buffer("M", type, 2)),
        (ex.access("M", ex.i, ex.k),),
        MdHom(
            (Dim("i", ex.size("M", 0)), Dim("k", ex.size("M", 1))),
            ScalarFunction((m,), (), (m,)),
            (cc, PointWise(ex.add(type))),
            (ex.i - ex.k,),
        ),
        ex.accumulate("w", type, ex.i),
        (ex.access("w", ex.i),),
    )


def batched(type: ScalarType) -> Expression:
    """`C[i, j, l] = Σ_k A[i, k, l] * B[l, k, j]`: lanes lie apart somewhere whatever one chooses."""
    a, b = Variable("A", type), Variable("B", type)
    i, j, k, l = ex.i, ex.j, ex.k, ex.name("l")
    return Expression(
        "batched",
        (ex.buffer("C", type, 3), ex.buffer("A", type, 3), ex.buffer("B", type, 3)),
        (ex.access("A", i, k, l), ex.access("B", l, k, j)),
        MdHom(
            tuple(Dim(n, ex.size(*s)) for n, s in (("i", ("C", 0)), ("j", ("C", 1)), ("l", ("C", 2)), ("k", ("A", 1)))),
            ScalarFunction((a, b), (), (ex.op("mul", a, b),)),
            (cc, cc, cc, PointWise(ex.add(type))),
        ),
        None,
        (ex.access("C", i, j, l),),
    )


def sum_and_maximum(type: ScalarType) -> Expression:
    """`s[i] = Σ_j x[i, j]` and `m[i] = max_j x[i, j]` in one computation: a product of operators."""
    x = Variable("x", type)
    operator = product((ex.add(type), elementwise("maximum", type, -(2**31))))
    return _rows("sum_and_maximum", type, ("s", "m"), PointWise(operator), ScalarFunction((x,), (), (x, x)))


def from_zero(type: ScalarType) -> Expression:
    """`s[i] = 0.0 + Σ_j x[i, j]`: what a sum that starts from 0.0 becomes."""
    x, state = Variable("x", type), Variable("state", type)
    rows = _rows("from_zero", type, ("s",), PointWise(ex.add(type)), ScalarFunction((x,), (), (x,)))
    added = Operation("add", (Constant(0.0, type), state), type)
    return replace(rows, finish=Finish((), ScalarFunction((state,), (), (added,))))


def smallest(type: ScalarType) -> Expression:
    """`m[i] = min_j x[i, j]`, without identity: where there is no j, m[i] stays as it is."""
    x = Variable("x", type)
    operator = elementwise("minimum", type, None)
    return _rows("smallest", type, ("m",), PointWise(operator), ScalarFunction((x,), (), (x,)))


def affine_maps(type: ScalarType, scan: PrefixSum | None = None) -> Expression:
    """The composition of the maps `t ↦ a t + 1`, as pairs: associative, not commutative, with an identity."""
    x, a, b, c, d = (Variable(n, type) for n in "xabcd")
    body = (ex.op("mul", a, c), ex.op("add", ex.op("mul", b, c), d))
    one, zero = Constant(1, type), Constant(0, type)
    compose = Operator("compose", ScalarFunction((a, b, c, d), (), body), (one, zero), False)
    function = ScalarFunction((x,), (), (x, one))
    return _rows(
        "affine_maps", type, ("p", "q"), replace(scan, operator=compose) if scan else PointWise(compose), function
    )


def _rows(
    name: str, type: ScalarType, outputs: tuple[str, ...], combine: CombineOperator, f: ScalarFunction
) -> Expression:
    """`outputs[i] = ⊗_j f(x[i, j])`; if the operator is a prefix sum, `outputs[i, j]`."""
    index = (ex.i,) if isinstance(combine, PointWise) else (ex.i, ex.j)
    return Expression(
        name,
        (*(ex.buffer(o, type, len(index)) for o in outputs), ex.buffer("x", type, 2)),
        (ex.access("x", ex.i, ex.j),),
        MdHom((Dim("i", ex.size("x", 0)), Dim("j", ex.size("x", 1))), f, (cc, combine)),
        None,
        tuple(ex.access(o, *index) for o in outputs),
    )


def padded(type: ScalarType) -> Expression:
    """`y[i] = Σ_r x[i + r - 1] * w[r]`, where x is 0 outside its range: reads under conditions."""
    x, w = Variable("x", type), Variable("w", type)
    at = ex.i + ex.name("r") - 1
    return Expression(
        "padded",
        (ex.buffer("y", type, 1), ex.buffer("x", type, 1), ex.buffer("w", type, 1)),
        (ex.access("x", at, guard=(at, ex.size("x", 0) - 1 - at)), ex.access("w", ex.name("r"))),
        MdHom(
            (Dim("i", ex.size("y", 0)), Dim("r", ex.size("w", 0))),
            ScalarFunction((x, w), (), (ex.op("mul", x, w),)),
            (cc, PointWise(ex.add(type))),
        ),
        None,
        (ex.access("y", ex.i),),
    )


def quotients(type: ScalarType, safe: bool) -> Expression:
    """`q[i], r[i] = x[i] // d[i], x[i] % d[i]`; safe: 0 where d[i] is."""
    x, d, zero = Variable("x", type), Variable("d", type), Constant(0, type)
    results: tuple[Scalar, ...] = (ex.op("floordiv", x, d), ex.op("mod", x, d))
    if safe:
        results = tuple(select(Operation("ne", (d, zero), bool_), r, zero) for r in results)
    return Expression(
        "quotients",
        tuple(ex.buffer(n, type, 1) for n in "qrxd"),
        (ex.access("x", ex.i), ex.access("d", ex.i)),
        MdHom((Dim("i", ex.size("x", 0)),), ScalarFunction((x, d), (), results), (cc,)),
        None,
        (ex.access("q", ex.i), ex.access("r", ex.i)),
    )


def triangular_quotients(type: ScalarType) -> Expression:
    """`w[i] += Σ_{k ≤ i} M[i, k] // N[i, k]`: what lies outside of the triangle divides by nothing."""
    m, n = Variable("m", type), Variable("n", type)
    triangle = triangular(type)
    divided = ScalarFunction((m, n), (), (ex.op("floordiv", m, n),))
    return replace(
        triangle,
        name="triangular_quotients",
        buffers=(*triangle.buffers, ex.buffer("N", type, 2)),
        inp_view=(*triangle.inp_view, ex.access("N", ex.i, ex.k)),
        md_hom=replace(triangle.md_hom, function=divided),
    )


def gram(type: ScalarType) -> Expression:
    """`C[i, j] = Σ_k A[i, k] * A[j, k]`: A may be copied as a whole, whichever results are wanted."""
    rows, terms = ex.size("A", 0), ex.size("A", 1)
    whole = ex.matmul(type)
    return replace(
        whole,
        name="gram",
        buffers=tuple(b for b in whole.buffers if b.name != "B"),
        inp_view=(ex.access("A", ex.i, ex.k), ex.access("A", ex.j, ex.k)),
        md_hom=replace(whole.md_hom, dims=(Dim("i", rows), Dim("j", rows), Dim("k", terms))),
    )


def within(expression: Expression, *guard: Affine) -> Expression:
    """Only the points where all of `guard` are ≥ 0."""
    return replace(expression, md_hom=replace(expression.md_hom, guard=guard))


EXPRESSIONS = {
    "matvec": lambda: ex.matvec(float32),
    "matvec int": lambda: ex.matvec(int32),
    "matmul": lambda: ex.matmul(float32),
    "conv2d": lambda: ex.conv2d(float32),
    "jacobi1d": lambda: ex.jacobi1d(float32),
    "linkage": lambda: ex.linkage(),
    "prefix sums": lambda: prefix_sums(int32),
    "prefix sums exclusive": lambda: prefix_sums(int32, exclusive=True),
    "triangular": lambda: triangular(int32),
    "triangular band": lambda: within(triangular(int32), ex.i - ex.k + 3, ex.k - ex.i + 1),
    "triangular above": lambda: within(triangular(int32), ex.k - ex.i - 1),
    "gram of some results": lambda: within(gram(float32), ex.i - ex.j + 2),
    "matmul of some terms": lambda: within(ex.matmul(float32), ex.i + ex.k - ex.j, ex.j + 11 - ex.i),
    "batched": lambda: batched(float32),
    "prefix sums reverse": lambda: prefix_sums(int32, reverse=True),
    "prefix sums exclusive reverse": lambda: prefix_sums(int32, exclusive=True, reverse=True),
    "sum and maximum": lambda: sum_and_maximum(int32),
    "sum from zero": lambda: from_zero(float32),
    "smallest": lambda: smallest(int32),
    "affine maps": lambda: affine_maps(int32),
    "affine maps scanned": lambda: affine_maps(int32, PrefixSum(ex.add(int32))),
    "affine maps reverse": lambda: affine_maps(int32, PrefixSum(ex.add(int32), reverse=True)),
    "affine maps exclusive reverse": lambda: affine_maps(int32, PrefixSum(ex.add(int32), True, True)),
    "padded": lambda: padded(float32),
    "quotients": lambda: quotients(int32, safe=False),
    "quotients safe": lambda: quotients(int32, safe=True),
    "triangular quotients": lambda: triangular_quotients(int32),
    **{name: written.expression for name, written in WRITTEN.items()},
}


def shapes(name: str, n: list[int]) -> dict[str, tuple[int, ...]]:
    """Shapes of all arrays of an example from a few free sizes."""
    a, b, c, d = n
    if name in WRITTEN:
        return WRITTEN[name].named_shapes(n)
    match name.split()[0]:
        case "matvec":
            return {"w": (a,), "M": (a, b), "v": (b,)}
        case "matmul":
            return {"C": (a, b), "A": (a, c), "B": (c, b)}
        case "gram":
            return {"C": (a, a), "A": (a, b)}
        case "conv2d":
            kernel = (c % 4, d % 4)
            return {"out": (a, b), "image": (a + kernel[0], b + kernel[1]), "weight": kernel}
        case "jacobi1d":
            return {"y": (a + 2,), "x": (a + 2,)}
        case "linkage":
            return {"best": (a,), "index": (a,), "new": (a,), "old": (b,)}
        case "prefix":
            return {"y": (b, a), "x": (a, b, c)}
        case "triangular":
            return {"w": (a,), "M": (a, b), "N": (a, b)}
        case "batched":
            return {"C": (a, b, d), "A": (a, c, d), "B": (d, c, b)}
        case "sum" | "smallest":
            return {"s": (a,), "m": (a,), "x": (a, b)}
        case "affine":
            result = (a,) if name == "affine maps" else (a, b)
            return {"p": result, "q": result, "x": (a, b)}
        case "padded":
            return {"y": (a,), "x": (b,), "w": (c % 5,)}
        case "quotients":
            return dict.fromkeys("qrxd", (a,))
    raise AssertionError(name)


def arguments(program: Program, sizes: dict[str, tuple[int, ...]], seed: int) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    made = []
    for p in program.parameters:
        assert isinstance(p, ArrayParameter)
        lowest = -9 if rng.integers(3) else 1  # sometimes no 0 to divide by
        limit = 2 if p.type in (float16, bfloat16) else 9  # sums of products stay exact
        made.append(rng.integers(max(lowest, -limit), limit, sizes[p.name]).astype(p.type.numpy))
    return made


@st.composite
def configurations(draw: st.DrawFn, facts: Problem, machine: Machine) -> Configuration:
    """Any configuration `violation` has nothing against; the default one where the drawn one is not legal."""
    expression = facts.expression
    part_size, order = draw(_levels(facts))
    copies, layouts, tile_copies, tile_layouts = [], [], [], []
    for number, access in enumerate(expression.inp_view):
        guarded = access.guard or (expression.md_hom.guard and not inside_everywhere(expression, access))
        rank = len(access.index)
        if rank and not guarded and draw(st.booleans()):
            level = draw(st.sampled_from([Level("MM", ""), *order]))
            copies.append((number, level, draw(st.sampled_from(["L1", "L2", "L3", "MM"]))))
            layouts.append((number, draw(_layouts(rank))))
        where = draw(st.sampled_from(["REG", "REG", "REG", "L1", "MM"]))
        if where == "MM" or (where == "L1" and rank and not guarded):
            tile_copies.append((number, where))
        if where == "L1" and rank and not guarded:
            tile_layouts.append((number, draw(_layouts(rank))))
    commutes = facts.operator is None or facts.operator.commutative
    late = [Level("REG", d) for d in expression.collapsed if commutes and draw(st.booleans())]
    drawn = Configuration(
        part_size=part_size,
        decomposition_order=order,
        recomposition_order=(*late, *order) if late else (),
        input_region=tuple(copies),
        input_layout=tuple(layouts),
    )
    drawn = drawn if violation(facts, machine, drawn) is None else Configuration()
    sizes = dict(drawn.part_size)
    unrolled = [d for d in facts.extents if sizes.get(Level("L1", d), 1) > sizes.get(Level("REG", d), 1)]
    rank = len(facts.remaining)
    where = draw(st.sampled_from(["REG", "REG", "MM", "L1"]))
    levels = draw(st.lists(st.sampled_from([Level("MM", ""), *drawn.decomposition_order]), unique=True, max_size=2))
    order = drawn.decomposition_order
    places = [draw(st.integers(0, max(0, len(order) - 2))) for _ in range(2)]
    points, again = ((*order[:n], *_merged(draw, list(order[n:]))) for n in places)
    loaded = [n for n in range(len(expression.inp_view)) if order and draw(st.integers(0, 3)) == 0]
    registers = tuple(Level("REG", d) for d in draw(st.permutations(unrolled)))
    # Each of them alone: what one makes illegal does not take the others away.
    for change in (
        {"scalar_input_region": tuple(tile_copies), "scalar_input_layout": tuple(tile_layouts)},
        {"scalar_order": (*order, *registers)},
        {"scalar_order": (*points, *registers)},
        {"recomposition_order": (*(l for l in drawn.recomposition_order if l.layer == "REG"), *again)},
        {"scalar_output_region": where, "scalar_output_layout": draw(_layouts(rank)) if where == "L1" else ()},
        {"input_region": (*drawn.input_region, *((n, order[-1], "REG") for n in loaded))},
        *({"output_region": ((level, draw(st.sampled_from(["L1", "L2", "L3", "MM"]))),),
           "output_layout": ((level, draw(_layouts(rank))),)} for level in levels),
    ):  # fmt: skip
        if "output_region" in change:
            change = {name: getattr(drawn, name) + value for name, value in change.items()}
        changed = replace(drawn, **change)
        drawn = changed if violation(facts, machine, changed) is None else drawn
    blocks = [level for level in drawn.decomposition_order if level.layer in ("MM", "L3", "L2")]
    if blocks and draw(st.integers(0, 3)) == 0:
        changed = replace(drawn, decomposition_assignment=((draw(st.sampled_from(blocks)), "COR"),))
        drawn = changed if violation(facts, machine, changed) is None else drawn
    return drawn


def reached(c: Configuration, collapsed: tuple[str, ...]) -> set[str]:
    """Which parameters of Table 1 have a value that is not trivial, and what kind of value."""
    order, sizes = c.decomposition_order, dict(c.part_size)
    cores = [n for n, level in enumerate(order) if level.layer == "COR"]
    found = {f"0 on {level.layer}" for level, size in c.part_size if size != 1}
    found |= {"D1: reduction outside results"} if any(
        a.dim in collapsed and b.dim not in collapsed for n, a in enumerate(order) for b in order[n:]
    ) else set()  # fmt: skip
    taken = {"reduction" if level.dim in collapsed else "results" for level in order if level.layer == "COR"}
    found |= {f"D2: {what} by cores" for what in taken}
    found |= {"D2: reduction by cores, inside loops" for n in cores if order[n].dim in collapsed and min(cores) > 0}
    found |= {"D2: a block given to cores"} if c.decomposition_assignment else set()
    wide = {level.dim for level, size in sizes.items() if level.layer == "REG" and size > 1}
    found |= {f"D2: lanes of {'a reduction' if dim in collapsed else 'results'}" for dim in wide}
    found |= {f"D3: {region}" for _, _, region in c.input_region}
    found |= {f"R3: {region}" for _, region in c.output_region}
    found |= {f"R3 at {'all' if not level.dim else level.layer}" for level, _ in c.output_region}
    found |= {"S1"} if [l for l in c.scalar_order if l.layer == "REG"] else set()
    for name, other in (("S1", loops_of(c.scalar_order)), ("R1", loops_of(c.recomposition_order))):
        found |= {f"{name}: other loops than D1"} if other not in ((), order) else set()
    found |= {f"S3: {region}" for _, region in c.scalar_input_region} | {f"S5: {c.scalar_output_region}"}
    found |= {"R1"} if any(level.layer == "REG" for level in c.recomposition_order) else set()
    for name, layouts in (
        ("D4", [layout for _, layout in c.input_layout]), ("S4", [layout for _, layout in c.scalar_input_layout]),
        ("S6", [c.scalar_output_layout]), ("R4", [layout for _, layout in c.output_layout]),
    ):  # fmt: skip
        for layout in layouts:
            axes = [axis for axis, _ in layout if axis != PADDING]
            found |= {f"{name}: panels"} if len(set(axes)) != len(axes) else set()
            found |= {f"{name}: padding"} if PADDING in dict(layout) else set()
            found |= {f"{name}: transposed"} if list(dict.fromkeys(axes)) != sorted(set(axes)) else set()
    return found


@st.composite
def _layouts(draw: st.DrawFn, rank: int) -> Layout:
    """Permutations, blocks, padding."""
    if not rank:
        return ()
    axes = draw(st.permutations(range(rank)))
    digits = [(axis, 1) for axis in axes]
    block = draw(st.sampled_from([1, 2, 4, 8, 128]))
    if block > 1:
        digits.insert(draw(st.integers(0, len(digits) - 1)), (axes[-1], block))
    if len(digits) > 1 and draw(st.booleans()):
        digits.insert(draw(st.integers(1, len(digits) - 1)), (PADDING, draw(st.sampled_from([1, 3, 16]))))
    return tuple(digits)


@st.composite
def _levels(draw: st.DrawFn, facts: Problem) -> tuple[tuple[tuple[Level, int], ...], tuple[Level, ...]]:
    """Part sizes and their order: mostly legal, not always."""
    expression = facts.expression
    collapsed = expression.collapsed
    scans = [d.name for d, c in zip(expression.md_hom.dims, expression.md_hom.combine) if isinstance(c, PrefixSum)]
    commutes = facts.operator is None or facts.operator.commutative
    fixed = () if commutes else collapsed[:-1]
    wide = [d for d in facts.extents if d not in fixed and (d not in collapsed or (commutes and not scans))]
    lane = draw(st.sampled_from([None, *wide, *wide]))
    part_size: list[tuple[Level, int]] = []
    cores: list[Level] = []
    outer: list[Level] = []
    inner: list[Level] = []
    for dim in facts.extents:
        lanes = draw(st.sampled_from([2, 4, 8])) if dim == lane else 1
        tile = 1 if dim in fixed else lanes * draw(st.sampled_from([1, 1, 2, 3]))
        part_size += [(Level(layer, dim), size) for layer, size in (("REG", lanes), ("L1", tile)) if size > 1]
        size = tile
        levels = [Level("L1", dim)]
        for layer in ("L2", "L3", "MM"):
            if dim not in fixed and dim not in scans and draw(st.integers(0, 3)) == 0:
                size *= draw(st.sampled_from([1, 2, 3]))
                part_size.append((Level(layer, dim), size))
                levels.insert(0, Level(layer, dim))
        if dim not in (*fixed, *scans) and not (dim in collapsed and scans) and draw(st.booleans()):
            cores.append(Level("COR", dim))
            if draw(st.booleans()):
                part_size.append((Level("COR", dim), tile * draw(st.sampled_from([1, 2, 3]))))
        split = 0 if dim in collapsed and scans else len(levels) if dim in expression.remaining else len(levels) - 1
        (inner if dim in scans else outer).extend(levels[:split])
        inner += levels[split:]
    if scans and draw(st.booleans()):  # a prefix sum is shared among cores alone
        cores = [Level("COR", scans[0])]
        part_size = [(level, size) for level, size in part_size if level.layer != "COR"]
        part_size.append((cores[0], draw(st.sampled_from([0, -1, -2, -5]))))
    order = [*_merged(draw, outer), *sorted(_merged(draw, inner), key=lambda l: l.dim not in scans)]
    at = 0 if any(l.dim in scans for l in cores) else draw(st.integers(0, len(order)))
    order[at:at] = draw(st.permutations(cores))
    if len(facts.groups) > 1 and draw(st.integers(0, 3)):
        order.sort(key=lambda l: facts.level(l.dim) if facts.level(l.dim) > 1 else 0)
    sized = {level for level, _ in part_size}
    unnamed = [level for level in order if level.layer == "L1" and level not in sized and draw(st.integers(0, 5)) == 0]
    return tuple(part_size), tuple(level for level in order if level not in unnamed)


def _merged(draw: st.DrawFn, levels: list[Level]) -> list[Level]:
    """Any order in which the levels of each dimension keep theirs."""
    mixed = draw(st.permutations(levels))
    queues = {d: [l for l in levels if l.dim == d] for d in {l.dim for l in levels}}
    return [queues[level.dim].pop(0) for level in mixed]


def facts_of(expression: Expression) -> Problem:
    whole = prepared(expression)
    return problem(whole, {}, {}, 2)
