"""Computations in another element type: the text of a module of nests with `np.float32` replaced."""

from __future__ import annotations

import functools
import linecache
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType


@functools.cache
def module_in(dtype: str, name: str) -> ModuleType:
    """`benchmarks.<name>` with accumulators and constants of type `dtype`, "float32" or "float64"."""
    module = import_module(f"benchmarks.computations.{name}")
    if dtype == "float32":
        return module
    assert module.__file__ is not None
    text = Path(module.__file__).read_text().replace("np.float32", f"np.{dtype}")
    made = ModuleType(f"benchmarks.{name}_{dtype}")
    made.__file__ = f"<{name} in {dtype}>"
    linecache.cache[made.__file__] = (len(text), None, text.splitlines(keepends=True), made.__file__)
    sys.modules[made.__name__] = made
    exec(compile(text, made.__file__, "exec"), made.__dict__)
    return made
