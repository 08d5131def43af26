"""The order in which the points of a nest are visited, on small extents, as a page to step through: HTML, without a
network.

Each pair of dimensions has a grid. A cell has the colour of the last point with its two numbers that has been visited:
that of its thread, lane or tile. What the step that is shown computes is framed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from html import escape
from itertools import combinations
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowlevel.expr import LowLevel, Part

MOST_POINTS = 4096
"""Of a picture: extents are cut down to what they leave of a cube."""

_LONGEST = 64  # of several dimensions; cells of one are in rows of so many

Span = tuple[int, int]
"""The numbers of a dimension from the first on, up to below the second."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One point: when it is computed, counted in vectors of its thread, and by which thread and lane; tile: the number
    of the part of the loops outside of the register tile that it belongs to."""

    point: tuple[int, ...]
    step: int
    thread: int
    lane: int
    tile: int


@dataclass(frozen=True, slots=True)
class Animation:
    """A page as HTML text: `str(animation)`, or in a notebook by itself."""

    html: str

    def __str__(self) -> str:
        return self.html

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 640px; border: 0"></iframe>'


def small(extents: Mapping[str, int], most: int = MOST_POINTS) -> dict[str, int]:
    """Extents of at most so many points, none longer than some number; of several, than what a page is wide."""
    longest = min(max(extents.values(), default=1), _LONGEST if len(extents) > 1 else most)
    while longest > 1 and prod(min(n, longest) for n in extents.values()) > most:
        longest -= 1
    return {name: min(n, longest) for name, n in extents.items()}


def visits(low: LowLevel, extents: Mapping[str, int], threads: int) -> list[Visit]:
    """All points in the order in which each thread visits them; threads run at the same time."""
    return list(_Walk(low, threads).level(0, {name: (0, n) for name, n in extents.items()}, 0, ()))


@dataclass(slots=True)
class _Walk:
    low: LowLevel
    threads: int
    steps: dict[int, int] = field(default_factory=dict)
    tiles: dict[tuple[int, ...], int] = field(default_factory=dict)

    def level(self, n: int, box: dict[str, Span], thread: int, tile: tuple[int, ...]) -> Iterator[Visit]:
        """The points of `box`, all parts before number `n` being taken."""
        parts = self._parts
        if n < len(parts) and parts[n].way != "lane":
            part = parts[n]
            for number, span in enumerate(self._split(part, n, box[part.dim])):
                mine = self._thread(part, number, thread) if part.way == "core" else thread
                outside = (*tile, number) if part.way in ("core", "loop") and part.layer != "L1" else tile
                yield from self.level(n + 1, {**box, part.dim: span}, mine, outside)
            return
        number, step = self.tiles.setdefault(tile, len(self.tiles)), self.steps.get(thread, 0)
        lanes = list(self._points(box))
        yield from (Visit(point, step, thread, lane, number) for lane, point in enumerate(lanes))
        self.steps[thread] = step + bool(lanes)

    @property
    def _parts(self) -> list[Part]:
        """The loops, then the unrolled points in the order of the scalar phase, then the lanes."""
        collapsed, order = self.low.expression.collapsed, list(self.low.scalar_order)

        def rank(part: Part) -> tuple[int, int]:
            if part.way != "unroll":
                return (2 if part.way == "lane" else 0), 0
            return 1, order.index(part.dim) if part.dim in order else -int(part.dim in collapsed)

        return sorted(self.low.parts, key=rank)

    def _split(self, part: Part, n: int, span: Span) -> list[Span]:
        begin, end = span
        size = part.size
        if size < 1:  # even parts, of whole tiles
            whole = max((p.size for p in self._parts[n + 1 :] if p.dim == part.dim and p.size > 0), default=1)
            count = self.threads * max(1, -size)
            size = -(-(end - begin) // (count * whole)) * whole
        return [(k, min(k + size, end)) for k in range(begin, end, max(1, size))]

    def _thread(self, part: Part, number: int, thread: int) -> int:
        each = -part.size if part.size < 0 else 1
        return (thread + number // each) % self.threads

    def _points(self, box: Mapping[str, Span]) -> Iterator[tuple[int, ...]]:
        """Of one vector."""
        found: list[tuple[int, ...]] = [()]
        for dim in self.low.expression.md_hom.dims:
            found = [(*point, k) for point in found for k in range(*box[dim.name])]
        yield from found


def animate(low: LowLevel, extents: Mapping[str, int], threads: int) -> Animation:
    """The page for a nest. extents: of its dimensions, all small; threads: how many share it."""
    names = [d.name for d in low.expression.md_hom.dims]
    found = visits(low, extents, threads)
    pairs = list(combinations(range(len(names)), 2)) or [(0, 0)]
    data = {
        "dims": names, "extents": [extents[name] for name in names], "pairs": [list(p) for p in pairs[:6]],
        "visits": [[*v.point, v.step, v.thread, v.lane, v.tile] for v in found],
    }  # fmt: skip
    title = f"Points of {low.expression.name} in the order of their computation"
    sizes = " × ".join(f"{name} {extents[name]}" for name in names)
    text = json.dumps(data, separators=(",", ":"))
    return Animation(_page(title, sizes, text, 1 + max((v.step for v in found), default=0)))


def _page(title: str, sizes: str, data: str, steps: int) -> str:
    choices = "".join(
        f'<label><input type="radio" name="by" value="{n}"{" checked" if not n else ""}> {text}</label>'
        for n, text in enumerate(_COLOURED_BY)
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1><p>{escape(sizes)}</p>"
        f'<p><button id="play">play</button> <label>step <input id="step" type="range" min="0" max="{steps - 1}" '
        f'value="0"></label> <output id="at"></output> of {steps}</p><p>colours: {choices}</p>'
        f'<div id="grids"></div><p id="says" aria-live="polite"></p>'
        f'<script type="application/json" id="data">{data}</script>'
        f"<script>const ROW = {_LONGEST};{_SCRIPT}</script></body></html>"
    )


_COLOURED_BY: Sequence[str] = ("threads", "lanes", "tiles")
_STYLE = """
:root { --ink: #1d2733; --soft: #5b6b7c; --paper: #ffffff; --empty: #eef2f6; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebf1; --soft: #a0aebd; --paper: #14181d; --empty: #222a33; }
}
body { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; color: var(--ink);
  background: var(--paper); margin: 12px; }
h1 { font-size: 16px; } label { margin-right: 12px; } #step { width: 280px; vertical-align: middle; }
#grids { display: flex; flex-wrap: wrap; gap: 24px; } figure { margin: 0; }
figcaption { color: var(--soft); margin-bottom: 4px; }
"""
_SCRIPT = """
const d = JSON.parse(document.getElementById("data").textContent), n = d.dims.length;
const widest = n > 1 ? Math.max(...d.extents, 1) : Math.min(d.extents[0], ROW);
const cell = Math.max(6, Math.min(20, Math.floor((d.pairs.length > 1 ? 384 : 768) / widest)));
const $ = id => document.getElementById(id), svg = "http://www.w3.org/2000/svg";
const make = (tag, attributes, into) => {
  const node = document.createElementNS(svg, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return into.appendChild(node);
};
const grids = d.pairs.map(([a, b]) => {
  const one = a === b, figure = document.createElement("figure"), caption = document.createElement("figcaption");
  const across = `${d.dims[b]} across` + (one && d.extents[b] > ROW ? `, ${ROW} in a row` : "");
  caption.textContent = one ? across : `${d.dims[a]} down, ${across}`;
  figure.append(caption); $("grids").append(figure);
  const columns = one ? widest : d.extents[b], rows = one ? Math.ceil(d.extents[b] / columns) : d.extents[a];
  const cells = [];
  const picture = make("svg", {width: columns * cell + 2, height: rows * cell + 2, role: "img",
    "aria-label": caption.textContent}, figure);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++)
    cells.push(make("rect", {x: 1 + j * cell, y: 1 + i * cell, width: cell - 1, height: cell - 1}, picture));
  return {cells, place: v => one ? v[b] : v[a] * columns + v[b]};
});
const colour = (number, now) => `hsl(${(number * 137.5 + 205) % 360} 60% ${now ? 45 : 70}%)`;
function show() {
  const step = +$("step").value, by = n + 1 + +document.querySelector("input[name=by]:checked").value;
  $("at").textContent = step + 1;
  for (const {cells} of grids) for (const c of cells) { c.style.fill = "var(--empty)"; c.style.stroke = "none"; }
  const now = d.visits.filter(v => v[n] === step);
  for (const {cells, place} of grids) {
    for (const v of d.visits) if (v[n] <= step) cells[place(v)].style.fill = colour(v[by], false);
    for (const v of now) {
      cells[place(v)].style.fill = colour(v[by], true);
      cells[place(v)].style.stroke = "var(--ink)";
    }
  }
  $("says").textContent = now.slice(0, 12).map(v =>
    `thread ${v[n + 1]}, lane ${v[n + 2]}: (${v.slice(0, n).join(", ")})`).join("; ") + (now.length > 12 ? "; …" : "");
}
let timer = null;
$("play").onclick = () => {
  if (timer) { clearInterval(timer); timer = null; $("play").textContent = "play"; return; }
  $("play").textContent = "stop";
  timer = setInterval(() => { $("step").value = (+$("step").value + 1) % (+$("step").max + 1); show(); }, 120);
};
$("step").oninput = show;
for (const node of document.querySelectorAll("input[name=by]")) node.onchange = show;
show();
"""
