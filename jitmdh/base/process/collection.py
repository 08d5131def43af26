"""Garbage collection, which has nothing to find while something is compiled."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """No cyclic garbage is looked for inside, in no thread; reference counts free the rest as ever.

    A compilation makes some ten thousand small objects and keeps them to its end. Each time a few hundred more exist
    than before, Python would look at them, and now and then at all objects of the program, however large it is.
    """
    if not gc.isenabled():
        yield
        return
    try:
        gc.disable()
        yield
    finally:
        gc.enable()
