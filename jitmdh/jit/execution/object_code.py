"""Code for calls from outside of Python: its text, and how a caller lays out the arguments."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from jitmdh.base.records import dataclass
from jitmdh.hca.drivers import cpu_frame
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.pipeline import facts, sizes_of, unit_axes_of, without_steps
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution.native_call import describe
from jitmdh.mdh.targets import registry

if TYPE_CHECKING:
    from jitmdh.mdh.algebra.expr import Program


@dataclass(frozen=True, slots=True)
class FramedCode:
    """LLVM IR of `i64 @kernel(ptr frame)`, and of `i64 @guard(ptr frame)`, which is called before; each returns 0.

    words: of the frame in a call with the arguments that the code was made with; starts: where each argument's begin.
    """

    text: Any
    words: tuple[int, ...]
    starts: tuple[int, ...]


def framed_code(program: Program, prepared: Prepared, fixed: Collection[str]) -> FramedCode:
    """Code for calls in which the sizes named in `fixed` are as in this one; all others may be anything, and strides of
    more than one element, too."""
    from jitmdh.mdh.compile import generate_for
    from jitmdh.mdh.lowering.configuration.shape_class import specialised

    sizes, program = sizes_of(program, prepared.arguments), without_steps(program)
    constant = specialised(program, {name: (sizes[name], sizes[name]) for name in fixed if sizes.get(name, 0) > 0})
    target, place = registry.find(registry.DEFAULT), backend_of(registry.DEFAULT).place()
    made = generate_for(target, place, constant, sizes, unit_axes_of(program, prepared.signature))
    description = describe(prepared.signature, facts(made.program or program, made.configuration(), None))
    words = cpu_frame.argument_words(description, prepared.arguments)
    assert words is not None
    left = description.frame_slots - len(words)
    return FramedCode(made.text, (*words, *[0] * left), description.argument_slots)
