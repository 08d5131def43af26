"""What a user sees of where an error was raised: their own frames, and one of ours.

    Traceback (most recent call last):
      File "program.py", line 12, in <module>
        f(x)
      File ".../jitmdh/base/calling/entry.py", line 50, in called
    jitmdh.base.errors.NotAnMdhError: program.py:8: …

The setting `traceback` (MDH_TRACEBACK=full) shows all frames. Bugs of ours always come with all of them.

What fails somewhere inside since an argument is of another kind than the function takes says so, and which one it is:

    jitmdh.base.errors.ArgumentTypeError: program.py:3: parse(): `text` is 7 (int), and takes str
"""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Callable
from pathlib import Path
from traceback import walk_tb
from types import FunctionType, TracebackType
from typing import ParamSpec, TypeVar

import numpy as np

from jitmdh.base.calling.misfits import misfit
from jitmdh.base.errors import ArgumentTypeError, DeviceError, MdhError, ScheduleError, UserError
from jitmdh.base.settings import config
from jitmdh.base.source import here

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=type)
_PACKAGE = os.path.join(str(Path(__file__).parents[2]), "")
_LIBRARIES = (
    *(os.path.join(place, "") for place in (sysconfig.get_path("stdlib"), str(Path(np.__file__).parents[1]))),
    "<string>", "<frozen",  # methods that `dataclass` writes, and modules of the interpreter's own
)  # fmt: skip


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, which users call: errors that are about their program or machine come without frames of ours."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except (UserError, DeviceError) as error:
            if isinstance(error, ScheduleError):
                error.loc = error.loc or here()
            if config.traceback == "full":
                raise
            found: MdhError = error
        except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
            if isinstance(error, MdhError) or _is_of_users(error):
                raise
            if (problem := misfit(function, args, kwargs)) is None:
                raise
            found = ArgumentTypeError(problem, loc=here())
            if config.traceback == "full":
                raise found from error
        raise found.with_traceback(without_internals(found.__traceback__)) from found.__cause__

    return called


def _is_of_users(error: BaseException) -> bool:
    """Whether a function of the user's was called on the way to where it was raised."""
    files = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    return any(not file.startswith((_PACKAGE, *_LIBRARIES)) for file in files)


def entries(kind: T) -> T:
    """A class that users make objects of, and whose methods they call, also those of its bases."""
    methods = {name: method for base in reversed(kind.__mro__) for name, method in vars(base).items()}
    for name, method in methods.items():
        if isinstance(method, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, entry(method))
    return kind


def without_internals(traceback: TracebackType | None) -> TracebackType | None:
    """The frames of a traceback that are not of this package."""
    kept = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(_PACKAGE):
            kept.append(traceback)
        traceback = traceback.tb_next
    following = None
    for one in reversed(kept):
        following = TracebackType(following, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return following
