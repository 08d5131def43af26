"""Listing 24 as a file, and messages that point at the mistake."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from jitmdh import atf
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.cli import main
from jitmdh.hca.registry import devices
from jitmdh.kernels.directives import cost_function

SAXPY = Path(__file__).parent / "data" / "saxpy.cl"


pytestmark = pytest.mark.usefixtures("opencl")


def test_saxpy_of_listing_24(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    best, history = tmp_path / "best.json", tmp_path / "history.jsonl"
    assert main(["atf", str(SAXPY), "1024", "-o", str(best), "--history", str(history), "--quiet"]) == 0
    found = json.loads(best.read_text())
    assert 1024 % found["WPT"] == 0 and 1024 // found["WPT"] % found["LS"] == 0
    assert len(history.read_text().splitlines()) >= 4
    assert "4 evaluations (0 invalid)" in capsys.readouterr().out


def test_a_device_of_listing_24_that_is_not_here_is_told_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SAXPY.read_text().replace("platform 0", 'platform "NVIDIA"').replace("device  0", 'device "Tesla K20"')
    (tmp_path / "saxpy.cl").write_text(text)
    if any("Tesla K20" in device.name for device in devices("opencl")):
        pytest.skip("there is one")
    assert main(["atf", str(tmp_path / "saxpy.cl"), "1024"]) == 1
    told = capsys.readouterr().err
    assert "there is no device 'Tesla K20' on the platform 'NVIDIA'" in told
    assert devices("opencl")[0].name in told


def written(tmp_path: Path, *lines: str, parameter: str = '#atf::tp name "T" range {1, 2}') -> Path:
    path = tmp_path / "kernel.cl"
    path.write_text("\n".join(["kernel void f(global float *x, int n) { x[get_global_id(0)] = n * T; }",
                               parameter, *lines, ""]))  # fmt: skip
    return path


def test_data_and_expected_results_from_files(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("1\n2\n3\n")
    (tmp_path / "y.txt").write_text("4\n4\n4\n")
    path = written(
        tmp_path, '#atf::ocl::kernel "f"', '#atf::ocl::options "-cl-std=CL1.2 -DUNUSED"',
        '#atf::ocl::input buffer<float>(file_name("x.txt"))', "#atf::ocl::input scalar<int>(4)",
        '#atf::ocl::expected x, file_name("y.txt"), 0.001', "#atf::ocl::global_size 3",
    )  # fmt: skip
    cost = cost_function(atf.read_directives(path))
    np.testing.assert_array_equal(cost.input("x"), [1, 2, 3])
    assert cost({"T": 1}) > 0  # type: ignore[arg-type, operator]
    wrong = cost({"T": 2})  # type: ignore[arg-type]
    assert isinstance(wrong, atf.Invalid) and "wrong result in x[0]: 8.0 instead of 4.0" in wrong.reason


INPUTS = ("#atf::ocl::input buffer<float>(3)", "#atf::ocl::input scalar<int>(4)", "#atf::ocl::global_size 3, T")


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (("#atf::ocl::inputs scalar<int>(1)",), 3, "no tuning directive #atf::ocl::inputs"),
        (("#atf::ocl::input int",), 3, "'int' is no input"),
        (("#atf::ocl::input scalar<string>(1)",), 3, "'string' is no type of numbers"),
        (("#atf::ocl::input buffer<float>()",), 3, "a buffer needs a size"),
        (('#atf::ocl::input buffer<float>(file_name("none.txt"))',), 3, "none.txt cannot be read"),
        (("#atf::ocl::input scalar<int>(1) 2",), 3, "'2' is left over"),
        ((*INPUTS, "#atf::ocl::global_size 3"), 6, "#atf::ocl::global_size stands twice"),
        ((*INPUTS, "#atf::ocl::grid_size 3"), 6, "no tuning directive #atf::ocl::grid_size"),
        ((*INPUTS, "#atf::ocl::expected x, 3"), 6, r"expected file_name\(...\) here"),
        ((*INPUTS, "#atf::ocl::local_size TT"), 6, "TT is neither a tuning parameter nor a variable"),
        (("#atf::ocl::input buffer<float>( N * 4 )",), 3, "N is neither a tuning parameter nor a variable"),
        (INPUTS[:2], 3, "does not say the size: #atf::ocl::global_size is missing"),
        ((*INPUTS, "#atf::cuda::device 0"), 6, "#atf::cuda::... are not understood beside #atf::ocl"),
        (("#atf::hip::device 0",), 3, "the directives #atf::hip::... are not understood"),
    ],
)
def test_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: tuple[str, ...], line: int, message: str
) -> None:
    path = written(tmp_path, *lines)
    assert main(["atf", str(path), "--quiet"]) == 2
    with pytest.raises(ConfigurationError, match=message):
        raise ConfigurationError(capsys.readouterr().err)
    if "hip" not in lines[0] and "cuda" not in lines[-1]:
        with pytest.raises(ConfigurationError, match=message) as caught:
            cost_function(atf.read_directives(path))
        assert caught.value.loc is not None and caught.value.loc.line == line


def test_cuda_directives_need_a_cuda_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = ("#atf::cuda::input buffer<float>(3)", "#atf::cuda::input scalar<long long>(4)", "#atf::cuda::grid_size 3",
            "#atf::cuda::block_size T")  # fmt: skip
    path = written(tmp_path, *text)
    try:
        devices("cuda")
    except DeviceError:
        assert main(["atf", str(path), "--quiet"]) == 1
        assert "no device for target 'cuda'" in capsys.readouterr().err
