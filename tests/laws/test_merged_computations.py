"""Computations as parts of others mean what they mean by themselves (S6): inlined, or one with another.

Undecorated Python ≡ the interpreter of the merged program ≡ compiled code, whose loads and stores are all looked at,
for arrays between guard pages. Programs are drawn with near misses: what is read is written in between, seen by the
caller, reversed, not written everywhere, of other points.
"""

from __future__ import annotations

import json
import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import ScheduleError
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.merges import with_merges
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.guard_pages import guarded
from tests.laws.test_overlapped_tiles import memory_checks
from tests.laws.texts import loaded

COLUMNS = 5
__all__ = ["memory_checks"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Two to four loop nests, each of what earlier ones have written: element by element, or sums of rows."""
    aligned = draw(st.booleans())
    known = {"x": (2, 0, 0)}  # of each array its rank, and what it lacks at the beginning and the end
    body = ["n = x.shape[0]"]
    length = draw(st.integers(2, 4))
    for n, name in enumerate([*"abc"[: length - 1], "y"]):
        sums = draw(st.integers(0, 2)) == 0
        reads, begin, end = [], 2 * aligned, 2 * aligned
        for source in {list(known)[-1], draw(st.sampled_from(list(known)))}:
            rank, low, high = known[source]
            for offset in draw(st.lists(st.integers(-1, 1), min_size=1, max_size=2)):
                offset = offset if not aligned or source == "x" else 0
                row = f"i + {offset}" if offset else "i"
                if draw(st.integers(0, 15)) == 0:
                    row, begin, end = "n - 1 - i", max(begin, high), max(end, low)
                else:
                    begin, end = max(begin, low - offset), max(end, high + offset)
                column = "COLUMNS - 1 - j" if draw(st.integers(0, 11)) == 0 else "j"
                reads.append(f"{source}[{row}, {column}]" if rank == 2 else f"{source}[{row}]")
        rank = 1 if sums or (name != "y" and all("j]" not in r for r in reads)) else 2
        target = f"{name}[i, j]" if rank == 2 else f"{name}[i]" if name != "y" else "y[i, 0]"
        miss = draw(st.integers(0, 15))
        if miss == 0:
            reads.append("i")
        elif miss == 1:
            reads = [f"({r} if i > 2 else 0.0)" for r in reads]
        elif miss == 2 and n:
            body += ["for i in range(n):", "    x[i, 0] = 1.0"]
        elif miss == 3 and name == "y":
            reads.append(target)
        value = draw(st.sampled_from([" - ", " + ", " * "])).join(reads)
        if name != "y":
            shape = "(n, COLUMNS)" if rank == 2 else "n"
            body.append(f"{name} = np.{draw(st.sampled_from(('empty', 'empty', 'zeros')))}({shape})")
        inner = ["q = 0.0", "for j in range(COLUMNS):", f"    q += {value}", f"{target} = q"]
        if not sums:
            inner = ["for j in range(COLUMNS):", f"    {target} = {value}"] if rank == 2 else [f"{target} = {value}"]
            inner = [line.replace(", j]", ", 1]") for line in inner] if rank == 1 else inner
        body += [f"for i in range({begin}, n - {end}):", *("    " + line for line in inner)]
        known[name] = rank, begin, end
    text = "\n".join("    " + line for line in body)
    return f"import numpy as np\n\nCOLUMNS = {COLUMNS}\n\ndef f(y, x):\n{text}\n"


def arguments(points: int) -> list[Any]:
    random = np.random.default_rng(points)
    return [random.integers(-3, 4, (points, COLUMNS)).astype(float) for _ in "yx"]


def merged(nests: Any, picks: list[int]) -> Any:
    """`nests` after some of them have been inlined, or made one with the next; the refused ones have been looked at."""
    for pick in picks:
        names = list(nests)
        if len(names) < 2:
            break
        at = pick // 2 % (len(names) - 1)
        try:
            one = nests[names[at]]
            after = one.inline() if pick % 2 else one.fuse_inner(nests[names[at + 1]])
        except ScheduleError as error:
            assert error.loc is not None and error.message and error.hint, error
            continue
        undone = after.store(names[at]) if pick % 2 else after.distribute(names[at])
        assert undone == nests and len(after) == len(names) - 1
        nests = after
    return nests


@pytest.mark.usefixtures("memory_checks")
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(32)
@given(text=texts(), points=st.sampled_from((1, 5, 6, 7, 23)), at_end=st.booleans(),
       picks=st.lists(st.integers(0, 11), min_size=1, max_size=4))  # fmt: skip
def test_merged_computations_mean_the_same(text: str, points: int, at_end: bool, picks: list[int]) -> None:
    given_arrays = arguments(points)
    want = [a.copy() for a in given_arrays]
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        plain(*want)
        nests = s.build(plain, *given_arrays)
        if not isinstance(nests, s.Nests):
            return
        made = merged(nests, picks)
        if not made.merged:
            return
        again = [a.copy() for a in given_arrays]
        program = with_merges(traced(plain, again), made.merged)
        check(program)
        interp.run(program, *again)
        np.testing.assert_array_equal(again[0], want[0], err_msg=f"{made.merged}\n{text}")
        got = [guarded(a, at_end) for a in given_arrays]
        mdh.jit(schedule=json.loads(json.dumps(made.data())), tune="off", cache=False)(plain)(*got)
        for mine, theirs in zip(got, want):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"{made.merged}\n{text}")
        assert s.of(made.data(), plain, *given_arrays).merged == made.merged


def test_half_of_the_draws_are_merged() -> None:
    """Else the law above would say little."""
    found: list[set[bool]] = []

    @examples(32)
    @given(text=texts(), picks=st.lists(st.integers(0, 11), min_size=4, max_size=4))
    def draw(text: str, picks: list[int]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            nests = s.build(loaded(text, folder), *arguments(23))
        found.append({m.into is None for m in merged(nests, picks).merged} if isinstance(nests, s.Nests) else set())

    draw()
    assert sum(map(bool, found)) >= len(found) // 2, found
    assert all(sum(kind in f for f in found) >= len(found) // 8 for kind in (True, False)), found
