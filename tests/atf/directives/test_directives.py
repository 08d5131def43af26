"""Tuning directives: Listing 24 and relatives, their meaning, and messages that point at the mistake."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitmdh import atf
from jitmdh.atf.directives.commandline import main
from jitmdh.atf.directives.programs import replaced
from jitmdh.atf.tuning.abort import AnyOf, Duration, Evaluations, Speedup
from jitmdh.base.errors import ConfigurationError
from tests.waiting import PATIENCE

DATA = Path(__file__).parents[1] / "data"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on this machine")


def written(tmp_path: Path, text: str, name: str = "program.txt") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_saxpy_of_listing_24() -> None:
    found = atf.read_directives(DATA / "saxpy.c", ["64"])
    space = atf.search_space(*found.parameters)
    WPT = atf.tuning_parameter("WPT", atf.interval(1, 64), atf.divides(64))
    LS = atf.tuning_parameter("LS", atf.interval(1, 64), atf.divides(64 // WPT))
    assert list(space) == list(atf.search_space(WPT, LS))
    assert found.search_technique == "auc_bandit"
    assert found.abort_condition == AnyOf(Evaluations(6), Duration(60.0))
    assert found.cost_file == "saxpy.cost"
    assert found.variables == {"N": 64}


@pytest.mark.parametrize(
    ("fields", "members"),
    [
        ("range interval<int>(1, 10, 3)", [1, 4, 7, 10]),
        ("range interval<size_t>( 1,5 , atf::pow(2) )", [2, 4, 8, 16, 32]),
        ("range interval<int>(0, 3, 1, (int i){return pow(3,i);})", [1, 3, 9, 27]),
        ("range interval<int>(1, 3, multiple_of(8))", [8, 16, 24]),
        ("range interval<float>(0, 1, 0.25)", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("range interval<bool>(false, true)", [False, True]),
        ("range set<int>{3,7}", [3, 7]),
        ("range set<string>{cat,dog}", ["cat", "dog"]),
        ('range { "-O2", "-O3" }', ["-O2", "-O3"]),
        ("range interval<int>(1, M / 2 + 1)", [1, 2, 3, 4, 5, 6]),
        ("range interval<int>(1, 12) constraint divides(M) && greater_than(2)", [5, 10]),
        ("range interval<int>(1, 12) constraint (int i){ return i % 5 == 0 || i == 12; }", [5, 10, 12]),
        ("range interval<int>(1, 12) constraint !less_than(9) && (equal(9) || multiple_of(4))", [9, 12]),
        ("range interval<int>(1, 9) constraint unequal(2) && less_than(min(4, M))", [1, 3]),
    ],
)
def test_ranges_and_constraints(tmp_path: Path, fields: str, members: list[object]) -> None:
    path = written(tmp_path, f"#atf::var::M 10\n#atf::tp name T {fields}\n")
    found = atf.read_directives(path)
    assert [c["T"] for c in atf.search_space(*found.parameters)] == members


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('#atf::tp name "T" range interval<int>(1 8)', 1, "expected ',' here, found '8'"),
        ('#atf::tp name "T" range intervall<int>(1, 8)', 1, "'intervall' is no range"),
        ('#atf::tp name "T" range interval<int>(1, N)', 1, "must not depend on N"),
        ('#atf::tp name "F" range set<string>{-O1}', 1, 'set<string>{"-O1", "-O2"}'),
        ('\n#atf::tp name "T"\n', 2, "has no range"),
        ('#atf::tp name "T" range {1} constraint divids(4)', 1, "'divids' is no constraint"),
        ('#atf::tp name "T" range {1} constraint divides(4) 7', 1, "'7' is left over"),
        ('#atf::tp name "T" range {1}\n#atf::abort_condition duration<weeks>(2)', 2, "'weeks' is no unit"),
        ('#atf::tp name "T" range {1}\n#atf::abort_condition speedup(2)', 2, "speedup takes 2 numbers"),
        ('#atf::tp name "T" range {1}\n#atf::searching random', 2, "no tuning directive #atf::searching"),
        ('#atf::var::N $2\n#atf::tp name "T" range {1}', 1, "N is argument $2, but 1 were given"),
        ('#atf::tp name "T" range {1, 1}', 1, "1 stands twice"),
        ('#atf::tp name "T" range {1 @ 2}', 1, "'@' has no meaning"),
        ('#atf::tp name "T" range {1} range {2}', 1, "two fields 'range'"),
        ('#atf::tp name "T"\nrange interval<int>(4, 1)', 2, "is empty: its end lies before its begin"),
        ('#atf::tp name "T" range {1}\nconstraint divides(M)', 2, "M is neither a tuning parameter nor a variable"),
        ('#atf::tp name "WPT" range {1}\nconstraint divides(8 / WTP)', 2, "did you mean WPT?"),
        ('#atf::tp name "T" range {1}\nconstraint divides(0)', 2, "every number divides 0"),
        ('#atf::tp name "T" range {1}\n#atf::abort_condition evaluations(0)', 2, "must be a positive integer"),
        ('#atf::tp name "T" range {1}\n#atf::search_technique genetics', 2, "did you mean 'genetic'?"),
        ('#atf::tp name "T" range {1}\n#atf::run_script a\n#atf::run_script b', 3, "#atf::run_script stands twice"),
        ('#atf::var::N __import__("os").getpid()', 1, "has no meaning in a tuning directive"),
        ('#atf::tp name "T" range {1} constraint (int i){ return open("x"); }', 1, "there is no function open"),
    ],
)
def test_mistakes_are_shown_where_they_are(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError, match=f"program.txt:{line}: ") as caught:
        atf.read_directives(path, ["1"])
    assert message in str(caught.value)
    assert f"{line} |" in str(caught.value)


def test_abort_conditions_and_units(tmp_path: Path) -> None:
    text = "#atf::tp name T range {1, 2}\n#atf::abort_condition speedup<minutes>(1.1, 2) || evaluations(9)\n"
    found = atf.read_directives(written(tmp_path, text))
    assert found.abort_condition == AnyOf(Speedup(1.1, None, 120.0), Evaluations(9))


def test_json_as_in_listing_27(tmp_path: Path) -> None:
    data = {
        "tuning_parameters": [
            {"name": "opt_level", "range": ["-O0", "-O1"]},
            {"name": "early-inlining-insns_val", "range": "interval<int>( 0, 1000 )"},
        ],
        "program_source": "./build.sh",
        "run_script": "./build.sh",
        "search_technique": "open_tuner",
        "abort_condition": "duration<minutes>(30)",
    }
    (tmp_path / "build.sh").write_text("echo opt_level --param x=early-inlining-insns_val\n")
    found = atf.read_directives(written(tmp_path, json.dumps(data), "gcc.json"))
    assert atf.search_space(*found.parameters).size == 2002
    assert found.source == tmp_path / "build.sh"
    assert found.abort_condition == Duration(1800.0)
    assert found.search_technique == "auc_bandit"  # called open_tuner there


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"tuning_parameters": {"name": "T"}}', 1, "is a list of objects"),
        ('{"tuning_parameters": [],\n"search_technique" }', 2, "not JSON"),
        ('{"tuning_parameters": [{"name": "A", "range": "{1}"},\n {"name": "B", "range": "{1,}"}]}', 2, "value here"),
        ('{"tuning_parameters": [{"name": "A",\n "rnge": "{1}"}]}', 2, "no field 'rnge'"),
        ('{"tuning_parameters": [{"name": "A",\n "range": [1, 2]}],\n"abort_condition": "never"}', 3, "expected '('"),
        ('{"tuning_parameters": [{"name": "A",\n "range": [1, 2]}],\n"search_technique": "best"}', 3, "no search tech"),
    ],
)
def test_mistakes_in_json_are_shown_where_they_are(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = written(tmp_path, text, "gcc.json")
    with pytest.raises(ConfigurationError, match=f"gcc.json:{line}: ") as caught:
        atf.read_directives(path)
    assert message in str(caught.value)


def test_variables_of_json_may_stand_behind_what_uses_them(tmp_path: Path) -> None:
    data = {
        "abort_condition": "evaluations(N)",
        "tuning_parameters": [{"name": "T", "range": "interval<int>(1, N)", "constraint": "divides(N)"}],
        "search_technique": "auc_bandit",
        "variables": {"N": "$1"},
    }
    found = atf.read_directives(written(tmp_path, json.dumps(data), "gcc.json"), ["12"])
    assert atf.search_space(*found.parameters).size == 6
    assert found.abort_condition == Evaluations(12) and found.search_technique == "auc_bandit"


def test_replacement_is_whole_names_at_once() -> None:
    configuration = {"A": "B", "B": 2, "early-inlining-insns_val": 7, "F": True}
    text = "A B AB x-B early-inlining-insns_val F"
    assert replaced(text, configuration) == "B 2 AB x-2 7 1"


@needs_compiler
def test_command_line_tunes_saxpy_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "saxpy.c"
    shutil.copy(DATA / "saxpy.c", source)
    status = main([str(source), "8", "--report", str(tmp_path / "report.html"), "--quiet"])
    assert status == 0
    assert "6 evaluations (0 invalid) of 10 configurations" in capsys.readouterr().out
    assert set(json.loads((tmp_path / "saxpy.c.best.json").read_text())) == {"WPT", "LS"}
    assert "<svg" in (tmp_path / "report.html").read_text()
    source.write_text(source.read_text().replace("evaluations( 6 )", "evaluations( 10 )"))
    assert main([str(source), "8", "--quiet", "-o", str(tmp_path / "best.json")]) == 0
    assert json.loads((tmp_path / "best.json").read_text()) == {"WPT": 4, "LS": 1}
    assert main([str(source)]) == 2
    assert "saxpy.c:1: N is argument $1" in capsys.readouterr().err


def test_command_line_prunes_maximises_and_shows_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that hangs is ended once another one was far faster; the cost file says what is to be maximised."""
    source = tmp_path / "program.sh"
    source.write_text(
        """#!/bin/sh
# #atf::tp name "T" range set<int>(1, 2, 3)
# #atf::run_script sh "$ATF_SOURCE"
# #atf::cost_file cost.txt
# #atf::search_technique exhaustive
if [ T = 3 ]; then exec sleep 600; fi
echo T0 > cost.txt
""".replace("T0", "1$((T))")
    )
    page = tmp_path / "page.html"
    assert main([str(source), "--quiet", "--maximise", "--prune", "40", "--live", str(page)]) == 0
    assert json.loads((tmp_path / "program.sh.best.json").read_text()) == {"T": 2}
    assert "cost 12.0" in capsys.readouterr().out and "it was given up after" in page.read_text()


def test_programs_that_fail_or_hang_are_invalid_configurations(tmp_path: Path) -> None:
    script = written(tmp_path, "case MODE in fail) echo 'an error: bad tile' >&2; exit 3;; hang) sleep 1000;; esac\n")
    mode = atf.tuning_parameter("MODE", atf.values("ok", "fail", "hang"))
    cost = atf.program(script, run_script="program.txt", timeout_s=2.0)
    start = time.monotonic()
    result = atf.tuner(mode).tune(cost)
    assert time.monotonic() - start < PATIENCE
    assert result.best_configuration == {"MODE": "ok"}
    reasons = {e.configuration["MODE"]: e.reason for e in result.history}
    assert reasons["fail"] == "running failed with status 3: an error: bad tile"
    assert reasons["hang"] == "running took longer than 2.0 s"
    cost.close()


def test_a_program_that_cannot_be_started_or_made_is_invalid(tmp_path: Path) -> None:
    script = written(tmp_path, "#!/no/such/interpreter\nT\n", "run.sh")
    script.chmod(0o755)
    outcome = atf.program(script)({"T": 1})  # type: ignore[arg-type]
    assert isinstance(outcome, atf.Invalid) and outcome.reason.startswith("running failed: ")
    with pytest.raises(ConfigurationError, match="neither compile_script nor run_script"):
        atf.program(written(tmp_path, "int main() {}", "p.c"))
    made_once = 'test T = 1 || exit 0; printf "#!/bin/sh\\n" > "$ATF_BINARY"; chmod +x "$ATF_BINARY"'
    cost = atf.program(written(tmp_path, made_once), compile_script="program.txt")
    assert isinstance(cost({"T": 1}), float)  # type: ignore[arg-type]
    assert isinstance(cost({"T": 2}), atf.Invalid)  # type: ignore[arg-type]  # not the binary of T = 1


def test_the_help_of_the_command_line_is_an_example_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = "\n".join(line.partition("   (")[0] for line in capsys.readouterr().out.splitlines() if "// #atf" in line)
    found = atf.read_directives(written(tmp_path, text), ["12"])
    assert atf.search_space(*found.parameters).size == 6
    assert found.cost_file == "cost.txt" and found.search_technique == "auc_bandit"


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="no signals")
def test_interrupting_the_command_line_writes_the_best_so_far(tmp_path: Path) -> None:
    path = written(tmp_path, '# #atf::tp name "T" range interval<int>(1, 500)\n# #atf::run_script sleep 0.05\n')
    history = tmp_path / "history.jsonl"
    command = [sys.executable, "-m", "jitmdh", "atf", str(path), "--history", str(history), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (history.exists() and history.read_text().count("\n") > 3):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "stopped: interrupted" in out
    assert set(json.loads((tmp_path / "program.txt.best.json").read_text())) == {"T"}


def test_cost_file_with_several_objectives(tmp_path: Path) -> None:
    script = written(tmp_path, 'echo "T, $((10 - T))" > cost.txt\n')
    T = atf.tuning_parameter("T", atf.interval(1, 4))
    cost = atf.program(script, run_script="program.txt", cost_file="cost.txt")
    result = atf.tuner(T, pareto=True).tune(cost)
    assert [c for _, c in result.pareto_front] == [(1, 9), (2, 8), (3, 7), (4, 6)]
    report = result.report(tmp_path / "report.html")
    assert "Pareto front" in report
    cost.close()
