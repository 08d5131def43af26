"""Results as Markdown, as JSON, and for the screen."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from benchmarks.measure import OURS, Outcome
from jitmdh.base.text import duration, three_digits
from jitmdh.hca.limits import Limits

TITLES = {"numpy": "NumPy", "numba": "Numba", "torch": "PyTorch", "jax": "JAX"}


def header(peers: list[str]) -> list[str]:
    return ["computation", "jitmdh", "rate", "share of limit", *(f"{TITLES[peer]}: time (÷ ours)" for peer in peers)]


def row(outcome: Outcome, peers: list[str]) -> list[str]:
    ours = outcome.timings.get(OURS)
    if ours is None:
        return [outcome.case.name, outcome.failed.get(OURS, "?"), "", "", *(beside(outcome, peer) for peer in peers)]
    mark = " **wrong**" if OURS in outcome.wrong else ""
    mark += " **disturbed**" if outcome.disturbed else ""
    share = f"{outcome.share or 0:.0%} of {outcome.limit}"
    return [
        outcome.case.name,
        f"{duration(ours.seconds)} ±{ours.spread / 2:.0%}{mark}",
        rate(outcome),
        share,
        *(beside(outcome, peer) for peer in peers),
    ]


def rate(outcome: Outcome) -> str:
    """GFLOP/s where arithmetic is the limit, GB/s of compulsory traffic where memory is."""
    seconds = outcome.timings[OURS].seconds
    if outcome.limit == "memory":
        return f"{three_digits(outcome.bytes_moved / seconds / 1e9)} GB/s"
    return f"{three_digits(outcome.case.flops / seconds / 1e9)} GFLOP/s"


def beside(outcome: Outcome, peer: str) -> str:
    if peer not in outcome.timings:
        return "–"
    timing, ratio = outcome.timings[peer], outcome.ratio(peer)
    few = f", {timing.rounds} round{'s' if timing.rounds > 1 else ''}" if timing.rounds < 7 else ""
    if peer in outcome.wrong:
        few += ", wrong"
    beside_ours = "" if ratio is None else f" ({three_digits(ratio)} ×{few})"
    return f"{duration(timing.seconds)}{beside_ours}"


def markdown(outcomes: list[Outcome], peers: list[str], command: str, environment: str) -> str:
    lines = [f"`{command}`, on {environment}", ""]
    lines += ["| " + " | ".join(header(peers)) + " |", "|---|" + "---:|" * (3 + len(peers))]
    lines += ["| " + " | ".join(row(outcome, peers)) + " |" for outcome in outcomes]
    failed = [
        f"- {outcome.case.name}, {name}: {reason}"
        for outcome in outcomes
        for name, reason in outcome.failed.items()
        if reason != "no such function"
    ]
    failed += [
        f"- {outcome.case.name}: disturbed, other programs kept {outcome.foreign:.2f} processors busy meanwhile"
        for outcome in outcomes
        if outcome.disturbed
    ]
    return "\n".join([*lines, *([""] if failed else []), *failed, ""])


def environment(limits: Limits, peers: list[str], dtype: str) -> str:
    """What was measured on and with."""
    from importlib.metadata import version

    libraries = ", ".join(f"{TITLES[peer]} {version(peer)}" for peer in peers)
    return (
        f"{processor()}, {limits.threads} threads, {dtype}; measured peak {limits.gflops[dtype]:.0f} GFLOP/s; "
        f"Python {platform.python_version()}, llvmlite {version('llvmlite')}, {libraries}. "
        "Medians of interleaved rounds, ± half the spread; every result checked against float64 NumPy."
    )


MARK = "<!-- measured -->"


def inserted(page: str, table: str, svg: Path | None) -> str:
    """The page with what stands between its two marks replaced by the table, below the picture if there is one."""
    before, _, after = page.split(MARK)
    picture = [] if svg is None else [f"![times beside those of jitmdh]({svg.as_posix()})", ""]
    return f"{before}{MARK}\n" + "\n".join(["## Measured", "", *picture, "Made by", table]) + f"{MARK}{after}"


def caption(limits: Limits, dtype: str) -> str:
    return f"{processor()}, {limits.threads} threads, {dtype}. Medians of interleaved rounds, results checked."


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    wide = "AVX-512" if "avx512f" in text else "AVX2" if "avx2" in text else "128-bit vectors"
    return f"{names[0] if names else platform.machine()} ({wide})"


def plain(outcome: Outcome) -> dict[str, Any]:
    """As it is kept in a JSON file: seconds of every round."""
    return {
        "name": outcome.case.name,
        "seconds": {name: timing.samples for name, timing in outcome.timings.items()},
        "first_seconds": outcome.first_seconds,
        "flops": outcome.case.flops,
        "bytes": outcome.bytes_moved,
        "limit_seconds": outcome.limit_seconds,
        "limit": outcome.limit,
        "foreign": outcome.foreign,
        "wrong": outcome.wrong,
        "failed": outcome.failed,
    }
