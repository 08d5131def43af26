"""Named passes on kernel IR: run in the order of a list, timed, and dumped where the setting `dump` asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.log import dump
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.mdh.kernel.ir import Kernel
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.verify import verify
from jitmdh.mdh.machine.model import Machine


@dataclass(frozen=True, slots=True)
class Pass:
    """A step from kernel IR to kernel IR that computes the same. Its module says before, after, requires, ensures.

    fact: what `run` is told of the machine besides the kernel; None: nothing. wanted: whether the settings ask for it;
    None: it is always run.
    """

    name: str
    run: Callable[..., Kernel]
    fact: Callable[[Machine], object] | None = None
    wanted: Callable[[], bool] | None = None

    def apply(self, kernel: Kernel, machine: Machine) -> Kernel:
        return self.run(kernel) if self.fact is None else self.run(kernel, self.fact(machine))


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass over the kernels of a module: what they are after it, and the seconds that it took."""

    name: str
    kernels: tuple[Kernel, ...]
    seconds: float

    def text(self) -> str:
        return "\n".join(map(show_kernel, self.kernels))


def run_passes(passes: Sequence[Pass], kernels: tuple[Kernel, ...], machine: Machine) -> tuple[Passed, ...]:
    """Each pass over what the one before it left, for `machine`.

    ConfigurationError if `dump` names a pass that is not in the list.

    Where representations are checked, what comes in and what goes out is verified; where either is malformed, or a
    pass fails, the error names the first pass that left something malformed.
    """
    wanted = dumped(passes)
    given, done = kernels, list[Passed]()
    try:
        for step in passes:
            if step.wanted is not None and not step.wanted():
                continue
            begin = perf_counter()
            kernels = tuple(step.apply(kernel, machine) for kernel in kernels)
            done.append(Passed(step.name, kernels, perf_counter() - begin))
            if step.name in wanted:
                dump(f"kernel IR after {step.name}", done[-1].text())
        if config.check:
            _verified(given, "build")
            _verified(kernels, "the last pass")
    except Exception:
        if config.check:
            for kernels, after in ((given, "build"), *((each.kernels, each.name) for each in done)):
                _verified(kernels, after)
        raise
    return tuple(done)


def _verified(kernels: tuple[Kernel, ...], after: str) -> None:
    for kernel in kernels:
        verify(kernel, after)


def dumped(passes: Sequence[Pass]) -> frozenset[str]:
    """Names of the passes that the setting `dump` asks for.

    >>> with config(dump="after:fma"):
    ...     sorted(dumped([Pass("cse", lambda kernel: kernel), Pass("fma", lambda kernel: kernel)]))
    ['fma']
    """
    names = [step.name for step in passes]
    if config.dump == "all":
        return frozenset(names)
    wanted = config.dump.removeprefix("after:")
    if wanted and wanted not in names:
        raise ConfigurationError(f"there is no pass {wanted!r} to dump after", hint=f"passes are {', '.join(names)}")
    return frozenset({wanted} if wanted else ())
