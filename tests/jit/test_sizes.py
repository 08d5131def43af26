"""Code for some sizes only beside code for all: each call runs the right one."""

from __future__ import annotations

from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh.jit.compilation.compiled import Condition
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import Generated, Pipeline, machine_of
from jitmdh.jit.decorator import make
from tests.jit.programs import fingerprint, matvec, matvec_ir, matvec_program


def function(compiled: list[tuple[Any, ...]], cache: bool = False, most: int = 4) -> Any:
    """Compiled anew for each number of columns up to `most`, and once for all others."""

    def generate(program: Any, sizes: Any, unit_axes: Any, options: Any, serving: str = "multiples") -> Generated:
        columns = sizes.get("M.shape[1]", 100)
        exact = Condition("M.shape[1]", columns, columns if columns <= most else 2**62)
        by_serving = {"all": (), "wide": (Condition("M.shape[1]", columns // 10 * 10, columns // 10 * 10 + 9),)}
        conditions = by_serving.get(serving, (exact,))
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


def test_after_many_sizes_a_few_codes_serve_the_rest(tmp_path: Any) -> None:
    from jitmdh.base.settings import config

    with config(cache_dir=tmp_path):
        compiled: list[tuple[Any, ...]] = []
        f = function(compiled, cache=True, most=1000)
        for columns in range(1, 600):
            call(f, columns)
        lengths = [c.most - c.least + 1 for conditions in compiled for c in conditions]
        assert lengths == [1] * 16 + [10] * 8 and compiled[-1] == ()
        assert f.config(np.zeros(3), np.ones((3, 2)), np.ones(2))["columns"] == 2
        later: list[tuple[Any, ...]] = []
        again = function(later, cache=True, most=1000)
        for columns in (2, 300, 30, 301):
            call(again, columns)
        assert [c.least for (c,) in later] == [300, 30, 301], "what serves many sizes is not taken for these alone"
        assert again.stats().cache_hits == 1


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


def test_code_that_knows_no_sizes_is_not_what_later_processes_begin_with(tmp_path: Any) -> None:
    from jitmdh.base.settings import config
    from jitmdh.jit.compilation.signature import prepare

    arguments = np.zeros(3), np.ones((3, 2)), np.ones(2)
    with config(cache_dir=tmp_path):
        signature = prepare(("w", "M", "v"), arguments).signature
        compiled: list[tuple[Any, ...]] = []
        for _ in range(2):
            function(compiled, cache=True).specialise(signature)
        assert compiled == [()], "the second one remembers it"
        call(function(compiled, cache=True), 2)
        assert [c.most for conditions in compiled for c in conditions] == [2]


@mdh.jit(cache=False)
def product(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def multiply(rows: int, columns: int, depth: int) -> None:
    generator = np.random.default_rng(rows)
    A, B = generator.random((rows, depth)), generator.random((depth, columns))
    C = np.zeros((rows, columns))
    product(C, A, B)
    np.testing.assert_allclose(C, A @ B, rtol=1e-12)


def test_multiples_of_tiles_have_code_of_their_own_and_all_others_one() -> None:
    for size in (240, 480, 240, 720, 960):
        multiply(size, size, size)
    assert product.stats().compiles == 2  # up to 511, and above
    assert "a multiple of" in str(product.explain(*(np.zeros((240, 240)) for _ in range(3)), measure=False))
    whole, short = (product.inspect(*(np.zeros((n, n)) for _ in range(3)), stage="kernel") for n in (240, 241))
    assert "remainder" in short and whole.count("for (") < short.count("for (")
    for sizes in ((241, 247, 253), (242, 240, 239), (480, 241, 240), (240, 240, 240), (129, 511, 511)):
        multiply(*sizes)
    assert product.stats().compiles == 3
    calls = product.stats().slow_calls
    for sizes in ((241, 247, 253), (240, 240, 240)):
        multiply(*sizes)
    assert product.stats().slow_calls == calls, "natively chosen"


def test_arrays_beyond_the_last_cache_have_code_of_their_own() -> None:
    """Code that was first made for 184³ had no streaming stores, and served 396³ of the same class."""

    def halved(z, x):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                z[i, j] = x[i, j] // 2

    f = mdh.jit(tune="off", cache=False)(halved)
    capacity = machine_of(f.options).capacity_bytes("L3")
    for rows, codes in ((512, 1), (capacity // 1024, 2), (512, 2), (capacity // 512, 2)):
        x = np.full((rows, 1024), 7, np.int8)
        z = np.zeros_like(x)
        f(z, x)
        assert z.all() and (z == 3).all() and f.stats().compiles == f.stats().slow_calls == codes
    assert "x.shape[0]*x.shape[1]" in str(f.explain(z, x, measure=False))
