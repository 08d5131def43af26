"""Every example runs, in a process of its own, and checks what it computes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE
from tests.warm_start import warm_python

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
SHORTER = {"06_video_blur": ["0.5"], "20_atf_saxpy": ["65536", "12"], "22_atf_gaussian_opencl": ["128", "12"],
           "31_hca_gemm": ["64", "4"]}  # fmt: skip
"""Words of the command line, as users may give them, for examples that else measure for seconds."""


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example: Path, tmp_path: Path) -> None:
    if "dask" in example.stem:
        pytest.importorskip("distributed", reason="distributed is not installed: the extra `cluster`")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    python = [sys.executable] if "dask" in example.stem else warm_python()  # which starts processes like itself
    command = [*python, "-W", "error::jitmdh.JitWarning", str(example), *SHORTER.get(example.stem, ())]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    if "nor a C compiler (cc)" in done.stderr:
        pytest.skip("no C compiler (cc) on this machine")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_no_two_examples_have_the_same_number() -> None:
    assert len({path.stem[:2] for path in EXAMPLES}) == len(EXAMPLES) >= 5
