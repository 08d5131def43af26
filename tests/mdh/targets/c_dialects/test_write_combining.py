"""Cache lines that are written in parts: the elements of runs and no others, wherever the runs begin."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.base.dtype import ScalarType, float32, float64, int64, uint32
from jitmdh.hca.interface.device import Device
from jitmdh.mdh.targets.c_dialects import native_vectors, write_combining
from tests.mdh.targets.c_dialects.test_native_vectors import C, aligned

LINES = 3
FRONT = "\n".join(write_combining.FUNCTIONS.values())


def source(type: ScalarType) -> str:
    """Runs of the numbers 1, 2, 3, … from `begin[run]` on, as the pass `coalesced_stores` takes them to pieces."""
    c, lanes, numbers = C[type.name], 64 // type.size_bytes, "int" if type.bits == 32 else "long"
    permute = "\n".join(native_vectors.permutation(type, lanes))
    iota = f"({numbers}{lanes})({', '.join(map(str, range(lanes)))})"
    combined = write_combining.combined(
        "lines", "p", LINES, "permute(vload16(0, v), vload16(0, v), picks)".replace("16", str(lanes)),
        f"permute(vload{lanes}({LINES - 1}, v), vload{lanes}({LINES - 1}, v), picks)",
    )  # fmt: skip
    return f"""{FRONT}
{c}{lanes} permute({c}{lanes} one, {c}{lanes} other, {numbers}{lanes} picks)
{{
{permute}
}}
kernel void written(global {c} *y, global const int *begin, int runs)
{{
    {" ".join(write_combining.empty_table("lines"))}
    for (int run = 0; run < runs; run++) {{
        {c} v[{LINES * lanes}];
        for (int n = 0; n < {LINES * lanes}; n++) v[n] = run * {LINES * lanes} + n + 1;
        global {c} *p = y + begin[run];
        long left = {lanes} - ((ulong)p / {type.size_bytes} & {lanes - 1});
        {numbers}{lanes} picks = ({numbers}{lanes})(({numbers})left) + {iota};
        for (int line = 0; line < {LINES - 1}; line++) {{
            {c}{lanes} whole = permute(vload{lanes}(line, v), vload{lanes}(line + 1, v), picks);
            store_streamed(whole, (global {c}{lanes} *)(p + left + line * {lanes}));
        }}
        {combined}
    }}
    complete_lines(&lines);
    fence_streamed();
}}"""


@pytest.mark.parametrize("before", ["", "#undef __AVX512F__"], ids=["own", "other"])
@pytest.mark.parametrize("type", [float32, float64, int64, uint32], ids=str)
def test_runs_are_written_and_nothing_else(type: ScalarType, before: str, opencl: Device) -> None:
    """By this processor's instructions, and by what any compiler takes."""
    kernel = hca.opencl_source(f"{before}\n{native_vectors.FENCE}\n{source(type)}", "written")
    chosen, length = random.Random(type.bits), LINES * 64 // type.size_bytes
    for step in (length, length + 3, 700, 64 * length):  # side by side, apart, and where lines meet in one slot
        for first in range(0, 17, 3):
            order = chosen.sample(range(20), 20) if chosen.random() < 0.5 else range(20)
            begins = np.array([first + step * n for n in order], np.int32)
            expected = np.zeros(first + step * 20 + length, type.name)
            for run, begin in enumerate(begins):
                expected[begin : begin + length] = np.arange(run * length, (run + 1) * length) + 1
            y = aligned(type, len(expected))
            found = hca.Buffer(y)
            opencl.run(kernel, hca.read_write(found), hca.read(hca.Buffer(begins)), len(begins))
            np.testing.assert_array_equal(found.host, expected)
