"""Rewrites that few programs reach, by programs of their forms: operators without an identity are lifted, fills left
out, dimensions joined; einsums of three operands inside of functions.

Undecorated Python ≡ the interpreter of the program that each rewrite makes. Nothing is compiled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.mdh.algebra.expr import ArrayParameter, Program
from jitmdh.mdh.algebra.rewrites.dimensions.joined_dimensions import with_joined_dimensions
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.frontend import trace as front_end
from jitmdh.mdh.frontend.to_algebra.zero_fills import without_fills
from jitmdh.mdh.lowering.configuration.lower import prepared
from tests.laws.examples import examples
from tests.laws.test_rewrites_of_one import _lines, _mapped, meanings

HEAD = """import numpy as np
import jitmdh as mdh

@mdh.operator
def op(a, b):
    return OPERATOR

def f(x, y, z, A, B, C):
    n, s = len(x), K
BODY    return s
"""
OPERATORS = (
    "a", "b", "a if b == 0 else b", "b if a == 0 else a", "a if abs(a) >= abs(b) else b", "min(a, b)", "a + b",
)  # fmt: skip
OPERATED = """
for i in range(n): s = op(s, x[i])
for i in range(B, n): s = op(s, x[i])
for i in range(n): s = op(s, x[i] * y[i])
for i in range(n): for j in range(n): s = op(s, A[i, j])
for i in range(n): q = x[i]; 1>for j in range(n): q = op(q, A[i, j]); 1>y[i] = q
for i in range(n): q = K; 1>for j in range(B, n): q = op(q, A[i, j]); 1>y[i] = q + s
for i in range(n): q = x[i]; 1>for j in range(i): q = op(q, A[i, j]); 1>y[i] = q
for i in range(n): for j in range(n): y[i] = op(y[i], A[i, j])
for j in range(n): for i in range(n): y[i] = op(y[i], A[i, j])
for i in range(n): q = A[i, 0]; 1>for j in range(n): if A[i, j] > 0: q = op(q, A[i, j]); 1>y[i] = q
for i in range(n): s = op(s, x[i]); y[i] = s
for i in range(n - 1, -1, -1): s = op(s, x[i]); y[i] = s
for i in range(n): y[i] = op(x[i], y[i])
"""
FILLED = """
T = np.zeros((n, n)); 0>for i in range(n): for j in range(n): T[i, j] += A[i, j]; 0>B[:] = T
T = np.zeros((n, n)); 0>for i in range(n): for j in range(n): for k in range(n): T[i, j] += A[i, k] * x[k]; 0>B[:] = T
T = np.full((n, n), 2.0); 0>for i in range(n): for j in range(n): T[i, j] += A[i, j]; 0>B[:] = T * T
T = np.ones((n, n)); 0>for i in range(n): for j in range(n): for k in range(n): T[i, j] *= A[i, k]; 0>B[:] = T
t = np.zeros(n); 0>for i in range(n): for j in range(n): t[i] = max(t[i], A[i, j]); 0>y[:] = t
t = np.zeros(n); 0>for i in range(B, n): t[i] += x[i]; 0>y[:] = t
t = np.zeros(n); 0>for i in range(n): t[i] = x[i]; 0>y[:] = t
t = np.zeros(n + 1); 0>for i in range(n): t[i + 1] = t[i] + x[i]; 0>y[:] = t[1:]
t = np.zeros(n); 0>for i in range(n): t[n - 1 - i] += x[i]; 0>y[:] = t
t = np.zeros(n); 0>for i in range(n): if x[i] > 0: t[i] = x[i]; 0>y[:] = t
t = np.zeros(n); 0>for i in range(n): for j in range(i): t[i] += A[i, j]; 0>y[:] = t
t = np.zeros(n); 0>for i in range(n): t[i] = x[i] + t[0]; 0>y[:] = t
t = np.zeros(n); 0>for i in range(B, n): t[i] = x[i]; 0>for i in range(B, n): y[i] = t[i]
"""
JOINED = """
for i in range(n): for j in range(n): A[i, j] = B[i, j] + C[i, j]
for i in range(n): for j in range(n): A[i, j] = B[i, j] * x[j]
for i in range(n): for j in range(n): A[i, j] = B[j, i] + C[i, j]
for i in range(n): for j in range(n): s += A[i, j] * B[i, j]
for i in range(n): for j in range(B, n): A[i, j] = C[i, j]
for i in range(n): for j in range(n): z[i * n + j] = A[i, j]
for i in range(n): for j in range(n): s = max(s, A[i, j] + z[i * n + j])
A[:] = B + C; s += (A * B).sum()
T = A + B; C[:] = T * T
for i in range(n): for j in range(n): for k in range(n): A[i, j] += B[k, k] * C[i, j]
"""
GROUPS = {"operated": OPERATED, "filled": FILLED, "joined": JOINED}


def forms(kind: str) -> list[str]:
    return [line for line in GROUPS[kind].split("\n") if line]


def text_of(lines: list[str], operator: str, start: str, begin: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    made = HEAD.replace("BODY", body).replace("OPERATOR", operator)
    return made.replace("range(B,", f"range({begin},").replace("K\n", f"{start}\n")


@st.composite
def einsums(draw: st.DrawFn) -> str:
    """Of three operands: each index is in the result or not, twice in one operand or in several."""
    terms = ["".join(draw(st.lists(st.sampled_from("ijkl"), min_size=r, max_size=r))) for r in (2, 2, draw(_RANK))]
    names = [draw(st.sampled_from("ABC")) for _ in range(2)] + [draw(st.sampled_from("ABC" if terms[2][1:] else "xy"))]
    order = draw(st.permutations(range(3)))
    free = sorted(set("".join(terms)))
    result = draw(st.permutations(free))[: draw(st.integers(0, min(2, len(free))))]
    left = ",".join(terms[n] for n in order)
    called = f"np.einsum('{left}->{''.join(result)}', {', '.join(names[n] for n in order)})"
    target = ("s += {}", "y[:] = {} + x", "B[:] = {} * 2")[len(result)]
    return target.format(called)


_RANK = st.integers(1, 2)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """One to three parts, some of them in a loop."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from([*GROUPS, "operated", "einsum"]))
        lines += [draw(einsums())] if kind == "einsum" else _lines(draw(st.sampled_from(forms(kind))))
    if draw(st.integers(0, 3)) == 0:
        lines = ["for t in range(2):", *("    " + line for line in lines)]
    return text_of(lines, draw(st.sampled_from(OPERATORS)), draw(st.sampled_from(("0.0", "2.0"))), draw(_BEGIN))


_BEGIN = st.sampled_from("01")


def arguments(points: int) -> list[Any]:
    random = np.random.default_rng(points)
    shapes = ((points,), (points,), (points * points,), *((points, points),) * 3)
    return [random.integers(-3, 4, shape).astype(float) for shape in shapes]


def in_rows(program: Program) -> Program:
    """For arrays whose elements lie one behind the other."""
    own = tuple(replace(p, rows=True) if isinstance(p, ArrayParameter) else p for p in program.parameters)
    units = {p.name: p.rank - 1 for p in own if isinstance(p, ArrayParameter)}
    return with_joined_dimensions(replace(program, parameters=own), units)


def rewritten(program: Program) -> Iterator[tuple[str, Program]]:
    yield "traced", program
    yield "lifted", replace(program, steps=_mapped(program.steps, lift_identities))
    yield "prepared", replace(program, steps=_mapped(program.steps, prepared))
    made = in_rows(program)
    yield "joined", program if made.steps == program.steps else made


def compared(text: str, points: int) -> Counter[str]:
    """As `meanings`, with how often fills were left out, which is done while a program is traced."""
    filled = Counter[str]()

    def left_out(program: Program) -> Program:
        made = without_fills(program)
        filled["filled"] += made != program
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(front_end, "without_fills", left_out)
        return meanings(text, lambda: arguments(points), rewritten) + filled


@examples(120)
@given(text=texts(), points=st.sampled_from((1, 2, 4)))
def test_rewrites_keep_the_meaning(text: str, points: int) -> None:
    compared(text, points)


@pytest.mark.parametrize("kind", GROUPS)
def test_each_form_by_itself(kind: str) -> None:
    """Each is compiled, and reaches its rewrite: else the law above would say little."""
    found: Counter[str] = Counter()
    for number, form in enumerate(forms(kind)):
        found += compared(text_of(_lines(form), OPERATORS[number % 5], "2.0", "1"), 4)
    reached = {"operated": ("lifted", "prepared"), "filled": ("filled",), "joined": ("joined",)}[kind]
    assert all(found[name] > 1 for name in ("traced", *reached)) and not found["refused"], found
