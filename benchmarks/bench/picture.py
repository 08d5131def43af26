"""Measured results as SVG: bars of ratios, and a roofline."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.bench.drawing import COLOURS, Axis, document, frame, text
from benchmarks.bench.measure import Outcome
from benchmarks.bench.report import TITLES
from benchmarks.peers.ours import OURS, TUNED
from jitmdh.base.text import three_digits
from jitmdh.hca.roofline import Limits
from jitmdh.mdh.machine.host import host

BAR, GAP, LEFT, WIDTH = 13, 12, 290, 460


def ratios(outcomes: list[Outcome], peers: Sequence[str], caption: str = "") -> str:
    """A bar for each peer and computation: how many times longer than jitmdh it takes, on a logarithmic scale."""
    drawn = [(o, {p: r.value for p in peers if (r := o.ratio(p)) is not None}) for o in outcomes if OURS in o.timings]
    every = [value for _, found in drawn for value in found.values()]
    axis = Axis(min([0.5, *every]), max([2.0, *every]), LEFT, LEFT + WIDTH)
    parts, y = [text(8, 23, "times as long as jitmdh, log scale", 'fill="#555"')], 44.0
    for n, peer in enumerate(peers):
        parts.append(f'<rect x="{LEFT + 100 * n}" y="12" width="12" height="12" fill="{COLOURS[peer]}"/>')
        parts.append(text(LEFT + 100 * n + 18, 23, TITLES[peer]))
    several = len({outcome.case.dtype for outcome in outcomes}) > 1
    one = axis.at(1.0)
    for outcome, found in drawn:
        name = outcome.case.name + (f" {outcome.case.dtype.replace('float', 'f')}" if several else "")
        parts.append(text(LEFT - 8, y + BAR * len(found) / 2 + 4, name, 'text-anchor="end"'))
        for peer, ratio in found.items():
            start, end = sorted((one, axis.at(ratio)))
            size = f'width="{max(end - start, 1):.1f}" height="{BAR - 2}"'
            parts.append(f'<rect x="{start:.1f}" y="{y:.1f}" {size} fill="{COLOURS[peer]}"/>')
            parts.append(text(end + 5, y + BAR - 3, f"{three_digits(ratio)} ×", 'font-size="11"'))
            y += BAR
        y += GAP
    parts.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="36" y2="{y:.0f}" stroke="black"/>')
    parts.append(text(8, y + 16, caption, 'font-size="11" fill="#555"'))
    return document(LEFT + WIDTH + 80, y + 26, parts)


def roofline(outcomes: list[Outcome], limits: Limits, caption: str = "") -> str:
    """Computations by flops per compulsory byte and GFLOP/s, under the measured roofs.

    What fits a cache may lie above the roof of main memory, never above that of the cache.
    """
    drawn = [o for o in outcomes if OURS in o.timings and o.bytes_moved]
    types = sorted({o.case.dtype for o in drawn}) or ["float32"]
    peak = max(limits.peak(name) for name in types)
    left, top, right, bottom = 60.0, 20.0, 700.0, 460.0
    x = Axis(0.03, 1000, left, right)
    y = Axis(0.1, 10 ** (math.ceil(math.log10(peak) * 2) / 2), bottom, top)
    parts = frame(x, y, "flops per compulsory byte", "GFLOP/s", 10)
    for name, area in _homes(limits).items():
        parts += _slope(x, y, limits.bandwidth("read", area) / 1e9, peak, name)
    for name in types:
        flat = limits.peak(name)
        bandwidth = limits.bandwidth("read", _FAR) / 1e9
        path = f"{x.at(flat / bandwidth):.1f},{y.at(flat):.1f} {right:.1f},{y.at(flat):.1f}"
        parts.append(f'<polyline points="{path}" fill="none" stroke="black" stroke-width="2"/>')
        words = f"{flat:.0f} GFLOP/s in {name.replace('float', 'f')}"
        parts.append(text(right - 8, y.at(flat) - 6, words, 'text-anchor="end"'))
    labels: list[tuple[float, float]] = []
    for number, outcome in enumerate(drawn, 1):
        seconds = outcome.timings.get(TUNED, outcome.timings[OURS]).seconds
        at = x.at(outcome.case.flops / outcome.bytes_moved), y.at(outcome.case.flops / seconds / 1e9)
        colour = "#00a3a3" if outcome.case.dtype == "float32" else "#4d77cf"
        parts.append(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="4" fill="{colour}"/>')
        label = at[0] + 6, at[1] + 4
        while any(abs(label[0] - a) < 16 and abs(label[1] - b) < 11 for a, b in labels):
            label = label[0] + 16, label[1]
        labels.append(label)
        parts.append(text(*label, str(number), 'font-size="11"'))
        words = f"{number}  {outcome.case.name} {outcome.case.dtype.replace('float', 'f')}"
        parts.append(text(right + 16, top + 12 + 17 * (number - 1), words))
    below = top + max(bottom - top, 17.0 * len(drawn)) + 50
    parts.append(text(8, below + 8, caption, 'font-size="11" fill="#555"'))
    return document(right + 310, below + 18, parts)


_FAR = 256 << 20


def _homes(limits: Limits) -> dict[str, int]:
    """Bytes that are at home in main memory and in the caches of all threads together: half of what these hold."""
    machine = host("", limits.threads)
    near = {name: limits.threads * machine.capacity_bytes(name) // 2 for name in ("L2", "L1")}
    return {"memory": _FAR, **near}


def _slope(x: Axis, y: Axis, bandwidth: float, peak: float, name: str) -> list[str]:
    """A roof that rises with the flops per byte, in GB/s, up to the peak; its name along it."""
    begin = max(x.low, y.low / bandwidth)
    ends = [(x.at(a), y.at(bandwidth * a)) for a in (begin, peak / bandwidth)]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in ends)
    how = 'stroke="black" stroke-width="2"' if name == "memory" else 'stroke="#999" stroke-dasharray="5 4"'
    (x0, y0), (x1, y1) = ends
    degrees = math.degrees(math.atan2(y1 - y0, x1 - x0))
    middle = (x0 + x1) / 2, (y0 + y1) / 2
    words = f"{name}, {bandwidth:.0f} GB/s"
    return [
        f'<polyline points="{path}" fill="none" {how}/>',
        f'<g transform="translate({middle[0]:.1f} {middle[1]:.1f}) rotate({degrees:.1f})">',
        text(0, -6, words, 'text-anchor="middle" font-size="12"'),
        "</g>",
    ]
