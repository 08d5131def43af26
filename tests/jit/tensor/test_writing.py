"""Kernels written for C: compiled with warnings as errors, and run, where there is a C compiler."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError

CC = shutil.which("cc")
numbers = np.random.default_rng(3)
STAR = numbers.random((3, 3)) < 0.5
K = mt.Tensor("K", values=np.tril(numbers.random((5, 5)), -1))
Q, I, S = mt.Tensor("Q", (5, 3)), mt.Tensor("I", (5, 3)), mt.Tensor("S", (3, 3), pattern=STAR)
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")


def volume() -> mt.Kernel:
    return mt.kernel("volume", Q["kp"] <= Q["kp"] + K["kl"] * I["lq"] * S["qp"])


def others() -> list[Any]:
    """float32 with a scalar, a temporary and functions; whole numbers; other semirings; a family; a batch with a
    tensor that elements share."""
    x, y = mt.Tensor("x", (7,), np.float32), mt.Tensor("y", (7,), np.float32)
    t = mt.temporary("t", (7,), np.float32)
    norm = mt.kernel(
        "norm", [t["i"] <= np.sqrt(x["i"]) / (1 + x["i"]), y["i"] <= t["i"] * mt.Scalar("dt", t.type) - x["i"]]
    )
    a, c = mt.Tensor("a", (4, 5), np.int32), mt.Tensor("c", (4,), np.int32)
    largest = mt.kernel("largest", c["i"] <= mt.total(mdh.max, "j", np.where(a["ij"] > 1, a["ij"], -a["ij"])))
    moved = mt.kernel("moved", I["kp"] <= 2 * Q["kp"].at(k=slice(0, 5)) + np.maximum(I["kp"], 0.5))
    flux = mt.family("flux", (2,), lambda n: Q["kp"] <= Q["kp"] - (n + 1) * I["kp"])
    shared = mt.kernel("shared", Q["kp"] <= I["kq"] * S["qp"])
    return [norm, largest, moved, flux, shared, shared.batched(shared=("S",))]


def run(written: mt.Written, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    assert written.test is not None and CC is not None
    program = folder / "program"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        [CC, *flags, str(written.test), str(written.object), *more, "-lm", "-lpthread", "-o", str(program)], check=True
    )
    return subprocess.run([str(program)], capture_output=True, text=True, check=False)


@needs_cc
def test_what_is_written_agrees_with_plain_loops(tmp_path: Path) -> None:
    """One element, batches of several lengths, one thread and two; and the test fails where a loop says otherwise."""
    written = mt.write(tmp_path / "kernels", [volume(), *others()])
    done = run(written, tmp_path)
    assert (done.returncode, done.stdout) == (0, "all kernels agree\n")
    assert written.test is not None
    text = written.test.read_text()
    assert {f"test_{n}" for n in ("volume", "volume_batch", "flux_1_batch", "shared_batch")} < set(
        re.findall(r"test_\w+", text)
    )
    first = text.index("static void volume_naive")
    written.test.write_text(text[:first] + text[first:].replace("= ((double)(state", "= 1 + ((double)(state", 1))
    done = run(written, tmp_path)
    assert done.returncode == 1 and "volume: Q[" in done.stdout and "differences" in done.stdout


@needs_cc
def test_objects_need_no_python_and_can_be_linked_together(tmp_path: Path) -> None:
    one, other = mt.write(tmp_path / "one", volume()), mt.write(tmp_path / "other", others())
    assert run(one, tmp_path, str(other.object)).returncode == 0
    seen = subprocess.run(["nm", "-g", str(one.object)], capture_output=True, text=True, check=False).stdout
    defined = {line.split()[-1] for line in seen.splitlines() if " T " in line}
    assert not seen or defined == {"volume", "volume_batch", "one_set_num_threads"}
    assert "Py" not in seen


def test_the_header_says_where_non_zeros_are(tmp_path: Path) -> None:
    text = mt.write(tmp_path / "kernels", volume(), test=False).header.read_text()
    places = ", ".join(map(str, np.flatnonzero(STAR)))
    assert f"static const int64_t volume_S_nonzeros[] = {{{places}}};" in text
    assert "int volume_batch(int64_t elements, double *Q, const double *I, const double *S);" in text
    assert "enum { volume_Q_size = 15, volume_I_size = 15, volume_S_size = 9 };" in text
    assert not (tmp_path / "kernels" / "test_kernels.c").exists()


def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    z = mt.Tensor("z", (3,), np.complex64)
    x = mt.Tensor("x", (mt.size("n"),))
    y = mt.Tensor("y", (3,))
    for kernels, error, message in (
        (mt.kernel("k", z["i"] <= z["i"] * 2), ArgumentTypeError, "C code for complex64 is not there"),
        (mt.kernel("k", x["i"] <= x["i"] * 2), ArgumentTypeError, "the sizes of k come with the call"),
        (mt.kernel("k", y["i"] <= y["i"] // 2), ArgumentTypeError, "`floordiv` of float64 has no counterpart in C"),
        ([volume(), volume()], ArgumentValueError, "two functions have the name volume"),
        ([1], ArgumentTypeError, "write: 1 is no kernel"),
    ):
        with pytest.raises(error, match=message):
            mt.write(tmp_path / "kernels", kernels)
    assert not (tmp_path / "kernels").exists()
    mt.write(tmp_path / "kernels", mt.kernel("k", y["i"] <= y["i"] // 2), test=False)
