"""Code for some sizes only beside code for all: each call runs the right one."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitmdh.jit.compiled import Condition
from jitmdh.jit.decorator import make
from jitmdh.jit.options import Options
from jitmdh.jit.pipeline import Generated, Pipeline
from tests.jit.programs import fingerprint, matvec, matvec_ir, matvec_program


def function(compiled: list[tuple[Any, ...]], cache: bool = False) -> Any:
    """Compiled anew for each short number of columns, and once for all others."""

    def generate(program: Any, sizes: Any, unit_axes: Any, options: Any, general: bool = False) -> Generated:
        columns = sizes.get("M.shape[1]", 100)
        short = columns <= 4
        conditions = (Condition("M.shape[1]", columns, columns if short else 2**62),) if not general else ()
        compiled.append(conditions)
        return Generated(matvec_ir(program), {"columns": columns}, {}, None, conditions)

    return make(matvec, Options(cache=cache), Pipeline(matvec_program, generate, fingerprint))


def call(f: Any, columns: int, rows: int = 3) -> None:
    w, M, v = np.zeros(rows), np.ones((rows, columns)), np.ones(columns)
    f(w, M, v)
    assert (w == columns).all()


def test_each_size_runs_its_own_code() -> None:
    compiled: list[tuple[Any, ...]] = []
    f = function(compiled)
    for _ in range(3):
        for columns in (2, 3, 50, 60, 2, 51):
            call(f, columns)
    assert len(compiled) == 3 and f.stats().slow_calls == 3
    sizes = {f.config(np.zeros(3), np.ones((3, n)), np.ones(n))["columns"] for n in (2, 3, 70)}
    assert sizes == {2, 3, 50}


def test_after_a_few_sizes_one_code_serves_the_rest() -> None:
    compiled: list[tuple[Any, ...]] = []
    f = function(compiled)
    for columns in (1, 2, 3, 4, 5, 6, 7, 8, 100, 1, 2, 3):
        call(f, columns)
    assert len(compiled) <= 6
    for columns in range(1, 40):
        call(f, columns)
    assert len(compiled) <= 6
    assert f.config(np.zeros(3), np.ones((3, 2)), np.ones(2))["columns"] == 2


def test_codes_for_several_sizes_are_remembered(tmp_path: Any) -> None:
    from jitmdh.base.settings import config

    with config(cache_dir=tmp_path):
        compiled: list[tuple[Any, ...]] = []
        for _ in range(2):
            f = function(compiled, cache=True)
            for columns in (2, 3, 50):
                call(f, columns)
        assert len(compiled) == 3 and f.stats().cache_hits == 3
        call(f, 4)
        assert list(f.stats().misses.values()) == ["it was compiled for other sizes only"]
