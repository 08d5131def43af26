"""Names that stand for something else after an iteration, and are no numbers or arrays: None and then an array.

best = None
for i in range(n):
    if x[i] > limit:
        best = x[i]         neither None nor a number in the next iteration, nor behind the loop

Such a name has no usable value when an iteration begins, nor behind the loop. One that each iteration sets before it is
read is no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from jitmdh.mdh.frontend.python.inlining import flattened
from jitmdh.mdh.frontend.python.tracer import ArrayRef, Lazy, Poison, SymbolicValue, Tracer


def changed(
    t: Tracer, node: ast.For | ast.While, before: Mapping[str, SymbolicValue], carried: Collection[str] = ()
) -> tuple[list[str], dict[str, Poison]]:
    """At the end of an iteration: names that stand for other arrays now, and what stands for those that are none.

    before: what names stood for when it began; carried: those whose numbers are known to go from one to the next.
    """
    renamed: list[str] = []
    others: dict[str, Poison] = {}
    for name, old in before.items():
        new = t.env.get(name, old)
        if new is old or new == old or isinstance(old, Poison) or name in carried:
            continue
        if isinstance(new, Poison):
            others[name] = new
        elif isinstance(old, ArrayRef | Lazy) and isinstance(new, ArrayRef | Lazy):
            renamed.append(name)
        elif not flattened(old):
            text = f"`{name}` may be something else after an iteration of the loop in line {node.lineno}"
            others[name] = Poison(text, "give it one array or number in all iterations, and a flag that says which")
    return renamed, others
