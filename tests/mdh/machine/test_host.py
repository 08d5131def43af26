"""The machine that code is made for: what is read of this one, and others in its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.settings import config
from jitmdh.mdh.machine.host import host, reported
from jitmdh.mdh.machine.known import PROCESSORS, known
from jitmdh.mdh.machine.opencl import opencl
from jitmdh.mdh.machine.processors.processor import Caches


def caches_in(directory: Path, *rows: tuple[str, str, str]) -> Path:
    for n, row in enumerate(rows):
        entry = directory / f"index{n}"
        entry.mkdir(parents=True)
        for name, value in zip(("level", "type", "size"), row):
            (entry / name).write_text(value + "\n")
    return directory


INNER = ("1", "Data", "48K"), ("1", "Instruction", "64K"), ("2", "Unified", "2M")


@pytest.mark.parametrize(
    ("rows", "caches"),
    [
        ((*INNER, ("3", "Unified", "32M")), Caches(48 << 10, 2 << 20, 32 << 20)),
        (INNER, Caches(48 << 10, 2 << 20, 2 << 20)),
        (INNER[:2], Caches(48 << 10, 512 << 10, 512 << 10)),
        ((*INNER, ("4", "Unified", "128M"), ("odd", "Unified", "1M")), Caches(48 << 10, 2 << 20, 2 << 20)),
        ((), Caches(32 << 10, 512 << 10, 8 << 20)),
    ],
)
def test_caches_as_reported(tmp_path: Path, rows: tuple[tuple[str, str, str], ...], caches: Caches) -> None:
    assert reported(caches_in(tmp_path / "cache", *rows)) == caches


@pytest.mark.parametrize("name", PROCESSORS)
def test_caches_grow_outwards(name: str) -> None:
    machine = known(name)
    l1, l2, l3 = (machine.capacity_bytes(layer) for layer in ("L1", "L2", "L3"))
    assert machine.name == name and 0 < l1 < l2 <= l3 and machine.cores >= 1
    assert machine.vector_bits == {"avx512": 512, "avx2": 256, "128": 128}[PROCESSORS[name].level]


@pytest.mark.parametrize("name", PROCESSORS)
def test_another_machine_in_place_of_this_one(name: str) -> None:
    with config(machine=name):
        there = host("+avx2,+fma", 2)
        assert (there.memory[:4], there.cores) == (known(name).memory[:4], known(name).cores)
        assert there.vector_bits == 256  # what code may use is another setting
        assert opencl(4, 512).memory[:4] == known(name).memory[:4]


def test_an_unknown_machine_is_refused() -> None:
    @mdh.jit
    def twice(y, x):
        for i in range(x.shape[0]):
            y[i] = 2 * x[i]

    message = "there is no machine `zen9` .*\n  hint: machines are host, calibrated, sapphire-rapids, zen3, zen4"
    with config(machine="zen9"), pytest.raises(ConfigurationError, match=message):
        twice(np.zeros(4), np.ones(4))
