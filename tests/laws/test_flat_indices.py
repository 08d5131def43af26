"""Subscripts that are products of arguments, `C[N*i + j]`: compiled code ≡ interpreter ≡ undecorated Python.

Rows may be incomplete, arrays too short or strided, sizes zero, negative, or not those of the loops.
"""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.jit.compilation.signature import prepare
from jitmdh.mdh.algebra.semantics import interp
from tests.fuzz.compare import compared
from tests.fuzz.program import Array, Program
from tests.laws.examples import examples
from tests.laws.guard_pages import guarded
from tests.laws.texts import loaded

ROWS = ("N*i + j", "i*N + j", "j + i*N", "N*(i + 1) - 1 - j", "(i + 1)*N + j", "N*i + N - 1 - j", "N*i + j + 1",
        "M*i + j", "N*i + 2*j", "N*j + i", "2*N*i + j", "N*i", "i", "K*(N*i + j) + k", "K*N*i + K*j + k",
        "N*i + k")  # fmt: skip
BOUNDS = ("N", "M", "i + 1", "N - 1", "M - 1", "1, N", "N // 2", "min(N, M)", "min(M, N - 1, i + 2)", "max(M, 0)")
STATEMENTS = ("C[{0}] = {1} + C[{0}]", "C[{0}] += {1}", "C[{0}] = 2.0 * {1}", "C[{0}] *= 0.5", "A[{0}] = {1}")


@st.composite
def texts(draw: st.DrawFn) -> str:
    def index() -> str:
        return draw(st.sampled_from(ROWS[:2] if draw(st.booleans()) else ROWS))

    lines = [f"for i in range({draw(st.sampled_from(('M', 'N', 'M - 1', '1, M')))}):"]
    for _ in range(draw(st.integers(1, 2))):
        lines.append(f"    for j in range({draw(st.sampled_from(BOUNDS))}):")
        depth = "        "
        if draw(st.booleans()):
            lines.append(f"{depth}for k in range({draw(st.sampled_from(('K', 'N', 'j + 1')))}):")
            depth += "    "
        value = draw(st.sampled_from(("A[{}]", "B[j]", "A[{}] * B[i]", "B[j] + 1.0"))).format(index())
        statement = draw(st.sampled_from(STATEMENTS)).format(index(), value)
        if "k" not in lines[-1]:
            statement = statement.replace("k", "0")
        lines.append(f"{depth}{statement}")
    return "def f(C, A, B, M, N, K):\n" + "\n".join("    " + line for line in lines) + "\n"


def outcome(run: Any, arrays: tuple[Any, ...], sizes: tuple[int, ...]) -> Any:
    try:
        run(*arrays, *sizes)
    except IndexError:
        return "IndexError"
    except interp.FallbackSignal:
        return "left to Python"
    return [a.tolist() for a in arrays]


@st.composite
def recurrences(draw: st.DrawFn) -> str:
    """Rows whose elements hang on those before, by numbers or by the array itself: procedures."""
    ways = ("N", "M", "N - 1, -1, -1", "1, N", "N - 1, 0, -1", "0, N, 2", "i", "i + 1", "N - 1, i, -1")
    indices = ROWS[:2] if draw(st.booleans()) else (*ROWS[:13], "N*i + j - 1", "N*(i - 1) + j", "N*i + N - 1 - j")
    here, other = draw(st.sampled_from(indices)), draw(st.sampled_from(indices))
    lines = [f"for i in range({draw(st.sampled_from(('M', 'N', 'M - 1', '1, M')))}):", "    s, r = 1.0, 0.0"]
    lines.append(f"    for j in range({draw(st.sampled_from(ways))}):")
    value = draw(st.sampled_from(("A[{1}] + 0.5 * s - 0.25 * r", "0.5 * s + B[j]", "0.5 * C[{1}] + s", "A[{0}] - s")))
    body = [f"C[{{0}}] = {value}", "r = s", draw(st.sampled_from(("s = C[{0}]", "s = A[{1}]", "s = 0.5 * C[{1}]")))]
    if draw(st.integers(0, 3)) == 0:
        body.insert(draw(st.integers(0, 3)), draw(st.sampled_from(("if s > 40.0: break", "if j == 2: s = 3.0"))))
    if draw(st.integers(0, 3)) == 0:
        loop = f"for k in range({draw(st.sampled_from(('N', 'j + 1', 'j')))}):"
        body += [loop, f"    A[{draw(st.sampled_from(('N*i + k', 'N*i + j', '3')))}] += 0.5 * s", "s = s - 1.0"]
    lines += ["        " + line.format(here, other) for line in body]
    if draw(st.booleans()):
        lines.append("    B[0] = s")
    return "def f(C, A, B, M, N, K):\n" + "\n".join("    " + line for line in lines) + "\n"


@pytest.mark.in_turns(2)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(120)
@given(text=texts() | recurrences(), sizes=st.tuples(*[st.sampled_from((5, 3, 0, 1, 4, 9, -1))] * 3), data=st.data())
def test_flat_indices(text: str, sizes: tuple[int, int, int], data: st.DataObject) -> None:
    M, N, K = sizes
    area = max(M * N, N * N, 0) * data.draw(st.sampled_from((1, max(K, 1)))) + data.draw(st.sampled_from((0, 2, -1, 9)))
    step = data.draw(st.sampled_from((1, 2, -1)))

    def arrays() -> tuple[Any, ...]:
        made = [np.zeros(2 * max(n, 0))[:: abs(step)][: max(n, 0)] for n in (area, area, 2 * max(M, N, 0) + 1)]
        for n, array in enumerate(made):
            array[:] = (np.arange(array.size) * 7 + n) % 11
        return tuple(a[::-1] if step < 0 else a for a in made)

    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        compiled = mdh.jit(fallback="python")(plain)
        wanted = outcome(plain, arrays(), sizes)
        got = outcome(compiled, arrays(), sizes)
        assert got == wanted, text
        if not compiled.compiled():
            return
        program = compiled._pipeline.program(
            compiled, prepare("CABMNK", (*arrays(), *sizes)).signature, compiled.options
        )
        meant = outcome(lambda *args: interp.run(program, *args), arrays(), sizes)
        assert meant in (wanted, "left to Python"), text


PRODUCTS = ("i*m + j", "(i*m + j)*p + i", "i*p - j*m + p", "i*m", "m*j + i*p", "i*i*m + p", "n*m - 1 - (i*m + j)",
            "i//2*m + j", "m*p*i - j", "(n - i)*m - j - 1", "i*m % 7 + j*p")  # fmt: skip
HUGE = (0, 1, 2, 3, 7, 10, 2**20, 2**31, 2**33 + 1, 2**40, 2**61, -1)


@pytest.mark.filterwarnings("ignore")
@examples(40)
@given(data=st.data())
def test_products_of_huge_sizes(data: st.DataObject) -> None:
    """Whether subscripts stay inside is decided as soon as Python would know it, never by going through all points."""
    index, other = (data.draw(st.sampled_from(PRODUCTS)) for _ in range(2))
    statement = data.draw(st.sampled_from((f"o[{index}] = 1", f"o[{index}] += o[{other}]", f"o[i % 3] = o[{index}]")))
    inner = data.draw(st.sampled_from(("m", "p", "i + 1", "3")))
    text = (
        f"def program(o, n, m, p):\n    for i in range(n):\n        for j in range({inner}):\n            {statement}\n"
    )
    sizes = {name: str(data.draw(st.sampled_from(HUGE))) for name in "nmp"}
    assert not compared(Program(text, {"o": Array("int64", (100,), "zeros"), **sizes})).differences


def filtered(y: Any, x: Any, m: int, n: int) -> None:
    for i in range(m):
        before = 0.0
        for j in range(n - 1, -1, -1):
            y[n * i + j] = x[n * i + j] + 0.5 * before
            before = y[n * i + j]


def test_rows_of_recurrences_are_independent() -> None:
    m, n = 4, 5
    program = str(mdh.jit(filtered).inspect(np.zeros(m * n), np.ones(m * n), m, n, stage="mdh"))
    assert "y_rows[p" in program and "x_rows[p" in program and "md_hom[m]" in program


@pytest.mark.parametrize("missing", [0, 1, 7])
def test_rows_of_recurrences_end_where_memory_does(missing: int) -> None:
    """Where elements are missing Python raises once it comes to the first of them, after what it has written."""
    m, n = 4, 5
    arrays = [[guarded(np.ones(m * n - missing), True) for _ in range(2)] for _ in range(2)]
    wanted = outcome(filtered, tuple(arrays[0]), (m, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(mdh.jit(fallback="python")(filtered), tuple(arrays[1]), (m, n)) == wanted
    for one, other in zip(*arrays):
        np.testing.assert_array_equal(one, other)
