"""Rewrites of neighbouring computations keep the meaning, or refuse (S6): a producer in its consumers, two computations
as one, under one loop, in overlapped tiles.

Undecorated Python ≡ the interpreter of the program that each rewrite makes of each pair. Nothing is compiled, so many
more programs are drawn than in `test_merged_computations`, `test_together` and `test_overlapped_tiles`, and of more
kinds: loops in order around neighbours, statements that write two arrays, arrays that are read at places that data
give, reversed, at one row, at several points, written twice, or read before they are written.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Expression, Program, Step, Together, expressions
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.algebra.rewrites.neighbours.inlining import inlined
from jitmdh.mdh.algebra.rewrites.neighbours.merging import merged
from jitmdh.mdh.algebra.rewrites.neighbours.overlapped import overlapped
from jitmdh.mdh.algebra.rewrites.neighbours.together import together
from jitmdh.mdh.algebra.rewrites.shared_storage import with_shared_storage
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.algebra.semantics import interp
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.texts import loaded

COLUMNS = 3


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Three to five loop nests over rows of `x`, of which some are repeated by a loop in order."""
    ranks = {"x": 2, "y": 2, "z": 1, 'w["u"]': 2, 'w["v"]': 2}
    lacking = dict.fromkeys(ranks, (0, 0))  # how many rows at the beginning and the end have no contents
    lines: list[str] = []
    for number in range(draw(st.integers(3, 5))):
        new = "abc"[number : number + 1]
        made = "abc"[:number]
        if draw(_RARELY):
            lines += ["for i in range(n):", f"    {draw(st.sampled_from(_OTHERS))}"]
        target = draw(st.sampled_from([*(14 * new), "y", "z", "y", "z", "x", 'w["u"]', *made, *made]))
        begin = end = draw(st.sampled_from((0, 0, 1)))
        reads = []
        for name in draw(st.lists(st.sampled_from([*made[-2:], *made, *ranks]), min_size=1, max_size=2)):
            low, high = lacking[name]
            row = draw(st.sampled_from(["i"] * 12 + ["i + 1", "i - 1"] * 3 + ["n - 1 - i", "1", "p[i]"]))
            if row not in ("i", "i + 1", "i - 1") and (low, high) != (0, 0):
                row = "i"
            offset = {"i + 1": 1, "i - 1": -1}.get(row, 0)
            begin, end = max(begin, low - offset), max(end, high + offset)
            column = draw(st.sampled_from(["j"] * 7 + ["COLUMNS - 1 - j", "1"]))
            read = f"{name}[{row}, {column}]" if ranks[name] == 2 else f"{name}[{row}]"
            reads.append(f"({read} if i > 2 else 1.0)" if draw(_RARELY) else read)
        value = draw(st.sampled_from((" + ", " - "))).join(reads) + draw(st.sampled_from(("", "", " + i", " * 2.0")))
        if new:
            ranks[new] = draw(st.integers(1, 2))
        form = draw(st.sampled_from(("=", "=", "=", "+=", "sum", "sum", "while")))
        fresh = target == new and draw(st.booleans()) and (form == "=" or (form == "sum" and ranks[new] == 1))
        if new:
            lines.append(f"{new} = np.{'empty' if fresh else 'zeros'}({'(n, COLUMNS)' if ranks[new] == 2 else 'n'})")
            lacking[new] = (begin, end) if fresh else (0, 0)
        across = "COLUMNS" if fresh else draw(st.sampled_from(("COLUMNS", "COLUMNS", "COLUMNS - 1", "1, COLUMNS")))
        also = draw(st.sampled_from(made)) if made and draw(_RARELY) else ""
        column = 0 if fresh else draw(st.sampled_from((0, 0, 1, 2)))
        lines += _nest(target, ranks, f"range({begin}, n - {end})", value, form, also, across, column)
    return _function(lines, draw(st.integers(0, 3)), draw(st.integers(0, 4)), draw(st.integers(0, 5)))


@st.composite
def chains(draw: st.DrawFn) -> str:
    """Loop nests that each fill an array of their own from one or two of the last, so that arrays end one by one."""
    lines, ranks, made = list[str](), {"x": 2, "y": 2}, ["x"]
    for new in [*"abcde"[: draw(st.integers(3, 5))], "y"]:
        reads = draw(st.lists(st.sampled_from(made[-2:]), min_size=1, max_size=2))
        columns = [draw(st.sampled_from(("j", "j", "COLUMNS - 1 - j", "1"))) for _ in reads]
        value = " - ".join(f"{name}[i, {column}]" for name, column in zip(reads, columns))
        if new != "y":
            ranks[new] = 2
            lines.append(f"{new} = np.empty((n, COLUMNS))")
        lines += _nest(new, ranks, "range(n)", f"{value} + i", "=", "", "COLUMNS", 0)
        made.append(new)
    return _function(lines, draw(st.sampled_from((0, 0, 2))), 0, 9)


_OTHERS = ("p[i] = (2 * i + 1) % n", 'w["v"][i, 1] = z[i]', 'y[i, 1] = w[n - 1 - i, 1]["u"]', "z[i] = -x[p[i], 0]")
_RARELY = st.sampled_from([True] + 9 * [False])


def _nest(
    target: str, ranks: dict[str, int], over: str, value: str, form: str, also: str, across: str, column: int
) -> list[str]:
    """A statement in loops of its own, into elements of columns `across` or the sum of a row, which goes into `column`;
    and one into `also`."""
    place = f"{target}[i, j]" if ranks[target] == 2 else f"{target}[i]"
    if form == "while":
        place = place.replace(", j]", ", k]")
        inner = [
            "k = 0",
            f"while k < COLUMNS and {place} < 9.0:",
            f"    {place} += {_at(value, 'k')}",
            "    k += p[i] + 1",
        ]
    elif form == "sum":
        place = place.replace(", j]", f", {column}]")
        inner = ["q = 0.0", "for j in range(COLUMNS):", f"    q += {value}", f"{place} = q"]
    elif ranks[target] == 2:
        inner = [f"for j in range({across}):", f"    {place} {form} {value}"]
    else:
        inner = [f"{place} {form} {_at(value, '1')}"]
    if also:
        inner.append(f"{also}[i{', 0' if ranks[also] == 2 else ''}] = x[i, 2] + 1.0")
    return [f"for i in {over}:", *("    " + line for line in inner)]


def _at(value: str, column: str) -> str:
    return value.replace("COLUMNS - 1 - j", "1").replace(", j]", f", {column}]")


def _function(lines: list[str], rounds: int, first: int, ending: int) -> str:
    """With the nests from number `first` on in a loop of so many rounds, if there are two or more; which may end behind
    the one `ending` nests later."""
    begins = [n for n, line in enumerate(lines) if line.startswith("for i")]
    if rounds and first < len(begins) - 1:
        end = begins[first + ending] if first + ending < len(begins) else len(lines)
        made = [line for line in lines[begins[first] :] if "np." in line]
        body = [*lines[begins[first] : end], *["if y[1, 1] > t: break"] * (end < len(lines)), *lines[end:]]
        inside = [f"    {line}" for line in body if "np." not in line]
        lines = [*lines[: begins[first]], *made, f"for t in range({rounds}):", *inside]
    text = "\n".join("    " + line for line in ["n = x.shape[0]", *lines])
    return f"import numpy as np\n\nCOLUMNS = {COLUMNS}\n\ndef f(y, z, x, p, w):\n{text}\n"


def arguments(points: int) -> list[Any]:
    random = np.random.default_rng(points)
    y, x = (random.integers(-3, 4, (points, COLUMNS)).astype(float) for _ in "yx")
    z, w = random.integers(-3, 4, points).astype(float), np.empty((points, COLUMNS), [("u", float), ("v", float)])
    w["u"], w["v"] = y - x, y + x
    return [y, z, x, random.integers(0, points, points), w]


def bodies(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    yield steps
    for step in steps:
        if not isinstance(step, Expression):
            yield from bodies(step.body)


def rewritten(program: Program, size: int, points: int) -> Iterator[tuple[str, Program | str]]:
    """What each rewrite makes of `program`: its name, and the new program or why there is none."""
    for e in expressions(program.steps):
        yield f"inlined {e.name}", inlined(program, e)
    for body in bodies(program.steps):
        for first, second in pairwise(body):
            if isinstance(first, Expression) and isinstance(second, Expression):
                yield f"merged {first.name}, {second.name}", merged(program, first, second)
                for a, b in product(first.md_hom.dims, second.md_hom.dims):
                    tiles = overlapped(program, (first, second), (a.name, b.name), size)
                    yield f"overlapped {first.name} {a.name}, {second.name} {b.name}", tiles
    yield "together", together(program, lambda joined, alone: True)
    known = specialise(program, {shape_name("x", 0): points})
    yield "shared", with_shared_storage(known, 0)
    joined = together(known, lambda joined, alone: True)
    within = with_shared_storage(joined, 0)
    if within.steps != joined.steps and any(isinstance(s, Together) for s in joined.steps):
        yield "within", within


def compared(text: str, points: int, size: int) -> Counter[str]:
    """How often each rewrite was possible. AssertionError where one changed what the program means."""
    given_arrays = arguments(points)
    want = [a.copy() for a in given_arrays]
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        plain = loaded(text, folder)
        plain(*want)
        try:
            program = traced(plain, [a.copy() for a in given_arrays])
        except NotAnMdhError:
            return done
    for name, made in rewritten(program, size, points):
        if isinstance(made, str) or made == program:
            continue
        check(made)
        got = [a.copy() for a in given_arrays]
        interp.run(made, *got)
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"{name}\n{text}\n{made}")
        done[name.split()[0]] += 1
    return done


@examples(240)
@given(text=texts() | chains(), points=st.sampled_from((4, 7, 9)), size=st.sampled_from((1, 2, 4, 16)))
def test_rewrites_of_neighbours_keep_the_meaning(text: str, points: int, size: int) -> None:
    compared(text, points, size)


def test_each_rewrite_is_possible_in_some_draws() -> None:
    """Else the law above would say little."""
    found: Counter[str] = Counter()

    @examples(240)
    @given(text=texts() | chains())
    def draw(text: str) -> None:
        found.update(compared(text, 7, 4))

    draw()
    ways = ("overlapped", "together", "shared", "within")
    assert min(*(found[way] for way in ways), found["merged"] + found["inlined"]) > 1, found


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("columns", [(0, 1), (1, 1), (2, 0)])
@pytest.mark.parametrize("second", ["x[i, j] * 2.0", "x[i, j] * y[i, 1]", "x[i, j] + y[n - 1 - i, 0]", "y[i, j]"])
@pytest.mark.parametrize("first", ["x[i, j]", "y[i, j]", "x[i, j] * y[i, 0]"])
def test_sums_into_columns_of_one_array(first: str, second: str, columns: tuple[int, int]) -> None:
    """Other elements of the array that both write may be what one of them reads."""
    nests = [_nest("y", {"y": 2}, "range(n)", v, "sum", "", "COLUMNS", c) for v, c in zip((first, second), columns)]
    found = compared(_function([line for nest in nests for line in nest], 0, 0, 0), 7, 2)
    if first == "x[i, j]" and second == "x[i, j] * 2.0":
        assert found["merged"] == (columns[0] != columns[1])
