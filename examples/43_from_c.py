"""Kernels for a program in C: an object file, a header and a test, which is compiled and run where there is a compiler.

python examples/43_from_c.py
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from jitmdh import tensor as mt


def main(basis: int = 20, quantities: int = 9) -> None:
    rng = np.random.default_rng(0)
    Q, I = mt.Tensor("Q", (basis, quantities)), mt.Tensor("I", (basis, quantities))
    K = mt.Tensor("K", values=np.where(rng.random((basis, basis)) < 0.1, rng.random((basis, basis)), 0.0))
    S = mt.Tensor("S", (quantities, quantities), pattern=rng.random((quantities, quantities)) < 0.3)
    volume = mt.kernel("volume", Q["kp"] <= Q["kp"] + K["kl"] * I["lq"] * S["qp"])

    with tempfile.TemporaryDirectory() as folder:
        written = mt.write(Path(folder) / "kernels", [volume, volume.batched(shared=("S",))])
        print(*(line for line in written.header.read_text().splitlines() if line.startswith("int ")), sep="\n")
        compiler = shutil.which("cc")
        if compiler is None or written.test is None:
            print("there is no C compiler")
            return
        program = Path(folder) / "test"
        sources = [str(written.test), str(written.object)]
        subprocess.run([compiler, "-Wall", "-Werror", *sources, "-lm", "-lpthread", "-o", str(program)], check=True)
        print(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    main()
