"""The page of `explain --html` in a real browser, where there is one: everything is there, and within the window."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jitmdh.hca import roofline
from tests.jit.explanation.test_explain import LIMITS, marked
from tests.waiting import PATIENCE

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ASK = """<script>
const width = document.documentElement.clientWidth, shown = e => e.getBoundingClientRect();
const beyond = [...document.querySelectorAll("body *")]
  .filter(e => shown(e).right > width + 1 && !e.closest("pre,code"));
document.body.dataset.said = JSON.stringify({
  width, scroll: document.documentElement.scrollWidth, beyond: beyond.map(e => e.tagName + "." + e.className),
  titles: [...document.querySelectorAll("h2")].filter(e => shown(e).height > 0).map(e => e.textContent),
  marks: document.querySelectorAll(".said > *").length, stages: document.querySelectorAll(".stage").length,
  drawn: [...document.querySelectorAll("svg")].map(e => Math.min(shown(e).width, shown(e).height)),
});
</script>"""


def _said(page: Path, width: int) -> dict[str, Any]:
    assert BROWSER is not None
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = [BROWSER, "--headless", *root, "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}"]
    command += [f"--window-size={width},900", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    found = re.search(r'data-said="([^"]*)"', done.stdout)
    assert found is not None, done.stderr[-2000:]
    said: dict[str, Any] = json.loads(unescape(found[1]))
    return said


@pytest.mark.skipif(BROWSER is None, reason="no Chromium: apt-get install chromium")
@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("width", (1200, 600))
def test_everything_is_within_the_window(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roofline, "measure", lambda threads: LIMITS)
    page = marked.explain(np.zeros(2000), np.zeros(20), np.ones((2000, 1000)), 2).report(tmp_path / "page.html")
    page.write_text(page.read_text() + ASK)
    said = _said(page, width)
    assert said["scroll"] <= said["width"] and said["beyond"] == []
    assert said["titles"] == ["Source", "Roofline", "Details", "Configuration, drawn", "Stages"]
    assert said["marks"] >= 5 and said["stages"] == 4 and min(said["drawn"]) > 100
