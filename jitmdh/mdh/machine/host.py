"""The machine that code is made for: this one, or the one that the setting `machine` names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jitmdh.base.process.signals import pass_on
from jitmdh.base.settings import config
from jitmdh.mdh.machine.cpu import cpu
from jitmdh.mdh.machine.known import processor, recognised
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.machine.processors.figures import SERVER_512, Figures
from jitmdh.mdh.machine.processors.processor import Caches, Kind

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_CPUINFO = Path("/proc/cpuinfo")
HOST, CALIBRATED = "host", "calibrated"


def host(features: str, cores: int, figures: Figures | None = None) -> Machine:
    """The model of this processor for code that may use `features` ("+avx2,+fma,…", LLVM's names) on `cores` cores.

    figures: calibrated ones, for a processor without a table, or instead of it. Where the setting `machine` names
    another processor: its caches, figures and number of cores.
    """
    if config.machine in (HOST, CALIBRATED):
        table = recognised(kind())
        return cpu(features, cores, host_caches(), figures or (SERVER_512 if table is None else table.figures))
    found = processor(config.machine)
    return cpu(features, found.cores, found.caches, found.figures)


def host_caches() -> Caches:
    """The caches of this processor, or those of the one that the setting `machine` names."""
    return reported() if config.machine in (HOST, CALIBRATED) else processor(config.machine).caches


@cache
def kind(file: Path = _CPUINFO) -> Kind | None:
    """What this processor says of itself, as Linux shows it; None where it does not."""
    says = facts(file)
    try:
        if "CPU implementer" in says:
            return Kind(says["CPU implementer"], 0, int(says["CPU part"], 16))
        return Kind(says["vendor_id"], int(says["cpu family"]), int(says["model"]))
    except (KeyError, ValueError):
        return None


def facts(file: Path = _CPUINFO) -> dict[str, str]:
    """The lines about the first processor, by name; empty where there are none."""
    try:
        with file.open("rb") as text:
            block = text.read(8192).split(b"\n\n")[0].decode("ascii", "replace")
    except OSError as error:
        pass_on(error)
        return {}
    parts = (line.partition(":") for line in block.splitlines())
    return {name.strip(): value.strip() for name, _, value in parts}


@cache
def reported(directory: Path = _CACHES) -> Caches:
    """The data caches as Linux reports them; where it reports none, common sizes, where no L3, that of the L2."""
    found: dict[int, int] = {}
    for entry in sorted(directory.glob("index*")):
        try:
            if (entry / "type").read_text().strip() != "Instruction":
                found[int((entry / "level").read_text())] = parse_size((entry / "size").read_text().strip())
        except (OSError, ValueError) as error:
            pass_on(error)
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
