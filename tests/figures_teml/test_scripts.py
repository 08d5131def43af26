"""TeML's published schedules: the loop optimisation paths of its Table 2, and the variants of its section 5.3.

Written as they are there, with dimensions for ranks. helm is without its fusions, which cross computations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from tests.figures_teml import kernels as k

SCRIPTS: dict[str, tuple[Any, Any, str]] = {
    "mttkrp": (k.mttkrp, s.parallelize("i").interchange("j", "k"), "i k j l"),
    "sddmm": (k.sddmm, s.interchange("j", "k").parallelize("i").vectorize("j"), "i k j"),
    "bmm": (k.bmm, s.tile(32).interchange("j", "k").parallelize("b").vectorize("j"), "b.0 i.0 j.0 k.0 b i k j"),
    "gconv": (
        k.gconv, s.interchange("h", "w").interchange("h", "c").parallelize("n").vectorize("kw"), "n g o w c h kh kw",
    ),
    "interp": (
        k.interp,
        [s.interchange("i3", "i4").vectorize("i3").parallelize("e")] * 2 + [s.parallelize("e")],
        "e i1 i2 i4 i3",
    ),
    "helm": (
        k.helm,
        [s.parallelize("e").vectorize("i"), s.parallelize("e").vectorize("j"), s.parallelize("e").vectorize("j")],
        "e i j l",
    ),
    "coars": (k.coars, s.tile(32).parallelize("i").vectorize("j"), "i.0 j.0 i j"),
    "mttkrp, D transposed": (
        k.mttkrp, s.pack("D", transposed=True).interchange("j", "k").parallelize("i"), "i k j l",
    ),
    "bmm, B transposed": (k.bmm, s.pack("B", transposed=True).parallelize("b"), "b i j k"),
    "sddmm, D transposed": (k.sddmm, s.pack("D", transposed=True).interchange("j", "k").parallelize("i"), "i k j"),
    "interp, i1 i4 i2 i3": (
        k.interp, [s.reorder("i1", "i4", "i2", "i3").vectorize("i3").parallelize("e")] * 3, "e i1 i4 i2 i3",
    ),
    "helm, i l j": (
        k.helm,
        [s.interchange("j", "l").vectorize("j").parallelize("e"), s.parallelize("e").vectorize("j"),
         s.interchange("j", "l").vectorize("j").parallelize("e")],
        "e i l j",
    ),
    "gconv, unrolled": (k.gconv, s.unroll("kh").unroll("kw").parallelize("n").vectorize("w"), "n g o h w c kh kw"),
}  # fmt: skip


def test_they_are_the_seven_of_table_2_and_six_variants() -> None:
    assert len(SCRIPTS) == 13 and len({kernel for kernel, _, _ in SCRIPTS.values()}) == 7


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name: str) -> None:
    kernel, script, loops = SCRIPTS[name]
    arguments, expected = k.data(kernel)
    nests = s.build(kernel, *arguments)
    if isinstance(nests, s.Nest):
        schedule: Any = script(nests)
        shown = str(schedule)
    else:
        assert len(nests) == len(script)
        schedule = {computation: one(nest) for (computation, nest), one in zip(nests.items(), script)}
        shown = str(next(iter(schedule.values())))
    written = [line.partition("(")[2].partition(" =")[0] for line in shown.splitlines() if "for (" in line]
    assert " ".join(written) == loops
    mdh.jit(schedule=schedule, cache=False)(kernel)(*arguments)
    np.testing.assert_allclose(arguments[0], expected, rtol=1e-12)
