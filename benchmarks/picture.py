"""Measured results as SVG, drawn by hand: bars of ratios, and a roofline."""

from __future__ import annotations

import math

from benchmarks.measure import OURS, Outcome
from benchmarks.report import TITLES
from jitmdh.base.text import three_digits
from jitmdh.hca.limits import Limits

COLOURS = {"numpy": "#4d77cf", "numba": "#00a3a3", "torch": "#ee4c2c", "jax": "#9c27b0"}
FONT = 'font-family="system-ui, sans-serif" font-size="13"'
BAR, GAP, LEFT, WIDTH = 13, 12, 250, 460


def _document(width: float, height: float, parts: list[str]) -> str:
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {FONT}>'
    return "\n".join([start, f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>', *parts, "</svg>\n"])


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{text.replace("&", "&amp;").replace("<", "&lt;")}</text>'


def ratios(outcomes: list[Outcome], peers: list[str], caption: str = "") -> str:
    """A bar for each peer and computation: how many times longer than jitmdh it takes, on a logarithmic scale."""
    drawn = [o for o in outcomes if OURS in o.timings]
    largest = max([2.0, *(o.ratio(peer) or 1.0 for o in drawn for peer in peers)])
    smallest = min([0.5, *(o.ratio(peer) or 1.0 for o in drawn for peer in peers)])
    low, high = math.log10(smallest), math.log10(largest)

    def place(ratio: float) -> float:
        return LEFT + WIDTH * (math.log10(ratio) - low) / (high - low)

    parts, y = [], 44.0
    for n, peer in enumerate(peers):
        parts.append(f'<rect x="{LEFT + 110 * n}" y="12" width="12" height="12" fill="{COLOURS[peer]}"/>')
        parts.append(_text(LEFT + 110 * n + 18, 23, TITLES[peer]))
    parts.append(_text(8, 23, "times as long as jitmdh, log scale", 'fill="#555"'))
    for outcome in drawn:
        parts.append(_text(LEFT - 8, y + (BAR * len(peers)) / 2 + 4, outcome.case.name, 'text-anchor="end"'))
        for peer in peers:
            ratio = outcome.ratio(peer)
            if ratio is not None:
                start, end = sorted((place(1.0), place(ratio)))
                parts.append(
                    f'<rect x="{start:.1f}" y="{y:.1f}" width="{max(end - start, 1):.1f}" height="{BAR - 2}" '
                    f'fill="{COLOURS[peer]}"/>'
                )
                parts.append(_text(max(end, place(1.0)) + 5, y + BAR - 3, f"{three_digits(ratio)} ×", 'font-size="11"'))
            y += BAR
        y += GAP
    line = f'<line x1="{place(1):.1f}" x2="{place(1):.1f}" y1="36" y2="{y:.0f}" stroke="black"/>'
    below = _text(8, y + 16, caption, 'font-size="11" fill="#555"')
    return _document(LEFT + WIDTH + 80, y + 26, [*parts, line, below])


def roofline(outcomes: list[Outcome], limits: Limits, dtype: str = "float32") -> str:
    """Computations by flops per compulsory byte and GFLOP/s, under the measured roof."""
    drawn = [o for o in outcomes if OURS in o.timings and o.bytes_moved]
    peak, bandwidth = limits.gflops[dtype], limits.bandwidth("read", 256 << 20) / 1e9
    left, top, width, height = 60.0, 20.0, 640.0, 400.0
    low_x, high_x, low_y, high_y = -1.5, 3.0, -1.0, math.ceil(math.log10(peak) * 2) / 2

    def at(intensity: float, rate: float) -> tuple[float, float]:
        x = (min(max(math.log10(intensity), low_x), high_x) - low_x) / (high_x - low_x)
        y = (min(max(math.log10(rate), low_y), high_y) - low_y) / (high_y - low_y)
        return left + width * x, top + height * (1 - y)

    roof = [at(10**low_x, bandwidth * 10**low_x), at(peak / bandwidth, peak), at(10**high_x, peak)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in roof)
    parts = [
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>',
        f'<polyline points="{path}" fill="none" stroke="black" stroke-width="2"/>',
        _text(left + width - 8, roof[2][1] - 6, f"{peak:.0f} GFLOP/s", 'text-anchor="end"'),
        _text(roof[0][0] + 8, roof[0][1] - 18, f"{bandwidth:.0f} GB/s from memory"),
        _text(left + width / 2, top + height + 34, "flops per compulsory byte", 'text-anchor="middle"'),
        f'<g transform="rotate(-90 16 {top + height / 2})">',
        _text(16, top + height / 2, "GFLOP/s", 'text-anchor="middle"'),
        "</g>",
    ]
    for power in range(-1, 4):
        x, y = at(10.0**power, 10.0**power)
        if power <= high_x:
            parts.append(_text(x, top + height + 16, f"{10.0**power:g}", 'text-anchor="middle" font-size="11"'))
        if low_y <= power <= high_y:
            parts.append(_text(left - 6, y + 4, f"{10.0**power:g}", 'text-anchor="end" font-size="11"'))
    for number, outcome in enumerate(drawn, 1):
        x, y = at(outcome.case.flops / outcome.bytes_moved, outcome.case.flops / outcome.timings[OURS].seconds / 1e9)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="#00a3a3" fill-opacity="0.8"/>')
        parts.append(_text(x, y + 3.5, str(number), 'text-anchor="middle" font-size="10" fill="white"'))
        parts.append(_text(left + width + 16, top + 12 + 17 * (number - 1), f"{number}  {outcome.case.name}"))
    return _document(left + width + 250, top + max(height, 17.0 * len(drawn)) + 46, parts)
