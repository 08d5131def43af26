"""Store coalescing: stores of a tile that are contiguous in memory, and non-temporal ones.

What lies across cache lines can be moved into whole ones:

    store16(&y[at], a);  store16(&y[at + s], b);  store16(&y[at + s*2], c)
 →  if (s == 16) store_run(&y[at], a, b, c) else …

Addresses of streaming stores are looked at once, before the first of them: between branches LLVM would move the
arithmetic to the stores that use it, and what the results of a tile have in common would wait on the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from jitmdh.mdh.kernel.arithmetic import both, compare, integer
from jitmdh.mdh.kernel.ir import Apply, If, Literal, Misalignment, Statement, Store, StoreRun, Value

# Fewer stores than this are as fast across lines: the two ends of a run cost an instruction each.
_SHORTEST = 4

Linear = tuple[int, dict[Value, int]]


def coalesced(statements: Sequence[Statement], alone: bool = True) -> list[Statement]:
    """`statements` with runs of stores made explicit; requires that no store touches what another one does.

    alone: single vectors, too, are where they can be streamed.
    """
    out: list[Statement] = []
    run: list[Store] = []
    for statement in statements:
        if isinstance(statement, Store) and _joins(run, statement):
            run.append(statement)
            continue
        out += _written(run, alone)
        run = []
        if isinstance(statement, Store) and _plain(statement):
            run = [statement]
        else:
            out.append(statement)
    return _together([*out, *_written(run, alone)])


def nontemporal_aligned(
    statements: Sequence[Statement], otherwise: Callable[[Sequence[Statement]], list[Statement]]
) -> list[Statement]:
    """`statements`, where all streaming stores are at aligned addresses; as `otherwise` writes them where not all are.

    Requires that nothing but streaming stores follows the first of them.
    """
    first = next((n for n, s in enumerate(statements) if isinstance(s, Store) and s.streaming), len(statements))
    stores = [s for s in statements[first:] if isinstance(s, Store) and s.streaming]
    if len(stores) < 2 or len(stores) != len(statements) - first:
        return otherwise(statements)
    condition: Value | None = None
    rows: list[Store] = []
    for store in stores:
        if not any(_multiple(store.offset, row.offset, store.value.lanes) for row in rows):
            rows.append(store)
            behind = Misalignment(store.buffer, store.offset, store.value.lanes)
            condition = both(condition, compare("eq", behind, integer(0)))
    assert condition is not None
    aligned = tuple(replace(s, aligned=True) for s in stores)
    return [*statements[:first], If(condition, aligned, tuple(otherwise(stores)))]


def _multiple(left: Value, right: Value, lanes: int) -> bool:
    """Whether two places are whole vectors apart."""
    constant, atoms = _difference(left, right)
    return not atoms and constant % lanes == 0


def _plain(store: Store) -> bool:
    return store.value.lanes > 1 and store.mask is None and store.stride == Literal(1)


def _joins(run: list[Store], store: Store) -> bool:
    """Whether `store` can be the next of the run: for some values of strides it lies right behind the last one."""
    if not run or not _plain(store):
        return False
    first, last = run[0], run[-1]
    if (store.buffer, store.value.type, store.value.lanes) != (first.buffer, first.value.type, first.value.lanes):
        return False
    if store.streaming != first.streaming:
        return False
    lanes = store.value.lanes
    constant, atoms = _difference(store.offset, last.offset)
    if not atoms:
        return constant == lanes
    # The next row, for one stride; rows that are runs by themselves do not depend on that.
    row = 1
    while row < len(run) and not _difference(run[-row].offset, run[-row - 1].offset)[1]:
        row += 1
    widest = _SHORTEST - 1 if store.streaming else 1
    return row <= widest and constant == lanes * (1 - row) and list(atoms.values()) == [1]


def _written(run: list[Store], alone: bool) -> list[Statement]:
    single = tuple(run) if alone else tuple([replace(store, streaming=False) for store in run])
    if len(run) < _SHORTEST:
        return list(single)
    condition: Value | None = None
    steps = [_difference(y.offset, x.offset) for x, y in pairwise(run)]
    for atom, rest in dict.fromkeys((a, constant) for constant, atoms in steps for a in atoms):
        condition = both(condition, compare("eq", atom, integer(run[0].value.lanes - rest)))
    together = StoreRun(run[0].buffer, run[0].offset, tuple(s.value for s in run), run[0].streaming)
    return [together] if condition is None else [If(condition, (together,), single)]


def _together(statements: Sequence[Statement]) -> list[Statement]:
    """Runs one after the other that are runs under the same condition: it is asked once."""
    out: list[Statement] = []
    for statement in statements:
        last = out[-1] if out else None
        if isinstance(statement, If) and isinstance(last, If) and statement.condition == last.condition:
            statement = If(last.condition, (*last.then, *statement.then), (*last.otherwise, *statement.otherwise))
            out.pop()
        out.append(statement)
    return out


def _difference(left: Value, right: Value) -> Linear:
    atoms: dict[Value, int] = {}
    constant = _added(left, 1, atoms) + _added(right, -1, atoms)
    return constant, {a: n for a, n in atoms.items() if n}


def linear(value: Value) -> Linear:
    """`constant + Σ coefficient·atom`."""
    atoms: dict[Value, int] = {}
    return _added(value, 1, atoms), atoms


def _added(value: Value, scale: int, atoms: dict[Value, int]) -> int:
    """Adds `scale` times the coefficients of `value` to those of atoms; so much of the constant."""
    if isinstance(value, Literal):
        return scale * int(value.value)  # type: ignore[arg-type]
    if isinstance(value, Apply) and value.op == "add":
        return _added(value.operands[0], scale, atoms) + _added(value.operands[1], scale, atoms)
    if isinstance(value, Apply) and value.op == "mul" and isinstance(value.operands[1], Literal):
        return _added(value.operands[0], scale * int(value.operands[1].value), atoms)  # type: ignore[arg-type]
    atoms[value] = atoms.get(value, 0) + scale
    return 0
