"""The computations of `suite.py` in another element type: the same text with `np.float32` replaced."""

from __future__ import annotations

import functools
import linecache
import sys
from pathlib import Path
from types import ModuleType

from benchmarks import suite


@functools.cache
def suite_in(dtype: str) -> ModuleType:
    """The module `suite` with accumulators and constants of type `dtype`, "float32" or "float64"."""
    if dtype == "float32":
        return suite
    text = Path(suite.__file__).read_text().replace("np.float32", f"np.{dtype}")
    made = ModuleType(f"benchmarks.suite_{dtype}")
    made.__file__ = f"<suite in {dtype}>"
    linecache.cache[made.__file__] = (len(text), None, text.splitlines(keepends=True), made.__file__)
    sys.modules[made.__name__] = made
    exec(compile(text, made.__file__, "exec"), made.__dict__)
    return made
