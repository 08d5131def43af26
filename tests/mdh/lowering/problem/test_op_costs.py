"""Operations and compulsory bytes, against counts by hand."""

from __future__ import annotations

import platform
import re
from dataclasses import replace

import pytest

from jitmdh.base.dtype import ScalarType, bool_, float32, float64, int32
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.expr import Allocation, Dim, Expression, MdHom, Program, Sequential
from jitmdh.mdh.algebra.operations.table import OPERATIONS, ROWS
from jitmdh.mdh.algebra.scalar import Constant, Operation, ScalarFunction, Variable
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.problem.op_costs import function_operations, moved, runs, slow_operations, work
from tests.laws.configurations import triangular
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host

MATMUL = {"C.shape[0]": 5, "C.shape[1]": 7, "A.shape[0]": 5, "A.shape[1]": 3, "B.shape[0]": 3, "B.shape[1]": 7}


def test_matrix_product() -> None:
    found = work(ex.program(ex.matmul(float32)), MATMUL)
    assert (found.points, found.flops, found.steps) == (105, 210, 105)
    assert (found.bytes_read, found.bytes_written, found.type) == (4 * (15 + 21), 4 * 35, float32)
    assert found.exact


def test_accumulating_reads_what_was_there() -> None:
    found = work(ex.program(ex.matvec(float64)), {"M.shape[0]": 5, "M.shape[1]": 3, "w.shape[0]": 9, "v.shape[0]": 3})
    assert (found.flops, found.bytes_read, found.bytes_written) == (35, 8 * (15 + 3 + 5), 8 * 5)


def test_overlapping_reads_count_once() -> None:
    found = work(ex.program(ex.jacobi1d(float32)), {"x.shape[0]": 10, "y.shape[0]": 10})
    assert (found.flops, found.steps) == (24, 24)
    assert (found.bytes_read, found.bytes_written) == (40, 32)


def test_empty_ones() -> None:
    empty = work(ex.program(ex.matmul(float32)), {**MATMUL, "C.shape[0]": 0, "A.shape[0]": 0})
    assert (empty.flops, empty.bytes) == (0, 0)
    unsummed = work(ex.program(ex.matmul(float32)), {**MATMUL, "A.shape[1]": 0, "B.shape[0]": 0})
    assert (unsummed.flops, unsummed.bytes_read, unsummed.bytes_written) == (0, 0, 140)


def test_what_is_made_inside_moves_out_only() -> None:
    shape = (ex.size("A", 0), ex.size("B", 1))
    allocation = Allocation("C", float32, shape, Constant(0.0, float32))
    program = ex.program(ex.matmul(float32), "C", allocations=(allocation,))
    assert work(program, MATMUL).bytes_written == 140
    assert work(replace(program, returns=None), MATMUL).bytes_written == 0


def stepped(expression: Expression, extent: int) -> Program:
    program = ex.program(expression)
    return replace(program, steps=(Sequential(Dim("t", ex.as_affine(extent)), program.steps),))


def test_loops_around() -> None:
    sizes = {"x.shape[0]": 10, "y.shape[0]": 10}
    found, once = (work(stepped(ex.jacobi1d(float32), n), sizes) for n in (6, 1))
    assert found.flops == 6 * once.flops and found.bytes == once.bytes
    (run,) = runs(stepped(ex.jacobi1d(float32), 6), sizes)
    assert run.times == 6 and run.points == 8 and moved(run) == 6 * once.bytes
    (none,) = runs(stepped(ex.jacobi1d(float32), 0), sizes)
    assert none.times == 0 and work(stepped(ex.jacobi1d(float32), 0), sizes).bytes == 0


def test_conditions_make_it_an_estimate() -> None:
    found = work(ex.program(triangular(int32)), {"M.shape[0]": 100, "M.shape[1]": 100, "w.shape[0]": 100})
    assert not found.exact and found.points == pytest.approx(5050, rel=0.1)


def test_of_a_triangular_matrix_half_is_read() -> None:
    sizes = {"M.shape[0]": 100, "M.shape[1]": 100, "w.shape[0]": 100}
    read = work(ex.program(triangular(int32)), sizes).bytes_read
    assert read == pytest.approx(4 * (5050 + 100), rel=0.1)


def of_one(function: str, type: ScalarType) -> Expression:
    """`y[i] = function(x[i])`."""
    x = Variable("x", type)
    return Expression(
        function,
        (ex.buffer("y", type, 1), ex.buffer("x", type, 1)),
        (ex.access("x", ex.i),),
        MdHom((Dim("i", ex.size("x", 0)),), ScalarFunction((x,), (), (Operation(function, (x,), type),)), (cc,)),
        None,
        (ex.access("y", ex.i),),
    )


def test_functions_take_more_than_one_instruction() -> None:
    sizes = {"x.shape[0]": 1000, "y.shape[0]": 1000}
    for function, each in ((row.name, row.cost) for row in ROWS if row.cost > 1):
        found = work(ex.program(of_one(function, float32)), sizes)
        assert (found.steps, found.instructions) == (1000, 1000 * each)
    plain = work(ex.program(ex.jacobi1d(float32)), sizes)
    assert plain.instructions == plain.steps


@pytest.mark.in_turns(2)
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
@pytest.mark.parametrize("type", [float32, float64], ids=str)
@pytest.mark.parametrize("function", [row.name for row in ROWS if row.units is not None and row.arity == 1])
def test_so_many_instructions_at_least(function: str, type: ScalarType) -> None:
    """What the model counts for a function is in the loop that code generation makes of it, and not too far from it."""
    machine = host("avx2")
    lanes = machine.vector_bits // type.bits
    vectors = Configuration(((Level("L1", "i"), lanes), (Level("REG", "i"), lanes)), (Level("L1", "i"),))
    program = ex.program(of_one(function, type))
    sizes = {"x.shape[0]": 64, "y.shape[0]": 64}
    text = Native(program, lambda *_: vectors, features="avx2", unit_axes={"x": 0, "y": 0}, sizes=sizes).text
    blocks = re.split(r"\n(?=\.LBB)", cpu_compile.assembly(text, "avx2"))
    moved = r"\s+v(?!mov|broadcast).*ymm"
    longest = max(sum(bool(re.match(moved, line)) for line in block.splitlines()) for block in blocks)
    assert OPERATIONS[function].cost <= longest <= 4 * OPERATIONS[function].cost


def test_operations() -> None:
    assert function_operations(ex.matmul(float32)) == (2, 1, [])
    assert function_operations(ex.matmul(int32)) == (2, 0, [])
    assert function_operations(ex.jacobi1d(float32)) == (3, 0, [])
    assert slow_operations(ex.jacobi1d(float32)) == [] and bool_.size_bytes == 1
