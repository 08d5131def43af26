"""SVG by hand: cost over evaluations and time, bars, and the shape of a space."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Cost, Invalid, score
from jitmdh.atf.space.space import SearchSpace

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _BOTTOM, _TOP = 640, 260, 62, 30, 40, 28
_STYLE = (
    "<style>text{font:12px sans-serif;fill:#333}.axis{stroke:#999}.grid{stroke:#e4e8ee}"
    ".dot{fill:#4a7fb5;fill-opacity:.55}.bad{fill:#c33;fill-opacity:.6}"
    ".best{fill:none;stroke:#c33;stroke-width:2}.bar{fill:#4a7fb5}</style>"
)


def cost_picture(history: History) -> str:
    """Two panels: every cost and the best so far, over evaluations and over seconds."""
    rows, sign = history.rows(), -1.0 if history.maximised else 1.0
    costs = [None if isinstance(o, Invalid) else sign * score(o) for _, o, _ in rows]
    evaluations = [(float(k), c) for k, c in enumerate(costs, start=1)]
    seconds = [(s, c) for (_, _, s), c in zip(rows, costs)]
    panels = [_panel(evaluations, "evaluations", 0, sign), _panel(seconds, "seconds", _HEIGHT + 10, sign)]
    return as_svg(_WIDTH, 2 * _HEIGHT + 10, "".join(panels))


def _panel(points: Sequence[tuple[float, float | None]], label: str, top: int, sign: float) -> str:
    """sign: -1 where more is better."""
    costs = [c for _, c in points if c is not None]
    if not costs:
        return as_text(_LEFT, top + _HEIGHT / 2, "no valid configuration was measured")
    low, high = min(costs), max(costs)
    logarithmic = low > 0 and high / low > 5
    margin = (high / low) ** 0.04 if logarithmic else 0.04 * ((high - low) or abs(high) or 1.0)
    low, high = (low / margin, high * margin) if logarithmic else (low - margin, high + margin)
    y = _scale(low, high, top + _HEIGHT - _BOTTOM, top + _TOP, logarithmic)
    last = max(p for p, _ in points) or 1.0
    x = _scale(0.0, last, _LEFT, _WIDTH - _RIGHT, False)
    marks, steps, best = [], [], sign * math.inf
    for place, cost in points:
        if cost is None:
            marks.append(f'<circle class="bad" cx="{x(place):.1f}" cy="{top + _TOP - 8}" r="2"/>')
            continue
        marks.append(f'<circle class="dot" cx="{x(place):.1f}" cy="{y(cost):.1f}" r="2.2"/>')
        if sign * cost < sign * best:
            steps.append(f"{x(place):.1f},{y(best if math.isfinite(best) else cost):.1f}")
            best = cost
            steps.append(f"{x(place):.1f},{y(cost):.1f}")
    steps.append(f"{x(points[-1][0]):.1f},{y(best):.1f}")
    line = f'<polyline class="best" points="{" ".join(steps)}"/>'
    across = logarithmic_ticks(low, high) if logarithmic else ticks(low, high)
    return _axes(top, label, x, y, across, last) + "".join(marks) + line


def _axes(
    top: int,
    label: str,
    x: Callable[[float], float],
    y: Callable[[float], float],
    across: Sequence[float],
    last: float,
) -> str:
    base, end = top + _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    unit, factor = label, 1.0
    if label == "seconds":
        unit, factor = _time_unit(last)
    parts = []
    for value in across:
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y(value):.1f}" x2="{end}" y2="{y(value):.1f}"/>')
        parts.append(as_text(_LEFT - 6, y(value) + 4, f"{value:.5g}", "end"))
    parts.append(f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{end}" y2="{base}"/>')
    for value in ticks(0.0, last * factor):
        if label == "evaluations" and value != int(value):
            continue
        place = x(value / factor)
        parts.append(f'<line class="axis" x1="{place:.1f}" y1="{base}" x2="{place:.1f}" y2="{base + 4}"/>')
        parts.append(as_text(place, base + 17, f"{value:.5g}", "middle"))
    parts.append(as_text((_LEFT + end) / 2, base + 33, unit, "middle"))
    parts.append(as_text(_LEFT - 6, top + _TOP - 4, "cost", "end"))
    return "".join(parts)


def _time_unit(last: float) -> tuple[str, float]:
    for unit, factor in (("seconds", 1.0), ("milliseconds", 1e3)):
        if last * factor >= 1.0:
            return unit, factor
    return "microseconds", 1e6


def ticks(low: float, high: float) -> list[float]:
    """Round numbers within [low, high], about five.

    >>> ticks(0.0, 150.0), ticks(0.13, 0.19)
    ([0.0, 50.0, 100.0, 150.0], [0.14, 0.16, 0.18])
    """
    if not high > low:
        return [low]
    raw = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    digits = max(0, 1 - math.floor(math.log10(step)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, digits) for k in range(first, last + 1)]


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten within [low, high]; only the powers if those are many.

    >>> logarithmic_ticks(0.5, 9.0), logarithmic_ticks(0.01, 1000.0)
    ([0.5, 1.0, 2.0, 5.0], [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if math.log10(high / low) < 2.5 else (1,)
    found = [float(f"{m}e{e}") for e in powers for m in factors]
    return [v for v in found if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]


def _scale(low: float, high: float, start: float, end: float, logarithmic: bool) -> Callable[[float], float]:
    warp = math.log if logarithmic else float
    a, b = warp(low), warp(high)
    span = (b - a) or 1.0
    return lambda value: start + (end - start) * (warp(value) - a) / span


def times_picture(points: Sequence[tuple[float, float]], marks: Iterable[float], label: str, unit: str) -> str:
    """What a call takes (in seconds) over something that grows, with a vertical line at each mark.

    label: of what grows; unit: that of `points`' first numbers, "seconds" or what is counted.
    """
    low, high = min(t for _, t in points), max(t for _, t in points)
    word, factor = _time_unit(high)
    low, high = 0.95 * low * factor, 1.05 * high * factor
    last = max(p for p, _ in points) or 1.0
    x = _scale(0.0, last, _LEFT, _WIDTH - _RIGHT, False)
    y = _scale(low, high, _HEIGHT - _BOTTOM, _TOP, False)
    base, end = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{end}" y2="{base}"/>']
    for value in ticks(low, high):
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y(value):.1f}" x2="{end}" y2="{y(value):.1f}"/>')
        parts.append(as_text(_LEFT - 6, y(value) + 4, f"{value:.5g}", "end"))
    parts += [as_text(x(value), base + 17, f"{value:.5g}", "middle") for value in ticks(0.0, last)]
    parts += [
        f'<line class="switch" x1="{x(m):.1f}" y1="{_TOP}" x2="{x(m):.1f}" y2="{base}" '
        'stroke="#c33" stroke-dasharray="4 3"/>'
        for m in marks
    ]
    parts += [f'<circle class="dot" cx="{x(p):.1f}" cy="{y(t * factor):.1f}" r="2.2"/>' for p, t in points]
    parts.append(as_text((_LEFT + end) / 2, base + 33, f"{label}, {unit}", "middle"))
    parts.append(as_text(6, _TOP - 12, f"{word} a call"))
    return as_svg(_WIDTH, _HEIGHT, "".join(parts))


def front_picture(history: History, front: Iterable[Cost]) -> str:
    """Two objectives against each other: every evaluation, and the Pareto front as the line that none is below."""
    points = [e.cost[:2] for e in history if isinstance(e.cost, tuple)]
    edge: list[tuple[float, ...]] = []
    sign = -1 if history.maximised else 1
    for corner in sorted(tuple(sign * part for part in c[:2]) for c in front if isinstance(c, tuple)):
        if not edge or corner[1] < edge[-1][1]:  # with three objectives, members may lie above others here
            edge.append(corner)
    edge = [tuple(sign * part for part in corner) for corner in edge]
    scales, axes = [], []
    for k, (start, end) in enumerate(((_LEFT, _WIDTH - _RIGHT), (_HEIGHT - _BOTTOM, _TOP))):
        low, high = min(p[k] for p in points), max(p[k] for p in points)
        logarithmic = low > 0 and high / low > 100
        scales.append(_scale(low, high, start, end, logarithmic))
        axes.append(logarithmic_ticks(low, high) if logarithmic else ticks(low, high))
    x, y = scales
    base, end = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{end}" y2="{base}"/>']
    for value in axes[0]:
        parts.append(as_text(x(value), base + 17, f"{value:.5g}", "middle"))
    for value in axes[1]:
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y(value):.1f}" x2="{end}" y2="{y(value):.1f}"/>')
        parts.append(as_text(_LEFT - 6, y(value) + 4, f"{value:.5g}", "end"))
    parts += [f'<circle class="dot" cx="{x(a):.1f}" cy="{y(b):.1f}" r="2.2"/>' for a, b in points]
    steps = [f"{x(edge[0][0]):.1f},{y(edge[0][1]):.1f}"]
    for (_, before), (first, second) in pairwise(edge):
        steps += [f"{x(first):.1f},{y(before):.1f}", f"{x(first):.1f},{y(second):.1f}"]
    parts.append(f'<polyline class="best" points="{" ".join(steps)}"/>')
    parts.append(as_text((_LEFT + end) / 2, base + 33, "first objective", "middle"))
    parts.append(as_text(6, _TOP - 12, "second objective"))
    return as_svg(_WIDTH, _HEIGHT, "".join(parts))


def importance_picture(shares: Mapping[str, float]) -> str:
    """One bar per parameter."""
    left, rows = _label_width(shares), []
    for k, (name, share) in enumerate(shares.items()):
        top = 8 + 22 * k
        rows.append(as_text(left - 8, top + 12, name, "end"))
        rows.append(_bar(left, top, (_WIDTH - left - 60) * share))
        rows.append(as_text(left + 8 + (_WIDTH - left - 60) * share, top + 12, f"{100 * share:.0f} %"))
    return as_svg(_WIDTH, 16 + 22 * len(shares), "".join(rows))


def shape_picture(space: SearchSpace) -> str:
    """One row per parameter with a choice: how many distinct subspaces of the DAG begin with it (bars
    grow with the logarithm) and how many values remain there. Parameters of one value are named below."""
    left = _label_width(space.order)
    rows: list[str] = []
    fixed: list[str] = []
    level = {id(space.root): space.root}
    for name in space.order:
        nodes = list(level.values())
        found = [c for n in nodes for c in ([n.child] if n.child is not None else n.children)]
        level = {id(child): child for child in found}
        fewest, most = min(n.size for n in nodes), max(n.size for n in nodes)
        if most == 1 and len(nodes) == 1:
            fixed.append(f"{name} = {nodes[0].values[0]}")
            continue
        choices = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        top = 8 + 22 * len(rows)
        width = min(12 + 24 * math.log2(len(nodes)), _WIDTH - left - 260)
        subspaces = f"{len(nodes)} subspaces of " if len(nodes) > 1 else ""
        label = as_text(left + 8 + width, top + 12, f"{subspaces}{choices} value{'s' * (most > 1)}")
        rows.append(as_text(left - 8, top + 12, name, "end") + _bar(left, top, width) + label)
    if fixed:
        shown = ", ".join(fixed[:6]) + (f" and {len(fixed) - 6} more" if len(fixed) > 6 else "")
        rows.append(as_text(8, 20 + 22 * len(rows), f"one value only: {shown}"))
    return as_svg(_WIDTH, 16 + 22 * len(rows), "".join(rows))


def _label_width(names: Iterable[str]) -> float:
    """Where bars begin, so that the names fit beside them."""
    return min(max(60.0, 24.0 + 7.0 * max(map(len, names), default=0)), 260.0)


def _bar(left: float, top: float, width: float) -> str:
    return f'<rect class="bar" x="{left:.0f}" y="{top}" width="{max(1.0, width):.1f}" height="15"/>'


def as_text(x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def as_svg(width: int, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{_STYLE}{content}</svg>'
    )
