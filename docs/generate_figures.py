"""Writes docs/figures: de-compositions and re-compositions of a matrix product, drawn as in the thesis's Figure 60.

figure_60.svg: of a schedule by hand. figure_79.svg, figure_81.svg: of TVM and Pluto, from the tables of the thesis.
`python docs/generate_figures.py` rewrites the pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import jitmdh as mdh

FOLDER = Path(__file__).with_name("figures")
TABLES = Path(__file__).parents[1] / "tests" / "golden" / "figures"
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
    C, A, B = (np.zeros(shape, np.float32) for shape in ((16, 1000), (16, 2048), (2048, 1000)))
    schedules: dict[int, dict[str, Any]] = {60: BY_HAND}
    schedules |= {number: {"table": (TABLES / f"figure_{number}.txt").read_text("utf-8")} for number in (79, 81)}
    for number, schedule in schedules.items():
        yield FOLDER / f"figure_{number}.svg", f"{mdh.jit(schedule=schedule)(matmul).draw(C, A, B)}\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pictures():
        file.write_text(text, encoding="utf-8")
