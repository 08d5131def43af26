"""How a matrix product is de-composed and re-composed, drawn: in the way of the thesis's Figure 60.

python examples/53_figure_60.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def main(folder: Path) -> None:
    A, B, C = np.ones((16, 2048)), np.ones((2048, 1000)), np.zeros((16, 1000))
    nest = s.build(matmul, C, A, B).tile(i=4, j=s.any, k=64).parallelize("i").vectorize("j").pack("B", at="k.0")
    pictures = {"figure_60": nest.draw(), "model": mdh.jit(matmul).draw(C, A, B)}
    for name, picture in pictures.items():
        file = folder / f"{name}.svg"
        file.write_text(str(picture), encoding="utf-8")
        print(f"{file.name}: {len(str(picture))} characters, see it in a browser")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
