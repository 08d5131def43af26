"""The native runtime under ThreadSanitizer, AddressSanitizer and UndefinedBehaviorSanitizer: `stress.c`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jitmdh.hca.runtime import build
from tests.waiting import PATIENCE

STRESS = Path(__file__).with_name("stress.c")
CLANG = build.find_clang()
COMPILER = CLANG or shutil.which("gcc")
JOBS, FORKS = 4000, 40

# Mistakes that the instrument has to find: a file, what stands there, what is put in its place.
MISTAKES = [
    ("pool.c", "atomic_fetch_sub(&jitmdh_pool.state, ONE_INSIDE)",
     "atomic_fetch_sub_explicit(&jitmdh_pool.state, ONE_INSIDE, memory_order_relaxed)"),
    ("pool.c", "await_workers(begun);", "(void)begun;"),
    ("scratch.c", "slot->used = true;", ";"),
]  # fmt: skip


def built(sanitizer: str, sources: Path, folder: Path) -> Path:
    """The stress test with the runtime; skips where it cannot be built or started."""
    if COMPILER is None:
        pytest.skip(f"no clang or gcc here (install clang-{build.CLANG} and libclang-rt-{build.CLANG}-dev)")
    if sys.platform != "linux":
        pytest.skip("the stress test is for Linux")
    program = folder / "stress"
    command = [COMPILER, "-g", "-O1", "-std=gnu17", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-pthread"]
    files = [STRESS, sources / "threads.c", sources / "places.c"]
    done = subprocess.run([*command, *map(str, files), "-o", str(program)], capture_output=True, text=True, check=False)
    if done.returncode and any(name in done.stderr for name in ("libclang_rt", "libtsan", "lasan", "ltsan", "lubsan")):
        pytest.skip(f"this compiler has no sanitizers (install libclang-rt-{build.CLANG}-dev)")
    assert done.returncode == 0, done.stderr
    if ran(program, 0, 0, quiet=True).returncode:
        pytest.skip("programs with this sanitizer do not start here")
    return program


def ran(program: Path, jobs: int, forks: int, quiet: bool) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TSAN_OPTIONS": "die_after_fork=0:halt_on_error=1"}
    command = [str(program), str(jobs), str(forks), str(int(quiet))]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_no_race(tmp_path: Path) -> None:
    forks = FORKS if CLANG else 0  # in children, gcc's takes new threads for those that were there before
    done = ran(built("thread", build.HERE, tmp_path), JOBS, forks, quiet=False)
    assert done.returncode == 0, done.stderr[:5000]


@pytest.mark.in_turns(2)
def test_no_stray_access_and_nothing_undefined(tmp_path: Path) -> None:
    done = ran(built("address,undefined", build.HERE, tmp_path), JOBS, FORKS, quiet=True)
    assert done.returncode == 0, done.stderr[:5000]


@pytest.mark.parametrize(("file", "right", "wrong"), MISTAKES, ids=["order", "waiting", "sharing"])
def test_it_finds_mistakes(file: str, right: str, wrong: str, tmp_path: Path) -> None:
    for path in (*build.HERE.glob("*.c"), *build.HERE.glob("*.h")):
        shutil.copy(path, tmp_path)
    text = (tmp_path / file).read_text()
    assert right in text
    (tmp_path / file).write_text(text.replace(right, wrong))
    assert ran(built("thread", tmp_path, tmp_path), JOBS, 0, quiet=False).returncode != 0
