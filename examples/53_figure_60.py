"""How a matrix product is de-composed and re-composed, drawn: in the way of the thesis's Figure 60.

Also Figures 78 to 81, from the tables of the thesis: 79 and 81, of TVM and Pluto for processors, anywhere; 78 and 80
where there is a GPU, else see docs/figures.

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


def tables(folder: Path) -> None:
    """Draws Figures 78 to 81, as far as this machine has what they are for. The tables come with the sources."""
    C, A, B = (np.zeros(shape, np.float32) for shape in ((16, 1000), (16, 2048), (2048, 1000)))
    kept = Path(__file__).parents[1] / "tests" / "golden" / "figures"
    for table in filter(Path.exists, (kept / f"figure_{number}.txt" for number in (78, 79, 80, 81))):
        schedule = {"table": table.read_text(encoding="utf-8")}
        for target in ("cpu", "cuda"):
            try:
                picture = mdh.jit(schedule=schedule, target=target)(matmul).draw(C, A, B)
            except (mdh.errors.ConfigurationError, mdh.errors.DeviceError) as error:
                print(f"{table.stem}, {target}: {error.message}")
                continue
            (folder / f"{table.stem}.svg").write_text(str(picture), encoding="utf-8")
            print(f"{table.stem}.svg: {len(str(picture))} characters")
            break


def main(folder: Path) -> None:
    A, B, C = np.ones((16, 2048)), np.ones((2048, 1000)), np.zeros((16, 1000))
    nest = s.build(matmul, C, A, B).tile(i=4, j=s.any, k=64).parallelize("i").vectorize("j").pack("B", at="k.0")
    pictures = {"figure_60": nest.draw(), "model": mdh.jit(matmul).draw(C, A, B)}
    for name, picture in pictures.items():
        file = folder / f"{name}.svg"
        file.write_text(str(picture), encoding="utf-8")
        print(f"{file.name}: {len(str(picture))} characters, see it in a browser")
    tables(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
