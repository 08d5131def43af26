"""Writes docs/figures: de-compositions and re-compositions of a matrix product, drawn as in the thesis's Figure 60.

figure_60.svg: of a schedule by hand. figure_78.svg to figure_81.svg: of TVM, PPCG and Pluto, from the tables of the
thesis; 78 and 80 are for GPUs.
by_hand_1.svg to by_hand_8.svg: of the lines of tutorial_schedules.md, as on a desktop with four cores.
`python docs/generate_figures.py` rewrites the pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.jit.explanation.drawing import program_of_call
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.tables.from_table import configuration
from jitmdh.mdh.lowering.tables.table import parse
from jitmdh.mdh.lowering.transform.computation import computation
from jitmdh.mdh.lowlevel.draw import Figure, draw
from jitmdh.mdh.machine.known import known

FOLDER = Path(__file__).with_name("figures")
TABLES = Path(__file__).parents[1] / "tests" / "golden" / "figures"
SHAPES = (16, 1000), (16, 2048), (2048, 1000)
BY_HAND = {
    "part_size": {"(COR,i)": 4, "(L3,k)": 64, "(L2,j)": 96, "(L1,i)": 4, "(L1,j)": 16, "(REG,j)": 8},
    "decomposition_order": ["(COR,i)", "(L3,k)", "(L2,j)", "(L1,i)", "(L1,j)", "(L1,k)"],
    "decomposition_assignment": {}, "input_region": [["B", "(L3,k)", "L3"], ["A", "(L2,j)", "L1"]],
    "input_layout": [["B", [[1, 16], [0, 1], [1, 1]]]], "scalar_order": [], "scalar_assignment": {},
    "scalar_input_region": [], "scalar_input_layout": [], "scalar_output_region": "REG", "scalar_output_layout": [],
    "recomposition_order": [], "recomposition_assignment": {}, "output_region": {}, "output_layout": {},
}  # fmt: skip


def matmul(C: Any, A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def pictures() -> Iterator[tuple[Path, str]]:
    """Each file with what belongs into it."""
    C, A, B = (np.zeros(shape, np.float32) for shape in SHAPES)
    schedules: dict[int, dict[str, Any]] = {60: BY_HAND}
    schedules |= {number: {"table": (TABLES / f"figure_{number}.txt").read_text("utf-8")} for number in (79, 81)}
    for number, schedule in schedules.items():
        yield FOLDER / f"figure_{number}.svg", f"{mdh.jit(schedule=schedule)(matmul).draw(C, A, B)}\n"
    yield from for_gpus()
    yield from by_hand()


def for_gpus() -> Iterator[tuple[Path, str]]:
    """The tables for GPUs; no GPU is needed to draw them."""
    call = program_of_call(mdh.jit(matmul), tuple(np.zeros(shape, np.float32) for shape in SHAPES), {})
    ((_, problem),) = call.problems()[0].items()
    for number in (78, 80):
        table = parse((TABLES / f"figure_{number}.txt").read_text("utf-8"))
        low = lower(problem.expression, configuration(table, problem))
        fixed = {(part.layer, part.dim): "user" for part in low.parts}
        yield FOLDER / f"figure_{number}.svg", f"{draw([Figure(low, problem.extents, fixed)])}\n"


def by_hand() -> Iterator[tuple[Path, str]]:
    """A picture for each line of the tutorial, on a machine that all hosts know."""
    arrays = tuple(np.zeros((1000, 1000)) for _ in range(3))
    call = replace(program_of_call(mdh.jit(matmul), arrays, {}), machine=known("avx2-desktop", cores=4))
    ((name, problem),) = call.problems()[0].items()
    nest = s.Nest(computation(name, problem, call.machine))
    tutorial = (FOLDER.parent / "tutorial_schedules.md").read_text("utf-8")
    for number, line in enumerate(re.findall(r"^nest = nest((?:\.\w+\(.*\))+)", tutorial, re.MULTILINE), 1):
        nest = eval(f"nest{line}", {"nest": nest, "s": s})
        yield FOLDER / f"by_hand_{number}.svg", f"{nest.draw()}\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pictures():
        file.write_text(text, encoding="utf-8")
