"""Kernels given as source, tuned on an OpenCL device; without one the reason is told and the tests are skipped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jitmdh import atf
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.statistics import statistics
from jitmdh.kernels import KernelCost, buffer, cuda_kernel, local_memory, opencl_kernel, scalar

pytestmark = pytest.mark.usefixtures("opencl")


SAXPY = """
__kernel void saxpy(const int N, const float a, const __global float* x, __global float* y)
{
    for (int w = 0; w < WPT; ++w) {
        const int index = w * get_global_size(0) + get_global_id(0);
        y[index] += a * x[index];
    }
}
"""
N = 2**10
WPT = atf.tuning_parameter("WPT", atf.interval(1, N), atf.divides(N))
LS = atf.tuning_parameter("LS", atf.interval(1, N), atf.divides(N // WPT))


def saxpy(text: str = SAXPY, **options: object) -> KernelCost:
    expected = {"y": lambda a, x, y: a * x + y}
    given: Any = {"global_size": N // WPT, "local_size": LS, "expected": expected, "repeats": 1, **options}
    return opencl_kernel(text, "saxpy", N, scalar("float32"), buffer("float32", N), buffer("float32", N), **given)


def at(cost: KernelCost, **values: object) -> object:
    return cost(values)  # type: ignore[arg-type]


def test_saxpy_of_listing_29() -> None:
    result = atf.tuner(WPT, LS).search_technique("auc_bandit").tune(saxpy(), atf.evaluations(4))
    assert result.best_cost > 0 and result.best_configuration in atf.search_space(WPT, LS)  # type: ignore[operator]
    assert [e.reason for e in result.history] == [""] * 4


@pytest.mark.parametrize(
    ("cost", "values", "reason"),
    [
        (
            lambda: saxpy(SAXPY.replace("+=", "=")),
            (4, 8),
            r"wrong result in y\[0\]: .* instead of .* of 1024 differ",
        ),
        (saxpy, (4, 7), "saxpy cannot be launched: the local size .7,. does not divide the global size .256,."),
        (lambda: saxpy(local_size=1 << 20, global_size=1 << 20), (1, 1), "a work-group of 1048576 work-items"),
        (lambda: saxpy(local_size=LS - LS), (1, 1), "the local size is 0"),
        (lambda: saxpy(global_size=N // (WPT - WPT)), (1, 1), "the global size divides by zero"),
        (lambda: saxpy(global_size=N / WPT), (3, 1), "the global size is 341.33.*, no whole number"),
        (lambda: saxpy(global_size=lambda WPT: "many"), (1, 1), "the global size is 'many', no whole number"),
        (lambda: saxpy(SAXPY.replace("WPT", "W_P_T")), (1, 1), "does not compile for .*: .*error.*W_P_T"),
    ],
)
def test_what_cannot_run_is_invalid(cost: object, values: tuple[int, int], reason: str) -> None:
    outcome = at(cost(), WPT=values[0], LS=values[1])  # type: ignore[operator]
    assert isinstance(outcome, atf.Invalid)
    assert re.search(reason, outcome.reason), outcome.reason
    assert "\n" not in outcome.reason


def test_sizes_as_numbers_callables_and_tuples() -> None:
    text = "kernel void f(global int *x) { x[get_global_id(1) * get_global_size(0) + get_global_id(0)] = T; }"
    T = atf.tuning_parameter("T", [2, 4])
    for size in ((8, T * 2), lambda T: (8, 2 * T), (8.0, lambda T: T * 2)):
        expected = {0: lambda T: np.r_[np.full(16 * T, T), np.full(64 - 16 * T, 0)]}
        cost = opencl_kernel(text, None, np.zeros(64, np.int32), global_size=size, expected=expected)
        assert isinstance(at(cost, T=4), float) and isinstance(at(cost, T=2), float)


def test_sizes_of_buffers_and_local_memory_follow_the_configuration() -> None:
    text = """kernel void sums(global const int *x, global int *partial, local int *shared, const int n) {
        int l = get_local_id(0), size = get_local_size(0);
        shared[l] = 0;
        for (int i = get_global_id(0); i < n; i += get_global_size(0)) shared[l] += x[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) { int sum = 0; for (int k = 0; k < size; ++k) sum += shared[k]; partial[get_group_id(0)] = sum; }
    }"""
    GROUPS = atf.tuning_parameter("GROUPS", [1, 2, 4])
    LS = atf.tuning_parameter("LS", [1, 8])
    seen = []

    def total(x: np.ndarray, GROUPS: int, LS: int) -> np.ndarray:
        seen.append((GROUPS, LS))
        owner = np.arange(N) // LS % GROUPS
        return np.bincount(owner, weights=x, minlength=GROUPS)

    cost = opencl_kernel(
        text, "sums", buffer("int32", N), buffer("int32", GROUPS), local_memory("int32", LS), scalar("int32", N),
        global_size=GROUPS * LS, local_size=LS, expected={"partial": total},
    )  # fmt: skip
    for _ in range(2):
        for groups, size in ((1, 1), (4, 8), (4, 8), (2, 1)):
            assert isinstance(at(cost, GROUPS=groups, LS=size), float)
    assert len(seen) == 6, "a reference is computed once for the same inputs"
    assert cost.input("x").max() < 100 and cost.input("partial", {"GROUPS": 4}).shape == (4,)
    with pytest.raises(ConfigurationError, match="local memory"):
        cost.input("shared")


def test_every_run_finds_the_same_inputs() -> None:
    text = "kernel void f(global float *x, global float *seen, const float one) { x[0] += one; seen[0] = x[0]; }"
    x = np.zeros(1, np.float32)
    cost = opencl_kernel(text, None, x, np.zeros(1, np.float32), 1, global_size=1, expected={"seen": [1.0]}, repeats=4)
    for _ in range(3):
        assert isinstance(at(cost), float)
    assert x[0] == 0 and cost.input("one") == 1


def test_random_inputs_follow_the_seed() -> None:
    a, b, c = saxpy(), saxpy(), saxpy(seed=1)
    np.testing.assert_array_equal(a.input("x"), b.input(2))
    assert (a.input("x") != c.input("x")).any() and a.input("a") == b.input("a") != c.input("a")
    assert (a.input("x") != a.input("y")).any() and a.input("x").dtype == np.float32


def test_names_options_and_definitions(tmp_path: Path) -> None:
    path = tmp_path / "f.cl"
    path.write_text("kernel void f(global T *x) { x[0] = VALUE + FLAG; }")
    cost = opencl_kernel(path, None, np.zeros(1), global_size=1, defines={"T": "double"}, options=["-DVALUE=3"],
                         expected={"x": [4.0]})  # fmt: skip
    assert isinstance(at(cost, FLAG=True), float), "truth values are 1 and 0"
    outcome = at(cost, FLAG=False)
    assert isinstance(outcome, atf.Invalid) and outcome.reason.startswith("wrong result in x[0]: 3.0 instead of 4.0")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: opencl_kernel(SAXPY, "saxpy", N, global_size=1), "saxpy takes 4 arguments, 1 were given"),
        (lambda: saxpy(expected={"z": [1]}), "the kernel has no parameter 'z' .*\n  hint: N, a, x, y"),
        (lambda: saxpy(expected={7: [1]}), "the kernel has no parameter 7"),
        (lambda: at(saxpy(expected={"a": [1]}), WPT=1, LS=1), "argument a is no buffer"),
        (lambda: at(saxpy(expected={"y": lambda q: q}), WPT=1, LS=1), "expected: the kernel has no parameter 'q'"),
        (lambda: saxpy(repeats=0), "repeats must be positive"),
        (lambda: at(saxpy(global_size=atf.tuning_parameter("Q", [1])), WPT=1, LS=1), "reads Q, which"),
        (lambda: buffer("float32"), "without a size"),
        (lambda: buffer(np.zeros(3), 4), "an array of shape"),
        (lambda: buffer("no type", 4), "'no type' is no type of elements"),
        (
            lambda: at(opencl_kernel("kernel void f(int a) {}", "f", scalar("int32", 2.5), global_size=1)),
            "2.5 is no int32",
        ),
        (lambda: at(opencl_kernel("kernel void f(T a) {}", "f", scalar(None), global_size=1)), "None is no type"),
        (lambda: saxpy(device="no such device"), "there is no device 'no such device'"),
        (lambda: cuda_kernel("", "f", grid_size=1), "takes grid_size and block_size, or else"),
        (lambda: cuda_kernel("", "f", grid_size=1, block_size=1, local_size=1), "takes grid_size and block_size"),
    ],
)
def test_mistakes_are_told_at_once(make: object, message: str) -> None:
    with pytest.raises((ConfigurationError, DeviceError), match=message):
        make()  # type: ignore[operator]


BLUR = """
kernel void blur(const int n, global const float *image, global float *result) {
    const int j = get_global_id(0);
    for (int i = get_global_id(1) * ROWS; i < (get_global_id(1) + 1) * ROWS; ++i) {
        float sum = 0;
        for (int di = -1; di <= 1; ++di)
            for (int dj = -1; dj <= 1; ++dj)
                sum += image[clamp(i + di, 0, n - 1) * n + clamp(j + dj, 0, n - 1)];
        result[i * n + j] = sum / 9;
    }
}
"""


def blurred(image: np.ndarray) -> np.ndarray:
    padded = np.pad(image, 1, mode="edge")
    n = len(image)
    return sum(padded[i : i + n, j : j + n] for i in range(3) for j in range(3)) / 9


def test_tuning_guided_by_the_program() -> None:
    n = 32
    ROWS = atf.tuning_parameter("ROWS", atf.interval(1, n), lambda ROWS: n % ROWS == 0 or ROWS == 5)
    cost = opencl_kernel(BLUR, None, n, buffer("float32", n, n), buffer("float32", n, n), global_size=(n, n // ROWS),
                         local_size=(1, n // ROWS // (n // ROWS * ROWS // n)))  # fmt: skip
    tuner = atf.tuner(ROWS, seed=3)
    image = np.random.default_rng(0).random((n, n)).astype(np.float32)
    wanted = image.astype(np.float64)
    for _ in range(12):
        result = tuner.make_step(cost.inputs(n, image, np.zeros_like(image)))
        wanted = blurred(wanted)
        np.testing.assert_allclose(result, wanted, rtol=1e-5)
        image = result
    assert tuner.exploiting and tuner.evaluation_count == 7
    assert tuner.best_configuration is not None and tuner.best_configuration["ROWS"] != 5


def test_steps_on_buffers_leave_results_on_the_device() -> None:
    x, y = Buffer(np.arange(N, dtype=np.float32)), Buffer(np.zeros(N, np.float32))
    step, before = saxpy().inputs(N, 2.0, x, y), statistics()
    for _ in range(3):
        measured = step({"WPT": 4, "LS": 8})  # type: ignore[arg-type]
        assert measured.value is y and measured.cost > 0
    assert (statistics() - before).bytes_from_devices == 0
    np.testing.assert_array_equal(y.host, 6 * np.arange(N))
    text = "kernel void f(global int *a, global const int *b, global int *c) { a[0] = b[0]; c[0] = b[0] + 1; }"
    cost = opencl_kernel(text, "f", *[buffer("int32", 1)] * 3, global_size=1)
    a, b, c = (np.array([k], np.int32) for k in (1, 5, 3))
    measured = cost.inputs(a, b, c)({})  # type: ignore[arg-type]
    assert measured.value == (a, c) and (a[0], b[0], c[0]) == (5, 5, 6)
    with pytest.raises(ConfigurationError, match="input 1 is not contiguous"):
        cost.inputs(a, np.zeros((4, 4))[:, 1], c)
