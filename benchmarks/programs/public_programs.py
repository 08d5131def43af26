"""Programs that others have published, decorated and called: compiled whole, by their loops, refused, or wrong.

What `benchmarks.npbench` and `benchmarks.polybench` share. Each program runs in a process of its own: one that dies or
never ends is one line of the table.
"""

from __future__ import annotations

import json
import multiprocessing
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, MdhError

WHOLE, LOOPS, PYTHON = "compiled whole", "loops in place", "plain Python"
REFUSED, WRONG, FAILED = "refused", "WRONG", "FAILED"
KINDS = (WHOLE, LOOPS, PYTHON, REFUSED, WRONG, FAILED)
_TOLERANCE = {"f": 1e-4, "d": 1e-9}  # of the largest element: sums in another order, over and over
_NEAR = 10.0  # how much farther than NumPy's results ours may be from those in extended precision
_NOISE = 0.1  # of the largest number: from where on NumPy's result says nothing
_SECONDS_PER_FORM = 1.0
_ROUNDS = 50

Clock = Callable[[], float]  # in seconds
CLOCKS: Mapping[str, Clock] = {"wall": time.perf_counter, "processor": time.process_time}


@dataclass(frozen=True)
class Loaded:
    """A program ready to be called. function: undecorated; arguments: new ones, the same each time.

    results: of what was returned and the arguments, what counts; peers: other forms of the same program, by name, for
    times; quicker: one of the suite's that should give the same: where it does, the undecorated one need not run.
    """

    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    results: Callable[[Any, tuple[Any, ...]], Any]
    quicker: Callable[..., Any] | None = None
    peers: Mapping[str, Callable[[], Callable[..., Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """name: within its style; load: reads it, in the process where it is to run."""

    style: str
    name: str
    load: Callable[[], Loaded]


@dataclass(frozen=True)
class Verdict:
    """kind: one of the words above; reason: in a line; seconds: of the first call; ours_s: of a later one.

    ratios: a peer's time by ours.
    """

    kind: str
    reason: str = ""
    seconds: float = 0.0
    ours_s: float = 0.0
    ratios: Mapping[str, float] = field(default_factory=dict)


def same(got: Any, want: Any) -> bool:
    """Whether results agree: integers exactly, floats up to the order in which they are combined."""
    if isinstance(want, tuple | list) and not all(isinstance(w, int | float | list) for w in want):
        return isinstance(got, tuple | list) and len(got) == len(want) and all(map(same, got, want))
    g, w = np.asarray(got), np.asarray(want)
    if w.dtype == object:
        return g.dtype == object  # None
    if g.shape != w.shape:
        return False
    if w.dtype.kind not in "fc":
        return bool(np.array_equal(g, w))
    finite = np.abs(w[np.isfinite(w)])
    bound = _TOLERANCE.get(w.real.dtype.char, 1e-9) * float(finite.max(initial=1e-300))
    return bool(np.allclose(g, w, rtol=0.0, atol=bound, equal_nan=True))


def judge(program: Program, timed: str | None = None) -> Verdict:
    """Runs the decorated program once and compares. timed: measures it and its peers, too, by that clock."""
    loaded = program.load()
    compiled = mdh.jit(loaded.function)
    given = loaded.arguments()
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        begin = time.perf_counter()
        try:
            returned = compiled(*given)
        except MdhError as error:
            return Verdict(REFUSED, _in_a_line(str(error)), time.perf_counter() - begin)
        seconds = time.perf_counter() - begin
        reasons = [str(w.message) for w in caught if issubclass(w.category, JitWarning)]
        right = _right(loaded, loaded.results(returned, given))
        if not right:  # a program that magnifies roundings is right if it is without re-association
            given = loaded.arguments()
            returned = mdh.jit(reassociate=False)(loaded.function)(*given)
            right = _right(loaded, loaded.results(returned, given))
    if not right:
        return Verdict(WRONG, _in_a_line("; ".join(reasons)), seconds)
    ours_s, ratios = _ratios(compiled, loaded, CLOCKS[timed]) if timed else (0.0, {})
    nothing = any("runs as plain Python:" in reason and ": not compiled as a whole" not in reason for reason in reasons)
    kind = PYTHON if nothing else LOOPS if reasons else WHOLE
    return Verdict(kind, _in_a_line("; ".join(reasons)), seconds, ours_s, ratios)


def _right(loaded: Loaded, got: Any) -> bool:
    for form in (loaded.quicker, loaded.function):
        if form is not None:
            given = loaded.arguments()
            if same(got, loaded.results(form(*given), given)):
                return True
    return _as_near_as_numpy(loaded, got)


def _as_near_as_numpy(loaded: Loaded, got: Any) -> bool:
    """Whether results are as near to those in extended precision as NumPy's own are, up to a factor of ten.

    For programs that magnify roundings: two right results are far from each other there. Numbers of which NumPy has
    not even the first digit right (0/0 of dependent columns) are noise, and ours may be any. False where
    the program cannot be run in extended precision, or rounds what it computes itself.
    """
    given, wide = loaded.arguments(), tuple(map(_widened, loaded.arguments()))
    with np.errstate(all="ignore"):
        own = _leaves(loaded.results(loaded.function(*given), given))
        try:
            exact = _leaves(loaded.results(loaded.function(*wide), wide))
        except Exception:
            return False
    ours = _leaves(got)
    return len(ours) == len(own) == len(exact) and all(map(_is_as_near, ours, own, exact))


def _is_as_near(ours: Any, own: Any, exact: Any) -> bool:
    if ours.shape != own.shape or own.shape != exact.shape or ours.dtype != own.dtype:
        return False
    if own.dtype.kind not in "fc":
        return bool(np.array_equal(ours, own))
    if exact.dtype.itemsize <= own.dtype.itemsize:
        return False
    with np.errstate(invalid="ignore"):
        known = np.abs(own - exact) <= _NOISE * np.abs(exact).max(initial=0.0, where=np.isfinite(exact))
        bound = _NEAR * np.abs(own - exact).max(initial=0.0, where=known)
        return bool(known.any() and (np.abs(ours - exact) <= bound)[known].all())


def _widened(value: Any) -> Any:
    """An array of floats, or a float, in extended precision."""
    kind = getattr(getattr(value, "dtype", None), "kind", "f" if isinstance(value, float) else "")
    wide = {"f": np.longdouble, "c": np.clongdouble}.get(kind)
    if wide is None:
        return value
    return value.astype(wide) if isinstance(value, np.ndarray) else wide(value)


def _leaves(value: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(value, tuple | list) and not all(isinstance(v, int | float) for v in value):
        return [leaf for part in value for leaf in _leaves(part)]
    return [np.asarray(value)]


def report(
    programs: Sequence[Program], bars: Mapping[str, int], timed: str | None, limit_s: float, table: Path | None = None,
    kept: Path | None = None, setting: str = "",
) -> int:  # fmt: skip
    """A line for each program, then the counts beside the bars. 1 where something is wrong or a bar missed, else 0.

    table: where the times go, too, in Markdown. kept: a file of JSON lines, one for each program, under its style,
    name, `setting` and clock: what is there already is not run again, so that a run that was ended can go on.
    """
    known = Kept(kept, setting, timed)
    counts: Counter[tuple[str, str]] = Counter()
    ratios: dict[tuple[str, str], list[float]] = {}
    rows: list[tuple[Program, Verdict]] = []
    for program in programs:
        verdict = known.find(program) or _in_a_process(program, timed, limit_s)
        known.keep(program, verdict)
        rows.append((program, verdict))
        counts[program.style, verdict.kind] += 1
        for peer, ratio in verdict.ratios.items():
            ratios.setdefault((program.style, peer), []).append(ratio)
        shown = "".join(f"  {peer} {ratio:.2f}" for peer, ratio in verdict.ratios.items())
        ours = f"  {verdict.ours_s * 1e3:10.4f} ms" if verdict.ratios else ""
        print(f"{program.style:18}{program.name:28}{verdict.kind:16}{verdict.seconds:6.2f} s{ours}{shown}", flush=True)
        if verdict.reason:
            print(f"    {verdict.reason}", flush=True)
    if table is not None:
        table.write_text(times_table(rows))
    return _summary(programs, counts, ratios, bars)


class Kept:
    """Verdicts of programs in a file, by what was run and how."""

    def __init__(self, file: Path | None, setting: str, timed: str | None) -> None:
        self._file, self._how = file, (setting, timed)
        self._known: dict[tuple[Any, ...], Verdict] = {}
        if file is not None and file.exists():
            for line in file.read_text().splitlines():
                key, verdict = json.loads(line)
                self._known[tuple(key)] = Verdict(*verdict)

    def find(self, program: Program) -> Verdict | None:
        return self._known.get((program.style, program.name, *self._how))

    def keep(self, program: Program, verdict: Verdict) -> None:
        key = program.style, program.name, *self._how
        if self._file is not None and key not in self._known:
            self._known[key] = verdict
            values = [verdict.kind, verdict.reason, verdict.seconds, verdict.ours_s, dict(verdict.ratios)]
            with self._file.open("a") as out:
                out.write(json.dumps([key, values]) + "\n")


def times_table(rows: Sequence[tuple[Program, Verdict]]) -> str:
    """Times in Markdown: ours in milliseconds, and how often as long each peer takes."""
    peers = list(dict.fromkeys(peer for _, verdict in rows for peer in verdict.ratios))
    lines = [f"| style | program | | ours, ms | {' | '.join(peers)} |", "|---|---|---|--:|" + "--:|" * len(peers)]
    for program, verdict in rows:
        ratios = [f"{verdict.ratios[peer]:.2f}" if peer in verdict.ratios else "–" for peer in peers]
        ours = f"{verdict.ours_s * 1e3:.3g}" if verdict.ratios else "–"
        lines.append(f"| {program.style} | {program.name} | {verdict.kind} | {ours} | {' | '.join(ratios)} |")
    return "\n".join(lines) + "\n"


def _summary(
    programs: Sequence[Program], counts: Counter[tuple[str, str]],
    ratios: Mapping[tuple[str, str], Sequence[float]], bars: Mapping[str, int],
) -> int:  # fmt: skip
    """The counts by style. The bar of a style: how many are to be compiled, whole or by their loops."""
    print()
    bad = 0
    for style in dict.fromkeys(p.style for p in programs):
        found = {kind: counts[style, kind] for kind in KINDS}
        total, compiled = sum(found.values()), found[WHOLE] + found[LOOPS]
        bar = bars.get(style)
        missed = bar is not None and compiled < bar
        bad |= missed or found[WRONG] > 0
        against = "" if bar is None else f" (bar {bar}{': missed' if missed else ''})"
        listed = ", ".join(f"{kind} {n}" for kind, n in found.items())
        print(f"{style}: {compiled} of {total} compiled{against}: {listed}")
        for (of, peer), values in ratios.items():
            if of == style:
                mean = float(np.exp(np.mean(np.log(values))))
                print(f"    {peer} by ours: geometric mean {mean:.2f}, least {min(values):.2f}, {len(values)} programs")
    return bad


def _in_a_process(program: Program, timed: str | None, limit_s: float) -> Verdict:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, program, timed))
    process.start()
    theirs.close()
    try:
        verdict = Verdict(*ours.recv()) if ours.poll(limit_s) else Verdict(FAILED, f"no answer within {limit_s:.0f} s")
    except EOFError:
        process.join()
        verdict = Verdict(FAILED, f"the process died (exit code {process.exitcode})")
    process.kill()
    process.join()
    return verdict


def _answer(connection: Connection, program: Program, timed: str | None) -> None:
    try:
        verdict = judge(program, timed)
        connection.send((verdict.kind, verdict.reason, verdict.seconds, verdict.ours_s, dict(verdict.ratios)))
    except BaseException as error:
        connection.send((FAILED, _in_a_line(f"{type(error).__name__}: {error}")))


def _ratios(compiled: Callable[..., Any], loaded: Loaded, clock: Clock) -> tuple[float, dict[str, float]]:
    """Ours in seconds, and how many times that each peer takes: least of calls in turns, on arguments of their own."""
    forms = {"ours": compiled}
    for name, make in loaded.peers.items():
        try:
            forms[name] = make()
            forms[name](*loaded.arguments())
        except Exception:  # what a peer cannot run has no time
            forms.pop(name, None)
    compiled(*loaded.arguments())  # what comes with the second call is not to be measured, either
    least = _least_s(forms, loaded.arguments, clock)
    best: dict[str, float] = {}
    for name, seconds in least.items():
        peer = name.partition(":")[0]
        best[peer] = min(seconds, best.get(peer, seconds))
    ours = best.pop("ours")
    return ours, {peer: seconds / ours for peer, seconds in best.items()}


def _least_s(
    forms: Mapping[str, Callable[..., Any]], arguments: Callable[[], tuple[Any, ...]], clock: Clock
) -> dict[str, float]:
    """The least time of each form. Who is in front takes 50 turns, who has had its second takes no more."""
    least = dict.fromkeys(forms, float("inf"))
    spent = dict.fromkeys(forms, 0.0)
    for _ in range(_ROUNDS):
        for name, form in forms.items():
            if spent[name] > _SECONDS_PER_FORM:
                continue
            given = arguments()
            begin = clock()
            form(*given)
            seconds = clock() - begin
            least[name] = min(least[name], seconds)
            spent[name] += seconds
    return least


def _in_a_line(text: str) -> str:
    """What an error says, and the line of the program that it shows."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and set(line.strip()) != {"^"}]
    return " | ".join(lines[:3])[:300]


def wanted(programs: Iterable[Program], names: str) -> list[Program]:
    """Those whose style or name contains one of the words of `names`, with commas between them; all if it is empty.

    SystemExit if there are words and none is found: a run of no programs would look like a good one.
    """
    words = [word.strip() for word in names.split(",") if word.strip()]
    found = [p for p in programs if not words or any(word in f"{p.style} {p.name}" for word in words)]
    if words and not found:
        raise SystemExit(f"--only {names!r}: no program's style or name contains this; separate words by commas")
    return found
