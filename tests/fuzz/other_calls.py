"""Other calls of one function: what was compiled for the arguments of before is asked whether it serves these, too.

Native code looks at types, strides, alignment, sizes and shared memory of each call; these differ in one or several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

CALLS = 3
SIZES = (0, 1, 2, 3, 5, 8, 17)


def other_calls(program: Program, seed: int) -> Iterator[Program]:
    """The same program with other arguments, one change after the other."""
    choices = Seeded(f"other calls {seed}")
    for _ in range(CALLS):
        change = choices.pick((_laid_out, _laid_out, _resized, _resized, _sharing, _filled))
        program = change(program, choices)
        yield program


def _arrays(program: Program) -> dict[str, Array]:
    return {name: a for name, a in program.arguments.items() if isinstance(a, Array)}


def _laid_out(program: Program, choices: Seeded) -> Program:
    """An array lies in memory in another way."""
    arrays = _arrays(program)
    if not arrays:
        return program
    name = choices.pick([*arrays])
    layout = choices.pick(("C", "F", "reversed", "strided", "inner", "misaligned"))
    return replace(program, arguments={**program.arguments, name: replace(arrays[name], layout=layout, of="")})


def _resized(program: Program, choices: Seeded) -> Program:
    """An extent is another one, wherever it is one; most numbers that are equal to it, too."""
    arrays = _arrays(program)
    extents = sorted({n for a in arrays.values() for n in a.shape})
    if not extents:
        return program
    old, new = choices.pick(extents), choices.pick(SIZES)
    made: dict[str, Array | str] = {}
    for name, a in program.arguments.items():
        if isinstance(a, Array):
            made[name] = replace(a, shape=tuple(new if n == old else n for n in a.shape))
        else:
            made[name] = str(new) if a == str(old) and choices.number(0, 3) else a
    return replace(program, arguments=made)


def _sharing(program: Program, choices: Seeded) -> Program:
    """Two arrays of a type lie in the same memory, so many elements from each other; or none does any more."""
    arrays = _arrays(program)
    pairs = [(n, m) for n, a in arrays.items() for m, b in arrays.items() if n < m and a.dtype == b.dtype]
    if not pairs:
        return program
    first, second = choices.pick(pairs)
    apart = {n: replace(a, of="") for n, a in arrays.items()}
    if arrays[second].of or choices.number(0, 4) == 0:
        return replace(program, arguments={**program.arguments, **apart})
    shift = choices.number(-2, 2) * arrays[first].type.itemsize
    shared = replace(apart[second], of=first, shift=shift, layout="C")
    return replace(program, arguments={**program.arguments, **apart, second: shared})


def _filled(program: Program, choices: Seeded) -> Program:
    """An array has other elements."""
    arrays = _arrays(program)
    if not arrays:
        return program
    name = choices.pick([*arrays])
    changed = replace(arrays[name], seed=choices.number(0, 999))
    return replace(program, arguments={**program.arguments, name: changed})
