"""SVG by hand: costs over the values of each parameter, and whole configurations as lines across parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Evaluation
from jitmdh.atf.results.plots import as_svg, as_text

_MOST_PARAMETERS, _MOST_LINES, _ACROSS = 12, 300, 3
_WIDTH, _PANEL, _LINES = 640, 150, 320
_NAMED = 8  # values of an axis across which lines go: more names than that hide the lines
_CHARACTER = 8.0  # the width of one, and a little


def slices_picture(history: History, importance: Mapping[str, float]) -> str:
    """A panel for each of the parameters that matter most: the cost (upwards, by rank) over the parameter's values."""
    ranked = history.best_first()
    width = (_WIDTH - 20) / _ACROSS
    panels = []
    for number, (name, used) in enumerate(_axes(ranked, importance)):
        left, top = 10 + number % _ACROSS * width, 8 + number // _ACROSS * (_PANEL + 40)
        places = {value: k for k, value in enumerate(used)}
        right, bottom = left + width - 22, top + _PANEL
        panels.append(f'<line class="axis" x1="{left:.1f}" y1="{bottom}" x2="{right:.1f}" y2="{bottom}"/>')
        for rank, e in reversed(list(enumerate(ranked))):
            x = left + 8 + (right - left - 16) * _share(places[e.configuration[name]], len(used))
            y = bottom - 6 - (_PANEL - 12) * _share(rank, len(ranked))
            panels.append(f'<circle class="{"bad" if not rank else "dot"}" cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>')
        panels += _below(used, left + 8, right - 8, bottom + 14)
        panels.append(as_text((left + right) / 2, bottom + 28, name, "middle"))
    rows = ceil(len(_axes(ranked, importance)) / _ACROSS)
    return as_svg(_WIDTH, max(1, rows) * (_PANEL + 40) + 12, "".join(panels))


def parallel_picture(history: History, importance: Mapping[str, float]) -> str:
    """An axis for each of the parameters that matter most, a line for each configuration: the better, the darker."""
    ranked = history.best_first()
    axes = _axes(ranked, importance)
    if not axes:
        return as_svg(_WIDTH, 30, as_text(10, 20, "no parameter has had two values"))
    step = (_WIDTH - 80) / max(1, len(axes) - 1)
    top, bottom = 24, _LINES - 40
    places = [{value: k for k, value in enumerate(used)} for _, used in axes]
    shown = [ranked[round(k * (len(ranked) - 1) / max(1, _MOST_LINES - 1))] for k in range(_MOST_LINES)]
    shown = list({id(e): e for e in (shown if len(ranked) > _MOST_LINES else ranked)}.values())
    parts = []
    for rank, e in reversed(list(enumerate(shown))):
        points = " ".join(
            f"{40 + k * step:.1f},{bottom - (bottom - top) * _share(own[e.configuration[name]], len(own)):.1f}"
            for k, ((name, _), own) in enumerate(zip(axes, places))
        )
        share = _share(rank, len(shown))
        style = "#c33" if not rank else f"rgb({int(74 + 150 * share)},{int(127 + 100 * share)},{int(181 + 60 * share)})"
        wide = 2.4 if not rank else 1.0
        parts.append(f'<polyline points="{points}" fill="none" stroke="{style}" stroke-width="{wide}"/>')
    for k, (name, used) in enumerate(axes):
        x = 40 + k * step
        parts.append(f'<line class="axis" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(
            as_text(x, top - 6, _shown(used[-1]), "middle") + as_text(x, bottom + 14, _shown(used[0]), "middle")
        )
        if len(used) <= _NAMED:
            heights = ((bottom - (bottom - top) * _share(n, len(used)), v) for n, v in enumerate(used[1:-1], start=1))
            parts += [as_text(x + 4, y - 4, _shown(value)) for y, value in heights]
        parts.append(as_text(x, bottom + (30 if k % 2 == 0 else 44), name, "middle"))
    return as_svg(_WIDTH, _LINES + 12, "".join(parts))


def _below(used: Sequence[Any], left: float, right: float, y: float) -> list[str]:
    """The values below an axis: all of them where there is room, otherwise the first and the last one."""
    shown = [_shown(value) for value in used]
    room = (right - left) / max(1, len(used) - 1)
    if len(used) > 2 and max(map(len, shown)) * _CHARACTER < room:
        return [as_text(left + (right - left) * _share(n, len(used)), y, v, "middle") for n, v in enumerate(shown)]
    return [as_text(left, y, shown[0]), as_text(right + 8, y, shown[-1], "end")]


def _axes(ranked: Sequence[Evaluation], importance: Mapping[str, float]) -> list[tuple[str, list[Any]]]:
    """The parameters that have had several values, those that matter most, with these values in order."""
    found = []
    for name in importance:
        used = list(dict.fromkeys(e.configuration[name] for e in ranked))
        if len(used) > 1:
            numbers = all(isinstance(v, int | float) for v in used)
            found.append((name, sorted(used) if numbers else sorted(used, key=str)))
    return found[:_MOST_PARAMETERS]


def _share(place: int, count: int) -> float:
    return place / (count - 1) if count > 1 else 0.5


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 12 else text[:11] + "…"
