"""How functions of the table are computed: by the function of that name in one of the modules of this package.

`f` computes in float64; `f_32` of float32, without a detour; `f_briefly` of float32 in float64 with fewer terms;
`f_rare`: lanes to leave to the target's library. Where there is none but `f`, float32 goes through float64 and is
rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.targets.math import elementary, powers, special, trigonometry
from jitmdh.mdh.targets.math.lanes import Floats, Mask

MODULES = (elementary, powers, special, trigonometry)
Body = Callable[..., Floats]


@dataclass(frozen=True, slots=True)
class Method:
    """body: in float64; short: of float32, without a detour; brief: of float32 in float64 with fewer terms; rare: lanes
    to leave alone."""

    body: Body
    short: Body | None = None
    brief: Body | None = None
    rare: Callable[..., Mask] | None = None

    def result(self, arguments: list[Floats]) -> tuple[Floats, Mask | None]:
        """Of arguments of 32 or 64 bits each: the result with as many, and the lanes where it does not hold."""
        bits = arguments[0].bits
        wide = arguments if bits == 64 or self.short is not None else [a.widened() for a in arguments]
        body = self.body if bits == 64 else self.short or self.brief or self.body
        result = body(*wide)
        if result.bits != bits:
            result = result.narrowed()
        return result, None if self.rare is None else self.rare(*wide)


@cache
def method(op: str) -> Method | None:
    """How `op` is computed; None where there is no function of that name."""
    row = OPERATIONS.get(op)
    module = next((m for m in MODULES if row is not None and row.units is not None and hasattr(m, op)), None)
    if module is None:
        return None
    return Method(getattr(module, op), *(getattr(module, f"{op}_{way}", None) for way in ("32", "briefly", "rare")))
