"""The scripts for published suites, on made-up suites of their layout: right, refused and wrong are told apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import npbench, polybench
from benchmarks.programs import public_programs
from benchmarks.programs.public_programs import LOOPS, REFUSED, WHOLE, Loaded, Program, judge

NUMPY_FORMS = {
    "whole": ("def kernel(x):\n    return x + 1.0\n", WHOLE),
    "loops": ("def kernel(x):\n    s = 0.0\n    for v in x:\n        s += v\n    return repr(round(s))\n", LOOPS),
    "refused": ("def kernel(x):\n    return repr(x)\n", REFUSED),
}  # fmt: skip


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """NPBench's layout with programs of our own."""
    (tmp_path / "bench_info").mkdir()
    for name, (text, _) in NUMPY_FORMS.items():
        folder = tmp_path / "npbench" / "benchmarks" / name
        folder.mkdir(parents=True)
        info = {
            "short_name": name, "relative_path": name, "module_name": name, "func_name": "kernel",
            "parameters": {"S": {"N": 5}}, "input_args": ["x"], "output_args": ["x"],
            "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["x"]},
        }  # fmt: skip
        (tmp_path / "bench_info" / f"{name}.json").write_text(json.dumps({"benchmark": info}))
        (folder / f"{name}.py").write_text("import numpy as np\ndef initialize(N):\n    return np.arange(N) + 0.5\n")
        (folder / f"{name}_numpy.py").write_text(f"import numpy as np\n{text}")
        numba = f"import numba as nb\nimport numpy as np\n@nb.jit(nopython=True)\n{text}"
        (folder / f"{name}_numba_n.py").write_text(numba)
    return tmp_path


@pytest.mark.parametrize("name", NUMPY_FORMS)
def test_what_became_of_each(suite: Path, name: str) -> None:
    (info,) = [i for i in npbench.infos(suite) if i["short_name"] == name]
    style = npbench.NUMBA_STYLE if name == "whole" else npbench.NUMPY_STYLE
    assert judge(Program(style, name, lambda: npbench.load(suite, info, style, "S"))).kind == NUMPY_FORMS[name][1]


def test_the_counts_and_the_bars(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert npbench.main([str(suite), "--only", "NumPy-style whole,NumPy-style refused"]) == 0
    assert "NumPy-style: 1 of 2 compiled: compiled whole 1" in capsys.readouterr().out
    programs = [Program("style", "dies", lambda: exec("import os; os._exit(3)"))]  # type: ignore[func-returns-value]
    assert public_programs.report(programs, {"style": 1}, None, 60.0) == 1
    shown = capsys.readouterr().out
    assert "the process died (exit code 3)" in shown and "0 of 1 compiled (bar 1: missed)" in shown


def test_a_run_that_was_ended_goes_on(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is kept is not run again, but under another setting it is."""
    kept = tmp_path / "kept.jsonl"
    program = Program("style", "dies", lambda: exec("import os; os._exit(3)"))  # type: ignore[func-returns-value]
    public_programs.report([program], {}, None, 60.0, None, kept, "S")
    first = capsys.readouterr().out
    forbidden = Program("style", "dies", lambda: exec("raise RuntimeError"))  # type: ignore[func-returns-value]
    public_programs.report([forbidden], {}, None, 60.0, None, kept, "S")
    assert capsys.readouterr().out == first and len(kept.read_text().splitlines()) == 1
    public_programs.report([forbidden], {}, None, 60.0, None, kept, "M")
    assert "RuntimeError" in capsys.readouterr().out and len(kept.read_text().splitlines()) == 2


def test_names_that_no_program_has_are_an_error() -> None:
    programs = [Program("style", "one", lambda: exec("")), Program("style", "two", lambda: exec(""))]  # type: ignore[func-returns-value]
    assert [p.name for p in public_programs.wanted(programs, "one, two")] == ["one", "two"]
    with pytest.raises(SystemExit, match="no program's style or name"):
        public_programs.wanted(programs, "one two")


def test_a_wrong_result_is_seen() -> None:
    def right(x):
        return x + 1.0

    def other(x):
        return x + 1.0 + 1e-6

    loaded = Loaded(right, lambda: (2.0,), lambda returned, given: returned, None)
    assert judge(Program("style", "right", lambda: loaded)).kind == WHOLE
    assert not public_programs._right(loaded, other(2.0))


def test_a_program_that_magnifies_roundings_is_judged_by_extended_precision() -> None:
    def orthogonal(A):
        for k in range(A.shape[1]):
            A[:, k] /= np.sqrt(np.dot(A[:, k], A[:, k]))
            for j in range(k + 1, A.shape[1]):
                A[:, j] -= A[:, k] * np.dot(A[:, k], A[:, j])

    def columns() -> tuple[np.ndarray]:
        return (1.0 / (np.arange(9.0)[:, None] + np.arange(9.0) + 1.0),)  # Hilbert's matrix

    loaded = Loaded(orthogonal, columns, lambda returned, given: given)
    (A,) = columns()
    orthogonal(A)
    (other,) = columns()
    other *= np.where(np.arange(9) % 2, 1.0, np.nextafter(1.0, 2.0))[:, None]  # other roundings
    orthogonal(other)
    assert not public_programs.same((other,), (A,))
    assert public_programs._right(loaded, (other,))
    assert not public_programs._right(loaded, (A + 1e-3,))
    assert not public_programs._right(loaded, (np.where(A > 0.3, np.nan, A),))
    wide = np.array([[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]]) / 7.0  # of three columns, one depends on the others
    noisy = Loaded(orthogonal, lambda: (wide.copy(),), lambda returned, given: given)
    made = wide.copy()
    orthogonal(made)
    assert public_programs._right(noisy, (np.where([1, 1, 0], made, np.nan),))
    assert not public_programs._right(noisy, (np.where([1, 0, 0], made, np.nan),))


def test_what_is_no_clone(tmp_path: Path) -> None:
    assert npbench.main([str(tmp_path)]) == 2
    assert polybench.main([str(tmp_path)]) == 2
