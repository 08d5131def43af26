"""Questions to islpy about sets of integer points. Imported only when a quick answer does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from jitmdh.base.process.signals import import_whole
from jitmdh.mdh.algebra.index import Affine, is_size

if TYPE_CHECKING:
    import islpy
else:
    islpy = import_whole("islpy")


def has_solution(equations: Iterable[Affine], inequalities: Iterable[Affine]) -> bool:
    """Whether integers exist with all equations = 0 and all inequalities ≥ 0; names of sizes are not negative.

    >>> i = Affine.of("i")
    >>> has_solution([2 * i - 1], []), has_solution([], [i, 3 - i])
    (False, True)
    """
    equations, inequalities = list(equations), list(inequalities)
    names = sorted({n for e in (*equations, *inequalities) for n in e.names})
    plain = {name: f"x{n}" for n, name in enumerate(names)}
    inequalities += [Affine.of(n) for n in names if is_size(n)]

    def text(e: Affine) -> str:
        return " + ".join([str(e.constant), *(f"{c}*{plain[n]}" for n, c in e.terms)])

    constraints = [f"{text(e)} = 0" for e in equations] + [f"{text(e)} >= 0" for e in inequalities]
    found = islpy.BasicSet(f"{{ [{', '.join(plain.values())}] : {' and '.join(constraints) or 'true'} }}")
    return not found.is_empty()
