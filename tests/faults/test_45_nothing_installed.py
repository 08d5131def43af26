"""Fault 45: no compiler, no GPU, no OpenCL driver, none of the packages that are optional: the processor serves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE

PROGRAM = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyopencl", "cupy", "numba", "ml_dtypes", "rich", "torch", "jax", "scipy"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import numpy as np
import jitmdh as mdh

@mdh.jit
def doubled(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i] * 2

y = np.zeros(5)
doubled(y, np.ones(5))
assert y.tolist() == [2.0] * 5
print([d.target for d in mdh.devices()])
try:
    mdh.jit(target="opencl")(doubled.py_func)(y, np.ones(5))
except Exception as error:
    print(type(error).__name__, isinstance(error, mdh.errors.DeviceError | mdh.errors.ConfigurationError))
"""


def test_the_processor_serves(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "", "CC": "none"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    devices, error = done.stdout.splitlines()
    assert "opencl" not in devices and error.endswith("True")
