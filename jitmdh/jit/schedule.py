"""Nests of functions: what `jitmdh.schedule.build` makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.process.stack import with_stack
from jitmdh.jit.compilation.decorated import require_function
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.decorator import JitFunction, make, variant
from jitmdh.jit.explanation.drawing import ProgramOfCall, program_of_call
from jitmdh.mdh.lowering.merges import with_merge
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowering.nests import Nests
from jitmdh.mdh.lowering.schedule import MERGED, Join, Merge, Schedule
from jitmdh.mdh.lowering.transform.computation import computation, loops_in_order
from jitmdh.mdh.lowering.transform.decisions import Refused


class _Family:
    """The computations of one function in one call: which of them are under one loop, and which parts of others.

    whole: the call with all of its computations; call: without those that are parts of others; said: see `problems`.
    """

    def __init__(
        self, whole: ProgramOfCall, joined: tuple[Join, ...] = (), merged: tuple[Merge, ...] = (),
        said: Mapping[str | None, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.whole, self.joined, self.merged, self.said = whole, joined, merged, said
        self.call = _with_merges(whole, merged)

    def nests(self) -> Nests:
        """A nest for each computation, those under one loop without its dimension."""
        found = {}
        for name, p in self.call.problems(self.joined or False, self.said)[0].items():
            if p.extents:
                in_order = loops_in_order(self.call.program.steps, self.call.expression(name))
                c = computation(name, p, self.call.machine, in_order)
                assert c.facts is not None
                c.facts.family = self
                found[name] = Nest(c)
        return Nests(found, self.joined, self.merged, self._rebuilt)

    def _rebuilt(self, joined: tuple[Join, ...], merged: tuple[Merge, ...]) -> Nests:
        return _Family(self.whole, joined, merged).nests()

    def as_part(self, name: str, into: str | None) -> Nests:
        """The nests with a computation inside of those that use it, or one with another. Refused."""
        around = {n: join for join in self.joined for n in join.names}
        if around.get(name) != (None if into is None else around.get(into)):
            raise Refused(f"{name} is under one loop with others", f"before: nests.distribute({name!r})")
        left = tuple(filter(None, (_without(join, name) for join in self.joined)))
        made = _Family(self.whole, left, (*self.merged, Merge(name, into)))
        reason = next(filter(None, map(made.call.obstacle, left)), None)
        if reason is not None:
            raise Refused(reason, f"before: nests.distribute({name!r})")
        return made.nests()

    def under_one_loop(
        self, producer: str, consumer: str, dim: str, own: str | None = None, tile: int | None = None
    ) -> Nests:
        """The nests with one more computation under a loop over `dim` of `consumer`, alone or with others. Refused.

        tile: the loop is over tiles of so many points. None: over points; where these need what other points compute,
        over tiles of one.
        """
        names, of = list(self.call.names), {name: join for join in self.joined for name in join.names}
        around, before = of.get(consumer), of.get(producer)
        if around is not None:
            dim, tile = self._loop_of(around, consumer, dim, tile), around.tile
        dims = {consumer: dim} if around is None else dict(around.of)
        reasons: dict[str, str] = {}
        for size in (None, 1) if tile is None and around is None else (tile,):
            for mine in self._dimensions(producer, own, before):
                both = {**(dict(before.of) if before is not None else {producer: mine}), **dims}
                join = Join(tuple((name, both[name]) for name in sorted(both, key=names.index)), size)
                reason = self.call.obstacle(join)
                if reason is None:
                    left = tuple(j for j in self.joined if not set(j.names) & set(both))
                    return self._rebuilt((*left, join), self.merged)
                reasons[mine] = reason
        which = dim if dim in reasons else next(iter(reasons), "")
        raise Refused(reasons.get(which, f"{producer} has no dimension for it"), self._hint(producer, consumer))

    def loop_elsewhere(self, name: str, dim: str) -> str:
        """What `dim`, which is no loop around the computation `name`, is in the function; empty: nothing."""
        others = [n for n in self.call.names if n != name and dim in self._dimensions(n, None, None)]
        return f"{dim} is a loop of {others[0]}, not of {name}" if others else ""

    @staticmethod
    def _loop_of(around: Join, consumer: str, dim: str, tile: int | None) -> str:
        """The dimension of the loop that `consumer` is under already, if `dim` names it. Refused."""
        known = dict(around.of)[consumer]
        named = known if around.tile is None else f"{known}.0"
        if tile is not None or dim not in (known, named):
            raise Refused(f"{consumer} is under a loop over {named} already", "name that one")
        return known

    def _hint(self, producer: str, consumer: str) -> str:
        """A dimension of the consumer that would do."""
        mine, theirs = (self._dimensions(name, None, None) for name in (producer, consumer))
        pairs = [((producer, a), (consumer, b)) for b in theirs for a in mine]
        legal = next((b for a, b in pairs for n in (None, 1) if self.call.obstacle(Join((a, b), n)) is None), None)
        return "leave it out: one runs after the other" if legal is None else f"compute_at over {legal[1]!r} is legal"

    def _dimensions(self, name: str, own: str | None, before: Join | None) -> list[str]:
        if before is not None:
            return [dict(before.of)[name]]
        return [own] if own is not None else [d.name for d in self.call.expression(name).md_hom.dims]


def _without(join: Join, name: str) -> Join | None:
    """A loop without one of the computations under it; None: too few are left."""
    of = tuple(pair for pair in join.of if pair[0] != name)
    return replace(join, of=of) if len(of) > 1 else None


def _whole_call(jitted: JitFunction[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> ProgramOfCall:
    """The call with all of its computations, but for those that a schedule of the function has as parts of others."""
    if jitted.options.schedule is None:
        jitted = variant(jitted, replace(jitted.options, schedule={MERGED: []}))
    return program_of_call(jitted, args, kwargs)


def _with_merges(call: ProgramOfCall, merged: tuple[Merge, ...]) -> ProgramOfCall:
    """The call with computations as parts of others. Refused."""
    for merge in merged:
        made = with_merge(call.program, merge)
        if isinstance(made, str):
            raise Refused(made, "leave it out: one runs after the other")
        call = replace(call, program=made)
    return call


@entry
@with_stack
def build(function: Any, *args: Any, **kwargs: Any) -> Nest | Nests:
    """The loop nest of `function` for arguments like these: nothing decided, everything open.

    Several nests, by name, where the function has several computations. Nothing is compiled or run. ConfigurationError
    where there are no loops; NotAnMdhError for what cannot be compiled.
    """
    jitted = _decorated(function)
    nests = _Family(_whole_call(jitted, args, kwargs)).nests()
    if not nests:
        raise ConfigurationError(f"{jitted.name} has no loops to schedule")
    return next(iter(nests.values())) if len(nests) == 1 else nests


@entry
@with_stack
def of(configuration: Any, function: Any, *args: Any, **kwargs: Any) -> Nest | Nests:
    """The transformations that make a configuration: `s.of(f.config(*args), f, *args)`; `script()` prints them.

    configuration: what `schedule=` takes as plain data: that of the model, a tuned one, a part of one, a table of the
    thesis. All 15 parameters are said. ConfigurationError where it is not legal, ScheduleError where no
    transformations make it.
    """
    from jitmdh.mdh.lowering.schedule import parse

    jitted = _decorated(function)
    whole, schedule = _whole_call(jitted, args, kwargs), parse(configuration)
    try:
        call = _with_merges(whole, schedule.merged)
    except Refused as refusal:
        raise ConfigurationError(f"schedule: merged: {refusal.reason}") from None
    schedule.require(call.names, call.names)
    joins = call.problems(schedule.together, schedule.entries)[1]
    nests = _Family(whole, joins, schedule.merged, schedule.entries).nests()
    sole = len(nests) == 1
    made = nests | {name: _of(schedule, nest, sole) for name, nest in nests.items()}
    return next(iter(made.values())) if sole and not schedule.merged else made


def _decorated(function: Any) -> JitFunction[Any, Any]:
    if isinstance(function, JitFunction):
        return function
    require_function(function)
    return make(function, Options())


def _of(schedule: Schedule, nest: Nest, sole: bool) -> Nest:
    """`nest` with the transformations that make what is given for it; as it is, where nothing is."""
    from jitmdh.mdh.lowering.configuration.constraints import violation

    c = nest.computation
    assert c.facts is not None
    p, machine = c.facts.problem, c.facts.machine
    found = schedule.applied(c.name, sole, nest.configuration(), p, machine, c.facts.in_order)
    if found is None:
        return nest
    reason = violation(p, machine, found)
    if reason is not None:
        raise ConfigurationError(f"configuration of {c.name} is not legal: {reason}")
    return nest.made_by(found)
