"""The command line: what each command does, and what it says when it cannot."""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import jitmdh
from jitmdh import cli

ROOT = Path(__file__).parents[1]
KERNELS = """
import jitmdh as mdh

@mdh.jit
def scale(y, x, a):
    for i in range(x.shape[0]):
        y[i] = a * x[i]

def plain(x):
    return x
"""


@pytest.fixture
def kernels(tmp_path: Path) -> str:
    file = tmp_path / "kernels_for_cli.py"
    file.write_text(KERNELS)
    return str(file)


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "jitmdh", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in ("demo", "devices", "cache", "tune", "explain", "draw", "atf", "bench"):
        assert f"\n    {name} " in done.stdout


def test_as_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["jitmdh"].partition(":")
    with pytest.raises(SystemExit) as exit:
        getattr(importlib.import_module(module), name)(["--version"])
    assert exit.value.code == 0 and capsys.readouterr().out == f"jitmdh {jitmdh.__version__}\n"


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        cli.main([])
    assert exit.value.code == 2
    assert "required: COMMAND" in capsys.readouterr().err


def test_explain(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", f"{kernels}:scale", "f32[100]", "f32[100]", "2.0"]) == 0
    assert "scale" in capsys.readouterr().out


def test_explain_as_a_page(kernels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert cli.main(["explain", f"{kernels}:scale", "f32[100]", "f32[100]", "2.0", "--html", str(page)]) == 0
    assert capsys.readouterr().out == f"written: {page}\n"
    assert "a * x[i]" in page.read_text() and "independent" in page.read_text()


def test_tune(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tune", f"{kernels}:scale", "f32[1000]", "f32[1000]", "2.0"]
    assert cli.main([*command, "--evaluations", "3"]) == 0
    assert "3 of " in capsys.readouterr().out
    assert cli.main([*command, "--evaluations", "0"]) == 1
    assert "evaluations" in capsys.readouterr().err


def test_a_stage(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", f"{kernels}:scale", "f32[100]", "f32[100]", "2.0", "--stage", "mdh"]) == 0
    assert "md_hom" in capsys.readouterr().out


def test_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["devices"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("cpu ") and "-bit vectors" in shown


def test_cache(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cache"]) == 0
    assert "entries" in capsys.readouterr().out
    assert cli.main(["cache", "why", f"{kernels}:scale", "f64[3]", "f64[3]", "1"]) == 0
    assert capsys.readouterr().out.strip()
    assert cli.main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "cleared\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["explain", "scale"],
            "error: `scale` names no function [MDH301]\n  hint: MODULE:FUNCTION, such as kernels:matvec\n",
        ),
        (["explain", "no.such.module:f"], "error: there is no module `no.such.module`"),
        (["explain", "no_such_file.py:f"], "error: there is no file `no_such_file.py` [MDH301]\n"),
        (["explain", "{kernels}:missing"], "has no `missing` [MDH301]\n"),
        (["explain", "{kernels}:plain"], "plain` is not decorated with @mdh.jit [MDH301]\n"),
        (
            ["explain", "{kernels}:scale", "f32[100"],
            "error: argument `f32[100` is neither an array nor",
        ),
        (["explain", "{kernels}:scale", "f33[100]"], "error: there is no element type `f33`"),
        (["cache", "why"], "error: cache why: which function?"),
        (
            ["explain", "{kernels}:scale", "f32[9]", "f32[9]"],
            "missing a required argument: 'a' [MDH201]\n  hint: its parameters are y, x, a\n",
        ),
        (["cache", "why", "{kernels}:scale", "f32[9]"], "missing a required argument: 'x'"),
        (["tune", "{kernels}:scale", "1", "2", "3", "4"], "too many positional arguments"),
    ],
)
def test_wrong_use_is_told_in_a_line(
    arguments: list[str], message: str, kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([argument.format(kernels=kernels) for argument in arguments]) == 1
    shown = capsys.readouterr()
    assert message in shown.err and "Traceback" not in shown.err and not shown.out


def test_what_a_module_lacks_is_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imports_what_is_not_there.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        cli.main(["explain", "imports_what_is_not_there:f"])


@pytest.mark.parametrize(("text", "dtype", "shape"), [
    ("f32[2,3]", np.float32, (2, 3)), ("i64[4]", np.int64, (4,)), ("float64[2, 2]", np.float64, (2, 2)),
    ("u8[5]", np.uint8, (5,)), ("f64[]", np.float64, ()),
])  # fmt: skip
def test_arrays_from_text(text: str, dtype: type, shape: tuple[int, ...]) -> None:
    made = cli.argument(text)
    assert made.dtype == dtype and made.shape == shape


def test_literals_from_text() -> None:
    assert [cli.argument(text) for text in ("3", "-2.5", "True")] == [3, -2.5, True]


def test_bench_without_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                      capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setattr(cli, "__file__", str(tmp_path / "jitmdh" / "cli.py"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main(["bench"]) == 1
    assert "the benchmarks are not part of the installed package" in capsys.readouterr().err


def test_bench_names_unknown_peers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.peers.libraries.limited_threads", contextlib.nullcontext)
    assert cli.main(["bench", "--peers", "fortran"]) == 2
    assert "there is no peer `fortran`" in capsys.readouterr().err


def test_demo_needs_its_packages(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main(["demo"]) == 1
    shown = capsys.readouterr().err
    assert "needs scikit-learn and Pillow, which are not installed" in shown and "jitmdh[demo]" in shown


def test_draw_writes_a_picture(kernels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, call = tmp_path / "scale.svg", ["draw", f"{kernels}:scale", "f32[100]", "f32[100]", "2.0", "--out"]
    assert cli.main([*call, str(out)]) == 0
    assert "(L1,i)" in out.read_text() and f"written: {out}" in capsys.readouterr().out
    assert cli.main([*call, str(tmp_path)]) == 1 and "cannot be written" in capsys.readouterr().err


def test_a_script_finds_modules_of_the_folder_it_is_run_in(tmp_path: Path) -> None:
    """Not only `python -m jitmdh`, which begins with that folder."""
    (tmp_path / "kernels_for_script.py").write_text(KERNELS)
    script = tmp_path / "bin" / "jitmdh"
    script.parent.mkdir()
    script.write_text("import sys\nfrom jitmdh.cli import main\nsys.exit(main())\n")
    command = [sys.executable, str(script), "explain", "kernels_for_script:scale", "f32[100]", "f32[100]"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1 and "missing a required argument: 'a'" in done.stderr
