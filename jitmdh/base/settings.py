"""Every setting of jitmdh in one typed table: the class `Config`.

A setting is looked up in this order: an enclosing `with config(name=value):` block, an assignment
`config.name = value`, the environment variable `MDH_NAME` (read once, when first needed), its default.
Values are checked when they are given, so a bad one is reported where it was written.

>>> config.tuning_overhead
0.05
>>> with config(tuning_overhead=0.0):
...     config.tuning_overhead
0.0
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from pathlib import Path
from typing import Generic, TypeVar, overload

from jitmdh.base.cores import default_threads
from jitmdh.base.errors import ConfigurationError

T = TypeVar("T")

_overlay: ContextVar[Mapping[str, object] | None] = ContextVar("jitmdh settings", default=None)


class Setting(Generic[T]):
    """One row of the table: default, what a value must be, how to read it, what it means.

    convert: from an environment string or a Python value to `T`; raises ValueError or TypeError if it cannot.
    """

    def __init__(
        self, default: T | Callable[[], T], convert: Callable[[object], T], expected: str, meaning: str
    ) -> None:
        self.default, self.convert, self.expected, self.meaning = default, convert, expected, meaning
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def variable(self) -> str:
        """The environment variable of this setting."""
        return f"MDH_{self.name.upper()}"

    def checked(self, value: object, origin: str) -> T:
        """`value` converted, or a ConfigurationError that says where it came from and what was expected."""
        try:
            return self.convert(value)
        except (ValueError, TypeError, OverflowError):
            raise ConfigurationError(
                f"{origin}: expected {self.expected}, got {value!r}", reason=f"{self.name}: {self.meaning}"
            ) from None

    def initial(self) -> T:
        """The value from the environment, else the default; an empty variable counts as not set."""
        text = os.environ.get(self.variable, "").strip()
        if text:
            return self.checked(text, f"environment variable {self.variable}")
        return self.default() if callable(self.default) else self.default

    @overload
    def __get__(self, config: None, owner: type) -> Setting[T]: ...
    @overload
    def __get__(self, config: Config, owner: type) -> T: ...
    def __get__(self, config: Config | None, owner: type) -> T | Setting[T]:
        if config is None:
            return self
        overlay = _overlay.get()
        if overlay is not None and self.name in overlay:
            return overlay[self.name]  # type: ignore[return-value]
        values = config._values
        if self.name not in values:
            values[self.name] = self.initial()
        return values[self.name]  # type: ignore[return-value]

    def __set__(self, config: Config, value: T) -> None:
        config._values[self.name] = self.checked(value, f"setting {self.name}")
        config._tell((self.name,))

    def __delete__(self, config: Config) -> None:
        config._values.pop(self.name, None)
        config._tell((self.name,))


_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
LOG_LEVELS = ("off", "error", "warning", "info", "debug")


def _flag(value: object) -> bool:
    if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise ValueError(value)


def _integer(value: object, at_least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(value)
    number = int(value)
    if number < at_least:
        raise ValueError(value)
    return number


def _count(value: object) -> int:
    return _integer(value, at_least=1)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(value)
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(value)
    return number


def _bytes(value: object) -> int:
    if isinstance(value, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]i?)?b?", value.strip().lower())
        if match is None:
            raise ValueError(value)
        return int(float(match[1]) * _UNITS[match[2] or ""])
    return _integer(value, at_least=0)


def _path(value: object) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise TypeError(value)
    return Path(os.fsdecode(os.fspath(value))).expanduser().absolute()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value.strip()


def _log_level(value: object) -> str:
    if not isinstance(value, str) or value.lower() not in LOG_LEVELS:
        raise ValueError(value)
    return value.lower()


def _traceback(value: object) -> str:
    if value not in ("short", "full"):
        raise ValueError(value)
    return str(value)


def _fallback(value: object) -> str:
    if value not in ("error", "numba", "python"):
        raise ValueError(value)
    return str(value)


def _dump(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(r"(all|after:[\w-]+)?", text):
        raise ValueError(value)
    return text


class Config:
    """The settings, as attributes: read, assign, `del` (back to environment and default), or override in a block.

    An assignment holds for the whole process. `with config(...)` holds for the block, in the current thread or
    asynchronous task only. Raises ConfigurationError for a value a setting cannot take.
    """

    __slots__ = ("_listeners", "_values")

    tuning_overhead = Setting(0.05, _share, "a number from 0 to 1", "share of run time that tuning may cost")
    num_threads = Setting(default_threads, _count, "a positive integer", "threads that one call may use")
    cache = Setting(True, _flag, "0 or 1", "keep compiled code and tuning results on disk")
    cache_dir = Setting[Path | None](
        None, _path, "a directory", "where they are kept; None = the user's cache directory"
    )
    cache_size = Setting(
        512 * 2**20,
        _bytes,
        "a size such as 200000000, 200MB or 1GiB",
        "bytes the cache may hold before it drops old entries",
    )
    cpu_features = Setting(
        "",
        _text,
        "host, avx512, avx2, 128, or features as LLVM writes them",
        "the instructions that generated code may use; empty = all of this processor's",
    )
    machine = Setting("host", _text, "host or the name of a machine", "whose caches and cores code is chosen for")
    wisdom = Setting[Path | None](
        None, _path, "a file", "tuning results to begin with, as mdh.wisdom.export writes them"
    )
    check = Setting(False, _flag, "0 or 1", "check every intermediate representation after each step")
    check_memory = Setting(
        False, _flag, "0 or 1", "compiled code looks at the bounds of each load and store before it touches memory"
    )
    log = Setting("off", _log_level, f"one of {', '.join(LOG_LEVELS)}", "what is reported on standard error")
    fallback = Setting("error", _fallback, "error, numba or python", "how functions run that cannot be compiled")
    traceback = Setting("short", _traceback, "short or full", "whether errors show the frames of jitmdh, too")
    disable_jit = Setting(False, _flag, "0 or 1", "`@jit` leaves functions as they are, from then on")
    perf_map = Setting(False, _flag, "0 or 1", "names of compiled code for Linux's `perf`, in /tmp/perf-PID.map")
    line_tables = Setting(
        False, _flag, "0 or 1", "compiled code knows which lines it comes from, for debuggers and profilers"
    )
    dump = Setting("", _dump, "all or after:PASS", "after which passes kernel IR is shown on standard error")

    def __init__(self) -> None:
        self._values: dict[str, object] = {}
        self._listeners: dict[str, list[Callable[[], None]]] = {}

    def listen(self, name: str, listener: Callable[[], None]) -> None:
        """Calls `listener` whenever the value of a setting may have changed, for what keeps a copy of it."""
        self._listeners.setdefault(name, []).append(listener)

    def _tell(self, names: Iterable[str]) -> None:
        for name in names:
            for listener in self._listeners.get(name, ()):
                listener()

    def __call__(self, **overrides: object) -> AbstractContextManager[None]:
        """A context manager under which the named settings have the given values. Nests."""
        table = self.table()
        checked: dict[str, object] = {}
        for name, value in overrides.items():
            if name not in table:
                import difflib

                near = difflib.get_close_matches(name, table, n=1)
                hint = f"did you mean `{near[0]}`?" if near else f"settings are {', '.join(table)}"
                raise ConfigurationError(f"there is no setting `{name}`", hint=hint)
            checked[name] = table[name].checked(value, f"setting {name}")
        return self._overlaid(checked)

    @contextlib.contextmanager
    def _overlaid(self, values: Mapping[str, object]) -> Iterator[None]:
        token = _overlay.set({**(_overlay.get() or {}), **values})
        self._tell(values)
        try:
            yield
        finally:
            _overlay.reset(token)
            self._tell(values)

    @classmethod
    def table(cls) -> dict[str, Setting[object]]:
        """All settings by name, in the order of their declaration."""
        return {name: row for name, row in vars(cls).items() if isinstance(row, Setting)}

    def __repr__(self) -> str:
        return f"config({', '.join(f'{name}={getattr(self, name)!r}' for name in self.table())})"


config = Config()
