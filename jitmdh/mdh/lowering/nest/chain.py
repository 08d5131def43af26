"""The transformations as methods: of nests, which apply them at once, and of chains that wait for a nest."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any as Anything
from typing import Self

from jitmdh.base.calling.entry import entries, entry
from jitmdh.base.errors import ScheduleError
from jitmdh.base.source import here
from jitmdh.mdh.lowering.nest.conditions import condition_text
from jitmdh.mdh.lowering.nest.steps import Step, error

Number = Anything  # int, or a value left open
Name = Anything  # str, or a value left open


class Chain:
    """Transformations, one after the other. Each method gives a new value; none changes this one.

    A loop is named by its dimension: `"j"` is the innermost loop over j, `"j.0"` the outermost, `"j.1"` the next.
    Every argument may be left open: `s.any`, `s.among(…)`, `s.between(…)`, `s.divisors`. ScheduleError, with the line,
    for what is not legal: at once where sizes are known, else when the schedule meets a computation.
    """

    __slots__ = ()

    @abstractmethod
    def then(self, step: Step) -> Self:
        """This with one transformation more."""

    def stripmine(self, dim: Name, size: Number, at: Name = None) -> Self:
        """The loop over `dim` in parts of `size` elements, the last perhaps shorter: parameter 0.

        `for i` → `for i.0: for i`. The n-th strip takes the next layer outwards: L2, L3, MM. at: the layer, where one
        is wanted; "COR": cores take the parts.
        """
        return self.then(_step("stripmine", dim=dim, size=size, at=at))

    def stripmine_n(self, n: Number, size: Number) -> Self:
        """The first n dimensions in parts of `size` elements, each next to its loop (TeML 27): parameter 0."""
        return self.then(_step("stripmine_n", n=n, size=size))

    def tile(self, *sizes: Number, **named: Number) -> Self:
        """Strip-mines dimensions and moves the loops over parts outside of the others, in the order given.

        `tile(i=32, j=32)`: `for i: for j` → `for i.0: for j.0: for i: for j`. `tile(32)` is for all dimensions.
        """
        if sizes:
            return self.then(_step("tile", **{"*": sizes[0]}))
        return self.then(_step("tile", **named))

    def interchange(self, a: Name, b: Name) -> Self:
        """The two loops in each other's place, neighbours or not: parameter D1."""
        return self.then(_step("interchange", a=a, b=b))

    def interchange_n(self, loop: Name, n: Number) -> Self:
        """A loop moved inside of the next n ones, whose order stays (TeML 28): parameter D1."""
        return self.then(_step("interchange_n", loop=loop, n=n))

    def reorder(self, *loops: Name) -> Self:
        """The loops named in this order, outermost first, in the places that they have: parameter D1.

        `reorder("b", s.any, "k")`: all others between, in any order.
        """
        return self.then(_step("reorder", loops=loops))

    def unroll(self, dim: Name, n: Number = None) -> Self:
        """n points of `dim` side by side in registers, counted in vectors along the lanes; None: all. Parameter 0."""
        return self.then(_step("unroll", dim=dim, n=n))

    def unroll_and_jam(self, dim: Name, n: Number) -> Self:
        """Unrolls a loop that is not innermost, the copies side by side in the innermost one: `unroll`, by its name."""
        return self.then(_step("unroll", dim=dim, n=n))

    def vectorize(self, dim: Name, lanes: Number = None) -> Self:
        """The innermost points of `dim` in vectors; lanes None: as many as fit, 1: no vectors. Parameter 0."""
        return self.then(_step("vectorize", dim=dim, lanes=lanes))

    def lanes_over(self, dim: Name) -> Self:
        """`vectorize(dim)`: which dimension has the lanes, not how many."""
        return self.then(_step("vectorize", dim=dim, lanes=None))

    def parallelize(self, dim: Name, parts: Number = None) -> Self:
        """Cores take the parts of the outermost loop over `dim`, reductions too: parameter D2 (S2, R2).

        parts: how many each core takes, one after the other; 0: one of even size; None: open, or the strips of that
        loop. `"b.cores"` gives these parts a loop of their own, which can be moved: `for b` → `for b.cores: for b`.
        """
        return self.then(_step("parallelize", dim=dim, parts=parts))

    def sequential(self) -> Self:
        """No loop is parallel."""
        return self.then(_step("sequential"))

    def assign(self, loop: Name, to: Name = "COR") -> Self:
        """Who takes the parts of a loop: "COR" or "loop". Parameter D2, the loop keeps its layer."""
        return self.then(_step("assign", loop=loop, to=to))

    def threads(self, n: Number) -> Self:
        """The parallel loop in n parts of even size: parameter 0 on the layer of cores."""
        return self.then(_step("threads", n=n))

    def accumulators(self, dim: Name, n: Number) -> Self:
        """n unrolled steps of a reduction, each with an accumulator of its own; 1: one for all. Parameter R1."""
        return self.then(_step("accumulators", dim=dim, n=n))

    def points(self, *dims: Name) -> Self:
        """The unrolled points of a register tile, slowest dimension first; none: the usual order. Parameter S1."""
        return self.then(_step("points", dims=dims))

    def pack(
        self, array: Name, at: Name = None, region: Name = "L2", transposed: Anything = False, layout: Anything = None
    ) -> Self:
        """A copy of an input, made when a part of the loop `at` begins (None: before all): parameters D3 and D4.

        An array that is read in several places is named with one of them: `"x[i + 1]"`.
        transposed: with the last two axes swapped. layout: pairs of an axis and a block size, slow to fast.
        """
        made = _step("pack", array=array, at=at, region=region, transposed=transposed, layout=layout)
        return self.then(made)

    def in_place(self, *arrays: Name) -> Self:
        """These arrays (none named: all) are read or written where they are, without copies: D3, R3."""
        return self.then(_step("in_place", arrays=arrays))

    def read_from(self, array: Name, region: Name, layout: Anything = None) -> Self:
        """Where a register tile reads an input: "REG", "L1" (a buffer), "MM" (with prefetches). S3 and S4."""
        return self.then(_step("read_from", array=array, region=region, layout=layout))

    def write_to(self, region: Name, layout: Anything = None) -> Self:
        """Where a register tile's results are combined: "REG", "L1" (a buffer), "MM" (non-temporal). S5 and S6."""
        return self.then(_step("write_to", region=region, layout=layout))

    def stage(self, output: Name, at: Name = None, region: Name = "L2", layout: Anything = None) -> Self:
        """Results wait in a buffer until a part of the loop `at` ends (None: until all is done): R3 and R4."""
        return self.then(_step("stage", output=output, at=at, region=region, layout=layout))

    def where(self, condition: str | Callable[..., bool]) -> Self:
        """Only what makes the condition true: `"i * j <= 4096"`, `lambda i, j: i * j <= 4096`, `s.inside("k", "j")`.

        A dimension's name stands for the size of its innermost part, or its extent.
        """
        loc = here("where")
        try:
            text = condition_text(condition)
        except ValueError as problem:
            raise error(Step("where", loc=loc), str(problem), hint='write it as text: where("i * j <= 4096")') from None
        return self.then(Step("where", (("condition", text),), loc=loc))

    def fix(self, *parameters: str) -> Self:
        """What is open of these parameters of Table 1 (none named: of all) stays the model's, and is not tuned."""
        return self.then(_step("fix", parameters=parameters))

    def choice(self, *branches: Transformation) -> Self:
        """One of these branches: the first, where nothing is tuned."""
        return self.then(_branching("choice", branches))

    def attempt(self, first: Transformation, otherwise: Transformation | None = None) -> Self:
        """The first if it is legal, else the other (None: nothing)."""
        return self.then(_branching("attempt", (first, otherwise or Transformation())))

    def repeat(self, n: int, transformation: Transformation) -> Self:
        """A transformation n times."""
        found = self
        require("repeat", transformation)
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise error(Step("repeat", loc=here("repeat")), f"{n!r} is no number of times", hint="repeat(2, t)")
        for step in transformation.steps * n:
            found = found.then(step)
        return found

    def compute_at(self, consumer: Anything, loop: str) -> Anything:
        """This computation inside of a loop of the one that uses its results: only a nest of several can be."""
        raise _across("compute_at")

    def fuse_outer(self, other: Anything, depth: int = 1) -> Anything:
        """The outermost loops of two computations as one: only a nest of several can be."""
        raise _across("fuse_outer")

    def fuse_inner(self, other: Anything) -> Anything:
        """All loops of two computations over the same points as one: only a nest of several can be."""
        raise _across("fuse_inner")

    def inline(self) -> Anything:
        """This computation wherever its results are used: only a nest of several can be."""
        raise _across("inline")


@entries
class Transformation(Chain):
    """Transformations that wait for a nest: `row(nest)`, or `nest | row`."""

    __slots__ = ("steps",)

    def __init__(self, steps: tuple[Step, ...] = ()) -> None:
        self.steps = steps

    def then(self, step: Step) -> Transformation:
        return Transformation((*self.steps, step))

    def __call__(self, chain: Anything) -> Anything:
        """The transformations applied to a nest, or behind those of another chain."""
        if not hasattr(chain, "then_all"):
            raise ScheduleError(f"{chain!r} is no nest", loc=here(), hint="such as s.build(f, *arguments)")
        return chain.then_all(self.steps)

    def then_all(self, steps: tuple[Step, ...]) -> Transformation:
        """This with several transformations more."""
        return Transformation((*self.steps, *steps))

    def __or__(self, other: Transformation) -> Transformation:
        require("|", other, callables=True)
        return other(self)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transformation) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)

    def __repr__(self) -> str:
        return f"Transformation({self.steps!r})"


@entry
def compose(*transformations: Transformation) -> Transformation:
    """One after the other, as one."""
    found = Transformation()
    require("compose", *transformations, callables=True)
    for transformation in transformations:
        found = found | transformation
    return found


def _step(name: str, **args: Anything) -> Step:
    kept = {n: v for n, v in args.items() if v is not None or n in ("dim", "size", "a", "b")}
    for n, value in kept.items():
        if not all(map(_is_plain, value if isinstance(value, tuple) else (value,))):
            facts = f"`{n}` is {value!r} ({type(value).__name__})"
            raise error(Step(name, loc=here(name)), facts, hint="names and numbers, or `any`, `among(…)` for them")
    return Step(name, tuple((n, v) for n, v in kept.items() if (n, v) not in _DEFAULTS.get(name, ())), loc=here(name))


def _is_plain(value: Anything) -> bool:
    """Whether something can be written down as a part of a schedule."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, tuple) or (hasattr(value, "__hash__") and not hasattr(value, "__array__"))


_DEFAULTS: dict[str, tuple[tuple[str, Anything], ...]] = {
    "pack": (("region", "L2"), ("transposed", False)),
    "stage": (("region", "L2"),),
    "assign": (("to", "COR"),),
}


def require(name: str, *given: object, callables: bool = False) -> None:
    """ScheduleError for what is no transformation; callables: or no function of a nest."""
    for one in given:
        if not isinstance(one, Transformation) and not (callables and callable(one)):
            facts = f"{one!r} is no transformation"
            raise error(Step(name, loc=here(name)), facts, hint="such as s.tile(i=32), without a nest")


def _branching(name: str, branches: tuple[Transformation, ...]) -> Step:
    require(name, *branches)
    if not branches:
        raise error(Step(name, loc=here(name)), "there is no branch", hint="choice(s.tile(i=16), s.tile(i=32))")
    return Step(name, (), tuple(branch.steps for branch in branches), here(name))


def _across(name: str) -> ScheduleError:
    return error(
        Step(name, loc=here(name)), "it needs the nest of a computation, among others of its function",
        hint='nests = s.build(f, …); nests["t"].compute_at(nests["Q"], "i")',
    )  # fmt: skip
