"""The machine that code is made for: this one, or the one that the setting `machine` names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jitmdh.base.settings import config
from jitmdh.mdh.machine.cpu import Caches, cpu
from jitmdh.mdh.machine.known import processor
from jitmdh.mdh.machine.model import Machine

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def host(features: str, cores: int) -> Machine:
    """The model of this processor for code that may use `features` ("+avx2,+fma,…", LLVM's names) on `cores` cores.

    Where the setting `machine` names another one: its caches and its number of cores.
    """
    if config.machine == "host":
        return cpu(features, cores, host_caches())
    return cpu(features, processor(config.machine).cores, processor(config.machine).caches)


def host_caches() -> Caches:
    """The caches of this processor, or those of the one that the setting `machine` names."""
    return reported() if config.machine == "host" else processor(config.machine).caches


@cache
def reported(directory: Path = _CACHES) -> Caches:
    """The data caches as Linux reports them; where it reports none, common sizes, where no L3, that of the L2."""
    found: dict[int, int] = {}
    for entry in sorted(directory.glob("index*")):
        try:
            if (entry / "type").read_text().strip() != "Instruction":
                found[int((entry / "level").read_text())] = parse_size((entry / "size").read_text().strip())
        except (OSError, ValueError):
            continue
    if not found:
        return Caches(32 << 10, 512 << 10, 8 << 20)
    l1 = found.get(1, 32 << 10)
    l2 = found.get(2, max(l1, 512 << 10))
    return Caches(l1, l2, max(l2, found.get(3, 0)))


def parse_size(text: str) -> int:
    """
    >>> parse_size("48K"), parse_size("2M")
    (49152, 2097152)
    """
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper())
    return int(text[:-1]) * factor if factor else int(text)
