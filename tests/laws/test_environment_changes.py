"""Whatever a function reads may change, within a process and from one to the next: compiled code notices.

`python -m tests.fuzz_environment` tries many more programs than these.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from tests.environments import FEATURES, Program
from tests.fuzz_environment import run
from tests.warm_start import warm_python


@pytest.fixture(autouse=True)
def quiet() -> object:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("seed", [*range(6), 700034])  # the last: an object that answers to any name
def test_random_changes(seed: int, tmp_path: Path) -> None:
    outcome = run(seed, tmp_path)
    assert not outcome.differences, "\n".join(outcome.differences)
    assert outcome.counts["calls"] >= 8


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.name.replace(" ", "_"))
def test_all_changes_of_one_kind(feature: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each expression of a feature, and after one call each change of it."""
    from tests import fuzz_environment

    for number, read in enumerate(feature.reads):
        made = Program((feature,), (read.replace("{v}", "2.0"),))
        steps = ["call"]
        for change in feature.changes:
            steps += [change.replace("{v}", "0.75"), "call"]
        monkeypatch.setattr(fuzz_environment, "program", lambda draw, made=made: made)
        monkeypatch.setattr(fuzz_environment, "steps_of", lambda made, draw, steps=steps: steps)
        (tmp_path / str(number)).mkdir()
        outcome = run(number, tmp_path / str(number))
        assert not outcome.differences, "\n".join(outcome.differences)
        # What cannot be compiled at first stays with Python for such arguments, whatever changes.
        assert (outcome.counts["native calls"] > 0) is (read != "(first if v > 1.0 else second).s"), read


def test_random_changes_across_processes(tmp_path: Path) -> None:
    outcome = run(random.Random(3).randrange(1000), tmp_path, in_processes=True)
    assert not outcome.differences, "\n".join(outcome.differences)
    assert outcome.counts["processes"] >= 2


# ---------------------------------------------------------------------------------------------- one by one

CONFIGURED = """
import sys, types
import numpy as np
import jitmdh as mdh
cfg = types.SimpleNamespace(s=float(sys.argv[1]), unread=float(sys.argv[2]))

@mdh.jit
def scaled(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i] * cfg.s

y = np.zeros(5)
scaled(y, np.ones(5))
print(y[0], scaled.stats().compiles, mdh.cache.why(scaled, y, y))
"""


def test_a_changed_attribute_is_a_miss_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(CONFIGURED)
    environment = {**os.environ, "MDH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def printed(*arguments: str) -> str:
        command = [*warm_python(), str(tmp_path / "program.py"), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert printed("2", "1").startswith("2.0 1 never stored")
    assert printed("2", "1") == "2.0 0"
    third = printed("3", "1")
    assert third.startswith("3.0 1 ") and third.endswith("something it calls or reads, has changed: `cfg.s`")
    assert printed("3", "5") == "3.0 0"
    assert printed("2", "7") == "2.0 0"


def test_an_operator_given_with_the_decorator(tmp_path: Path) -> None:
    """Its code is read through the option, not through a name in the function."""
    text = """
import jitmdh as mdh
@mdh.operator(identity=0.0)
def plus(a, b):
    return a + b{rest}
@mdh.jit(combine=dict(k=mdh.pw(plus)))
def total(y, x):
    for k in range(x.shape[0]):
        y[0] = plus(y[0], x[k])
"""
    results = []
    with mdh.config(cache_dir=tmp_path / "cache"):
        for number, rest in enumerate(("", " + 0.0 * a + a * b * 0.0", "")):
            path = tmp_path / f"total{number}.py"
            path.write_text(text.format(rest=rest))
            space: dict[str, object] = {"__name__": "total"}
            exec(compile(path.read_text(), str(path), "exec"), space)
            total = space["total"]
            total(np.zeros(1), np.ones(3))
            results.append(total.stats().compiles)
    assert results == [1, 1, 0]
