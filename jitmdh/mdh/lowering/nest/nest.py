"""The loop nest of a computation as a value: what has been decided of its configuration, and what is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any as Anything
from typing import NoReturn

from jitmdh.base.calling.entry import entries
from jitmdh.base.errors import ConfigurationError, ScheduleError
from jitmdh.base.process.stack import with_stack
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc, here
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.nest.chain import Chain, Transformation, require
from jitmdh.mdh.lowering.nest.open import space_of
from jitmdh.mdh.lowering.nest.script import meaning, steps_for
from jitmdh.mdh.lowering.nest.show import show
from jitmdh.mdh.lowering.nest.space import Space
from jitmdh.mdh.lowering.nest.steps import VERSION, Step, error, open_strips, steps_data, steps_of
from jitmdh.mdh.lowering.nest.suggest import LEAVE_IT_OUT, suggestion
from jitmdh.mdh.lowering.nest.walk import NAMES, Completion, Contradiction, decided, first_legal
from jitmdh.mdh.lowering.transform.computation import Computation, Family, computation_of
from jitmdh.mdh.lowering.transform.decisions import Decisions, Refused
from jitmdh.mdh.lowering.transform.realise import Illegal, placed
from jitmdh.mdh.lowlevel.animate import Animation, animate, small
from jitmdh.mdh.lowlevel.draw import Figure, Picture, draw

_ACROSS = "it needs two computations of one function"
_ACROSS_HINT = 'nests = s.build(f, …); nests["t"].compute_at(nests["Q"], "i")'
_NO_SIZES, _GIVE_IT = "a nest that was read back has no sizes", "give it to `mdh.jit(schedule=…)`"


@entries
@dataclass(frozen=True, slots=True)
class Nest(Chain):
    """A computation and the transformations of its loops so far; hashable, `eval(repr(nest)) == nest`.

    `s.build(f, *args)` makes one. Each transformation is checked at once, for the sizes that it was built for.
    """

    computation: Computation
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> Nest:
        """With one transformation more. ScheduleError, with the line, if it is not legal."""
        new = Nest(self.computation, (*self.steps, step))
        found = first_legal(new.steps, self.computation)
        if isinstance(found, Completion):
            return new
        raise self._refused(step, found)

    def then_all(self, steps: tuple[Step, ...]) -> Nest:
        """With several transformations, as one: what they come to has to be legal, not what is on the way.

        ScheduleError of the one from which on nothing is legal.
        """
        new = Nest(self.computation, (*self.steps, *steps))
        if not steps or isinstance(first_legal(new.steps, self.computation), Completion):
            return new
        for n in reversed(range(len(steps))):
            before = Nest(self.computation, new.steps[: len(self.steps) + n])
            if not n or isinstance(first_legal(before.steps, self.computation), Completion):
                return before.then(steps[n])
        raise AssertionError(new)

    def _refused(self, step: Step, found: Refused | Contradiction | Illegal) -> ScheduleError:
        """What is wrong with a step, the nest before it, and what would be legal instead."""
        if isinstance(found, Contradiction):
            opened = [s for s in self.steps if s.is_open] or list(self.steps)
            rest = f" and {opened[-1]}" if opened else ""
            where = f" ({opened[-1].loc})" if opened and opened[-1].loc else ""
            return error(step, f"nothing satisfies `{found}`{rest}{where}", str(self),
                         "leave one of the two out" if rest else LEAVE_IT_OUT)  # fmt: skip
        reason, hint = (found.reason, found.hint) if isinstance(found, Refused) else (found.reason, "")
        legal = suggestion(self.steps, step, self.computation)
        return error(step, reason, str(self), hint if hint and legal in ("", LEAVE_IT_OUT) else legal)

    def __or__(self, other: Transformation) -> Nest:
        require("|", other, callables=True)
        return other(self)  # type: ignore[no-any-return]

    def compute_at(self, consumer: Anything, loop: str) -> Anything:
        """This computation inside of the loop over `loop` of the one that uses its results, each point by one core.

        `for e: t[e] …; for e: Q[e] … t[e] …` → `for e: { t …; Q … t … }`; what only these two use becomes local.
        `compute_at(y.stripmine("i", 32), "i.0")`: inside of the loop over the tiles of a consumer that is strip-mined.
        What several tiles (or points) need of this one, each computes for itself (overlapped tiles). All nests of the
        function, anew: those under the loop without its dimension, or with the tile's part of it. ScheduleError where
        what a tile needs is not bounded, or seen by others.
        """
        return self._across("compute_at", consumer, loop)

    def fuse_outer(self, other: Anything, depth: int = 1) -> Anything:
        """The outermost loops of two computations as one: `compute_at` that of the other one.

        depth: how many loops; 1, or all that they have (`fuse_inner`).
        """
        if depth == 1:
            return self._across("fuse_outer", other, None)
        loops = {len(n.computation.dims) for n in (self, other) if isinstance(n, Nest)}
        if loops != {depth}:
            reason = f"depth {depth}: one loop, or all that both have, become one"
            step = Step("fuse_outer", loc=here("fuse_outer"))
            raise error(step, reason, str(self), "fuse_outer(other), or fuse_inner(other)")
        return self._one("fuse_outer", other)

    def fuse_inner(self, other: Anything) -> Anything:
        """All loops of two computations over the same points as one: what both compute, at each point.

        `for i: a[i] = …; for i: b[i] = … a[i] …` → `for i: { a[i] = …; b[i] = … a[i] … }`; reductions side by side,
        too. The one has the name of the other. ScheduleError where a dependence would turn round.
        """
        return self._one("fuse_inner", other)

    def _one(self, name: str, other: Anything) -> Anything:
        step = Step(name, loc=here(name))
        family = self._family_with(step, other)
        return self._as_part(step, other, lambda: family.as_part(self.computation.name, other.computation.name))

    def inline(self) -> Anything:
        """This computation wherever its results are used, and no array of them (a virtual tensor).

        `t[i] = f(x[i]); y[i] = g(t[i], t[i + 1])` → `y[i] = g(f(x[i]), f(x[i + 1]))`. A reduction becomes a part of
        element-wise computations. All nests of the function but this one, anew; `nests.store(name)` undoes it.
        """
        step = Step("inline", loc=here("inline"))
        facts = self.computation.facts
        if facts is None or facts.family is None:
            raise error(step, _ACROSS, str(self), _ACROSS_HINT)
        family = facts.family
        return self._as_part(step, None, lambda: family.as_part(self.computation.name, None))

    def _as_part(self, step: Step, other: Nest | None, made: Callable[[], Anything]) -> Anything:
        if self.steps or (other is not None and other.steps):
            raise error(step, "it has been transformed by itself", str(self), f"{step.name} first, then transform")
        try:
            return made()
        except Refused as refusal:
            raise error(step, refusal.reason, str(self), refusal.hint) from None

    def _family_with(self, step: Step, other: Anything) -> Family:
        """The function that this and another computation are of."""
        mine, theirs = (n.computation.facts if isinstance(n, Nest) else None for n in (self, other))
        if mine is None or theirs is None or mine is theirs or mine.family is None or mine.family is not theirs.family:
            raise error(step, _ACROSS, str(self), _ACROSS_HINT)
        return mine.family

    def _across(self, name: str, other: Anything, loop: str | None) -> Anything:
        step = Step(name, (("loop", loop),) if loop else (), loc=here(name))
        family = self._family_with(step, other)
        tile = None if self.steps or loop is None else _strip(other, loop)
        if isinstance(tile, Step):
            raise error(step, "the size of these tiles is open", str(self), f"give a number to {tile}")
        if self.steps or (other.steps and tile is None):
            raise error(step, "these have been transformed by themselves", str(self), "put them under one loop first")
        pair = self.computation.name, other.computation.name
        own = None if loop else self.computation.names[0]
        try:
            over = other.computation.names[0] if loop is None else loop if tile is None else loop.removesuffix(".0")
            return family.under_one_loop(*pair, over, own, tile)
        except Refused as refusal:
            raise error(step, refusal.reason, f"{self}\n\n{other}", refusal.hint) from None

    @property
    def time(self) -> NoReturn:
        """Loops over time keep their order: refused."""
        raise in_time(here("time"))

    def made_by(self, configuration: Configuration) -> Nest:
        """The computation with the transformations that make a legal configuration. ScheduleError if none do."""
        found: Anything
        try:
            new = Nest(self.computation, steps_for(self.computation, configuration))
            found = first_legal(new.steps, self.computation)
        except Refused as refusal:
            found = refusal
        if not isinstance(found, Completion) or isinstance(found.configuration, Illegal):
            why = str(found.reason if isinstance(found, (Refused, Illegal)) else found)
            raise ScheduleError(f"no transformations make this configuration of {self.computation.name}: {why}")
        if meaning(self.computation, found.configuration) != meaning(self.computation, configuration):
            raise ScheduleError(f"no transformations make this configuration of {self.computation.name}")
        return new

    # ------------------------------------------------------------------------------------------ what it says

    @property
    def decisions(self) -> Decisions:
        """What is decided, with the model's values wherever a value is open."""
        found = first_legal(self.steps, self.computation)
        return found.decisions if isinstance(found, Completion) else decided(self.steps, self.computation, _first)

    def configuration(self) -> Configuration:
        """The whole configuration: the model's, wherever the nest says nothing. ScheduleError if there is none."""
        if self.computation.facts is None:
            raise ScheduleError(_NO_SIZES, hint=_GIVE_IT)
        found = first_legal(self.steps, self.computation)
        if isinstance(found, Completion) and not isinstance(found.configuration, Illegal):
            return found.configuration
        assert not isinstance(found, Completion)
        raise Nest(self.computation)._refused(self.steps[-1], found)

    @property
    def space(self) -> Space:
        """What `f.tune` searches for this nest: everything open. Its `size` is 1 where nothing is."""
        if self.computation.facts is None:
            raise ScheduleError(_NO_SIZES, hint=_GIVE_IT)
        return space_of(self.steps, self.computation)

    def applied_to(self, other: Computation) -> Nest:
        """The same transformations for another call. ScheduleError where these are not legal there."""
        reason = self.computation.difference(other)
        if reason is not None:
            same = self.computation.names == other.names
            raise ScheduleError(
                f"a nest of {self.computation.name} is used for {other.name}: {reason}",
                hint=f"build it for {'arguments of these types' if same else 'this function, with its options'}; "
                     "other sizes are fine",
            )  # fmt: skip
        return Transformation(self.steps)(Nest(other))  # type: ignore[no-any-return]

    def __str__(self) -> str:
        opened = tuple(str(step) for step in self.steps if step.is_open)
        return show(self.computation, self.decisions, opened, open_strips(self.steps))

    def script(self) -> str:
        """The transformations as Python, with `from jitmdh import schedule as s`: what makes this nest again.

        `f` is the function, `arguments` are those of a call.
        """
        if not self.steps:
            return "nest = s.build(f, *arguments)"
        lines = "".join(f"\n    s.{step}," for step in self.steps)
        return f"nest = s.build(f, *arguments) | s.compose({lines}\n)"

    @with_stack
    def draw(self) -> Picture:
        """The (de/re)-composition as a picture (thesis Figure 60): SVG text, shown as it is in notebooks.

        What the nest fixes has another frame than what the model chose; what it leaves open has a dashed one.
        """
        return draw([self.figure()])

    def animate(self, **extents: int) -> Animation:
        """The order in which points are visited, as a page to step through: HTML text, shown as it is in notebooks.

        extents: of dimensions, smaller than those that the nest was built for; without them, so small that there are
        no more than 4,096 points. The last parts of loops may be shorter there than they are.
        """
        facts = self.computation.facts
        configuration = self.configuration()
        assert facts is not None
        wrong = next((name for name in extents if name not in facts.problem.extents), None)
        if wrong is not None:
            raise ScheduleError(f"animate: {self.computation.name} has no dimension `{wrong}`", loc=here("animate"),
                                hint=f"dimensions are {', '.join(facts.problem.extents)}")  # fmt: skip
        sizes = small({**facts.problem.extents, **extents})
        return animate(lower(facts.problem.expression, configuration), sizes, facts.machine.cores)

    def figure(self) -> Figure:
        """What is drawn of it."""
        facts = self.computation.facts
        configuration, d = self.configuration(), self.decisions
        assert facts is not None
        opened = open_strips(self.steps)
        origins = {}
        for loop, level in placed(d, facts).items():
            if loop.size or d.order or any(loop == taken for taken, _ in d.cores or ()):
                origins[level.layer, level.dim] = "open" if loop.size and loop.dim in opened else "user"
        for dim, _ in d.unrolled:
            origins["REG", dim] = "user"
        if d.lanes is not None:
            origins["SIMD", d.lanes[0]] = "user"
        known = (("order", d.order or None), ("lanes", d.lanes), ("cores", d.cores))
        rest = [name for name, value in known if value is None]
        texts = [str(step) for step in self.steps if step.is_open]
        low = lower(facts.problem.expression, configuration)
        return Figure(low, facts.problem.extents, origins, (*([", ".join(rest)] if rest else ()), *texts))

    def data(self) -> dict[str, Anything]:
        """Plain data, as JSON has it: what `mdh.jit(schedule=…)` takes, too."""
        return {"nest": {"version": VERSION, "computation": self.computation.data(), "steps": steps_data(self.steps)}}


def _strip(consumer: Nest, loop: str) -> int | Step | None:
    """The size of the tiles that `loop` goes over, where these are all that is said of a nest; the step, if open."""
    if len(consumer.steps) != 1:
        return None
    (step,) = consumer.steps
    args = dict(step.args)
    sizes = {args.get("dim"): args.get("size")} if step.name == "stripmine" and "at" not in args else args
    size = sizes.get(loop.removesuffix(".0")) if step.name in ("stripmine", "tile") and len(sizes) == 1 else None
    if size is None or not loop.endswith(".0"):
        return None
    return size if isinstance(size, int) else step


def in_time(loc: Loc | None) -> ScheduleError:
    """Loops over time are not tiled."""
    return error(Step("time", loc=loc), "a loop over time keeps its order, and is not tiled (skewing)",
                 hint="compute_at puts a producer inside of its consumer's loop")  # fmt: skip


def _first(hole: Anything) -> Anything:
    return hole.values[0]


def read(data: Mapping[str, Anything]) -> Nest | Transformation:
    """What `Nest.data` wrote, or `{"nest": {"steps": […]}}`, which waits for a computation. ConfigurationError."""
    inner = data.get("nest") if set(data) <= {"nest", "reasons"} else None
    if not isinstance(inner, Mapping) or "steps" not in inner:
        raise ConfigurationError("schedule: a nest says all", hint='{"nest": {"steps": […]}}')
    version = inner.get("version", VERSION)
    if version != VERSION:
        raise ScheduleError(
            f"schedule: written as version {version}, this jitmdh reads version {VERSION}",
            hint="build the nest again, and write it by this version",
        )
    steps = steps_of(inner["steps"], NAMES)
    if inner.get("computation") is None:
        return Transformation(steps)
    try:
        return Nest(computation_of(inner["computation"]), steps)
    except (KeyError, TypeError, ValueError):
        raise ConfigurationError("schedule: this is no nest", hint="json.dumps(nest.data()) writes one") from None


def data_of(schedule: Nest | Transformation) -> dict[str, Anything]:
    """Plain data of a nest or of transformations that wait for one."""
    if isinstance(schedule, Nest):
        return schedule.data()
    return {"nest": {"version": VERSION, "steps": steps_data(schedule.steps)}}


def nest_for(schedule: Nest | Transformation, c: Computation) -> Nest:
    """The nest that a schedule makes of a computation. ScheduleError."""
    found: Nest = schedule.applied_to(c) if isinstance(schedule, Nest) else schedule(Nest(c))
    return found
