"""What the model was once found weak at, off the suites: ours untuned beside NumPy, PyTorch and Numba, then and now.

    python -m benchmarks.programs.facts [--rounds 9] [--json FILE] [NAME ...]

"then": the best library's time divided by ours on two cores of an AMD EPYC (Zen 5), when that list was made; where it
says "tuning", no library was timed, and the figure is the time of the model's choice divided by that of the best that
a search of ten seconds found. Libraries that are not installed are left out. Each result is checked; rounds are
interleaved, medians are compared. Contractions of the literature are `benchmarks.random_computations --literature
--operations 6e8`; other rows of the suite `wide` are `python -m jitmdh bench --suite wide`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.computations import wide
from benchmarks.online import loops
from jitmdh.demo.numba_twin import numba_twin
from jitmdh.demo.timing import interleaved

Arrays = tuple[Any, ...]


def argmax_rows(best, at, x):
    for i in range(x.shape[0]):
        value = x[i, 0]
        place = 0
        for j in range(x.shape[1]):
            if x[i, j] > value:
                value = x[i, j]
                place = j
        best[i] = value
        at[i] = place


def trace_of_product(s, A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s[0] += A[i, j] * B[j, i]


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


@dataclass(frozen=True)
class Fact:
    """then: as the table prints it. loop: with its arrays, results first. numpy: writes into the results, as PyTorch's
    form does, which is given tensors of the same memory; numba: the loop that it runs in parallel, "" for the
    outermost, None for none, False where Numba cannot read the text."""

    then: str
    loop: loops.Loop
    numpy: Callable[..., Any]
    torch: Callable[..., Any] | None = None
    numba: str | bool | None = ""


def _random(random: np.random.Generator, *shape: int, dtype: str = "f4") -> Any:
    return random.random(shape).astype(dtype)


def _one(what: str, function: Callable[..., Any], result: tuple[int, ...], *given: tuple[int, ...], results: int = 1,
         dtype: str = "f4") -> loops.Loop:  # fmt: skip
    def arrays(random: np.random.Generator) -> Arrays:
        return (np.zeros(result, dtype), *(_random(random, *shape, dtype=dtype) for shape in given))

    return loops.Loop(what, function, arrays, results)


def _extrema(what: str, function: Callable[..., Any], rows: int, columns: int, count: int) -> loops.Loop:
    def arrays(random: np.random.Generator) -> Arrays:
        return np.zeros(count, "f4"), np.zeros(count, "i8"), _random(random, rows, columns)

    return loops.Loop(what, function, arrays, 2)


def _matmul(C: Any, A: Any, B: Any) -> None:
    np.matmul(A, B, out=C)


def _torch_matmul(C: Any, A: Any, B: Any) -> None:
    import torch

    torch.matmul(A, B, out=C)


def _extremum(axis: int) -> Callable[..., Any]:
    def form(best: Any, at: Any, x: Any) -> None:
        x.max(axis=axis, out=best)
        x.argmax(axis=axis, out=at)

    return form


def _torch_extremum(axis: int) -> Callable[..., Any]:
    def form(best: Any, at: Any, x: Any) -> None:
        import torch

        torch.max(x, axis, out=(best, at))

    return form


def _torch_layer_norm(y: Any, x: Any) -> None:
    import torch

    y.copy_(torch.nn.functional.layer_norm(x, x.shape[1:], eps=1e-5))


def _gram(C: Any, A: Any) -> None:
    np.matmul(A.T, A, out=C)


def _torch_gram(C: Any, A: Any) -> None:
    import torch

    torch.matmul(A.T, A, out=C)


def _grey(y: Any, x: Any) -> None:
    np.matmul(x, np.array([0.25, 0.625, 0.125], x.dtype), out=y)


def _torch_grey(y: Any, x: Any) -> None:
    import torch

    torch.matmul(x, torch.tensor([0.25, 0.625, 0.125]), out=y)


def _floyd_warshall(d: Any) -> None:
    for k in range(len(d)):
        np.minimum(d, d[:, k : k + 1] + d[k], out=d)


_L = loops.LOOPS

FACTS: dict[str, Fact] = {
    "mm_400x20x3000": Fact("2.7 by tuning", _L["mm_400x20x3000"], _matmul, _torch_matmul),
    "bmv_f64_10000x6": Fact(
        "2.5 by tuning", _L["bmv_f64_10000x6"], lambda w, M, v: np.matmul(M, v[..., None], out=w[..., None]),
        lambda w, M, v: _torch_matmul(w[..., None], M, v[..., None]),
    ),
    "colsum_f64_50000x30": Fact(
        "1.5 by tuning", _L["colsum_f64_50000x30"], lambda s, x: x.sum(axis=0, out=s), lambda s, x: s.copy_(x.sum(0)),
        None,
    ),
    "mv_strided_2000": Fact("1.4 by tuning", _L["mv_strided_2000"], _matmul, _torch_matmul),
    "mm_strided_400": Fact("1.24 by tuning", _L["mm_strided_400"], _matmul, _torch_matmul),
    "mm_FF_700x130x900": Fact("1.2–1.7 by tuning", _L["mm_FF_700x130x900"], _matmul, _torch_matmul),
    "ata_3000x300_f64": Fact("1.13 by tuning", _L["ata_3000x300_f64"], _gram, _torch_gram),
    "argmax0_3000x700": Fact("1.09 by tuning", _L["argmax0_3000x700"], _extremum(0), _torch_extremum(0)),
    "argmax1_3000x700": Fact(
        "0.63", _extrema("arg-max of rows", argmax_rows, 3000, 700, 3000), _extremum(1), _torch_extremum(1)
    ),
    "lower_matvec_4096": Fact(
        "0.34", _one("y = tril(L) x", wide.lower_matvec, (4096,), (4096, 4096), (4096,)),
        lambda y, L, x: np.matmul(np.tril(L), x, out=y), lambda y, L, x: y.copy_(L.tril() @ x),
    ),
    "lower_1024x256": Fact(
        "0.47", _L["lower_1024x256"], lambda C, A: np.matmul(A, A.T, out=C), lambda C, A: C.copy_((A @ A.T).tril())
    ),
    "sum_of_every_second": Fact(
        "0.16", _one("s = the sum of x[2 i]", wide.every_second, (1,), (1000000,)),
        lambda s, x: x[::2].sum(keepdims=True, out=s),
        lambda s, x: s.copy_(x[::2].sum()),
    ),
    "trace_of_product_2048": Fact(
        "0.88", _one("s += A[i, j] B[j, i]", trace_of_product, (1,), (2048, 2048), (2048, 2048)),
        lambda s, A, B: np.einsum("ij,ji->", A, B, out=s[0, ...]), lambda s, A, B: s.copy_((A * B.T).sum()),
    ),
    "outer_4096": Fact(
        "0.95", _one("out = x y'", wide.outer, (4096, 4096), (4096,), (4096,)),
        lambda out, x, y: np.outer(x, y, out=out),
        lambda out, x, y: out.copy_(x[:, None] * y),
    ),
    "grey_1000x1000": Fact(
        "0.46–0.48", _one("RGB to grey", wide.grey, (1000, 1000), (1000, 1000, 3)), _grey, _torch_grey
    ),
    "floyd_warshall_400": Fact(
        "0.77", loops.Loop("shortest paths, min", floyd_warshall, lambda r: (_random(r, 400, 400),), 0),
        _floyd_warshall, None, "i",
    ),
    "layer_norm_4096x768": Fact("0.65", _L["layer_norm_4096x768"], loops.layer_norm, _torch_layer_norm, False),
    "ata_100000x30": Fact(
        "0.56–2.3", _one("C += A' A", loops.gram, (30, 30), (100000, 30)), _gram, _torch_gram
    ),
    "ata_10000x100_f64": Fact(
        "0.56–2.3", _one("C += A' A, float64", loops.gram, (100, 100), (10000, 100), dtype="f8"), _gram, _torch_gram
    ),
    "mmT_50x1000x200": Fact(
        "0.65–1.0", _L["mmT_50x1000x200"], lambda C, A, B: np.matmul(A.T, B.T, out=C),
        lambda C, A, B: _torch_matmul(C, A.T, B.T),
    ),
}  # fmt: skip


def measured(name: str, rounds: int) -> dict[str, float]:
    """Seconds a call, by contender: ours first. AssertionError where ours is wrong."""
    fact = FACTS[name]
    given = fact.loop.arrays(np.random.default_rng(0))
    ours = mdh.jit(tune="off", cache=False)(fact.loop.function)
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: ours(*given), "NumPy": lambda: fact.numpy(*given)}
    _check(ours, fact, given)
    if fact.torch is not None and find_spec("torch"):
        tensors = _tensors(given)
        calls["PyTorch"] = lambda: fact.torch(*tensors)
    if fact.numba is not False and find_spec("numba"):
        twin = numba_twin(fact.loop.function, fact.numba)
        calls["Numba"] = lambda: twin(*given)
    timings = interleaved(calls, rounds, budget_seconds=4.0)
    return {contender: timing.seconds for contender, timing in timings.items()}


def _tensors(arrays: Arrays) -> list[Any]:
    """Of the same memory, with as many threads as ours."""
    import torch

    torch.set_num_threads(mdh.get_num_threads())
    return [torch.from_numpy(a) for a in arrays]


def _check(function: Any, fact: Fact, given: Arrays) -> None:
    """Beside what NumPy makes of copies."""
    found, expected = (tuple(a.copy() for a in given) for _ in range(2))
    function(*found)
    fact.numpy(*expected)
    if fact.loop.function is loops.lower_gram:
        expected[0][...] = np.tril(expected[0])
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


def report(rows: dict[str, dict[str, float]]) -> str:
    """As Markdown."""
    lines = ["| computation | then | ours, µs | best library ÷ ours | of |", "|---|---|--:|--:|---|"]
    ratios = []
    for name, seconds in rows.items():
        ours = seconds["ours"]
        others = {peer: s for peer, s in seconds.items() if peer != "ours"}
        best = min(others, key=lambda peer: others[peer], default="")
        ratios.append(others[best] / ours if best else float("nan"))
        lines.append(f"| {name} | {FACTS[name].then} | {ours * 1e6:.1f} | {ratios[-1]:.2f} | {best} |")
    lines += ["", f"geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}"]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.programs.facts", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="of rows; without: all")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, help="where the rows go")
    options = parser.parse_args(arguments)
    with mdh.config(tuning_overhead=0.0), np.errstate(all="ignore"):
        rows = {name: measured(name, options.rounds) for name in options.names or FACTS}
    print(report(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
