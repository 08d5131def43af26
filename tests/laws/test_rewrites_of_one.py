"""Rewrites of one computation at a time keep the meaning: those that tracing applies, halves of symmetric results, and
what lowering makes of expressions before anything else.

Undecorated Python ≡ the interpreter of the program that each rewrite makes. Nothing is compiled, and sizes do not
matter, so programs are of the forms that the rewrites look for, and of those that look alike but are not.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Expression, Program, Step
from jitmdh.mdh.algebra.rewrites.neighbours.symmetric_results import with_halves
from jitmdh.mdh.algebra.rewrites.reassociation import reassociate
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.lower import prepared
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.texts import loaded

# S: a scalar; V, W: vectors of n; M, N: matrices of n rows of n; Z: a vector of n * n; F: a function; O: an operator
NESTS = """
T = np.eye(n); for i in range(n): for j in range(n): q = K; for k in range(n): q += PRODUCT; T[i, j] = q; 0>M[:] = T
for i in range(n): for j in range(n): q = K; for k in range(n): q += PRODUCT; M[i, j] = q
for i in range(n): for j in range(n): for k in range(n): M[i, j] += PRODUCT
for i in range(n): for j in range(i + 1): q = 0.0; for k in range(n): q += PRODUCT; M[j, i] = q
for i in range(n): q = K; for j in range(n): q += F(M[i, j]) * V[j]; W[i] = F(q) O V[i]
for i in range(n): q = K; for j in range(n): q += M[i, j]; W[i] = F(q)
for i in range(n): for j in range(n): M[i, j] = N[i, j] / F(V[j]) O F(W[i])
for i in range(n): for j in range(n): M[i, j] = F(N[i, j]) if i >= j else N[j, i]
for i in range(n): for j in range(n): q = 0.0; for k in range(n): q += F(N[i, k]) * M2[k, j]; M[i, j] = q O F(V[j])
for i in range(n - 1, -1, -1): S = S O V[i]; W[i] = S
for i in range(n - 1, 0, -1): W[i - 1] = W[i - 1] + W[i]
for i in range(n): S = max(S, V[i] O K); W[n - 1 - i] = S
for i in range(n): q = -9.0; for j in range(n): q = max(q, M[i, j]); S = S + q
for i in range(n): q = 0.0; for j in range(n): q += M[i, j]; S = max(S, F(q))
for i in range(n): q = K; for j in range(n): p = K; 2>for k in range(n): p += N[j, k]; 2>q += M[i, j] * p; 1>W[i] = q
T = np.zeros((n, n)); for i in range(n): for j in range(B, n): T[i, j] = M[i, j] O K; W[i] = T[i, 0] + T[i, n - 1]
t = np.zeros(n); for i in range(B, n): t[i] = V[i]; for i in range(n): W[i] = t[i] O K
T = np.full((n, n), 2.0); T[B:] = M[B:]; N[:] = T.T
Z[:] = M.ravel() O Z
S = S + (M.ravel() * Z).sum()
Z = M.ravel() O K; S = S + Z[B:].sum(); W[:] = Z[:n]
for i in range(n * n): Z[i] = M[i // n, i % n] O Z[i]
for i in range(n * n): S += M[i // n, i % n] * Z[i]
for i in range(n): for j in range(n): Z[i * n + j] = M[i, j] O Z[i * n + j]
V[:] = (W - W.min()) / (W.max() - W.min() + 1)
W[:] = V O V.min(); V[0] = K; W[:] += V.min()
M[:] = N @ N.T
M[:] = N.T @ N O K
M[:] = np.tril(N) @ M2
S = S + np.sqrt(np.abs(M.sum(axis=1))).max()
W[:] = np.cumsum(V[::-1])[::-1] O K
W[:] = np.log(np.exp(M - 3).sum(axis=1)) O V
"""
PRODUCTS = (
    "N[k, i] * N[k, j]", "N[i, k] * N[j, k]", "N[i, k] * N[k, j]", "(N[i, k] - N[j, k]) ** 2",
    "N[k, i] * N[k, j] * V[k]", "abs(N[i, k] - N[j, k])", "(N[i, k] - N[j, k]) * V[k]", "N[i, k] * N[j, k] * (i + j)",
    "N[i, k] * N[j, k] + i - j", "N[i, k] * M2[k, j] * V[k]", "N[i, k] * V[k] * W[j]", "max(N[i, k], N[j, k])",
    "N[i, k] * N[j, k] * V[i] * V[j]", "N[i, k] * N[j, k] * V[i]", "F(N[i, k]) * N[j, k]",
    "(N[k, i] + N[k, j]) / (V[k] + 9)",
)  # fmt: skip
FUNCTIONS = ("np.tanh({})", "np.sqrt(abs({}) + 1)", "np.exp({} / 9)", "np.log(abs({}) + 2)", "({})", "np.sin({})")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Two to four nests, one after the other, some of them in a loop."""
    lines: list[str] = []
    nests = [line for line in NESTS.split("\n") if line]
    nests += 3 * [line for line in nests if "PRODUCT" in line]
    for _ in range(draw(st.integers(2, 4))):
        nest = draw(st.sampled_from(nests)).replace("PRODUCT", draw(st.sampled_from(PRODUCTS)))
        of = {
            "V": "xxy", "W": "yyx", "M": "AAC", "N": "BBA", "M2": "CB", "Z": "z", "S": "s", "O": "+-*", "B": "01",
            "K": ("0.0", "2.0", "1.0", "0.0"),
        }  # fmt: skip
        names = {name: draw(st.sampled_from(values)) for name, values in of.items()}
        nest = _named(nest, names)
        lines += _lines(_called(nest, draw(st.sampled_from(FUNCTIONS))))
    if draw(st.integers(0, 3)) == 0:
        lines = ["for t in range(2):", *("    " + line for line in lines)]
    return _function(lines)


def _function(lines: list[str]) -> str:
    body = "".join(f"    {line}\n" for line in ["n, s = len(x), 0.0", *lines, "return s"])
    return f"import numpy as np\n\ndef f(x, y, z, A, B, C):\n{body}"


def _called(nest: str, function: str) -> str:
    while (found := re.search(r"\bF\(([^()]*)\)", nest)) is not None:
        nest = nest[: found.start()] + function.format(found[1]) + nest[found.end() :]
    return nest


def _named(nest: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\b(V|W|M2|M|N|Z|S|O|K|B)\b", lambda found: names[found[1]], nest)


def _lines(nest: str) -> list[str]:
    """`for …: for …: a; for …: b; c`: an inner loop has one statement behind its colon, and `c` stands behind it; `2>`:
    so many loops are around what follows."""
    lines, depth, inner = list[str](), 0, False
    for part in nest.split("; "):
        said, text = re.fullmatch(r"(?:(\d)>)?(.*)", part).groups()  # type: ignore[union-attr]
        *heads, statement = re.split(r"(?<=\)):\s", text)
        depth = int(said) if said else depth - inner
        inner = bool(heads) and depth > 0
        for head in heads:
            lines.append("    " * depth + head + ":")
            depth += 1
        lines.append("    " * depth + statement)
    return lines


def arguments(points: int) -> list[Any]:
    random = np.random.default_rng(points)
    shapes = ((points,), (points,), (points * points,), *((points, points),) * 3)
    return [random.integers(-3, 4, shape).astype(float) for shape in shapes]


def _mapped(steps: tuple[Step, ...], made: Callable[[Expression], Expression]) -> tuple[Step, ...]:
    return tuple(
        made(s) if isinstance(s, Expression) else replace(s, body=_mapped(s.body, made)) for s in steps
    )  # fmt: skip


def rewritten(program: Program) -> Iterator[tuple[str, Program]]:
    yield "traced", program
    yield "halved", with_halves(program, lambda dim, e: True)
    yield "reassociated", replace(program, steps=_mapped(program.steps, reassociate))
    yield "prepared", replace(program, steps=_mapped(program.steps, prepared))


def compared(text: str, points: int) -> Counter[str]:
    return meanings(text, lambda: arguments(points), rewritten)


def meanings(
    text: str, arguments: Callable[[], list[Any]], rewritten: Callable[[Program], Iterator[tuple[str, Program]]]
) -> Counter[str]:
    """How often each rewrite changed something. AssertionError where one changed what the program means."""
    want, done = arguments(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        plain = loaded(text, folder)
        result = plain(*want)
        try:
            program = traced(plain, tuple(arguments()))
        except NotAnMdhError:
            return Counter(refused=1)
        for name, made in rewritten(program):
            if made == program and name != "traced":
                continue
            check(made)
            got = arguments()
            values = zip((interp.run(made, *got), *got), (result, *want), strict=True)
            for mine, theirs in values:
                np.testing.assert_allclose(mine, theirs, 1e-9, 1e-9, err_msg=f"{name}\n{text}\n{made}")
            done[name] += 1
    return done


@examples(240)
@given(text=texts(), points=st.sampled_from((1, 2, 4, 5)))
def test_rewrites_keep_the_meaning(text: str, points: int) -> None:
    compared(text, points)


def test_each_form_by_itself() -> None:
    """And each rewrite is possible in some: else the law above would say little."""
    names = {"V": "x", "W": "y", "M": "A", "N": "B", "M2": "C", "Z": "z", "S": "s", "O": "+", "K": "0.0", "B": "1"}
    forms = [line for line in NESTS.split("\n") if line]
    nests = [line for line in forms if "PRODUCT" not in line]
    nests += [forms[0].replace("PRODUCT", product) for product in PRODUCTS]
    found: Counter[str] = Counter()
    for number, nest in enumerate(nests):
        lines = _lines(_called(_named(nest, names), FUNCTIONS[number % len(FUNCTIONS)]))
        found.update(compared(_function(lines), 4))
    assert all(found[name] > 1 for name in ("traced", "halved", "reassociated", "prepared")), found
