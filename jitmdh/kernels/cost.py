"""The cost of a kernel: its run time on a device, for each configuration of tuning parameters (thesis 5.6.1, 5.6.4).

For each configuration the preprocessor replaces the tuning parameters' names in the source by their values; the
kernel is compiled, run on the inputs with the sizes that the configuration gives, its results are checked if they are
known, and its time is taken from the device's own clock, without copies. What cannot run is `atf.invalid(reason)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from jitmdh.atf.directives.programs import text_of
from jitmdh.atf.results.outcome import Invalid, Measured
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.expressions.symbolic import evaluate
from jitmdh.base.calling.entry import entries
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Kernel, KernelArgument, Launch, Local, read, read_write
from jitmdh.hca.interface.source import Parameter, exact_scalar, parameters
from jitmdh.kernels.arguments import (
    ArgumentData,
    Array,
    BufferData,
    LocalMemory,
    as_argument,
    random_data,
)
from jitmdh.kernels.result import difference


class Impossible(Exception):
    """A configuration that cannot run, and why."""


@entries
class KernelCost:
    """A cost function for `atf`; made by `opencl_kernel` and `cuda_kernel`.

    device: where the kernel runs.
    """

    def __init__(
        self,
        device: Device,
        source: Callable[[Mapping[str, object]], Kernel],
        arguments: Sequence[object],
        sizes: Callable[[Mapping[str, Any]], Launch],
        expected: Mapping[str | int, object],
        tolerance: float | None,
        repeats: int,
        warm_up: int,
        seed: int,
    ) -> None:
        if repeats < 1 or warm_up < 0:
            raise ConfigurationError(f"repeats must be positive, not {repeats} (warm_up {warm_up})")
        self.device = device
        self._source, self._sizes = source, sizes
        self._arguments: tuple[ArgumentData, ...] = tuple(as_argument(a) for a in arguments)
        self._tolerance, self._repeats, self._warm_up, self._seed = tolerance, repeats, warm_up, seed
        self._buffers: dict[int, tuple[Array, Buffer]] = {}
        self._references: dict[int, tuple[list[Any], Array]] = {}
        declared = parameters(source({}))
        if declared is not None and len(declared) != len(arguments):
            raise ConfigurationError(
                f"{source({}).entry} takes {len(declared)} arguments, {len(arguments)} were given",
                reason=f"it is declared {source({}).entry}({', '.join(map(str, declared))}).",
            )
        self._names = tuple(p.name for p in declared) if declared else tuple("" for _ in arguments)
        self._expected = {self._place(key): wanted for key, wanted in expected.items()}

    # ------------------------------------------------------------------------------------------ one configuration

    def kernel(self, configuration: Mapping[str, Any]) -> Kernel:
        """The kernel with the configuration's values for the names of the tuning parameters."""
        return self._source({name: text_of(value) for name, value in configuration.items()})

    def __call__(self, configuration: Configuration) -> float | Invalid:
        """Median seconds of a run on the device; `atf.invalid(reason)` where it cannot run or computes wrongly."""
        try:
            kernel, launch = self.kernel(configuration), self._sizes(configuration)
            arguments = self._inputs(kernel, configuration)
            seconds = []
            for number in range(max(self._warm_up, bool(self._expected)) + self._repeats):
                self._restore(kernel)
                seconds.append(self.device.run(kernel, *arguments, launch=launch).seconds)
                if number == 0 and (wrong := self._wrong(configuration)):
                    return Invalid(wrong)
            return median(seconds[-self._repeats :])
        except Impossible as impossible:
            return Invalid(str(impossible))
        except DeviceError as error:
            return Invalid(in_short(error))

    def inputs(self, *values: object) -> Callable[[Configuration], Any]:
        """The kernel on a program's own data, as a step of tuning guided by the program (Listing 32).

        `tuner.make_step(cost.inputs(N, image, result))` runs the kernel once, with the next configuration, and returns
        what it has written: its arrays that are no pointers to `const`, one or a tuple. values: numbers, C-contiguous
        arrays, which the kernel changes in place, and `hca` buffers, which stay on the device until they are read.
        """
        for place, value in enumerate(values):
            if isinstance(value, np.ndarray) and not value.flags.c_contiguous:
                raise ConfigurationError(
                    f"input {place} is not contiguous: results would go to a copy", hint="np.ascontiguousarray(…)"
                )

        def step(configuration: Configuration) -> Any:
            try:
                kernel, launch = self.kernel(configuration), self._sizes(configuration)
                arguments, written = self._given(kernel, values)
                running = self.device.run(kernel, *arguments, launch=launch)
            except Impossible as impossible:
                return Invalid(str(impossible))
            except DeviceError as error:  # nothing has been changed yet
                return Invalid(in_short(error))
            seconds = running.seconds
            results = tuple(b if isinstance(v, Buffer) else b.host for v, b in written)
            return Measured(results[0] if len(results) == 1 else results, seconds)

        return step

    # ------------------------------------------------------------------------------------------ arguments

    def input(self, name: str | int, configuration: Mapping[str, Any] | None = None) -> Any:
        """The value of an argument before the kernel runs, by the name of its parameter or its number."""
        place = self._place(name)
        argument = self._arguments[place]
        if isinstance(argument, BufferData):
            return self._buffer(place, argument, configuration or {})[0]
        if isinstance(argument, LocalMemory):
            raise ConfigurationError(f"argument {name} is local memory: it has no content before the kernel runs")
        return self._number(place, argument, parameters(self.kernel(configuration or {})), configuration or {})

    def _place(self, key: str | int) -> int:
        if isinstance(key, int) and 0 <= key < len(self._arguments):
            return key
        if not isinstance(key, str) or key not in self._names:
            known = ", ".join(name for name in self._names if name) or f"numbers up to {len(self._arguments) - 1}"
            raise ConfigurationError(f"the kernel has no parameter {key!r}", hint=known)
        return self._names.index(key)

    def _inputs(self, kernel: Kernel, configuration: Mapping[str, Any]) -> tuple[KernelArgument, ...]:
        declared = parameters(kernel)
        found: list[KernelArgument] = []
        for place, argument in enumerate(self._arguments):
            if isinstance(argument, BufferData):
                _, given = self._buffer(place, argument, configuration)
                found.append(read_write(given) if _writes(declared, place) else read(given))
            elif isinstance(argument, LocalMemory):
                count = whole("the size of local memory", evaluate(argument.count, configuration))
                found.append(Local(count * argument.dtype.itemsize))
            else:
                found.append(self._number(place, argument, declared, configuration))
        return tuple(found)

    def _buffer(self, place: int, argument: BufferData, configuration: Mapping[str, Any]) -> tuple[Array, Buffer]:
        """The content and the buffer, made anew only where the configuration gives another size."""
        shape = argument.size
        if argument.content is None:
            shape = tuple(whole("the size of a buffer", evaluate(size, configuration)) for size in shape)
        known = self._buffers.get(place)
        if known is None or known[0].shape != shape:
            content = argument.content
            if content is None:
                content = random_data(argument.dtype, shape, (self._seed, place))
            known = self._buffers[place] = content, Buffer(content.copy())
        return known

    def _number(
        self, place: int, argument: Any, declared: Sequence[Parameter] | None, configuration: Mapping[str, Any]
    ) -> Any:
        dtype = argument.dtype or (declared[place].dtype if declared else None)
        if argument.value is not None:
            value = evaluate(argument.value, configuration)
            if argument.dtype is None:
                return value
            exact = exact_scalar(argument.dtype, value)
            if exact is None:
                raise ConfigurationError(f"argument {self._names[place] or place}: {value!r} is no {argument.dtype}")
            return exact
        if dtype is None:
            raise ConfigurationError(f"argument {place}: the source does not tell its type", hint='scalar("float32")')
        return random_data(dtype, (), (self._seed, place))[()]

    def _given(
        self, kernel: Kernel, values: Sequence[object]
    ) -> tuple[tuple[KernelArgument, ...], list[tuple[object, Buffer]]]:
        """The arguments of a program's own data, and those among them that the kernel writes."""
        declared = parameters(kernel)
        found: list[KernelArgument] = []
        written: list[tuple[object, Buffer]] = []
        for place, value in enumerate(values):
            if isinstance(value, np.ndarray | Buffer):
                given = value if isinstance(value, Buffer) else Buffer(value)
                if _writes(declared, place):
                    written.append((value, given))
                    found.append(read_write(given))
                else:
                    found.append(read(given))
            else:
                found.append(value)  # type: ignore[arg-type]
        return tuple(found), written

    # ------------------------------------------------------------------------------------------ runs

    def _restore(self, kernel: Kernel) -> None:
        """Gives the buffers that the kernel writes the content they had."""
        declared = parameters(kernel)
        for place, (content, given) in self._buffers.items():
            if _writes(declared, place):
                given.overwrite(content)

    def _wrong(self, configuration: Mapping[str, Any]) -> str:
        """What is wrong with the results; empty if nothing is."""
        for place, wanted in self._expected.items():
            if place not in self._buffers:
                raise ConfigurationError(f"argument {self._names[place] or place} is no buffer: it has no result")
            array = self._reference(place, wanted, configuration)
            if wrong := difference(self._buffers[place][1].host, array, self._tolerance):
                return f"wrong result in {self._names[place] or f'argument {place}'}{wrong}"
        return ""

    def _reference(self, place: int, wanted: object, configuration: Mapping[str, Any]) -> Array:
        """What a result has to be: an array, or a function of the inputs that it names, computed once for the same."""
        if not callable(wanted):
            return np.asarray(wanted)
        names = list(inspect.signature(wanted).parameters)
        if unknown := [n for n in names if n not in self._names and n not in configuration]:
            raise ConfigurationError(f"expected: the kernel has no parameter {unknown[0]!r}")
        values = [configuration[n] if n not in self._names else self.input(n, configuration) for n in names]
        known = self._references.get(place)
        if known is None or not all(_same(a, b) for a, b in zip(known[0], values)):
            known = self._references[place] = values, np.asarray(wanted(*values))
        return known[1]


def _same(a: Any, b: Any) -> bool:
    return a is b or (not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and a == b)


def _writes(declared: Sequence[Parameter] | None, place: int) -> bool:
    return declared is None or place >= len(declared) or not declared[place].constant


def whole(what: str, value: Any) -> int:
    """A size as an integer; what is none makes the configuration impossible."""
    try:
        number = int(value)
        exact = number == value
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact:
        raise Impossible(f"{what} is {value!r}, no whole number")
    if number < 1:
        raise Impossible(f"{what} is {number}")
    return number


def in_short(error: DeviceError) -> str:
    """An error in one line: what failed, and the first thing said about it."""
    lines = error.reason.splitlines()
    said = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "").strip()
    return f"{error.message}: {said}".rstrip(": ")[:300]
