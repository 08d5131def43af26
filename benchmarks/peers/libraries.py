"""How each library is given a computation: data loaded, in the form its best users write, for the same threads."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import jitmdh as mdh
from benchmarks.computations.cases import Array, Case, as_list
from jitmdh.demo.numba_twin import numba_twin


@dataclass(frozen=True)
class Prepared:
    """call(): computes, from data that are there. results(what it returned): the outputs as NumPy arrays."""

    call: Callable[[], Any]
    results: Callable[[Any], list[Array]]


class Missing(Exception):
    """This peer has no form of this computation."""


def cpu(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    """Our own code for the processor, beside that for a device."""
    function = mdh.jit(tune="off", target="cpu")(case.nest)
    return Prepared(lambda: function(*outputs, *inputs), lambda _: outputs)


def numba(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    """The same nest, or what takes its place, `@njit(parallel=True, fastmath=True)`, into arrays that are there."""
    by_hand = getattr(import_module("benchmarks.peers.numba_forms"), case.kernel.name, None)
    if by_hand is None and not case.kernel.numba:
        raise Missing
    twin = by_hand or numba_twin(case.nest, case.kernel.numba_loop)
    return Prepared(lambda: twin(*outputs, *inputs), lambda _: outputs)


def numpy(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    form = _into(case.kernel.numpy(*case.sizes), outputs)
    return Prepared(lambda: form(*inputs), as_list)


def scipy(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    form, data = _form("scipy", case), _loaded("scipy", case, inputs)
    return Prepared(lambda: form(*data), as_list)


def torch(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    import torch as library

    library.set_grad_enabled(False)
    form, tensors = _form("torch", case), _loaded("torch", case, [library.from_numpy(x) for x in inputs])
    if case.kernel.name in forms_of("torch", case).COMPILED and shutil.which("c++"):
        form = library.compile(form, dynamic=False)
    else:
        form = _into(form, [library.from_numpy(x) for x in outputs])
    return Prepared(lambda: form(*tensors), lambda value: [found.numpy() for found in as_list(value)])


def jax(case: Case, outputs: list[Array], inputs: list[Array]) -> Prepared:
    import jax as library

    library.config.update("jax_enable_x64", case.dtype == "float64")
    compiled = library.jit(_form("jax", case))
    arrays = [library.device_put(x) for x in _loaded("jax", case, inputs)]
    return Prepared(
        lambda: library.block_until_ready(compiled(*arrays)),
        lambda value: [import_module("numpy").asarray(found) for found in as_list(value)],
    )


def forms_of(library: str, case: Case) -> ModuleType:
    """What users of a library write. Missing if none of them is asked for this suite."""
    try:
        return import_module(f"benchmarks.peers.{case.kernel.forms(library)}")
    except ModuleNotFoundError:
        raise Missing from None


def _form(library: str, case: Case) -> Callable[..., Any]:
    form: Callable[..., Any] | None = getattr(forms_of(library, case), case.kernel.name, None)
    if form is None:
        raise Missing
    return functools.partial(form, **case.kernel.named(*case.sizes))


def _loaded(library: str, case: Case, data: list[Any]) -> tuple[Any, ...]:
    """The data as the form takes them, such as a matrix for the three arrays of its elements."""
    loaders = getattr(forms_of(library, case), "LOADED", {})
    load: Callable[..., tuple[Any, ...]] = loaders.get(case.kernel.name, lambda *arrays: arrays)
    return load(*data)


def _into(form: Callable[..., Any], outputs: list[Any]) -> Callable[..., Any]:
    """The form with its result going into the array that is there already, if it can do that."""
    if "out" not in inspect.signature(form).parameters:
        return form
    (out,) = outputs
    return lambda *inputs: form(*inputs, out=out)


PEERS: dict[str, Callable[[Case, list[Array], list[Array]], Prepared]] = {
    "numpy": numpy,
    "numba": numba,
    "torch": torch,
    "jax": jax,
    "scipy": scipy,
    "cpu": cpu,
}


def installed(name: str) -> bool:
    return name == "cpu" or importlib.util.find_spec(name) is not None


@contextlib.contextmanager
def limited_threads(threads: int) -> Iterator[None]:
    """The same number of threads for everybody, until the block ends. Enter it before a peer starts its own threads."""
    with contextlib.ExitStack() as restored:
        restored.callback(mdh.set_num_threads, mdh.get_num_threads())
        if hasattr(os, "sched_setaffinity"):
            usable = os.sched_getaffinity(0)
            restored.callback(os.sched_setaffinity, 0, usable)
            os.sched_setaffinity(0, sorted(usable)[:threads])
        mdh.set_num_threads(threads)
        if installed("threadpoolctl"):
            from threadpoolctl import threadpool_limits

            restored.enter_context(threadpool_limits(threads))
        if installed("numba"):
            import numba as library

            restored.callback(library.set_num_threads, library.get_num_threads())
            library.set_num_threads(min(threads, library.config.NUMBA_NUM_THREADS))
        if installed("torch"):
            import torch as library

            restored.callback(library.set_num_threads, library.get_num_threads())
            library.set_num_threads(threads)
        yield
