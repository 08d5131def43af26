"""Schedules as functions: `from jitmdh import schedule as s`.

>>> import numpy as np
>>> import jitmdh as mdh
>>> def matmul(C, A, B):
...     for i in range(A.shape[0]):
...         for j in range(B.shape[1]):
...             for k in range(A.shape[1]):
...                 C[i, j] += A[i, k] * B[k, j]
>>> C, A, B = np.zeros((100, 90)), np.ones((100, 80)), np.ones((80, 90))
>>> fast = build(matmul, C, A, B).tile(i=32, j=32, k=16).interchange("k", "j").vectorize("j").sequential()
>>> print(fast)
// matmul: i ++, j ++, k •(add)
for (i.0 = 0; i.0 < 100; i.0 += 32)
    for (j.0 = 0; j.0 < 90; j.0 += 32)
        for (k.0 = 0; k.0 < 80; k.0 += 16)
            for (i = i.0; i < min(i.0 + 32, 100); i++)
                for (k = k.0; k < min(k.0 + 16, 80); k++)
                    for (j = j.0; j < min(j.0 + 32, 90); j++)  // ? lanes
                        C[i, j] •(add)= f(A[i, k], B[k, j]);
>>> mdh.jit(schedule=fast)(matmul)(C, A, B)
>>> bool((C == 80).all())
True
"""

from __future__ import annotations

from jitmdh.base.source import Loc
from jitmdh.jit.schedule import build, of
from jitmdh.mdh.lowering.across import Across, compute_at, distribute, fuse_inner, fuse_outer, inline, store
from jitmdh.mdh.lowering.compare import Comparison, compare
from jitmdh.mdh.lowering.nest.chain import Transformation, compose
from jitmdh.mdh.lowering.nest.conditions import inside
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowering.nest.steps import Step
from jitmdh.mdh.lowering.nest.values import Among, Any, Between, Divisors
from jitmdh.mdh.lowering.nests import Nests
from jitmdh.mdh.lowering.transform.computation import Array, Axis, Computation

__all__ = [
    "Across", "Among", "Any", "Array", "Axis", "Between", "Comparison", "Computation", "Divisors", "Loc", "Nest",
    "Nests", "Step", "Transformation", "accumulators", "among", "any", "assign", "attempt", "between", "build",
    "choice", "compare", "compose", "compute_at", "distribute", "divisors", "fix", "fuse_inner", "fuse_outer",
    "in_place", "inline", "inside", "interchange", "interchange_n", "lanes_over", "of", "pack", "parallelize",
    "points", "read_from", "reorder", "repeat", "sequential", "stage", "store", "stripmine", "stripmine_n", "threads",
    "tile", "unroll", "unroll_and_jam", "vectorize", "where", "write_to",
]  # fmt: skip

_waiting = Transformation()
accumulators, assign, attempt, choice, fix = (
    _waiting.accumulators, _waiting.assign, _waiting.attempt, _waiting.choice, _waiting.fix
)  # fmt: skip
stripmine_n, interchange_n = _waiting.stripmine_n, _waiting.interchange_n
interchange, lanes_over, pack, parallelize, points = (
    _waiting.interchange, _waiting.lanes_over, _waiting.pack, _waiting.parallelize, _waiting.points
)  # fmt: skip
read_from, reorder, repeat, sequential, stage = (
    _waiting.read_from, _waiting.reorder, _waiting.repeat, _waiting.sequential, _waiting.stage
)  # fmt: skip
stripmine, threads, tile, unroll, unroll_and_jam = (
    _waiting.stripmine, _waiting.threads, _waiting.tile, _waiting.unroll, _waiting.unroll_and_jam
)  # fmt: skip
vectorize, where, write_to, in_place = _waiting.vectorize, _waiting.where, _waiting.write_to, _waiting.in_place

any, divisors = Any(), Divisors()
among, between = Among, Between
