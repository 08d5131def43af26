"""`f.explain`: what it says is so, it changes nothing, and it stays readable where little is known."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import cli
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError, NotAnMdhError
from jitmdh.hca import roofline
from jitmdh.jit.execution.replica import replica
from jitmdh.jit.explanation.report import Explanation, ReportRow, Section
from jitmdh.mdh.targets.llvm.target import PASSES
from tests.jit.programs import matvec as plain_matvec
from tests.jit.test_decorator import native_matvec
from tests.known_limits import known_limits

LIMITS = known_limits(2, {"float32": 100.0, "float64": 50.0})


@pytest.fixture(autouse=True)
def limits_without_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roofline, "measure", lambda threads: LIMITS)


@mdh.jit(cache=False)
def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


@mdh.jit(cache=False)
def smooth(y, x, steps):
    for _t in range(steps):
        for i in range(1, x.shape[0] - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
        for i in range(1, x.shape[0] - 1):
            x[i] = y[i]


@mdh.jit(cache=False)
def lower_sums(w, M):
    for i in range(M.shape[0]):
        for k in range(i + 1):
            w[i] += M[i, k]


@mdh.jit(cache=False)
def doubled(x):
    y = np.zeros(x.shape[0], x.dtype)
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]
    return y


def operands(rows: int = 40, columns: int = 70) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    return random.random(rows), random.random((rows, columns)), random.random(columns)


def section(found: Explanation, title: str) -> dict[str, str]:
    rows = next((s.rows for s in found.sections if s.title == title), ())
    return {row.subject or row.text: row.text for row in rows}


# --------------------------------------------------------------------------------------------------- loops


def test_loops_and_why() -> None:
    text = str(matvec.explain(*operands()))
    line = matvec.py_func.__code__.co_firstlineno
    assert f"i (test_explain.py:{line + 2}): ++, because its iterations are proved independent" in text
    assert (
        f"k (test_explain.py:{line + 3}): •(add), because `w[i] += M[i, k] * v[k]` is a recognised associative update"
    ) in text
    assert "for i < M.shape[0] = 40, k < M.shape[1] = 70" in text


def test_sequential_loops_and_why() -> None:
    x = np.random.default_rng(0).random(50)
    loops = section(smooth.explain(np.zeros(50), x, 4, measure=False), "loops")
    first = next(iter(loops))
    assert first.startswith("_t (test_explain.py:")
    assert loops[first].startswith("one iteration after the other, because x[i + 1] is set anew")


@mdh.jit(cache=False)
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@mdh.jit(cache=False)
def running(y, x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        y[i] = s


def test_updates_of_local_variables() -> None:
    assert "•(add), because `s += x[i]` is a" in str(total.explain(np.ones(9), measure=False))
    text = str(running.explain(np.ones(9), np.ones(9), measure=False))
    assert "ps(add), because `s += x[i]` keeps every state of a recognised associative update" in text


def test_declared_operators() -> None:
    f = mdh.jit(combine={"k": mdh.pw(mdh.add)}, cache=False)(plain_matvec)
    assert "•(add), because the option `combine` says so" in str(f.explain(*operands(), measure=False))


# ---------------------------------------------------------------------------------------------------- work


def test_work_of_a_matrix_vector_product() -> None:
    w, M, v = operands()
    found = matvec.explain(w, M, v)
    assert found.flops == 2 * 40 * 70 + 40
    assert found.bytes == M.nbytes + v.nbytes + 2 * w.nbytes
    assert found.seconds is not None and found.seconds > 0
    assert found.limit == "memory" and found.limit_seconds == pytest.approx(found.bytes / 1e10)
    assert found.share == pytest.approx(found.limit_seconds / found.seconds)


def test_work_of_what_a_function_allocates() -> None:
    found = doubled.explain(np.ones(100), measure=False)
    assert (found.flops, found.bytes) == (100, 1600)


def test_work_of_time_steps() -> None:
    found = smooth.explain(np.zeros(100), np.ones(100), 10, measure=False)
    assert found.flops == 10 * 98 * 3 and found.bytes == 8 * (100 + 98 + 98)


def test_work_of_a_triangle_is_an_estimate() -> None:
    found = lower_sums.explain(np.zeros(100), np.ones((100, 100)), measure=False)
    assert found.flops == pytest.approx(5050 + 100, rel=0.1)
    assert section(found, "work")["operations"].startswith("about ")


def test_nothing_to_do() -> None:
    found = matvec.explain(np.zeros(0), np.zeros((0, 3)), np.zeros(3))
    assert found.flops == 0 and found.share == 0.0


# ------------------------------------------------------------------------------------------------- measuring


def test_the_user_s_arrays_are_left_alone() -> None:
    w, M, v = operands()
    before, calls = [a.copy() for a in (w, M, v)], matvec.stats().calls
    matvec.explain(w, M, v)
    for now, then in zip((w, M, v), before):
        np.testing.assert_array_equal(now, then)
    assert matvec.stats().calls == calls


def test_measuring_can_be_left_out() -> None:
    found = matvec.explain(*operands(), measure=False)
    assert found.seconds is None and found.share is None and found.limit is None
    assert "measured" not in section(found, "work") and section(found, "configuration")


def test_an_array_given_twice() -> None:
    x, before = np.arange(50.0), np.arange(50.0)

    @mdh.jit(cache=False)
    def add(y, x):
        for i in range(x.shape[0]):
            y[i] += x[i]

    assert add.explain(x, x).seconds
    np.testing.assert_array_equal(x, before)


def test_a_call_that_fails_is_not_measured() -> None:
    w, M, v = operands()
    found = matvec.explain(w, M, v[:3])
    assert found.seconds is None
    assert section(found, "work")["measured"].startswith("not, because the call fails: ")


@pytest.mark.parametrize(
    "array",
    [np.arange(60.0).reshape(6, 10)[::2, ::-1], np.zeros((3, 4), order="F").T, np.zeros((4, 1 << 12))[:, ::4096],
     np.broadcast_to(np.float32(3), (4, 5)), np.zeros((0, 3)), np.arange(9, dtype=np.int16)[1:]],
)  # fmt: skip
def test_replicas(array: Any) -> None:
    made = replica(array)
    np.testing.assert_array_equal(made, array)
    assert made.dtype == array.dtype and made.flags.writeable
    assert made.strides == array.strides or array.shape == (4, 1)
    assert not np.may_share_memory(made, array)
    made[...] = 1


# ---------------------------------------------------------------------------------------------------- remarks


def test_what_holds_it_back_is_said_where_it_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    w, M, v = operands()
    fast = known_limits(2, {"float32": 1e-3, "float64": 1e-3})
    monkeypatch.setattr(roofline, "measure", lambda threads: fast)
    assert not section(matvec.explain(w, M, v), "held back by")
    slow = known_limits(2, {"float32": 1e6, "float64": 1e6}, 1e15)
    monkeypatch.setattr(roofline, "measure", lambda threads: slow)
    assert section(matvec.explain(w, M, v), "held back by")
    back = " ".join(section(smooth.explain(np.zeros(500), np.ones(500), 50), "held back by"))
    assert "50 iterations of _t, one after the other" in back and "100 passes over arrays" in back


def shortest(path: Any) -> None:
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            for j in range(1, path.shape[0]):
                path[i, j] = min(path[i, j], path[k, i] + path[j, k])


def test_one_element_after_the_other_is_not_called_too_little_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = known_limits(2, {"float32": 1e6, "float64": 1e6}, 1e15)
    monkeypatch.setattr(roofline, "measure", lambda threads: slow)
    back = " ".join(section(mdh.jit(shortest).explain(np.ones((60, 60))), "held back by"))
    assert "one element after the other" in back and "60 iterations of k" in back
    assert "too little" not in back and "passes" not in back


def test_checks_and_origin(tmp_path: Path) -> None:
    found = matvec.explain(*operands(), measure=False)
    assert any("out of bounds" in row for row in section(found, "checked before anything is written"))
    assert section(found, "origin")["code"] == "compiled in this process"
    with mdh.config(cache_dir=tmp_path):
        first, second = mdh.jit(plain_matvec), mdh.jit(plain_matvec)
        assert section(first.explain(*operands(), measure=False), "origin")["code"] == "compiled in this process"
        assert section(second.explain(*operands(), measure=False), "origin")["code"] == "from the cache on disk"


# -------------------------------------------------------------------------------------------------- rendering


class Balanced(HTMLParser):
    """Every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_escaped_and_closed() -> None:
    found = Explanation("f(<b>)", (Section("<i>", (ReportRow("a & b", "x < y <script>", 1), ReportRow("", "z"))),))
    text = found._repr_html_()
    parser = Balanced()
    parser.feed(text)
    assert not parser.open and "<script>" not in text and "x &lt; y" in text and "(&lt;b&gt;)" in text
    assert str(found) == repr(found) == "f(<b>)\n\n<i>\n    a & b: x < y <script>\n  z"
    parser.feed(matvec.explain(*operands(), measure=False)._repr_html_())
    assert not parser.open


def test_the_page_has_the_picture_of_what_was_chosen() -> None:
    """What `f.draw` gives, also where a schedule says a part of it; the text names it. None where there is nothing."""
    for f in (matvec, mdh.jit(cache=False, schedule={"part_size": {"(L1,i)": 2}})(matvec.py_func)):
        found = f.explain(*operands(), measure=False)
        assert section(found, "configuration")["as a picture"] == "matvec.draw(…)"
        drawn = str(f.draw(*operands()))
        assert drawn.startswith("<svg") and found.drawing() == drawn and drawn in found._repr_html_()
    once = mdh.jit(cache=False)(matvec.py_func)
    once(*operands())
    assert once.explain(measure=False).drawing() == ""


@mdh.jit(cache=False)
def marked(y, x, M, steps):
    for _t in range(steps):
        for i in range(1, x.shape[0] - 1):
            x[i] = (x[i - 1] + x[i + 1]) / 2
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            y[i] += M[i, k]


@pytest.mark.usefixtures("two_cores")
def test_the_page_shows_what_each_loop_became_and_the_stages(tmp_path: Path) -> None:
    given = np.zeros(2000), np.zeros(20), np.ones((2000, 1000)), 2
    found = marked.explain(*given)
    loops = {line.text.strip(): [mark.kind for mark in line.marks] for line in found.listing if line.marks}
    assert [*loops.values()] == [
        ["sequential"], ["sequential"], ["independent", "parallel"], ["reduction", "vectorised"]
    ]  # fmt: skip
    assert [*loops][3] == "for k in range(M.shape[1]):" and found.listing[0].text == "@mdh.jit(cache=False)"
    assert [name for name, _ in found.stages()] == ["mdh", "lowlevel", "kernel", "llvm"]
    text = found.report(tmp_path / "page.html").read_text()
    assert "parallel: shared by threads" in text and "x[i + 1] reads x[i], written one step before" in text
    assert "Roofline" in text and "md_hom" in text and "define" in text and "<script" not in text
    assert marked.explain(measure=False).listing == found.listing and "Roofline" not in marked.explain()._repr_html_()


def test_without_arguments_and_with_hand_written_code() -> None:
    f = native_matvec(cache=False)
    f(*operands())
    assert "•(add)" in str(f.explain()) and "emitted: by hand" in str(f.explain())
    assert "work" not in [s.title for s in f.explain().sections]
    assert f.explain(*operands()).seconds


def test_what_cannot_be_explained_says_why() -> None:
    with pytest.raises(ArgumentTypeError, match="run as plain Python"):
        matvec.explain(*operands()[:2], np.ma.zeros(70))
    with pytest.raises(NotAnMdhError):
        mdh.jit(cache=False)(lambda x: [y for y in x]).explain(np.zeros(3))


# -------------------------------------------------------------------------------------------------- schedules


@mdh.jit(cache=False)
def product(A, B):
    C = np.zeros((A.shape[0], B.shape[1]), A.dtype)
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(B.shape[0]):
                C[i, j] += A[i, k] * B[k, j]
    return C


@pytest.mark.parametrize("schedule", [
    {"part_size": {"(L1,i)": 4}}, {"part_size": {"(L1,j)": 16, "(REG,j)": 8}}, {"part_size": {"(L1,k)": 4}},
    {"product": {"decomposition_order": ["(L1,j)", "(L1,i)", "(L1,k)"], "input_region": [], "input_layout": []}},
    {"input_region": [["A", "(L1,i)", "L1"]], "input_layout": [["A", [[1, 1], [0, 1]]]]},
])  # fmt: skip
def test_forced_configurations_give_the_same(schedule: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    A, B = random.integers(0, 9, (37, 53)).astype(np.float32), random.integers(0, 9, (53, 61)).astype(np.float32)
    f = mdh.jit(schedule=schedule, cache=False)(product)
    np.testing.assert_array_equal(f(A, B), A @ B)
    assert any(entry["reasons"] == ["as the schedule says"] for entry in f.config(A, B).values())


def test_a_schedule_for_a_fill() -> None:
    def padded(A):  # the last row is only filled: no other computation takes the fill over
        C = np.zeros((A.shape[0] + 1, A.shape[1]), A.dtype)
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                C[i, j] += A[i, j]
        return C

    A = np.random.default_rng(0).random((37, 53), np.float32)
    f = mdh.jit(schedule={"fill C": {"part_size": {"(L1,C.1)": 8, "(REG,C.1)": 4}}}, cache=False)(padded)
    np.testing.assert_array_equal(f(A), np.pad(A, ((0, 1), (0, 0))))
    assert f.config(A)["fill C"]["reasons"] == ["as the schedule says"]


def test_a_configuration_given_back(tmp_path: Path) -> None:
    w, M, v = operands()
    chosen = matvec.config(w, M, v)
    file = tmp_path / "schedule.json"
    file.write_text(json.dumps(chosen))
    plain = {name: value for name, value in chosen["matvec"].items() if name != "reasons"}
    for schedule in (chosen, chosen["matvec"], plain, file, str(file)):
        f = mdh.jit(schedule=schedule, cache=False)(plain_matvec)
        found = f.config(w, M, v)["matvec"]
        assert {**found, "reasons": 0} == {**plain, "reasons": 0}


def test_a_schedule_is_part_of_the_key(tmp_path: Path) -> None:
    with mdh.config(cache_dir=tmp_path):
        found = []
        for size in (1, 2, 2):
            f = mdh.jit(schedule={"part_size": {"(L1,i)": size}})(plain_matvec)
            found.append(f.config(*operands())["matvec"]["part_size"]["(L1,i)"])
            hits = f.stats().cache_hits
        assert found == [1, 2, 2] and hits == 1


def test_what_the_caller_changes_later_is_not_ours() -> None:
    schedule = {"part_size": {"(L1,i)": np.int64(3)}}
    f = mdh.jit(schedule=schedule, cache=False)(plain_matvec)
    schedule["part_size"]["(L1,i)"] = np.int64(5)
    found = f.config(*operands())
    assert found["matvec"]["part_size"]["(L1,i)"] == 3
    found["matvec"]["part_size"].clear()
    assert f.config(*operands())["matvec"]["part_size"]


def test_illegal_ones_are_refused_with_the_reason(tmp_path: Path) -> None:
    f = mdh.jit(schedule={"part_size": {"(L1,z)": 3}}, cache=False)(plain_matvec)
    w, M, v = operands()
    before = w.copy()
    with pytest.raises(ConfigurationError, match="matvec is not legal: dimension z is none of i, k"):
        f(w, M, v)
    np.testing.assert_array_equal(w, before)
    with pytest.raises(ConfigurationError, match="computations are matvec"):
        mdh.jit(schedule={"g": {"part_size": {}}}, cache=False)(plain_matvec)(w, M, v)
    with pytest.raises(ConfigurationError, match=r"'smooth 2': \{…\}"):
        mdh.jit(schedule={"part_size": {}}, cache=False)(smooth)(w, w.copy(), 2)
    (tmp_path / "bad.json").write_text("{")
    for schedule, message in (
        (tmp_path / "none.json", "cannot be read"), (tmp_path / "bad.json", "no JSON"), (3, "expected what f.config"),
        ({"part_sizes": {}}, "no parameter"),
    ):  # fmt: skip
        with pytest.raises(ConfigurationError, match=message):
            mdh.jit(schedule=schedule)


# ------------------------------------------------------------------------------------------------ command line


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kernels_to_explain.py"
    loop = "    for i in range(x.shape[0]):\n        y[i] = a * x[i]\n"
    file.write_text(f"import jitmdh as mdh\n@mdh.jit\ndef scale(y, x, a):\n{loop}")
    call = ["explain", f"{file}:scale", "f32[100]", "f32[100]", "2.0"]
    assert cli.main(call) == 0
    assert "i (kernels_to_explain.py:4): ++, because" in (shown := capsys.readouterr().out) and "reached" in shown
    assert cli.main([*call, "--no-measure"]) == 0
    assert "reached" not in capsys.readouterr().out
    assert cli.main([*call, "--config"]) == 0
    assert "(L1,i)" in json.loads(capsys.readouterr().out)["scale"]["part_size"]


# ----------------------------------------------------------------------------------------------------- passes


STEPS = [step.name for step in PASSES if step.name != "memory_checks"]  # with the setting `check_memory` alone


def test_times_of_each_step() -> None:
    steps = [*section(matvec.explain(*operands(), measure=False, timing=True), "compile times")]
    assert steps == ["trace", "build", *STEPS, "emit", "LLVM"]
    assert not section(matvec.explain(*operands(), measure=False), "compile times")
    matvec(*operands())
    assert section(mdh.jit(matvec.py_func).explain(*operands(), timing=True), "compile times")


def test_times_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with mdh.config(log="debug"), caplog.at_level("DEBUG", "jitmdh"):
        matvec.inspect(*operands(), stage="kernel")
    steps = "".join(rf", {name} [\d.]+ \w+" for name in (*STEPS, "emit"))
    assert any(re.fullmatch(rf"matvec: build [\d.]+ \w+{steps}", message) for message in caplog.messages)


def test_the_kernel_after_a_pass() -> None:
    before, after = (matvec.inspect(*operands(), stage=stage) for stage in ("kernel", "kernel@fma"))
    assert re.search(r"acc = acc \+ \(\w+ \* \w+\)", before) and re.search(r"acc = \(acc \+ \w+ \* \w+\)", after)
    with pytest.raises(ConfigurationError, match=r"there is no stage 'kernel@fam' .*\n  hint: stages are .*kernel@fma"):
        matvec.inspect(*operands(), stage="kernel@fam")


def test_the_kernel_after_each_pass() -> None:
    for step in STEPS:
        assert "for (" in matvec.inspect(*operands(), stage=f"kernel@{step}"), step
    assert matvec.inspect(*operands(), stage="kernel@memory_checks") == (
        "the pass memory_checks is not run with these settings"
    )


@mdh.jit(cache=False)
def centred(y, x):
    mean = x.mean(axis=1)[:, None]
    y[:] = (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=1)[:, None])


def test_bytes_that_fusion_saves() -> None:
    """x twice, from the second computation on; the means are hardly anything."""
    x = np.random.default_rng(0).random((4096, 768), dtype=np.float32)
    found = centred.explain(np.zeros_like(x), x)
    rows = [row for section in found.sections if section.title == "under one loop" for row in section.rows]
    assert len(rows) == 1 and "over i: 25.2 MB stay near a core" in rows[0].text
    assert "passes over arrays" not in str(found)
    apart = mdh.jit(centred.py_func, cache=False, schedule={"together": False})
    assert "under one loop" not in str(apart.explain(np.zeros_like(x), x))
