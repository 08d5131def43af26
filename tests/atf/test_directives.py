"""Tuning directives: Listing 24 and relatives, their meaning, and messages that point at the mistake."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from jitmdh import atf
from jitmdh.atf.abort import AnyOf, Duration, Evaluations, Speedup
from jitmdh.atf.commandline import main
from jitmdh.atf.programs import replaced
from jitmdh.base.errors import ConfigurationError

DATA = Path(__file__).parent / "data"
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
        "abort_condition": "duration<minutes>(30)",
    }
    (tmp_path / "build.sh").write_text("echo opt_level --param x=early-inlining-insns_val\n")
    found = atf.read_directives(written(tmp_path, json.dumps(data), "gcc.json"))
    assert atf.search_space(*found.parameters).size == 2002
    assert found.source == tmp_path / "build.sh"
    assert found.abort_condition == Duration(1800.0)


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


def test_programs_that_fail_or_hang_are_invalid_configurations(tmp_path: Path) -> None:
    script = written(tmp_path, "case MODE in fail) echo 'an error: bad tile' >&2; exit 3;; hang) sleep 60;; esac\n")
    mode = atf.tuning_parameter("MODE", atf.values("ok", "fail", "hang"))
    cost = atf.program(script, run_script="program.txt", timeout_s=2.0)
    start = time.monotonic()
    result = atf.tuner(mode).tune(cost)
    assert time.monotonic() - start < 40
    assert result.best_configuration == {"MODE": "ok"}
    reasons = {e.configuration["MODE"]: e.reason for e in result.history}
    assert reasons["fail"] == "running failed with status 3: an error: bad tile"
    assert reasons["hang"] == "running took longer than 2.0 s"
    cost.close()


def test_cost_file_with_several_objectives(tmp_path: Path) -> None:
    script = written(tmp_path, 'echo "T, $((10 - T))" > cost.txt\n')
    T = atf.tuning_parameter("T", atf.interval(1, 4))
    cost = atf.program(script, run_script="program.txt", cost_file="cost.txt")
    result = atf.tuner(T, pareto=True).tune(cost)
    assert [c for _, c in result.pareto_front] == [(1, 9), (2, 8), (3, 7), (4, 6)]
    report = result.report(tmp_path / "report.html")
    assert "Pareto front" in report
    cost.close()
