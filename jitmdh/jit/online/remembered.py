"""Code for what is known to be best: made again, with the configuration that was chosen, after code was forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jitmdh.base.errors import MdhError
from jitmdh.base.log import logger
from jitmdh.hca.drivers.cpu_runtime import get_num_threads
from jitmdh.jit.compilation.code_cache import Key
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import Pipeline, SizeSpecialisation, conditions_at, ranges_of, sizes_of
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.online.knowledge import Knowledge, subject_of
from jitmdh.jit.online.smaller_call import is_whole


def remembered(
    known: Knowledge,
    key: Key,
    function: Any,
    pipeline: Pipeline,
    options: Options,
    present: Specialisation,
    arguments: tuple[Any, ...],
) -> Compiled | None:
    """Code for calls of the sizes of this one, if anything but the model's was chosen for them; else None.

    key: of the function's other code; present: what the call would run. Where nothing is known of a function, this asks
    the store once.
    """
    threads = get_num_threads()
    own = key.function, key.signature, key.options, key.processor, threads
    if not any((s.function, s.signature, s.options, s.machine, s.threads) == own for s in known.subjects()):
        return None
    program = pipeline.program(function, present.signature, options)
    sizes = sizes_of(program, arguments)
    ranges = {} if options.deterministic else ranges_of(program, sizes)
    chosen = known.chosen(subject_of(key, function.full_name, ranges, threads), sizes)
    if chosen is None or chosen.where == "wisdom":  # found elsewhere: to be checked before it serves a call
        return None
    scheduled = replace(options, schedule=dict(chosen.configuration))
    serving: SizeSpecialisation = "call" if is_whole(arguments) else "range"
    try:
        compiled = pipeline.compile(function, present.signature, scheduled, arguments, serving)
    except MdhError as error:  # what was legal once is not any more
        logger().info("%s: the configuration that was chosen is left out: %s", program.name, error.message)
        return None
    reasons = ["tuned: chosen before this code was made"]
    configuration = {
        name: {**entry, "reasons": reasons} if isinstance(entry, Mapping) else entry
        for name, entry in compiled.configuration.items()
    }
    return replace(compiled, conditions=conditions_at(program, sizes), configuration=configuration)
