"""Transformations of several computations that name them, and wait for the nests of their function."""

from __future__ import annotations

from typing import Any as Anything

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ScheduleError
from jitmdh.base.records import dataclass
from jitmdh.base.source import here
from jitmdh.mdh.lowering.nests import Nests


@dataclass(frozen=True, slots=True)
class Across:
    """Transformations across computations, one after the other: `nests | waiting`, or `waiting(nests)`.

    calls: of each its name, the computation whose nest has it, its arguments, and how many of these name computations.
    """

    calls: tuple[tuple[str, str, tuple[Anything, ...], int], ...]

    def __call__(self, nests: Anything) -> Nests:
        """The nests of a function with these applied: new ones. ScheduleError where one is not legal."""
        if not isinstance(nests, Nests):
            raise ScheduleError(
                f"{self.calls[0][0]}: it needs the nests of a function of several computations",
                loc=here("|"),
                hint=f"nests = s.build(f, …); nests | {self}",
            )
        found: Nests = nests
        for name, computation, arguments, others in self.calls:
            given = (*(found[other] for other in arguments[:others]), *arguments[others:])
            if name in ("distribute", "store"):
                found = getattr(found, name)(computation)
            else:
                found = getattr(found[computation], name)(*given)
        return found

    def __ror__(self, nests: Anything) -> Nests:
        return self(nests)

    def __or__(self, other: Across) -> Across:
        return Across((*self.calls, *other.calls))

    def __str__(self) -> str:
        return " | ".join(
            f"s.{name}({', '.join(map(repr, (computation, *rest)))})" for name, computation, rest, _ in self.calls
        )


@entry
def compute_at(producer: str, consumer: str, loop: str) -> Across:
    """`producer` inside of the loop over `loop` of the computation that uses its results: `Nest.compute_at`, by names.

    Waits for the nests of their function: `nests | s.compute_at("t", "Q", "e")`.
    """
    return Across((("compute_at", producer, (consumer, loop), 1),))


@entry
def fuse_outer(a: str, b: str, depth: int = 1) -> Across:
    """The outermost loops of two computations as one: `Nest.fuse_outer`, by names."""
    return Across((("fuse_outer", a, (b, depth), 1),))


@entry
def fuse_inner(a: str, b: str) -> Across:
    """All loops of two computations over the same points as one: `Nest.fuse_inner`, by names."""
    return Across((("fuse_inner", a, (b,), 1),))


@entry
def inline(computation: str) -> Across:
    """A computation wherever its results are used, without an array of them: `Nest.inline`, by its name."""
    return Across((("inline", computation, (), 0),))


@entry
def store(computation: str) -> Across:
    """The results of a computation are an array again: `Nests.store`, which undoes `inline`."""
    return Across((("store", computation, (), 0),))


@entry
def distribute(computation: str) -> Across:
    """The loops of a computation and others are those of each by itself: `Nests.distribute`."""
    return Across((("distribute", computation, (), 0),))
