"""The file of names for `perf` (setting `perf_map`): every function of compiled code, where it really is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.hca.drivers.native_code import perf_map
from jitmdh.hca.drivers.native_code.elf_loader import _own_loader_serves
from tests.hca.test_cpu_threads import TEXT, compile_ir, cpu_runtime

pytestmark = pytest.mark.skipif(not _own_loader_serves(), reason="names are known where the own loader serves")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(perf_map, "map_file", lambda: tmp_path / "perf-1.map")
    with mdh.config(perf_map=True):
        yield tmp_path / "perf-1.map"


def test_functions_are_where_the_file_says(file: Path) -> None:
    code = cpu_runtime.load_kernel(compile_ir(TEXT), "sums")
    lines = [line.split(" ", 2) for line in file.read_text().splitlines()]
    places = {name.removeprefix("sums:"): int(start, 16) for start, _, name in lines if name.startswith("sums:")}
    known = {name: place for name, place in places.items() if name in code}
    assert known and all(code.address_of(name) == place for name, place in known.items())
    spans = sorted((int(start, 16), int(size, 16)) for start, size, name in lines if name.startswith("sums:"))
    assert all(size > 0 for _, size in spans)
    assert all(start + size <= following for (start, size), (following, _) in pairwise(spans))


def test_decorated_functions_have_their_names(file: Path) -> None:
    @mdh.jit
    def doubled(x):
        return 2.0 * x

    doubled(np.ones(3))
    assert " doubled:" in file.read_text()


def test_a_link_in_its_place_is_not_followed(file: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("kept")
    file.symlink_to(tmp_path / "other")
    perf_map.note("f", [perf_map.NativeFunction("g", 16, 16)])
    assert (tmp_path / "other").read_text() == "kept"
