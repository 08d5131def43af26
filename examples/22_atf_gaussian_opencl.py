"""Program-guided online tuning of a Gaussian convolution (thesis, Listings 30 to 32) as a kernel in OpenCL.

Every call blurs the image once more, as the program needs it, and tries another block size on the way.

    python examples/22_atf_gaussian_opencl.py [N] [calls]
"""

from __future__ import annotations

import sys

import numpy as np

from jitmdh import atf, errors
from jitmdh.hca import Buffer
from jitmdh.kernels import buffer, opencl_kernel

GAUSSIAN = """
constant float weight[] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};

kernel void gaussian(const int N, global const float* image, global float* result)
{
    const int j = get_global_id(0);
    for (int i = get_global_id(1) * CB_SIZE; i < (get_global_id(1) + 1) * CB_SIZE; ++i) {
        float sum = 0;
        for (int di = 0; di < 5; ++di) {
            const int row = clamp(i + di - 2, 0, N - 1) * N;
            for (int dj = 0; dj < 5; ++dj)
                sum += weight[di] * weight[dj] * image[row + clamp(j + dj - 2, 0, N - 1)];
        }
        result[i * N + j] = sum;
    }
}
"""


def blurred(image: np.ndarray) -> np.ndarray:
    """The same with NumPy, to check what the kernel computes."""
    n, weights = len(image), np.array([1, 4, 6, 4, 1]) / 16
    padded = np.pad(image, 2, mode="edge")
    return sum(weights[i] * weights[j] * padded[i : i + n, j : j + n] for i in range(5) for j in range(5))


def main(n: int = 512, calls: int = 40) -> atf.Tuner | None:
    # 1. Step: the search space: rows of the image that a work-item computes
    CB_SIZE = atf.tuning_parameter("CB_SIZE", atf.interval(1, n), atf.divides(n))

    # 2. Step: the cost function
    try:
        gaussian = opencl_kernel(
            GAUSSIAN, "gaussian", n, buffer("float32", n, n), buffer("float32", n, n), global_size=(n, n // CB_SIZE)
        )
    except errors.DeviceError as error:
        print(f"no OpenCL here: {error.message}")
        return None

    # 3. Step: the program, whose calls are the tuning. The images stay on the device until they are looked at.
    tuner = atf.tuner(CB_SIZE)
    start = np.random.default_rng(0).random((n, n), dtype=np.float32)
    image, result = Buffer(start.copy()), Buffer(np.empty_like(start))
    for _ in range(calls):
        tuner.make_step(gaussian.inputs(n, image, result))
        image, result = result, image

    wanted = start.astype(np.float64)
    for _ in range(calls):
        wanted = blurred(wanted)
    assert np.allclose(image.host, wanted, rtol=1e-4)
    print(
        f"{tuner.evaluation_count} configurations tried in {calls} calls on {gaussian.device.name}; "
        f"best {tuner.best_configuration}, {1e3 * float(tuner.best_score):.2f} ms a call"
    )
    return tuner


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
