"""The auto-tuner beside its peers, one core: space construction, overhead, search quality, online tuning.

    python -m benchmarks.atf                 everything but the slow cases, as Markdown
    python -m benchmarks.atf construction    B1 to B4, with pyATF and python-constraint2 where installed
    python -m benchmarks.atf agreement       B5 against pyATF, python-constraint2 and Kernel Tuner
    python -m benchmarks.atf overhead        B6 and B7
    python -m benchmarks.atf noise           repeated measurement with racing
    python -m benchmarks.atf bandits         B9: our AUC bandit beside pyATF's on a recorded space
    python -m benchmarks.atf search          B8 on recorded and made-up spaces
    python -m benchmarks.atf online          B10 to B13: calls of a program in use, by the clock; recorded loops
    ... --seeds 51 --instances 5 --slow

Peers (extra `bench`): pyATF 0.0.13, python-constraint2, kernel-tuner. Missing ones are left out and named.
Ours and the peers run in turns (A B A B); shown are median [least to greatest], ratios are of medians.
In B5 pyATF is compared by size, the others by members; pyATF and Kernel Tuner get the parameters in order
of dependency. B6 and B7 count processor time of the thread; the tables of a space's nodes fill in the first
of 30 runs. `default` is measured there with evaluations that take no time, where it uses no model, and then with
evaluations of 0.1 to 100 ms on a clock that counts its own processor time besides, fits of the model included.
In B8 evaluations take as long as recorded and thinking takes no time, so the model proposes as often as it can;
one more row has `default` where evaluations are too cheap for a model. Of the kernels recorded on a processor
(forces, histogram, product, loop_*) only calls were timed; evaluations last a hundred times as long there, for
compiling.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import math
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.atf.loops import loops
from benchmarks.atf.online import online
from benchmarks.atf.spaces import FURTHER
from benchmarks.atf.thinking import thought_s
from jitmdh import atf
from jitmdh.atf.recorded.spaces import RecordedSpace
from jitmdh.atf.recorded.synthetic import SHAPES
from jitmdh.atf.recorded.synthetic_kernels import KERNELS

DATA = Path(__file__).parents[2] / "tests" / "atf" / "data"
RECORDED = DATA / "convolution_a100.json.gz"
OWN = ("forces", "histogram", "product")
"""Recorded by `benchmarks.atf.record_spaces`."""
_WANTED = {50: 1.10, 100: 1.03}  # best / optimum over all spaces, by evaluations

N = 2**20


@dataclass(frozen=True, slots=True)
class Spec:
    """A parameter for every tool: name, values, and a constraint that names its dependencies."""

    name: str
    values: Any
    constraint: str = ""
    names: tuple[str, ...] = ()

    def function(self) -> Callable[..., bool] | None:
        """The constraint as a plain Python callable."""
        return eval(f"lambda {', '.join(self.names)}: {self.constraint}") if self.constraint else None


def saxpy() -> list[Spec]:
    return [
        Spec("WPT", range(1, N + 1), f"{N} % WPT == 0", ("WPT",)),
        Spec("LS", range(1, N + 1), f"({N} // WPT) % LS == 0", ("LS", "WPT")),
    ]


def saxpy_symbolic() -> atf.SearchSpace:
    WPT = atf.tuning_parameter("WPT", atf.interval(1, N), atf.divides(N))
    LS = atf.tuning_parameter("LS", atf.interval(1, N), atf.divides(N // WPT))
    return atf.search_space(WPT, LS)


def chains(dims: int, product: bool, powers: bool) -> list[Spec]:
    """Per dimension four parameters, each dividing the one before; product: of the last, at most 1024."""
    specs = []
    for d in range(dims):
        for k in range(4):
            name, outer = f"P{d}{k}", f"P{d}{k - 1}"
            text, names = f"1024 % {name} == 0", (name,)
            if k:
                text, names = f"{outer} % {name} == 0", (name, outer)
            if product and d == dims - 1 and k == 3:
                last = tuple(f"P{e}3" for e in range(dims))
                text += f" and {' * '.join(last)} <= 1024"
                names = tuple(dict.fromkeys((*names, *last)))
            values = [2**e for e in range(11)] if powers else range(1, 1025)
            specs.append(Spec(name, values, text, names))
    return specs


def ours(specs: Sequence[Spec]) -> atf.SearchSpace:
    """The same constraints, `and`-joined parts given one by one."""
    parameters = []
    for spec in specs:
        parts = spec.constraint.split(" and ") if spec.constraint else []
        rules = [eval(f"lambda {', '.join(n for n in spec.names if n in part)}: {part}") for part in parts]
        parameters.append(atf.tuning_parameter(spec.name, spec.values, *rules))
    return atf.search_space(*parameters)


def pyatf(specs: Sequence[Spec]) -> Any:
    from pyatf import TP, Interval, Set
    from pyatf.search_space import SearchSpace

    tps = []
    for spec in specs:
        plain = isinstance(spec.values, range)
        values = Interval(spec.values[0], spec.values[-1]) if plain else Set(*spec.values)
        tps.append(TP(spec.name, values, spec.function()))
    return SearchSpace(*tps, verbosity=0)


def python_constraint(specs: Sequence[Spec]) -> list[Any]:
    from constraint import OptimizedBacktrackingSolver, Problem

    problem = Problem(OptimizedBacktrackingSolver(forwardcheck=False))
    for spec in specs:
        problem.addVariable(spec.name, list(spec.values))
    for spec in specs:
        for part in spec.constraint.split(" and ") if spec.constraint else []:
            problem.addConstraint(part)
    return problem.getSolutions()  # type: ignore[no-any-return]


def kernel_tuner(specs: Sequence[Spec]) -> list[Any]:
    from kernel_tuner.searchspace import Searchspace

    values = {spec.name: list(spec.values) for spec in specs}
    rules = [spec.constraint.replace(" and ", " and ") for spec in specs if spec.constraint]
    parts = [part for rule in rules for part in rule.split(" and ")]
    return Searchspace(values, parts, 1024).list  # type: ignore[no-any-return]


def installed(module: str) -> bool:
    """Whether a peer can be imported; says so if not."""
    try:
        importlib.import_module(module)
        return True
    except ImportError:
        print(f"({module} is not installed: left out)\n")
        return False


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of several runs."""

    runs: tuple[float, ...]

    @property
    def middle(self) -> float:
        return median(self.runs)

    def __str__(self) -> str:
        return f"{_shown(self.middle)} [{_shown(min(self.runs))} to {_shown(max(self.runs))}]"


def _shown(seconds: float) -> str:
    unit, factor = ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("us", 1e6)
    return f"{seconds * factor:.3g} {unit}"


def interleaved(calls: Mapping[str, Callable[[], Any]], rounds: int = 5, at_most_s: float = 20.0) -> dict[str, Timing]:
    """All calls in turns, A B A B: what disturbs the machine for a while disturbs all of them.

    The first round counts like the others; no round is begun after `at_most_s`, but two are always made
    where one takes less than that. Calls below 50 ms are made five times a round.
    """
    found: dict[str, list[float]] = {name: [] for name in calls}
    began = time.perf_counter()
    for number in range(rounds):
        if number and time.perf_counter() - began > at_most_s:
            break
        for name, call in calls.items():
            for _ in range(5):
                start = time.perf_counter()
                call()
                found[name].append(time.perf_counter() - start)
                if found[name][-1] > 0.05:
                    break
    return {name: Timing(tuple(times)) for name, times in found.items()}


def peak_bytes(call: Callable[[], Any]) -> int:
    """Most memory allocated by Python during a call."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


ROWS: list[tuple[str, str, str, str]] = []


def line(target: str, what: str, value: str, met: bool | None) -> None:
    """A row of the table that `main` prints when a part is done."""
    ROWS.append((target, what, value, "" if met is None else "met" if met else "**not met**"))
    print(f"  {target} {what}: {value}", file=sys.stderr, flush=True)


def print_table() -> None:
    """The rows so far as a Markdown table."""
    rows = [("target", "what", "measured", ""), ("---",) * 4, *ROWS]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    for row in rows:
        cells = [cell.ljust(w, "-" if row[0] == "---" else " ") for cell, w in zip(row, widths)]
        print("| " + " | ".join(cells) + " |")
    ROWS.clear()
    print(flush=True)


def compare(target: str, what: str, mine: Callable[[], Any], peers: Mapping[str, tuple[Any, float]]) -> None:
    """Rows for one of our calls and its peers: (call, the ratio wanted, 0 for none)."""
    times = interleaved({"ours": mine} | {name: call for name, (call, _) in peers.items()})
    line(target, f"{what}, ours", str(times["ours"]), None)
    for name, (_, wanted) in peers.items():
        line(target, f"{what}, {name}", str(times[name]), None)
        ratio = times[name].middle / times["ours"].middle
        bound = f" (wanted {wanted:.0f})" if wanted else ""
        line(target, f"ratio to {name}{bound}", f"{ratio:.0f} x", ratio >= wanted if wanted else None)


def construction(slow: bool) -> None:
    has_pyatf, has_constraint = installed("pyatf"), installed("constraint")
    specs = saxpy()
    assert ours(specs).size == 231
    compare(
        "B1",
        "saxpy 2^20, plain callables",
        lambda: ours(specs),
        {"pyATF": (lambda: pyatf(specs), 100)} if has_pyatf else {},
    )
    symbolic = interleaved({"ours": saxpy_symbolic}, rounds=20)["ours"]
    line("B1", "saxpy 2^20, recognised divides (wanted 1 ms)", str(symbolic), symbolic.middle <= 1e-3)
    chain = chains(3, product=False, powers=False)
    compare(
        "B2",
        f"3x4 chain over 1..1024 ({ours(chain).size:.4g})",
        lambda: ours(chain),
        {"pyATF": (lambda: pyatf(chain), 25)} if has_pyatf else {},
    )
    _with_product(has_pyatf, has_constraint, slow)


def _with_product(has_pyatf: bool, has_constraint: bool, slow: bool) -> None:
    wide, powers = chains(2, product=True, powers=False), chains(2, product=True, powers=True)
    assert ours(wide).size == ours(powers).size == 977_691
    wide_s = interleaved({"ours": lambda: ours(wide)})["ours"]
    memory = peak_bytes(lambda: ours(wide))
    line("B3", "2x4 + product over 1..1024 (wanted 0.2 s)", str(wide_s), wide_s.middle <= 0.2)
    line("B3", "memory of that (wanted 20 MB)", f"{memory / 1e6:.2f} MB", memory <= 20e6)
    if slow and has_pyatf:
        peer = interleaved({"pyATF": lambda: pyatf(wide)}, rounds=1)["pyATF"]
        line("B3", "the same, pyATF", str(peer), None)
    peers: dict[str, tuple[Any, float]] = {}
    if has_pyatf:
        peers["pyATF"] = (lambda: pyatf(powers), 500)
    if has_constraint:
        peers["python-constraint2"] = (lambda: python_constraint(powers), 200)
    compare("B3", "2x4 + product over powers of two", lambda: ours(powers), peers)
    huge = chains(3, product=True, powers=False)

    def count_and_sample() -> int:
        space = ours(huge)
        assert all(c["P03"] * c["P13"] * c["P23"] <= 1024 for c in space.sample(1, 1000))
        return space.size

    assert count_and_sample() == 894_276_656
    huge_s = interleaved({"ours": count_and_sample})["ours"]
    memory = peak_bytes(count_and_sample)
    line("B4", "3x4 + product: count and 1000 samples (wanted 2 s)", str(huge_s), huge_s.middle <= 2)
    line("B4", "memory of that (wanted 50 MB)", f"{memory / 1e6:.2f} MB", memory <= 50e6)


def random_specs(rng: random.Random) -> list[Spec]:
    """Up to four parameters with random constraints on earlier ones, in random declaration order."""
    specs: list[Spec] = []
    for name in "ABCD"[: rng.randint(1, 4)]:
        values = sorted(rng.sample(range(1, 30), rng.randint(1, 9)))
        parts, names = [], [name]
        for _ in range(rng.randint(0, 2)):
            other = rng.choice(specs).name if specs else ""
            k = rng.randint(2, 30)
            choices = [f"{name} % {rng.randint(2, 4)} != 0", f"{name} <= {k}"]
            if other:
                choices += [
                    f"{other} % {name} == 0",
                    f"{name} * {other} <= {4 * k}",
                    f"{name} + {other} >= {k // 2}",
                ]
                names.append(other)
            parts.append(rng.choice(choices))
        read = tuple(n for n in dict.fromkeys(names) if any(n in part for part in parts) or n == name)
        specs.append(Spec(name, values, " and ".join(parts), read))
    return specs


def brute_force(specs: Sequence[Spec]) -> set[tuple[int, ...]]:
    names = [s.name for s in specs]
    condition = " and ".join(s.constraint for s in specs if s.constraint) or "True"
    test = eval(f"lambda {', '.join(names)}: {condition}")
    return {c for c in itertools.product(*(s.values for s in specs)) if test(*c)}


def agreement(count: int = 300) -> None:
    peers = [m for m in ("pyatf", "constraint", "kernel_tuner") if installed(m)]
    rng, agreed, compared = random.Random(5), 0, dict.fromkeys(peers, 0)
    while agreed < count:
        specs = random_specs(rng)
        expected = brute_force(specs)
        if not expected:
            continue
        shuffled = rng.sample(specs, len(specs))
        names = [s.name for s in specs]
        assert {tuple(c[n] for n in names) for c in ours(shuffled)} == expected
        if "pyatf" in peers:  # it needs dependencies to be declared first
            compared["pyatf"] += int(pyatf(specs).constrained_size == len(expected))
        if "constraint" in peers:
            found = {tuple(c[n] for n in names) for c in python_constraint(shuffled)}
            compared["constraint"] += int(found == expected)
        if "kernel_tuner" in peers:
            compared["kernel_tuner"] += int({tuple(c) for c in kernel_tuner(specs)} == expected)
        agreed += 1
    line("B5", "random spaces equal to brute force, any order (>= 200)", f"{agreed} of {count}", agreed >= 200)
    for peer, same in compared.items():
        line("B5", f"  the same as {peer}", f"{same} of {count}", same == count)


def cpu_s(call: Callable[[], Any], count: int, rounds: int = 30) -> Timing:
    """Processor time of this thread per step: other programs do not count."""
    runs = []
    for _ in range(rounds):
        start = time.thread_time()
        call()
        runs.append((time.thread_time() - start) / count)
    return Timing(tuple(runs))


def overhead() -> None:
    space = ours(chains(3, product=True, powers=False))
    rng = random.Random(3)
    points = [[1 - rng.random() for _ in range(12)] for _ in range(250)]
    at = space.at
    taken = cpu_s(lambda: [at(p) for p in points], 250, rounds=100)
    line("B6", "coordinates to configuration, 12 parameters (wanted 5 us)", str(taken), taken.middle <= 5e-6)
    recorded = atf.recorded_space(RECORDED)
    costs = [1 + random.Random(k).random() for k in range(500)]
    for name in [n for n in atf.technique_names() if n not in ("exhaustive", "surrogate")]:
        random_s = cpu_s(partial(_explore, space, name, lambda c, k: costs[k]), 500)
        replayed = cpu_s(partial(_explore, recorded.space, name, lambda c, k: recorded.costs[c.index]), 500)
        line("B7", f"{name}: 12 parameters, 9e8 (wanted 10 us)", str(random_s), random_s.middle <= 10e-6)
        line("B7", f"{name}: convolution, 4362, which it half exhausts", str(replayed), None)
    for evaluation_s in (1e-4, 1e-3, 1e-2, 1e-1):
        thought = median(
            thought_s(recorded.space, lambda c: recorded.costs[c.index], evaluation_s, seed) for seed in range(5)
        )
        what = f"default: convolution, evaluations of {_shown(evaluation_s)}, fits included (its bound: 25 %)"
        shown = f"{_shown(thought)}, {thought / evaluation_s:.1%} of an evaluation"
        line("B7", what, shown, thought <= 10e-6 + 0.25 * evaluation_s)
    many = atf.search_space(*[atf.tuning_parameter(f"P{k}", [1, 2, 4, 8, 16, 32]) for k in range(300)])
    for evaluation_s in (1e-2, 1e-1, 1.0):
        thought = thought_s(many, lambda c: sum((n - 8) ** 2 for n in c.values()), evaluation_s, 1, 100)
        shown = f"{_shown(thought)}, {thought / evaluation_s:.1%} of an evaluation"
        line(
            "B7",
            f"default: 300 parameters, evaluations of {_shown(evaluation_s)}",
            shown,
            thought <= 0.25 * evaluation_s,
        )
    _converged()


def _explore(space: atf.SearchSpace, name: str, cost: Callable[[atf.Configuration, int], Any]) -> None:
    tuner = atf.tuner(space).search_technique(name)
    for k in range(500):
        c = tuner.ask()
        tuner.tell(c, cost(c, k))


def _converged() -> None:
    tuner = atf.tuner(atf.tuning_parameter("T", atf.interval(1, 8)))
    function = lambda configuration, x: x  # noqa: E731
    for _ in range(9):
        tuner.make_step(function, 1)
    assert tuner.exploiting
    best, count = tuner.best_configuration, 50_000

    def steps() -> None:
        step = tuner.make_step
        for _ in range(count):
            step(function, 1)

    def plain() -> None:
        for _ in range(count):
            function(best, 1)

    def ask_tell() -> None:
        for _ in range(count):
            tuner.tell(tuner.ask(), 1.0)

    extra = cpu_s(steps, count, 15).middle - cpu_s(plain, count, 15).middle
    line("B7", "converged: make_step beyond the call (wanted 1 us)", _shown(extra), extra <= 1e-6)
    both = cpu_s(ask_tell, count, 15)
    line("B7", "converged: ask + tell (wanted 1 us)", str(both), both.middle <= 1e-6)


BUDGETS = (25, 50, 100, 200)


def search(seeds: int, instances: int, techniques: Sequence[str]) -> None:
    recorded = atf.recorded_space(RECORDED)
    measured = {"convolution/A100": [recorded]}
    for name in (*OWN, *sorted(p.name.removesuffix(".json.gz") for p in DATA.glob("loop_*.json.gz"))):
        own = atf.recorded_space(DATA / f"{name}.json.gz")
        measured[f"{name}/processor"] = [replace(own, unit_s=100 * own.unit_s)]
    shapes = SHAPES | KERNELS
    known = {name: [shape(1000 + k) for k in range(instances)] for name, shape in shapes.items()}
    unseen = {name: [shape(1000 + k) for k in range(instances)] for name, shape in FURTHER.items()}
    spaces: dict[str, list[RecordedSpace]] = {**measured, **(known | unseen if instances else {})}
    names = list(dict.fromkeys(["random", "default", *techniques]))
    table = {t: {s: _quality(t, group, seeds) for s, group in spaces.items()} for t in names}
    print(
        f"best / optimum after {', '.join(map(str, BUDGETS))} evaluations: median over {seeds} seeds (recorded), "
        f"geometric mean over {instances} x {max(1, seeds // max(1, instances))} runs (made-up spaces; the last "
        f"{len(unseen)} come from other generators)\n"
    )
    print("| space | " + " | ".join(names) + " |\n" + "|---" * (len(names) + 1) + "|")
    for space in spaces:
        cells = []
        for technique in names:
            medians, means, _ = table[technique][space]
            cells.append(" ".join(f"{x:.3f}" for x in (medians if space in measured else means)))
        print(f"| {space} | " + " | ".join(cells) + " |")
    print(flush=True)
    for name in measured:
        medians = table["default"][name][0]
        line("B8", f"default, {name}, median @100 (wanted 1.10)", f"{medians[2]:.3f}", medians[2] <= 1.10)
        line("B8", f"default, {name}, median @200 (wanted 1.02)", f"{medians[3]:.3f}", medians[3] <= 1.02)
        near = table["default"][name][2]
        line("B8", f"default, {name}, runs within 5 % @200 (wanted 0.90)", f"{near:.2f}", near >= 0.9)
    cheap = _quality("default", [replace(recorded, unit_s=1e-9)], seeds)[0]
    line(
        "B8", "the same where evaluations are too cheap for a model @100, @200", f"{cheap[2]:.3f}, {cheap[3]:.3f}", None
    )
    for k, budget in enumerate(BUDGETS):
        means = {t: fmean(math.log(table[t][s][1][k]) for s in spaces) for t in names}
        shown = ", ".join(f"{t} {math.exp(m):.3f}" for t, m in means.items())
        met = None if budget not in _WANTED else math.exp(means["default"]) <= _WANTED[budget]
        wanted = f" (wanted {_WANTED[budget]:.2f})" if budget in _WANTED else ""
        line("B8", f"geometric mean over all spaces @{budget}{wanted}", shown, met)
    worst = max(
        (d / r, f"{name} @{b}")
        for name in spaces
        for d, r, b in zip(table["default"][name][1], table["random"][name][1], BUDGETS)
    )
    line("B8", f"default / random, worst case: {worst[1]} (wanted 1.02)", f"{worst[0]:.3f}", worst[0] <= 1.02)
    share = distinct(recorded)
    line("B8", "distinct proposals, least of all techniques (wanted 0.95)", f"{share:.3f}", share >= 0.95)


def _quality(technique: str, group: Sequence[RecordedSpace], seeds: int) -> tuple[list[float], list[float], float]:
    """Medians and geometric means of best / optimum after each budget, and how many runs end within 5 %."""
    runs = [
        atf.replay(r, technique, 100 * k + seed, BUDGETS)
        for k, r in enumerate(group)
        for seed in range(max(1, seeds // len(group)))
    ]
    columns = list(zip(*runs))
    means = [math.exp(fmean(math.log(min(x, 1e3)) for x in c)) for c in columns]
    return [median(c) for c in columns], means, fmean(x <= 1.05 for x in columns[-1])


def distinct(recorded: RecordedSpace) -> float:
    """The least share of distinct proposals among 400 over all techniques, on the recorded space."""
    least = 1.0
    for name in atf.technique_names():
        tuner, seen = atf.tuner(recorded.space).search_technique(name), set()
        for _ in range(400):
            c = tuner.ask()
            seen.add(c.index)
            tuner.tell(c, recorded.costs[c.index])
        least = min(least, len(seen) / 400)
    return least


def bandits(seeds: int) -> None:
    recorded = atf.recorded_space(RECORDED)
    if not installed("pyatf"):
        return
    mine = [atf.replay(recorded, "auc_bandit", seed, BUDGETS) for seed in range(seeds)]
    theirs = pyatf_bandit(recorded, seeds)
    for k, budget in enumerate(BUDGETS):
        a, b = median(r[k] for r in mine), median(r[k] for r in theirs)
        line("B9", f"AUC bandit @{budget}: pyATF {b:.3f}, ours", f"{a:.3f}", a < b)


def pyatf_bandit(recorded: RecordedSpace, seeds: int) -> list[list[float]]:
    """pyATF's default technique on the recorded space, its constraints being membership of prefixes."""
    from pyatf import TP, Set, Tuner
    from pyatf.abort_conditions import Evaluations
    from pyatf.search_space import SearchSpace
    from pyatf.search_techniques import AUCBandit, PatternSearch, SimulatedAnnealing, Torczon
    from pyatf.tuning_data import CostFunctionError

    names = recorded.space.names
    prefixes: set[tuple[Any, ...]] = set()
    for c in recorded.space:
        row = tuple(c.values())
        prefixes |= {row[:k] for k in range(1, len(row) + 1)}
    tps = []
    for k, p in enumerate(recorded.space.parameters):
        text = f"lambda {', '.join(names[: k + 1])}: ({', '.join(names[: k + 1])},) in prefixes"
        tps.append(TP(p.name, Set(*p.range.sequence()), eval(text, {"prefixes": prefixes})))
    space = SearchSpace(*tps, verbosity=0)
    assert space.constrained_size == recorded.space.size
    results = []
    for seed in range(seeds):
        random.seed(seed)
        costs: list[float] = []

        def cost(configuration: Mapping[str, Any], costs: list[float] = costs) -> float:
            found = recorded.costs[recorded.space.index(dict(configuration))]
            costs.append(found if isinstance(found, int | float) else math.inf)
            if not isinstance(found, int | float):
                raise CostFunctionError("recorded as invalid")
            return found

        bandit = AUCBandit((SimulatedAnnealing(), PatternSearch(), Torczon()))
        Tuner().search_space(space).search_technique(bandit).verbosity(0).tune(cost, Evaluations(max(BUDGETS)))
        results.append([min(costs[:b]) / recorded.optimum for b in BUDGETS])
    return results


def noise(runs: int = 200) -> None:
    """2 % variation and 1 % tenfold outliers over 40 configurations one percent apart, measured by racing."""
    good, measured = 0, 0
    for seed in range(runs):
        rng = random.Random(seed)
        true = [1 + 0.01 * k for k in range(40)]
        rng.shuffle(true)

        def noisy(c: atf.Configuration, rng: random.Random = rng, true: list[float] = true) -> float:
            nonlocal measured
            measured += 1
            return true[c["T"] - 1] * max(0.5, rng.gauss(1, 0.02)) * (10 if rng.random() < 0.01 else 1)

        tuner = atf.tuner(atf.tuning_parameter("T", atf.interval(1, 40)), seed=seed).repeats(5)
        best = tuner.search_technique("random").tune(noisy).best_configuration
        good += true[best["T"] - 1] <= 1.02 + 1e-9
    line(
        "B11",
        "racing under noise: choice within 2 % of the best (>= 0.95)",
        f"{good / runs:.3f}",
        good >= 0.95 * runs,
    )
    line("B11", "  measurements per configuration (repeats(5))", f"{measured / runs / 40:.2f}", None)


def main(argv: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", default="all")
    parser.add_argument("--seeds", type=int, default=51)
    parser.add_argument("--instances", type=int, default=5, help="of each made-up space; 0: recorded ones only")
    parser.add_argument("--slow", action="store_true", help="also peers that take minutes")
    parser.add_argument("--techniques", nargs="*", default=["auc_bandit", "genetic", "simulated_annealing"])
    options = parser.parse_args(None if argv is None else list(argv))
    parts: dict[str, Callable[[], None]] = {
        "construction": lambda: construction(options.slow),
        "agreement": agreement,
        "overhead": overhead,
        "noise": noise,
        "bandits": lambda: bandits(options.seeds),
        "online": lambda: (online(line, RECORDED, options.seeds), loops(line, DATA, options.seeds)),
        "search": lambda: search(options.seeds, options.instances, options.techniques),
    }
    for name, part in parts.items():
        if options.part in ("all", name):
            print(f"## {name}\n")
            part()
            print_table()


if __name__ == "__main__":
    main()
