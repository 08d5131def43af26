"""Nests of functions: what `jitmdh.schedule.build` makes."""

from __future__ import annotations

from typing import Any

from jitmdh.base.errors import ConfigurationError
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.jit.explanation.drawing import ProgramOfCall, program_of_call
from jitmdh.jit.tracebacks import entry
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowering.nests import Nests
from jitmdh.mdh.lowering.schedule import Join, Schedule
from jitmdh.mdh.lowering.transform.computation import computation
from jitmdh.mdh.lowering.transform.decisions import Refused


class _Family:
    """The computations of one function in one call, and which of them are under one loop."""

    def __init__(self, call: ProgramOfCall, joined: tuple[Join, ...] = ()) -> None:
        self.call, self.joined = call, joined

    def nests(self) -> Nests:
        """A nest for each computation, those under one loop without its dimension."""
        found = {}
        for name, p in self.call.problems(self.joined or False)[0].items():
            if p.extents:
                c = computation(name, p, self.call.machine)
                assert c.facts is not None
                c.facts.family = self
                found[name] = Nest(c)
        return Nests(found, self.joined, lambda joined: _Family(self.call, joined).nests())

    def under_one_loop(self, producer: str, consumer: str, dim: str, own: str | None = None) -> Nests:
        """The nests with one more computation under a loop over `dim` of `consumer`, alone or with others. Refused."""
        of = {name: dict(join) for join in self.joined for name, _ in join}
        names, dims = list(self.call.names), of.get(consumer, {consumer: dim})
        if dims[consumer] != dim:
            raise Refused(f"{consumer} is under a loop over {dims[consumer]} already", "name that one")
        before = of.get(producer)
        reasons: dict[str, str] = {}
        for mine in self._dimensions(producer, own, before):
            both = {**(before or {producer: mine}), **dims}
            join = tuple((name, both[name]) for name in sorted(both, key=names.index))
            reason = self.call.obstacle(join)
            if reason is None:
                left = tuple(j for j in self.joined if not set(dict(j)) & set(both))
                return _Family(self.call, (*left, join)).nests()
            reasons[mine] = reason
        which = dim if dim in reasons else next(iter(reasons), "")
        raise Refused(reasons.get(which, f"{producer} has no dimension for it"), self._hint(producer, consumer))

    def _hint(self, producer: str, consumer: str) -> str:
        """A dimension of the consumer that would do."""
        mine, theirs = (self._dimensions(name, None, None) for name in (producer, consumer))
        pairs = (((producer, a), (consumer, b)) for b in theirs for a in mine)
        legal = next((b for a, (_, b) in pairs if self.call.obstacle((a, (consumer, b))) is None), None)
        return _HALO if legal is None else f"compute_at over {legal!r} is legal"

    def _dimensions(self, name: str, own: str | None, before: dict[str, str] | None) -> list[str]:
        if before is not None:
            return [before[name]]
        return [own] if own is not None else [d.name for d in self.call.expression(name).md_hom.dims]


_HALO = (
    "parts of a producer that points share are not computed again yet (overlapped tiles): write it into the loop of "
    "the consumer"
)


@entry
def build(function: Any, *args: Any, **kwargs: Any) -> Nest | Nests:
    """The loop nest of `function` for arguments like these: nothing decided, everything open.

    Several nests, by name, where the function has several computations. Nothing is compiled or run. ConfigurationError
    where there are no loops; NotAnMdhError for what cannot be compiled.
    """
    jitted: JitFunction[Any, Any] = function if isinstance(function, JitFunction) else make(function, Options())
    nests = _Family(program_of_call(jitted, args, kwargs)).nests()
    if not nests:
        raise ConfigurationError(f"{jitted.name} has no loops to schedule")
    return next(iter(nests.values())) if len(nests) == 1 else nests


@entry
def of(configuration: Any, function: Any, *args: Any, **kwargs: Any) -> Nest | Nests:
    """The transformations that make a configuration: `s.of(f.config(*args), f, *args)`; `script()` prints them.

    configuration: what `schedule=` takes as plain data: that of the model, a tuned one, a part of one, a table of the
    thesis. All 15 parameters are said. ConfigurationError where it is not legal, ScheduleError where no
    transformations make it.
    """
    from jitmdh.mdh.lowering.schedule import parse

    jitted: JitFunction[Any, Any] = function if isinstance(function, JitFunction) else make(function, Options())
    call, schedule = program_of_call(jitted, args, kwargs), parse(configuration)
    schedule.require(call.names, call.names)
    nests = _Family(call, call.problems(schedule.together)[1]).nests()
    sole = len(nests) == 1
    made = nests | {name: _of(schedule, nest, sole) for name, nest in nests.items()}
    return next(iter(made.values())) if sole else made


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
