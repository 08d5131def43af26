"""The nests of a function of several computations, and which of them are under one loop."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from jitmdh.base.errors import ScheduleError
from jitmdh.base.text import indent
from jitmdh.mdh.lowering.nest.nest import Nest, data_of, in_time
from jitmdh.mdh.lowering.nest.steps import Step, error, here
from jitmdh.mdh.lowering.schedule import TOGETHER, Join


class Nests(Mapping[str, Nest]):
    """The nests of a function of several computations, by name; a value, what `mdh.jit(schedule=…)` takes.

    `nests["t"].compute_at(nests["Q"], "e")` gives new ones, in which those under one loop have lost its dimension;
    `nests | {"Q": nest}` has another nest for one of them. joined: those under one loop, with their dimensions.
    """

    def __init__(
        self, nests: Mapping[str, Nest], joined: tuple[Join, ...] = (),
        rebuilt: Callable[[tuple[Join, ...]], Nests] | None = None,
    ) -> None:  # fmt: skip
        self._nests, self.joined, self._rebuilt = dict(nests), joined, rebuilt

    def __getitem__(self, name: str) -> Nest:
        if name not in self._nests:
            near = difflib.get_close_matches(name, self, n=1, cutoff=0.3)
            known = ", ".join([*near, *(n for n in self if n not in near)])
            raise ScheduleError(
                f"there is no computation `{name}`", loc=here("build"), hint=f"computations are {known}"
            )
        return self._nests[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nests)

    def __len__(self) -> int:
        return len(self._nests)

    def __or__(self, other: Mapping[str, Nest]) -> Nests:
        for name in other:
            self[name]
        return Nests({**self._nests, **other}, self.joined, self._rebuilt)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nests) and (self._nests, self.joined) == (other._nests, other.joined)

    def __hash__(self) -> int:
        return hash((tuple(self._nests.items()), self.joined))

    def __repr__(self) -> str:
        return f"Nests({self._nests!r}, {self.joined!r})"

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
        entries = {name: data_of(nest) for name, nest in self._nests.items()}
        return {**entries, TOGETHER: [join.data() for join in self.joined]} if self.joined else entries

    def distribute(self, name: str) -> Nests:
        """The loop around `name` and others becomes one around each of them: `compute_at`, undone."""
        step = Step("distribute", (("name", name),), loc=here("distribute"))
        left = tuple(join for join in self.joined if name not in join.names)
        if left == self.joined or self._rebuilt is None:
            raise error(step, f"`{name}` is not under one loop with others", str(self), "compute_at puts it there")
        return self._rebuilt(left)

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
