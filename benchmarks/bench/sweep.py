"""How times grow with sizes: one kernel, many sizes, all contenders, as a table and as curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.bench.drawing import COLOURS, Axis, document, frame, text
from benchmarks.bench.measure import Outcome, Plan, measure
from benchmarks.bench.report import TITLES
from benchmarks.computations.cases import Case
from benchmarks.computations.kernels import KERNELS
from benchmarks.peers.ours import OURS
from jitmdh.base.text import three_digits

_SLOW_PEER_FLOPS = 5e8
_LEAST_GROWTH = 1.2


@dataclass(frozen=True)
class Sweep:
    """sizes: the values of the one size; extents(n): all sizes of the kernel then."""

    kernel: str
    sizes: tuple[int, ...]
    extents: Callable[[int], tuple[int, ...]]
    below: str


SWEEPS = {
    "matmul": Sweep(
        "matmul",
        (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096),
        lambda n: (n, n, n),
        "rows and columns of each matrix",
    ),
    "dot": Sweep("dot", tuple(1 << n for n in range(4, 27)), lambda n: (n,), "elements of each vector"),
}


def cases(sweep: Sweep, dtype: str) -> list[Case]:
    return [Case(KERNELS[sweep.kernel], sweep.extents(n), ("sweep",), dtype) for n in sweep.sizes]


def measured(case: Case, plan: Plan, say: Callable[[str], None] = lambda _: None) -> Outcome:
    """One point of the curves."""
    return measure(case, asked_of(case, plan), say)


def asked_of(case: Case, plan: Plan) -> Plan:
    """The plan with the peers that are asked for a case."""
    return replace(plan, peers=tuple(peer for peer in plan.peers if asked(peer, case)))


def asked(peer: str, case: Case) -> bool:
    """Whether a peer is asked: Numba takes minutes for the plain nest of a large matrix multiplication."""
    return peer != "numba" or "sweep" not in case.suites or case.flops < _SLOW_PEER_FLOPS


def curves(outcomes: list[Outcome], sweep: Sweep, peers: Sequence[str], caption: str = "") -> str:
    """GFLOP/s over the size, both logarithmic; one line for each contender."""
    lines = {name: _points(outcomes, name) for name in (OURS, *peers)}
    lines = {name: points for name, points in lines.items() if points}
    rates = [rate for points in lines.values() for _, rate in points]
    sizes = [size for points in lines.values() for size, _ in points]
    x = Axis(min(sizes), max(max(sizes), _LEAST_GROWTH * min(sizes)), 60.0, 700.0)
    y = Axis(min(rates) / _LEAST_GROWTH, max(rates) * _LEAST_GROWTH, 440.0, 20.0)
    parts = frame(x, y, sweep.below, "GFLOP/s", 4 if max(sizes) > 1 << 14 else 2)
    for number, (name, points) in enumerate(lines.items()):
        path = " ".join(f"{x.at(size):.1f},{y.at(rate):.1f}" for size, rate in points)
        wide = 3 if name == OURS else 1.5
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="{wide}"/>')
        parts += [
            f'<circle cx="{x.at(s):.1f}" cy="{y.at(r):.1f}" r="{wide}" fill="{COLOURS[name]}"/>' for s, r in points
        ]
        below = 40 + 20 * number
        parts.append(f'<line x1="716" x2="740" y1="{below - 4}" y2="{below - 4}" stroke="{COLOURS[name]}" '
                     f'stroke-width="{wide}"/>')  # fmt: skip
        parts.append(text(746, below, TITLES.get(name, name)))
    parts.append(text(8, 498, caption, 'font-size="11" fill="#555"'))
    return document(830, 506, parts)


def _points(outcomes: list[Outcome], name: str) -> list[tuple[int, float]]:
    """(size, GFLOP/s) where the contender was measured, and right."""
    return [
        (outcome.case.sizes[0], outcome.case.flops / outcome.timings[name].seconds / 1e9)
        for outcome in outcomes
        if name in outcome.timings and name not in outcome.wrong
    ]


def markdown(outcomes: list[Outcome], peers: Sequence[str], command: str, environment: str) -> str:
    """GFLOP/s of all, a row for each size."""
    header = ["size", "jitmdh", *(TITLES[peer] for peer in peers), "best peer ÷ jitmdh"]
    lines = [
        f"`{command}`, GFLOP/s on {environment}",
        "",
        "| " + " | ".join(header) + " |",
        "|---:" * len(header) + "|",
    ]
    for outcome in outcomes:
        rates = [dict(_points([outcome], name)).get(outcome.case.sizes[0]) for name in (OURS, *peers)]
        cells = ["–" if rate is None else three_digits(rate) for rate in rates]
        best = outcome.best_peer()
        ratio = None if best is None else outcome.ratio(best)
        cells.append("–" if ratio is None else three_digits(ratio.value))
        lines.append(f"| {outcome.case.sizes[0]} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])
