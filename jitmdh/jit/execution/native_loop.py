"""How long one execution of compiled code takes, in a native loop: without Python, and without the checks of a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from jitmdh.base.errors import ConfigurationError
from jitmdh.hca.drivers import cpu_frame, cpu_runtime
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.execution.trial import on_copies

_SAMPLES = 9
_SAMPLE_SECONDS = 0.001


def seconds_of_execution(specialisation: Specialisation, prepared: Prepared, budget_seconds: float) -> float:
    """The median over a few samples of about a millisecond, or of one execution where that takes longer.

    What is written are copies, as before the call at the beginning of each sample. Raises what the call raises;
    ConfigurationError for code that is not the processor's own.
    """
    plan = specialisation.plan
    if plan is None or backend_of(specialisation.compiled.target).errors is not None:
        raise ConfigurationError(f"{specialisation.compiled.name}: only native code of the processor can be timed so")
    trial = on_copies(specialisation, prepared)
    launch.run(specialisation, trial.prepared, False)  # raises what the call raises; caches are warm afterwards
    frame = cpu_frame.frame_of(plan, trial.prepared.arguments)[1]
    assert frame is not None
    kernel, runtime = plan.code.address_of("kernel"), cpu_runtime.runtime()

    def executions(count: int) -> float:
        trial.reset()
        begin = time.perf_counter()
        status = runtime.repeat(kernel, frame.address, count)
        seconds = time.perf_counter() - begin
        if status:
            raise launch.failed_kernel(status, specialisation.compiled)
        return seconds

    count = _executions_per_sample(executions)
    samples: list[float] = []
    spent = 0.0
    while not samples or (len(samples) < _SAMPLES and spent < budget_seconds):
        seconds = executions(count)
        spent += seconds
        samples.append(seconds / count)
    return median(samples)


def _executions_per_sample(executions: Callable[[int], float]) -> int:
    count = 1
    while (seconds := executions(count)) < _SAMPLE_SECONDS / 2 and count < 1 << 20:
        count = max(2 * count, min(16 * count, round(count * _SAMPLE_SECONDS / max(seconds, 1e-7))))
    return count
