"""The program fuzzer: it finds nothing in its first programs, and what it found before; it sees crashes and reduces."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.compare import bounded, compared
from tests.fuzz.draw import program
from tests.fuzz.program import Array, Program
from tests.fuzz.reduce import reduced
from tests.fuzz.reproducer import FOLDER, loaded, text_of
from tests.fuzz.worker import Worker
from tests.laws.examples import EXPLORING

PROGRAMS = 2000 if EXPLORING else 40
"""In continuous integration about 15 seconds of one core."""


def test_programs_drawn_from_seeds() -> None:
    found, counts = list[str](), Counter[str]()
    with Worker() as worker:
        for seed in range(PROGRAMS):
            verdict = worker.run(program(seed))
            counts.update(verdict["counts"])
            found += [f"seed {seed}: {d}" for d in verdict["differences"]]
    assert not found, "\n".join(found)
    assert counts["compiled"] > PROGRAMS, counts  # of the four ways in which each is decorated
    assert counts["no schedule"] < PROGRAMS, counts  # of nearly two random ones for each


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda p: p.stem)
def test_programs_found(path: Path, request: pytest.FixtureRequest) -> None:
    """Reduced programs that were wrong once, or, with a reason, still are."""
    case, known = loaded(path)
    if known:
        request.applymarker(pytest.mark.xfail(reason=known, strict=True))
    assert not compared(case).differences


def test_a_seed_always_draws_the_same_program() -> None:
    assert [program(s) for s in range(30)] == [program(s) for s in range(30)]
    assert len({program(s).text for s in range(30)}) > 25


def test_a_crash_and_a_hang_are_findings() -> None:
    def of(body: str) -> Program:
        return Program(f"import os\n\n\ndef program():\n    {body}\n", {})

    with Worker(seconds=15) as worker:
        assert worker.run(of("os.abort()"))["differences"][0][0] == "crash"
        assert worker.run(of("return 1"))["differences"] == []
        worker.seconds = 1
        assert worker.run(of("os.read(os.pipe()[0], 1)"))["differences"][0][0] == "hang"


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
