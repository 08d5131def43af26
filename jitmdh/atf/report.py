"""The HTML report of a tuning run: one page without scripts or other files."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from jitmdh.atf.pictures import cost_picture, importance_picture, shape_picture

if TYPE_CHECKING:
    from jitmdh.atf.result import TuningResult

_MOST_ROWS = 25


def html_report(result: TuningResult) -> str:
    """Summary, cost over evaluations and time, parameter importance, shape of the space, best evaluations."""
    space = result.space
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Tuning report</title>",
        "<style>body{font:15px sans-serif;margin:2em;max-width:60em;color:#222}td,th{padding:2px 10px;"
        "text-align:right}table{border-collapse:collapse}tr:nth-child(even){background:#f3f6fa}</style>",
        f"<h1>Tuning report</h1><pre>{escape(str(result))}</pre>",
        "<h2>Cost</h2><p>Dots are evaluations, red ones at the top invalid, the line is the best so far.</p>",
        cost_picture(result.history),
        "<h2>Which parameters matter</h2><p>Share of the variation of the cost that each parameter explains "
        "on its own, in the configurations measured.</p>",
        importance_picture(result.importance()),
        f"<h2>The space</h2><p>{space.size} configurations of {len(space.names)} parameters in "
        f"{len(space.groups)} groups, stored as {space.node_count} shared nodes.</p>",
        shape_picture(space),
        "<h2>Pareto front</h2>" + _front(result) if len(result.pareto_front) > 1 else "",
        "<h2>Best evaluations</h2>" + _best(result),
        "<h2>Why configurations were invalid</h2>" + _reasons(result),
        "</html>",
    ]
    return "\n".join(parts)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _best(result: TuningResult) -> str:
    valid = sorted((e for e in result.history if e.cost is not None), key=lambda e: e.cost)  # type: ignore[arg-type, return-value]
    rows = [
        [_number(e.cost), *(str(v) for v in e.configuration.values()), f"{e.seconds:.3g}"]
        for e in valid[:_MOST_ROWS]
    ]
    return _table(["cost", *result.space.names, "found at (s)"], rows)


def _front(result: TuningResult) -> str:
    rows = [[_number(cost), *(str(v) for v in c.values())] for c, cost in result.pareto_front]
    return _table(["cost", *result.space.names], rows)


def _reasons(result: TuningResult) -> str:
    counts: dict[str, int] = {}
    for e in result.history:
        if e.cost is None:
            counts[e.reason] = counts.get(e.reason, 0) + 1
    if not counts:
        return "<p>None was.</p>"
    ordered = sorted(counts.items(), key=lambda item: -item[1])[:_MOST_ROWS]
    return _table(["times", "reason"], [[str(count), reason] for reason, count in ordered])


def _number(cost: object) -> str:
    if isinstance(cost, tuple):
        return ", ".join(f"{c:.6g}" for c in cost)
    return f"{cost:.6g}"
