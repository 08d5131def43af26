"""Remembered code: found by another process, quickly; not found once anything it depends on has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.compilation.compiled import from_bytes
from tests.jit.programs import native_matvec, native_scaled
from tests.waiting import PATIENCE
from tests.warm_start import warm_python

PROGRAM = """
import json, sys
import numpy as np
import jitmdh as mdh
scale = {scale}
@mdh.jit({options})
def matvec(w, M, v):
    # {comment}
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k] * scale
w, M, v = np.ones(20), np.ones((20, 30)), np.ones({length})
if {length} == 30:
    matvec(w, M, v)
    assert (w == 1 + 30 * scale).all(), w
else:
    try:
        matvec(w, M, v)
    except IndexError as error:
        print(error.loc, file=sys.stderr)
stats = matvec.stats()
print(json.dumps([stats.compiles, stats.cache_hits, list(stats.misses.values()),
                  [m for m in {heavy} if m in sys.modules]]))
"""


HEAVY = ("llvmlite", "islpy", "numba", "jitmdh.mdh.compile", "jitmdh.mdh.targets.c_dialects.printer")


def run(folder: Path, python: Sequence[str] = (), **facts: Any) -> tuple[list[Any], str]:
    """The program in a process of its own: [compiles, hits, reasons of misses, heavy modules], standard error."""
    facts = {"scale": 1.0, "comment": "", "length": 30, "options": "", "heavy": HEAVY, **facts}
    variables = facts.pop("environment", {})
    script = folder / "program.py"
    script.write_text(PROGRAM.format(**facts))
    environment = {
        **os.environ,
        "MDH_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": str(Path(mdh.__file__).parents[1]),
    }
    done = subprocess.run(
        [*(python or warm_python()), "-W", "error", str(script)], env={**environment, **variables},
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_a_second_process_compiles_nothing_and_imports_little(tmp_path: Path) -> None:
    python = [sys.executable]
    assert run(tmp_path, python)[0][:2] == [1, 0]
    assert run(tmp_path, python)[0] == [0, 1, [], []]
    assert run(tmp_path, comment="a comment changes nothing")[0][:2] == [0, 1]


def test_a_second_process_with_a_device_imports_no_compiler(tmp_path: Path, opencl: Any) -> None:
    python, options = [sys.executable], 'target="opencl"'
    assert run(tmp_path, python, options=options)[0][:2] == [1, 0]
    assert run(tmp_path, python, options=options)[0] == [0, 1, [], []]


def test_what_changes_is_compiled_and_said(tmp_path: Path) -> None:
    run(tmp_path)
    (compiles, _, reasons, _), _ = run(tmp_path, scale=2.0)
    assert compiles == 1 and "something it calls or reads, has changed" in reasons[0]
    (compiles, _, reasons, _), _ = run(tmp_path, options="reassociate=False")
    assert compiles == 1 and "options" in reasons[0]
    other = "avx2" if config.cpu_features == "128" else "128"
    (compiles, _, reasons, _), _ = run(tmp_path, environment={"MDH_CPU_FEATURES": other})
    assert compiles == 1 and "processor" in reasons[0]
    assert run(tmp_path)[0][:2] == [0, 1]


def test_caching_off(tmp_path: Path) -> None:
    run(tmp_path)
    assert run(tmp_path, options="cache=False")[0][:3] == [1, 0, ["caching is switched off"]]
    assert run(tmp_path, environment={"MDH_CACHE": "0"})[0][:3] == [1, 0, ["caching is switched off"]]


def test_errors_of_remembered_code_name_the_place_of_now(tmp_path: Path) -> None:
    run(tmp_path)
    (compiles, hits, _, _), error = run(tmp_path, length=29, comment="one\n    # two\n    # three")
    assert (compiles, hits) == (0, 1)
    assert "program.py:" in error


@pytest.fixture
def cache(tmp_path: Path) -> Any:
    with config(cache_dir=tmp_path):
        yield mdh.cache


def operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(3), np.ones((3, 4)), np.ones(4)


def test_in_one_process(cache: Any) -> None:
    first, second = native_matvec(), native_matvec()
    first(*operands())
    second(*operands())
    assert (first.stats().compiles, second.stats().compiles, second.stats().cache_hits) == (1, 0, 1)
    assert "never stored" in cache.why(first, *operands())
    assert cache.why(second, *operands()) == ""
    assert cache.info().entries >= 3
    cache.clear()
    assert cache.info().entries == 0
    third = native_matvec()
    third(*operands())
    assert third.stats().compiles == 1


def test_a_value_of_another_format_is_a_miss(cache: Any) -> None:
    first = native_matvec()
    first(*operands())
    store = code_cache.store_of(first.options)
    assert store is not None
    specialisation = next(s for known in first.codes.by_signature.values() for s in known)
    key = code_cache._variant_key(first.codes.key(specialisation.signature), specialisation.compiled.conditions)
    assert from_bytes(store.get(key) or b"") is not None
    for damage in (b"", b"other", (store.get(key) or b"")[:40], b"jitmdh code 1\n" + b"\xff" * 100):
        store.put(key, damage)
        again = native_matvec()
        again(*operands())
        assert again.stats().compiles == 1


def test_facts_survive(cache: Any) -> None:
    f = native_scaled()
    f(np.ones(3), 2.0)
    compiled = next(s for known in f.codes.by_signature.values() for s in known).compiled
    again = from_bytes(compiled.to_bytes())
    assert again is not None
    for name in (
        "name",
        "parameters",
        "allocations",
        "checks",
        "returns",
        "returns_tuple",
        "configuration",
        "code",
        "loc",
    ):
        assert getattr(again, name) == getattr(compiled, name), name
    moved = again.moved("elsewhere.py", 100)
    assert moved.loc is not None and (moved.loc.filename, moved.loc.line) == ("elsewhere.py", 100)
