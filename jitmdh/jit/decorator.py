"""`@jit`: a function whose calls run as native code.

A decorated function is an instance of a class of its own, whose `__call__` is, once something is compiled, a
builtin that tries the compiled signatures natively and else calls `JitFunction._slow`. Everything that is rare
(new types, keyword arguments, odd arrays, errors) is decided there, in Python.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ArgumentNeededError, ArgumentTypeError, ConfigurationError, NotAnMdhError
from jitmdh.base.process.stack import with_stack
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code.cpu_callable import CallableObject
from jitmdh.jit.cluster.dispatch import ClusterCalls
from jitmdh.jit.compilation.backend import require
from jitmdh.jit.compilation.decorated import require_function, require_option, require_parameters
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.options import Fallback, Options
from jitmdh.jit.compilation.parameters import Parameters
from jitmdh.jit.compilation.pipeline import Pipeline, Uncovered, require_stage
from jitmdh.jit.compilation.signature import (
    Detour,
    Prepared,
    Signature,
    identical,
    overlaps,
    share_elements,
    with_aliases,
    with_ones,
)
from jitmdh.jit.compilation.signature import sizes as argument_sizes
from jitmdh.jit.compilation.structures import UNSEEN, LeafCalls, LeafRefusal, Leaves
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.device_arrays import DeviceCalls
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.fallback.fallbacks import Fallbacks, Glue
from jitmdh.jit.fallback.other_slices import OtherSlices
from jitmdh.jit.pickling import ByValue, function_of, same_here, sent
from jitmdh.jit.specialisations import Specialisations, prefer, settle
from jitmdh.jit.stats import Stats
from jitmdh.jit.trials.record import Record
from jitmdh.mdh.frontend.source.capture import remember_text

if TYPE_CHECKING:
    from jitmdh.jit.explanation.report import Explanation
    from jitmdh.jit.tuning.job import Budget
    from jitmdh.jit.tuning.report import TuningReport
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.lowlevel.draw import Picture

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def _of_what_is_held(method: Callable[..., T]) -> Callable[..., T]:
    """A question about calls whose arguments hold others, asked of the function of what they hold; about calls on
    arrays of a device, of the function for that device and copies of their content."""
    options = {p.name for p in inspect.signature(method).parameters.values() if p.kind is p.KEYWORD_ONLY}

    @functools.wraps(method)
    def asked(self: JitFunction[Any, Any], *args: Any, **kwargs: Any) -> T:
        given = {name: value for name, value in kwargs.items() if name not in options}
        if args or given:
            taken = self.parameters.leaves(self.py_func, self._bound(args, given))
            if taken is not None:
                kept = {name: value for name, value in kwargs.items() if name in options}
                return getattr(self._of_leaves.function(taken), method.__name__)(*taken.values, **kept)  # type: ignore
            there = self._devices.asked(self.parameters.names, self._bound(args, given), self)
            if there is not None:
                kept = {name: value for name, value in kwargs.items() if name in options}
                return getattr(there[0], method.__name__)(*there[1], **kept)  # type: ignore[no-any-return]
        elif not self.codes.every() and len(called := [f for f in _others(self) if f.compiled()]) == 1:
            return getattr(called[0], method.__name__)(**kwargs)  # type: ignore
        try:
            return method(self, *args, **kwargs)
        except ArgumentNeededError as problem:
            if not self.parameters.make_static(problem.argument):
                raise
        except Detour as detour:
            raise ArgumentTypeError(f"{self.name}: such calls run as plain Python: {detour.reason}") from None
        return asked(self, *args, **kwargs)

    return asked


def _question(method: Callable[..., T]) -> Callable[..., T]:
    """One that takes as much of the stack as compiling, and may begin again with a larger one."""
    return with_stack(_of_what_is_held(method))


PUBLIC = ("py_func", "stats", "config", "inspect", "draw", "explain", "why", "wait", "tune")
"""The members of a decorated function that are for users, and that completion shows; the compiler uses more."""


class JitFunction(CallableObject, Generic[P, R]):
    """A function decorated by `jit`. `py_func` is the function itself."""

    py_func: Callable[P, R]

    def __init__(
        self, function: Callable[P, R], options: Options, pipeline: Pipeline | None = None, glue: Glue | None = None,
        given: Leaves | None = None,
    ) -> None:  # fmt: skip
        """given: what the function is called with instead, where its arguments hold others."""
        functools.update_wrapper(self, function)
        remember_text(function)
        self.py_func = function
        self.options = options
        self._pipeline = pipeline or Pipeline()
        self._name = getattr(function, "__name__", type(function).__name__)
        self._stats = Stats()
        self.parameters = Parameters(function, self._name, options.static, given, self._pipeline.extents_known)
        self.codes = Specialisations(self, options, self._pipeline, self._stats)
        self.record = Record()
        self._glue = glue
        self.fallbacks = Fallbacks(self, make_loop, glue)
        self._devices = DeviceCalls(options, lambda other: variant(self, other, self.parameters.given))
        self.slices = OtherSlices(self.traced)
        self._of_leaves = LeafCalls(lambda taken: variant(self, options, taken))

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "py_func" and "fallbacks" in vars(self):
            self.codes.notice_changes()
            self.fallbacks.forget()
            self._of_leaves.forget()
            self.slices.forget()

    @entry
    def _slow(self, *args: Any, **kwargs: Any) -> Any:
        """A call that no compiled signature took."""
        if self._of_leaves.quick and not kwargs and (result := _at_once(self, self._of_leaves, args)) is not UNSEEN:
            return result
        if self._devices.repeats.any and (result := self._devices.repeated(self, args, kwargs)) is not UNSEEN:
            return result
        self.parameters.require_names(self.py_func, args, self.codes.table is not None)
        if self.fallbacks.decided and (target := self.fallbacks.find(args, kwargs)) is not None:
            self._stats.fallbacks += 1
            return target(*args, **kwargs)
        if (result := self._of_leaves.quickly(arguments := self._bound(args, kwargs))) is not UNSEEN:
            return result
        if self.codes.table is not None and len(args) != len(arguments) and self.parameters.are_positional:
            return _natively(self, arguments)
        if (taken := self.parameters.leaves(self.py_func, arguments)) is not None:
            try:
                return self._of_leaves.call(self.py_func, self.parameters.signature, arguments, taken)
            except LeafRefusal as refusal:
                problem = refusal.problem
            return self._otherwise(problem, args, kwargs)
        if (called := _clusters.find(arguments) or self._devices.find(self.parameters.names, arguments)) is not None:
            return called(self)
        if self.codes.table is not None and (kwargs or len(args) != len(arguments)):
            return _natively(self, arguments)
        self._stats.slow_calls += 1
        try:
            prepared = self.prepared(arguments)
            specialisation, prepared, result = _run(self, prepared)
        except (Detour, Uncovered, NotAnMdhError, ArgumentTypeError, CompilerFault) as problem:
            if isinstance(problem, ArgumentNeededError) and self.parameters.make_static(problem.argument):
                return self._slow(*args, **kwargs)
            found = problem
        else:
            launch.copy_back(prepared, specialisation.written)
            return launch.as_given(result, prepared)
        return self._otherwise(found, args, kwargs)

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    else:
        __call__ = _slow

    def _observe(self, *args: Any) -> None:
        """After a native call whose trial asks to be looked at."""
        from jitmdh.jit.trials.observe import observe

        observe(self, args)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        return self.parameters.bound(self.py_func, args, kwargs)

    def _compiled_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Specialisation, Prepared, bool]:
        """As `select`, for those who ask about compiled code: what runs as plain Python is an error."""
        try:
            return self.select(self.prepared(self._bound(args, kwargs)))
        except Detour as detour:
            raise ArgumentTypeError(f"{self._name}: such calls run as plain Python: {detour.reason}") from None
        except CompilerFault as fault:
            raise fault.error from None

    def prepared(self, arguments: tuple[Any, ...]) -> Prepared:
        """As `Parameters.prepared`."""
        return self.parameters.prepared(arguments)

    def traced(self, prepared: Prepared) -> Program:
        """The program of such calls, for arrays in blocks. NotAnMdhError if there is none."""
        return self.codes.in_blocks.program(self, prepared.signature)

    def select(self, prepared: Prepared) -> tuple[Specialisation, Prepared, bool]:
        """The specialisation for a call, and whether its arrays overlap without sharing an element.

        Arrays that are the same array get a specialisation that knows it; others that share elements, where one is
        written, are left to Python.
        """
        prepared = _as_known(self, prepared)
        specialisation = self.specialise(prepared.signature, prepared.arguments)
        pairs = overlaps(prepared)
        written = specialisation.written
        pairs = [(i, j) for i, j in pairs if i in written or j in written]
        if not pairs:
            return specialisation, prepared, False
        given = prepared.given
        same = [(i, j) for i, j in pairs if identical(given[i], given[j])]
        disjoint = False
        for i, j in pairs:
            if (i, j) not in same:
                if share_elements(given[i], given[j]):
                    names = f"`{self.parameters.names[i]}` and `{self.parameters.names[j]}`"
                    raise Detour(f"arguments {names} overlap in memory and one of them is written")
                disjoint = True
        if not same:
            return specialisation, prepared, disjoint
        prepared = with_aliases(prepared, same)
        return self.specialise(prepared.signature, prepared.arguments), prepared, disjoint

    def specialise(self, signature: Signature, arguments: tuple[Any, ...] | None = None) -> Specialisation:
        """The code for a signature and the sizes of these arguments (None: any); see `Specialisations`."""
        return self.codes.specialise(signature, arguments)

    @property
    def name(self) -> str:
        return self._name

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return self.parameters.names

    @property
    def full_name(self) -> str:
        """With the module and the classes that it is defined in."""
        return f"{self.py_func.__module__}.{getattr(self.py_func, '__qualname__', self._name)}"

    def _otherwise(self, problem: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that compiled code cannot serve; one warning per reason."""
        if self.parameters.given is not None:
            raise LeafRefusal(problem)
        self._stats.fallbacks += 1
        match problem:
            case CompilerFault(error=fault):
                if config.check:
                    raise fault
                return self.fallbacks.run_plain(fault, args, kwargs)
            case NotAnMdhError() | ArgumentTypeError():
                return self.fallbacks.run(problem, args, kwargs)
            case Detour(lasting=True):
                return self.fallbacks.run_plain(problem, args, kwargs)
        return self.fallbacks.run_now(problem, args, kwargs, isinstance(problem, Uncovered) and problem.raises)

    @property
    def counts(self) -> Stats:
        """What has been counted so far, to be counted on."""
        return self._stats

    def compiled(self) -> bool:
        """Whether there is any code, also of arguments that were taken apart."""
        return bool(self.codes.every()) or any(f.compiled() for f in self._of_leaves.functions())

    def stats(self) -> Stats:
        """Counts since the function was decorated: calls, compilations, cache hits and misses, fallbacks; of devices,
        bytes copied each way, allocations and launches."""
        return self.codes.stats(self.record).with_others(other.stats() for other in _others(self))

    @entry
    @_of_what_is_held
    def config(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """The configuration in force for these arguments (none: of the only code so far), as plain data."""
        return copy.deepcopy(dict(self._specialisation_for(args, kwargs).compiled.configuration))

    @entry
    @_question
    def inspect(self, *args: Any, stage: str = "mdh", **kwargs: Any) -> str:
        """The function at a stage: trace, mdh, lowlevel, table, kernel, kernel@PASS, llvm, asm or opencl."""
        require_stage(stage, self.options)
        if args or kwargs:
            prepared = _as_known(self, self.prepared(self._bound(args, kwargs)))
            return self._pipeline.text(self, prepared.signature, self.options, stage, prepared.arguments)
        return self._pipeline.text(self, self._specialisation_for(args, kwargs).signature, self.options, stage)

    @entry
    @_question
    def draw(self, *args: Any, **kwargs: Any) -> Picture:
        """The (de/re)-composition in force for these arguments as a picture (thesis Figure 60): `str` of it is SVG."""
        from jitmdh.jit.explanation.drawing import drawn

        return drawn(self, args, kwargs)

    @entry
    @_question
    def explain(self, *args: Any, measure: bool = True, timing: bool = False, **kwargs: Any) -> Explanation:
        """A report for these arguments: loops and their combine operators, configuration, work, time, limit, and why.

        Time is measured on copies, for about 0.2 s, but for `measure=False`. `timing=True` compiles once more and says
        what each step takes. Of Dask's arrays: parts, transfers, expected time. `.report(path)` writes it as a page.
        """
        from jitmdh.jit.explanation.explain import explain, with_compile_times, with_source
        from jitmdh.jit.explanation.trials import with_trials

        require(self.options.target_name, self._name, "explain")
        if (given := args or kwargs) and (found := _clusters.explain(self, self._bound(args, kwargs))) is not None:
            return found
        compiled = self._compiled_for(args, kwargs) if given else (self._specialisation_for((), {}), None, False)
        specialisation, prepared, disjoint = compiled
        program = self._pipeline.program(self, specialisation.signature, self.options)
        found = explain(specialisation, program, self.options, prepared, disjoint, measure)
        found = with_trials(found, self, prepared, disjoint)
        found = with_source(found, self, self._pipeline, specialisation, prepared)
        return with_compile_times(found, self, self._pipeline, specialisation, prepared) if timing else found

    @entry
    @_question
    def why(self, *args: Any, **kwargs: Any) -> str:
        """Why these arguments had, or would have, their code compiled instead of loaded; empty if not."""
        prepared = self.prepared(self._bound(args, kwargs))
        return self.codes.why(prepared.signature, argument_sizes(self.parameters.names, prepared.arguments))

    def _specialisation_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Specialisation:
        if args or kwargs:
            prepared = self.prepared(self._bound(args, kwargs))
            try:
                return self.specialise(prepared.signature, prepared.arguments)
            except CompilerFault as fault:
                raise fault.error from None
        every = self.codes.every()
        if len(every) != 1:
            state = f"has been compiled {len(every)} times" if every else "is not compiled yet"
            hint = "pass the arguments of the call meant" if every else "pass arguments, or call it first"
            raise ConfigurationError(f"{self._name} {state}", hint=hint)
        return every[0]

    @entry
    def wait(self, seconds: float | None = None) -> None:
        """Returns when no candidate for this function is compiled or tried in the background, or after so long, and
        when its calls on arrays of devices have ended: raises what these have met."""
        _wait(self, seconds)

    @entry
    @_of_what_is_held
    def tune(
        self,
        *args: Any,
        seconds: float | None = None,
        evaluations: int | None = None,
        technique: Any = None,
        progress: bool | None = None,
    ) -> TuningReport:
        """Searches a faster configuration for these arguments, on copies; keeps the best, also for later processes.

        Ends after so many seconds or evaluations (neither given: 30 s), or by Ctrl-C, with the best so far.
        technique: a name or an object that `atf.tuner` takes. progress: None shows a line on terminals.
        """
        from jitmdh.jit.tuning.job import Budget

        require(self.options.target_name, self._name, "tune")
        return _tuned(self, args, Budget(seconds, evaluations, technique, progress))

    def __dir__(self) -> list[str]:
        return sorted({*dir(self.py_func), *PUBLIC})

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jitmdh function {self.full_name}>"

    def __reduce__(self) -> Any:
        """By name where the name leads back here, in any process; else by value; never code."""
        function: Any = self.py_func
        name, value = sent(self, function.__qualname__, function)
        by_value = (_rebuilt, (function, self.options)) if value is None else (_from_value, (value, self.options))
        return name or by_value

    def __copy__(self) -> JitFunction[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> JitFunction[P, R]:
        return self

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks for when it meets this function inside `@njit` code."""
        from jitmdh.jit.numba_interop import numba_type

        return numba_type(self)


def _as_known(function: JitFunction[Any, Any], prepared: Prepared) -> Prepared:
    """The call as it is, or with its axes of extent 1 known, if there is code for such calls."""
    known = with_ones(prepared)
    return known if function.codes.of(known.signature) else prepared


def _at_once(function: JitFunction[Any, Any], leaves: LeafCalls, arguments: tuple[Any, ...]) -> Any:
    """A call whose arguments hold others, if it is like one that was served before; else UNSEEN."""
    if function.fallbacks.decided or not function.parameters.are_in_order(function.py_func, len(arguments)):
        return UNSEEN
    return leaves.quickly(arguments)


def _natively(function: JitFunction[Any, Any], arguments: tuple[Any, ...]) -> Any:
    """A call with its arguments in order: natively if a plan fits."""
    return function.codes.entry(*arguments)


def _run(function: JitFunction[Any, Any], prepared: Prepared) -> tuple[Specialisation, Prepared, Any]:
    """A call by compiled code that covers it."""
    return _covered(function, prepared, lambda known: _run_as_it_is(function, known))


def _covered(function: JitFunction[Any, Any], prepared: Prepared, use: Callable[[Prepared], T]) -> T:
    """What `use` makes of a call; where code does not cover it, of one that is known to have axes of extent 1."""
    try:
        return use(prepared)
    except Uncovered:
        for known in (with_ones(prepared), function.slices.found(prepared)):
            if known is not None and known.signature != prepared.signature:
                with contextlib.suppress(NotAnMdhError):
                    return use(known)
        raise


def _run_as_it_is(function: JitFunction[Any, Any], prepared: Prepared) -> tuple[Specialisation, Prepared, Any]:
    specialisation, prepared, disjoint = function.select(prepared)
    launch.check_outputs(function.parameters.names, prepared, specialisation.written)
    result = launch.run(specialisation, prepared, disjoint)
    if function.slices.any:
        prefer(function.codes, specialisation.signature)
    return specialisation, prepared, result


def _wait(function: JitFunction[Any, Any], seconds: float | None) -> None:
    from jitmdh.jit.trials.worker import known_worker

    if (worker := known_worker()) is not None:
        worker.wait(function, seconds)
    for one in (function, *_others(function)):
        settle(one.codes)


def _others(function: JitFunction[Any, Any]) -> tuple[Any, ...]:
    """The same function for devices, and called with what its arguments hold."""
    return (*function._devices.code.values(), *function._of_leaves.functions())


def _tuned(function: JitFunction[Any, Any], args: tuple[Any, ...], budget: Budget) -> TuningReport:
    """A search for the arguments of a call; what it finds is taken over."""
    from jitmdh.jit.tuning.tune import tuned

    _clusters.require_none(f"{function._name}.tune", args)
    if function.options.tune == "off" or function._pipeline.generate is not None:
        reason = 'tune="off" was asked for' if function.options.tune == "off" else "no code"
        raise ConfigurationError(f"{function._name}.tune: nothing to tune: {reason}")

    def search(known: Prepared) -> TuningReport:
        specialisation, known, disjoint = function.select(known)
        program = function._pipeline.program(function, specialisation.signature, function.options)
        report = tuned(function, program, specialisation, known, disjoint, budget)
        function._stats.tuned(report.evaluations, report.seconds)
        return report

    return _covered(function, function._compiled_for(args, {})[1], search)


def variant(function: JitFunction[Any, Any], options: Options, given: Leaves | None = None) -> JitFunction[Any, Any]:
    """The same function with other options, or called with what its arguments hold."""
    return make(function.py_func, options, function._pipeline, function._glue, given)


def _rebuilt(function: Callable[P, R], options: Options) -> JitFunction[P, R]:
    return make(function, options)


def _from_value(value: ByValue, options: Options) -> Any:
    return same_here(value) or function_of(value, options, make)


def make_loop(function: types.FunctionType, options: Options, glue: Glue) -> JitFunction[Any, Any]:
    """A loop of a function as a decorated function."""
    return make(function, options, None, glue)


def make(
    function: Callable[P, R], options: Options, pipeline: Pipeline | None = None, glue: Glue | None = None,
    given: Leaves | None = None,
) -> JitFunction[P, R]:  # fmt: skip
    """`function` decorated, with its own class (see the module)."""
    if isinstance(function, JitFunction):
        function = function.py_func
    own = type("JitFunction", (JitFunction,), {"__module__": __name__, "__doc__": JitFunction.__doc__})
    made: JitFunction[P, R] = own(function, options, pipeline, glue, given)
    return made


_clusters = ClusterCalls(make)


@overload
def jit(function: Callable[P, R], /) -> JitFunction[P, R]: ...
@overload
def jit(
    *,
    target: str | None = None,
    tune: str = "online",
    combine: Mapping[str, Any] | None = None,
    schedule: Any = None,
    deterministic: bool = False,
    reassociate: bool = True,
    fallback: Fallback | None = None,
    static: str | Iterable[str] = (),
    cache: bool = True,
) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
@entry
def jit(function: Any = None, /, **options: Any) -> Any:
    """Compiles a function of loop nests or array expressions when it is first called with new argument types.

    Write `@mdh.jit` above a function, or `@mdh.jit(option=value, …)`. The result is called as the function is.

    target: where it runs: "cpu", "opencl", or None (default), where the arrays are.
        `@mdh.jit(target="opencl")`
    tune: "online" (default) looks for faster configurations in the user's own calls; "off" takes the model's.
        `@mdh.jit(tune="off")`
    combine: combine operators, by loop variable, that analysis cannot see; default: none.
        `@mdh.jit(combine={"k": mdh.pw(op)})`
    schedule: a configuration, whole or in part, as plain data or the path of a JSON file; None (default): the tuner's.
        `@mdh.jit(schedule="matvec.json")`
    deterministic: True gives the same bits for any number of threads; default False.
        `@mdh.jit(deterministic=True)`
    reassociate: False forbids to reorder sums of floating-point numbers; default True.
        `@mdh.jit(reassociate=False)`
    fallback: what to do where neither the function nor a loop of it can be compiled: "error", "numba" (then Python),
        "python"; None (default): as `mdh.config.fallback` says, which is "error".
        `@mdh.jit(fallback="python")`
    static: names of arguments whose numbers are part of the code, which is compiled for each of their values; default:
        none. What is no number, such as None, a string, a bool or a function, always is.
        `@mdh.jit(static=("k",))`
    cache: False keeps code and tuning results in this process; default True, on disk.
        `@mdh.jit(cache=False)`

    Raises ConfigurationError for an option that it does not know, or something that is no function; when the result is
    called, what Python would, and NotAnMdhError for what cannot be compiled.
    """
    for name in options:
        require_option(name, Options.__slots__)
    if options.get("combine") is None:
        options.pop("combine", None)
    given = Options(**options)

    @entry
    def decorate(function: Any) -> Any:
        if isinstance(function, types.MethodType):
            return types.MethodType(decorate(function.__func__), function.__self__)
        require_function(function)
        require_parameters(function, given.static)
        return function if config.disable_jit else make(function, given)

    if function is None:
        return decorate
    return decorate(function)


def _signature() -> inspect.Signature:
    """`(function=None, /, *, target=None, …)`: the options with their types and defaults."""
    parameter = inspect.Parameter
    types = {
        "combine": "Mapping[str, Any] | None", "schedule": "Mapping[str, Any] | str | PathLike[str] | None",
        "static": "str | Iterable[str]",
    }  # fmt: skip
    options = [parameter(f.name, parameter.KEYWORD_ONLY, annotation=types.get(f.name, f.type),
                         default=None if f.default is MISSING else f.default) for f in fields(Options)]  # fmt: skip
    function = parameter("function", parameter.POSITIONAL_ONLY, default=None, annotation="Callable | None")
    return inspect.Signature([function, *options], return_annotation="JitFunction | Callable")


jit.__signature__ = _signature()  # type: ignore[attr-defined]
sys.modules["jitmdh.jit"].__doc__ = jit.__doc__  # the package stands for the decorator, see `package`

__all__ = ["JitFunction", "jit", "make"]
