"""SVG by hand: text, documents, and logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

FONT = 'font-family="system-ui, sans-serif" font-size="13"'
COLOURS = {"jitmdh": "#111111", "tuned": "#777777", "numpy": "#4d77cf", "numba": "#00a3a3", "torch": "#ee4c2c",
           "jax": "#9c27b0", "scipy": "#c79a00", "cpu": "#2e7d32"}  # fmt: skip


def document(width: float, height: float, parts: list[str]) -> str:
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {FONT}>'
    return "\n".join([start, f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>', *parts, "</svg>\n"])


def text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{words.replace("&", "&amp;").replace("<", "&lt;")}</text>'


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `low` to `high`, drawn between two coordinates."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The coordinate of a value; values outside stand at the ends."""
        share = math.log(min(max(value, self.low), self.high) / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def powers(self, base: int) -> Iterator[float]:
        """Powers of `base` on the axis."""
        first = math.ceil(math.log(self.low, base) - 1e-9)
        for exponent in range(first, math.floor(math.log(self.high, base) + 1e-9) + 1):
            yield float(base) ** exponent


def frame(x: Axis, y: Axis, below: str, beside: str, base: int) -> list[str]:
    """The box, ticks at powers of `base` below and of ten beside, and what the axes are."""
    parts = [
        f'<rect x="{x.start}" y="{y.end}" width="{x.end - x.start}" height="{y.start - y.end}" '
        'fill="none" stroke="#bbb"/>',
        text((x.start + x.end) / 2, y.start + 36, below, 'text-anchor="middle"'),
        f'<g transform="rotate(-90 16 {(y.start + y.end) / 2})">',
        text(16, (y.start + y.end) / 2, beside, 'text-anchor="middle"'),
        "</g>",
    ]
    for value in x.powers(base):
        parts.append(text(x.at(value), y.start + 16, number(value), 'text-anchor="middle" font-size="11"'))
    for value in y.powers(10):
        parts.append(text(x.start - 6, y.at(value) + 4, number(value), 'text-anchor="end" font-size="11"'))
        parts.append(f'<line x1="{x.start}" x2="{x.end}" y1="{y.at(value):.1f}" y2="{y.at(value):.1f}" stroke="#eee"/>')
    return parts


def number(value: float) -> str:
    """
    >>> number(0.1), number(4096), number(2**20), number(1000)
    ('0.1', '4096', '1 Mi', '1000')
    """
    for size, prefix in ((1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 13, "")):
        if prefix and value >= size and value % size == 0:
            return f"{value / size:g} {prefix}"
    return f"{value:g}"
