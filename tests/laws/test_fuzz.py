"""The program fuzzer: it finds nothing in its first programs, and what it found before; it sees crashes and reduces."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.days import today
from tests.fuzz import function_programs
from tests.fuzz.compare import bounded, compared, run
from tests.fuzz.draw import program
from tests.fuzz.other_calls import CALLS, other_calls
from tests.fuzz.program import Array, Program
from tests.fuzz.reduce import reduced
from tests.fuzz.reproducer import FOLDER, loaded, text_of
from tests.fuzz.rules import (
    Watched,
    done_up_to_a_loop,
    nobody_uses_it,
    numpys_from_the_beginning,
    reads_what_nobody_wrote,
)
from tests.fuzz.worker import Worker
from tests.laws.choices import Seeded
from tests.laws.examples import EXPLORING

PROGRAMS = range(2000) if EXPLORING else range(14 * today(), 14 * today() + 14)
"""In continuous integration about 5 seconds of one core, and other programs each day."""

FUNCTIONS = range(2000) if EXPLORING else range(30 * today(), 30 * today() + 30)


@pytest.mark.in_turns(2)
def test_programs_drawn_from_seeds() -> None:
    found, counts = list[str](), Counter[str]()
    with Worker() as worker:
        for seed in PROGRAMS:
            verdict = worker.run(program(seed))
            counts.update(verdict["counts"])
            found += [f"seed {seed}: {d}" for d in verdict["differences"]]
    assert not found, "\n".join(found)
    assert counts["compiled"] > len(PROGRAMS), counts  # of the four ways in which each is decorated
    assert counts["no schedule"] < len(PROGRAMS), counts  # of nearly two random ones for each


@pytest.mark.in_turns(2)
def test_calls_of_functions_of_numpy() -> None:
    """As they are compiled by default: where axes, keywords, nothing or a number stand for what is usual."""
    found = list[str]()
    for seed in FUNCTIONS:
        verdict = compared(function_programs.program(Seeded(f"functions {seed}")))
        found += [f"seed {seed}: {d}" for d in verdict.differences]
    assert not found, "\n".join(found)


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda p: p.stem)
def test_programs_found(path: Path, request: pytest.FixtureRequest) -> None:
    """Reduced programs that were wrong once, or, with a reason, still are."""
    case, known = loaded(path)
    if known:
        request.applymarker(pytest.mark.xfail(reason=known, strict=True))
    assert not compared(case).differences


def test_a_seed_always_draws_the_same_program() -> None:
    assert [program(s) for s in range(30)] == [program(s) for s in range(30)]
    assert len({ast.dump(ast.parse(program(s).text)) for s in range(300)}) > 250


@pytest.mark.in_turns(2)
def test_a_crash_and_a_hang_are_findings() -> None:
    def of(body: str) -> Program:
        return Program(f"import os\n\n\ndef program():\n    {body}\n", {})

    with Worker(seconds=15) as worker:
        assert worker.run(of("os.abort()"))["differences"][0][0] == "crash"
        assert worker.run(of("return 1"))["differences"] == []
        worker.seconds = 1
        for never in ("os.read(os.pipe()[0], 1)", "return sum(1 for _ in iter(int, 1))"):
            assert worker.run(of(never))["differences"][0][0] == "hang"


def test_other_calls_and_several_callers() -> None:
    """Of one function: what it was compiled for first does not serve them."""
    text = "def program(y, x, n):\n    for i in range(n):\n        y[i] += x[i] * x[i - 1]\n    return y, n\n"
    given = {"y": Array("int64", (8,)), "x": Array("int64", (8,), seed=3), "n": "8"}
    for seed in range(4):
        way = {"others": seed, "callers": 1 + seed % 3, "optimised": False}
        verdict = compared(Program(text, given, (way,)))
        assert not verdict.differences and verdict.counts.count("other call") == CALLS, verdict
    others = [*other_calls(Program(text, given), 1), *other_calls(Program(text, given), 2)]
    assert len({str(other.arguments) for other in others}) > CALLS


def test_what_fails_is_reduced() -> None:
    """To the division that is asked for, with small arguments."""
    text = """\
def program(y, x, n):
    for i in range(n):
        t = x[i] * 2
        if i > 1:
            for j in range(1, n, 2):
                y[i] = (t + x[j]) // 3 + 1
    return y
"""
    given = {"y": Array("float32", (8,), layout="reversed"), "x": Array("float32", (8,), seed=5), "n": "8"}

    def fails(p: Program) -> bool:
        return "//" in p.text

    small = reduced(Program(text, given, ({}, {"deterministic": True})), fails, seconds=60)
    assert small.text.splitlines()[1:] == ["    y[1] = 1 // 3"], small.text
    assert small.arguments == {"y": Array("float64", (0,), fill="ones")} and small.options == ({},)


def test_a_reproducer_can_be_run(tmp_path: Path) -> None:
    drawn = next(p for p in map(program, range(100)) if any(isinstance(a, str) for a in p.arguments.values()))
    path = tmp_path / "case.py"
    path.write_text(text_of(drawn, "Drawn.", known="not mended"))
    case, known = loaded(path)
    assert (case.arguments, case.options, known) == (drawn.arguments, drawn.options, "not mended")
    assert ast.dump(ast.parse(case.text)) == ast.dump(ast.parse(drawn.text))


def test_rounds_are_counted_backwards_too() -> None:
    def backwards(y):  # type: ignore[no-untyped-def]
        for n, i in enumerate(reversed(range(3))):
            y[n] = i

    y = [0, 0, 0]
    bounded(backwards)(y)
    assert y == [2, 1, 0]


def test_bounds_of_loops_are_looked_at_where_python_does() -> None:
    def of_no_step(y):  # type: ignore[no-untyped-def]
        for _ in zip(range(0), range(2, 1, 0)):
            pass

    with pytest.raises(ValueError, match="must not be zero"):
        bounded(of_no_step)([])


def one(*lines: str) -> Program:
    text = "import numpy as np\n\n\ndef program(y, x):\n    " + "\n    ".join(lines) + "\n"
    return Program(text, {"y": Array("float64", (4,), "zeros"), "x": Array("float64", (3,), "ones")})


def test_differences_are_known_exactly() -> None:
    """A rule holds where Python did what it is about, and nowhere beside it."""
    large = Watched(one("m = -0.5", "for i in range(3):", "    m = max(m, i)", "y[0] = 2 ** 62 * 2"))
    assert (large.large, large.changed, large.cast) == (True, True, False)
    for start in ("0", "0.0"):
        plain = Watched(one("for i in range(3):", f"    s = {start}", "    for j in range(3):", "        s = s + x[j]"))
        assert (plain.large, plain.changed, plain.cast) == (False, False, False)
    assert Watched(one("y[0] = np.uint8(1)", "return (x * 1e30).astype(np.uint32)")).cast
    assert reads_what_nobody_wrote(one("t = np.empty(3)", "t[1] = 2", "y[0] = t[0]"))
    assert not reads_what_nobody_wrote(one("t = np.empty(3)", "t[1] = 2", "y[0] = t[1]"))
    for last, unused in (("y[0] = 1", True), ("y[0] = t", False), ("y[0] = 2 if t else 1", False)):
        program, made = one("t = 2 // len(y[4:])", last), one("y[0] = 1")
        assert nobody_uses_it(program, run(program.function(), program), run(made.function(), made)) == unused
    for change in ("s = x[i]", "pass"):
        program, made = (one(f"s = {zero}", "for i in range(3):", "    y[i] = 1 / s", f"    {change}")
                         for zero in ("0", "np.int64(0)"))  # fmt: skip
        expected, found = run(program.function(), program), run(made.function(), made)
        assert numpys_from_the_beginning(program, expected, found) == (change != "pass")


@pytest.mark.parametrize("in_part", [False, True])
def test_what_is_done_before_an_error(in_part: bool) -> None:
    case = one("for i in range(3):", "    y[i] = 1", "for i in range(3):", "    x[i + 1] = 2", "y[3] = 9")
    assert done_up_to_a_loop(case, set(), {"y": np.array([1.0, 1, 1, 0]), "x": np.ones(3)}, in_part)
    assert done_up_to_a_loop(case, {7}, {"y": np.array([1.0, 1, 1, 0]), "x": np.array([1.0, 2, 1])}, in_part) == in_part
    assert not done_up_to_a_loop(case, set(), {"y": np.array([1.0, 1, 1, 9]), "x": np.ones(3)}, in_part)
    assert not done_up_to_a_loop(case, {5}, {"y": np.array([1.0, 1, 1, 0]), "x": np.ones(3)}, in_part)
