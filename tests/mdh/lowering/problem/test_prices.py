"""Prices come from the figures of a machine, and choices from prices: another vendor's figures give other ones."""

from __future__ import annotations

from dataclasses import replace

import llvmlite.binding as llvm
import pytest

from jitmdh.base.dtype import ScalarType, float32, int32, uint8
from jitmdh.mdh.algebra.combine import PointWise, cc
from jitmdh.mdh.algebra.expr import Dim, Expression, MdHom
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.model.register_tiling import best_tile
from jitmdh.mdh.lowering.problem.prices import prices, product_instructions
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import PROCESSORS, known
from tests.mdh.algebra import examples as ex

INTEL, AMD = known("sapphire-rapids", cores=1), known("zen4", cores=1)


def contraction(subscripts: str, extents: dict[str, int]) -> Problem:
    """`out = sum of left * right`, as einsum writes it, for one thread."""
    inputs, out = subscripts.split("->")
    left, right = (Variable(n, float32) for n in ("left", "right"))
    order = [*out, *(n for n in extents if n not in out)]
    operands = dict(zip(("left", "right"), inputs.split(",")))
    expression = Expression(
        "contraction",
        tuple(ex.buffer(name, float32, len(axes)) for name, axes in (("out", out), *operands.items())),
        tuple(ex.access(name, *map(ex.name, axes)) for name, axes in operands.items()),
        MdHom(
            tuple(Dim(n, ex.name(n.upper())) for n in order),
            ScalarFunction((left, right), (), (ex.op("mul", left, right),)),
            tuple(cc if n in out else PointWise(ex.add(float32)) for n in order),
        ),
        None,
        (ex.access("out", *map(ex.name, out)),),
    )
    rows = {"out": len(out) - 1, **{name: len(axes) - 1 for name, axes in operands.items()}}
    return problem(expression, {n.upper(): size for n, size in extents.items()}, rows, 1)


CONTRACTIONS = (
    ("ij,jk->ik", {"i": 300, "j": 200, "k": 500}),
    ("abc,cd->abd", {"a": 20, "b": 11, "c": 60, "d": 300}),
    ("abc,dc->adb", {"a": 40, "b": 23, "c": 90, "d": 60}),
    ("abcd,dbe->ace", {"a": 30, "b": 9, "c": 12, "d": 40, "e": 33}),
    ("ba,cb->ca", {"a": 700, "b": 64, "c": 90}),
    ("acd,dbc->ba", {"a": 200, "b": 100, "c": 9, "d": 80}),
)


def test_prices_of_two_machines() -> None:
    """The same code, two units of 512 bits beside one that takes two cycles."""
    intel, amd = prices(INTEL), prices(AMD)
    assert (intel.operation, intel.load, intel.store, intel.independent) == (0.5, 0.5, 1.0, 8)
    assert (amd.operation, amd.load, amd.store, amd.independent) == (1.0, 1.0, 2.0, 4)
    assert prices(AMD, lanes=1).operation == 0.5 and prices(AMD, lanes=1).independent == 8  # of one element
    assert intel.shifted(64, 4) == pytest.approx(0.97, abs=0.01)  # 15 of 16 lie in two lines
    assert intel.shifted(16, 16) == intel.load
    assert intel.transposed(16) == pytest.approx((4 + 0.5 + 1.0) / 16)
    assert amd.part_bytes != intel.part_bytes and amd.stalls["MM"] == pytest.approx(16.0 / 3.7)


@pytest.mark.parametrize("name", PROCESSORS)
def test_several_threads_get_less_of_memory_each(name: str) -> None:
    machine = known(name)
    alone, both = prices(machine, 1), prices(machine, 2)
    assert both.stalls["MM"] <= 1.01 * alone.stalls["MM"] and both.load == alone.load
    assert alone.exposed["L2"] >= alone.exposed["MM"]


def test_the_other_vendor_s_figures_are_seen() -> None:
    """The caches stay, the figures are exchanged: costs and choices are others."""
    mistaken = replace(AMD, figures=INTEL.figures)
    problems = [contraction(*c) for c in CONTRACTIONS]
    costs = [best_tile(p, mistaken).cost / best_tile(p, AMD).cost for p in problems]
    assert max(costs) < 0.8  # it is taken for faster than it is
    chosen = [(choose(p, AMD).configuration, choose(p, mistaken).configuration) for p in problems]
    assert sum(own != other for own, other in chosen) >= 2


def test_slow_gathers_make_lanes_that_lie_apart_dear() -> None:
    p = contraction("ba,cb->ca", {"a": 3, "b": 64, "c": 900})
    vectors = tuple(replace(v, gather=50 * v.gather) for v in AMD.figures.vectors)
    slow = replace(AMD, figures=replace(AMD.figures, vectors=vectors))
    assert best_tile(p, slow).cost > best_tile(p, AMD).cost or best_tile(p, AMD).lane == "a"


def test_choices_on_fixed_machines() -> None:
    """Golden: the lanes and the register tile of each contraction."""
    found = {
        name: [tile_text(contraction(*c), name) for c in CONTRACTIONS]
        for name in ("sapphire-rapids", "zen4", "zen5", "avx2-desktop")
    }
    assert found == GOLDEN


def tile_text(p: Problem, name: str) -> str:
    lanes, tile, *_ = choose(p, known(name, cores=1)).reasons
    return f"{lanes.removeprefix('lanes: ')}; {tile.removeprefix('register tile: ')}"


GOLDEN = {
    "sapphire-rapids": [
        "16 of k; i 5, k 80",
        "16 of d; a 2, b 11, d 16",
        "16 of b; a 4, d 6, b 16",
        "16 of e; a 3, c 3, e 48",
        "16 of a; c 4, a 96",
        "16 of a; b 14, a 32",
    ],
    "zen4": [
        "16 of k; i 12, k 32",
        "16 of d; b 11, d 32",
        "16 of b; a 4, d 6, b 16",
        "16 of e; a 3, c 3, e 48",
        "16 of a; c 10, a 32",
        "16 of a; b 10, a 32",
    ],
    "zen5": [
        "16 of k; i 12, k 32",
        "16 of d; b 11, d 32",
        "16 of b; a 4, d 6, b 16",
        "16 of e; a 3, c 3, e 48",
        "16 of a; c 10, a 32",
        "16 of a; b 14, a 32",
    ],
    "avx2-desktop": [
        "8 of k; i 6, k 16",
        "8 of d; a 2, d 48",
        "8 of b; d 6, b 16",
        "8 of e; c 6, e 16",
        "8 of a; c 6, a 16",
        "8 of a; b 2, a 40",
    ],
}


FEATURES = {
    "sse2": "+sse2,-sse3,-ssse3,-sse4.1,-avx",
    "sse4": "+sse2,+ssse3,+sse4.1,-avx",
    **{name: known(name).features for name in PROCESSORS},
}


_LLVM = (21, 0, 0)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
def test_products_of_integers_take_what_llvm_makes_of_them(features: str, bits: int) -> None:
    """But for constants, which are loaded before a loop; of 512 bits of bytes, one more on some processors."""
    if bits == 8 and llvm.llvm_version_info < _LLVM:
        pytest.skip(f"LLVM before {_LLVM[0]} makes one to three instructions more of products of bytes")
    enabled = features.split(",")
    width = 512 if "+avx512f" in enabled else 256 if "+avx2" in enabled else 128
    for lanes in (128 // bits, width // bits):
        vector = f"<{lanes} x i{bits}>"
        text = f"define {vector} @f({vector} %a, {vector} %b) {{ %c = mul {vector} %a, %b ret {vector} %c }}"
        more = _instructions(text, features) - product_instructions(features, bits, lanes)
        assert more == 0 or (more == 1 and bits * lanes == 512 and bits == 8)


def _instructions(text: str, features: str) -> int:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = "aarch64-unknown-linux-gnu" if "+neon" in features.split(",") else "x86_64-unknown-linux-gnu"
    machine = llvm.Target.from_triple(triple).create_target_machine(features=features, opt=3)
    lines = machine.emit_assembly(llvm.parse_assembly(text)).splitlines()
    names = [line.split()[0] for line in lines if line.startswith("\t") and not line.startswith("\t.")]
    return sum(not name.startswith(("mov", "vmov", "ret", "vzeroupper")) for name in names)


@pytest.mark.parametrize("type, lane", [(uint8, "k"), (int32, "j")])
def test_lanes_that_are_mostly_empty_are_dear_where_products_are(type: ScalarType, lane: str) -> None:
    """Products of rows of three: bytes lie along the sum."""
    expression = ex.matmul(type)
    sizes = {dim.extent.names[0]: extent for dim, extent in zip(expression.md_hom.dims, (1000, 3, 200), strict=True)}
    tile = best_tile(problem(expression, sizes, {}, 2), AMD)
    assert (tile.lane, expression.md_hom.dims[-1].name) == (lane, "k")
