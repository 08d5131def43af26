"""The demonstration's results as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitmdh.base.text import duration, three_digits
from jitmdh.demo.measure import NUMBA, NUMPY, OURS, TaskOutcome

if TYPE_CHECKING:
    from rich.table import Table

    from jitmdh.hca.roofline import Limits

WIDTH = 100


def table(outcomes: list[TaskOutcome]) -> Table:
    """One row a computation; under each peer's time, how many times longer it takes."""
    from rich import box
    from rich.table import Table

    found = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    found.add_column("computation", no_wrap=True)
    for title in ("result", "first call", "per call", "NumPy", "Numba", "Python *", "limit †"):
        found.add_column(title, justify="right", no_wrap=True)
    for outcome in outcomes:
        found.add_row(*_row(outcome))
    return found


def _row(outcome: TaskOutcome) -> list[str]:
    check, ours = outcome.check, outcome.timings[OURS]
    verdict = "[green]right[/]" if check.passed else "[bold red]WRONG[/]"
    error = "exact" if check.error == check.tolerance == 0 else f"{check.error:.0e} ≤ {check.tolerance:.0e}"
    if not check.passed:
        error = f"{check.error:.0e} > {check.tolerance:.0e}"
    return [
        f"[bold]{outcome.task.title}[/]\n{outcome.task.detail}",
        f"{verdict}\n[dim]{error}[/]",
        f"{duration(outcome.first_seconds)}\n[dim]{outcome.origin}[/]",
        f"[bold]{duration(ours.seconds)}[/]\n[dim]±{ours.spread / 2:.0%}[/]",
        _beside(outcome, NUMPY),
        _beside(outcome, NUMBA),
        f"{duration(outcome.python_seconds)}\n[dim]{_times(outcome.python_seconds / outcome.seconds)}[/]",
        f"{outcome.limit_seconds / outcome.seconds:.0%}\n[dim]{outcome.limit}[/]",
    ]


def _beside(outcome: TaskOutcome, peer: str) -> str:
    timing = outcome.timings.get(peer)
    if timing is None:
        return "–"
    if peer == NUMBA and not outcome.numba_right:
        return f"{duration(timing.seconds)}\n[red]wrong result[/]"
    return f"{duration(timing.seconds)}\n[dim]{_times(outcome.times_faster(peer))}[/]"


def _times(ratio: float) -> str:
    return f"{three_digits(ratio)} ×"


def notes(outcomes: list[TaskOutcome], machine: Limits) -> str:
    """What the columns mean."""
    shares = ", ".join(f"{outcome.task.share:.2%}" for outcome in outcomes)
    lines = [
        "result    largest error beside float64 NumPy, and its bound n·ε·Σ|terms| (whole numbers: exact)",
        "per call  median of up to 7 rounds in turns with the peers, and half the spread; × = times ours",
        f"* Python  undecorated, measured on {shares} of the work, extrapolated",
        f"† limit   share of the most this machine can do, measured in this process, {machine.threads} threads:",
        f"          {machine.peak('float32'):.0f} GFLOP/s of multiply-adds, or {machine.rate('float32'):.0f} · 10⁹ "
        "operations/s of any kind,",
        "          or the compulsory memory traffic at the speed of bare loads and stores",
    ]
    compiled = [o.numba_compile_seconds for o in outcomes if o.numba_compile_seconds is not None]
    if compiled:
        lines.append("Numba     the same nest, @njit(parallel=True, fastmath=True), prange outermost;")
        lines.append(f"          compiling the {len(compiled)} nests took it {duration(sum(compiled))} in all")
    return "\n".join(lines)
