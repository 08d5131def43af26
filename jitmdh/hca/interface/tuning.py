"""Kernels whose names get their values by tuning (thesis 6.2.2): once for each device and size, and remembered.

    N = 1 << 20
    WPT = atf.tuning_parameter("WPT", atf.interval(1, N), atf.divides(N))
    scaled = hca.opencl_source(text, tune=atf.tuner(WPT).abort_condition(atf.evaluations(30)))
    gpu.run(scaled, hca.read_write(x), launch=lambda c: hca.nd_range((N // c["WPT"],)))        tunes, then runs
    gpu.run(scaled, hca.read_write(x), launch=lambda c: hca.nd_range((N // c["WPT"],)))        runs

Candidates run on copies of what the kernel writes, and their time is that of the device's clock. What is found is kept
in the cache, for the source, the space, the device, and the shapes and types of the buffers: numbers among the
arguments may be others in each run. Which configurations compute right is for the space to say, in each run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from jitmdh.base.errors import ConfigurationError, DeviceError, MdhError
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.kernel import Execution, Kernel, KernelArgument, KernelTuner, Launch, Use

Sizes: TypeAlias = Launch | Callable[[Mapping[str, Any]], Launch]
"""The sizes of a launch, or what gives them from a configuration."""

_WARM_UP, _REPEATS = 1, 3
_MOST_TRIED = 1024  # of configurations that are given without a tuner


class Runs(Protocol):
    """A device, as far as tuning needs one."""

    @property
    def name(self) -> str: ...

    @property
    def platform(self) -> str: ...

    @property
    def driver(self) -> Any: ...

    def run(self, kernel: Kernel, *arguments: KernelArgument, launch: Sizes | None = None) -> Execution: ...


@dataclass(frozen=True, slots=True)
class BestOf:
    """What a search has found."""

    best_configuration: Mapping[str, Any]


class EveryConfiguration:
    """A `KernelTuner` that tries each of a few configurations: what a bare space, or a list of dictionaries, means."""

    def __init__(self, space: Sequence[Mapping[str, Any]]) -> None:
        self.space = space

    def fresh(self) -> EveryConfiguration:
        """Nothing is kept: itself."""
        return self

    def tune(self, cost: Callable[[Any], float], /) -> BestOf:
        """The fastest. Raises what the last one did where none can run."""
        best: Mapping[str, Any] | None = None
        least, problem = inf, MdhError("there is no configuration to choose from")
        for configuration in self.space:
            try:
                seconds = cost(configuration)
            except (DeviceError, ConfigurationError) as error:
                problem = error
                continue
            if best is None or seconds < least:
                best, least = configuration, seconds
        if best is None:
            raise problem
        return BestOf(best)


def as_tuner(given: KernelTuner | Sequence[Mapping[str, Any]] | None) -> KernelTuner | None:
    """What `tune=` of a kernel means. ConfigurationError for what is no tuner, and no configurations, or too many."""
    if given is None or hasattr(given, "fresh"):
        return cast(KernelTuner | None, given)
    size = getattr(given, "size", None) if isinstance(given, Sequence) else 0  # `len` has a limit
    size = len(given) if size is None else size
    if not size or (size <= _MOST_TRIED and not all(isinstance(c, Mapping) for c in given)):
        raise ConfigurationError(f"a kernel cannot be tuned by {given!r}",
                                 hint="give atf.tuner(space), a space, or a list of configurations")  # fmt: skip
    if size > _MOST_TRIED:
        raise ConfigurationError(f"{size} configurations are too many to try each", hint="give atf.tuner(space)")
    return EveryConfiguration(given)


def tuned(
    device: Runs, kernel: Kernel, arguments: Sequence[KernelArgument], launch: Sizes | None,
    known: dict[str, Mapping[str, Any]],
) -> tuple[Kernel, Launch | None]:  # fmt: skip
    """The kernel and its launch with the best values for this device and these sizes, which are searched if need be.

    known: what has been found on this device. Raises what the tuner does where no configuration runs.
    """
    assert kernel.tune is not None
    key, space = _key(device, kernel, arguments), kernel.tune.space
    found = known.get(key) or _recalled(key)
    if found is None or found not in space:
        found = _searched(device, kernel, arguments, launch)
        _remember(key, found)
    known[key] = found
    return with_values(kernel, found), _sized(launch, found)


def with_values(kernel: Kernel, configuration: Mapping[str, Any]) -> Kernel:
    """The kernel with the values of a configuration for their names; truth values are 1 and 0."""
    values = tuple((n, str(int(v)) if isinstance(v, bool) else str(v)) for n, v in configuration.items())
    return replace(kernel, defines=(*kernel.defines, *values), tune=None)


def _sized(launch: Sizes | None, configuration: Mapping[str, Any]) -> Launch | None:
    if not callable(launch):
        return launch
    made = launch(configuration)
    if not isinstance(made, Launch):
        raise ConfigurationError(f"the launch for {dict(configuration)} is {made!r}", hint="return hca.nd_range(…)")
    return made


def _searched(
    device: Runs, kernel: Kernel, arguments: Sequence[KernelArgument], launch: Sizes | None
) -> Mapping[str, Any]:
    assert kernel.tune is not None
    contents = [(n, a, np.array(a.buffer.host)) for n, a in enumerate(arguments) if isinstance(a, Use) and a.writes]
    copies = {n: Buffer(content.copy()) for n, _, content in contents}
    taken = [replace(a, buffer=copies[n]) if n in copies else a for n, a in enumerate(arguments)]  # type: ignore[type-var]

    def seconds(configuration: Mapping[str, Any]) -> float:
        candidate, sizes = with_values(kernel, configuration), _sized(launch, configuration)
        times = []
        for _ in range(_WARM_UP + _REPEATS):
            for n, use, content in contents:
                if use.reads:
                    copies[n].overwrite(content)
            times.append(device.run(candidate, *taken, launch=sizes).seconds)
        return float(np.median(times[_WARM_UP:]))

    try:
        return dict(kernel.tune.fresh().tune(seconds).best_configuration)
    finally:
        for copy in copies.values():
            copy.release()


# ------------------------------------------------------------------------------------------------ what is remembered


def _key(device: Runs, kernel: Kernel, arguments: Sequence[KernelArgument]) -> str:
    """Of the source, what is chosen from, the device, and the sizes of the buffers."""
    assert kernel.tune is not None
    sizes = [[a.buffer.dtype.str, list(a.buffer.shape)] for a in arguments if isinstance(a, Use)]
    identity = getattr(device.driver, "identity", "")
    parts = [kernel.text, kernel.entry, kernel.language, kernel.options, kernel.defines, repr(kernel.tune.space),
             device.platform, device.name, identity, sizes]  # fmt: skip
    return f"hca|tuned|{hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()}"


def _recalled(key: str) -> Mapping[str, Any] | None:
    """What an earlier process has found."""
    entry = default_store().get(key) if config.cache else None
    found: Mapping[str, Any] | None = None if entry is None else json.loads(entry)
    return found


def _remember(key: str, configuration: Mapping[str, Any]) -> None:
    """Values that are no plain data are searched again by the next process."""
    if config.cache:
        try:
            default_store().put(key, json.dumps(configuration).encode())
        except TypeError:
            return
