"""Programs of the algebra as functions: what has no Python source (einsums, the explicit representation) is compiled,
remembered and stored like decorated functions.
"""

from __future__ import annotations

import hashlib
import inspect
from typing import Any

from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import Pipeline, interpret
from jitmdh.jit.decorator import JitFunction, make
from jitmdh.mdh.algebra.expr import Program


def function_of(program: Program, kind: str) -> JitFunction[..., Any]:
    """`program` as a function of its parameters, compiled when it is called.

    kind: which front end it comes from, part of its identity in the store. Arguments must be of the program's types.
    """

    def run(*arguments: Any) -> Any:
        return interpret(program, arguments)

    names = [p.name for p in program.parameters]
    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
    run.__name__ = run.__qualname__ = program.name
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    digest = hashlib.sha256(repr(program).encode()).hexdigest()
    pipeline = Pipeline(lambda *_: program, None, lambda _: f"{kind} {digest}", interpretable=True)
    return make(run, Options(), pipeline)
