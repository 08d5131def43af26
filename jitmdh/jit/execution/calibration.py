"""The figures of this processor, as `python -m jitmdh calibrate` measures them and the store keeps them.

They hold for a processor with its microcode, and are used where there is no table of it, or with machine="calibrated".
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.mdh.machine.host import CALIBRATED, HOST, facts, kind, reported
from jitmdh.mdh.machine.known import recognised
from jitmdh.mdh.machine.processors.figures import Figures


@dataclass(frozen=True, slots=True)
class Calibrated:
    """figures: as measured. replaced: what was out of all proportion: name, as measured, and what is used instead."""

    figures: Figures
    replaced: tuple[tuple[str, float, float], ...]

    def table(self) -> str:
        """A line for each figure, with what it means, and that of the processor's table beside it if there is one."""
        known = recognised(kind())
        rows = _rows(self.figures)
        others = {} if known is None else {name: value for name, value, _ in _rows(known.figures)}
        title = "this processor" if known is None else f"this processor, beside the table of {known.title}"
        lines = [f"{title}:"]
        for name, value, meaning in rows:
            other = f"{others[name]:>9.4g}" if name in others else ""
            lines.append(f"  {name:<26}{value:>9.4g} {other:>{9 * bool(others)}}  {meaning}")
        for name, measured, used in self.replaced:
            lines.append(f"  {name}: {measured:.3g} was measured, which no processor has; {used:.3g} is used")
        when = "used where the setting `machine` is calibrated" if others else "in use from now on"
        lines.append(f"kept, {when}")
        return "\n".join(lines)


def calibrate(step: Callable[[str], None] = lambda name: None) -> Calibrated:
    """Measures this processor, in about two seconds, and keeps that. step: is told what is measured next."""
    from jitmdh.hca.calibration.measure import calibrated

    caches = reported()
    found = calibrated(usable_cores(), caches.l2, caches.l3, step)
    figures = Figures.of(found.figures)
    default_store().put(_key(), json.dumps(figures.plain()).encode())
    return Calibrated(figures, tuple(found.replaced))


def kept() -> Figures | None:
    """The calibration of this processor; None if there is none."""
    entry = default_store().get(_key())
    try:
        return None if entry is None else Figures.of(json.loads(entry))
    except (ValueError, ConfigurationError):
        return None


def figures_in_use() -> Figures | None:
    """What the model is to use instead of a table. ConfigurationError if that is asked for and there is none."""
    if config.machine == CALIBRATED:
        found = kept()
        if found is None:
            raise ConfigurationError("this processor is not calibrated", hint="python -m jitmdh calibrate")
        return found
    return kept() if config.machine == HOST and recognised(kind()) is None else None


def digest_of(figures: Figures) -> str:
    """A short text that differs for other figures."""
    return hashlib.blake2b(json.dumps(figures.plain()).encode(), digest_size=6).hexdigest()


def _key() -> str:
    """By processor and microcode."""
    says = kind()
    named = platform.processor() or platform.machine() if says is None else "/".join(map(str, says))
    return f"calibration-1|{named}|{facts().get('microcode', '')}"


def _rows(f: Figures) -> list[tuple[str, float, str]]:
    """Name, figure, unit and meaning."""
    rows = [("clock", f.gigahertz, "GHz, of a chain of integer operations")]
    for v in f.vectors:
        rows += [
            (f"multiply-adds, {v.bits} bits", v.multiply_adds, "a cycle, independent of each other"),
            (f"loads, {v.bits} bits", v.loads, "a cycle, from L1"),
            (f"stores, {v.bits} bits", v.stores, "a cycle, to L1"),
            (f"shuffles, {v.bits} bits", v.shuffles, "a cycle"),
            (f"gather, {v.bits} bits", v.gather, "cycles an element, each from a line of its own in L1"),
            (f"scatter, {v.bits} bits", v.scatter, "cycles an element, each to a line of its own in L1"),
        ]
    rows += [
        ("latency", f.latency, "cycles until a multiply-add can use the result of another"),
        ("forwarding", f.forwarding, "cycles from a vector's store to its load"),
        ("L2 latency", f.l2.latency, "cycles of a load that waits for another"),
        ("L2 bandwidth", f.l2.bytes_per_cycle, "bytes a cycle, read in order by one core"),
        ("L3 latency", f.l3.latency, "cycles"),
        ("L3 bandwidth", f.l3.bytes_per_cycle, "bytes a cycle"),
        ("memory latency", f.memory_latency, "ns"),
    ]
    for m in f.memory:
        threads = f"{m.threads} thread{'s' * (m.threads > 1)}"
        rows += [
            (f"read, {threads}", m.read, "GB/s of main memory"),
            (f"write, {threads}", m.write, "GB/s, through the caches"),
            (f"streamed, {threads}", m.streamed, "GB/s, by non-temporal stores"),
            (f"copy, {threads}", m.copy, "GB/s, read and written together"),
        ]
    return [
        *rows,
        ("pages", f.pages, "of 4 KiB that the TLBs reach"),
        ("page walk", f.page_walk, "cycles of a load from a page beyond"),
        ("streams", f.streams, "rows read side by side from memory as fast as one"),
        ("per stream", f.per_stream, "the share that each further one adds"),
        ("line crossing", f.line_crossing, "loads within a line that a load across two takes"),
        ("page crossing", f.page_crossing, "the same across two pages"),
        ("aliasing", f.aliasing, "cycles of a load 4 KiB behind a store"),
        ("hand-over", f.handover, "ns until another core sees a store"),
    ]
