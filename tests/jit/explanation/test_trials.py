"""What `f.explain` says about tuning while a program runs, as text and as a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

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
