"""How calls of one decorated function run that compiled code cannot serve: decided once for each kind of arguments.

First its loops are compiled in place (`outline`), each a decorated function of its own, whose inner loops are in turn
compiled where it cannot be. What remains runs as the option `fallback` says: as Python, by Numba, or not at all.
Afterwards loops that could not be compiled are put back where they were, so that later calls cost what Python does.
"""

from __future__ import annotations

import ast
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from jitmdh.base.errors import MdhError, NotAnMdhError
from jitmdh.base.log import warn
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.static_arguments import static_key
from jitmdh.jit.fallback.decorated_callees import calls_decorated
from jitmdh.jit.fallback.numba_code import NumbaCode
from jitmdh.mdh.frontend.source.capture import Source, capture

if TYPE_CHECKING:
    from jitmdh.jit.fallback.outline import OutlinedLoop

    Target = Callable[..., Any]

_MOST_KINDS = 256  # of arguments that are told apart
_ANNOUNCED_AFTER_S = 3.0  # of a first call outside of compiled code
_BY_VALUE = frozenset({str, bool, type(None)})
_BY_TYPE = frozenset({int, float, complex, list, dict, set, bytearray})  # of these, none is static by itself
_NO_NAMES: Mapping[str, object] = {}
_ARRAY, _VOID = np.ndarray, np.dtype("V").num


class Decorated(Protocol):
    """What is needed of a decorated function."""

    py_func: Any
    options: Options
    fallbacks: Fallbacks

    @property
    def name(self) -> str: ...
    @property
    def full_name(self) -> str: ...
    @property
    def counts(self) -> Any: ...
    def compiled(self) -> bool: ...
    def _slow(self, *args: Any, **kwargs: Any) -> Any: ...


Make = Callable[[FunctionType, Options, "Glue"], Decorated]


@dataclass(slots=True)
class Glue:
    """A function whose loops are compiled in place, from its first call on.

    strict: it is an error if none of them can be, and nothing that others may see has happened until that is known;
    compiled: whether one has been; ours_s: seconds spent in those.
    """

    name: str
    error: Exception
    strict: bool
    begin: float = field(default_factory=time.perf_counter)
    compiled: bool = False
    ours_s: float = 0.0
    announced: bool = False
    lines: list[int] = field(default_factory=list)

    def note(
        self, changed: Sequence[str] = ("",), called: Sequence[str] = (), names: Mapping[str, object] = _NO_NAMES
    ) -> None:
        """Something is about to happen that others may see, unless local names are what `is_unseen` asks for.

        From here on an error could not say that nothing has been done.
        """
        from jitmdh.jit.fallback.effects import is_unseen  # which needs much of the front end

        if not is_unseen(changed, called, names):
            self.strict = False

    def announce(self, what: str, once: set[str]) -> None:
        """The one warning: which line, why, what it costs. once: what has been said already."""
        if self.announced or str(self.error) in once:
            return
        once.add(str(self.error))
        self.announced = True
        seconds = time.perf_counter() - self.begin
        text = f"{self.name}: {what}: {self.error}"
        warn(f"{text}\n  cost: {_shown(max(seconds - self.ours_s, 0.0))} of this call ran outside of compiled code")


class _Here(threading.local):
    """In this thread. glue: of the first call that it makes, or made last."""

    glue: Glue | None = None


class Fallbacks:
    """Of one decorated function. glue: of the function that it is a loop of."""

    def __init__(self, function: Decorated, make: Make, glue: Glue | None = None) -> None:
        self._function, self._make, self._made_for, self._here = function, make, glue, _Here()
        self._here.glue = glue
        self._targets: dict[object, Target] = {}
        self.decided = False  # for some kind of arguments
        self._code: CodeType | None = None
        self._defaults: tuple[object, object] = (None, None)
        self._loops: dict[int, tuple[OutlinedLoop, Decorated]] = {}
        self._warned: set[str] = set()

    @property
    def _glue(self) -> Glue | None:
        """Of this thread's call: others may make first calls meanwhile. Where it has made none, all is decided."""
        if self._here.glue is None and self._made_for is not None:
            self._here.glue = replace(self._made_for, strict=False)
        return self._here.glue

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Target | None:
        """What runs such a call, if that has been decided."""
        function = self._function.py_func
        if function.__code__ is self._code:
            kind = kind_of(args, kwargs)
            found = self._targets.get(kind) or self._targets.get((config.fallback, kind))
            if found is None:
                return None
            if function.__defaults__ is self._defaults[0] and function.__kwdefaults__ is self._defaults[1]:
                return found
        self.forget()
        return None

    def warn_once(self, text: str) -> None:
        """A warning that has not been given yet."""
        if text not in self._warned:
            self._warned.add(text)
            warn(text)

    def forget(self) -> None:
        """The function has changed."""
        self.decided = False
        self._targets.clear()  # which those who call look into
        self._loops.clear()

    def run(self, error: MdhError, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that `error` says cannot be compiled. Raises it if that is what was asked for."""
        from jitmdh.jit.fallback.outline import nests  # which needs much of the front end

        function, choice = self._function.py_func, self._function.options.fallback or config.fallback
        source = _source(function)
        found = () if source is None else nests(source, self._itself(source))
        if self._glue is not None and not found:
            return self._unglued(self._glue, args, kwargs)
        of_argument = self._glue is None and not isinstance(error, NotAnMdhError)
        if choice == "error" and (not found or of_argument):
            raise error
        if source is None or not found:
            by_numba = self._by_numba(choice, args, kwargs)
            under = choice if calls_decorated(function) else "error"
            return self._announced(by_numba or _under(under, function), error, args, kwargs)
        glue = self._glue or Glue(self._function.name, error, choice == "error")
        return self._by_loops(source, found, glue, choice, args, kwargs)

    def run_plain(self, reason: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that is served by Python for a reason that is no fault of the user's: always, for such arguments."""
        return self._announced(self._function.py_func, reason, args, kwargs)

    def run_now(self, reason: Exception, args: tuple[Any, ...], kwargs: dict[str, Any], raises: bool) -> Any:
        """This call only, as plain Python. raises: Python is to raise an error: it is warned of only if it does not."""
        warning = f"{self._function.name}: runs as plain Python: {reason}"
        if not raises:
            self.warn_once(warning)
        result = self._function.py_func(*args, **kwargs)
        self.warn_once(warning)
        return result

    def _itself(self, source: Source) -> frozenset[int]:
        """A loop is no loop of its own."""
        return frozenset() if self._glue is None else frozenset(map(id, getattr(source.definition, "body", [])))

    def _announced(self, target: Target, reason: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        glue = Glue(self._function.name, reason, False)
        try:
            return target(*args, **kwargs)
        finally:
            self._remember(target, args, kwargs)
            glue.announce("runs in Numba" if _in_numba(target) else "runs as plain Python", once=self._warned)

    def _remember(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        function = self._function.py_func
        if len(self._targets) >= _MOST_KINDS:
            self._targets.clear()
        self._code = getattr(function, "__code__", None)
        self._defaults = getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)
        kind = kind_of(args, kwargs)
        asked = self._function.options.fallback is None and config.fallback != "error"  # only while that is set
        self._targets[(config.fallback, kind) if asked else kind] = target
        self.decided = self._code is not None
        if self.decided and not self._function.compiled():
            self._shorten(function)

    def _shorten(self, function: Any) -> None:
        """As long as there is no code, calls ask for what has been decided before anything else."""
        targets, code, defaults, stats = self._targets, self._code, self._defaults, self._function.counts
        slow = self._function._slow

        def call(self: object, /, *args: Any, **kwargs: Any) -> Any:
            target = targets.get(kind_of(args, kwargs))
            if target is None or function.__code__ is not code:
                return slow(*args, **kwargs)
            if function.__defaults__ is not defaults[0] or function.__kwdefaults__ is not defaults[1]:
                return slow(*args, **kwargs)
            stats.fallbacks += 1
            return target(*args, **kwargs)

        type.__setattr__(type(self._function), "__call__", call)

    # ------------------------------------------------------------------------------------------ loops in place

    def _unglued(self, glue: Glue, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A loop without loops inside that cannot be compiled."""
        if glue.strict and not glue.compiled:
            raise glue.error.with_traceback(None)
        function = self._function.py_func
        self._remember(function, args, kwargs)
        return function(*args, **kwargs)

    def _by_loops(
        self, source: Source, found: tuple[OutlinedLoop, ...], glue: Glue, choice: str, args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        """The first call of this kind, which decides what runs the later ones."""
        from jitmdh.jit.fallback.outline import outlined

        for nest in found:
            self._loop(nest, source, glue)
        calls = {id(n.loop): (n, self._watched(n, glue)) for n in found}
        under = choice if calls_decorated(self._function.py_func) else "error"
        try:
            result = _under(under, outlined(source, calls, glue.note if glue.strict else None))(*args, **kwargs)
        except Exception as error:
            refused = isinstance(error, NotAnMdhError) and glue.strict and not glue.compiled
            if not refused and glue is not self._glue:
                glue.announce(_what(glue), self._warned)
            raise
        by_numba = None if glue.compiled else self._by_numba(choice, args, kwargs)
        if glue is not self._glue:
            glue.announce(_what(glue) if by_numba is None else "runs in Numba", self._warned)
        settled = _settled(source, self._every(), self._itself(source))
        self._remember(by_numba or _under(under, settled), args, kwargs)
        return result

    def _by_numba(self, choice: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NumbaCode | None:
        """Numba's code for a function of which no loop could be compiled here, if it is wanted and there is some."""
        if choice != "numba" or self._glue is not None:
            return None
        code = NumbaCode(self._function.py_func)
        return code if code.compiles(args, kwargs) else None

    def _watched(self, nest: OutlinedLoop, glue: Glue) -> Target:
        """A loop in the first call: what becomes of it is noted."""
        function: Any = self._loops[id(nest.loop)][1]

        def watched(*args: Any) -> Any:
            begin = time.perf_counter()
            if begin - glue.begin - glue.ours_s > _ANNOUNCED_AFTER_S and glue.compiled:
                glue.announce(_what(glue), self._warned)
            result = function(*args)
            if function.compiled():
                glue.ours_s += time.perf_counter() - begin
                glue.compiled = True
                if nest.line not in glue.lines:
                    glue.lines.append(nest.line)
            return result

        return watched

    def _loop(self, nest: OutlinedLoop, source: Source, glue: Glue) -> None:
        from jitmdh.jit.fallback.outline import function_of

        known = self._loops.get(id(nest.loop))
        if known is not None and known[0] == nest:
            known[1].fallbacks._here.glue = glue
            return
        names = {n.target.id for n in _for_loops(nest) if hasattr(n.target, "id")}
        own = self._function.options
        combine = {name: operator for name, operator in own.combine.items() if name in names}
        options = replace(own, combine=combine, schedule=None, fallback="python")
        self._loops[id(nest.loop)] = nest, self._make(function_of(nest, source), options, glue)

    def _every(self) -> dict[int, tuple[OutlinedLoop, Decorated]]:
        """All loops that have been made functions, those inside of them, too."""
        every = dict(self._loops)
        for _, function in self._loops.values():
            every |= function.fallbacks._every()
        return every


def _settled(source: Source, known: Mapping[int, tuple[OutlinedLoop, Decorated]], left: frozenset[int]) -> Target:
    """The function with the loops in place that are compiled, and no others."""
    from jitmdh.jit.fallback.outline import nests, outlined

    while True:
        found = nests(source, left)
        more = left | {id(n.loop) for n in found if not _is_compiled(n, known)}
        if more == left:
            break
        left = more
    if not found:
        return source.function
    return outlined(source, {id(n.loop): (n, known[id(n.loop)][1]) for n in found})  # type: ignore[misc]


def _is_compiled(nest: OutlinedLoop, known: Mapping[int, tuple[OutlinedLoop, Decorated]]) -> bool:
    found = known.get(id(nest.loop))
    return found is not None and found[0] == nest and found[1].compiled()


def _what(glue: Glue) -> str:
    if not glue.lines:
        return "runs as plain Python"
    s, lines = "s" * (len(glue.lines) != 1), ", ".join(map(str, sorted(glue.lines)))
    return f"not compiled as a whole, only its loop{s} in line{s} {lines}, the rest runs as plain Python"


def _source(function: Any) -> Source | None:
    try:
        return capture(function)
    except NotAnMdhError:
        return None


def _for_loops(nest: OutlinedLoop) -> list[Any]:
    return [n for n in ast.walk(nest.loop) if isinstance(n, ast.For)]


def _under(choice: str, function: Target) -> Target:
    """`function` with the same choice for the decorated functions that it calls, unless they say another one."""
    if choice == "error":
        return function

    def under(*args: Any, **kwargs: Any) -> Any:
        with config(fallback=choice):
            return function(*args, **kwargs)

    return under


def _in_numba(target: Target) -> bool:
    return isinstance(target, NumbaCode) and target.serves


def kind_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> object:
    """What decides whether a call can be compiled: types, element types and ranks; short values themselves."""
    kinds: list[object] = []
    add = kinds.append
    for a in args:
        kind = type(a)
        if kind is _ARRAY:
            number = a.dtype.num
            add(a.dtype if number == _VOID else number)
            add(a.ndim)
        elif kind in _BY_TYPE:
            add(kind)
        else:
            add(a if kind in _BY_VALUE else static_key(a) or kind)
    if kwargs:
        return (*kinds, *((name, kind_of((value,), {})) for name, value in sorted(kwargs.items())))
    return tuple(kinds)


def _shown(seconds: float) -> str:
    """
    >>> _shown(0.00123), _shown(2.5)
    ('1.2 ms', '2.5 s')
    """
    return (
        f"{seconds:.2g} s"
        if seconds >= 1
        else f"{seconds * 1e3:.2g} ms"
        if seconds >= 1e-3
        else f"{seconds * 1e6:.2g} µs"
    )
