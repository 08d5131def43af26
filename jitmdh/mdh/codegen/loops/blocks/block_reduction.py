"""What several blocks have of the same results (R2): each writes its part to memory, and a second grid combines them.

float parts[k_blocks * i_extent];
grid for (long block = 0; …)                 parts[k_block * i_extent + i] = acc;
grid for (long block = 0; …)                 for (part …) acc = acc + parts[part * i_extent + i];   w[i] = acc;
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, MdHom
from jitmdh.mdh.algebra.groups import groups, passing
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import Apply, Name, Scratch, Statement, Value
from jitmdh.mdh.lowlevel.expr import LowLevel, Part

_THREADS, _RESULTS = 256, 32  # of a block of the second grid, and how many of them have results of their own


@dataclass(frozen=True, slots=True)
class PartialResults:
    """The arrays in between: parts[number of the part, *where the result is].

    buffers, types: of each component of the state; own: the accesses by which a block writes its part; each: those by
    which any is read, `number` of them; count: of parts.
    """

    expression: Expression
    buffers: tuple[str, ...]
    types: tuple[ScalarType, ...]
    own: tuple[Access, ...]
    each: tuple[Access, ...]
    number: Name
    count: str
    sizes: tuple[Value, ...]

    @staticmethod
    def of(
        expression: Expression, scope: Scope, extents: Mapping[str, Value], numbers: Sequence[tuple[Value, Value]]
    ) -> PartialResults:
        """numbers: which part a block has along each dimension that blocks share, and of how many."""
        number, count = numbers[0]
        for which, among in numbers[1:]:
            number, count = add(multiply(number, among), which), multiply(count, among)
        named = scope.fresh("part_of_block"), scope.fresh("parts_of_blocks")
        any, again = scope.fresh("any_part_of_block"), scope.index("part")
        scope.sizes |= dict(zip((*named, any), (number, count, again)))
        types = groups(expression)[0].operator.types
        sizes = (count, *(extents[d] for d in expression.remaining))
        buffers = tuple(scope.fresh("parts") for _ in types)
        for buffer, type in zip(buffers, types):
            scope.types[buffer], scope.strides[buffer] = type, _strides(sizes)
        own, each = (
            tuple(Access(buffer, (Affine.of(part), *map(Affine.of, expression.remaining))) for buffer in buffers)
            for part in (named[0], any)
        )
        return PartialResults(expression, buffers, types, own, each, again, named[1], sizes)

    def combining(self) -> LowLevel:
        """The second grid: neighbouring threads have neighbouring results, or else neighbouring parts of one."""
        e = self.expression
        kept = [axis for axis, d in enumerate(e.md_hom.dims) if d.name in e.remaining]
        gone = next(axis for axis, d in enumerate(e.md_hom.dims) if d.name not in e.remaining)
        over = Dim(self.count, Affine.of(self.count))
        dims = (*(e.md_hom.dims[axis] for axis in kept), over)
        index = tuple(Affine.of(d.name) for d in (over, *dims[:-1]))
        shape = tuple(d.extent for d in (over, *dims[:-1]))
        second = replace(
            e,
            buffers=(*e.buffers, *(Buffer(n, t, shape) for n, t in zip(self.buffers, self.types))),
            inp_view=tuple(Access(buffer, index) for buffer in self.buffers),
            md_hom=MdHom(dims, passing(self.types), (*(e.md_hom.combine[a] for a in kept), e.md_hom.combine[gone])),
        )
        return LowLevel(second, _second_parts(e.remaining, over.name))

    def around(self, body: Sequence[Statement]) -> list[Statement]:
        """`body`, in which the arrays are."""
        whole, inner = self.sizes[0], tuple(body)
        for size in self.sizes[1:]:
            whole = Apply("capped_mul", (whole, size), whole.type)
        for buffer, type in zip(reversed(self.buffers), reversed(self.types)):
            inner = (Scratch(buffer, type, whole, inner, "MM"),)
        return list(inner)


def _strides(sizes: Sequence[Value]) -> tuple[Value, ...]:
    """Of an array of these sizes, row by row."""
    step: Value = integer(1)
    found: list[Value] = []
    for size in reversed(sizes):
        found.insert(0, step)
        step = multiply(step, size)
    return tuple(found)


def _second_parts(remaining: Sequence[str], over: str) -> tuple[Part, ...]:
    if not remaining:
        return Part("DEV", over, _THREADS, "loop"), Part("THR", over, 1, "thread")
    *others, last = remaining
    return (
        *(Part("BLK", name, 1, "block") for name in others),
        Part("BLK", last, _RESULTS, "block"),
        Part("DEV", over, _THREADS // _RESULTS, "loop"),
        Part("THR", over, 1, "thread"),
        Part("THR", last, 1, "thread"),
    )
