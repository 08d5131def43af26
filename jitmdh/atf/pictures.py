"""SVG by hand: cost over evaluations and time, bars, and the shape of a space."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

from jitmdh.atf.history import History
from jitmdh.atf.outcome import Invalid, score
from jitmdh.atf.space import SearchSpace

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 260, 70, 36, 24
_STYLE = (
    "<style>text{font:12px sans-serif;fill:#333}.axis{stroke:#999}.dot{fill:#7aa6d8}.bad{fill:#d88}"
    ".best{fill:none;stroke:#c33;stroke-width:2}.bar{fill:#4a7fb5}</style>"
)


def cost_picture(history: History) -> str:
    """Two panels: every cost and the best so far, over evaluations and over seconds."""
    rows = history.rows()
    evaluations = [(float(k), _finite(o)) for k, (_, o, _) in enumerate(rows, start=1)]
    seconds = [(s, _finite(o)) for _, o, s in rows]
    panels = [_panel(evaluations, "evaluations", 0), _panel(seconds, "seconds", _HEIGHT + 10)]
    return _svg(_WIDTH, 2 * _HEIGHT + 10, "".join(panels))


def _finite(outcome: object) -> float | None:
    return None if isinstance(outcome, Invalid) else score(outcome)  # type: ignore[arg-type]


def _panel(points: Sequence[tuple[float, float | None]], label: str, top: int) -> str:
    costs = [c for _, c in points if c is not None]
    if not costs:
        return _text(_LEFT, top + _HEIGHT / 2, "no valid configuration was measured")
    low, high = min(costs), max(costs)
    logarithmic = low > 0 and high / low > 5
    y = _scale(low, high, top + _HEIGHT - _BOTTOM, top + _TOP, logarithmic)
    x = _scale(0.0, max(p for p, _ in points) or 1.0, _LEFT, _WIDTH - 15, False)
    marks, steps, best = [], [], math.inf
    for place, cost in points:
        if cost is None:
            marks.append(f'<circle class="bad" cx="{x(place):.1f}" cy="{top + _TOP - 6}" r="2"/>')
            continue
        marks.append(f'<circle class="dot" cx="{x(place):.1f}" cy="{y(cost):.1f}" r="2.2"/>')
        if cost < best:
            steps.append(f"{x(place):.1f},{y(best if best < math.inf else cost):.1f}")
            best = cost
            steps.append(f"{x(place):.1f},{y(cost):.1f}")
    steps.append(f"{x(points[-1][0]):.1f},{y(best):.1f}")
    line = f'<polyline class="best" points="{" ".join(steps)}"/>'
    return _axes(top, label, x, y, low, high, points[-1][0], logarithmic) + "".join(marks) + line


def _axes(
    top: int,
    label: str,
    x: Callable[[float], float],
    y: Callable[[float], float],
    low: float,
    high: float,
    last: float,
    logarithmic: bool,
) -> str:
    base = top + _HEIGHT - _BOTTOM
    parts = [
        f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{_WIDTH - 15}" y2="{base}"/>',
        f'<line class="axis" x1="{_LEFT}" y1="{top + _TOP}" x2="{_LEFT}" y2="{base}"/>',
        _text(_WIDTH / 2, base + 30, label, "middle"),
    ]
    middle = math.sqrt(low * high) if logarithmic else (low + high) / 2
    for value in sorted({low, middle, high}):
        parts.append(_text(_LEFT - 6, y(value) + 4, f"{value:.4g}", "end"))
    for value in (0.0, last / 2, last):
        parts.append(_text(x(value), base + 15, f"{value:.4g}", "middle"))
    return "".join(parts)


def _scale(low: float, high: float, start: float, end: float, logarithmic: bool) -> Callable[[float], float]:
    warp = math.log if logarithmic else float
    a, b = warp(low), warp(high)
    span = (b - a) or 1.0
    return lambda value: start + (end - start) * (warp(value) - a) / span


def importance_picture(shares: Mapping[str, float]) -> str:
    """One bar per parameter."""
    rows = []
    for k, (name, share) in enumerate(shares.items()):
        top = 8 + 22 * k
        rows.append(_text(150, top + 12, name, "end"))
        rows.append(f'<rect class="bar" x="158" y="{top}" width="{max(1.0, 400 * share):.1f}" height="15"/>')
        rows.append(_text(166 + 400 * share, top + 12, f"{100 * share:.0f} %"))
    return _svg(_WIDTH, 16 + 22 * len(shares), "".join(rows))


def shape_picture(space: SearchSpace) -> str:
    """One row per level of the DAG: how many distinct subspaces and values it has (logarithmic bars)."""
    rows, level = [], {id(space.root): space.root}
    for k, name in enumerate(space.order):
        nodes = list(level.values())
        found = [c for n in nodes for c in ([n.child] if n.child is not None else n.children)]
        level = {id(child): child for child in found}
        fewest, most = min(len(n.values) for n in nodes), max(len(n.values) for n in nodes)
        choices = f"{fewest}" if fewest == most else f"{fewest}–{most}"
        top = 8 + 22 * k
        width = 12 + 40 * math.log2(len(nodes))
        rows.append(_text(150, top + 12, name, "end"))
        rows.append(f'<rect class="bar" x="158" y="{top}" width="{min(width, 300):.1f}" height="15"/>')
        label = f"{len(nodes)} subspace{'s' * (len(nodes) > 1)}, {choices} values each"
        rows.append(_text(166 + min(width, 300), top + 12, label))
    return _svg(_WIDTH, 16 + 22 * len(space.order), "".join(rows))


def _text(x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def _svg(width: int, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{_STYLE}{content}</svg>'
    )
