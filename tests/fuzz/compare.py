"""One program: the undecorated function against the decorated one, under each of the program's options."""

from __future__ import annotations

import ast
import itertools
import re
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh import errors
from jitmdh.mdh.algebra.bounds import data_checks
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from tests.fuzz.other_calls import other_calls
from tests.fuzz.program import Array, Call, Program
from tests.fuzz.rules import done_up_to_a_loop, explained
from tests.fuzz.schedules import random_schedule
from tests.fuzz.stages import OWN, Codes, Traces, as_asked
from tests.laws.agreement import Exactness, _same, reduces_floats, traced
from tests.laws.results import form, leaves

MOST_ROUNDS = 60_000
REFUSED = (errors.NotAnMdhError, errors.ArgumentTypeError, errors.ArgumentValueError, errors.ConfigurationError,
           errors.DeviceError)  # fmt: skip
AFTER_WRITES = (errors.RangeError, errors.DivisionError, errors.ArgumentValueError)
"""docs/errors.md: these may come after writes; all others before any."""
BUILT_IN = (IndexError, ZeroDivisionError, OverflowError, ValueError, TypeError, UnboundLocalError)
FOLDS = re.compile(r"np\.(sum|prod|mean|cumsum|exp|hypot|tanh|arctan|arcsinh)|@|\*\*")
COMPLEX = re.compile(r"complex|\dj\b")
"""Of such numbers `abs` is a `hypot`."""

UPDATES = re.compile(r"[-+*/]=|(\b\w+)(\[.*\])? = .*\b\1\b")


class TooLong(BaseException):
    """Python itself would not be done in a sensible time."""


@dataclass
class Verdict:
    """What became of a program. differences: kind, option, words; counts: by what happened and by rule."""

    differences: list[tuple[str, str, str]] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ran:
    result: Any
    error: Exception | None
    call: Call
    before: dict[str, Any]
    outside: bool
    bug: str = ""
    """What a warning says that takes the blame: plain Python has run, since the compiler failed."""


def run(function: Callable[..., Any], program: Program) -> Ran:
    call = program.call()
    before = {name: a.copy() for name, a in call.arrays.items()}
    outside = call.outside()
    result, error = None, None
    with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", errors.JitWarning)
        try:
            result = function(*call.arguments)
        except Exception as caught:
            error = caught
    bug = next((str(w.message) for w in said if errors.InternalError.code in str(w.message)), "")
    return Ran(result, error, call, before, outside == call.outside(), bug)


def run_at_once(function: Callable[..., Any], program: Program, callers: int) -> list[Ran]:
    """What so many threads get, which begin together."""
    calls, start = [program.call() for _ in range(callers)], threading.Barrier(callers)
    before = [{name: a.copy() for name, a in call.arrays.items()} for call in calls]
    outside, found = [call.outside() for call in calls], dict[int, tuple[Any, Exception | None]]()

    def work(n: int) -> None:
        start.wait()
        with np.errstate(all="ignore"):
            try:
                found[n] = function(*calls[n].arguments), None
            except Exception as caught:
                found[n] = None, caught

    threads = [threading.Thread(target=work, args=(n,)) for n in range(callers)]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", errors.JitWarning)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    bug = next((str(w.message) for w in said if errors.InternalError.code in str(w.message)), "")
    return [Ran(*found[n], calls[n], before[n], outside[n] == calls[n].outside(), bug) for n in range(callers)]


def bounded(function: types.FunctionType) -> types.FunctionType:
    """`function`, which raises TooLong after so many rounds of its loops."""
    left = [MOST_ROUNDS]

    def counted(*bounds: Any) -> Iterator[int]:
        return rounds(range(*bounds))  # which may be an error here and now

    def rounds(numbers: range) -> Iterator[int]:
        for i in numbers:
            left[0] -= 1
            if left[0] < 0:
                raise TooLong
            yield i

    def backwards(sequence: Any) -> Any:
        """Also of what `counted` gives, which has no end to begin with."""
        return reversed(list(sequence)) if isinstance(sequence, types.GeneratorType) else reversed(sequence)

    def round() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise TooLong

    space = {**function.__globals__, "range": counted, "reversed": backwards, "_round": round}
    for name, helper in function.__globals__.items():
        if isinstance(helper, types.FunctionType) and helper.__globals__ is function.__globals__:
            space[name] = types.FunctionType(helper.__code__, space, name, helper.__defaults__, helper.__closure__)
    return types.FunctionType(function.__code__, space, function.__name__)


def counting(text: str) -> str:
    """A program whose `while` loops count their rounds, too."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            node.body.insert(0, ast.parse("_round()").body[0])
    return ast.unparse(tree) + "\n"


def compared(program: Program) -> Verdict:
    verdict = Verdict()
    try:
        function = program.function()
    except SyntaxError:  # a change has left a `continue` without its loop
        verdict.counts.append("no program")
        return verdict
    try:
        plain = replace(program, text=counting(program.text)).function() if "while" in program.text else function
        expected = run(bounded(plain), program)  # type: ignore[arg-type]
    except TooLong:
        verdict.counts.append("too long for Python")
        return verdict
    verdict.counts.append(f"Python: {type(expected.error).__name__ if expected.error else 'no error'}")
    case, codes = Case(program, function, plain, expected, Traces(function)), Codes()
    for n, option in enumerate(program.options):
        with as_asked(option, codes):
            _option(case, dict(option), verdict, shared=n > 0)
    return verdict


@dataclass(frozen=True)
class Case:
    """A program as a function, what that did, and the programs of the algebra that it is traced as. plain: the function
    for Python, whose loops can be counted."""

    program: Program
    function: types.FunctionType
    plain: types.FunctionType
    expected: Ran
    traces: Traces


def _option(case: Case, option: dict[str, Any], verdict: Verdict, shared: bool) -> None:
    """One way to decorate the function. shared: with the trace of the ways before it; the first goes all the way."""
    given = {name: value for name, value in option.items() if name not in OWN}
    if "schedule" in option:
        with case.traces.shared(anew=False):
            given["schedule"] = random_schedule(case.traces, case.program.call().arguments, option["schedule"])
        if given["schedule"] is None:
            verdict.counts.append("no schedule")
            return
    if given.get("target") == "opencl" and not any(d.target == "opencl" for d in mdh.devices()):
        verdict.counts.append("no OpenCL")
        return
    if option.get("interpreted"):
        return _interpreted(case, option, verdict)
    if option.get("algebra"):
        return _by_algebra(case, verdict)
    plain = {"cache": False, "tune": "off"} | given
    decorated = case.traces.decorated(given) if shared else mdh.jit(**plain)(case.function)
    with case.traces.shared(anew=not shared):
        callers = int(option.get("callers", 1))
        every = run_at_once(decorated, case.program, callers) if callers > 1 else [run(decorated, case.program)]
        every.append(run(decorated, case.program))
    if all([_is_right(case, option, decorated, found, verdict) for found in every]):
        verdict.counts.append("fallback" if decorated.stats().fallbacks else "compiled")
        if "others" in option:
            _other_calls(case, option, decorated, verdict)


def _other_calls(case: Case, option: dict[str, Any], decorated: Any, verdict: Verdict) -> None:
    """The same function with other arguments, to the first difference."""
    for program in other_calls(case.program, option["others"]):
        try:
            expected = run(bounded(case.plain), program)
        except TooLong:
            continue
        other = replace(case, program=program, expected=expected)
        with case.traces.shared(anew=False):
            found = run(decorated, program)
        if not _is_right(other, {**option, "arguments": dict(program.arguments)}, decorated, found, verdict):
            return
        verdict.counts.append("other call")


def _is_right(case: Case, option: dict[str, Any], decorated: Any, found: Ran, verdict: Verdict) -> bool:
    """Whether a call did what Python does; if not, there is a rule for it, or it is a difference."""
    difference = found_different(case.program, case.expected, found, bool(option.get("reassociate", True)))
    if isinstance(found.error, REFUSED):
        verdict.counts.append("refused")
    if difference is None:
        return True
    if difference[0] == "half done" and _as_promised(case, _in_place(decorated), found):
        return True
    rule = explained(case.program, case.expected, found, difference[0], bool(option.get("reassociate", True)))
    if rule:
        verdict.counts.append(f"rule: {rule}")
    else:
        way = ", ".join(f"{n}={v}" for n, v in option.items()) or "default"
        verdict.differences.append((difference[0], way, difference[1]))
    return False


def _in_place(decorated: Any) -> set[int]:
    """The lines of the loops that are compiled in place."""
    return {nest.line for nest, loop in decorated.fallbacks._every().values() if loop.compiled()}


def _as_promised(case: Case, loops: set[int], found: Ran) -> bool:
    """docs/reliability.md, "After an error": all before the faulty loop has been done, that one in part at most."""
    if not isinstance(found.error, IndexError):
        return False
    return done_up_to_a_loop(case.program, loops, found.call.arrays, bool(loops) or _finds_faults_late(case))


def _finds_faults_late(case: Case) -> bool:
    """Whether the program has subscripts that are looked at when they are used, or between its loops."""
    try:
        program = traced(case.function, case.program.call().arguments)
    except (errors.UserError, errors.InternalError):
        return True
    return any(e.procedures for e in expressions(program.steps)) or any(c.before for c in data_checks(program))


def _interpreted(case: Case, option: dict[str, Any], verdict: Verdict) -> None:
    """Kernel IR, whose interpreter says which load or store is outside of its memory, or of nothing."""
    made = case.traces.interpreted(case.program.call().arguments)
    if made is None or isinstance(case.expected.error, ValueError | ArithmeticError):
        return
    found = run(made, case.program)
    if isinstance(found.error, FallbackSignal):
        return
    difference = found_different(case.program, case.expected, found, True)
    if difference is not None and difference[0] == "half done" and _as_promised(case, set(), found):
        difference = None
    if difference is not None and not explained(case.program, case.expected, found, difference[0], True):
        verdict.differences.append((difference[0], "interpreted", difference[1]))
    verdict.counts.append("interpreted")


def _by_algebra(case: Case, verdict: Verdict) -> None:
    """The function as it is traced, by the interpreter of the algebra: nothing is compiled, which takes most of the
    time. Arguments that share memory, and what such calls leave to plain Python, are not looked at."""
    try:
        made = traced(case.function, case.program.call().arguments)
    except (errors.UserError, errors.ArgumentTypeError):
        verdict.counts.append("refused")
        return
    except Exception as fault:
        verdict.differences.append(("internal", "algebra", f"{fault!r}"[:600]))
        return
    if any(a.of for a in arrays_of(case.program).values()):
        verdict.counts.append("shared memory")
        return
    found = run(lambda *arguments: interp.run(made, *arguments), case.program)
    if isinstance(found.error, FallbackSignal | NotImplementedError):
        verdict.counts.append("fallback")
        return
    difference = found_different(case.program, case.expected, found, True)
    if difference is None or difference[0] in ("half done", "other error"):
        verdict.counts.append("traced")
    elif rule := explained(case.program, case.expected, found, difference[0], True):
        verdict.counts.append(f"rule: {rule}")
    else:
        verdict.differences.append((difference[0], "algebra", difference[1]))


def found_different(program: Program, expected: Ran, found: Ran, reassociate: bool) -> tuple[str, str] | None:
    """Kind and words of a difference; None: there is none."""
    if not found.outside:
        return "memory", "memory around the arguments was written"
    if isinstance(found.error, errors.InternalError) or found.bug:
        return "internal", found.bug or str(found.error)
    fault = isinstance(found.error, AFTER_WRITES) and isinstance(expected.error, ValueError | ArithmeticError)
    if isinstance(found.error, REFUSED) and not fault:
        if expected.error is None or not _equal_arrays(found, expected.call.arrays):
            return (
                None
                if _equal_arrays(found, found.before)
                else ("half done", f"arrays were written before {found.error!r}")
            )
        return None
    if (found.error is None) != (expected.error is None):
        kind = "no error" if found.error is None else "error"
        return kind, f"{found.error!r}, Python: {expected.error!r}"
    if expected.error is not None:
        assert found.error is not None
        kind = next((k for k in BUILT_IN if isinstance(expected.error, k)), type(expected.error))
        if not isinstance(found.error, kind):
            return "other error", f"{found.error!r}, Python: {expected.error!r}"
        if isinstance(found.error, AFTER_WRITES):
            return None
        if not any(_equal_arrays(found, arrays) for arrays in (found.before, expected.call.arrays)):
            return "half done", f"arrays after {found.error!r} are neither as before nor as Python's"
        return None
    return _values(program, expected, found, reassociate)


def _equal_arrays(found: Ran, arrays: dict[str, Any]) -> bool:
    return all(a.tobytes() == arrays[n].tobytes() for n, a in found.call.arrays.items())


def _values(program: Program, expected: Ran, found: Ran, reassociate: bool) -> tuple[str, str] | None:
    """To the last bit; where that fails, as exactly as is promised of this program."""
    difference = _unequal(expected, found, "bits")
    if difference is not None and (exact := exactness(program, reassociate)) != "bits":
        difference = _unequal(expected, found, exact)
    return difference or _types(expected, found)


def _unequal(expected: Ran, found: Ran, exact: Exactness) -> tuple[str, str] | None:
    try:
        for name, a in expected.call.arrays.items():
            _same(np.asarray(a), found.call.arrays[name], name, exact)
        ours, theirs = leaves(found.result), leaves(expected.result)
        assert len(ours) == len(theirs), f"{len(ours)} results, Python: {len(theirs)}"
        for n, (e, f) in enumerate(zip(theirs, ours)):
            assert (e is None) == (f is None), f"result {n} is {f!r}, Python: {e!r}"
            if e is not None:
                a, b = np.asarray(e), np.asarray(f)
                assert a.shape == b.shape, f"result {n} has shape {b.shape}, Python: {a.shape}"
                if isinstance(e, np.ndarray):
                    assert a.dtype == b.dtype, f"result {n} has type {b.dtype}, Python: {a.dtype}"
                _same(a, b, f"result {n}", exact)
        _share_alike(expected, found)
    except (AssertionError, TypeError) as difference:
        return "values", f"{difference}"[:600]
    return None


def _as_documented(expected: Any, found: Any) -> bool:
    """docs/reliability.md, "Results and errors": an array for an array, a number for a number, and NumPy's."""
    if isinstance(expected, np.ndarray) or isinstance(found, np.ndarray | tuple | list):
        return isinstance(found, np.ndarray) and isinstance(expected, np.ndarray)
    if not isinstance(expected, bool | int | float | complex | np.generic):
        return type(found) is type(expected)
    if isinstance(expected, int) and not -(2**63) <= expected < 2**63:
        return True  # a rule tells of those
    return bool(isinstance(found, np.generic) and found.dtype == np.asarray(expected).dtype)


def _share_alike(expected: Ran, found: Ran) -> None:
    """What is written into a result shows in the same arguments and other results."""
    e, f = ({**r.call.arrays, **{f"result {n}": a for n, a in enumerate(leaves(r.result)) if isinstance(a, np.ndarray)}}
            for r in (expected, found))  # fmt: skip
    for one, other in itertools.combinations(e, 2):
        if other.startswith("result") and other in f and one in f:  # if not, `_types` tells
            both = np.shares_memory(e[one], e[other])
            assert np.shares_memory(f[one], f[other]) == both, f"{one} and {other} share memory or not, Python: {both}"


def exactness(program: Program, reassociate: bool) -> Exactness:
    """docs/numerics.md: reductions of floats may be in another order, elementary functions differ in last bits.

    Which zero a maximum of both is depends on NumPy's own vectors.
    """
    if FOLDS.search(program.text) or ("abs(" in program.text and COMPLEX.search(f"{program.text} {program.arguments}")):
        return "nearly"
    try:
        if reassociate and reduces_floats(traced(program.function(), program.call().arguments)):
            return "nearly"
    except (errors.UserError, errors.InternalError):
        if reassociate and UPDATES.search(program.text):  # by a loop that is compiled in place
            return "nearly"
    return "numbers" if "np.m" in program.text else "bits"


def _types(expected: Ran, found: Ran) -> tuple[str, str] | None:
    """Results of other types, where all have the right values."""
    if form(found.result) != form(expected.result):
        return "types", f"returned is {found.result!r:.200}, Python: {expected.result!r:.200}"
    for n, (e, f) in enumerate(zip(leaves(expected.result), leaves(found.result))):
        if not _as_documented(e, f):
            return "types", f"result {n} is {f!r:.200} of {type(f)}, Python: {e!r:.200} of {type(e)}"
    return None


def arrays_of(program: Program) -> dict[str, Array]:
    return {n: a for n, a in program.arguments.items() if isinstance(a, Array)}
