"""What the model's choices become: accumulators, copies, edges, parts, lanes; as kernel text, for a fixed machine."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pytest

from benchmarks.computations.wide import mttkrp_nested
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Artifact, Request, generate
from jitmdh.mdh.lowering.schedule import Schedule, parse
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import Machine
from tests.laws.agreement import traced
from tests.mdh.codegen.native import host
from tests.mdh.codegen.test_assembly import inner_loops

MACHINE = known("sapphire-rapids", cores=2)
Shape = tuple[int, ...]


def dot(s, x, y):
    for i in range(x.shape[0]):
        s[0] += x[i] * y[i]


def matmul(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def matmul_with_rows(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[j, k]


def jacobi3d(y, x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            for k in range(1, x.shape[2] - 1):
                around = x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k]
                y[i, j, k] = around + x[i, j, k - 1] + x[i, j, k + 1] + x[i, j, k]


def scaled(y, x):
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def transposed(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = x[i, j]


def chosen(
    function: Callable[..., None], *shapes: Shape, machine: Machine = MACHINE, schedule: Schedule | None = None
) -> Artifact:
    """Code for float32 arrays of these shapes, which are never there in memory."""
    one = np.zeros(1, np.float32)
    strides = [tuple(4 * prod(shape[axis + 1 :]) for axis in range(len(shape))) for shape in shapes]
    arrays: tuple[Any, ...] = tuple(map(np.lib.stride_tricks.as_strided, [one] * len(shapes), shapes, strides))
    program = traced(function, arrays)
    axes: dict[str, int | None] = {p.name: a.ndim - 1 for p, a in zip(program.parameters, arrays)}
    return generate(Request(program, sizes_of(program, arrays), axes, machine, threads=2, schedule=schedule))


def loop(text: str, comment: str) -> str:
    """The body of the first loop with this comment that has no other inside."""
    bodies = re.findall(rf"// {comment}\n((?:(?!for \().*\n)*?) *}}", text)
    assert bodies, text
    return str(bodies[0])


# ---------------------------------------------------------------------------------------------- reductions


def test_a_dot_product_has_accumulators_that_do_not_wait_for_each_other() -> None:
    text = chosen(dot, (1,), (1 << 24,), (1 << 24,)).kernel_text()
    updated = re.findall(r"^ *(acc\w*) = \1 \+ \(x_\d+ \* y_\d+\);", loop(text, "L1 i"), re.MULTILINE)
    assert len(updated) == len(set(updated)) >= 8  # a multiply-add takes four cycles, two begin in each


def test_lanes_are_combined_by_halves() -> None:
    text = chosen(dot, (1,), (1 << 24,), (1 << 24,)).kernel_text()
    assert re.findall(r"float\d* (\w+) = (\w+)\[[^]]*\] \+ \2\[[^]]*\];", text) == [
        ("lanes", "acc"), ("lanes_1", "lanes"), ("lanes_2", "lanes_1"), ("lanes_3", "lanes_2"),
    ]  # fmt: skip
    assert "acc[0..7] + acc[8..15]" in text


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
@pytest.mark.parametrize("features", ["avx512", "avx2"])
def test_accumulators_of_a_dot_product_are_registers(features: str) -> None:
    machine = host(features)
    register = "zmm" if machine.vector_bits == 512 else "ymm"  # what is asked for may not be there
    if machine.figures.vectors[-1].bits < machine.vector_bits:
        pytest.skip("this processor takes such registers in parts: one accumulator keeps it busy")
    llvm = chosen(dot, (1,), (1 << 24,), (1 << 24,), machine=machine).text
    loops = inner_loops(cpu_compile.assembly(llvm, features))
    widest = max(loops, key=lambda body: body.count("vfmadd"))
    sums = re.findall(rf"vfmadd\w+ps\s.*, %({register}\d+)$", widest, re.MULTILINE)
    assert len(sums) == len(set(sums)) >= 8, widest
    assert "%rsp" not in widest


# ---------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("function", [matmul, matmul_with_rows])
def test_blocks_are_copied_into_panels_of_whole_vectors(function: Callable[..., None]) -> None:
    """Gathers would take a load for each lane: in copies, whole vectors are transposed in registers."""
    artifact = chosen(function, (1024, 1024), (1024, 1024), (1024, 1024))
    text, (choice,) = artifact.kernel_text(), artifact.choices
    assert "gather" not in text and "merge" in text
    layouts = dict(choice.configuration.input_layout)
    assert set(layouts) == {0, 1}
    axis = 1 if function is matmul else 0
    block = max(size for along, size in layouts[1] if along == axis)
    assert block % 16 == 0  # panels begin at cache lines: `scratch` is aligned to them
    assert re.search(r"// L1 k", text) and re.search(r"load16\(&b_L\d", text)


def test_what_all_threads_read_is_copied_by_all_of_them() -> None:
    """Copies outside of the parts of threads are made in parts, too; those inside by each thread for itself."""
    order = ["(L2,k)", "(COR,i)", "(L1,j)", "(L1,i)", "(L1,k)"]
    given: dict[str, Any] = {"part_size": {"(L2,k)": 256}, "decomposition_order": order, "input_layout": []}
    shapes = (1024, 1024), (1024, 1024), (1024, 1024)
    for level, times in (("(L2,k)", 1), ("(COR,i)", 0)):
        schedule = parse({**given, "input_region": [["b", level, "L2"]]})
        assert chosen(matmul, *shapes, schedule=schedule).kernel_text().count("// COR copy") == times


def test_panels_are_read_from_where_they_are_aligned() -> None:
    """Every vector of the innermost loop begins a whole number of vectors behind the panel's first."""
    text = chosen(matmul, (1024, 1024), (1024, 1024), (1024, 1024)).kernel_text()
    places = re.findall(r"load16\(&b_L\d\[(.*?)\]\)", text)
    shifts = [int(n) for place in places for n in re.findall(r"\+ (\d+)$", place)]
    assert shifts and all(n % 16 == 0 for n in shifts)


def test_small_buffers_begin_at_cache_lines() -> None:
    """Those on the stack; blocks for other caches are `scratch`, which is aligned, too."""
    nothing: dict[str, Any] = dict.fromkeys(("scalar_input_layout", "input_region", "input_layout"), ())
    small = parse({"scalar_input_region": [["b", "L1"]], **nothing})
    llvm = chosen(matmul, (64, 64), (64, 64), (64, 64), schedule=small).text
    buffers = re.findall(r"(%b_L1\S*) = alloca \[\d+ x i8\], align (\d+)", llvm)
    assert buffers and {align for _, align in buffers} == {"64"}


def test_a_matrix_is_transposed_in_registers() -> None:
    """Nothing is used again: no copy. Elements are moved one by one only behind the last whole tile."""
    artifact = chosen(transposed, (3000, 2000), (2000, 3000))
    (choice,) = artifact.choices
    text = artifact.kernel_text()
    assert len(re.findall(r"= merge\(", text)) >= 32
    assert len(re.findall(r"gather16\(|scatter16\(", text)) <= 2
    assert not choice.configuration.input_region


# ---------------------------------------------------------------------------------------- edges and parts


def test_edges_are_masked_vectors() -> None:
    text = chosen(scaled, (1000,), (1000,)).kernel_text()
    edge = loop(text, "L1 i remainder")
    assert "first_lanes(" in edge and "load16(&x" in edge and re.search(r"store16\(&y.*\? mask", edge)


def test_sums_inside_of_sums_do_not_wait_for_each_other_at_edges() -> None:
    """There, too, several of the outer sum's terms are computed side by side."""
    text = chosen(mttkrp_nested, (100, 300), (100, 100, 100), (100, 300), (100, 300)).kernel_text()
    edge = text.split("// L1 j remainder")[1]
    (step,) = re.search(r"for \(.* k\w* \+= (\d+)\) {  // L1 k\n", edge).groups()  # type: ignore[union-attr]
    rows = len(set(re.findall(r"^ *(acc\w*) = \1 \+ \(splat", loop(edge, "L1 l"), re.MULTILINE)))
    assert int(step) > 1 and rows > int(step)


def test_neighbouring_rows_of_a_stencil_are_loaded_once() -> None:
    body = loop(chosen(jacobi3d, (256,) * 3, (256,) * 3).kernel_text(), "L1 k")
    results = len(re.findall(r"(?:store|stream)16\(&y", body))
    assert results >= 2
    assert body.count("load16(&x") <= 5 * results + 2  # 7 without the rows that results have in common


def test_large_results_leave_by_non_temporal_stores_and_small_ones_do_not() -> None:
    large, small = (chosen(scaled, (n,), (n,)).kernel_text() for n in (1 << 26, 1 << 16))
    assert "stream16(&y" in large and "store_fence()" in large
    assert "stream16(&y" not in small


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
@pytest.mark.parametrize("features", ["avx512", "avx2"])
def test_single_vectors_are_non_temporal_stores(features: str) -> None:
    llvm = chosen(scaled, (1 << 26,), (1 << 26,), machine=host(features)).text
    assembly = cpu_compile.assembly(llvm, features)
    assert "vmovntps" in assembly and "sfence" in assembly


def test_runs_are_whole_lines_of_non_temporal_stores() -> None:
    """Wherever the rows of the results begin: lines are put together in registers."""
    order = ["(COR,i)", "(L2,j)", "(L1,i)", "(L1,j)", "(L1,k)"]
    sizes = {"(L2,j)": 512, "(L1,j)": 64, "(REG,j)": 16, "(L1,i)": 1, "(L1,k)": 1}
    run = parse({
        "part_size": sizes, "decomposition_order": order, "input_region": [["b", "(L2,j)", "L2"]], "input_layout": [],
        "scalar_output_region": "MM",
    })  # fmt: skip
    artifact = chosen(matmul, (64, 4096), (64, 64), (64, 4096), schedule=run)
    assert "stream_run16(&c[at_c], result, result_1, result_2, result_3);" in artifact.kernel_text()
    lines = re.findall(r"(%\S+) = call <16 x float> @llvm.x86.avx512.vpermi2var", artifact.text)
    stores = re.findall(r"store <16 x float> (%\S+), ptr \S+ align 64(.*)", artifact.text)
    written = [more for value, more in stores if value in lines]
    assert len(written) >= 3 and all("!nontemporal" in more for more in written)


@pytest.mark.parametrize("extent", [1, 255, 256, 1000, 4096, 12_345])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_of_threads_differ_by_one_tile_at_most(extent: int, parts: int) -> None:
    """The two lines that say where a part lies, carried out in Python for all parts."""
    artifact = chosen(matmul, (4096, 300), (4096, 5), (5, 300))
    text, (choice,) = artifact.kernel_text(), artifact.choices
    (dim,) = {level.dim for level in choice.configuration.decomposition_order if level.layer == "COR"}
    found = [re.search(rf"const long {dim}_{end} = (.*);", text) for end in ("begin", "end", "units")]
    begin, end, units = (match[1] for match in found if match)
    tile = choice.configuration.size("L1", dim) or 1
    shape = re.search(r"\w+_shape_\d", end)
    assert shape is not None
    names: dict[str, Any] = {shape[0]: extent, "min": min, "max": max, f"{dim}_parts": parts}
    names[f"{dim}_units"] = eval(units.replace("/", "//"), dict(names))

    def place(part: int) -> tuple[int, int]:
        values = {**names, f"{dim}_part": part}
        return eval(begin.replace("/", "//"), dict(values)), eval(end.replace("/", "//"), dict(values))

    places = [place(part) for part in range(parts)]
    assert places[0][0] == 0 and places[-1][1] == extent
    assert all(before[1] == min(after[0], extent) for before, after in pairwise(places))
    tiles = [-(min(first - last, 0) // tile) for first, last in places]
    assert max(tiles) - min(tiles) <= 1, places
