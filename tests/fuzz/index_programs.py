"""Random programs about arrays as subscripts where loops around them do not run, and arrays have no or few elements.

What is read or written once a loop has ended must not be looked at where Python, which would do so inside, never got.
"""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

OUTER = ("range(n)", "range(m)", "range(n - 2)", "range(m, n)", "range(0, n, 2)", "range(1, n)", "range(n, 0, -1)")
INNER = (*OUTER, "range(i)", "range(i + 1, n)", "range(i - 1)", "range(p[i], p[i + 1])", "range(2 - i)", "range(3)")
STATEMENTS = ("h[b[i]] {o} {v}", "h[b[i]] {o} {v}", "h[b[i - 1]] {o} {v}", "h[b[{j}]] {o} {v}", "H[b[i], {j}] {o} {v}",
              "h[b[c[i]]] {o} {v}", "s {o} {v}", "y[i] {o} {v}", "y[{j}] {o} {v}", "h[0] {o} {v}", "h[b[3]] {o} {v}",
              "h[b[i]] = max(h[b[i]], {v})")  # fmt: skip
VALUES = ("1", "2.5", "x[b[i]]", "x[b[{j}]]", "x[i]", "x[{j}]", "x[b[c[{j}]]]", "x[b[i - 1]]", "H[b[i], b[{j}]]",
          "h[b[i]] + 1")  # fmt: skip
CONDITIONS = ("i > 2", "n > 2", "x[b[i]] > 0", "b[i] > 0", "{j} > 1", "i + {j} > 3", "i + {j} < len(b)", "x[{j}] > 0")
SIZES = (0, 0, 1, 2, 4, 7)
TYPES = ("float64", "float64", "float32", "float16", "complex128", "int64", "int8")


def program(choices: Seeded) -> Program:
    pick, number = choices.pick, choices.number
    loops = [("i", pick(OUTER)), *((v, pick(INNER)) for v in ("j", "k")[: number(1, 2)])]
    inner = pick(("j", loops[-1][0]))
    lines = ["def program(h, H, y, x, b, c, p, n, m):", f"    s = {pick(('0', '0.0', '1', 'h[0]'))}"]
    condition = pick(CONDITIONS) if number(0, 1) else ""
    at, indent = number(0, len(loops) - 1), 1
    for depth, (name, counted) in enumerate(loops):
        lines.append("    " * indent + f"for {name} in {counted}:")
        indent += 1
        if depth == at and condition and ("{j}" not in condition or inner in [n for n, _ in loops[: depth + 1]]):
            lines.append("    " * indent + f"if {condition.format(j=inner)}:")
            indent += 1
        if number(0, 6) == 0:
            lines.append("    " * indent + "y[0] = 1")
    if number(0, 7) == 0:
        lines.append("    " * indent + f"if {pick(('x[b[i]] > 3', 'b[i] == 7'))}:")
        lines.append("    " * (indent + 1) + "break")
    operator, value = pick(("+=", "+=", "+=", "=", "*=", "-=")), pick(VALUES).format(j=inner)
    lines.append("    " * indent + pick(STATEMENTS).format(j=inner, o=operator, v=value))
    if number(0, 2) == 0:
        lines.append("    " * number(1, indent) + pick(("y[0] += h[b[0]]", "y[0] = s", "s = h[b[0]]")))
    return Program("\n".join((*lines, "    return s")) + "\n", _arguments(choices))


def _arguments(choices: Seeded) -> dict[str, Array | str]:
    pick, number = choices.pick, choices.number
    type, seed, roomy = pick(TYPES), number(0, 999), number(0, 1) == 0

    def size(enough: int) -> int:
        return enough if roomy or number(0, 3) else pick(SIZES)

    cells, indices = (max(4, pick(SIZES)), 9) if roomy else (pick(SIZES), pick(SIZES))
    largest = max(1, cells if number(0, 3) else 2)
    return {
        "h": Array(type, (cells,)),
        "H": Array(type, (cells, pick((0, 3, 9)))),
        "y": Array(type, (size(9),)),
        "x": Array(pick((type, "float64")), (size(9),), seed=seed),
        "b": Array(pick(("int64", "int32", "uint8")), (indices,), f"cells {largest}", seed),
        "c": Array("int64", (pick(SIZES),), "cells 2", seed + 1),
        "p": Array("int64", (size(10),), pick(("zeros", "ones", "cells 3")), seed),
        "n": str(pick((0, 1, 2, 3, 5))),
        "m": str(pick((-1, 0, 0, 1, 2, 4))),
    }
