"""`jitmdh.jit` is this package and the decorator: once any module of the package has been imported, Python binds the
name to the package, whatever stood there before. So the package is made callable, and calls the decorator.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that can be used as the decorator `jit`."""

    @property
    def __signature__(self) -> inspect.Signature:
        from jitmdh.jit.decorator import jit

        return inspect.signature(jit)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from jitmdh.jit.decorator import jit

        return jit(*args, **kwargs)


sys.modules["jitmdh.jit"].__class__ = CallablePackage
