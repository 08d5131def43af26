"""What the suite `tensor` found, as a table and as a page: `docs/tensor_measured.md`."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean

from benchmarks.bench.report import processor

OURS, BLOCKS, TUNED, YATETO, IN_C = "jitmdh", "jitmdh, blocks", "tuned", "YATeTo", "C"
NEAR = 64  # elements that one thread computes
PEERS = ("numpy", "opt_einsum", "torch")
_COLUMNS = (OURS, BLOCKS, TUNED, *PEERS, YATETO, IN_C)
_CELLS = (
    "row, ns an element",
    "type",
    "elements",
    *_COLUMNS,
    "limit",
    "YATeTo ÷ ours",
    "C ÷ ours",
    "best peer ÷ ours",
    "of the limit",
)
HEAD = (f"| {' | '.join(_CELLS)} |", f"|---|---|{'---:|' * (len(_CELLS) - 2)}")


@dataclass
class Result:
    """One row at one size. nanoseconds: of an element, by who computed it; wrong: whose results were not right."""

    name: str
    dtype: str
    elements: int
    limit_ns: float
    nanoseconds: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    @property
    def ours(self) -> float | None:
        """The time of our better form, not tuned."""
        return min((self.nanoseconds[who] for who in (OURS, BLOCKS) if who in self.nanoseconds), default=None)

    @property
    def beside_peers(self) -> float | None:
        """The time of the best peer in Python in ours."""
        others = [self.nanoseconds[who] for who in PEERS if who in self.nanoseconds]
        return min(others) / self.ours if others and self.ours else None

    @property
    def beside_yateto(self) -> float | None:
        """YATeTo's time in ours."""
        return self.nanoseconds[YATETO] / self.ours if YATETO in self.nanoseconds and self.ours else None

    @property
    def beside_yateto_tuned(self) -> float | None:
        """YATeTo's time in ours after tuning."""
        known = self.nanoseconds.keys() >= {YATETO, TUNED}
        return self.nanoseconds[YATETO] / self.nanoseconds[TUNED] if known else None

    @property
    def beside_c(self) -> float | None:
        """The time of TeML's loops in C in ours."""
        return self.nanoseconds[IN_C] / self.ours if IN_C in self.nanoseconds and self.ours else None

    @property
    def beside_c_tuned(self) -> float | None:
        """The time of TeML's loops in C in ours after tuning."""
        known = self.nanoseconds.keys() >= {IN_C, TUNED}
        return self.nanoseconds[IN_C] / self.nanoseconds[TUNED] if known else None

    @property
    def share(self) -> float | None:
        """Of what the machine can do at most."""
        return self.limit_ns / self.ours if self.ours else None


Ratio = Callable[[Result], float | None]


@dataclass(frozen=True)
class Wanted:
    """Some rows, a ratio, and what is wanted of it: of each row, and of the geometric mean."""

    rows: str
    of: Callable[[Result], bool]
    ratio: Ratio
    against: str
    each: float | None = None
    mean: float | None = None

    def lines(self, results: Sequence[Result]) -> list[str]:
        """Rows of a table: what is wanted, what is."""
        found = [(value, r.name) for r in results if self.of(r) and (value := self.ratio(r)) is not None]
        if not found:
            return []
        lines = []
        if self.each is not None:
            (least, name), missed = min(found), sum(value < self.each for value, _ in found)
            text = f"{least:.2f} ({name}); {missed} of {len(found)} below"
            lines.append(self._line(f"each of {len(found)}", self.each, text, not missed))
        if self.mean is not None:
            mean = geometric_mean(value for value, _ in found)
            lines.append(self._line(f"mean of {len(found)}", self.mean, f"{mean:.2f}", mean >= self.mean))
        return lines

    def _line(self, which: str, wanted: float, text: str, met: bool) -> str:
        return f"| {self.rows} | {self.against} | {which} | {wanted:g} | {text} | {'✓' if met else '✗'} |"


def _is_aderdg(result: Result) -> bool:
    return " N=" in result.name and "s=" not in result.name and not result.name.startswith("DG-SEM")


def _of(kind: Callable[[Result], bool], elements: range) -> Callable[[Result], bool]:
    return lambda result: kind(result) and result.elements in elements


def _is_small(result: Result) -> bool:
    return result.name.startswith("DG-SEM") or "->" in result.name or result.name.startswith("matmul")


def _yateto(result: Result) -> float | None:
    return result.beside_yateto


def _tuned(result: Result) -> float | None:
    return result.beside_yateto_tuned


WANTED = (
    Wanted("ADER-DG, one element", _of(_is_aderdg, range(1, 2)), _yateto, "YATeTo", 0.8, 0.9),
    Wanted("ADER-DG, one element", _of(_is_aderdg, range(1, 2)), _tuned, "YATeTo, tuned", 1.0, 1.1),
    Wanted("ADER-DG, batch in L2", _of(_is_aderdg, range(2, NEAR + 1)), _yateto, "YATeTo", 0.9, 1.1),
    Wanted("ADER-DG, batch in L2", _of(_is_aderdg, range(2, NEAR + 1)), _tuned, "YATeTo, tuned", 1.1, 1.8),
    Wanted("ADER-DG, batch in memory", _of(_is_aderdg, range(NEAR + 1, 1 << 30)), _yateto, "YATeTo", 1.0),
    Wanted("ADER-DG, batch in memory", _of(_is_aderdg, range(NEAR + 1, 1 << 30)), _tuned, "YATeTo, tuned", 1.2),
    Wanted("ADER-DG, batch in memory, N ≥ 4", lambda r: _is_aderdg(r) and r.elements > NEAR and r.name[-1] >= "4",
           lambda r: r.share, "the limit", 0.6),
    Wanted("batches", lambda r: r.elements > 1, lambda r: r.beside_peers, "NumPy, opt_einsum, torch", 10),
    Wanted("fused simulations", lambda r: "s=" in r.name, _yateto, "YATeTo", 1.0),
    Wanted("DG-SEM, TCE, 16→4, p/q, matmul 32³", _is_small, _yateto, "YATeTo", 0.9),
    Wanted("DG-SEM, TCE, 16→4, p/q, matmul 32³", _is_small, _tuned, "YATeTo, tuned", 1.1),
    Wanted("TeML's ten", lambda r: True, lambda r: r.beside_c, "its loops in C", 1.0),
    Wanted("TeML's ten", lambda r: True, lambda r: r.beside_c_tuned, "its loops in C, tuned", mean=1.3),
)  # fmt: skip


def page(results: Sequence[Result], command: str, threads: int, remark: str = "") -> str:
    """All of it, with what is wanted. remark: a sentence about this run."""
    lines = ["# Tensors, measured", ""]
    lines += [f"`{command}`; {processor()}, Python {platform.python_version()}.", ""]
    lines += [
        "Nanoseconds of an element, [`bench --suite tensor`](benchmarks.md). One element and batches of up to "
        f"{NEAR} are computed on one thread, others on {threads}. jitmdh: arrays; blocks: storage of "
        "`mt.zeros(…, batch=…)`; ours is the better of both, as `kernel.time` says: what a call itself takes, and its "
        "look at known zeros, which `mt.trust()` leaves out, are not in it. YATeTo: what the program of "
        "`--yateto` says. C: TeML's kernels in the loops of its Table 2, by gcc -O3 -march=native -fopenmp."
        + f" {remark}"
        * bool(remark),
        "",
    ]
    wanted = [line for one in WANTED for line in one.lines(results)]
    if wanted:
        lines += ["| rows | beside | ratio | wanted | is | |", "|---|---|---|---:|---|---|", *wanted, ""]
    return "\n".join([*lines, *HEAD, *map(line, results), ""])


def line(result: Result) -> str:
    """A row of the table."""
    times = [_figure(result.nanoseconds.get(who)) + " wrong" * (who in result.wrong) for who in _COLUMNS]
    share = "–" if result.share is None else f"{result.share:.0%}"
    ratios = ["–" if r is None else f"{r:.2f}" for r in (result.beside_yateto, result.beside_c, result.beside_peers)]
    cells = [result.name, result.dtype, str(result.elements), *times, _figure(result.limit_ns), *ratios, share]
    return f"| {' | '.join(cells)} |"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
