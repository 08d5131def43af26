"""`bench --target cuda`: on a GPU that carries kernel IR out, and without one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.bench import main, on_cuda
from jitmdh.hca.registry import find_device
from tests.hca.fake_gpu import FakeGpu, installed


@pytest.fixture
def gpu() -> Iterator[FakeGpu]:
    with installed() as found:
        yield found


def test_a_row_is_measured_and_checked(
    gpu: FakeGpu, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_cuda, "_ENOUGH_SECONDS", 0.0)
    (dot,) = (case for case in on_cuda.SMALL if case.kernel.name == "dot")
    assert on_cuda._measured(dot, find_device("cuda"))
    assert "dot 8192" in (told := capsys.readouterr().out) and "right" in told and "us a call" in told
    monkeypatch.setattr(on_cuda, "right", lambda *_: False)
    assert not on_cuda._measured(dot, find_device("cuda")) and "WRONG" in capsys.readouterr().out


def test_without_a_device_counts_are_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_cuda, "SMALL", on_cuda.SMALL[3:4])
    assert main.main(["--target", "cuda"]) == 0
    told = capsys.readouterr()
    assert "no device for target 'cuda'" in told.err and "Nothing was measured" in told.err
    assert told.out.splitlines()[1].startswith("dot 8192")
    assert main.main(["--compile-only"]) == 2 and "--compile-only needs --target cuda" in capsys.readouterr().err
