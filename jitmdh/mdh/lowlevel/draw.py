"""A low-level expression as a picture (thesis 8.11, Figure 60): SVG text, in one self-contained piece.

    inputs and where they are read   |  the steps: parts, layer, who takes them  |  results and how they are combined

De-composition is read from top to bottom on the left, re-composition from bottom to top on the right; the numbers in
the middle are the order of the steps. Buffers are written in the row of the step that moves them, with their region
and layout. What a user has fixed, the model has chosen or is still open differs in colour and frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from html import escape

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.lowlevel import show
from jitmdh.mdh.lowlevel.expr import LowLevel, Part

WIDTH = 800
LETTER = 0.62
"""Width of a letter of the fixed-width font, of its size; no common one is wider."""

_ROW, _TEXT, _SMALL, _MARGIN = 46, 13, 11, 12
_LEFT, _MIDDLE, _RIGHT = (_MARGIN, 250), (262, 538), (550, WIDTH - _MARGIN)
STYLE = """
.jitmdh { --ink: #1d2733; --soft: #5b6b7c; --paper: #ffffff; --line: #aab6c3; --user: #0b61c4; --part: #eef2f6; }
@media (prefers-color-scheme: dark) {
  .jitmdh { --ink: #e6ebf1; --soft: #a0aebd; --paper: #14181d; --line: #4c5a69; --user: #6fb1ff; --part: #222a33; }
}
.jitmdh text { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.jitmdh .soft { fill: var(--soft); }
.jitmdh .paper { fill: var(--paper); }
.jitmdh .box { fill: var(--part); stroke: var(--line); }
.jitmdh .user { stroke: var(--user); stroke-width: 2; }
.jitmdh .open { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 3; }
.jitmdh .rule { stroke: var(--line); stroke-dasharray: 2 3; fill: none; }
.jitmdh .axis { stroke: var(--ink); fill: none; }
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as SVG text: `str(picture)`, or in a notebook by itself."""

    svg: str

    def __str__(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, slots=True)
class Figure:
    """A low-level expression with what its picture says beside it.

    extents: of the dimensions. origins: by (layer, dimension) "user" or "open"; what is not there is the model's.
    opened: decisions that are open and have no step of their own, as text.
    """

    low: LowLevel
    extents: Mapping[str, int]
    origins: Mapping[tuple[str, str], str] = field(default_factory=dict)
    opened: tuple[str, ...] = ()


def draw(figures: Sequence[Figure]) -> Picture:
    """Pictures of computations, one below the other."""
    canvas = Canvas()
    y = _MARGIN
    for figure in figures:
        y = _figure(canvas, figure, y) + 2 * _MARGIN
    names = ", ".join(figure.low.expression.name for figure in figures)
    title = f"De-composition and re-composition of {names}"
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="jitmdh" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" '
        f'role="img" aria-label="{_attribute(title)}"><title>{escape(title, False)}</title><style>{STYLE}</style>'
        f'<rect class="paper" x="0" y="0" width="{WIDTH}" height="{y}"/>{"".join(canvas.parts)}</svg>'
    )


class Canvas:
    """Shapes and texts; a text that is too long for its place is cut, and whole in its tool tip."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(
        self, x: float, y: float, text: str, room: float, anchor: str = "start", size: int = _TEXT, kind: str = ""
    ) -> None:
        letters = max(1, int(room / (LETTER * size)))
        shown = text if len(text) <= letters else text[: max(1, letters - 1)] + "…"
        whole = f"<title>{escape(text, False)}</title>" if shown != text else ""
        seen = whole + escape(shown, False)
        style = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{style}>{seen}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        self.parts.append(
            f'<rect class="box {kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "rule") -> None:
        self.parts.append(f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def begin(self, label: str) -> None:
        self.parts.append(
            f'<g tabindex="0" role="group" aria-label="{_attribute(label)}"><title>{escape(label, False)}</title>'
        )

    def end(self) -> None:
        self.parts.append("</g>")


def _figure(canvas: Canvas, figure: Figure, y: int) -> int:
    """One computation, from height y on; where it ends."""
    e = figure.low.expression
    canvas.text(_MARGIN, y + 16, e.name, WIDTH - 2 * _MARGIN, size=16)
    y += 30
    y = max(_buffers(canvas, e, e.inp_view, _LEFT, y, "inputs"), _buffers(canvas, e, e.out_view, _RIGHT, y, "results"),
            _space(canvas, figure, y))  # fmt: skip
    counts = _counts(figure)
    for number, part in enumerate(figure.low.parts):
        y = _step(canvas, figure, number, part, counts[number], y)
    y = _scalar(canvas, figure, y)
    for text in figure.opened:
        canvas.box(_MIDDLE[0], y + 4, _MIDDLE[1] - _MIDDLE[0], 24, "open")
        canvas.text(400, y + 20, f"? {text}", _MIDDLE[1] - _MIDDLE[0] - 12, "middle", _SMALL)
        y += 32
    return _legend(canvas, y + 8)


def _buffers(canvas: Canvas, e: Expression, view: Sequence[Access], column: tuple[int, int], y: int, title: str) -> int:
    """The arrays of a view with their index functions."""
    x, right = column
    canvas.text(x, y + 12, title, right - x, size=_SMALL, kind="soft")
    y += 22
    for access in view:
        lines = _wrapped(f"{access.buffer}[", [str(i) for i in access.index], right - x - 8)
        for n, line in enumerate(lines):
            canvas.text(x + (8 if n else 0), y + 12, line, right - x - 8)
            y += 18
        canvas.text(x + 8, y + 10, f"{e.buffer(access.buffer).type} in MM", right - x - 8, size=_SMALL, kind="soft")
        y += 20
    return y + 6


def _wrapped(begin: str, index: Sequence[str], room: float) -> list[str]:
    """An array with its index function, on as many lines as that takes."""
    lines = [begin]
    for n, text in enumerate(index):
        end = ", " if n + 1 < len(index) else ""
        first, last = lines[-1] == begin, end.rstrip() or "]"
        too_long = _letters(lines[-1] + text + (last if first else end.rstrip() + "]")) > room
        if too_long and (not first or _letters(text + last) <= room):
            lines.append("")
        lines[-1] += text + end
    return [*(line.rstrip() for line in lines[:-1]), f"{lines[-1]}]"]


def _letters(text: str, size: int = _TEXT) -> float:
    """The width of a text."""
    return len(text) * LETTER * size


def _space(canvas: Canvas, figure: Figure, y: int) -> int:
    """The iteration space: an axis for each dimension, with the operators of the inputs (always ++) and results."""
    e = figure.low.expression
    left, right = _MIDDLE
    canvas.text(400, y + 12, "iteration space", right - left, "middle", _SMALL, "soft")
    y += 22
    for dim, combine in zip(e.md_hom.dims, e.md_hom.combine):
        name, operator = f"{dim.name} {figure.extents.get(dim.name, '?')}", str(combine)
        start, end = left + 50, min(right, left + 58 + _letters(name))
        canvas.text(left, y + 12, "++", 30)
        canvas.line(left + 22, y + 8, left + 44, y + 8, "axis")
        canvas.line(left + 39, y + 4, left + 44, y + 8, "axis")
        canvas.line(left + 39, y + 12, left + 44, y + 8, "axis")
        canvas.text(start, y + 12, name, right - start)
        canvas.text(right, y + 12, operator, right - end, "end")
        y += 20
    return y + 6


def _counts(figure: Figure) -> list[str]:
    """How many parts each step makes of what is around it."""
    inside = dict(figure.extents)
    found = []
    for part in figure.low.parts:
        around = inside.get(part.dim, 0)
        if part.size > 0 and around:
            found.append(str(-(-around // part.size)))
            inside[part.dim] = min(around, part.size)
        else:
            found.append("?")
    return found


def _step(canvas: Canvas, figure: Figure, number: int, part: Part, count: str, y: int) -> int:
    """One row: the step in the middle, what it copies on the left, what it combines on the right."""
    low, (left, right) = figure.low, _MIDDLE
    size, who = show.parts(part.size, part.way)
    origin = figure.origins.get((part.layer, part.dim), "")
    level = f"({part.layer},{part.dim})"
    if count == "1":
        size = size.replace("parts", "part", 1)
    label = f"step {number}: {level}, {count} {size}, {who}" + (f", {origin}" if origin else "")
    canvas.line(_MARGIN, y, WIDTH - _MARGIN, y)
    canvas.begin(label)
    canvas.box(left, y + 4, right - left, _ROW - 8, origin)
    canvas.text(left + 8, y + 28, str(number), 24)
    canvas.text(left + 38, y + 19, f"{level} {who}", right - left - 44)
    shown = size if part.size < 1 else f"{count} {size}"
    canvas.text(left + 38, y + 35, shown, right - left - 44, size=_SMALL, kind="soft")
    canvas.text(_LEFT[0], y + 19, show.operator("++", part.layer, part.dim), _LEFT[1] - _LEFT[0])
    copied = ", ".join(_copied(low, number))
    if copied:
        canvas.text(_LEFT[0], y + 35, copied, _LEFT[1] - _LEFT[0], size=_SMALL)
    combine = {d.name: str(c) for d, c in zip(low.expression.md_hom.dims, low.expression.md_hom.combine)}
    again = low.recomposition.index(part)
    canvas.text(_RIGHT[0], y + 19, show.operator(combine[part.dim], part.layer, part.dim), _RIGHT[1] - _RIGHT[0])
    waits = ", ".join(_waiting(low, number)) or f"combined {_nth(again, len(low.parts))}"
    canvas.text(_RIGHT[0], y + 35, waits, _RIGHT[1] - _RIGHT[0], size=_SMALL)
    canvas.end()
    return y + _ROW


def _scalar(canvas: Canvas, figure: Figure, y: int) -> int:
    """The scalar phase, at the bottom: where it reads and writes."""
    low, (left, right) = figure.low, _MIDDLE
    canvas.line(_MARGIN, y, WIDTH - _MARGIN, y)
    canvas.box(left, y + 4, right - left, _ROW - 8, "")
    order = f"points: {', '.join(low.scalar_order)}" if low.scalar_order else "each point"
    canvas.text(left + 8, y + 19, f"f {low.expression.md_hom.function}", right - left - 16)
    canvas.text(left + 8, y + 35, order, right - left - 16, size=_SMALL, kind="soft")
    names = dict.fromkeys(low.expression.inp_view[n].buffer for n in sorted(low.prefetched))
    inputs = [*(f"{name}: prefetched" for name in names), *_copied(low, -1)]
    canvas.text(_LEFT[0], y + 28, ", ".join(inputs) or "from where it is", _LEFT[1] - _LEFT[0], size=_SMALL)
    rank = len(low.expression.remaining)
    region = "by non-temporal stores" if low.streaming else "in registers"
    if low.tile_layout is not None:
        region = f"L1{show.layout(rank, low.tile_layout)}"
    texts = [region, *_waiting(low, -1)]
    canvas.text(_RIGHT[0], y + 28, ", ".join(texts), _RIGHT[1] - _RIGHT[0], size=_SMALL)
    return y + _ROW


def _copied(low: LowLevel, at: int) -> list[str]:
    view = low.expression.inp_view
    return [
        f"{view[c.access].buffer} → {c.region}{show.layout(len(view[c.access].index), c.layout)}"
        for c in low.copies if c.at == at
    ]  # fmt: skip


def _waiting(low: LowLevel, at: int) -> list[str]:
    names = ", ".join(dict.fromkeys(a.buffer for a in low.expression.out_view))
    rank = len(low.expression.remaining)
    return [f"{names} ← {s.region}{show.layout(rank, s.layout)}" for s in low.stages if s.at == at]


def _nth(number: int, count: int) -> str:
    """When the results of a step's parts are combined, among the steps."""
    if number in (0, count - 1):
        return "last" if number else "first"
    return f"after {number} other{'s' if number > 1 else ''}"


def _legend(canvas: Canvas, y: int) -> int:
    x = _MARGIN
    for kind, text in (("user", "fixed by the schedule"), ("", "chosen by the model or the tuner"), ("open", "open")):
        canvas.box(x, y, 22, 12, kind)
        canvas.text(x + 28, y + 10, text, 240, size=_SMALL, kind="soft")
        x += 28 + int(len(text) * LETTER * _SMALL) + 24
    return y + 20


def _attribute(text: str) -> str:
    return escape(text, False).replace('"', "&quot;")
