"""The suite `tensor` of `python -m jitmdh bench`: small tensors with known zeros, one element and batches of them.

Times are nanoseconds of an element. Ours are those of the native code (`k.time`), of peers those of calls, which for
batches are as good as the same. Beside them what the machine needs at least: for operations on non-zeros, or for the
bytes that have to be moved, whichever is longer.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np

from benchmarks.suites import tensor_examples, tensor_rows
from benchmarks.suites.tensor_rows import Row, Values
from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.hca import roofline
from jitmdh.hca.timing import measure

BATCHES = {"one": 1, "L2": 64, "memory": 20_000}
PEERS = ("numpy", "opt_einsum", "torch")
_SECONDS = 0.02  # of one sample
_MOST_BYTES = 1 << 30  # of a batch


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
    def ratio(self) -> float | None:
        """The best peer's time in ours."""
        ours = [ns for who, ns in self.nanoseconds.items() if who.startswith("jitmdh")]
        others = [ns for who, ns in self.nanoseconds.items() if not who.startswith("jitmdh")]
        return min(others) / min(ours) if ours and others else None


def main(options: argparse.Namespace, threads: int) -> int:
    """0 if all our results were right, 1 if not, 2 if there are no such rows, 3 if rows are left for another run.
    Writes the table to --markdown, and all figures to --json."""
    peers = [p for p in PEERS if p in ("opt_einsum", *options.peers.split(",")) and find_spec(p) is not None]
    limits = roofline.measure(threads)
    before = _kept(options)
    found: list[Result] = []
    begin, left = time.perf_counter(), 0
    print("\n".join(_HEAD))
    for row, dtype, elements in _asked(options):
        result = before.get((row.name, dtype, elements))
        if result is None and options.stop_after is not None and time.perf_counter() - begin > options.stop_after:
            left += 1
            continue
        before.pop((row.name, dtype, elements), None)
        found.append(result or _measured(row, dtype, elements, peers, limits, options.rounds))
        print(_line(found[-1]), flush=True)
        if options.json is not None:  # after each row: what is cut off goes on with --resume
            known = [asdict(result) for result in (*found, *before.values())]
            options.json.write_text(json.dumps(known, indent=1), encoding="utf-8")
    if options.markdown is not None:
        options.markdown.write_text("\n".join([*_HEAD, *map(_line, found), ""]), encoding="utf-8")
    if not found and not left:
        print(f"bench: no row of tensor has a name like `{options.rows}`", file=sys.stderr)
        return 2
    wrong = any(who.startswith("jitmdh") for result in found for who in result.wrong)
    if left:
        print(f"bench: {left} rows are left", file=sys.stderr)
    return 1 if wrong else 3 if left else 0


def _asked(options: argparse.Namespace) -> Iterator[tuple[Row, str, int]]:
    """The rows, types and numbers of elements that are wanted."""
    patterns = [part.strip("* ") for part in options.rows.split(";")]
    for dtype in options.dtype.split(","):
        for row in (*tensor_rows.rows(dtype), *tensor_examples.rows(dtype)):
            for size, elements in (BATCHES if row.sizes is None else row.sizes).items():
                if not any(part in f"{row.name} {size}" for part in patterns):
                    continue
                if elements == 1 or elements * sum(row.bytes_of_one) <= _MOST_BYTES:
                    yield row, dtype, elements


def _kept(options: argparse.Namespace) -> dict[tuple[str, str, int], Result]:
    """What earlier runs have left in the JSON file, for `--resume`."""
    if not options.resume or options.json is None or not options.json.exists():
        return {}
    results = [Result(**one) for one in json.loads(options.json.read_text(encoding="utf-8"))]
    return {(r.name, r.dtype, r.elements): r for r in results}


def _measured(row: Row, dtype: str, elements: int, peers: list[str], limits: Any, rounds: int) -> Result:
    read, written = row.bytes_of_one
    seconds = limits.seconds(row.kernel.nonzero_flops * elements / 2, read * elements, written * elements, dtype)
    result = Result(row.name, dtype, elements, seconds / elements * 1e9)
    samples: dict[str, list[float]] = {}
    contenders = dict(_contenders(row, elements, peers, result))
    for _ in range(rounds):
        for who, once in contenders.items():
            samples.setdefault(who, []).append(once() / elements * 1e9)
    result.nanoseconds = {who: median(times) for who, times in samples.items()}
    return result


def _contenders(row: Row, elements: int, peers: list[str], result: Result) -> Iterator[tuple[str, Callable[[], float]]]:
    """Who computes the row, each with a function that gives seconds of one execution; after a look at its results."""
    values = row.values(elements)
    wide = {name: array.astype(np.float64) for name, array in values.items()}
    wanted = row.form(_numpy_einsum, wide)
    bound = 1e-10 if result.dtype == "float64" else 2e-4

    def right(who: str, found: Values) -> None:
        scale = {name: np.abs(array).max() for name, array in wanted.items()}
        if not all(np.allclose(found[n], array, rtol=bound, atol=bound * scale[n]) for n, array in wanted.items()):
            result.wrong.append(who)

    for who, kernel, given in _ours(row, values, elements):
        kernel(**given)
        found = {name: np.asarray(given[name]) for name in wanted}
        right(who, {name: array.reshape(wanted[name].shape) for name, array in found.items()})
        yield who, lambda kernel=kernel, given=given: kernel.time(**given, seconds=_SECONDS)
    for who in peers:
        form, arrays = _peer(who, row, values)
        right(who, {name: np.asarray(array) for name, array in form(arrays).items()})
        yield who, lambda form=form, arrays=arrays: measure(lambda: form(arrays), least_seconds=_SECONDS).median


def _ours(row: Row, values: Values, elements: int) -> Iterator[tuple[str, mt.Kernel, Values]]:
    """The kernel itself for one element; else a batch on arrays, and on storage in blocks where it takes that."""
    if elements == 1:
        yield "jitmdh", row.kernel, {name: array[0].copy() for name, array in values.items()}
        return
    batch = row.kernel.batched()
    yield "jitmdh", batch, {name: array.copy() for name, array in values.items()}
    tensors = {t.name: t for t in row.kernel.program.tensors}
    stored = {name: mt.zeros(tensors[name], batch=elements).pack(array) for name, array in values.items()}
    try:
        batch.inspect(**stored, stage="kernel")
    except ArgumentTypeError:  # some step of it is not computed on elements in blocks
        return
    yield "jitmdh, blocks", batch, stored


# ------------------------------------------------------------------------------------------------------- peers


def _peer(who: str, row: Row, values: Values) -> tuple[Callable[[Values], Values], Values]:
    if who == "torch":
        import torch

        arrays = {name: torch.from_numpy(array) for name, array in values.items()}

        def einsum(subscripts: str, *operands: Any) -> Any:
            return torch.einsum(subscripts, *(o if torch.is_tensor(o) else torch.tensor(o) for o in operands))

        return lambda given: row.form(einsum, given), arrays
    return lambda given: row.form(_numpy_einsum if who == "numpy" else _opt_einsum, given), values


def _numpy_einsum(subscripts: str, *operands: Any) -> Any:
    path = _numpy_path(subscripts, tuple(o.shape for o in operands))
    return np.einsum(subscripts, *operands, optimize=path)


@cache
def _numpy_path(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> Any:
    return np.einsum_path(subscripts, *(np.broadcast_to(0.0, s) for s in shapes), optimize="optimal")[0]


def _opt_einsum(subscripts: str, *operands: Any) -> Any:
    return _expression(subscripts, tuple(o.shape for o in operands))(*operands)


@cache
def _expression(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> Any:
    import opt_einsum

    return opt_einsum.contract_expression(subscripts, *shapes)


# ------------------------------------------------------------------------------------------------------- tables

_COLUMNS = ("jitmdh", "jitmdh, blocks", *PEERS)
_CELLS = ("row, ns an element", "type", "elements", *_COLUMNS, "YATeTo", "limit", "best peer ÷ ours", "of the limit")
_HEAD = (f"| {' | '.join(_CELLS)} |", f"|---|---|{'---:|' * (len(_CELLS) - 2)}")


def _line(result: Result) -> str:
    times = [_figure(result.nanoseconds.get(who)) + " wrong" * (who in result.wrong) for who in _COLUMNS]
    ours = [ns for who, ns in result.nanoseconds.items() if who.startswith("jitmdh")]
    share = f"{result.limit_ns / min(ours):.0%}" if ours else "–"
    ratio = "–" if result.ratio is None else f"{result.ratio:.1f}"
    cells = [result.name, result.dtype, str(result.elements), *times, "–", _figure(result.limit_ns), ratio, share]
    return f"| {' | '.join(cells)} |"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
