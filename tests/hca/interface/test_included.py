"""Source files with those that they include in their place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca.interface import included
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.source import parameters

KERNEL = """\
// #include "not_here.h"
#include "sizes.h" // STEP
/* #include "sizes.h"
*/
#include "deep/both.h"
#include "deep/both.h"
kernel void f(global number *x) { x[get_global_id(0)] += STEP + BOTH; }
kernel void g(global number *x) { x[0] = nothing; }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "k.cl").write_text(KERNEL)
    (tmp_path / "sizes.h").write_text("#pragma once\n#define STEP 3\ntypedef int number;")
    (tmp_path / "deep/both.h").write_text(
        '#ifndef B\n#define B\n#include "sizes.h"\n#include "more.h"\n#define BOTH (STEP + MORE)\n#endif\n'
    )
    (tmp_path / "deep/more.h").write_text('#include "both.h"\n#define MORE 10\n')
    return tmp_path / "k.cl"


def test_each_file_is_where_it_is_included(path: Path) -> None:
    text = included.read(path)
    assert text.count("#define STEP 3") == 1 and "pragma" not in text and text.count("#define MORE 10") == 2
    after = re.findall(r'#line (\d+) "[^"]*k.cl"\n(.*)', text)
    lines = KERNEL.split("\n")
    assert [int(number) for number, _ in after] == [1, 3, 6, 7]
    assert all(line == lines[int(number) - 1] for number, line in after if "#line" not in line)
    (only,) = parameters(hca.opencl_source(path, "f")) or ()
    assert only.dtype == np.int32


def test_a_kernel_of_several_files(path: Path, opencl: Device) -> None:
    x = hca.Buffer(np.zeros(4, np.int32))
    for step in (3, 5):  # what has been compiled before is not taken for what it is now
        (path.parent / "sizes.h").write_text(f"#pragma once\n#define STEP {step}\ntypedef int number;")
        only = path.read_text().replace("nothing", "0")
        path.write_text(only)
        opencl.run(hca.opencl_source(path, "f"), hca.read_write(x), launch=hca.nd_range((4,)))
    assert (x.host == (3 + 3 + 10) + (5 + 5 + 10)).all()


def test_errors_are_at_the_lines_of_their_files(path: Path, opencl: Device) -> None:
    with pytest.raises(DeviceError, match=r"k\.cl:8:"):
        opencl.run(hca.opencl_source(path, "g"), hca.write(hca.Buffer(np.zeros(4, np.int32))))


def test_the_path_of_a_file_is_no_text(path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"of a file, give Path\("):
        hca.opencl_source(str(path))
    with pytest.raises(FileNotFoundError):
        hca.opencl_source(path.parent / "no.cl")
