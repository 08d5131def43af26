"""The tutorial and the examples run, on small budgets."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.atf.directives.commandline import main

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial_tuning.md").read_text()
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on this machine")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TUTORIAL, re.DOTALL)


def test_python_of_the_tutorial() -> None:
    names: dict[str, Any] = {}
    for block in blocks("python"):
        exec(compile(block, "tutorial_tuning.md", "exec"), names)
    assert names["result"].best_configuration in names["space"]
    assert names["page"].startswith("<!doctype html>")
    assert names["tuner"].best_configuration["TI"] in (32, 64, 128)


@needs_compiler
def test_c_of_the_tutorial(tmp_path: Path) -> None:
    (source,) = blocks("c")
    path = tmp_path / "transpose.c"
    path.write_text(source)
    assert main([str(path), "64", "--quiet"]) == 0
    best = json.loads((tmp_path / "transpose.c.best.json").read_text())
    assert best["TILE"] in (8, 16, 32, 64)


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), ROOT / "examples" / name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_example_with_workers() -> None:
    result = example("61_tune_with_workers.py").main(2)
    assert result.best_configuration == {"OPT": "-Ofast", "UNROLL": 4}
    (lost,) = [e.reason for e in result.history if e.cost is None]
    assert lost == "its process ended (SIGABRT)" or "given up" in lost  # it may not even get to that on a busy machine


@needs_compiler
def test_saxpy_example() -> None:
    result = example("20_atf_saxpy.py").main(2**12, 4, "c")
    assert len(result.history) == 4
    assert result.best_configuration in result.space


@pytest.mark.usefixtures("opencl")
def test_saxpy_example_with_opencl(capsys: pytest.CaptureFixture[str]) -> None:
    result = example("20_atf_saxpy.py").main(2**12, 4)
    assert "no OpenCL" not in capsys.readouterr().out
    assert len(result.history) == 4
    assert all(e.reason == "" or "work-group" in e.reason for e in result.history)


def test_gaussian_example_computes_the_convolution_while_tuning() -> None:
    tuner = example("21_atf_gaussian.py").main(32, 10)
    assert tuner.exploiting
    assert tuner.evaluation_count == 6 == tuner.space.size
    assert isinstance(tuner, atf.Tuner)
