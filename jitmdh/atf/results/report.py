"""The HTML report of a tuning run: one page without scripts or other files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Cost
from jitmdh.atf.results.parameter_plots import parallel_picture, slices_picture
from jitmdh.atf.results.plots import cost_picture, front_picture, importance_picture, shape_picture
from jitmdh.atf.space.configuration import Configuration

_MOST_ROWS, _MOST_PAIRS = 25, 8


Front = Sequence[tuple[Configuration, Cost]]


def html_report(
    summary: str, history: History, importance: Mapping[str, float], pairs: Mapping[tuple[str, str], float],
    front: Front, running: bool = False,
) -> str:  # fmt: skip
    """Summary, cost over evaluations and time, effects of parameters, shape of the space, best evaluations."""
    space = history.space
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Tuning report</title>",
        "<meta http-equiv='refresh' content='2'>" if running else "",
        "<style>body{font:15px sans-serif;margin:2em;max-width:60em;color:#222}td,th{padding:2px 10px;"
        "text-align:right}table{border-collapse:collapse}tr:nth-child(even){background:#f3f6fa}"
        "pre{white-space:pre-wrap}div{overflow-x:auto}</style>",
        f"<h1>Tuning report</h1><pre>{escape(summary)}</pre>",
        "<h2>Cost</h2><p>Dots are evaluations, red ones at the top invalid, the line is the best so far.</p>",
        cost_picture(history),
        "<h2>Which parameters matter</h2><p>Share of the variation of the cost that each parameter explains "
        "on its own, in the configurations measured.</p>",
        importance_picture(importance),
        "<h2>Pairs of parameters</h2><p>What two of them explain only together.</p>" if pairs else "",
        importance_picture({f"{a}, {b}": share for (a, b), share in list(pairs.items())[:_MOST_PAIRS]})
        if pairs
        else "",
        "<h2>Costs over values</h2><p>A dot for each evaluation, the best at the bottom, in red.</p>",
        slices_picture(history, importance),
        "<h2>Configurations</h2><p>A line for each; the better, the darker; the best in red.</p>",
        parallel_picture(history, importance),
        f"<h2>The space</h2><p>{_counted(space.size, 'configuration')} of {_counted(len(space.names), 'parameter')} in "
        f"{_counted(len(space.groups), 'group')}, stored as {_counted(space.node_count, 'shared node')}.</p>",
        shape_picture(space),
        "<h2>Pareto front</h2>" + _front(history, front) if len(front) > 1 else "",
        "<h2>Best evaluations</h2>" + _best(history),
        "<h2>Why configurations were invalid</h2>" + _reasons(history),
        "</html>",
    ]
    return "\n".join(parts)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<div><table><tr>{head}</tr>{body}</table></div>"


def _best(history: History) -> str:
    rows = [
        [_number(e.cost), *(str(v) for v in e.configuration.values()), f"{e.seconds:.3g}"]
        for e in history.best_first()[:_MOST_ROWS]
    ]
    return _table(["cost", *history.space.names, "found at (s)"], rows)


def _front(history: History, front: Front) -> str:
    rows = [[_number(cost), *(str(v) for v in c.values())] for c, cost in front]
    told = "<p>Dots are evaluations; below the line there is none.</p>"
    return told + front_picture(history, [cost for _, cost in front]) + _table(["cost", *history.space.names], rows)


def _reasons(history: History) -> str:
    counts: dict[str, int] = {}
    for e in history:
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
