"""The codes of one decorated function: found in memory or in the store, made, and installed for native calls.

Codes of one signature differ in the sizes they are for; those for the fewest calls come first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from jitmdh.base.calling.entry import entry as entry_of_calls
from jitmdh.base.errors import MdhError, NotAnMdhError
from jitmdh.base.log import logger
from jitmdh.base.process.collection import without_collection
from jitmdh.base.process.signals import pass_on
from jitmdh.base.process.stack import with_room, with_stack
from jitmdh.base.source import Loc
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.cpu_entry import CallTable, Plan, native_call_path
from jitmdh.hca.drivers.cpu_trial import Trial, pool_refusals
from jitmdh.hca.interface.statistics import Statistics
from jitmdh.jit.cluster import peers
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.compilation import environment as environments
from jitmdh.jit.compilation.backend import Loaded, backend_of
from jitmdh.jit.compilation.code_cache import Key
from jitmdh.jit.compilation.compiled import Condition, in_range
from jitmdh.jit.compilation.environment import Environments, TracedPrograms
from jitmdh.jit.compilation.fault import CompilerFault, faults_of_the_compiler
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.parameters import Parameters
from jitmdh.jit.compilation.pipeline import Pipeline, SizeSpecialisation, Uncovered, compile_lock
from jitmdh.jit.compilation.signature import Detour, Signature
from jitmdh.jit.compilation.signature import sizes as argument_sizes
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.known_codes import KnownCodes
from jitmdh.jit.stats import Stats
from jitmdh.jit.trials.record import Record
from jitmdh.jit.tuned_codes import TunedCodes, serves_now, threads_now

if TYPE_CHECKING:
    from jitmdh.base.storage.store import Store
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.frontend.source.environment import Environment

_FOR_MANY = ("wide", "small", "all")
_MOST_RANGES = 16  # ranges of sizes that have code of their own, per signature, before wide ones do
_MOST_STATIC = 64  # signatures with static arguments: each value of one is a signature
_MOST_WIDE_RANGES = 8  # wide ones, before one code serves all other sizes
EARNED_SECONDS, WATCHED_SECONDS = 0.2, 1.0  # in calls of a code, before it is tuned; before it is looked at again
_NOTICED_SECONDS = 2e-3  # in calls of code for very different sizes, before it is asked which these are


class SpecialisedFunction(Protocol):
    """What is needed of a decorated function."""

    py_func: Any
    parameters: Parameters

    @property
    def parameter_names(self) -> tuple[str, ...]: ...
    @property
    def full_name(self) -> str: ...
    def _slow(self, *args: Any, **kwargs: Any) -> Any: ...
    def _observe(self, *args: Any) -> None: ...


class Specialisations(KnownCodes):
    """Finds, makes and installs the codes of `function`."""

    def __init__(self, function: SpecialisedFunction, options: Options, pipeline: Pipeline, stats: Stats) -> None:
        super().__init__()
        self._function, self._options, self._pipeline, self._stats = function, options, pipeline, stats
        self._traced: object = function.py_func
        self._refusals: dict[Signature, NotAnMdhError | CompilerFault | Detour] = {}
        self._environments = Environments()
        self.in_blocks = TracedPrograms(pipeline, options)
        self.on_devices: list[Loaded] = []  # that counts what it asks a device for
        self.table: CallTable | None = None
        self.entry: Callable[..., Any]  # native code that tries the table's plans; comes with the table
        self.tuned = TunedCodes(self)
        self.sites: dict[Any, Any] = {}  # what `trials` knows of calls that are tuned while they run
        self.general: dict[Any, Any] = {}  # what it knows of calls that code for very different sizes serves

    @with_stack
    def specialise(self, signature: Signature, arguments: tuple[Any, ...] | None = None) -> Specialisation:
        """The code for a signature and the sizes of these arguments (None: any): remembered, stored, or compiled.

        NotAnMdhError if it is no MDH; Detour if it cannot be compiled, or not now.
        """
        self.notice_changes()
        sizes = {} if arguments is None else argument_sizes(self._function.parameter_names, arguments)
        found = self.in_force(signature, sizes)
        if found is not None:
            return found
        with compile_lock:
            found = self.in_force(signature, sizes)
            if found is None:
                refusal = self._refusals.get(signature)
                if refusal is not None:
                    raise refusal.with_traceback(None)
                try:
                    with without_collection():
                        found = self._made(signature, arguments, sizes)
                except (NotAnMdhError, CompilerFault, Detour) as error:
                    if not isinstance(error, Detour) or error.lasting:
                        self._refusals[signature] = error
                    raise
                self.put(found)
                self.tuned.bring(signature)
                if arguments is not None and self.tuned.remade(found, self._function, self._pipeline, arguments):
                    self._stats.compiles += 1
                    found = self.in_force(signature, sizes) or found
                self._install(found)
        return found

    def still_serves(self, found: Specialisation, changes: int) -> bool:
        """Whether a code that served a call when there had been so many changes is what serves calls like it now."""
        self.notice_changes()
        return changes == self.changes and serves_now(found)

    def stats(self, record: Record) -> Stats:
        """Counts as of now, with native calls and what devices were asked to do."""
        device = sum((loaded.statistics() for loaded in self.on_devices if loaded.statistics), Statistics())
        return self._stats.snapshot(0 if self.table is None else self.table.calls, record, device)

    def notice_changes(self) -> None:
        """Forgets what was compiled from something that is not what it was then."""
        function = self._function.py_func
        if function is self._traced and self._environments.hold():
            return
        with compile_lock:
            gone = self._environments.changed()
            if function is not self._traced:
                self._traced = function
                self._environments.clear()
                gone = [*self.by_signature, *self._refusals]
            for signature in gone:
                self._forget(signature)
                self._refusals.pop(signature, None)
            if self.table is not None:
                self.table.replace(self._plans())
                self._watch_natively(self.table)

    # ------------------------------------------------------------------------------------------ native calls

    def _plans(self) -> tuple[Plan, ...]:
        every = (s for types in _newest(self.by_signature) for s in self.by_signature[types] if serves_now(s))
        return tuple(s.plan for s in every if s.plan is not None)[: CallTable.CAPACITY]

    def _watch_natively(self, table: CallTable) -> None:
        places = self._environments.places()
        table.watch(places, environments.absent() if places else None)

    def _install(self, specialisation: Specialisation) -> None:
        """Lets later calls of this signature go through native code from beginning to end."""
        native = native_call_path()
        if native is None or specialisation.plan is None:
            return
        if self.table is None:
            self.table = CallTable(self._function._slow, _fail, self._function._observe)
            self.entry = native.builtin(self.table, None)
            type(self._function).__call__ = _calls(self.entry, self._function.parameters)  # type: ignore[method-assign]
            if not self._function.parameters.need_names:
                native.take_calls(self._function, self.table)
        self._watch_natively(self.table)
        self.reinstall()

    # ------------------------------------------------------------------------------------------ stored or compiled

    @with_room
    def _made(
        self, signature: Signature, arguments: tuple[Any, ...] | None, sizes: Mapping[str, int]
    ) -> Specialisation:
        _require_few(signature, self.by_signature)
        cpu_runtime.use_store(code_cache.store_of(self._options))
        store, serving, reason = code_cache.store_of(self._options), self._serving(signature, sizes), ""
        for key, environment, changed in self._keys(store, signature):
            tried = [key, key.for_many] if serving in _FOR_MANY else [key]
            if self._options.tune != "off":
                tried.insert(0, key.tuned(threads_now()))
            made, why = self._loaded(store, tried, signature, sizes)
            if made is not None:
                self._rest_on(signature, environment)
                self._stats.cache_hits += 1
                return made
            reason = reason or why + changed
        self._stats.missed(str(signature), reason)
        make = partial(self._compiled, store, signature, arguments, serving)
        return peers.made_once(self, signature, tried[-1], sizes, make) if self._pipeline.fingerprint else make()

    def _loaded(
        self, store: Store | None, keys: list[Key], signature: Signature, sizes: Mapping[str, int]
    ) -> tuple[Specialisation | None, str]:
        """Stored code for a call of these sizes under the first key that has some; or else why not, of the model's."""
        reason = ""
        for key in keys:
            compiled, why = code_cache.recall(store, key, self._function.full_name, sizes)
            if compiled is not None:
                try:
                    return self.remembered(signature, compiled, key), ""
                except (MdhError, KeyError) as error:
                    pass_on(error)
                    why = f"it could not be loaded ({error})"
            reason = why if key.kind == "code" else reason
        return None, reason

    def remembered(self, signature: Signature, compiled: Compiled, key: Key) -> Specialisation:
        """Code that the store has kept, in memory."""
        settled = code_cache.is_settled(self.store, key, compiled)
        loaded = launch.load(signature, compiled.moved(*_place_of(self._function.py_func)), remembered=True)
        general = key.kind == code_cache.FOR_MANY and self.compiles_beside
        return replace(loaded, threads=key.threads, settled=settled, general=general)

    def _compiled(
        self, store: Store | None, signature: Signature, arguments: Any, serving: SizeSpecialisation
    ) -> Specialisation:
        begin, name, known = time.perf_counter(), self._function.full_name, _chosen(self.of(signature))
        environment = self._pipeline.environment(self._function, signature, self._options)
        try:
            with faults_of_the_compiler(name, str(signature)):
                compiled = self._pipeline.compile(
                    self._function, signature, self._options, arguments, serving, environment, known
                )
        finally:
            self._rest_on(signature, environment)
        compiled = self.here(compiled)
        key = self.key(signature)
        code_cache.remember(store, key.for_many if serving in _FOR_MANY else key, name, compiled)
        environments.remember(store, self._bare_key(signature), environment)
        general = serving in _FOR_MANY and arguments is not None and self.compiles_beside
        made = replace(launch.load(signature, compiled), general=general)
        self._stats.compiles += 1
        seconds = time.perf_counter() - begin
        self._stats.compile_seconds += seconds
        why = self._stats.reason(str(signature)) or "there is no code yet"
        logger().info("%s: compiled for (%s) in %.0f ms: %s", name, signature, seconds * 1e3, why)
        return made

    def here(self, compiled: Compiled) -> Compiled:
        """With the place that `moved` counts from, in this process and others."""
        return compiled if compiled.loc is None else replace(compiled, loc=Loc(*_place_of(self._function.py_func)))

    def _rest_on(self, signature: Signature, environment: Environment | None) -> None:
        if self._environments.keep(signature, environment):
            self._forget(signature)

    def _forget(self, signature: Signature) -> None:
        self.by_signature.pop(signature, None)
        self.changes += 1
        self.tuned.forget(signature)

    def _serving(self, signature: Signature, sizes: Mapping[str, int]) -> SizeSpecialisation:
        """What code is to be for where there is none for a call of these sizes."""
        if not sizes:  # code for any, such as that which Numba calls
            return "all"
        known = _chosen(self.of(signature))
        return serving_in_turn(known, sizes, not known or not self.compiles_beside)

    @property
    def compiles_beside(self) -> bool:
        """Whether code for classes of sizes can be made beside the program, while other code serves them."""
        return self.tunable_online and not self._options.deterministic and _may_compile_beside()

    # ------------------------------------------------------------------------------------------ keys

    def key(self, signature: Signature) -> Key:
        return next(iter(self._keys(code_cache.store_of(self._options), signature)))[0]

    def _bare_key(self, signature: Signature) -> Key:
        """The key of the function without what it reads."""
        return code_cache.key_of(self._pipeline.identity(self._function), signature, self._options)

    def _keys(self, store: Store | None, signature: Signature) -> Iterator[tuple[Key, Environment | None, str]]:
        """Keys under which there may be code: for what was read here, or else for what earlier processes read.

        With each the record of what it stands for, and what of that has changed since, in words.
        """
        known, bare = self._environments[signature], None
        fresh = self._pipeline.environment(self._function, signature, self._options) if known is None else known
        if fresh is not None and known is None:
            try:
                fresh.source(fresh.function)
            except NotAnMdhError:
                self._environments.keep(signature, fresh)
                raise
            bare = self._bare_key(signature)
            for found, changed in environments.recall(store, bare, fresh):
                shown = ", ".join(f"`{text}`" for text in changed)
                yield replace(bare, function=found.digest), found, f": {shown}" if changed else ""
        bare = bare or self._bare_key(signature)
        yield bare if known is None else replace(bare, function=known.digest), known, ""

    def why(self, signature: Signature, sizes: Mapping[str, int]) -> str:
        """Why code for such calls was, or would be, compiled anew; empty if not."""
        known = self._stats.reason(str(signature))
        if known is not None:
            return known
        store, reason = code_cache.store_of(self._options), ""
        for key, _, changed in self._keys(store, signature):
            for tried in (key.tuned(threads_now()), key) if self._options.tune != "off" else (key,):
                compiled, why = code_cache.recall(store, tried, self._function.full_name, sizes)
                if compiled is not None:
                    return ""
            reason = reason or why + changed
        return reason

    # ------------------------------------------------------------------------------------------ for `TunedCodes`

    @property
    def store(self) -> Store | None:
        return code_cache.store_of(self._options)

    @property
    def tunable(self) -> bool:
        """Whether configurations may be tried at all."""
        wanted = self._options.tune != "off" and self._pipeline.generate is None
        return wanted and "tune" in backend_of(self._options.target_name).offers

    @property
    def tunable_online(self) -> bool:
        """Whether they may be tried while the program runs."""
        return self.tunable and "online" in backend_of(self._options.target_name).offers

    @property
    def full_name(self) -> str:
        return self._function.full_name

    def put(self, found: Specialisation) -> None:
        """Puts a code among those of its signature, in place of one that is for the same calls."""
        self.keep(found)
        if (loaded := found.loaded) is not None and loaded.statistics is not None and loaded not in self.on_devices:
            self.on_devices.append(loaded)

    def exchange(self, old: Specialisation, new: Specialisation) -> None:
        """Puts a code for the same calls into the place of another; no call meets anything between."""
        self.exchanged(old, new)
        if self.table is not None and old.plan is not None and new.plan is not None and old.plan in self.table.plans:
            self.table.exchange(old.plan, new.plan)

    def reinstall(self) -> None:
        """Native calls take the codes that there are now."""
        if self.table is not None:
            for known in self.by_signature.values():
                for specialisation in known if self.tunable_online else ():
                    _watch(specialisation)
            self.table.replace(self._plans())

    def program(self, found: Specialisation) -> Program:
        """The high-level representation of what a code computes."""
        known: Program | None = found.compiled.program
        return self._pipeline.program(self._function, found.signature, self._options) if known is None else known


def _place_of(function: object) -> tuple[str, int]:
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)


def _chosen(codes: Iterable[Specialisation]) -> list[tuple[Condition, ...]]:
    """For which sizes the model has chosen code."""
    return [s.compiled.conditions for s in codes if s.threads is None]


def _newest(signatures: Iterable[Signature]) -> list[Signature]:
    """The newest first, but before all others those with steps: their calls fit into code for any distance, too."""
    return sorted(reversed(list(signatures)), key=lambda signature: not signature.has_steps)


def _calls(entry: Callable[..., Any], parameters: Parameters) -> Callable[..., Any]:
    """What calls of a function are: native code, which takes all arguments in their order, also those that may be given
    by name only."""
    if not parameters.need_names:
        return entry

    @entry_of_calls
    def call(function: Any, *args: Any, **kwargs: Any) -> Any:
        parameters.require_names(function.py_func, args)
        return entry(*args, **kwargs)

    return call


def settle(codes: Specialisations) -> None:
    """Waits for calls that have returned before their end; raises the first error that they have met."""
    for loaded in codes.on_devices:
        if loaded.settle is not None:
            loaded.settle()


def prefer(codes: Specialisations, signature: Signature) -> None:
    """Native calls try the code for these calls first."""
    of = codes.by_signature
    if signature in of and next(reversed(of)) != signature:
        of[signature] = of.pop(signature)
        codes.reinstall()


def _may_compile_beside() -> bool:
    from jitmdh.jit.trials.worker import makes_code

    return makes_code()


def serving_in_turn(
    known: Sequence[tuple[Condition, ...]], sizes: Mapping[str, int], by_class: bool
) -> SizeSpecialisation:
    """What further code of a signature is to be for, where `known` are the conditions of those that there are.

    by_class: one class after the other. Code for multiples of tiles is short; but one range of sizes has two codes at
    most, and ranges are few. Else it is the last but one that a call ever waits for: it serves all small sizes, or all.
    """
    if not by_class:
        from jitmdh.mdh.lowering.configuration.shape_class import SMALL

        small = all(sizes[c.size] <= SMALL for conditions in known for c in conditions if c.size in sizes)
        return "small" if small else "all"
    if any(in_range(conditions, sizes) for conditions in known):
        return "range"
    ranges = {tuple(replace(c, multiple=1) for c in conditions) for conditions in known}
    if len(ranges) < _MOST_RANGES:
        return "multiples"
    return "wide" if len(ranges) < _MOST_RANGES + _MOST_WIDE_RANGES else "all"


def _require_few(signature: Signature, known: Iterable[Signature]) -> None:
    """Detour for one more value of static arguments where there is code for many."""
    others = [k for k in known if k.has_statics]
    if len(others) >= _MOST_STATIC and signature.has_statics and signature not in others:
        raise Detour(f"it is compiled for {_MOST_STATIC} values of its static arguments, and for no more")


def _watch(specialisation: Specialisation) -> None:
    """Times some of the calls of a code that may be tuned."""
    plan = specialisation.plan
    if plan is not None and plan.trial is None:
        trial = Trial(pool_refusals(cpu_runtime.runtime().code))
        earned = WATCHED_SECONDS if specialisation.settled else EARNED_SECONDS
        trial.notice_at(min(earned, _NOTICED_SECONDS) if specialisation.general else earned)
        if specialisation.general:
            from jitmdh.jit.execution.native_call import size_slots

            trial.keep_sizes(size_slots(specialisation.compiled, plan))
        plan.observe(trial)


def _fail(status: int, compiled: Compiled) -> None:
    """Raises what the status of a kernel means, by the facts of its own code; returns where plain Python is to."""
    error = launch.failed_kernel(status, compiled)
    if not isinstance(error, Uncovered):
        raise error


__all__ = ["Specialisations", "SpecialisedFunction"]
