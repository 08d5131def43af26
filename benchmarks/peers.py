"""How each library is given a computation. A peer makes, from the inputs, a call that returns the result."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jitmdh as mdh
from benchmarks.cases import Array, Case
from jitmdh.demo.numba_twin import numba_twin

Call = Callable[[], Any]


@dataclass
class Prepared:
    """call(): computes. results(): the outputs of the last call as NumPy arrays."""

    call: Call
    results: Callable[[], list[Array]]


@dataclass
class Last:
    """Keeps what a call returned."""

    value: Any = field(default=None)


class Missing(Exception):
    """This peer has no form of this computation."""


def jitmdh(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    """The decorated nest, into arrays that are there already. No tuning: what the model chooses."""
    function = mdh.jit(tune="off")(case.nest)
    return Prepared(lambda: function(*outputs, *inputs), lambda: outputs)


def numba(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    """The same nest, `@njit(parallel=True, fastmath=True)`, into arrays that are there already."""
    twin = numba_twin(case.nest, case.kernel.numba_loop)

    return Prepared(lambda: twin(*outputs, *inputs), lambda: outputs)


def numpy(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    return _returning(lambda: case.kernel.numpy(*inputs), lambda value: value)


def torch(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    from benchmarks import torch_forms

    form = getattr(torch_forms, case.kernel.name, None)
    if form is None:
        raise Missing
    import torch as library

    tensors = [library.from_numpy(x) for x in inputs]
    return _returning(lambda: form(*tensors), lambda value: value.numpy())


def jax(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    from benchmarks import jax_forms

    form = getattr(jax_forms, case.kernel.name, None)
    if form is None:
        raise Missing
    import jax as library

    compiled = library.jit(form)
    arrays = [library.device_put(x) for x in inputs]
    return _returning(lambda: library.block_until_ready(compiled(*arrays)), lambda value: value)


def _returning(compute: Call, as_array: Callable[[Any], Any]) -> Prepared:
    last = Last()

    def call() -> None:
        last.value = compute()

    def results() -> list[Array]:
        import numpy as library

        values = last.value if isinstance(last.value, (tuple, list)) else [last.value]
        return [library.asarray(as_array(value)) for value in values]

    return Prepared(call, results)


PEERS: dict[str, Callable[[Case, list[Array], list[Array]], Prepared]] = {
    "numpy": numpy,
    "numba": numba,
    "torch": torch,
    "jax": jax,
}


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def limit_threads(threads: int) -> None:
    """The same number of threads for everybody. Call it before NumPy or a peer has started its own threads."""
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, usable[:threads])
    mdh.set_num_threads(threads)
    if installed("threadpoolctl"):
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads)
    if installed("numba"):
        import numba as library

        library.set_num_threads(min(threads, library.config.NUMBA_NUM_THREADS))
    if installed("torch"):
        import torch as library

        library.set_num_threads(threads)
