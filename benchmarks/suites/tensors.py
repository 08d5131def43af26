"""The suite `tensor` of `python -m jitmdh bench`: small tensors with known zeros, one element and batches of them.

Times are nanoseconds of an element. Ours are those of the native code (`k.time`), of peers those of calls, which for
batches are as good as the same. Beside them what the machine needs at least: for operations on non-zeros, or for the
bytes that have to be moved, whichever is longer. One element, and batches in L2, are computed on one thread.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import cache
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.peers import libraries
from benchmarks.suites import tensor_examples, tensor_in_c, tensor_page, tensor_rows
from benchmarks.suites.tensor_page import BLOCKS, IN_C, NEAR, OURS, PEERS, TUNED, YATETO, Result
from benchmarks.suites.tensor_rows import Row, Values
from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.hca import roofline
from jitmdh.hca.timing import measure

BATCHES = {"one": 1, "L2": 64, "memory": 20_000}
_SECONDS = 0.02  # of one sample
_MOST_BYTES = 1 << 30  # of a batch
_LEAST_ROUNDS = 3


def main(options: argparse.Namespace, threads: int, command: str) -> int:
    """0 if all our results were right, 1 if not, 2 if there are no such rows, 3 if rows are left for another run.
    Writes a page to --markdown, and all figures to --json."""
    peers = [p for p in PEERS if p in ("opt_einsum", *options.peers.split(",")) and find_spec(p) is not None]
    limits = {count: roofline.measure(count) for count in {1, threads}}
    before = _kept(options)
    found: list[Result] = []
    begin, left = time.perf_counter(), 0
    print("\n".join(tensor_page.HEAD))
    for row, dtype, elements in _asked(options):
        result = before.get((row.name, dtype, elements))
        if result is None and options.stop_after is not None and time.perf_counter() - begin > options.stop_after:
            left += 1
            continue
        before.pop((row.name, dtype, elements), None)
        if result is None:
            count = threads if row.on_all_threads or elements > NEAR else 1
            with libraries.limited_threads(count), mdh.config(num_threads=count):
                result = _measured(row, dtype, elements, peers, limits[count], options, count)
        found.append(result)
        print(tensor_page.line(found[-1]), flush=True)
        if options.json is not None:  # after each row: what is cut off goes on with --resume
            known = [asdict(result) for result in (*found, *before.values())]
            options.json.write_text(json.dumps(known, indent=1), encoding="utf-8")
    if options.markdown is not None:
        options.markdown.write_text(tensor_page.page(found, command, threads, options.remark), encoding="utf-8")
    if not found and not left:
        print(f"bench: no row of tensor has a name like `{options.rows}`", file=sys.stderr)
        return 2
    wrong = any(who in (OURS, BLOCKS, TUNED) for result in found for who in result.wrong)
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


def _measured(
    row: Row, dtype: str, elements: int, peers: list[str], limits: Any, options: argparse.Namespace, threads: int
) -> Result:  # fmt: skip
    read, written = row.bytes_of_one
    seconds = limits.seconds(row.kernel.nonzero_flops * elements / 2, read * elements, written * elements, dtype)
    result = Result(row.name, dtype, elements, seconds / elements * 1e9)
    samples: dict[str, list[float]] = {}
    peers = [*peers, IN_C] if tensor_in_c.available(row.name) else peers
    contenders = dict(_contenders(row, elements, peers, result, options.tune, threads))
    if options.yateto is not None:
        contenders |= _program(shlex.split(options.yateto), [row.name, dtype, str(elements), str(threads)])
    begin = time.perf_counter()
    for number in range(options.rounds):
        if number >= _LEAST_ROUNDS and time.perf_counter() - begin > options.budget:
            break
        for who, once in contenders.items():
            samples.setdefault(who, []).append(once() / elements * 1e9)
    result.nanoseconds = {who: median(times) for who, times in samples.items()}
    return result


def _program(command: list[str], arguments: list[str]) -> dict[str, Callable[[], float]]:
    """YATeTo, if its program prints the nanoseconds of an element of this row."""

    def once() -> str:
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout.strip()

    return {YATETO: lambda: float(once()) * int(arguments[2]) / 1e9} if once() else {}


def _contenders(
    row: Row, elements: int, peers: list[str], result: Result, tune: float, threads: int
) -> Iterator[tuple[str, Callable[[], float]]]:  # fmt: skip
    """Who computes the row, each with a function that gives seconds of one execution; after a look at its results."""
    values = row.values(elements)
    wide = {name: array.astype(np.float64) for name, array in values.items()}
    wanted = row.form(_numpy_einsum, wide)
    bound = 1e-10 if result.dtype == "float64" else 2e-4

    def right(who: str, found: Values) -> None:
        scale = {name: np.abs(array).max() for name, array in wanted.items()}
        if not all(np.allclose(found[n], array, rtol=bound, atol=bound * scale[n]) for n, array in wanted.items()):
            result.wrong.append(who)

    for who, kernel, given in _ours(row, values, elements, tune):
        kernel(**given)
        found = {name: np.asarray(given[name]) for name in wanted}
        right(who, {name: array.reshape(wanted[name].shape) for name, array in found.items()})
        yield who, lambda kernel=kernel, given=given: kernel.time(**given, seconds=_SECONDS)
    for who in peers:
        form, arrays = _peer(who, row, values)
        if who == IN_C:
            form = tensor_in_c.form(row.name, result.dtype, elements, threads)
        right(who, {name: np.asarray(array) for name, array in form(arrays).items()})
        yield who, lambda form=form, arrays=arrays: measure(lambda: form(arrays), least_seconds=_SECONDS).median


def _ours(
    row: Row, values: Values, elements: int, tune: float
) -> Iterator[tuple[str, mt.Kernel, Values]]:  # fmt: skip
    """The kernel itself for one element; else a batch on arrays, and on storage in blocks where it takes that.
    tune: seconds of tuning, of the last of these."""
    yield from _untuned(row, values, elements)
    if tune:
        *_, (_, kernel, given) = _untuned(replace(row), values, elements)
        kernel.tune(**given, seconds=tune, progress=False)
        *_, (_, _, fresh) = _untuned(row, values, elements)
        yield TUNED, kernel, fresh


def _untuned(row: Row, values: Values, elements: int) -> Iterator[tuple[str, mt.Kernel, Values]]:
    if elements == 1:
        yield OURS, row.kernel, {name: array[0].copy() for name, array in values.items()}
        return
    batch = row.kernel.batched()
    yield OURS, batch, {name: array.copy() for name, array in values.items()}
    tensors = {t.name: t for t in row.kernel.program.tensors}
    stored = {name: mt.zeros(tensors[name], batch=elements).pack(array) for name, array in values.items()}
    try:
        batch.inspect(**stored, stage="kernel")
    except ArgumentTypeError:  # some step of it is not computed on elements in blocks
        return
    yield BLOCKS, batch, stored


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
