"""Figures of processors: there and back as plain data, by width and by threads, and which table is whose."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.machine.host import kind
from jitmdh.mdh.machine.known import PROCESSORS, recognised
from jitmdh.mdh.machine.processors.figures import SERVER_512, Figures
from jitmdh.mdh.machine.processors.processor import Kind


@pytest.mark.parametrize("name", PROCESSORS)
def test_tables_are_whole(name: str) -> None:
    """JSON keeps them; memory is no faster than caches, several threads read no slower than one."""
    figures = PROCESSORS[name].figures
    assert Figures.of(json.loads(json.dumps(figures.plain()))) == figures
    alone, most = figures.bandwidth(1), figures.bandwidth(1000)
    assert alone.read / figures.gigahertz <= figures.l3.bytes_per_cycle <= figures.l2.bytes_per_cycle
    assert alone.read <= most.read and alone.threads == 1
    assert [v.bits for v in figures.vectors] == sorted({v.bits for v in figures.vectors})
    widest = {"avx512": 512, "avx2": 256, "128": 128}[PROCESSORS[name].level]
    assert figures.vectors[-1].bits == widest


@pytest.mark.parametrize("wrong", [{"latency": 0.0}, {"vectors": ()}, {"l2": {}}, {"gigahertz": "fast"}, {"more": 1}])
def test_what_is_no_figures_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="no figures of a processor"):
        Figures.of({**SERVER_512.plain(), **wrong})


def test_wider_registers_than_there_are() -> None:
    skylake = PROCESSORS["avx2-desktop"].figures
    assert skylake.wide(512).multiply_adds == skylake.wide(256).multiply_adds / 2
    assert skylake.wide(512).gather == skylake.wide(256).gather
    assert skylake.wide(64) == skylake.vectors[0]
    assert replace(skylake, memory=skylake.memory[:1]).bandwidth(8).threads == 1


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n\nprocessor : 1\nmodel : 1\n", "AMD EPYC, Zen 4"),
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n", "AMD EPYC, Zen 5"),
        ("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n", "Intel Xeon, Sapphire Rapids"),
        ("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n", "Arm Neoverse V2"),
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n", "AMD EPYC, Zen 3"),
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 23\nmodel\t\t: 49\n", None),  # Zen 2
        ("vendor_id\t: GenuineIntel\nmodel\t\t: odd\n", None),
        ("", None),
    ],
)
def test_which_processor_it_is(tmp_path: Path, text: str, title: str | None) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    found = recognised(kind(tmp_path / "cpuinfo"))
    assert (None if found is None else found.title) == title
    assert kind(tmp_path / "none") is None


def test_each_processor_has_one_table() -> None:
    for vendor, family, models in {k for p in PROCESSORS.values() for k in p.kinds}:
        for model in models:
            assert sum(p.is_of(Kind(vendor, family, model)) for p in PROCESSORS.values()) == 1
