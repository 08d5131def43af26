"""The (de/re)-compositions that the thesis publishes (Figures 78 to 81), entered as tables: printed, lowered, run."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.dtype import float32
from jitmdh.base.errors import ConfigurationError, InternalError
from jitmdh.hca import nvrtc
from jitmdh.hca.interface.device import Device
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.lowering.schedule import plain
from jitmdh.mdh.lowering.tables.from_table import configuration
from jitmdh.mdh.lowering.tables.table import Table, parse
from jitmdh.mdh.lowering.tables.to_table import table as to_table
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.lowlevel.interp import run_lowlevel
from jitmdh.mdh.machine.gpu import gpu
from jitmdh.mdh.machine.known import PROCESSORS, known
from jitmdh.mdh.targets.cuda import emitter as cuda
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.laws.configurations import EXPRESSIONS, configurations, facts_of
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.in_grids import InGrids, WithoutBarrier
from tests.mdh.codegen.native import host
from tests.nvrtc_there import require_nvrtc

Array = np.ndarray[Any, Any]
Golden = Callable[[str, str], None]
FIGURES = Path(__file__).parent / "figures"
EXTENTS = (16, 1000, 2048)  # of ResNet-50, in all four figures
ALL = (78, 79, 80, 81)
ON_A_CPU = (79, 81)
ON_A_GPU = (78, 80)
GPU = gpu("sm_90", 1024)
COMBINE = ("++", "++", "•(add)")


def text(figure: int) -> str:
    return (FIGURES / f"figure_{figure}.txt").read_text()


def table(figure: int) -> Table:
    return parse(text(figure))


def matmul(i: int, j: int, k: int) -> Problem:
    sizes = {"C.shape[0]": i, "C.shape[1]": j, "A.shape[0]": i, "A.shape[1]": k, "B.shape[0]": k, "B.shape[1]": j}
    return problem(prepared(ex.matmul(float32)), sizes, {}, 2)


def lowered(figure: int, *extents: int) -> Configuration:
    p = matmul(*extents)
    found = configuration(table(figure), p)
    assert violation(p, GPU if figure in ON_A_GPU else host(), found) is None
    return found


def in_grids(figure: int, *replaced: tuple[str, str]) -> InGrids:
    """The kernel of a figure, of which some cells are replaced."""
    cells = text(figure)
    for old, new in replaced:
        assert cells.count(old) == 1
        cells = cells.replace(old, new)
    found = configuration(parse(cells), matmul(*EXTENTS))
    return InGrids(ex.program(ex.matmul(float32)), lambda *_: found)


def operands(seed: int, extents: tuple[int, int, int]) -> tuple[Array, Array, Array]:
    """C, A, B."""
    random, (i, j, k) = np.random.default_rng(seed), extents
    c, a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((i, j), (i, k), (k, j)))
    return c, a, b


@pytest.mark.parametrize("figure", ALL)
def test_printed_as_entered(figure: int) -> None:
    assert str(table(figure)) + "\n" == text(figure)


@pytest.mark.parametrize("figure", ALL)
def test_as_low_level_expression(figure: int, golden: Golden) -> None:
    function = str(ex.matmul(float32).md_hom.function)
    golden(f"figures/figure_{figure}_expression", table(figure).expression("matmul", COMBINE, function))


@pytest.mark.parametrize(("figure", "whole"), [(78, (0, 1, 2)), (79, (0, 1, 2)), (80, (0, 1)), (81, (0,))])
def test_parts_make_up_the_dimensions(figure: int, whole: tuple[int, ...]) -> None:
    """In Figures 80 and 81 sizes of parts do not divide the others: the thesis counts the whole ones."""
    found = table(figure)
    assert tuple(d for d in range(3) if found.extent(d) == EXTENTS[d]) == whole
    for n, row in enumerate(found.rows):
        around = [r for r in found.rows[:n] if found.dim(r) == found.dim(row)]
        assert prod(r.parts for r in around) * row.parts * found.part_size(row) == found.extent(found.dim(row))


@pytest.mark.parametrize("figure", ALL)
def test_as_configuration(figure: int, golden: Golden) -> None:
    found = lowered(figure, *EXTENTS)
    golden(f"figures/figure_{figure}_configuration", json.dumps(plain(found), indent=1, ensure_ascii=False))
    golden(f"figures/figure_{figure}_lowlevel", str(lower(prepared(ex.matmul(float32)), found)))


@pytest.mark.parametrize("figure", ON_A_CPU)
@pytest.mark.parametrize("extents", [EXTENTS, (16, 1000, 256), (7, 31, 300), (33, 970, 219), (1, 1, 1), (3, 5, 0)])
def test_runs(figure: int, extents: tuple[int, int, int]) -> None:
    i, j, k = extents
    random = np.random.default_rng(figure)
    a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((i, k), (k, j)))
    c = random.integers(-4, 5, (i, j)).astype(np.float32)
    expected = c + a @ b

    @mdh.jit(schedule={"table": text(figure)})
    def product(C, A, B):  # type: ignore[no-untyped-def]
        for i in range(A.shape[0]):
            for j in range(B.shape[1]):
                for k in range(A.shape[1]):
                    C[i, j] += A[i, k] * B[k, j]

    product(c, a, b)
    np.testing.assert_array_equal(c, expected)
    given = product.config(c, a, b)["product"]
    if extents == EXTENTS:
        wanted = json.loads(json.dumps(plain(lowered(figure, *EXTENTS))))
        assert {name: given[name] for name in wanted} == wanted


@pytest.mark.parametrize("figure", ALL)
def test_interpreted(figure: int) -> None:
    extents = (5, 7, 9)
    found = configuration(table(figure), matmul(*extents))
    low = lower(prepared(ex.matmul(float32)), found)
    check(low)
    random = np.random.default_rng(0)
    i, j, k = extents
    arrays = {n: random.integers(-4, 5, s).astype(np.float32) for n, s in (("C", (i, j)), ("A", (i, k)), ("B", (k, j)))}
    run_lowlevel(low, arrays, {"C.shape[0]": i, "C.shape[1]": j, "A.shape[0]": i, "A.shape[1]": k,
                               "B.shape[0]": k, "B.shape[1]": j})  # fmt: skip
    np.testing.assert_array_equal(arrays["C"], arrays["A"] @ arrays["B"])


@pytest.mark.parametrize("figure", ON_A_GPU)
def test_kernels_for_gpus(figure: int, golden: Golden) -> None:
    golden(f"figures/figure_{figure}_kernel", show_kernel(in_grids(figure).kernels[0]))


FEWER = {78: [("128 |", "2   |")], 80: [("1181 |", "5    |"), ("125  |", "4    |")]}  # the interpreter is slow


@pytest.mark.parametrize("figure", ON_A_GPU)
@pytest.mark.parametrize("extents", [(9, 21, 9), (8, 20, 8), (1, 1, 1), (3, 5, 0), (0, 3, 2)])
def test_grids_interpreted(figure: int, extents: tuple[int, int, int]) -> None:
    code = in_grids(figure, *FEWER[figure])
    c, a, b = operands(figure, extents)
    expected = a @ b
    code(c, a, b)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("figure", ON_A_GPU)
@pytest.mark.parametrize("number", [0, 1])
def test_each_barrier_is_needed(figure: int, number: int) -> None:
    """Without the first one, threads read what nobody wrote; without the second one, others write what they read."""
    code = in_grids(figure, *FEWER[figure])
    code.kernels = (WithoutBarrier(number).kernel(code.kernels[0]), code.kernels[1])
    with pytest.raises(InternalError, match=r"a race|nobody wrote"):
        code(*operands(0, (9, 21, 20)))


@pytest.mark.parametrize("figure", ON_A_GPU)
def test_nvrtc_compiles_them(figure: int) -> None:
    require_nvrtc()
    made = nvrtc.compile_text(cuda.emit(*in_grids(figure).kernels, cores=132).source(), "sm_80", OPTIONS)
    (needs,) = made.kernels.values()
    assert needs.spilled_bytes == 0 and needs.shared_bytes == {78: 4 * 256 * (8 + 20), 80: 4 * 1181}[figure]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("figure", ON_A_GPU)
def test_runs_on_a_device(figure: int, opencl: Device) -> None:
    with mdh.config(machine="sm_80"):

        @mdh.jit(target="opencl", schedule={"table": text(figure)})
        def product(C, A, B):  # type: ignore[no-untyped-def]
            for i in range(A.shape[0]):
                for j in range(B.shape[1]):
                    for k in range(A.shape[1]):
                        C[i, j] += A[i, k] * B[k, j]

        for extents in (EXTENTS, (17, 130, 1300)):  # parts of each dimension are cut short
            c, a, b = operands(figure, extents)
            expected = c + a @ b
            product(c, a, b)
            np.testing.assert_array_equal(c, expected)
        source = product.inspect(c, a, b, stage="opencl")
    assert "local float A_shared[" in source and f"reqd_work_group_size({80 if figure == 78 else 125}, 1, 1)" in source


@pytest.mark.parametrize("figure", ON_A_GPU)
def test_those_for_gpus_are_refused_here(figure: int) -> None:
    p = matmul(*EXTENTS)
    assert "this machine has no BLK, WRP, THR" in str(violation(p, host(), configuration(table(figure), p)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("| (3,2) | L2,1  |      |", "| (3,3) | L2,1  |      |", "row 8: S1 is .3,3., D1 is .3,2."),
        ("L2,2  | L2   | L2   | [1,2]", "L2,2  | L2   | L2   | [1,1]", "layout .1,1.: it does not name each axis"),
        ("L2,2  | L2   | L2   | [1,2]", "L2,2  | L2   | L2   | [1;2]", ".1;2. is no layout"),
        ("(4,3)", "(4,2)", "D1 is no permutation of the levels"),
        ("962 |", "none |", "row 8: none parts"),
        ("R3 C", "R3", "name no buffers"),
    ],
)
def test_what_is_no_table(old: str, new: str, message: str) -> None:
    wrong = text(81).replace(old, new)
    assert wrong != text(81)
    with pytest.raises(ConfigurationError, match=message):
        parse(wrong)


def test_another_computation() -> None:
    p = problem(prepared(ex.matvec(float32)), {}, {}, 2)
    with pytest.raises(ConfigurationError, match="3 dimensions, the computation has 2"):
        configuration(table(81), p)


@pytest.mark.parametrize("on", ["host", *PROCESSORS])
@pytest.mark.parametrize("extents", [(1024, 1024, 1024), (16, 1000, 2048), (3, 1, 7), (5, 3, 1), (2, 6, 13)])
def test_the_model_s_choice_as_a_table(extents: tuple[int, int, int], on: str) -> None:
    """There and back: the loops, copies and layouts of a table are those of the configuration that it prints."""
    p, machine = matmul(*extents), host() if on == "host" else known(on, cores=2)
    chosen = choose(p, machine).configuration
    printed = to_table(chosen, p, "matmul")
    assert parse(str(printed)) == printed
    again = configuration(printed, p)
    assert violation(p, machine, again) is None
    tiles = {l: size for l, size in chosen.part_size if l.layer in ("L1", "REG") and p.extents[l.dim] >= size}
    assert tiles.items() <= dict(again.part_size).items()
    assert dict(again.input_layout) == dict(chosen.input_layout)


@pytest.mark.parametrize("figure", ALL)
def test_figures_come_back(figure: int) -> None:
    p = matmul(*EXTENTS)
    found = lowered(figure, *EXTENTS)
    again = configuration(to_table(found, p, "again"), p)
    assert again.decomposition_order == found.decomposition_order
    assert dict(again.part_size) == dict(found.part_size)
    assert (again.input_region, again.output_region) == (found.input_region, found.output_region)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=10)
def test_any_configuration_is_printed(name: str, data: st.DataObject) -> None:
    facts = facts_of(EXPRESSIONS[name]())
    printed = to_table(data.draw(configurations(facts, host())), facts, name)
    assert parse(str(printed)) == printed
