"""`program(seed)`: one program of all kinds that the laws have generators for, often changed a little."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import (
    array_programs,
    call_programs,
    everyday_programs,
    forms,
    function_programs,
    idiom_programs,
    index_programs,
    mutate,
    name_programs,
    pass_programs,
    place_programs,
    procedure_programs,
    range_programs,
    writing_programs,
)
from tests.fuzz.program import LAYOUTS, Array, Program
from tests.laws import extreme_programs, program_expressions, python_programs, weak_programs
from tests.laws.choices import Seeded
from tests.laws.program_data import Source

FAMILIES = [
    *program_expressions.FAMILIES,
    *program_expressions.FAMILIES,
    ["float16"],
    ["float16", "float32"],
    ["bool"],
    ["uint16"],
]
SIZES = (5, 0, 1, 2, 3, 4, 7, 8, 11, 13, 16, 17, 31, 33, 67)
MOST = {1: 67, 2: 33, 3: 13, 4: 7}
"""Extents of deep nests, which Python has to run, too."""
OWN_SEEDS = (
    ("indices", index_programs.program), ("procedures", procedure_programs.program),
    *(("names", name_programs.program),) * 2, ("ranges", range_programs.program),
    *(("places", place_programs.program),) * 2, *(("writing", writing_programs.program),) * 2,
    *(("passes", pass_programs.program),) * 2, *(("idioms", idiom_programs.program),) * 3,
    ("calls", call_programs.program), ("functions", function_programs.program),
)  # fmt: skip
"""Kinds that came later: the others of before are drawn from the same seeds."""


def kind_of(seed: int) -> int:
    """The place of a seed's kind in OWN_SEEDS; beyond them: one of before."""
    return Seeded(f"kind {seed}").number(0, 17)


def program(seed: int) -> Program:
    if kind_of(seed) < len(OWN_SEEDS):
        name, draw = OWN_SEEDS[kind_of(seed)]
        choices = Seeded(f"{name} {seed}")
        return replace(draw(choices), options=options(choices))
    choices = Seeded(f"program {seed}")
    everyday, arrays = everyday_programs.program, array_programs.program
    draw = choices.pick((loops, loops, loops, loops, everyday, everyday, everyday, weak, arrays, arrays, extreme))
    found: Program = draw(choices)
    if draw is not extreme and choices.number(0, 1):
        for _ in range(choices.pick((1, 1, 2, 3))):
            found = (mutate.changed if choices.number(0, 3) else forms.other_form)(found, choices)
    return replace(found, options=options(choices))


def options(choices: Seeded) -> tuple[dict[str, Any], ...]:
    """How the function is decorated and run: options of `@mdh.jit`, and the fuzzer's own (`stages`).

    Few are compiled with LLVM's optimisations and checked after each step, and value ranges are found in one or two
    of the ways, which are compared with the others: both take most of the time.
    """
    schedule = choices.number(0, 9999)
    found: list[dict[str, Any]] = [{}, choices.pick(({"deterministic": True}, {"reassociate": False}))]
    found.append({"schedule": schedule, "threads": choices.pick((1, 2, 7)), "check_memory": True})
    opencl = choices.number(0, 39) == 0  # which takes as long as several others
    found.append({"target": "opencl"} if opencl else {"schedule": schedule + 1})
    thorough = choices.number(0, 15)
    if choices.number(0, 3) == 0:
        found.append({"interpreted": True})
    narrowed = choices.number(0, 2 * len(found))
    if choices.number(0, 15) == 0:
        found[1] = {**found[1], "callers": choices.pick((2, 4))}
    if choices.number(0, 5) == 0:
        found[0] = {**found[0], "others": schedule}
    hasty = {"optimised": False, "checked": False}
    return tuple(
        (o if n == thorough else {**o, **hasty}) | ({} if n in (0, narrowed, thorough) else {"narrowed": False})
        for n, o in enumerate(found)
    )


# ------------------------------------------------------------------------------------------------- kinds


def loops(choices: Seeded) -> Program:
    elementwise = choices.number(0, 4) == 0
    source = python_programs.source(choices, FAMILIES, elementwise)
    most = MOST[max(1, source.depth)]
    sizes = {name: choices.pick([n for n in SIZES if n <= most]) for name in source.sizes}
    special = elementwise and choices.number(0, 1) == 0
    found = Program(source.text, _arguments(choices, source, sizes, special))
    for change in (_shared, _recorded):
        if choices.number(0, 5) == 0:
            found = change(choices, found)
    return found


def _arguments(choices: Seeded, source: Source, sizes: dict[str, int], special: bool) -> dict[str, Array | str]:
    slack = choices.pick((0, 0, 0, 0, 0, 1, 3, -1))
    fill = "special" if special else "powers" if source.products else "small"
    made: dict[str, Array | str] = {}
    for a in source.arrays:
        shape = a.shape(sizes, 0 if a.exact else slack)
        layouts = LAYOUTS[:6] if a.written else LAYOUTS[:7]
        layout = choices.pick(layouts) if choices.number(0, 3) == 0 else "C"
        if choices.number(0, 60) == 0:
            layout = choices.pick(("swapped", "readonly"))
        made[a.name] = Array(a.type, shape, f"cells {a.cells}" if a.cells else fill, choices.number(0, 999), layout)
    for name, kind in source.scalars:
        value = choices.pick((1, 2, -1, -2, 0))
        type = kind if kind in ("int", "float", "complex") else f"np.{kind}"
        unsigned = kind.startswith("u") or kind == "bool"
        made[name] = f"{value / 2}" if kind == "float" else f"{value}" if kind == "int" else (
            f"{type}({abs(value) if unsigned else value})".replace("np.bool(", "np.bool_("))  # fmt: skip
    return made | {name: str(sizes[name]) for name in source.sizes_given}


def _shared(choices: Seeded, found: Program) -> Program:
    """Two arrays of a type in the same memory, so many elements or bytes from each other."""
    arrays = [(n, a) for n, a in found.arguments.items() if isinstance(a, Array) and not a.fill.startswith("cells")]
    pairs = [(n, m) for k, (n, a) in enumerate(arrays) for m, b in arrays[k + 1 :] if a.dtype == b.dtype]
    if not pairs:
        return found
    first, second = choices.pick(pairs)
    a = found.arguments[second]
    assert isinstance(a, Array)
    shift = choices.number(-3, 3) * a.type.itemsize + choices.pick((0, 0, 0, 1))
    return replace(found, arguments={**found.arguments, second: replace(a, of=first, shift=shift, layout="C")})


def _recorded(choices: Seeded, found: Program) -> Program:
    """Arrays of one rank as fields of an array of records, which is read and written as `r[i]["x"]` or `r["x"][i]`."""
    arrays = [
        (n, a) for n, a in found.arguments.items() if isinstance(a, Array) and not a.of and a.layout != "broadcast"
    ]
    chosen = [n for n, a in arrays if len(a.shape) == 1 and not n.startswith("s_")][: choices.number(1, 3)]
    if not chosen or any(isinstance(a, Array) and a.of for a in found.arguments.values()):
        return found
    given = [a for n in chosen if isinstance(a := found.arguments[n], Array)]
    shape = (max(a.shape[0] for a in given),)
    fields = str([(n, np.dtype(a.dtype).str) for n, a in zip(chosen, given)])
    rest = {n: a for n, a in found.arguments.items() if n not in chosen}
    fill = next((a.fill for a in given if a.fill.startswith("cells")), given[0].fill)
    layout = choices.pick(("C", "C", "strided", "reversed", "misaligned"))
    text = mutate.with_fields(found.text, chosen, choices.number(0, 1) == 0)
    return Program(text, {"rec": Array(fields, shape, fill, given[0].seed, layout), **rest})


def weak(choices: Seeded) -> Program:
    made = weak_programs.program(Random(choices.number(0, 2**40)))
    arguments: dict[str, Array | str] = {n: Array(t, (made.length,), "extremes", made.seed) for n, t in made.types}
    for name, value in made.numbers:
        arguments[name] = f"np.{value.dtype.name}({value.item()})".replace("np.bool(", "np.bool_(") if isinstance(
            value, np.generic) else repr(value)  # fmt: skip
    return Program(made.text, arguments)


def extreme(choices: Seeded) -> Program:
    made = extreme_programs.program(choices)
    arguments: dict[str, Array | str] = {"o": Array("int64", (made.size,), "zeros")}
    return Program(made.text, arguments | {f"n{k}": str(n) for k, n in enumerate(made.arguments)})
