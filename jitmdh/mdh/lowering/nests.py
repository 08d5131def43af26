"""The nests of a function of several computations, and which of them are under one loop."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from jitmdh.base.calling.entry import entries
from jitmdh.base.errors import ScheduleError
from jitmdh.base.source import here
from jitmdh.base.text import indent
from jitmdh.mdh.lowering.nest.nest import Nest, data_of, in_time
from jitmdh.mdh.lowering.nest.steps import Step, error
from jitmdh.mdh.lowering.nest.values import Any as Open
from jitmdh.mdh.lowering.schedule import ANY, MERGED, TOGETHER, Join, Merge
from jitmdh.mdh.lowering.transform.decisions import Refused

Rebuilt = Callable[[tuple[Join, ...], tuple[Merge, ...]], "Nests"]
"""The nests of the same function with these under one loop, and these as parts of others."""


@entries
class Nests(Mapping[str, Nest]):
    """The nests of a function of several computations, by name; a value, what `mdh.jit(schedule=…)` takes.

    The name of an array that only one of them writes stands for that one, too.
    `nests["t"].compute_at(nests["Q"], "e")` gives new ones, in which those under one loop have lost its dimension;
    `nests | {"Q": nest}` has another nest for one of them. joined: those under one loop, with their dimensions;
    merged: those that are parts of others; opened: which are under one loop is left to the tuner.
    """

    def __init__(
        self, nests: Mapping[str, Nest], joined: tuple[Join, ...] = (), merged: tuple[Merge, ...] = (),
        rebuilt: Rebuilt | None = None, opened: bool = False,
    ) -> None:  # fmt: skip
        self._nests, self.joined, self.merged, self._rebuilt = dict(nests), joined, merged, rebuilt
        self.opened = opened

    def _named(self, name: str) -> str:
        """The name of a computation; an array that only one of them writes stands for that one."""
        writing = [n for n, nest in self._nests.items() if name in {a.name for a in nest.computation.outputs}]
        return writing[0] if name not in self._nests and len(writing) == 1 else name

    def __getitem__(self, name: str) -> Nest:
        name = self._named(name)
        if name not in self._nests:
            arrays = [a.name for nest in self._nests.values() for a in nest.computation.outputs]
            near = difflib.get_close_matches(name, self, n=1, cutoff=0.3)
            known = ", ".join([*near, *(n for n in self if n not in near)])
            known += f"; or the array that one writes: {', '.join(dict.fromkeys(arrays))}"
            merge = next((m for m in self.merged if m.name == name), None)
            raise ScheduleError(
                f"there is no computation `{name}`" if merge is None else f"`{name}` is a part of others",
                loc=here("build"),
                hint=f"computations are {known}" if merge is None else f"nests.store({name!r}) gives it a nest again",
            )
        return self._nests[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nests)

    def __len__(self) -> int:
        return len(self._nests)

    def __or__(self, other: Mapping[str, Nest]) -> Nests:
        if not isinstance(other, Mapping):
            return NotImplemented
        for name in other:
            self[name]
        named = {self._named(name): nest for name, nest in other.items()}
        return Nests({**self._nests, **named}, self.joined, self.merged, self._rebuilt, self.opened)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nests) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash((tuple(self._nests.items()), self.joined, self.merged, self.opened))

    def _value(self) -> tuple[Any, ...]:
        return self._nests, self.joined, self.merged, self.opened

    def __repr__(self) -> str:
        opened = ", opened=True" if self.opened else ""
        return f"Nests({self._nests!r}, {self.joined!r}, {self.merged!r}{opened})"

    def __str__(self) -> str:
        texts: list[str] = []
        around = {name: join for join in self.joined for name in join.names}
        for name, nest in self._nests.items():
            join = around.get(name)
            if join is None:
                texts.append(str(nest))
            elif name == join.names[0]:
                inside = "\n\n".join(str(self._nests[n]) for n in join.names)
                over = (
                    ", ".join(dict.fromkeys(join.dims))
                    if join.tile is None
                    else f"{join.dims[-1]} in tiles of {join.tile}"
                )
                texts.append(f"parallel for {over}, together:\n{indent(inside)}")
        return "\n\n".join(texts)

    def data(self) -> dict[str, Any]:
        """Plain data, as JSON has it."""
        said = {name: nest for name, nest in self._nests.items() if nest.steps or not self.opened}
        entries = {name: data_of(nest) for name, nest in said.items()}
        joined: dict[str, Any] = {TOGETHER: [join.data() for join in self.joined]} if self.joined else {}
        joined |= {TOGETHER: ANY} if self.opened else {}
        return {**entries, **joined, **({MERGED: [m.data() for m in self.merged]} if self.merged else {})}

    def together(self, which: Any) -> Nests:
        """Which computations are under one loop is left to the tuner: `nests.together(s.any)`.

        Without tuning it is as the model says where no nest says anything, else all of them stay apart. What a nest
        says has to suit its computation wherever it is: others are not tried. ScheduleError for anything but `s.any`.
        """
        step = Step("together", (("which", which),), loc=here("together"))
        if not isinstance(which, Open):
            raise error(step, "it is left open by s.any", str(self), "compute_at puts one into the loop of another")
        if self.joined or self._rebuilt is None:
            raise error(step, "some are under one loop already", str(self), "before: nests.distribute(…)")
        return Nests(self._nests, (), self.merged, self._rebuilt, opened=True)

    def distribute(self, name: str) -> Nests:
        """The loops of `name` and others become those of each by itself: `compute_at` or `fuse_inner`, undone."""
        name = self._named(name)
        step = Step("distribute", (("name", name),), loc=here("distribute"))
        left = tuple(join for join in self.joined if name not in join.names)
        apart = tuple(m for m in self.merged if m.into is None or name not in m.names)
        if (left, apart) == (self.joined, self.merged) or self._rebuilt is None:
            raise error(step, f"`{name}` is not under one loop with others", str(self), "compute_at puts it there")
        return self._again(step, left, apart)

    def store(self, name: str) -> Nests:
        """The results of `name` are an array again, computed once: `inline`, undone."""
        step = Step("store", (("name", name),), loc=here("store"))
        left = tuple(m for m in self.merged if m != Merge(name))
        if left == self.merged:
            raise error(step, f"`{name}` is not inlined", str(self), "nests[…].inline() computes it where it is used")
        return self._again(step, self.joined, left)

    def _again(self, step: Step, joined: tuple[Join, ...], merged: tuple[Merge, ...]) -> Nests:
        try:
            assert self._rebuilt is not None
            return self._rebuilt(joined, merged)
        except Refused as refusal:
            raise error(step, refusal.reason, str(self), refusal.hint) from None

    @property
    def time(self) -> NoReturn:
        """Loops over time keep their order: refused."""
        raise in_time(here("time"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise ScheduleError(
            f"{name}: of which of {len(self)} computations?", hint=f"take one: nests[{next(iter(self))!r}].{name}(…)"
        )
