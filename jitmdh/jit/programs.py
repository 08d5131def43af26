"""Programs of the algebra as functions: what has no Python source (einsums, the explicit representation) is compiled,
remembered and stored like decorated functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import of_deferred, of_program
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.mdh.algebra.expr import Program


def function_of(program: Program, kind: str, extents_known: bool = False) -> JitFunction[..., Any]:
    """`program` as a function of its parameters, compiled when it is called.

    kind: which front end it comes from, part of its identity in the store. Arguments must be of the program's types.
    extents_known: arrays have the same extents in all calls, but perhaps along the first axis.
    """
    run, pipeline = of_program(program, kind, extents_known)
    return make(run, Options(), pipeline)


def function_of_deferred(
    name: str, names: Sequence[str], fingerprint: str, program: Callable[[], Program], extents_known: bool = False
) -> JitFunction[..., Any]:
    """As `function_of`, of a program that is made when it is first asked for: not at all where there is code in the
    store. fingerprint: that of the program (`pipeline.fingerprint_of`); names: of its parameters."""
    run, pipeline = of_deferred(name, names, fingerprint, program, extents_known)
    return make(run, Options(), pipeline)
