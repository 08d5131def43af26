"""A report of `f.explain(…)` as a page: source, roofline, details and stages. No scripts, no other files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Protocol

from jitmdh.base.text import amount, duration

if TYPE_CHECKING:
    from jitmdh.jit.explanation.listing import Line
    from jitmdh.jit.explanation.parts import Roof, Section

_MOST_LINES = 600  # of one stage
_STYLE = """
.mdh{--ink:#1c2733;--dim:#5c6b7a;--rule:#d9e0e7;--panel:#f5f7fa;--ground:#fff;--line:#2f6fb0;
--parallel:#1a7f4b;--independent:#3f7d63;--vectorised:#2f6fb0;--reduction:#8a4fb3;--sequential:#a85b00;--scatter:#b0303c;
color:var(--ink);background:var(--ground);font:15px/1.5 system-ui,sans-serif;text-align:left;max-width:82em}
@media(prefers-color-scheme:dark){.mdh{--ink:#e3e9ef;--dim:#9aa9b8;--rule:#364250;--panel:#1d2630;--ground:#141b22;
--line:#6cb0f0;--parallel:#5fd39a;--independent:#86c9a8;--vectorised:#6cb0f0;--reduction:#cf9bf0;--sequential:#f0b15f;
--scatter:#f58a92}}
.mdh h1{font-size:1.5em;margin:.2em 0;overflow-wrap:anywhere}.mdh h2{font-size:1.1em;margin:1.6em 0 .5em}
.mdh p{margin:.3em 0}.mdh .dim{color:var(--dim);overflow-wrap:anywhere}
.mdh code,.mdh pre{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.mdh .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5em,1fr));gap:.7em;margin:1em 0}
.mdh .tile{background:var(--panel);border:1px solid var(--rule);border-radius:6px;padding:.5em .8em}
.mdh .tile b{display:block;font-size:1.25em;font-weight:600}
.mdh .source{border:1px solid var(--rule);border-radius:6px;overflow:hidden}
.mdh .row{display:grid;grid-template-columns:3.2em minmax(18em,5fr) minmax(16em,6fr)}
.mdh .row.marked{background:var(--panel)}
.mdh .said code{white-space:normal}.mdh .row>*{padding:.05em .6em;min-width:0}
.mdh .no{color:var(--dim);font-size:13px;text-align:right;user-select:none}
.mdh .row code{white-space:pre;overflow-x:auto;background:none;color:inherit}
.mdh .said{font-size:.87em;padding-top:.2em}
.mdh .mark{display:inline-block;border:1px solid currentColor;border-radius:1em;padding:0 .6em;margin:0 .3em .15em 0;
white-space:nowrap}
.mdh .parallel{color:var(--parallel)}.mdh .independent{color:var(--independent)}
.mdh .vectorised{color:var(--vectorised)}
.mdh .reduction,.mdh .prefix{color:var(--reduction)}.mdh .scatter{color:var(--scatter)}
.mdh .sequential{color:var(--sequential)}
.mdh table{border-collapse:collapse;width:100%}
.mdh th,.mdh td{text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-top:1px solid var(--rule);
overflow-wrap:anywhere}
.mdh th{font-weight:400;color:var(--dim);width:30%}
.mdh details{border:1px solid var(--rule);border-radius:6px;padding:.3em .9em;margin:.5em 0}
.mdh summary{cursor:pointer;font-weight:600}
.mdh .stages{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34em),1fr));gap:.7em}
.mdh .stage h3{font-size:.95em;margin:.2em 0}.mdh .stage pre{background:var(--panel);border:1px solid var(--rule);
border-radius:6px;padding:.6em;margin:0;max-height:34em;overflow:auto;color:var(--ink)}
.mdh figure{margin:.5em 0;max-width:44em}.mdh svg{width:100%;height:auto}
.mdh svg text{fill:var(--dim);font:12px system-ui,sans-serif}.mdh svg .axis{stroke:var(--dim)}
.mdh svg .grid{stroke:var(--rule)}.mdh svg .roof{fill:none;stroke:var(--line);stroke-width:2}
.mdh svg .here{fill:var(--scatter)}.mdh svg .gap{stroke:var(--scatter);stroke-dasharray:3 3}
@media(max-width:52em){.mdh .row{grid-template-columns:2.6em 1fr}.mdh .said{grid-column:2}.mdh .said:empty{display:none}
.mdh .stages{grid-template-columns:minmax(0,1fr)}.mdh th{width:38%}}
""".strip()


class Report(Protocol):
    """What is needed of an `Explanation`."""

    @property
    def title(self) -> str: ...
    @property
    def sections(self) -> tuple[Section, ...]: ...
    @property
    def flops(self) -> float | None: ...
    @property
    def bytes(self) -> int | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def limit(self) -> str | None: ...
    @property
    def share(self) -> float | None: ...
    @property
    def pictures(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def listing(self) -> tuple[Line, ...]: ...
    @property
    def roof(self) -> Roof | None: ...
    @property
    def stages(self) -> Callable[[], tuple[tuple[str, str], ...]]: ...
    @property
    def drawing(self) -> Callable[[], str]: ...


def page(found: Report) -> str:
    """A page of its own."""
    title = escape(found.title.partition("\n")[0])
    head = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        "<style>body{margin:0;padding:1.2em}@media(prefers-color-scheme:dark){body{background:#141b22}}</style></head>"
    )
    return f"{head}\n<body>{body(found)}</body></html>\n"


def body(found: Report) -> str:
    """The part of a page that notebooks show."""
    name, _, signature = found.title.partition("(")
    parts = [f'<style>{_STYLE}</style><div class="mdh"><h1>{escape(name)}</h1>']
    if signature:
        parts.append(f'<p class="dim"><code>({escape(signature)}</code></p>')
    parts += _tiles(found)
    if found.listing:
        parts += ["<h2>Source</h2>", '<div class="source">', *map(_line, found.listing), "</div>"]
    if (picture := _roofline(found)) is not None:
        parts.append(f"<h2>Roofline</h2><figure>{picture}</figure>")
    parts.append("<h2>Details</h2>")
    parts += [_section(s, closed=bool(found.listing) and s.title == "loops") for s in found.sections]
    if drawing := found.drawing():
        parts.append(f"<h2>Configuration, drawn</h2><figure>{drawing}</figure>")
    for caption, drawn in found.pictures:
        parts.append(f"<figure><figcaption>{escape(caption)}</figcaption>{drawn}</figure>")
    if stages := found.stages():
        parts += ["<h2>Stages</h2>", '<div class="stages">', *(_stage(*stage) for stage in stages), "</div>"]
    parts.append("</div>")
    return "\n".join(parts)


def _tiles(found: Report) -> Iterator[str]:
    tiles = []
    if found.seconds is not None:
        tiles.append((duration(found.seconds), "a call"))
    if found.share is not None:
        bound = {"flops": "arithmetic", "memory": "memory"}.get(found.limit or "", "machine")
        tiles.append((f"{found.share:.0%}", f"of the {bound} limit"))
    if found.seconds and found.flops:
        tiles.append((amount(found.flops / found.seconds, "flop/s"), "reached"))
    if found.seconds and found.bytes:
        tiles.append((amount(found.bytes / found.seconds, "B/s"), "compulsory traffic"))
    if tiles:
        cells = "".join(f'<div class="tile"><b>{escape(figure)}</b>{escape(what)}</div>' for figure, what in tiles)
        yield f'<div class="tiles">{cells}</div>'


def _line(line: Line) -> str:
    badges = [f'<span class="mark {m.kind.partition(" ")[0]}">{escape(m.text)}</span>' for m in line.marks]
    reasons = dict.fromkeys(m.reason for m in line.marks if m.reason)
    said = [*badges, *(f'<span class="dim">{_with_code(reason)}</span> ' for reason in reasons)]
    kind = "row marked" if said else "row"
    return (
        f'<div class="{kind}"><span class="no">{line.number}</span><code>{escape(line.text) or " "}</code>'
        f'<div class="said">{"".join(said)}</div></div>'
    )


def _with_code(text: str) -> str:
    """What stands between backticks as code.

    >>> _with_code("`a < b` is")
    '<code>a &lt; b</code> is'
    """
    pieces = [escape(piece) for piece in text.split("`")]
    return "".join(f"<code>{piece}</code>" if n % 2 else piece for n, piece in enumerate(pieces))


def _section(section: Section, closed: bool) -> str:
    rows = []
    for row in section.rows:
        indented = "&emsp;" * row.depth
        if row.subject:
            rows.append(f"<tr><th>{indented}{escape(row.subject)}</th><td>{_with_code(row.text)}</td></tr>")
        else:
            rows.append(f'<tr><td colspan="2">{indented}{_with_code(row.text)}</td></tr>')
    state = "" if closed else ' open="open"'
    title = section.title[:1].upper() + section.title[1:]
    return f"<details{state}><summary>{escape(title)}</summary><table>{''.join(rows)}</table></details>"


def _stage(name: str, text: str) -> str:
    lines = text.splitlines()
    shown = "\n".join(lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        shown += f"\n… {len(lines) - _MOST_LINES} more lines: f.inspect(…, stage={name!r})"
    return f'<div class="stage"><h3>{escape(name)}</h3><pre>{escape(shown)}</pre></div>'


# ------------------------------------------------------------------------------------------------- roofline

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 300, 92, 24, 18, 44


def _roofline(found: Report) -> str | None:
    """Flop/s over flops a byte, both logarithmic: the roof, and where the call is below it."""
    if found.roof is None or not (found.flops and found.bytes and found.seconds):
        return None
    peak, speed = found.roof.flops_per_second, found.roof.bytes_per_second
    here, reached = found.flops / found.bytes, found.flops / found.seconds
    ridge = peak / speed
    left, right = _decades(min(here, ridge) / 3, max(here, ridge) * 3)
    low, high = _decades(min(reached, left * speed, peak) / 1.5, peak * 1.5)

    def x(intensity: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (math.log10(intensity) - left_) / (right_ - left_)

    def y(rate: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (math.log10(rate) - low_) / (high_ - low_)

    left_, right_, low_, high_ = map(math.log10, (left, right, low, high))
    base, end = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for n in range(round(low_), round(high_) + 1):
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y(10.0**n):.1f}" x2="{end}" y2="{y(10.0**n):.1f}"/>')
        parts.append(_text(_LEFT - 6, y(10.0**n) + 4, amount(10.0**n, "flop/s"), "end"))
    for n in range(round(left_), round(right_) + 1):
        parts.append(_text(x(10.0**n), base + 17, f"{10.0**n:g}", "middle"))
    parts.append(f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{end}" y2="{base}"/>')
    roof = [(left, max(left * speed, low)), (ridge, peak), (right, peak)]
    parts.append('<polyline class="roof" points="' + " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in roof) + '"/>')
    above = min(peak, here * speed)
    parts.append(f'<line class="gap" x1="{x(here):.1f}" y1="{y(above):.1f}" x2="{x(here):.1f}" y2="{y(reached):.1f}"/>')
    parts.append(f'<circle class="here" cx="{x(here):.1f}" cy="{y(reached):.1f}" r="5"/>')
    aside = ("end", -9) if x(here) > _WIDTH * 0.6 else ("start", 9)
    parts.append(_text(x(here) + aside[1], y(reached) + 4, amount(reached, "flop/s"), aside[0]))
    parts.append(_text(end, y(peak) - 7, f"arithmetic: {amount(peak, 'flop/s')}", "end"))
    middle = math.sqrt(max(left, low / speed) * ridge)
    parts.append(_text(x(middle) - 8, y(middle * speed) - 6, f"memory: {amount(speed, 'B/s')}", "end"))
    parts.append(_text((_LEFT + end) / 2, base + 35, "flops for each byte of compulsory traffic", "middle"))
    described = f"{amount(reached, 'flop/s')} reached of {amount(above, 'flop/s')} at {here:.3g} flops a byte"
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{described}">{"".join(parts)}</svg>'


def _decades(low: float, high: float) -> tuple[float, float]:
    """
    >>> _decades(0.3, 42.0)
    (0.1, 100.0)
    """
    return 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
