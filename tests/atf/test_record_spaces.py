"""The kernels of `benchmarks.atf.record_spaces` compile, and compute what NumPy computes."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.atf import record_spaces
from benchmarks.atf.kernels_c import KERNELS_C
from benchmarks.atf.reserved.__main__ import RESERVED
from benchmarks.atf.reserved.kernels_c import RESERVED_C
from jitmdh import atf

KERNELS = KERNELS_C | RESERVED_C
DATA = Path(__file__).parent / "data"
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine")


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_a_few_configurations_are_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_spaces, "_FLAGS", ("-O1", "-shared", "-fPIC", "-w"))  # on any processor
    whole = KERNELS[name]()
    chosen = random.Random(3).sample(list(whole.space), 6)
    few = atf.space_of_rows(whole.space.names, {tuple(c.values()): None for c in chosen})
    data = record_spaces.record(replace(whole, space=few), workers=1)
    recorded = atf.recorded_space(data)
    for c in few:
        invalid = whole.scratch_bytes(c) > whole.limit_bytes
        assert isinstance(recorded(c), atf.Invalid) == invalid
    assert 0 < recorded.optimum < 1e6 and recorded.unit_s == 1e-6


def test_wrong_results_are_refused() -> None:
    kernel = KERNELS_C["forces"]()
    out = record_spaces.aligned(kernel.inputs[0].size)
    with pytest.raises(ValueError, match="forces: wrong result with"):
        record_spaces.check(kernel, kernel.space[0], out)
    assert out.ctypes.data % 64 == 0


def test_the_space_is_the_one_that_was_recorded() -> None:
    for name, made in KERNELS.items():
        recorded = atf.recorded_space((RESERVED if name in RESERVED_C else DATA) / f"{name}.json.gz")
        space = made().space
        assert recorded.space.size == space.size and all(dict(c) in space for c in recorded.space)


def test_nothing_looks_at_reserved_spaces_but_their_report() -> None:
    """What is chosen by them would be measured on what it was chosen by."""
    names = {p.name for p in RESERVED.glob("*.json.gz")}
    assert names == {f"{name}.json.gz" for name in RESERVED_C}
    assert not names & {p.name for p in DATA.glob("*.json.gz")}
    root = Path(__file__).parents[2]
    readers = [p for folder in ("jitmdh", "benchmarks", "tests") for p in (root / folder).rglob("*.py")]
    found = {str(p.relative_to(root)) for p in readers if "RESERVED." in p.read_text() or '"reserved"' in p.read_text()}
    assert found == {"benchmarks/atf/reserved/__main__.py", "tests/atf/test_record_spaces.py"}
