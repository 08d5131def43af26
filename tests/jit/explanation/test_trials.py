"""What `f.explain` says about tuning while a program runs, as text and as a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.online.knowledge import Observation, Subject
from jitmdh.jit.online.wisdom import knowledge_of
from jitmdh.jit.trials.record import Gain

SUBJECT = Subject("f00", "module.doubled", "one", "cpu", "a class", 2, "zen")


def doubled(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def test_what_matters_and_what_calls_took(tmp_path: Path) -> None:
    with config(cache=True, cache_dir=str(tmp_path / "cache")):
        f = mdh.jit(doubled)
        f(np.zeros(9), np.ones(9))
        f.record.states["a call"], f.record.subjects["a call"] = "done", SUBJECT
        known = knowledge_of(f.codes.store)
        for tile in range(1, 9):
            for order in ("i j", "j i"):
                values = {"tile": tile, "order": order}
                known.record(SUBJECT, Observation({"f": values}, values, {"n": 9}, float(tile), 1.0))
        for spent in range(10):
            f.record.spent["a call"] = float(spent)
            f.record.took("a call", 2e-3 if spent < 5 else 1e-3)
        f.record.gains["a call"] = [Gain(0.5, 0.4, 0.6, 5.0)]
        found = f.explain(np.zeros(9), np.ones(9), measure=False)
    (line,) = re.findall("what matters: (.*)", str(found))
    assert line.startswith("tile 100%") and "order" not in line and "16 times" in line
    page = found.report(tmp_path / "page.html").read_text()
    _of_the_nest, picture = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(re.findall('class="dot"', picture)) == 10 and len(re.findall('class="switch"', picture)) == 1
    ElementTree.fromstring(picture)


def _misaligned(size: int) -> Any:
    return np.frombuffer(np.zeros(8 * size + 1, np.uint8).data, np.float64, size, 1)


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        (lambda: (np.zeros(9), _misaligned(9)), "`x` is not aligned to its elements"),
        (lambda: (lambda both: (both[::2], both[1::2]))(np.zeros(18)), "arrays lie interleaved in memory"),
        (lambda: (np.zeros(9), Foreign(np.ones(9))), "`x` is a tests.jit.explanation.test_trials.Foreign"),
        (lambda: (np.zeros(9, "q"), np.ones(9, "q")), ""),
        (lambda: (np.zeros(9), np.ones(9)), ""),
    ],
)
def test_calls_that_python_takes_part_in_are_not_tuned_and_it_is_said(arrays: Any, why: str) -> None:
    y, x = arrays()
    f = mdh.jit(cache=False)(doubled)
    f(y, x)
    before = f.stats().slow_calls
    f(y, x)
    assert (f.stats().slow_calls > before) == bool(why)
    (section,) = (s for s in f.explain(y, x, measure=False).sections if s.title == "tuning while it runs")
    assert section.rows[0].subject == ("off" if why else "state")
    assert section.rows[0].text.startswith(why or "its calls have not taken")


class Foreign:
    """An array of another library."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()
