"""Imports inside of functions: names for modules that are loaded already, and for what these have."""

from __future__ import annotations

import ast
from types import ModuleType

from jitmdh.mdh.frontend.python.tracer import Static, SymbolicValue, Tracer

_HINT = "import at the top of the file"


def run(t: Tracer, node: ast.Import | ast.ImportFrom) -> None:
    """`import numpy as np`, `import os.path`, `from math import sqrt`."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            found = _module(t, node, alias.name)
            t.env[alias.asname or top] = Static(found if alias.asname else _module(t, node, top))
        return
    if node.level or node.module is None:
        t.error(node, "a relative import is not supported in a compiled function", hint=_HINT)
    module = _module(t, node, node.module)
    for alias in node.names:
        t.env[alias.asname or alias.name] = _attribute(t, node, module, alias.name)


def _module(t: Tracer, node: ast.stmt, name: str) -> ModuleType:
    found = t.environment.module(name)
    if found is None:
        reason = "it is not loaded yet, and loading it runs its code"
        t.error(node, f"importing `{name}` is not supported in a compiled function", reason, _HINT)
    return found


def _attribute(t: Tracer, node: ast.ImportFrom, module: ModuleType, name: str) -> SymbolicValue:
    """What a module has under a name, as if the module had a name here."""
    if name == "*":
        t.error(node, "`import *` is not supported in a compiled function", hint=_HINT)
    before = t.env.get("%module")
    t.env["%module"] = Static(module)
    hidden = ast.Attribute(ast.Name("%module", ast.Load()), name, ast.Load())
    for part in ast.walk(hidden):
        ast.copy_location(part, node)
    value = t.evaluate(hidden)
    if before is None:
        del t.env["%module"]
    else:
        t.env["%module"] = before
    return value
