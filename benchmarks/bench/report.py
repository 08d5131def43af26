"""Results as Markdown, as JSON, and for the screen."""

from __future__ import annotations

import platform
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.bench.measure import Outcome, Plan, Ratio
from benchmarks.computations.cases import Case
from benchmarks.peers.ours import OURS, TUNED, Tuning
from jitmdh.base.text import duration, three_digits
from jitmdh.demo.timing import Timing
from jitmdh.hca.roofline import Limits

TITLES = {"numpy": "NumPy", "numba": "Numba", "torch": "PyTorch", "jax": "JAX", "scipy": "SciPy", "cpu": "target cpu"}
MET, MISSED, MISSING = "✓", "✗", "–"
_FULL_SCALING = 1.8
_FEW_ROUNDS = 7


@dataclass(frozen=True)
class Table:
    """Which columns there are. A column with nothing to say is left out."""

    peers: tuple[str, ...]
    limits: Limits
    tuned: bool = False
    scaling: bool = False

    def header(self) -> list[str]:
        found = ["computation", "type", "jitmdh", "share of limit", "best peer ÷ jitmdh", "wanted"]
        if self.tuned:
            found += ["tuned", "best peer ÷ tuned", "wanted"]
        if self.scaling:
            found.append("1 → n threads")
        return [*found, "compile", *(TITLES[peer] for peer in self.peers)]

    def row(self, outcome: Outcome) -> list[str]:
        target = outcome.case.target
        found = [outcome.case.name, outcome.case.dtype.replace("float", "f"), *self._ours(outcome, OURS)]
        if self.tuned:
            found += self._ours(outcome, TUNED)[:1] + self._beside(outcome, TUNED, target and target.tuned)
        if self.scaling:
            found.append(self._scaling(outcome))
        found.append(duration(outcome.compile_seconds) if outcome.compile_seconds else MISSING)
        return [*found, *(_peer(outcome, peer) for peer in self.peers)]

    def _ours(self, outcome: Outcome, name: str) -> list[str]:
        target = outcome.case.target
        beside = self._beside(outcome, name, target and target.model)
        timing = outcome.timings.get(name)
        if timing is None:
            return [outcome.failed.get(name, MISSING), MISSING, *beside]
        mark = " **wrong**" if name in outcome.wrong else ""
        mark += " **disturbed**" if outcome.disturbed else ""
        share = f"{outcome.share(self.limits) or 0:.0%} of {outcome.limit(self.limits)}"
        return [f"{duration(timing.seconds)} ±{timing.spread / 2:.0%}{mark}", f"{rate(outcome, self.limits)}, {share}",
                *beside]  # fmt: skip

    def _beside(self, outcome: Outcome, ours: str, wanted: float | None) -> list[str]:
        """The ratio to the best peer, and whether it is what was wanted."""
        target = outcome.case.target
        against = target.against if target is not None else ()
        peer = outcome.best_peer(against)
        ratio = None if peer is None else outcome.ratio(peer, ours)
        goal = MISSING if wanted is None else f"≥ {three_digits(wanted)}"
        if peer is None or ratio is None or ours in outcome.wrong:
            return [MISSING, goal if wanted is None else f"{goal} {MISSED}" if ours in outcome.wrong else goal]
        if wanted is not None:
            goal += f" {MET if ratio.reaches(wanted) else MISSED}"
        return [f"{_ratio(ratio)} {TITLES[peer]}", goal]

    def _scaling(self, outcome: Outcome) -> str:
        if outcome.scaling is None:
            return MISSING
        mark = ""
        if outcome.limit(self.limits) == "flops":
            mark = f" {MET if outcome.scaling >= _FULL_SCALING else MISSED}"
        return f"{three_digits(outcome.scaling)} ×{mark}"


def _ratio(ratio: Ratio) -> str:
    return f"{three_digits(ratio.value)} [{three_digits(ratio.low)}–{three_digits(ratio.high)}]"


def _peer(outcome: Outcome, peer: str) -> str:
    timing = outcome.timings.get(peer)
    if timing is None:
        return MISSING
    few = f" ({timing.rounds} round{'s' if timing.rounds > 1 else ''})" if timing.rounds < _FEW_ROUNDS else ""
    return duration(timing.seconds) + few + (" **wrong**" if peer in outcome.wrong else "")


def rate(outcome: Outcome, limits: Limits) -> str:
    """GFLOP/s where arithmetic is the limit, GB/s of compulsory traffic where memory is."""
    seconds = outcome.timings[OURS].seconds
    if outcome.limit(limits) == "memory":
        return f"{three_digits(outcome.bytes_moved / seconds / 1e9)} GB/s"
    return f"{three_digits(outcome.case.flops / seconds / 1e9)} GFLOP/s"


def missed(outcome: Outcome) -> list[str]:
    """Which of its targets a row misses, in words."""
    target = outcome.case.target
    if target is None:
        return []
    found = []
    for ours, wanted in ((OURS, target.model), (TUNED, target.tuned)):
        peer = outcome.best_peer(target.against)
        ratio = None if peer is None else outcome.ratio(peer, ours)
        if peer is not None and ratio is not None and wanted is not None and not ratio.reaches(wanted):
            found.append(f"{ours} {three_digits(ratio.value)} of {TITLES[peer]}, wanted {three_digits(wanted)}")
    return found


def markdown(outcomes: list[Outcome], table: Table, command: str, environment: str) -> str:
    header = table.header()
    lines = [f"`{command}`, on {environment}", ""]
    lines += ["| " + " | ".join(header) + " |", "|---|---|" + "---:|" * (len(header) - 2)]
    lines += ["| " + " | ".join(table.row(outcome)) + " |" for outcome in outcomes]
    notes = [note for outcome in outcomes for note in _notes(outcome, table)]
    return "\n".join([*lines, "", *_listed(_summary(outcomes)), *notes, ""])


def _listed(lines: list[str]) -> list[str]:
    return [*(f"- {line}" for line in lines), ""] if lines else []


def _summary(outcomes: list[Outcome]) -> list[str]:
    """How many rows reach what is wanted of them, by type, untuned and tuned; how many were disturbed."""
    found = []
    for dtype in dict.fromkeys(outcome.case.dtype for outcome in outcomes):
        for ours in (OURS, TUNED):
            judged = [met for o in outcomes if o.case.dtype == dtype and (met := _reached(o, ours)) is not None]
            if judged:
                title = f"Wanted ratios reached, {dtype.replace('float', 'f')}, {ours}"
                found.append(f"{title}: {sum(judged)} of {len(judged)} rows.")
    beside = {o.case.name: r.value for o in outcomes if o.case.runs_on != "cpu" and (r := o.ratio("cpu")) is not None}
    if beside:
        least = min(beside, key=beside.__getitem__)
        mean = f"geometric mean {three_digits(geometric_mean(beside.values()))}"
        found.append(f"Speed beside the target cpu: {mean}, least {three_digits(beside[least])} ({least}).")
    disturbed = sum(outcome.disturbed for outcome in outcomes)
    if disturbed:
        which = f"Other programs disturbed {disturbed} of {len(outcomes)} rows"
        found.append(f"{which}: their times, and ratios with wide brackets, say little.")
    return found


def _reached(outcome: Outcome, ours: str) -> bool | None:
    """Whether a row reaches what is wanted of it; None if nothing is, or nobody is there to compare with."""
    target = outcome.case.target
    wanted = target and (target.model if ours == OURS else target.tuned)
    peer = target and outcome.best_peer(target.against)
    if not wanted or not peer or ours not in {*outcome.timings, *outcome.failed}:
        return None
    ratio = outcome.ratio(peer, ours)
    return ratio is not None and ratio.reaches(wanted) and ours not in outcome.wrong


def _notes(outcome: Outcome, table: Table) -> list[str]:
    name = f"- {outcome.case.name} {outcome.case.dtype}"
    found = [f"{name}: missed: {line}" for line in missed(outcome)]
    found += [f"{name}, {peer}: {reason}" for peer, reason in outcome.failed.items() if reason != "no such function"]
    if outcome.disturbed:
        found.append(f"{name}: disturbed, other programs kept {outcome.foreign:.2f} processors busy meanwhile")
    found += [f"{name}: held back by {line}" for line in outcome.held_back]
    if outcome.tuning is not None:
        changes = ", ".join(f"{key} = {value}" for key, value in outcome.tuning.changes.items())
        found.append(
            f"{name}: tuned in {outcome.tuning.seconds:.0f} s, {outcome.tuning.evaluations} configurations: "
            f"{changes or 'the choice of the model stays'}"
        )
    return found


def environment(limits: Limits, peers: tuple[str, ...]) -> str:
    """What was measured on and with."""
    libraries = ", ".join(f"{TITLES[peer]} {version(peer)}" for peer in peers if peer != "cpu")
    peak = f"{limits.gflops['float32']:.0f} GFLOP/s in f32, {limits.gflops['float64']:.0f} in f64"
    read, written = (limits.bandwidth(kind, 1 << 28) / 1e9 for kind in ("read", "write"))
    memory = f"{read:.0f} GB/s read, {written:.0f} written"
    return (
        f"{processor()}, {limits.threads} thread{'s' * (limits.threads > 1)}; {made_of()}; measured peak {peak}; "
        f"memory {memory}; Python {platform.python_version()}, llvmlite {version('llvmlite')}, {libraries}. "
        "Medians of interleaved rounds, ± half the spread; ratios with the quartiles of single rounds; "
        "every result checked against float64."
    )


def page(table: str, svg: str | None) -> str:
    """The table as a page of the documentation, below the picture if there is one."""
    picture = [] if svg is None else [f"![times beside those of jitmdh]({svg})", ""]
    return "\n".join([_HEAD, *picture, table])


_HEAD = """# Measured

The computations of the thesis as plain loop nests, beside the libraries that people use for them.
[Benchmarks](benchmarks.md) says how they are measured and how to read the columns. `bench --page` writes this page;
`python -m benchmarks.bench.summary` makes the README's figures from it.
"""


def made_of() -> str:
    """The day, the version, and the commit if this is a clone: `22 November 2026, jitmdh 0.1.0, commit f28395f`."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        commit = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = ""
    day = time.strftime("%d %B %Y").lstrip("0")
    return f"{day}, jitmdh {version('jitmdh')}" + f", commit {commit}" * bool(commit)


def caption(limits: Limits) -> str:
    threads = f"{limits.threads} thread{'s' * (limits.threads > 1)}"
    return f"{processor()}, {threads}. Medians of interleaved rounds, results checked."


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    wide = "AVX-512" if "avx512f" in text else "AVX2" if "avx2" in text else "128-bit vectors"
    return f"{names[0] if names else platform.machine()} ({wide})"


def plain(outcome: Outcome, limits: Limits) -> dict[str, Any]:
    """As it is kept in a JSON file: seconds of every round."""
    target, tuning = outcome.case.target, outcome.tuning
    return {
        "name": outcome.case.name,
        "dtype": outcome.case.dtype,
        "seconds": {name: timing.samples for name, timing in outcome.timings.items()},
        "compile_seconds": outcome.compile_seconds,
        "one_thread_seconds": outcome.one_thread and outcome.one_thread.samples,
        "all_threads_seconds": outcome.all_threads and outcome.all_threads.samples,
        "flops": outcome.case.flops,
        "bytes_read": outcome.bytes_read,
        "bytes_written": outcome.bytes_written,
        "limit_seconds": outcome.limit_seconds(limits),
        "limit": outcome.limit(limits),
        "target": target and {"model": target.model, "tuned": target.tuned, "against": target.against},
        "missed": missed(outcome),
        "tuning": tuning and {"seconds": tuning.seconds, "evaluations": tuning.evaluations, "changes": tuning.changes},
        "held_back": outcome.held_back,
        "foreign": outcome.foreign,
        "wrong": outcome.wrong,
        "failed": outcome.failed,
    }


def restored(row: dict[str, Any], case: Case) -> Outcome:
    """The outcome that `plain` wrote down."""
    one, every, tuning = row["one_thread_seconds"], row["all_threads_seconds"], row["tuning"]
    return Outcome(
        case,
        {name: Timing(tuple(samples)) for name, samples in row["seconds"].items()},
        row["compile_seconds"],
        row["wrong"],
        row["failed"],
        row["bytes_read"],
        row["bytes_written"],
        tuning and Tuning(**tuning),
        one and Timing(tuple(one)),
        every and Timing(tuple(every)),
        tuple(row["held_back"]),
        row["foreign"],
        row["limit_seconds"],
    )


def answers(row: dict[str, Any], plan: Plan) -> bool:
    """Whether a row that `plain` wrote has all that is asked for."""
    asked = {OURS, *((TUNED,) if plan.tune_seconds else ()), *plan.peers}
    one = not plan.scaling or row["one_thread_seconds"] is not None
    return asked <= {*row["seconds"], *row["failed"]} and one
