"""The short form of the page of figures: six rows and a small chart, for the README.

`python -m benchmarks.bench.summary` makes both again from `docs/measured.md`, without measuring.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench.drawing import COLOURS, Axis, document, text
from benchmarks.bench.report import TITLES

ROOT = Path(__file__).parents[2]
PAGE, CHART = "docs/measured.md", "docs/speed.svg"
MARK = "<!-- measured -->"
CHOSEN = {
    "matmul 2048,2048,2048": "matrix product, 2048²",
    "matvec 4096,4096": "matrix × vector, 4096²",
    "jacobi3d 256,256,256": "Jacobi stencil, 256³",
    "conv2d 4096,4096,5,5": "5 × 5 filter, 4096² pixels",
    "mcc_strided 16,112,112,64,3,7,7": "first layer of ResNet-50",
    "ccsdt_gdab 24,16,16,24,16,16,24": "CCSD(T) contraction",
}
"""Which rows are shown, and what they are called there."""

TITLE = "Time of the fastest peer ÷ time of jitmdh (right of 1: jitmdh is faster)"
BAR, STEP, LEFT, WIDTH = 16, 26, 190, 400


@dataclass(frozen=True)
class Row:
    """A row of the page: its name, our time and rate, the best peer and its time, their ratio with its quartiles."""

    name: str
    seconds: str
    share: str
    peer: str
    peer_seconds: str
    ratio: float
    low: float
    high: float


def rows(page: str) -> list[Row]:
    """The rows of the page in float32 that have a best peer. ValueError if the page has no table."""
    lines = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line] for line in lines]
    if not cells:
        raise ValueError("the page has no table of what was measured")
    found = []
    for row in cells[1:]:
        of = dict(zip(cells[0], row))
        beside = re.fullmatch(r"(\S+) \[(\S+)–(\S+)\] (\w+)", of["best peer ÷ jitmdh"])
        if beside is None or of["type"] != "f32":
            continue
        ratio, low, high = (float(number) for number in beside.groups()[:3])
        seconds, peer_seconds = (" ".join(of[title].split()[:2]) for title in ("jitmdh", beside[4]))
        found.append(Row(of["computation"], seconds, of["share of limit"], beside[4], peer_seconds, ratio, low, high))
    return found


def chart(shown: Sequence[Row], caption: str) -> str:
    """A horizontal bar for each row, from 1 to the ratio, on a logarithmic scale; thin lines are the quartiles."""
    axis = Axis(min([0.5, *(r.low for r in shown)]), max([2.0, *(r.high for r in shown)]), LEFT, LEFT + WIDTH)
    colours = {TITLES[peer]: COLOURS[peer] for peer in TITLES}
    one, top, bottom = axis.at(1.0), 40.0, 40.0 + STEP * len(shown)
    parts = [text(8, 20, TITLE, 'font-weight="600"')]
    for value in (n for n in (0.5, 1, 2, 5, 10, 20, 50, 100) if axis.low <= n <= axis.high):
        at, colour = axis.at(value), "#333" if value == 1 else "#e4e4e4"
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top - 4:.0f}" y2="{bottom:.0f}" stroke="{colour}"/>')
        parts.append(text(at, bottom + 15, f"{value:g}", 'text-anchor="middle" font-size="11" fill="#555"'))
    for number, row in enumerate(shown):
        y, (start, end) = top + STEP * number, sorted((one, axis.at(row.ratio)))
        middle, (low, high) = y + BAR / 2, (axis.at(row.low), axis.at(row.high))
        parts.append(text(LEFT - 10, middle + 4.5, CHOSEN.get(row.name, row.name), 'text-anchor="end"'))
        size = f'width="{max(end - start, 1):.1f}" height="{BAR}"'
        parts.append(f'<rect x="{start:.1f}" y="{y:.1f}" {size} fill="{colours[row.peer]}"/>')
        ends = f'x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"'
        parts.append(f'<line {ends} stroke="#222" stroke-width="1.5"/>')
        words = f"{row.ratio:g} ({row.peer})"
        parts.append(text(max(end, high, one) + 8, middle + 4.5, words, 'font-size="12" fill="#333"'))
    parts.append(text(8, bottom + 36, caption, 'font-size="11" fill="#555"'))
    return document(LEFT + WIDTH + 110, bottom + 46, parts)


def table(shown: Sequence[Row]) -> list[str]:
    """The rows as Markdown."""
    lines = ["| computation (float32) | jitmdh | share of the machine's limit | fastest peer | peer ÷ jitmdh |"]
    lines.append("|---|---:|---:|---:|---:|")
    for row in shown:
        name, peer = CHOSEN.get(row.name, row.name), f"{row.peer_seconds} {row.peer}"
        cells = (name, row.seconds, row.share, peer, f"{row.ratio:g}")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def summary(page: str) -> str:
    """What the README says of the page: the chart, the rows, and how all other rows turned out."""
    every = rows(page)
    shown = [row for row in every if row.name in CHOSEN] or every[: len(CHOSEN)]
    ratios = sorted(row.ratio for row in every)
    faster = sum(ratio >= 1 for ratio in ratios)
    found = [f"![time of the fastest peer divided by that of jitmdh]({CHART})", "", *table(shown), ""]
    found.append(f"In all {len(every)} rows the ratio is between {ratios[0]:g} and {ratios[-1]:g}; in {faster} of them")
    found.append("jitmdh is at least as fast as the fastest peer. Untuned code, two threads; every row, peer and")
    found.append(f"command: [measured]({PAGE}).")
    return "\n".join(found)


def inserted(readme: str, page: str) -> str:
    """The README with what stands between its two marks made anew from the page."""
    before, _, after = readme.split(MARK)
    return f"{before}{MARK}\n{summary(page)}\n{MARK}{after}"


def caption(page: str) -> str:
    """What the page says of the machine, in a line."""
    machine = re.search(r", on ([^;\n]+);", page)
    return f"Logarithmic scale; black lines: quartiles of single rounds. {machine[1] if machine else ''}".strip()


def drawn(page: str) -> str:
    every = rows(page)
    return chart([row for row in every if row.name in CHOSEN] or every[: len(CHOSEN)], caption(page))


def write(readme: Path, page: str) -> None:
    """The README's rows, and the chart in `docs/speed.svg` beside it, from the text of the page."""
    chart_file = readme.parent / CHART
    chart_file.parent.mkdir(exist_ok=True)
    chart_file.write_text(drawn(page))
    readme.write_text(inserted(readme.read_text(), page))


if __name__ == "__main__":
    write(ROOT / "README.md", (ROOT / PAGE).read_text())
