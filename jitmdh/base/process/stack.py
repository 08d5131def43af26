"""Stacks for what recurses: neither whether it works nor what it costs depends on how deep its caller is."""

from __future__ import annotations

import contextvars
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from jitmdh.base.process.forks import ProcessLock, Rank, holds_locks
from jitmdh.base.process.signals import start_thread
from jitmdh.base.process.wake import Wake

P = ParamSpec("P")
R = TypeVar("R")

_ROOM = 500
"""Frames that compiling an everyday function takes, several times over."""

_LIMIT = 6000
"""Frames on a fresh stack: enough for sixty-four loops inside each other, or a sum of several hundred terms."""

_STACK_BYTES = 64 << 20  # of address space: memory that is not used is never touched


_SLOTS = 1 << 15  # of a frame that pretends to be large; see `with_room`


class _Here(threading.local):
    is_fresh = False


_here = _Here()
_deep = ProcessLock(Rank.STACK)
_deep_calls = 0
_limit_before = 0


def with_stack(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, which runs in a thread of its own, with a large stack, where its caller has left too little.

    It is called a second time where the first call ran out of the caller's stack: it must be able to begin again. A
    RecursionError of the second is raised. A thread that holds a lock of the process cannot lend it to another one:
    for it, `function` runs where it is called. Ctrl-C is raised once the call is over.
    """

    @functools.wraps(function)
    def roomy(*args: P.args, **kwargs: P.kwargs) -> R:
        if _here.is_fresh or holds_locks():
            return function(*args, **kwargs)
        if frames_left(_ROOM) >= _ROOM:
            try:
                return function(*args, **kwargs)
            except RecursionError:
                pass
        return _on_fresh_stack(lambda: function(*args, **kwargs))

    return roomy


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, for whose calls there is one piece of memory.

    CPython takes memory for frames in pieces of 16 KiB and gives a piece back as soon as its last frame ends. A loop
    that calls something just where a piece is full asks the system for memory at every round: making the code of one
    convolution took up to six times as long, as its caller's depth would have it. Here the wrapper's own frame pretends
    to be so large that the piece made for it (a power of two) has a quarter of a mebibyte behind it; memory that is not
    used is never touched.
    """

    def roomy(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_SLOTS)
    return functools.wraps(function)(roomy)


def is_fresh() -> bool:
    """Whether this thread is one that `with_stack` has made: there is no deeper stack."""
    return _here.is_fresh


def frames_left(wanted: int = 0) -> int:
    """How many more frames this thread may have, about; counts no further once they are fewer than `wanted`."""
    limit, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
        if limit - depth < wanted:
            break
    return limit - depth


def _on_fresh_stack(call: Callable[[], R]) -> R:
    done, ended = Wake(), list[None]()
    results: list[R] = []
    errors: list[BaseException] = []

    def run() -> None:
        _here.is_fresh = True
        try:
            results.append(context.run(call))
        except BaseException as error:
            errors.append(error)
        finally:
            ended.append(None)
            done.set()

    context = contextvars.copy_context()
    with _deeper():
        before = threading.stack_size(_STACK_BYTES)
        try:
            start_thread(threading.Thread(target=run, name="jitmdh compiler", daemon=True))
        except RuntimeError as error:  # the system has no thread for us, or Python is about to end
            raise RecursionError(f"the stack is too small, and {error}") from None
        finally:
            threading.stack_size(before)
        interrupt = _waited(done, ended)
    try:
        if interrupt is not None:
            raise interrupt
        if errors:
            raise errors[0]
        return results[0]
    finally:  # an error that its own frame holds lives until garbage is collected, and so do its arguments
        del interrupt
        errors.clear()


def _waited(done: Wake, ended: list[None]) -> BaseException | None:
    """Waits until it has ended, whatever comes: a compilation left alone would go on behind its caller's back."""
    interrupt: BaseException | None = None
    while not ended:
        try:
            done.wait()
        except BaseException as error:
            interrupt = error
    return interrupt


@contextmanager
def _deeper() -> Iterator[None]:
    """Python's limit of frames, which is one for all threads, is raised while any of them is in here."""
    global _deep_calls, _limit_before
    with _deep:
        if _deep_calls == 0:
            _limit_before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_limit_before, _LIMIT))
        _deep_calls += 1
    try:
        yield
    finally:
        with _deep:
            _deep_calls -= 1
            if _deep_calls == 0 and sys.getrecursionlimit() == max(_limit_before, _LIMIT):
                sys.setrecursionlimit(_limit_before)


__all__ = ["frames_left", "is_fresh", "with_room", "with_stack"]
