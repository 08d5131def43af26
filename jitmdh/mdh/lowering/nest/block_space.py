"""The search space of one expression on a GPU: what blocks, their threads and their copies do, as data.

| parameter | values                                                                  | of Table 1               |
|-----------|-------------------------------------------------------------------------|--------------------------|
| `fast`    | dimension and number of the threads that are neighbours                 | #PRT on THR, D2          |
| `slow`    | of the other threads of a block                                         | #PRT on THR, D2          |
| `first`   | dimension of which a thread has several points, and how many            | #PRT on REG              |
| `second`  | another one                                                             | #PRT on REG              |
| `step`    | how much of what collapses threads go through together                  | #PRT on DEV, D1          |
| `split`   | how many blocks share what collapses                                    | #PRT on BLK, R2          |
| `copied`  | which inputs are in shared memory meanwhile                             | D3, D4                   |
| `wide`    | how many points of a thread are neighbours                              | #PRT on SHR, S1          |
| `tiles`   | copies of each input that a block holds at a time                       | D3                       |

They are the numbers that the model climbs over (`model.blocks`); values stand in the order of what it expects of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, prod
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.blocks.search import BlockSearch
from jitmdh.mdh.lowering.model.blocks.tiling import Tiling
from jitmdh.mdh.lowering.nest.space import Illegal, Parameter, Value
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

_FIELDS = ("fast", "slow", "first", "second", "step", "split", "copied", "wide", "tiles", "waits")
_FIXED_FIELDS = ("copied", "tiles")  # without a say in the order of combination


@dataclass(frozen=True, slots=True)
class BlockSpace:
    """As `Space`, of an expression whose configuration is one of blocks. meanings: of the values of each parameter."""

    problem: Problem
    machine: Machine
    parameters: tuple[Parameter, ...]
    chosen: Configuration
    search: BlockSearch
    at: Tiling
    meanings: Mapping[str, Mapping[Value, Any]]

    @property
    def size(self) -> int:
        """How many combinations of values there are, legal or not."""
        return prod(len(p.values) for p in self.parameters)

    @property
    def model(self) -> dict[str, Value]:
        """The values that give the model's own configuration."""
        return {parameter.name: parameter.model for parameter in self.parameters}

    def configuration(self, values: Mapping[str, Value]) -> Configuration | Illegal:
        """The configuration that `values`, one for each parameter, stand for; Illegal if there is none."""
        found = self.search.configured(self._tiling(values))
        return Illegal("no blocks of threads are so") if found is None else found

    @property
    def compares(self) -> bool:
        """As of `Space`: it always does."""
        return True

    def expected(self, values: Mapping[str, Value]) -> float | None:
        """What the model expects of what `values` stand for, to be compared with others; None: they are not legal."""
        found = self.search.seconds(self._tiling(values))
        return None if found == inf else found

    def _tiling(self, values: Mapping[str, Value]) -> Tiling:
        return replace(self.at, **{name: self.meanings[name][value] for name, value in values.items()})


def block_space(p: Problem, machine: Machine, fixed: bool = False) -> BlockSpace | None:
    """What to search for an expression on a GPU, the model's choice included; None: it is not for blocks of threads.

    fixed: the order of combination stays.
    """
    search = BlockSearch.of(p, machine)
    at = None if search is None else search.best()
    if search is None or at is None:
        return None
    chosen = search.configured(at)
    assert chosen is not None
    parameters, meanings = [], {}
    for field in _FIXED_FIELDS if fixed else _FIELDS:
        only = (t for t in search.changed(at, field) if replace(t, **{field: getattr(at, field)}) == at)
        others = sorted(only, key=search.seconds)
        known: dict[Value, Any] = {_text(getattr(at, field)): getattr(at, field)}
        for other in others:
            if search.configured(other) is not None:
                known.setdefault(_text(getattr(other, field)), getattr(other, field))
        if len(known) > 1:
            parameters.append(Parameter(field, tuple(known), next(iter(known))))
            meanings[field] = known
    return BlockSpace(p, machine, tuple(parameters), chosen, search, at, meanings)


def _text(value: Any) -> Value:
    """
    >>> _text(("i", 16)), _text(("", 1)), _text(frozenset({1, 0})), _text(4)
    ('i:16', 'none', '0 1', 4)
    """
    if isinstance(value, tuple):
        dim, n = value
        return f"{dim}:{n}" if dim else "none"
    if isinstance(value, frozenset):
        return " ".join(map(str, sorted(value))) or "none"
    number: int = value
    return number
