"""Every computation of the benchmarks at tiny sizes: right results, no timing."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import json
import platform
import shlex
import sys
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from benchmarks import compile_times, many_sizes, random_computations, random_kinds
from benchmarks.bench import main, picture, report, summary, sweep
from benchmarks.bench.measure import Outcome, Plan, agrees, measure
from benchmarks.computations.cases import CASES, SUITES, TINY, Array, Case
from benchmarks.computations.kernels import KERNELS, Kernel
from benchmarks.computations.targets import TARGETS, Target
from benchmarks.history import computations as history
from benchmarks.peers import numpy_forms
from benchmarks.peers.libraries import PEERS, Missing, forms_of, installed
from benchmarks.peers.ours import OURS, TUNED
from benchmarks.processes import cold_calls, least_time
from benchmarks.programs import random_programs
from benchmarks.suites import aderdg, tensor_examples, tensor_in_c, tensor_page, tensors
from jitmdh.demo.numba_twin import numba_twin, plain_function
from jitmdh.demo.timing import Timing
from jitmdh.hca.roofline import Limits
from jitmdh.jit.decorator import JitFunction
from tests.known_limits import known_limits

ROOT = Path(__file__).parents[1]
TINY_CASES = [Case(KERNELS[name], sizes, ("main",)) for name, sizes in TINY.items()]
TINY_CASES_64 = [dataclasses.replace(case, dtype="float64") for case in TINY_CASES]
LIMITS = known_limits(1, {"float32": 100.0, "float64": 50.0})


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("case", TINY_CASES, ids=lambda case: case.kernel.name)
def test_opencl_refuses_none(case: Case) -> None:
    """As a whole: nothing is left to Python. Needs no device: its text is not compiled."""
    outputs, inputs = case.data()
    assert "kernel void" in mdh.jit(target="opencl")(case.nest).inspect(*outputs, *inputs, stage="opencl")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("case", TINY_CASES + TINY_CASES_64, ids=lambda case: f"{case.kernel.name}-{case.dtype}")
def test_ours_is_right(case: Case) -> None:
    outputs, inputs = case.data()
    mdh.jit(tune="off")(case.nest)(*outputs, *inputs)
    assert agrees(outputs, *case.expected(inputs))


@pytest.mark.parametrize("case", TINY_CASES, ids=lambda case: case.kernel.name)
def test_the_undecorated_nest_is_right(case: Case) -> None:
    outputs, inputs = case.data()
    case.nest(*outputs, *inputs)
    assert agrees(outputs, *case.expected(inputs))


def served(peer: str) -> list[str]:
    """The computations that a peer has a form of; none if it is not installed."""
    if not installed(peer):
        return []
    if peer == "numba":
        return [name for name, kernel in KERNELS.items() if kernel.numba]
    forms = {name: f"benchmarks.peers.{kernel.forms(peer)}" for name, kernel in KERNELS.items()}
    return [name for name, module in forms.items() if find_spec(module) and hasattr(import_module(module), name)]


def types_of(peer: str, number: int) -> tuple[str, ...]:
    """Both; of nests that a peer takes seconds to compile, in turns: they are the same text for both."""
    both = ("float32", "float64")
    return (both[number % 2],) if peer == "numba" else both


def compiled(peer: str, number: int, name: str) -> bool:
    """Numba takes a second for each: what was written for it by hand, and every eighth of the nests it is given."""
    return peer != "numba" or number % 8 == 0 or hasattr(import_module("benchmarks.peers.numba_forms"), name)


FORMS = [
    pytest.param(peer, name, dtype, marks=[pytest.mark.in_turns(6)] if peer == "numba" else [])
    for peer in PEERS
    for n, name in enumerate(served(peer))
    if compiled(peer, n, name)
    for dtype in types_of(peer, n)
]


@pytest.mark.slow
@pytest.mark.parametrize(("peer", "name", "dtype"), FORMS)
def test_what_a_peer_is_given_is_right(peer: str, name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(KERNELS[name], TINY[name], ("thesis",), dtype)
    outputs, inputs = case.data()
    if peer == "torch":
        monkeypatch.setattr(forms_of("torch", case), "COMPILED", ())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepared = PEERS[peer](case, outputs, inputs)
        assert agrees(prepared.results(prepared.call()), *case.expected(inputs))


def carried(nest: Callable[..., None], loop: str) -> set[str]:
    """Variables from outside of a loop that it sets otherwise than by `+=` and its like: of Numba's threads, each has
    its own."""
    whole = [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(plain_function(nest)))))]
    found: set[str] = set()
    for shared in whole:
        if isinstance(shared, ast.For) and isinstance(shared.target, ast.Name) and shared.target.id == loop:
            inside = [*ast.walk(shared)]
            targets = [target for node in inside if isinstance(node, ast.Assign) for target in node.targets]
            set_there = {
                n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            found |= {n.id for n in whole if isinstance(n, ast.Name) and n not in inside} & set_there
    return found


@pytest.mark.parametrize("name", [name for name in served("numba") if KERNELS[name].numba_loop])
def test_the_loop_that_numba_shares_out_has_no_order(name: str) -> None:
    """What Numba is given is the nest but for one word, `prange`: it is right with that loop backwards, too."""
    case = Case(KERNELS[name], TINY[name], ("thesis",), "float64")
    assert case.kernel.numba_loop and not carried(case.nest, case.kernel.numba_loop)
    outputs, inputs = case.data()
    twin = numba_twin(case.nest, case.kernel.numba_loop).py_func  # type: ignore[attr-defined]
    shared: list[int] = []

    def backwards(*bounds: int) -> list[int]:
        shared.extend(range(*bounds))
        return [*reversed(range(*bounds))]

    twin.__globals__["prange"] = backwards
    twin(*outputs, *inputs)
    assert shared and agrees(outputs, *case.expected(inputs))


def test_a_peer_without_a_form() -> None:
    case = Case(KERNELS["matvec"], TINY["matvec"], ("thesis",))
    if installed("scipy"):
        with pytest.raises(Missing):
            PEERS["scipy"](case, *case.data())


def test_numpy_writes_into_the_array_that_is_there() -> None:
    case = Case(KERNELS["matmul"], TINY["matmul"], ("thesis",))
    outputs, inputs = case.data()
    assert PEERS["numpy"](case, outputs, inputs).call() is outputs[0]


def test_every_kernel_is_measured_and_tested() -> None:
    assert {case.kernel.name for case in CASES} == set(KERNELS) == set(TINY)
    assert all(callable(kernel.numpy(*TINY[name])) for name, kernel in KERNELS.items())


def test_every_row_of_the_thesis_has_a_target() -> None:
    assert {case.name for case in CASES if "thesis" in case.suites} <= set(TARGETS)
    assert set(SUITES) == {"thesis", "further", "indirect", "networks", "wide", "demo"}
    assert sum("networks" in case.suites for case in CASES) == 9 and len({case.name for case in CASES}) == len(CASES)


def test_float64_may_stay_a_tenth_behind() -> None:
    wanted = Target(1.0, 2.0, ("numpy",)).at("float64")
    assert (wanted.model, wanted.tuned, wanted.against) == (pytest.approx(0.9), pytest.approx(1.8), ("numpy",))
    assert Target(1.0).at("float64").tuned is None


def test_a_wrong_result_is_noticed() -> None:
    outputs, inputs = TINY_CASES[0].data()
    exact, bounds = TINY_CASES[0].expected(inputs)
    assert agrees(exact, exact, bounds)
    assert not agrees([exact[0] * (1 + 1e-4)], exact, bounds)
    assert not agrees([np.full_like(exact[0], np.nan)], exact, bounds)
    assert not agrees(outputs, exact, bounds)


def test_what_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(out, x):  # type: ignore[no-untyped-def]
        while True:
            pass

    monkeypatch.setattr(Kernel, "nest", lambda self, dtype: refused)
    outcome = measure(TINY_CASES[0], Plan(("numpy",), rounds=1))
    assert OURS in outcome.failed and "numpy" in outcome.timings


def test_a_peer_that_is_wrong_is_no_best_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(M: Array, v: Array) -> Array:
        return M @ v + 1

    monkeypatch.setattr(numpy_forms, "matvec", wrong)
    monkeypatch.setattr(Case, "expected", lambda self, inputs: ([inputs[0] @ inputs[1]], [1e-3]))
    outcome = measure(TINY_CASES[0], Plan(("numpy",), rounds=1))
    assert outcome.wrong == ["numpy"] and outcome.best_peer() is None


def test_ours_tuned_and_scaling() -> None:
    threads = mdh.get_num_threads()
    outcome = measure(TINY_CASES[0], Plan(("numpy",), rounds=2, budget_seconds=0.1, tune_seconds=0.2, scaling=True))
    assert not outcome.wrong and not outcome.failed and {OURS, TUNED, "numpy"} == set(outcome.timings)
    assert outcome.tuning is not None and outcome.tuning.evaluations >= 1
    assert outcome.scaling is not None and outcome.scaling > 0
    assert mdh.get_num_threads() == threads
    row = report.Table(("numpy",), LIMITS, tuned=True, scaling=True).row(outcome)
    assert len(row) == len(report.Table(("numpy",), LIMITS, tuned=True, scaling=True).header())


@pytest.mark.in_turns(2)
def test_what_tuning_found_is_kept_for_each_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Rows of one shape class do not take each other's place; a second run searches nothing."""
    rows = tuple(Case(KERNELS["matmul"], (n, n, n), ("thesis",)) for n in (40, 48))
    monkeypatch.setattr("benchmarks.peers.libraries.limited_threads", contextlib.nullcontext)
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    monkeypatch.setattr(Limits, "measure_again", lambda self: None)
    monkeypatch.setattr("benchmarks.computations.cases.CASES", rows)
    options = ["--tune", "0.3", "--cache", str(tmp_path / "kept"), "--dtype", "float64"]
    assert main.main([*options, "--tune-only", "--stop-after", "0"]) == 3
    assert main.main([*options, "--tune-only"]) == 0
    assert capsys.readouterr().out.count("configurations in") == 2
    monkeypatch.setattr(JitFunction, "tune", lambda *given, **named: pytest.fail("searched again"))
    measured = [*options, "--peers", "numpy", "--rounds", "1", "--budget", "0.2", "--json", str(tmp_path / "json")]
    assert main.main([*measured, "--rows", "matmul 48*"]) == 0
    assert main.main([*measured, "--resume"]) == 0
    kept = json.loads((tmp_path / "json").read_text())
    assert [row["name"] for row in kept] == ["matmul 48,48,48", "matmul 40,40,40"]
    assert all(TUNED in row["seconds"] and row["tuning"]["evaluations"] for row in kept)
    assert main.main(["--tune-only"]) == 2


def judged(model_seconds: float, tuned_seconds: float) -> Outcome:
    """A row of the thesis with made-up times: NumPy takes 1 s, Numba 2 s."""
    case = next(case for case in CASES if case.name == "matmul 16,1000,2048")
    times = {OURS: model_seconds, TUNED: tuned_seconds, "numpy": 1.0, "numba": 2.0}
    return Outcome(case, {name: Timing((seconds,) * 7) for name, seconds in times.items()}, bytes_read=1)


def test_targets_are_judged_by_the_best_peer() -> None:
    outcome = judged(1 / 0.81, 1 / 1.05)
    assert outcome.best_peer() == "numpy" and outcome.best_peer(("numba",)) == "numba"
    assert [line.split()[0] for line in report.missed(outcome)] == [TUNED]
    row = report.Table(("numpy", "numba"), LIMITS, tuned=True).row(outcome)
    assert "≥ 0.80 ✓" in row and "≥ 1.10 ✗" in row and row[4] == "0.81 [0.81–0.81] NumPy"
    assert report.missed(judged(1 / 0.81, 1 / 1.11)) == []
    shown = report.markdown([outcome], report.Table((), LIMITS, tuned=True), "command", "machine")
    assert "f32, jitmdh: 1 of 1 rows" in shown and "f32, tuned: 0 of 1 rows" in shown
    outcome.wrong.append(OURS)
    assert "≥ 0.80 ✗" in report.Table(("numpy",), LIMITS).row(outcome)


def test_report_and_pictures() -> None:
    outcome = measure(TINY_CASES[0], Plan(("numpy",), rounds=2, budget_seconds=0.1))
    table = report.markdown([outcome], report.Table(("numpy",), LIMITS), "command", report.environment(LIMITS, ()))
    assert "| matvec 7,13 | f32 |" in table and "NumPy" in table
    page = report.page(table, "measured.svg")
    assert page.startswith("# Measured") and table in page and "(measured.svg)" in page
    assert report.plain(outcome, LIMITS)["name"] == "matvec 7,13"
    assert picture.ratios([outcome], ["numpy"]).count("<rect") >= 3
    assert "circle" in picture.roofline([outcome], LIMITS)


def test_what_is_measured_over_commits_is_in_the_suites() -> None:
    assert [history.case_of(name).name for name in history.CHOSEN] == [*history.CHOSEN]


def test_the_readme_shows_what_the_page_says() -> None:
    page, readme = ((ROOT / name).read_text() for name in (summary.PAGE, "README.md"))
    every = summary.rows(page)
    assert len(every) > 20 and set(summary.CHOSEN) <= {row.name for row in every}
    assert summary.inserted(readme, page) == readme
    assert summary.drawn(page) == (ROOT / summary.CHART).read_text()
    with pytest.raises(ValueError, match="no table"):
        summary.rows("# Measured")


def test_the_command_writes_what_it_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                             capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setattr("benchmarks.peers.libraries.limited_threads", contextlib.nullcontext)
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    monkeypatch.setattr(Limits, "measure_again", lambda self: None)
    monkeypatch.setattr("benchmarks.computations.cases.CASES", (Case(KERNELS["matmul"], TINY["matmul"], ("thesis",)),))
    files = {name: tmp_path / name for name in ("json", "markdown", "svg", "roofline", "page", "readme")}
    files["readme"].write_text(f"a\n{summary.MARK}\nold\n{summary.MARK}\nz\n")
    written = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    options = ["--peers", "numpy", "--rounds", "2", "--budget", "0.5", "--dtype", "float32,float64", *written]
    assert main.main(options) == 0
    rows = json.loads(files["json"].read_text())
    assert [row["dtype"] for row in rows] == ["float32", "float64"] and len(rows[0]["seconds"]["numpy"]) == 2
    assert capsys.readouterr().out.startswith("matmul 5,7,9 | f32 | ")
    assert all(file.read_text() for file in files.values())
    readme = files["readme"].read_text()
    assert readme.startswith("a\n") and readme.endswith("z\n") and "old" not in readme
    assert "| matmul 5,7,9 |" in readme and "</svg>" in (tmp_path / summary.CHART).read_text()
    assert f"![times beside those of jitmdh]({files['svg'].name})" in files["page"].read_text()
    monkeypatch.setattr("benchmarks.bench.main._undisturbed", lambda *given: pytest.fail("measured again"))
    assert main.main([*options, "--resume"]) == 0
    assert json.loads(files["json"].read_text()) == rows


@pytest.mark.parametrize(("options", "message"), [
    (["--suite", "nonsense"], "there is no suite `nonsense`"), (["--rows", "nothing"], "no row of thesis"),
    (["--dtype", "int8"], "`int8` is not measured"), (["--peers", "fortran"], "there is no peer `fortran`"),
    (["--threads", "two"], "invalid literal"), (["--sweep", "dot", "--page", "x"], "are for suites"),
])  # fmt: skip
def test_what_cannot_be_measured(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(options) == 2
    assert message in capsys.readouterr().err


def test_random_computations(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["--seeds", "0:2", "--operations", "1e4", "--rounds", "1", "--search", "0.2"]
    arguments += ["--json", str(tmp_path / "rows.json")]
    assert random_computations.main(arguments) == 0
    assert "2 contractions" in capsys.readouterr().out
    assert [row["contraction"]["seed"] for row in json.loads((tmp_path / "rows.json").read_text())] == [0, 1]
    drawn = [random_computations.contraction(seed) for seed in range(50)]
    assert len({c.subscripts for c in drawn}) > 40 and all(5e7 < c.operations < 2e8 for c in drawn)


def test_random_kinds(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    monkeypatch.setattr(Limits, "measure_again", lambda self: None)
    monkeypatch.setattr(random_programs, "MOST", 4e3)
    arguments = ["--seeds", "0:1", "--kinds", "scan,layout", "--rounds", "1", "--json", str(tmp_path / "rows.json")]
    assert random_kinds.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" |")[0] for line in lines[2:4]] == ["| scan", "| layout"]
    assert all(min(row["seconds"].values()) > 0 for row in json.loads((tmp_path / "rows.json").read_text()))


def test_limits_that_other_programs_disturbed_are_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is faster than it can be: rates measured beside other programs are too low, later ones count instead."""
    limits = Limits(1, {"float32": 1.0, "float64": 1.0}, {}, {"float32": 1.0})
    monkeypatch.setattr(Limits, "bandwidth", lambda self, kind, area: 1e15)
    monkeypatch.setattr(Limits, "measure_again", lambda self: self.gops.update(float32=4.0))
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: limits)
    work = least_time.Needs(1, 8, 8, 4e6, 0.0, "float32", 0.0, ())
    rows = [random_kinds.Row("scan", n, "", "", {"ours": 2e-3, "NumPy": 2e-3}, work) for n in range(2)]
    for row in rows:
        row.set_limit()
    assert rows[0].share > 1 and "the limit is WRONG (operations)" in random_kinds.report(rows, 1)
    assert "2 of 2 lower" in random_kinds.measured_limits(rows)
    assert rows[0].share < 1 and "WRONG" not in random_kinds.report(rows, 1)


def test_least_times_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds a call up: bytes, more of them where the lines have others, operations, elements that data choose."""
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)

    def found(f: Any, *arrays: Any) -> Any:
        return least_time.least_time(mdh.jit(tune="off", cache=False)(f), arrays)

    x, places = np.ones((40_000, 2), np.float32), np.arange(10_000)[::-1].copy()
    near, apart = (found(lambda x: x + 1, a) for a in (x[:20_000, :].copy(), x[:, ::2]))
    assert near.bound == apart.bound == "memory" and apart.memory == pytest.approx(1.5 * near.memory)
    assert near.memory == LIMITS.seconds(0, 160_000, 160_000)  # as measured, whatever the machine model says
    assert found(lambda x: np.tanh(np.exp(x)), x[:1000]).bound == "operations"
    whole = np.ones(64, np.int64)
    sums, products = (found(f, whole) for f in (lambda x: (x + x + x).max(), lambda x: (x * x * x).max()))
    assert products.operations >= sums.operations  # more without AVX-512: 64 bits are multiplied in parts
    bytes_of = [found(lambda x: x * x * x, whole.astype(t)).operations for t in (np.uint8, np.int16)]
    assert (bytes_of[0] > bytes_of[1]) == (platform.machine() in ("x86_64", "AMD64"))  # which multiplies no bytes
    best, place = (found(f, x[:, 0].copy()).operations for f in (lambda x: x.max(), lambda x: x.argmax()))
    assert place == pytest.approx(best)  # scores are compared; where the best one is, is looked for once
    square = np.ones((8, 8), np.complex64)
    real, parts = (found(lambda x, y: x @ y, a, a).operations for a in (square.real.copy(), square))
    assert parts == pytest.approx(4 * real, rel=0.1)  # four multiply-adds
    chosen = found(lambda x, n: x[n], x[:20_000, 0].copy(), places)
    assert chosen.bound == "elements" and chosen.seconds > chosen.call + chosen.memory
    rows = x.reshape(1000, 80)
    few, all_of_them = (found(lambda x, n: x[n].sum(axis=0), rows[:, ::2], places[-n:]) for n in (250, 1000))
    assert few.elements == 0.0 and few.memory < 0.3 * all_of_them.memory
    assert found(lambda x: x + 1, x[:2]).bound == "call"


@pytest.mark.parametrize("kind", list(random_programs.KINDS))
def test_random_programs_run_and_differ(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_programs, "MOST", 4e3)
    monkeypatch.setattr(random_programs, "POINTS", (1e3, 1e5))
    programs = [random_programs.drawn(kind, seed) for seed in range(6)]
    assert len({(p.text, p.described) for p in programs}) == 6
    for program in programs:
        assert random_kinds.function(program, "random")(*program.arrays) is not None


def test_many_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--count", "3", "--most", "30", "--peers", "numpy", "--rounds", "1"]
    assert many_sizes.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3 products, ") and sum("the best peer" in line for line in lines) == 2
    assert many_sizes.main([*arguments, "--background", "0.1"]) == 0
    assert "compilations that calls of one function waited for, " in capsys.readouterr().out.splitlines()[0]
    cases = many_sizes.drawn(200, 1500, "float32", 1)
    assert min(min(c.sizes) for c in cases) == 1 and 1000 < max(max(c.sizes) for c in cases) <= 1500


def test_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("benchmarks.peers.libraries.limited_threads", contextlib.nullcontext)
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    monkeypatch.setattr(Limits, "measure_again", lambda self: None)
    short = dataclasses.replace(sweep.SWEEPS["dot"], sizes=(16, 64))
    monkeypatch.setitem(sweep.SWEEPS, "dot", short)
    svg, table = tmp_path / "dot.svg", tmp_path / "dot.md"
    options = ["--sweep", "dot", "--peers", "numpy", "--rounds", "2", "--budget", "0.2"]
    assert main.main([*options, "--svg", str(svg), "--markdown", str(table)]) == 0
    assert svg.read_text().count("<polyline") == 2 and svg.read_text().count("<circle") == 4
    assert "\n| 16 | " in table.read_text() and "\n| 64 | " in table.read_text()
    capsys.readouterr()
    assert main.main(["--sweep", "dot", "--dtype", "float32,float64"]) == 2
    assert "a sweep is of one type" in capsys.readouterr().err


def test_a_large_plain_nest_is_spared() -> None:
    large = next(case for case in sweep.cases(sweep.SWEEPS["matmul"], "float32") if case.sizes[0] == 1024)
    assert not sweep.asked("numba", large) and sweep.asked("numpy", large)


def test_steps_of_a_first_call() -> None:
    row = compile_times.measured(Case(KERNELS["matmul"], TINY["matmul"], ("main",)), 1)
    steps = {step for step in compile_times.STEPS if step != "store"}
    assert steps <= row.milliseconds.keys()
    assert sum(row.milliseconds[step] for step in steps) <= row.milliseconds["total"] + 1.0
    assert row.tiles >= 1 and row.blocks > row.tiles and row.lines > row.longest
    assert "| matmul 5,7,9 |" in compile_times.table([row])
    ten, five = (replace(row, milliseconds={"total": total}) for total in (10.0, 5.0))
    assert compile_times.compared(compile_times.table([ten]), [five]) == "10.0 before, 5.0 now; geometric mean 0.500"


@pytest.mark.in_turns(2)
def test_modules_and_steps_of_a_first_call_in_a_process(tmp_path: Path) -> None:
    parts = cold_calls.run(["scaled"], tmp_path / "cache", tmp_path / "bytecode")
    first = cold_calls.grouped(parts["scaled"])
    assert cold_calls.STEPS.keys() <= first.keys()
    assert "import llvmlite" in first and "import jitmdh.mdh" in first and "import numpy" in parts["import numpy"]
    again = cold_calls.run(["scaled"], tmp_path / "cache", tmp_path / "bytecode")
    assert "start of LLVM" not in again["scaled"]  # its code is in the cache


def test_a_row_taken_up_again_keeps_the_limit_it_was_measured_beside() -> None:
    """A machine that is disturbed by then makes no share of the limit larger."""
    outcome = judged(1.0, 1.0)
    row = report.plain(outcome, LIMITS)
    slower = replace(LIMITS, gflops={name: peak / 2 for name, peak in LIMITS.gflops.items()})
    assert outcome.limit_seconds(slower) > outcome.limit_seconds(LIMITS)
    assert report.restored(row, outcome.case).limit_seconds(slower) == outcome.limit_seconds(LIMITS)


def test_every_formula_of_the_suite_of_tensors_is_one() -> None:
    """Those of large tensors are measured by hand alone."""
    names = [row.kernel.__name__ for row in tensor_examples.rows("float32")]
    assert len(names) == 21 and {"gconv", "interp", "helm", "blur", "coarsity"} <= {*names}


@pytest.mark.skipif(not tensor_in_c.available("helm"), reason="there is no gcc")
@pytest.mark.parametrize("name", ["interp", "helm"])
def test_loops_of_teml_in_c(name: str) -> None:
    row = next(row for row in tensor_examples.rows("float64") if row.name == name)
    values = row.values(3)
    (found,) = tensor_in_c.form(name, "float64", 3, 2)(values).values()
    (wanted,) = row.form(np.einsum, values).values()
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_the_suite_of_tensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                              capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Rows of one element and of batches: results are right, and all figures are written."""
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    monkeypatch.setitem(tensors.BATCHES, "memory", 700)
    file, table = tmp_path / "tensors.json", tmp_path / "tensors.md"
    options = ["--suite", "tensor", "--rows", "volume N=2;matmul 32 ik,kj one", "--dtype", "float64"]
    options += ["--peers", "numpy", "--rounds", "1", "--threads", "1", "--json", str(file), "--markdown", str(table)]
    assert main.main(options) == 0
    found = json.loads(file.read_text())
    names = [(r["name"], r["elements"]) for r in found]
    assert names == [("volume N=2", 1), ("volume N=2", 64), ("volume N=2", 700), ("matmul 32 ik,kj", 1)]
    assert all(not r["wrong"] and r["limit_ns"] > 0 and r["nanoseconds"].keys() >= {"jitmdh", "numpy"} for r in found)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] in table.read_text() and all(line in table.read_text() for line in shown if "volume" in line)
    assert main.main([*options[:3], "nothing has this name", *options[4:]]) == 2
    monkeypatch.setattr(tensors, "_measured", lambda *_: pytest.fail("measured again"))
    assert main.main([*options, "--resume"]) == 0 and json.loads(file.read_text()) == found
    file.write_text(json.dumps(found[1:]))
    assert main.main([*options, "--resume", "--stop-after", "0"]) == 3 and json.loads(file.read_text()) == found[1:]


def test_tensors_beside_a_program_of_yateto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is asked for each row, by its words; what it has no figure for has none in the table."""
    monkeypatch.setattr("jitmdh.hca.roofline.measure", lambda threads: LIMITS)
    program, table = tmp_path / "rows.py", tmp_path / "tensors.md"
    program.write_text("import sys\nif sys.argv[1:] == ['volume N=2', 'float64', '1', '1']: print(1e9)")
    options = ["--suite", "tensor", "--rows", "volume N=2 one;taylor N=2 one", "--dtype", "float64", "--peers", "numpy"]
    asked = shlex.join([sys.executable, str(program)])
    options += ["--rounds", "1", "--threads", "1", "--yateto", asked, "--tune", "0.1"]
    assert main.main([*options, "--markdown", str(table)]) == 0
    page = table.read_text()
    rows = {cells[1].strip(): cells for text in page.splitlines() if len(cells := text.split("|")) > 5}
    figures = {name: [cell.strip() for cell in cells] for name, cells in rows.items()}
    assert "1,000,000,000" in figures["volume N=2"] and "1,000,000,000" not in figures["taylor N=2"]
    assert figures["volume N=2"][6] != "–"  # tuned
    assert "| ADER-DG, one element | YATeTo | each of 1 | 0.8 |" in page


@pytest.mark.parametrize(("times", "met"), [((8.0, 12.0), "✓"), ((8.0, 5.0), "✗")])
def test_what_is_wanted_of_tensors(times: tuple[float, float], met: str) -> None:
    """A line for the least ratio, and one for the mean; none where there are no rows."""
    results = [
        tensor_page.Result(f"volume N={n + 2}", "float64", 1, 1.0, {"jitmdh": 10.0, "YATeTo": t})
        for n, t in enumerate(times)
    ]
    each, mean = tensor_page.WANTED[0].lines(results)
    assert each.endswith(f"| {met} |") and mean.endswith(f"| {met} |")
    assert f"{min(times) / 10:.2f} (volume N={2 + times.index(min(times))})" in each
    assert f"| {(times[0] * times[1]) ** 0.5 / 10:.2f} |" in mean
    assert tensor_page.WANTED[2].lines(results) == []


def test_matrices_of_ader_dg() -> None:
    """Non-zeros as in SeisSol's files; derivatives of constants are zero, and of x is one."""
    made = aderdg.matrices(4)
    counts = [[int(np.count_nonzero(m)) for m in family] for family in (made.kDivM, made.rDivM, made.fMrT, made.rT)]
    assert counts == [[33, 77, 92], *[[50, 50, 142, 125]] * 3] and aderdg.STAR.sum() == 24
    np.testing.assert_allclose(made.kDivMT[0] @ np.eye(20)[0], np.zeros(20), atol=1e-12)
    x = np.linspace(0.1, 0.3, 5)
    inside = aderdg.tetrahedron(4, x, x, x)
    moved = (aderdg.tetrahedron(4, x + 1e-6, x, x) - inside) / 1e-6
    np.testing.assert_allclose(made.kDivMT[0].T @ inside, moved, rtol=1e-3, atol=1e-3)
