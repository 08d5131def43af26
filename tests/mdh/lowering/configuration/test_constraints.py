"""Each rule rejects a configuration that breaks it, and says why."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from jitmdh.base.dtype import float32, int32
from jitmdh.mdh.algebra.combine import CombineOperator, Operator, PointWise, PrefixSum, Scatter, cc, elementwise
from jitmdh.mdh.algebra.expr import Between, Dim, Expression, MdHom
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable
from jitmdh.mdh.lowering.configuration.constraints import WAITING, violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.machine.known import known
from tests.golden.test_lowlevel import MATVEC, PACKED, levels
from tests.laws.configurations import affine_maps, facts_of, padded, prefix_sums, triangular, within
from tests.mdh.algebra import examples as ex

MACHINE = known("sapphire-rapids", cores=2)


def sizes(text: str) -> tuple[tuple[Level, int], ...]:
    """`"L1:i:4 REG:k:8"` as part sizes."""
    parts = [part.split(":") for part in text.split()]
    return tuple((Level(layer, dim), int(size)) for layer, dim, size in parts)


def splits(text: str, order: str = "") -> Configuration:
    return Configuration(part_size=sizes(text), decomposition_order=levels(order))


def not_commutative_twice(names: str = "ij") -> Expression:
    """Two or more collapsed dimensions, with an operator that does not commute."""
    maps = affine_maps(int32)
    over = maps.md_hom.combine[1]
    assert isinstance(getattr(over, "operator", None), Operator)
    dims = tuple(Dim(name, ex.size("x", axis % 2)) for axis, name in enumerate(names))
    return replace(maps, md_hom=replace(maps.md_hom, dims=dims, combine=(over,) * len(dims)),
                   out_view=tuple(replace(a, index=(ex.as_affine(0),)) for a in maps.out_view))  # fmt: skip


def histograms(outer: CombineOperator) -> Expression:
    """`h[@bin] += x[i]` for each k: two dimensions."""
    one = ex.histogram()
    over = (Dim("k", ex.size("h", 0)), *one.md_hom.dims)
    return replace(one, md_hom=replace(one.md_hom, dims=over, combine=(outer, *one.md_hom.combine)))


def one_to_one(index: Affine) -> Expression:
    """`y[i] = x[index]`."""
    x = Variable("x", float32)
    return Expression(
        "one_to_one", (ex.buffer("y", float32, 1), ex.buffer("x", float32, 1)), (ex.access("x", index),),
        MdHom((Dim("i", ex.size("y", 0)),), ScalarFunction((x,), (), (x,)), (cc,)), None, (ex.access("y", ex.i),),
    )  # fmt: skip


def one_point() -> Expression:
    """`y[0] = x[0]`."""
    rows, first = one_to_one(ex.as_affine(0)), (ex.access("y", ex.as_affine(0)),)
    return replace(rows, md_hom=replace(rows.md_hom, dims=(), combine=()), out_view=first)


def scaled() -> Expression:
    """`y[i] = a * x[i]`."""
    rows, a, x = one_to_one(ex.as_affine(ex.i)), Variable("a", float32), Variable("x", float32)
    return replace(
        rows,
        buffers=(*rows.buffers, ex.buffer("a", float32, 0)),
        inp_view=(ex.access("a"), *rows.inp_view),
        md_hom=replace(rows.md_hom, function=ScalarFunction((a, x), (), (ex.op("mul", a, x),))),
    )


def roots() -> Expression:
    """`w[i] = max_j √(Σ_k x[i, j, k])`: two operators."""
    x, state = Variable("x", float32), Variable("s", float32)
    root = Between(2, (), ScalarFunction((state,), (), (ex.op("sqrt", state),)))
    return Expression(
        "roots", (ex.buffer("w", float32, 1), ex.buffer("x", float32, 3)), (ex.access("x", ex.i, ex.j, ex.k),),
        MdHom(
            tuple(Dim(n, ex.size("x", axis)) for axis, n in enumerate("ijk")), ScalarFunction((x,), (), (x,)),
            (cc, PointWise(elementwise("maximum", float32, -math.inf)), PointWise(ex.add(float32))),
        ),
        None, (ex.access("w", ex.i),), between=(root,),
    )  # fmt: skip


def tiled(copied: str) -> Configuration:
    """MatVec with its matrix copied for each part of a level."""
    return Configuration(decomposition_order=levels("L1:i L1:k"), input_region=((0, *levels(copied), "L2"),))


def waits(level: str, region: str) -> Configuration:
    """Loops over tiles, with results that wait in a region for each part of a level."""
    order = levels("L1:i L1:k") if "k" in level or "2" in level else levels("L1:i L1:j L1:k")
    order = order if region != "L9" else levels("L1:i")
    sizes_ = sizes("REG:j:8 L1:j:8") if Level("L1", "j") in order else ()
    return Configuration(sizes_, order, output_region=((*levels(level), region),))


BLOCKED = splits("L2:k:8", "L2:k L1:i L1:j L1:k")
CASES = [
    ("matvec", splits("L4:i:4"), "layer L4 is none of"),
    ("matvec", splits("", "L1:z"), "dimension z is none of i, k"),
    ("matvec", splits("", "L1:i L1:i"), "D1 names a level twice"),
    ("matvec", splits("L1:i:0"), r"part size of \(L1,i\) is 0"),
    ("matvec", splits("COR:i:-65"), r"part size of \(COR,i\) is -65"),
    ("matvec", splits("SIMD:i:8"), "lanes are the part size of"),
    ("matvec", splits("", "REG:i L1:i"), "always inside all loops"),
    ("matvec", splits("L1:k:12 REG:k:8"), "register tile of 12 is no multiple of 8 lanes"),
    ("matvec", splits("REG:k:8"), "register tile of 1 is no multiple of 8 lanes"),
    ("matvec", splits("", "L2:i L1:i"), r"\(L2,i\) is in D1 but has no part size"),
    ("matvec", splits("L2:i:10 L1:i:4", "L2:i L1:i"), "parts of 4 do not fill parts of 10"),
    ("matvec", splits("L2:i:8 L1:i:4", "L1:i L2:i"), "do not fill|is outside"),
    ("matvec", splits("COR:i:6 L1:i:4", "COR:i L1:i"), "parts of 6 for each core tear tiles of 4"),
    ("matmul", splits("", "COR:i L1:i COR:j L1:j"), "must follow each other"),
    ("matvec", splits("", "L1:k L1:i"), "accumulators would not stay in registers"),
    ("matvec", splits("L1:i:2000"), "2000 vectors"),
    ("matvec", Configuration(recomposition_order=levels("REG:i")),
     r"splits the accumulators of \(REG,i\), but i does not collapse"),
    ("matmul", splits("L1:i:4 L1:j:4 REG:i:4 REG:j:4"), "lanes of more than one dimension"),
    ("matvec", splits("L1:k:6 REG:k:6"), "6 lanes are no power of two"),
    ("matvec", splits("L1:k:128 REG:k:128"), "128 lanes do not fit a vector of 512 bits"),
    ("maps", splits("L1:j:4 REG:j:4"), "does not commute, lanes would change the order"),
    ("maps", Configuration(recomposition_order=levels("REG:j")), "the operator does not commute"),
    ("maps twice", splits("", "L1:j L1:i"), "must stay in order, unsplit"),
    ("maps twice", splits("L1:i:2"), "must stay in order, unsplit"),
    ("maps thrice", splits("L1:i:2"), "must stay in order, unsplit"),
    ("maps thrice", splits("L1:j:2"), "must stay in order, unsplit"),
    ("maps twice", splits("L2:i:4 L2:j:4", "L2:i L2:j L1:i L1:j"), "must stay in order, unsplit"),
    ("maps twice", splits("", "COR:i COR:j"), "only one collapsed dimension may be shared"),
    ("matvec", replace(MATVEC, scalar_order=levels("L1:i")), "S1 does not order the levels of D1"),
    ("matvec", replace(MATVEC, scalar_order=(*MATVEC.decomposition_order, *levels("REG:i"))),
     "S1 orders the unrolled parts of i; those of i, k are unrolled"),
    ("matvec", Configuration(scalar_order=levels("REG:i")), "those of no dimension are unrolled"),
    ("maps twice unrolled", replace(splits("L1:i:2 L1:j:3"), scalar_order=levels("REG:j REG:i")), "S1 takes unrolled"),
    ("matvec", replace(splits("", "L1:i L1:k"), scalar_order=levels("L1:k L1:i")),
     "accumulators would not stay in registers"),
    ("matvec", replace(splits("", "L1:i L1:k"), recomposition_order=levels("L1:k L1:i")),
     "accumulators would not stay in registers"),
    ("matvec", Configuration(recomposition_order=levels("L1:i")), "R1 does not order the levels of D1"),
    ("matmul", replace(BLOCKED, scalar_order=levels("L1:j L2:k L1:i L1:k"),
                       recomposition_order=levels("L1:i L2:k L1:j L1:k")), "S1 and R1 differ, and neither is D1"),
    ("matmul", replace(BLOCKED, input_region=((1, Level("L2", "k"), "L2"),),
                       scalar_order=levels("L1:j L2:k L1:i L1:k")), r"S1 differs from D1 outside of .L2,k., where B"),
    ("matmul", replace(BLOCKED, input_region=((1, Level("L2", "k"), "L2"),),
                       recomposition_order=levels("L1:j L2:k L1:i L1:k")), r"R1 differs from D1 outside of \(L2,k\)"),
    ("matmul", replace(splits("L2:k:8", "COR:i L2:k L1:i L1:j L1:k"),
                       scalar_order=levels("L2:k COR:i L1:i L1:j L1:k")), "where cores share the work"),
    ("matvec", replace(MATVEC, decomposition_assignment=((Level("L1", "i"), "L2"),)), r"\(L1,i\) is assigned to L2"),
    ("matvec", replace(MATVEC, decomposition_assignment=((Level("L1", "i"), "COR"),)), "holds register tiles"),
    ("matvec", replace(MATVEC, decomposition_assignment=((Level("L3", "i"), "COR"),)), r"D2: \(L3,i\) is not in D1"),
    ("matvec", replace(MATVEC, scalar_assignment=((Level("COR", "i"), "L2"),)), "S2 assigns .COR,i. to L2, D2 to COR"),
    ("matvec", replace(MATVEC, recomposition_assignment=((Level("L1", "i"), "COR"),)), "R2 assigns .L1,i. to COR"),
    ("matvec", replace(splits("L2:i:8 COR:i:0", "COR:i L2:i"), decomposition_assignment=((Level("L2", "i"), "COR"),)),
     "D1 names a level twice"),
    ("prefix sums", splits("L2:i:2", "L2:i L1:i"), "i: a prefix sum is split over cores and into tiles only"),
    ("prefix sums", splits("", "COR:i COR:j"), "i: a prefix sum is shared among cores outside all loops, alone"),
    ("maps scanned", Configuration(decomposition_order=levels("COR:j"), input_region=((0, Level("COR", "j"), "L2"),)),
     "nothing is copied for a core's part of a prefix sum"),
    ("prefix sums", splits("", "L1:i L1:j"), "must be outside that of a prefix sum"),
    ("prefix sums", splits("L2:k:2", "L2:k L1:i"), "inside a loop of an operator that is inside its own"),
    ("conv2d", splits("", "L1:p L1:q L1:r COR:s L1:s"), "would not stay in registers"),
    ("matmul", Configuration(input_region=((2, Level("MM", ""), "L2"),)), "no input access number 2"),
    ("matmul", Configuration(input_region=((0, Level("MM", ""), "L9"),)), "region L9 is no memory layer"),
    ("matmul", Configuration(input_region=((0, Level("MM", ""), "L2"),) * 2), "copied twice"),
    ("cut", Configuration(input_region=((0, Level("MM", ""), "L2"),)), "read under a condition: not copied"),
    ("matmul", Configuration(input_region=((0, Level("L3", "i"), "L2"),)), r"\(L3,i\) is not in D1"),
    ("matmul", replace(PACKED, input_layout=((0, ((1, 1),)),)), "layout of A: it does not name each axis"),
    ("matmul", replace(PACKED, input_layout=((0, ((0, 4), (1, 1))),)), "blocks .4. of axis 0 do not nest"),
    ("matmul", replace(PACKED, input_layout=((0, ((0, 6), (0, 4), (0, 1), (1, 1))),)), "do not nest"),
    ("matmul", replace(PACKED, input_layout=((1, ((1, 24), (0, 1), (1, 1))),)), "axis 1 would tear lanes"),
    ("matmul", Configuration(input_region=((0, Level("MM", ""), "REG"),)), "D3: registers hold what one register"),
    ("matmul", replace(BLOCKED, input_region=((0, Level("L2", "k"), "REG"),)), r"loaded at \(L1,k\), not at \(L2,k\)"),
    ("matmul", replace(BLOCKED, input_region=((0, Level("L1", "k"), "REG"),), scalar_input_region=((0, "L1"),)),
     "S3: D3 has already loaded A into registers"),
    ("matmul", replace(BLOCKED, input_region=((0, Level("L1", "k"), "REG"),), input_layout=((0, ((1, 1), (0, 1))),)),
     "D4: registers have no layout"),
    ("matmul", Configuration(input_region=((2, Level("MM", ""), "REG"),)), "no input access number 2"),
    ("matmul", replace(PACKED, input_layout=((1, ((-1, 2), (0, 1), (1, 1))),)), "padding lies between two digits"),
    ("matmul", replace(PACKED, input_layout=((1, ((0, 1), (-1, 0), (1, 1))),)), "padding is at least one element"),
    ("matvec", Configuration(scalar_input_region=((0, "L2"),)), "S3: L2 holds blocks"),
    ("matvec", Configuration(scalar_input_region=((2, "L1"),)), "no input access number 2"),
    ("matvec", Configuration(scalar_input_region=((0, "L1"), (0, "REG"))), "S3 names an input twice"),
    ("cut", Configuration(scalar_input_region=((0, "L1"),)), "read under a condition: not copied"),
    ("matvec", replace(tiled("L1:k"), scalar_input_region=((0, "L1"),)), "S3: D3 has already copied M for each tile"),
    ("matvec", Configuration(scalar_input_layout=((0, ((1, 1), (0, 1))),)), "S4: registers have no layout"),
    ("matvec", Configuration(scalar_input_region=((0, "L1"),), scalar_input_layout=((0, ((1, 1),)),)),
     "S4: layout of M: it does not name each axis"),
    ("matvec", Configuration(scalar_output_region="L2"), "S5: L2 holds blocks, which R3 keeps"),
    ("matvec", replace(splits("L2:k:8", "L2:k L1:i"), scalar_output_region="MM"),
     r"S5: w is read again for each part of \(L2,k\)"),
    ("maps scanned", Configuration(scalar_output_region="L1"), "S5: what a prefix sum has come to is carried"),
    ("matvec", Configuration(scalar_output_layout=((0, 1),)), "S6: registers have no layout"),
    ("matmul", Configuration(scalar_output_region="L1", scalar_output_layout=((0, 1),)), "S6: it does not name"),
    ("matvec", waits("L1:k", "L2"), r"R3: \(L1,k\) is inside all loops over results"),
    ("matvec", waits("L2:i", "L2"), r"\(L2,i\) is not in D1"),
    ("matvec", waits("L1:i", "L9"), "region L9 is no memory layer"),
    ("matmul", waits("L1:i", "REG"), r"R3: registers hold the results of one register tile, not those of a part of"),
    ("matmul", replace(waits("L1:i", "L2"), output_region=((Level("L1", "i"), "L2"),) * 2), "R3 names a level twice"),
    ("matmul", replace(waits("L1:i", "L2"), output_layout=((Level("L1", "j"), ((1, 1), (0, 1))),)),
     "R4: no results wait at"),
    ("matmul", replace(waits("L1:j", "REG"), output_layout=((Level("L1", "j"), ((1, 1), (0, 1))),)),
     "R4: registers have no layout"),
    ("matmul", replace(waits("L1:i", "L2"), output_layout=((Level("L1", "i"), ((1, 4), (0, 1), (1, 1))),)),
     r"R4 at \(L1,i\): blocks of 4 along j would tear lanes"),
    ("histogram", Configuration(input_region=((0, Level("MM", ""), "L2"),)), "data-dependent reads are not copied"),
    ("histogram", Configuration(scalar_input_region=((0, "L1"),)), "data-dependent reads are not copied"),
    ("ragged", replace(splits("", "L1:i L1:k"),
                       input_region=((0, Level("MM", ""), "L2"), (0, Level("L1", "k"), "REG"))),
     "data-dependent reads are not copied"),
    ("ragged", Configuration(scalar_output_region="L1"), "results go straight to memory, or all of them wait there"),
    ("ragged", Configuration(output_layout=((Level("MM", ""), ((0, 1),)),)), "R4: no results wait at"),
    ("ragged", Configuration(output_region=((Level("MM", ""), "L2"),)), "results go straight to memory, or all of"),
    ("histogram", Configuration(output_region=WAITING), "data-dependent writes go straight to memory"),
    ("histograms", splits("", "COR:i COR:k"), "points that may share a cell are shared among cores"),
    ("histograms", splits("L2:i:8", "L2:i COR:k"), "points that may share a cell are shared among cores"),
    ("histograms of rows", splits("", "COR:k COR:i"), "points that may share a cell are shared among cores"),
    ("ragged", splits("L1:i:2"), "i: the range of k differs from point to point, tiles hold one"),
    ("ragged", splits("", "COR:k"), "k: a range from data is neither shared among cores nor blocked"),
    ("ragged", splits("L2:k:8", "L1:i L2:k L1:k"), "k: a range from data is neither shared among cores nor blocked"),
    ("ragged", splits("", "L1:k"), "k: its loop must be inside those that its range depends on"),
    ("matvec", splits("L1:i:1025"), "1025 vectors"),
    ("matvec", splits("COR:i:-65 L1:i:4", "COR:i L1:i"), r"part size of \(COR,i\) is -65"),
    ("matvec", splits("L1:i:-1"), r"part size of \(L1,i\) is -1"),
    ("matvec", splits("", "SIMD:i"), "always inside all loops"),
    ("matvec", splits("L4:i:4", "L1:i"), "layer L4 is none of"),
    ("matvec", splits("L1:z:4"), "dimension z is none of i, k"),
    ("matvec", splits("L2:i:4 L1:i:8", "L2:i L1:i"), "parts of 8 do not fill parts of 4"),
    ("matvec", splits("L1:i:4", "L1:i COR:i"), "i: level L1 is outside level COR"),
    ("matmul", splits("L1:i:33 L1:j:32"), "1056 vectors"),
    ("maps", splits("L1:i:4 REG:i:4 L1:j:4 REG:j:4"), "lanes of more than one dimension"),
    ("matmul", replace(BLOCKED, output_region=((Level("L2", "k"), "L2"),),
                       scalar_order=levels("L1:j L2:k L1:i L1:k")), "where results wait"),
    ("matvec", replace(MATVEC, decomposition_assignment=((Level("L1", "k"), "COR"),)), "holds register tiles"),
    ("matvec", replace(splits("L2:i:8", "L2:i"), recomposition_assignment=((Level("L2", "i"), "L1"),)), "R2 assigns"),
    ("maps scanned", splits("", "L1:i COR:j L1:j"), "j: a prefix sum is shared among cores outside all loops, alone"),
    ("maps scanned", splits("", "COR:j COR:i"), "j: a prefix sum is shared among cores outside all loops, alone"),
    ("prefix sums", splits("", "L1:i"), "loops of other remaining dimensions must be outside that of a prefix sum"),
    ("matmul", Configuration(input_region=((-1, Level("MM", ""), "L2"),)), "no input access number -1"),
    ("matmul", Configuration(input_region=((-1, Level("MM", ""), "REG"),)), "no input access number -1"),
    ("matvec", Configuration(scalar_input_region=((-1, "MM"),)), "no input access number -1"),
    ("padded", Configuration(input_region=((0, Level("MM", ""), "L2"),)), "read under a condition: not copied"),
    ("matvec", replace(tiled("L1:i"), scalar_input_region=((0, "MM"),)), "it is not read from main memory"),
    ("matvec", Configuration(scalar_output_region="L3"), "S5: L3 holds blocks, which R3 keeps"),
    ("matmul", replace(splits("L1:j:16 REG:j:8"), scalar_output_region="L1",
                       scalar_output_layout=((1, 4), (0, 1), (1, 1))), "S6: blocks of 4 along j would tear lanes"),
    ("matmul", replace(PACKED, input_layout=((1, ((1, 8), (0, 1), (1, 1))),)), "axis 1 would tear lanes"),
    ("backwards", replace(splits("", "L2:i L1:i"), part_size=sizes("L2:i:8"),
                          input_region=((0, Level("L2", "i"), "L2"),), input_layout=((0, ((0, 4), (0, 1))),)),
     "blocks of axis 0, which is walked backwards"),
    ("strided", replace(splits("L1:i:8 REG:i:8"), input_region=((0, Level("MM", ""), "L2"),),
                        input_layout=((0, ((0, 8), (0, 1))),)), "blocks of axis 0 would tear lanes"),
    ("conv2d", replace(splits("L1:q:8 REG:q:8"), input_region=((0, Level("MM", ""), "L2"),),
                       input_layout=((0, ((1, 8), (0, 1), (1, 1))),)), "blocks of axis 1 would tear lanes"),
    ("backwards", replace(splits("L1:i:8 REG:i:8"), input_region=((0, Level("MM", ""), "L2"),),
                          input_layout=((0, ((0, 8), (0, 1))),)), "blocks of axis 0 would tear lanes"),
    ("scaled", replace(splits("", "L1:i"), input_region=((0, Level("L1", "i"), "L2"),)), "a is one number"),
    ("scaled", replace(splits("", "L1:i"), scalar_input_region=((0, "L1"),)), "a is one number, which needs no copy"),
    ("maps scanned", replace(splits("", "COR:j"), output_region=((Level("COR", "j"), "L2"),)),
     "results of a core's part of a prefix sum are written once"),
    ("matvec", replace(splits("L1:k:2"), scalar_order=levels("REG:i")), "parts of i; those of k are unrolled"),
    ("ragged", Configuration(output_region=WAITING, output_layout=((Level("MM", ""), ((0, 1),)),)),
     "results go straight to memory, or all of them wait there"),
    ("matmul", replace(splits("L2:k:8", "L1:i L2:k L1:k"), input_region=((0, Level("L2", "k"), "REG"),)),
     r"D3: registers hold what one register tile reads of A: loaded at \(L1,k\), not at \(L2,k\)"),
    ("one point", Configuration(scalar_input_region=((0, "L1"),)), "S3: there is no loop over tiles"),
]  # fmt: skip
EXPRESSIONS = {
    "matvec": ex.matvec(float32),
    "matmul": ex.matmul(float32),
    "conv2d": ex.conv2d(float32),
    "maps": affine_maps(int32),
    "maps twice": not_commutative_twice(),
    "maps scanned": affine_maps(int32, PrefixSum(ex.add(int32))),
    "maps twice unrolled": not_commutative_twice(),
    "prefix sums": prefix_sums(int32),
    "triangular": triangular(int32),
    "cut": within(ex.matmul(float32), ex.i - ex.k),
    "padded": padded(int32),
    "histogram": ex.histogram(),
    "histograms": histograms(Scatter(ex.add(float32))),
    "histograms of rows": histograms(cc),
    "ragged": ex.ragged_sums(),
    "backwards": one_to_one(ex.size("x", 0) - 1 - ex.i),
    "strided": one_to_one(2 * ex.i),
    "scaled": scaled(),
    "maps thrice": not_commutative_twice("ijk"),
    "one point": one_point(),
}


@pytest.mark.parametrize(("name", "configuration", "reason"), CASES, ids=[reason for _, _, reason in CASES])
def test_refused_with_the_reason(name: str, configuration: Configuration, reason: str) -> None:
    found = violation(facts_of(EXPRESSIONS[name]), MACHINE, configuration)
    assert found is not None and re.search(reason, found), found


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_nothing_split_is_always_legal(name: str) -> None:
    assert violation(facts_of(EXPRESSIONS[name]), MACHINE, Configuration()) is None


LEGAL = [
    ("matvec", MATVEC),
    ("matmul", PACKED),
    ("matvec", splits("COR:i:-64", "COR:i")),
    ("matvec", splits("COR:i:-2 L1:i:4", "COR:i L1:i")),
    ("matvec", splits("COR:i:8 L1:i:4", "COR:i L1:i")),
    ("matvec", splits("L1:i:1024")),
    ("matvec", splits("L1:k:64 REG:k:64")),
    ("matvec", splits("L2:i:8 L1:i:8", "L2:i L1:i")),
    ("matmul", splits("", "COR:i COR:j L1:i L1:j")),
    ("matvec", replace(splits("", "L1:i L1:k"), recomposition_order=levels("REG:k L1:i L1:k"))),
    ("matvec", Configuration(scalar_input_region=((0, "MM"), (1, "REG")))),
    ("matvec", replace(tiled("L1:i"), scalar_input_region=((0, "L1"),))),
    ("matmul", replace(BLOCKED, input_region=((0, Level("L1", "k"), "REG"),))),
    ("histogram", splits("", "COR:i")),
    ("histograms of rows", splits("", "COR:i")),
    ("histograms of rows", splits("", "COR:k")),
    ("ragged", splits("", "COR:i L1:i L1:k")),
    ("ragged", Configuration(output_region=WAITING)),
    ("ragged", replace(splits("", "L1:i L1:k"), input_region=((0, Level("L1", "k"), "REG"),))),
    ("prefix sums", splits("", "COR:i L1:j L1:i")),
    ("prefix sums", splits("", "COR:j L1:j L1:i L1:k")),
    ("maps twice", splits("", "L1:i L1:j")),
    ("matvec", splits("COR:i:3", "COR:i")),
    ("matvec", splits("L2:k:8", "L1:i L2:k")),
    (
        "matmul",
        replace(splits("L1:j:16 REG:j:8"), scalar_output_region="L1", scalar_output_layout=((1, 8), (0, 1), (1, 1))),
    ),
    ("maps scanned", splits("", "COR:j L1:i L1:j")),
    ("matmul", splits("L1:i:1 REG:i:1 L1:j:8 REG:j:8")),
    ("matvec", replace(MATVEC, scalar_order=(*MATVEC.decomposition_order, *levels("REG:k REG:i")))),
    ("backwards", replace(splits("L1:i:8 REG:i:8"), input_region=((0, Level("MM", ""), "L2"),))),
    ("matmul", waits("L1:j", "REG")),
    ("one point", Configuration(scalar_input_region=((0, "MM"),))),
    ("maps scanned", replace(splits("", "COR:i L1:i L1:j"), output_region=((Level("L1", "i"), "L2"),))),
]


@pytest.mark.parametrize(("name", "configuration"), LEGAL, ids=range(len(LEGAL)))
def test_good_ones_are_legal(name: str, configuration: Configuration) -> None:
    assert violation(facts_of(EXPRESSIONS[name]), MACHINE, configuration) is None


def test_what_is_computed_in_two_steps_is_legal_if_both_are() -> None:
    """Row maxima of sums: results of the inner operator wait in memory, then the outer one takes them up."""
    facts = facts_of(roots())
    assert violation(facts, MACHINE, Configuration()) is None
    assert violation(facts, MACHINE, splits("", "COR:j")) is None
    for order in ("", "L1:i L1:j L1:k", "L1:j L1:i L1:k"):
        assert violation(facts, MACHINE, replace(splits("", order), output_region=WAITING)) is None
    for part, reason in (("L1:k:6 REG:k:6", "6 lanes are no"), ("L1:j:6 REG:j:6", "6 lanes are no")):
        assert reason in (violation(facts, MACHINE, replace(splits(part), output_region=WAITING)) or "")
    for refused in (Configuration(scalar_output_region="L1"), Configuration(output_region=((Level("L1", "i"), "L2"),))):
        assert "R3, S5: results of an inner operator" in (violation(facts, MACHINE, refused) or "")
