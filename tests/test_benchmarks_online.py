"""The benchmark of tuning while a program runs: its loops are right, and its lines say what was reached."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.online import __main__ as online
from benchmarks.online import picture as online_picture
from benchmarks.online.in_turns import Caller, fields
from benchmarks.online.loops import LOOPS, SETTLED, WEAK
from benchmarks.online.picture import NUMPY, course


def test_the_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert online.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(LOOPS) and sum("weak" in line for line in lines) == len(WEAK) == 10
    assert {*WEAK, *SETTLED} < set(LOOPS)


@pytest.mark.parametrize(
    "name", ["bmv_f64_10000x6", "colsum_f64_50000x30", "argmax0_3000x700", "siamese", "einsum3_f64"]
)
def test_a_loop_runs_and_is_right(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert online.main(["--run", name, "off", "100", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calls"] == 3 and found["trials"] == 0 and found["total_us"] > found["first_us"] > 0


def test_a_loop_computes_what_numpy_does() -> None:
    random = np.random.default_rng(0)
    for name, expected in (
        ("mv_strided_2000", lambda w, M, v: M @ v), ("softmax_333x1000", lambda y, x: _softmax(x)),
        ("argmax0_3000x700", lambda best, at, x: x.max(0)), ("colsum_f64_50000x30", lambda s, x: x.sum(0)),
    ):  # fmt: skip
        given = LOOPS[name].arrays(random)
        LOOPS[name].made("off")  # decorates
        import jitmdh as mdh

        mdh.jit(cache=False, tune="off")(LOOPS[name].function)(*given)
        np.testing.assert_allclose(given[0], expected(*given), rtol=1e-3)


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@pytest.mark.parametrize("times", [3.0, 1.0])
def test_a_target_that_is_missed_is_a_cross(times: float, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def started(name: str, tune: str, seconds: float, calls: int = 0, cache: str | None = None) -> dict[str, Any]:
        return {"cpu": [0.03 if times > 2 else 0.05]}

    class Turns:
        def __init__(self, tune: str) -> None:
            self.tune, self.means = tune, [50.0]

        def turn(self) -> dict[str, Any]:
            self.means.append(1.0 if self.tune == "online" else times)
            return {"switches": 1, "candidates": 4, "trials": 8, "states": ["done"], "lost": {}}

    monkeypatch.setattr(online, "started", started)
    monkeypatch.setattr(online, "caller", lambda name, tune: nullcontext(Turns(tune)))
    status = online.main(["--weak", "--costs", "mm_400x20x3000"])
    lines = capsys.readouterr().out.splitlines()
    assert (status, [line[0] for line in lines]) == ((0, ["✓"] * 3) if times > 2 else (1, ["✗"] * 3))
    assert f"{times:.2f} times as fast, wanted 2.0" in lines[0]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="who is whose child is read from /proc")
def test_who_is_not_at_turn_stands_still() -> None:
    code = (
        "import time; from benchmarks.online.in_turns import serve;"
        "serve(lambda: time.sleep(0.001), lambda: {'cpu': time.process_time()})"
    )
    one = Caller([sys.executable, "-c", code], dict(os.environ))
    try:
        assert fields(one.process_id)[0] in "Tt"
        found = one.turn(0.05)
        assert one.means == [found["mean_s"]] and found["mean_s"] >= 0.001
        assert fields(one.process_id)[0] in "Tt"
    finally:
        one.close()
    assert fields(one.process_id)[0] == "X", "it is gone"


def test_each_call_counts_in_the_picture() -> None:
    times = [1e-3 * (1 + n % 7) for n in range(999)]
    found = course(times, [0.0, sum(times[:500]) - 1e-4])
    before = [0, *found.ends[:-1]]
    assert found.ends[-1] == 999 and found.switches == [1, 500]
    assert sum((n - b) * us for n, b, us in zip(found.ends, before, found.us)) == pytest.approx(
        1e6 * sum(times), rel=1e-4
    )


def test_a_picture_has_a_line_for_each_way_and_one_for_each_switch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fast = course([2e-3] * 40 + [1e-3] * 400, [0.079])

    def started(name: str, way: str, seconds: float) -> Any:
        return fast if way == "online" else course([2e-3] * 60)

    monkeypatch.setattr(online_picture, "started", started)
    svg, kept, again = (tmp_path / name for name in ("a.svg", "a.json", "b.svg"))
    assert online_picture.main(["mm_400x20x3000", "--svg", str(svg), "--json", str(kept)]) == 0
    text = svg.read_text()
    assert text.count("<polyline") == 3 and text.count('class="switch"') == 1
    assert online_picture.main(["--again", "--svg", str(again), "--json", str(kept)]) == 0
    assert again.read_text() == text
    online_picture.main(["blur", "--svg", str(svg)])
    assert svg.read_text().count("<polyline") == 2  # NumPy has no such filter


def test_the_picture_of_the_page_is_drawn_from_what_was_measured(tmp_path: Path) -> None:
    here, svg = Path(__file__).parents[1], tmp_path / "a.svg"
    kept = here / "benchmarks" / "online" / "picture.json"
    assert online_picture.main(["--again", "--svg", str(svg), "--json", str(kept)]) == 0
    assert svg.read_text() == (here / "docs" / "online.svg").read_text()


@pytest.mark.parametrize(
    "name", [name for name, loop in LOOPS.items() if loop.function in NUMPY and "mm_f" not in name]
)
def test_what_numpy_is_timed_with_computes_the_same(name: str) -> None:
    loop = LOOPS[name]
    given = loop.arrays(np.random.default_rng(0))
    expected = np.zeros_like(given[0])
    NUMPY[loop.function](expected, *given[1:])
    import jitmdh as mdh

    mdh.jit(cache=False, tune="off")(loop.function)(*given)
    np.testing.assert_allclose(given[0], expected, rtol=1e-3)


class Turns:
    """Stands for a process whose calls take 3 of some unit while it searches, and 1 afterwards; the best always 1."""

    def __init__(self, name: str, tune: str) -> None:
        self.tune, self.means = tune, list[float]()

    def __enter__(self) -> Turns:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def turn(self) -> None:
        self.means.append(3.0 if self.tune == "online" and len(self.means) < 15 else 1.0)


def test_the_best_that_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(online, "BEST", tmp_path / "data" / "best.json")
    online._recorded("mm_60", 1.0)
    found = json.loads(online.BEST.read_text())["mm_60"]
    assert found["ratio"] > 0 and set(found["configuration"]) == {"matmul"}
    call, _, check = LOOPS["mm_60"].made("off", found["configuration"])
    call()
    check()
    monkeypatch.setattr(online, "caller", Turns)
    capsys.readouterr()
    assert online.main(["--oracle", "--seconds", "15", "mm_60"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("✗ mm_60") and "steady 1.00, wanted 1.10, in all 2.000, wanted 1.15" in lines[0]
    assert lines[1].startswith("✓") and "100% of 1 loops" in lines[1]
    assert online.main(["--oracle", "--seconds", "15", "softmax_333x1000", "blur"]), "of the settled list: the model's"
    assert "softmax_333x1000" in (lines := capsys.readouterr().out.splitlines())[0] and "of 1 loops" in lines[1]
