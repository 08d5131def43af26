"""Nests of functions: what `jitmdh.schedule.build` makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from jitmdh.base.errors import ConfigurationError, ScheduleError
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import machine_of
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.jit.explanation.drawing import problems_of_call
from jitmdh.jit.tracebacks import entry

if TYPE_CHECKING:
    from jitmdh.mdh.lowering.nest.nest import Nest
    from jitmdh.mdh.lowering.schedule import Schedule


class Nests(Mapping[str, "Nest"]):
    """The nests of a function of several computations, by name."""

    def __init__(self, nests: dict[str, Nest]) -> None:
        self._nests = nests

    def __getitem__(self, name: str) -> Nest:
        if name not in self._nests:
            raise ScheduleError(f"there is no computation `{name}`", hint=f"computations are {', '.join(self)}")
        return self._nests[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nests)

    def __len__(self) -> int:
        return len(self._nests)

    def __repr__(self) -> str:
        return f"Nests({self._nests!r})"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.values()))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise ScheduleError(
            f"{name}: of which of {len(self)} computations?", hint=f"take one: nests[{next(iter(self))!r}].{name}(…)"
        )


@entry
def build(function: Any, *args: Any, **kwargs: Any) -> Nest | Nests:
    """The loop nest of `function` for arguments like these: nothing decided, everything open.

    Several nests, by name, where the function has several computations. Nothing is compiled or run. ConfigurationError
    where there are no loops; NotAnMdhError for what cannot be compiled.
    """
    from jitmdh.mdh.lowering.nest.nest import Nest
    from jitmdh.mdh.lowering.transform.computation import computation

    jitted: JitFunction[Any, Any] = function if isinstance(function, JitFunction) else make(function, Options())
    machine = machine_of(jitted.options)
    problems = problems_of_call(jitted, args, kwargs)
    nests = {name: Nest(computation(name, p, machine)) for name, p in problems.items() if p.extents}
    if not nests:
        raise ConfigurationError(f"{jitted.name} has no loops to schedule")
    return next(iter(nests.values())) if len(nests) == 1 else Nests(nests)


@entry
def of(configuration: Any, function: Any, *args: Any, **kwargs: Any) -> Nest | Nests:
    """The transformations that make a configuration: `s.of(f.config(*args), f, *args)`; `script()` prints them.

    configuration: what `schedule=` takes as plain data: that of the model, a tuned one, a part of one, a table of the
    thesis. All 15 parameters are said. ConfigurationError where it is not legal, ScheduleError where no
    transformations make it.
    """
    from jitmdh.mdh.lowering.schedule import parse

    nests = build(function, *args, **kwargs)
    schedule = parse(configuration)
    if not isinstance(nests, Nests):
        return _of(schedule, nests, True)
    schedule.require(list(nests), list(nests))
    return Nests({name: _of(schedule, nest, False) for name, nest in nests.items()})


def _of(schedule: Schedule, nest: Nest, sole: bool) -> Nest:
    """`nest` with the transformations that make what is given for it; as it is, where nothing is."""
    from jitmdh.mdh.lowering.configuration.constraints import violation

    c = nest.computation
    assert c.facts is not None
    p, machine = c.facts.problem, c.facts.machine
    found = schedule.applied(c.name, sole, nest.configuration(), p, machine)
    if found is None:
        return nest
    reason = violation(p, machine, found)
    if reason is not None:
        raise ConfigurationError(f"configuration of {c.name} is not legal: {reason}")
    return nest.made_by(found)
