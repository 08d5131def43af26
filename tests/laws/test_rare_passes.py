"""Passes that few programs reach keep the meaning: programs, and kernels, of the forms that they look for.

Undecorated Python ≡ the interpreter of the kernel after each pass that changed it; and of kernels that are drawn, the
interpreter before ≡ after. Forms that look alike, but are not what a pass is for, are among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    Fence,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Statement,
    Store,
    StoreRun,
    Value,
)  # fmt: skip
from jitmdh.mdh.kernel.passes.memory.joint_updates import store_together
from jitmdh.mdh.kernel.passes.memory.write_combining import combine_writes
from jitmdh.mdh.kernel.passes.scheduling import schedule_sums
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.verify import verify
from jitmdh.mdh.targets.llvm.target import PASSES
from tests.laws.agreement import Outcome, assert_agree, model, outcome, traced, unit_axes
from tests.mdh.codegen.interpreted import Interpreted
from tests.mdh.kernel.passes.examples import kernel, number, real, written
from tests.source_text import function_in

# V: an element; C: a condition; U: an update of an element; F: a function that takes long; R: a row
FORMS = {
    "joint_updates": """
        for i in range(n): if C: x[0] = V; y[k[0]] = V; z[1] = V; U
        for i in range(n): if C: x[k[i]] = V; y[k[i]] = V; z[k[i]] = V
        for i in range(n): if C: x[i] = V; y[i] = x[i]; z[i] = y[i]; U
        for i in range(1, n): if C: x[i] = x[i - 1]; y[0] = V; z[i] = x[i]; U
        for i in range(n): if C: x[0] = V; y[0] = V; >else: z[0] = V; U
        for i in range(1, n): d = x[i - 1] * V; if d <= 0 or V < F(-d): x[i] = -x[i]
        for i in range(n): v = V; if v < b: b = v; c = i; >elif C: d = V; e = c; a = i
        for i in range(n): if C: a = i; b = V; c = k[i]; d = V; >U
        for i in range(n): if C: a = i; b = V; c = k[i]; >else: d = V; e = i; a = c
        for i in range(n): if C: a = i; b = d; d = V; e = c; c = i; >x[i] = b; U
        i = 0; while i < n and b < 9: if C: a = i; b = V; c = k[i]; d = V; >i += 1
        for i in range(n): b = V if C else b; a = i if C else a; c = i if C else c; d = b if C else d
        for i in range(n): if C: if C: x[0] = V; y[1] = V; z[2] = V; U; U
    """,
    "chosen_rows": """
        for i in range(n): for j in range(n): B[i, j] = A[i if y[j] > 1 else 0, j]
        for i in range(n): for j in range(n): B[i, j] = A[R if y[j] < z[j] else R, j]
        for i in range(n): for j in range(n): B[i, j] = A[R if C else R, j] + A[R if j > m else R, j]
        for i in range(n): for j in range(n): if C: B[i, j] = A[R, j]
        for i in range(n): for j in range(n): if C and A[R, j] < y[j]: y[j] = A[R, j]
        for i in range(n): s = R; for j in range(n): B[i, j] = A[s, j] + A[R if C else s, n - 1 - j]
        for j in range(n): B[0, j] = A[R, R]
        for j in range(n): q = R if x[j] > 2 else R; y[j] += A[q, j]
    """,
    "needed_functions": """
        for i in range(n): d = V - V; if d <= 0 or V < F(d): x[i] = d
        for i in range(n): t = F(V); y[i] = t if C else V
        for i in range(n): t = F(V); if C and t < 2: y[k[i]] = V; U
        i = 0; while i < n: t = F(V); if C: x[i] += t; >i += 1
        i = 0; t = 1.0; while i < n and t < 5: t = F(V) if C else t; x[i] = t; i += 1
        for i in range(n): if C: t = F(V); y[i] = t; >if not (C): x[i] = F(V)
    """,
}
VALUES = (
    "x[i]",
    "y[i]",
    "z[i]",
    "x[k[i]]",
    "(i + 1)",
    "2.5",
    "y[0]",
    "a",
    "(x[i] + z[i])",
    "b",
    "d",
    "(x[i] - d)",
    "z[n - 1 - i]",
)
CONDITIONS = (
    "x[i] > 1", "y[i] < z[i]", "i % 3 == 0", "k[i] == i", "x[k[i]] <= y[0]", "i > a", "x[i] > b", "d < y[i]",
    "x[i] > 1 and i > 1", "not y[i] < 2", "x[i] > 1 or i < 2", "x[i] != x[i]",
)  # fmt: skip
UPDATES = ("x[i] += 1", "y[0] += V", "k[0] = k[i]", "z[k[i]] -= V", "x[k[i]] = y[k[i]]", "a = a + 1")
FUNCTIONS = ("np.exp({})", "np.sin({})", "np.log(abs({}) + 1)", "np.tanh({})", "np.sqrt(abs({}))")
ROWS = ("i", "k[i]", "0", "n - 1", "(i + 1) % n", "(i if x[i] > 1 else 0)", "min(i + 1, n - 1)", "k[j]", "m")


def texts(name: str, random: Random) -> Iterator[str]:
    """A program of each form."""
    for form in filter(None, map(str.strip, FORMS[name].split("\n"))):
        yield _function([*_nest(form, random), *(_nest(form, random) if random.random() < 0.2 else [])])


def _nest(form: str, random: Random) -> list[str]:
    """Lines of a form; `: ` begins a block, and `>` ends one."""
    lines, depth = [], 0
    for part in _parts(form):
        depth -= len(part) - len(part := part.lstrip(">"))
        lines.append("    " * depth + _filled(part, random))
        depth += part.endswith(":")
    return lines


def _parts(form: str) -> Iterator[str]:
    for statement in form.split("; "):
        *heads, last = statement.split(": ")
        yield from (f"{head}:" for head in heads)
        yield last


def _filled(part: str, random: Random) -> str:
    for letter, choices in (("U", UPDATES), ("C", CONDITIONS), ("F(", FUNCTIONS), ("V", VALUES), ("R", ROWS)):
        while letter in part:
            chosen = random.choice(choices)
            if letter == "F(":
                head, _, rest = part.partition("F(")
                inner, _, tail = rest.partition(")")
                part = f"{head}{chosen.format(inner)}{tail}"
            else:
                part = part.replace(letter, chosen, 1)
    return part


def _function(lines: list[str]) -> str:
    return (
        "def f(x, y, z, k, A, B, n, m, a):\n"
        + "    b, c, d, e = 0.0, 0, x[0], 1\n"
        + "".join(f"    {line}\n" for line in lines)
        + "    return a, b, c, d, e\n"
    )


def arguments(n: int, type: str, seed: int) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    x, y, z = (random.integers(-2, 5, n).astype(type) / 2 for _ in range(3))
    A, B = ((random.integers(-4, 9, (n, n)) / 2).astype(type) for _ in range(2))
    return x.astype(type), y.astype(type), z.astype(type), random.integers(0, n, n), A, B, n, n // 2, 1


def fired(text: str, type: str, seed: int) -> Counter[str]:
    """Which passes change the kernel of a program; after each of them it does what Python does."""
    function, found = function_in(text, f"<rare {hash(text)}>", {"np": np}), Counter[str]()
    typical = arguments(9, type, seed)
    with np.errstate(all="ignore"):
        try:
            program = traced(function, typical)
        except NotAnMdhError:
            return Counter(("refused",))
        axes = unit_axes(program, [typical])
        ours = Interpreted(program, model(program, typical, axes), unit_axes=axes)
        expected = {n: outcome(function, arguments(n, type, seed)) for n in (9, 1, 6)}
        ours.kernels = ours.built
        _compare(ours, expected, type, seed, f"as built\n{text}")
        for step in PASSES:
            if step.wanted is None:
                made = step.apply(ours.kernels[0], ours.machine)
                if made != ours.kernels[0]:
                    verify(made)
                    found[step.name] += 1
                    ours.kernels = made, ours.kernels[1]
                    if step.name in FORMS:
                        _compare(ours, expected, type, seed, f"after {step.name}\n{text}")
        _compare(ours, expected, type, seed, f"after all\n{text}")
    return found


def _compare(ours: Interpreted, expected: dict[int, Outcome], type: str, seed: int, way: str) -> None:
    for n, python in expected.items():
        assert_agree(python, outcome(ours, arguments(n, type, seed)), f"{n}, {way}", "nearly", 20)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", FORMS)
def test_programs(name: str) -> None:
    random, found = Random(name), Counter[str]()
    for seed in range(1 + (name == "needed_functions")):
        for text in texts(name, random):
            found += fired(text, random.choice(("float64", "float64", "float32")), seed)
    assert found[name] > 0, found


# ------------------------------------------------------------------------------------------------- kernels

LANES = 4
VECTOR = Literal(0.0, float32, LANES)


def sums(random: Random) -> Kernel:
    """Vectors, sums of products of them by numbers that are written out, by sums, by others; and stores of some."""
    made: list[Statement] = []
    vectors, results = list[Name](), list[Name]()

    def name(letter: str) -> Name:
        return real(f"{letter}{len(made)}", lanes=LANES)

    for _ in range(random.randint(6, 14)):
        vectors.append(name("v"))
        made.append(Let(vectors[-1], Load("x", integer(random.randrange(0, 90)), float32, LANES)))
    coefficients = [Literal(float(n), float32, LANES) for n in range(1, 6)]
    rows = [[random.choice(coefficients) for _ in vectors] for _ in range(2)]
    for _ in range(random.randint(2, 7)):
        start = random.choice([VECTOR, VECTOR, random.choice(vectors), *results[-1:]])
        value: Value = start
        row = random.choice(rows)
        chosen = random.sample(range(len(vectors)), random.randint(2, len(vectors)))
        for at in sorted(chosen) if random.random() < 0.7 else chosen:
            by: Value = row[at % len(row)] if random.random() < 0.9 else random.choice([*vectors, *results])
            value = Apply("add_product", (value, by, vectors[at]), float32, LANES, relaxed=True)
        results.append(name("s"))
        made.append(Let(results[-1], value))
        match random.randrange(8):
            case 0:
                made.append(Store("y", integer(random.randrange(0, 80)), random.choice([*results, *vectors])))
            case 1:
                made.append(Store("x", integer(random.randrange(0, 80)), random.choice(results)))
            case 2:
                vectors.append(name("w"))
                made.append(Let(vectors[-1], Apply("add", (random.choice(results), vectors[0]), float32, LANES)))
            case 3:
                vectors.append(name("l"))
                made.append(Let(vectors[-1], Load("y", integer(random.randrange(0, 80)), float32, LANES)))
    made += [Store("y", integer(4 * n), result) for n, result in enumerate(results)]
    return both_written(*made, Return(integer(0)))


def both_written(*statements: Statement) -> Kernel:
    whole = kernel(*statements)
    return replace(whole, buffers=tuple(replace(b, written=True) for b in whole.buffers))


def test_sums_side_by_side() -> None:
    random, changed = Random(0), 0
    for _ in range(60):
        before = sums(random)
        for registers, broadcasts in ((8, False), (6, True), (16, False)):
            after = schedule_sums(before, (registers, broadcasts))
            changed += after != before
            np.testing.assert_array_equal(written(before, 0), written(after, 0), err_msg=show_kernel(before))
    assert changed > 20


def updates(random: Random) -> Kernel:
    """A loop in which elements are what they were or others, by one condition or several, and are stored."""
    i = number("i")
    lets: list[Statement] = []
    stores: list[Statement] = []
    flags, olds = [Name("c", bool_), Name("d", bool_)], dict[Name, tuple[str, Value]]()
    lets.append(Let(real("p"), Load("x", i, float32)))
    lets.append(Let(flags[0], compare("lt", real("p"), Literal(float(random.randint(0, 20)), float32))))
    lets.append(Let(flags[1], compare("lt", integer(random.randint(0, 8)), i)))
    for n, buffer in enumerate(random.sample(BUFFERS, random.randint(2, 5))):
        offset: Value = random.choice([integer(random.randrange(3)), i])
        old = real(f"old{n}")
        olds[old] = buffer, offset
        lets.append(Let(old, Load(buffer, offset, float32)))
    for n, (old, (buffer, offset)) in enumerate(olds.items()):
        new: Value = random.choice([real("p"), Literal(3.0, float32), random.choice([*olds])])
        pair = (new, old) if random.random() < 0.7 else (old, new)
        value: Value = Apply("select", (random.choice([flags[0]] * 3 + flags), *pair), float32)
        if random.random() < 0.2:
            value = Apply("select", (flags[1], value, random.choice([old, real("p")])), float32)
        named = real(f"new{n}")
        lets.append(Let(named, value))
        at = offset if random.random() < 0.9 else integer(random.randrange(3))
        stores.append(Store(buffer, at, random.choice([named, value])))
        if random.random() < 0.1:
            stores.append(Let(real(f"again{n}"), Load(buffer, offset, float32)))
    loop = For(i, integer(0), integer(12), integer(1), (*lets, *stores), branchless=random.random() < 0.1)
    arguments = tuple(BufferArgument(name, float32, n, written=True) for n, name in enumerate(("y", "x", *BUFFERS)))
    return Kernel("k", arguments, (loop, Return(integer(0))))


BUFFERS = ("a", "b", "e", "f", "g")


def _run(kernel: Kernel) -> list[Any]:
    arrays = [np.arange(1, 31, dtype=np.float32) * (n + 1) % 23 for n in range(2 + len(BUFFERS))]
    verify(kernel)
    run_kernel(kernel, np.array([a.ctypes.data for a in arrays], np.int64), dict(enumerate(arrays)))
    return arrays


def test_elements_that_change_together() -> None:
    random, changed = Random(1), 0
    for _ in range(200):
        before = updates(random)
        after = store_together(before)
        changed += after != before
        for one, other in zip(_run(before), _run(after), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=show_kernel(before))
    assert changed > 20


def runs(random: Random) -> Kernel:
    """Runs of whole lines, streamed or not, of places that follow each other or are anywhere, and fences."""
    made: list[Statement] = []

    def block(depth: int) -> list[Statement]:
        found: list[Statement] = []
        for _ in range(random.randint(1, 4)):
            match random.randrange(7):
                case 0 if depth < 2:
                    i = number(f"i{depth}{len(made)}{random.randrange(10**6)}")
                    found.append(For(i, integer(0), integer(2), integer(1), tuple(block(depth + 1))))
                case 1 if depth < 2:
                    condition = compare("lt", integer(random.randrange(2)), integer(1))
                    found.append(If(condition, tuple(block(depth + 1)), tuple(block(depth + 1))))
                case 2:
                    found.append(Fence())
                case _:
                    values = tuple(
                        Literal(float(random.randrange(99)), float32, 16) for _ in range(random.randint(1, 3))
                    )
                    found.append(StoreRun("y", integer(random.randrange(48)), values, random.random() < 0.8))
        return found

    return kernel(*block(0), Fence(), Return(integer(0)))


def test_lines_written_together() -> None:
    random, changed = Random(2), 0
    for _ in range(150):
        before = runs(random)
        after = combine_writes(before, 64)
        changed += after != before
        for behind in (0, 3, 15):
            np.testing.assert_array_equal(written(before, behind), written(after, behind), err_msg=show_kernel(before))
    assert changed > 50
