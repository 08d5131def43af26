"""Producers inside of tiles of their consumer mean what they mean apart (S6): chains of stencils, windows and sums of
rows, in one and two dimensions, drawn with near misses that cannot be in tiles.

Undecorated Python ≡ the interpreter of the program in tiles ≡ compiled code, whose loads and stores are all looked at,
for arrays between guard pages: what tiles compute again is inside of the arrays.
"""

from __future__ import annotations

import tempfile
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import ScheduleError
from jitmdh.base.settings import config
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Program, expressions
from jitmdh.mdh.algebra.rewrites.neighbours.overlapped import overlapped
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.guard_pages import guarded
from tests.laws.texts import loaded

COLUMNS = 5


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A chain `x → a → b → … → y`: each from elements of those before, on fewer points where it reads neighbours."""
    two = draw(st.booleans())
    length = draw(st.integers(2, 4))
    shape, rest = ("(n, COLUMNS)", ", j") if two else ("n", "")
    body, known = ["n = x.shape[0]"], {"x": (0, 0)}  # of each array, what it lacks at the beginning and the end
    names = [*"abc"[: length - 1], "y"]
    body += [f"{name} = np.{draw(st.sampled_from(('empty', 'empty', 'zeros')))}({shape})" for name in names[:-1]]
    for n, name in enumerate(names):
        sources = [*draw(st.lists(st.sampled_from(list(known)), max_size=1)), ["x", *names][n]]
        begin = end = 0
        reads, window = [], draw(st.integers(0, 5)) == 0
        for source in sources:
            offsets = draw(st.lists(st.integers(-2, 2), min_size=1, max_size=3))
            if window:
                offsets = [min(offsets), min(offsets) + 2]
            begin = max(begin, known[source][0] - min(offsets))
            end = max(end, known[source][1] + max(offsets))
            if window:
                reads.append(f"{source}[i + k - {-offsets[0]}{rest}]")
            else:
                reads += [f"{source}[i + {o}{rest}]" if o else f"{source}[i{rest}]" for o in offsets]
        miss = draw(st.integers(0, 11))
        if miss == 0:
            reads.append(f"{sources[-1]}[{known[sources[-1]][0]}{rest}]")
        elif miss == 1:
            reads = [f"({r} if i >= {begin} else 0.0)" for r in reads]
            begin = max(0, begin - 1)
        elif miss == 2 and two:
            reads[-1] = reads[-1].replace(", j]", ", COLUMNS - 1 - j]")
        elif miss == 3:
            reads.append("i")
        known[name] = begin, end
        value = " - ".join(reads) if draw(st.booleans()) else " + ".join(reads)
        loop = f"for i in range({begin}, n - {end}):"
        inner = [f"{name}[i{rest}] = {value}"]
        if window:
            inner = ["q = 0.0", "for k in range(3):", f"    q += {value}", f"{name}[i{rest}] = q"]
        if two:
            inner = ["for j in range(COLUMNS):", *("    " + line for line in inner)]
        body += [loop, *("    " + line for line in inner)]
    text = "\n".join("    " + line for line in body)
    return f"import numpy as np\n\nCOLUMNS = {COLUMNS}\n\ndef f(y, x):\n{text}\n"


def arguments(text: str, points: int) -> list[Any]:
    random = np.random.default_rng(points)
    shape = (points, COLUMNS) if ", j]" in text else (points,)
    return [random.integers(-9, 10, shape).astype(float) for _ in "yx"]


def joined(nests: Any, size: int, whole: bool) -> Any:
    """The last computations of `nests`, all or two, in tiles of their consumer; None where that is refused."""
    names = list(nests)
    found = None
    for producer, consumer in reversed(list(pairwise(names))[0 if whole else -1 :]):
        try:
            if found is None:
                found = nests[producer].compute_at(nests[consumer].stripmine("i", size), "i.0")
            else:
                found = found[producer].compute_at(found[consumer], "i.0")
        except ScheduleError as error:
            assert error.loc is not None and error.message and error.hint, error
            return found
    return found


def interpreted(program: Program, size: int, args: list[Any]) -> bool:
    """Runs the program with its first two computations in tiles; whether they can be."""
    first, second = expressions(program.steps)[:2]
    dims = [next((d.name for d in e.md_hom.dims if d.name.startswith("i")), "") for e in (first, second)]
    made = overlapped(program, (first, second), dims, size)
    if isinstance(made, str):
        return False
    check(made)
    interp.run(made, *args)
    return True


@pytest.fixture
def memory_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "check_memory", True)


@pytest.mark.in_turns(2)
@pytest.mark.usefixtures("memory_checks")
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(32)
@given(text=texts(), points=st.sampled_from((1, 6, 7, 8, 9, 23, 70)), size=st.sampled_from((1, 2, 7, 8, 64)),
       whole=st.booleans(), at_end=st.booleans(), past=st.booleans())  # fmt: skip
def test_tiles_compute_what_they_need(
    text: str, points: int, size: int, whole: bool, at_end: bool, past: bool
) -> None:  # fmt: skip
    """past: results that the caller sees go past the caches, if they may."""
    given_arrays = arguments(text, points)
    want = [a.copy() for a in given_arrays]
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        plain(*want)
        nests = s.build(plain, *given_arrays)
        if not isinstance(nests, s.Nests):
            return
        tiles = joined(nests, size, whole)
        got = [guarded(a, at_end) for a in given_arrays]
        if tiles is not None and past:
            last = [*tiles][-1]
            tiles |= {last: tiles[last] | s.attempt(s.write_to("MM"), s.sequential())}
        if tiles is not None:
            compiled = mdh.jit(schedule=tiles, tune="off", cache=False)(plain)
            assert "local" in compiled.inspect(*got, stage="lowlevel")
            compiled(*got)
            np.testing.assert_array_equal(got[0], want[0], err_msg=f"{tiles}\n{text}")
        again = [a.copy() for a in given_arrays]
        if interpreted(traced(plain, again), size, again):
            np.testing.assert_array_equal(again[0], want[0], err_msg=text)


def test_most_draws_are_in_tiles() -> None:
    """Else the law above would say little."""
    found: list[bool] = []

    @examples(32)
    @given(text=texts())
    def draw(text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            nests = s.build(loaded(text, folder), *arguments(text, 23))
        found.append(isinstance(nests, s.Nests) and joined(nests, 8, True) is not None)

    draw()
    assert sum(found) >= len(found) // 2, f"{sum(found)} of {len(found)}"
