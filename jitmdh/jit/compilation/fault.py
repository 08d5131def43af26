"""Bugs of our own, met while compiling: the call is served by the undecorated function, and a reproducer is kept.

Under the setting `check` they are raised instead.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from jitmdh.base.errors import InternalError, MdhError, TooLargeError
from jitmdh.base.log import logger
from jitmdh.base.process.signals import from_handler
from jitmdh.base.process.stack import is_fresh
from jitmdh.base.settings import config
from jitmdh.jit.compilation.signature import Detour


class CompilerFault(Exception):
    """Carries the InternalError that stands for a bug met while compiling."""

    def __init__(self, error: InternalError) -> None:
        super().__init__(str(error))
        self.error = error


@contextlib.contextmanager
def faults_of_the_compiler(function: str, signature: str) -> Iterator[None]:
    """Turns everything that no user can have caused into a CompilerFault, with a reproducer on disk.

    What the system refused (memory, files) is no bug and may be granted next time: a Detour, for this call. A function
    that is too large or too deep: a lasting one. That the caller's stack was too small is left to `base.stack`; what a
    signal's handler raised meanwhile, such as a time-out, to the caller.
    """
    try:
        yield
    except TooLargeError as error:
        raise Detour(str(error), lasting=True) from None
    except Detour:
        raise
    except RecursionError:
        if not is_fresh():
            raise
        raise Detour("it is nested too deeply to be compiled", lasting=True) from None
    except Exception as error:
        if (raised := _wrapped(error)) is not None:
            raise raised from None
        if from_handler(error) or (isinstance(error, MdhError) and not isinstance(error, InternalError)):
            raise
        if isinstance(error, MemoryError | OSError):
            raise Detour(f"it could not be compiled now ({type(error).__name__}: {error})") from error
        if isinstance(error, InternalError):
            raise CompilerFault(_reported(error, function, signature)) from error
        met = InternalError(f"{function}: {type(error).__name__} while compiling: {error}")
        raise CompilerFault(_reported(met, function, signature, error)) from error


def _wrapped(error: Exception) -> BaseException | None:
    """What a handler raised while a class was made: up to Python 3.11 that is the cause of a RuntimeError."""
    cause = error.__cause__ if isinstance(error, RuntimeError) else None
    return cause if cause is not None and (not isinstance(cause, Exception) or from_handler(cause)) else None


def _reported(error: InternalError, function: str, signature: str, cause: BaseException | None = None) -> InternalError:
    """`error` with a hint that names the reproducer, if one could be written."""
    text = "\n".join(
        (f"function: {function}", f"signature: {signature}", "", *traceback.format_exception(cause or error))
    )
    place = _written(text)
    logger().error("%s", error)
    where = f"please report it with {place}" if place is not None else "please report it"
    return InternalError(error.message, loc=error.loc, reason=error.reason, hint=f"this is a bug in jitmdh; {where}")


def _written(text: str) -> Path | None:
    try:
        folder = config.cache_dir or Path(tempfile.gettempdir())
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = folder / f"jitmdh-bug-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}.txt"
        with place.open("x") as file:  # never into a file, or through a link, that somebody else put there
            file.write(text)
    except FileExistsError:
        return place
    except OSError:
        return None
    return place
