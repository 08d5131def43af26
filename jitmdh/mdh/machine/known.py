"""Models of well-known processors, as data: what is decided for them can be seen, and tested, on any host.

>>> known("zen4", cores=2).capacity_bytes("L1")
32768
"""

from __future__ import annotations

from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.machine.cpu import cpu
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.machine.processors import (
    apple_m1,
    goldmont,
    neoverse_v2,
    sapphire_rapids,
    skylake,
    zen3,
    zen4,
    zen5,
)
from jitmdh.mdh.machine.processors.processor import Kind, Processor

PROCESSORS = {
    "sapphire-rapids": sapphire_rapids.PROCESSOR,
    "zen3": zen3.PROCESSOR,
    "zen4": zen4.PROCESSOR,
    "zen5": zen5.PROCESSOR,
    "avx2-desktop": skylake.PROCESSOR,
    "x86-128": goldmont.PROCESSOR,
    "apple": apple_m1.PROCESSOR,
    "neoverse": neoverse_v2.PROCESSOR,
}


def recognised(kind: Kind | None) -> Processor | None:
    """The table of a processor that says this of itself; None if there is none.

    >>> recognised(Kind("AuthenticAMD", 25, 17)).title
    'AMD EPYC, Zen 4'
    """
    return next((p for p in PROCESSORS.values() if kind is not None and p.is_of(kind)), None)


def processor(name: str) -> Processor:
    """Raises ConfigurationError if it is not known."""
    if name not in PROCESSORS:
        names = ", ".join(("host", "calibrated", *PROCESSORS))
        raise ConfigurationError(f"there is no machine `{name}`", hint=f"machines are {names}")
    return PROCESSORS[name]


def known(name: str, cores: int | None = None) -> Machine:
    """The model of a processor of `PROCESSORS`, with as many cores as asked for. Raises ConfigurationError."""
    found = processor(name)
    return cpu(found.features, found.cores if cores is None else cores, found.caches, found.figures, name)
