"""Which computations of a program are under one loop: as the model says, as a schedule does, and what else is legal.

`joined` makes the program with them; `alternatives` are what a search chooses from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Program, Together, expressions
from jitmdh.mdh.algebra.rewrites.neighbours.overlapped import overlapped
from jitmdh.mdh.algebra.rewrites.neighbours.together import obstacle, together
from jitmdh.mdh.algebra.sizes import evaluate_size
from jitmdh.mdh.lowering.model.locality import NOTHING, UnitAxes, apart, is_near, points_in_block
from jitmdh.mdh.lowering.model.overlapped_tiles import Tiled, overlapped_tiles
from jitmdh.mdh.lowering.schedule import Join, expression_names
from jitmdh.mdh.machine.model import Machine

MOST_ALTERNATIVES = 6
"""Of the model's choice: each has a search space of its own for the computations that it changes."""

_LONGEST = 32
"""Computations under one loop, where nobody says which: what a chain has near a core, a part of it has as well."""

_SMALLER_TILES = 4  # times fewer points, the second of two sizes that are looked at


@dataclass(frozen=True, slots=True)
class Joining:
    """A program with computations under one loop, the sizes with its numbers of tiles, and which ones these are."""

    program: Program
    sizes: Mapping[str, int]
    joins: tuple[Join, ...] = ()


def joined(
    program: Program, sizes: Mapping[str, int], machine: Machine, threads: int, said: bool | tuple[Join, ...] | None,
    unit_axes: UnitAxes = NOTHING,
) -> Joining:  # fmt: skip
    """`program` with computations under one loop.

    sizes: of the call; none where they must have no say. unit_axes: see `apart`. said: see `Schedule.together`.
    ConfigurationError for what is said and is not legal.
    """
    if not (said is None or said) or (said is None and is_near(program, sizes, machine)):  # the search may take long
        return Joining(program, sizes)
    names = dict(zip(map(id, expressions(program.steps)), expression_names(program)[1]))
    in_tiles = [join for join in said if join.tile] if isinstance(said, tuple) else []
    if said is None:
        in_tiles = [_of(t, names) for t in overlapped_tiles(program, sizes, machine, threads)]
    tiled, known = _in_tiles(program, in_tiles, sizes)
    made, blocks = list(in_tiles), list[Join]()

    def worth(t: Together, steps: Sequence[Expression]) -> bool:
        join = Join(tuple((names[id(e)], _without(e, inside)) for e, inside in zip(steps, expressions(t.body))))
        if isinstance(said, tuple):
            found = join in said
        elif said is not None:
            found = said
        elif (size := _block(tiled, t, steps, join.dims, known, machine, threads, unit_axes)) is not None:
            blocks.append(replace(join, tile=size))
            return True
        else:
            found = apart(t, known, machine, threads, unit_axes) is None
        made.extend([join] if found else [])
        return found

    lengths = {name: len(join.names) for join in said for name in join.names} if isinstance(said, tuple) else None

    def most(first: Expression) -> int:
        return _LONGEST if lengths is None else lengths.get(names.get(id(first), ""), 0)

    whole = together(tiled, worth, most=most)
    if blocks:
        tiled, known = _in_tiles(program, [*in_tiles, *blocks], sizes)
        whole = together(tiled, lambda t, _: apart(t, known, machine, threads, unit_axes) is None, most=most)
        made[len(in_tiles) :] = [*blocks, *made[len(in_tiles) :]]
    if isinstance(said, tuple):
        _require(said, made, program)
    return Joining(whole, known, tuple(made))


def _block(
    program: Program, t: Together, steps: Sequence[Expression], dims: Sequence[str], sizes: Mapping[str, int],
    machine: Machine, threads: int, unit_axes: UnitAxes,
) -> int | None:  # fmt: skip
    """How many points of `t` go through one step before the next one; None: `t` goes as it is, or not at all."""
    size = points_in_block(t, sizes, machine, threads, unit_axes)
    if size is None or any(not isinstance(s, Expression) for s in t.body):
        return None
    return size if not isinstance(overlapped(program, steps, dims, size), str) else None


def alternatives(
    program: Program, sizes: Mapping[str, int], machine: Machine, threads: int, chosen: tuple[Join, ...]
) -> tuple[tuple[Join, ...], ...]:  # fmt: skip
    """What else than `chosen` may be under one loop, a few of all: nothing, all that may, tiles, a loop less or cut.

    None where all arrays are far smaller than caches: nothing is gained there.
    """
    if is_near(program, sizes, machine):
        return ()
    found = dict.fromkeys(_possible(program, sizes, machine, threads, chosen))
    found.pop(chosen, None)
    legal = (joins for joins in found if _is_legal(program, sizes, machine, threads, joins))
    return tuple(joins for joins, _ in zip(legal, range(MOST_ALTERNATIVES)))


def text(joins: tuple[Join, ...]) -> str:
    """How reports name them.

    >>> text((Join((("t", "e"), ("Q", "e"))), Join((("a", "i"), ("b", "i")), 32)))
    't and Q over e; a and b over i in tiles of 32'
    """
    return "; ".join(map(_text, joins)) or "apart"


def _text(join: Join) -> str:
    over = ", ".join(dict.fromkeys(join.dims)) if join.tile is None else f"{join.dims[-1]} in tiles of {join.tile}"
    return f"{' and '.join(join.names)} over {over}"


def _possible(
    program: Program, sizes: Mapping[str, int], machine: Machine, threads: int, chosen: tuple[Join, ...]
) -> Iterator[tuple[Join, ...]]:  # fmt: skip
    everything = joined(program, sizes, machine, threads, True).joins
    yield ()
    yield everything
    names = dict(zip(map(id, expressions(program.steps)), expression_names(program)[1]))
    for tiled in overlapped_tiles(program, sizes, machine, threads, lambda *_: True):
        tiles = _of(tiled, names)
        for size in (tiled.size, max(1, tiled.size // _SMALLER_TILES)):
            others = (join for join in chosen if not set(join.names) & set(tiles.names))
            yield (*others, replace(tiles, tile=size))
    for joins in (chosen, everything):
        for n, join in enumerate(joins):
            yield (*joins[:n], *joins[n + 1 :])
            if join.tile is None:
                cuts = ((join.of[:k], join.of[k:]) for k in range(1, len(join.of)))
                parts = (tuple(Join(part) for part in cut if len(part) > 1) for cut in cuts)
                yield from ((*joins[:n], *part, *joins[n + 1 :]) for part in parts if part)


def _is_legal(
    program: Program, sizes: Mapping[str, int], machine: Machine, threads: int, joins: tuple[Join, ...]
) -> bool:  # fmt: skip
    try:
        joined(program, sizes, machine, threads, joins)
    except ConfigurationError:
        return False
    return True


def _of(tiled: Tiled, names: Mapping[int, str]) -> Join:
    return Join(tuple(zip((names[id(e)] for e in tiled.steps), tiled.dims)), tiled.size)


def _without(e: Expression, inside: Expression) -> str:
    """The dimension that `e` no longer has inside of a loop over it."""
    return next((d.name for d in e.md_hom.dims if d.name not in {d.name for d in inside.md_hom.dims}), "")


def _in_tiles(
    program: Program, said: Sequence[Join], sizes: Mapping[str, int]
) -> tuple[Program, Mapping[str, int]]:  # fmt: skip
    """With loops over tiles, and the numbers of tiles among the sizes. ConfigurationError."""
    of = dict(zip(expression_names(program)[1], expressions(program.steps)))
    for join in said:
        if join.tile is None or not set(join.names) <= of.keys():
            continue
        made = overlapped(program, [of[name] for name in join.names], join.dims, join.tile)
        if isinstance(made, str):
            raise not_joined(join, made)
        new = made.definitions[len(program.definitions) :]
        sizes = {**sizes, **{d.name: evaluate_size(d.value, sizes) for d in new}} if sizes else sizes
        program = made
    return program, sizes


def _require(said: Sequence[Join], made: Sequence[Join], program: Program) -> None:
    """ConfigurationError for computations that are to be under one loop and cannot be."""
    for join in said:
        if join in made:
            continue
        of = dict(zip(expression_names(program)[1], expressions(program.steps)))
        reason = "they overlap with others"
        if set(join.names) <= of.keys():
            reason = obstacle(program, [of[name] for name in join.names], join.dims) or reason
        raise not_joined(join, reason)


def not_joined(join: Join, reason: str) -> ConfigurationError:
    """The error for computations that cannot be under one loop."""
    texts = ", ".join(f"{name} over {dim}" for name, dim in join.of)
    return ConfigurationError(f"schedule: no one loop around {texts}: {reason}")
