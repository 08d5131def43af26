"""Handlers of signals raise wherever the main thread is: their exceptions are told from others, and kept from where
they do harm."""

from __future__ import annotations

import contextlib
import importlib
import signal
import threading
from collections.abc import Callable
from types import CodeType, ModuleType

# The module `signal` makes an enum member of each answer, for longer than all else here takes
_getsignal: Callable[[int], object] = importlib.import_module("_signal").getsignal


def from_handler(error: BaseException) -> bool:
    """Whether `error` was raised in a handler of a signal: it is for the program, whatever was being done.

    Ctrl-C is no `Exception`, but a time-out (`signal.alarm`) mostly is. The frame of a handler that is installed now
    is among those that the exception came through.
    """
    trace = error.__traceback__
    if trace is None or trace.tb_next is None:
        return False
    codes = {code for number in range(1, signal.NSIG) if (code := _code(_getsignal(number))) is not None}
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False


def pass_on(error: BaseException) -> None:
    """Raises `error` again if a handler raised it: where others are answered by doing without something, for good."""
    if from_handler(error):
        raise error


def start_thread(thread: threading.Thread) -> None:
    """As `thread.start()`, from where no handler's exception becomes another.

    CPython takes an `Exception` that comes as the new thread begins for a sign that there is none, and forgets it a
    second time: a KeyError.
    """
    try:
        thread.start()
    except KeyError as error:
        raised = error.__context__
        if raised is None or not from_handler(raised):
            raise
        raise raised from None


def import_whole(name: str) -> ModuleType:
    """The module `name`, whose import no handler interrupts: for extension modules that end the process where their
    import begins a second time. Handlers run in the main thread only; the import goes on in another one.

    >>> import_whole("json").__name__
    'json'
    """

    def work() -> None:
        with contextlib.suppress(Exception):  # it is raised below
            importlib.import_module(name)

    if threading.current_thread() is threading.main_thread():
        thread = threading.Thread(target=work, name="jitmdh import", daemon=True)
        start_thread(thread)
        thread.join()
    return importlib.import_module(name)


def _code(handler: object) -> CodeType | None:
    """Of a function, a method, a partial function or an object that can be called; None: it is no Python code."""
    if handler is None or isinstance(handler, int):
        return None
    while (inner := getattr(handler, "func", None) or getattr(handler, "__func__", None)) is not None:
        handler = inner
    called = handler if hasattr(handler, "__code__") else vars(type(handler)).get("__call__")
    code = getattr(called, "__code__", None)
    return code if isinstance(code, CodeType) else None
