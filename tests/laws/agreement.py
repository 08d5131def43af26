"""All ways to run a program, and what it means that they agree."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from jitmdh.base.dtype import from_numpy, type_of
from jitmdh.base.errors import NotAnMdhError
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.jit.compilation.signature import unit_axis
from jitmdh.mdh.algebra.bounds import data_checks
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Expression, Program, Sequential, Step, expressions
from jitmdh.mdh.algebra.parts.components import components, with_parts
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from jitmdh.mdh.codegen.program import fill_expression
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArgumentType, ArrayType, ScalarKind
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowlevel.interp import run_lowlevel
from jitmdh.mdh.machine.model import Machine
from tests.laws.results import leaves
from tests.mdh.codegen.native import Native

Arguments = tuple[Any, ...]
Make = Callable[[], Arguments]


@dataclass(frozen=True)
class Outcome:
    """What a run did: its result and the arrays after it, or the exception."""

    result: Any = None
    arrays: tuple[np.ndarray[Any, Any], ...] = ()
    error: Exception | None = None


def outcome(function: Callable[..., Any], arguments: Arguments) -> Outcome:
    before = tuple(a.copy() for a in arguments if isinstance(a, np.ndarray))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except (IndexError, ArithmeticError, UnboundLocalError, ValueError, TypeError, FallbackSignal) as error:
            return Outcome(None, before, error)
    return Outcome(result, tuple(a for a in arguments if isinstance(a, np.ndarray)))


# ------------------------------------------------------------------------------------------------ ways to run


def argument_type(value: Any) -> ArgumentType:
    if isinstance(value, np.ndarray):
        return ArrayType(from_numpy(value.dtype), value.ndim)
    return ScalarKind(type_of(value).concrete, weak=not isinstance(value, np.generic))


def traced(function: Callable[..., Any], arguments: Arguments) -> Program:
    """The function as a program. NotAnMdhError where it is none."""
    program = trace(capture(function), tuple(map(argument_type, arguments)))
    check(program)
    return program


Chooser = Callable[[Expression, Machine], Configuration]


Axes = dict[str, int | None]


def unit_axes(program: Program, calls: Sequence[Arguments]) -> Axes:
    """For each array the axis along which neighbours are neighbours in memory in all of these calls."""
    found: Axes = {}
    for n, p in enumerate(program.parameters):
        arrays = [c[n] for c in calls if isinstance(c[n], np.ndarray)]
        for axis in {unit_axis(a) for a in arrays} - {None}:
            if all(a.shape[axis] < 2 or a.strides[axis] == a.itemsize for a in arrays):
                found[p.name] = axis
        if arrays:
            found.setdefault(p.name, None)
    return found


def model(program: Program, arguments: Arguments, axes: Axes) -> Chooser:
    """The configuration that the analytic model chooses for this call."""
    sizes = argument_binding.sizes_of(program, arguments)
    return lambda e, machine: choose(
        replace(problem(e, sizes, axes, 2), checkable_in_use=True), machine
    ).configuration  # fmt: skip


def legal(axes: Axes, wanted: Chooser) -> Chooser:
    """`wanted`, where such arrays allow it; else the default configuration."""

    def chosen(expression: Expression, machine: Machine) -> Configuration:
        configuration = wanted(expression, machine)
        facts = problem(expression, {}, axes, 2)
        return configuration if violation(facts, machine, configuration) is None else Configuration()

    return chosen


def run_low(program: Program, chooser: Chooser, machine: Machine, *arguments: Any) -> Any:
    """A program with each expression executed by the interpreter of the low-level representation."""
    buffers = argument_binding.bind(program, arguments)
    sizes = argument_binding.sizes_from(program, buffers)
    argument_binding.check_sizes(program, sizes)
    buffers |= argument_binding.allocate(program, sizes)

    checks = data_checks(program)

    def look(before: Step | None, sizes: dict[str, int]) -> None:
        for condition in checks:
            if condition.before is before:
                interp.look_at(condition, buffers, sizes)

    with interp.explained(program.faults):
        look(None, sizes)

    def steps(body: tuple[Step, ...], sizes: dict[str, int], around: Sequential | None = None) -> bool:
        for step in body:
            look(step, sizes)
            if isinstance(step, Sequential):
                for n in range(step.dim.extent.evaluate(sizes)):
                    if steps(step.body, {**sizes, step.dim.name: n}, step):
                        break
            else:
                whole = lift_identities(forward_scans(components(step)))
                run_lowlevel(lower(whole, chooser(whole, machine)), with_parts(buffers), sizes)
                if around is not None and any(buffers[name][()] for name in around.ends(step)):
                    return True
        return False

    fills = tuple(fill_expression(a) for a in program.allocations if a.fill is not None)
    with interp.explained(program.faults):
        steps((*fills, *program.steps), sizes)
    if program.returns is None:
        return None
    scalars = {a.name for a in program.allocations if not a.shape}
    results = tuple(buffers[r.name][()] if r.name in scalars else buffers[r.name] for r in program.returns)
    return results if program.returns_tuple or len(results) != 1 else results[0]


def native(program: Program, chooser: Chooser, axes: Axes, features: str | None = None) -> Native:
    return Native(program, chooser, features=features, unit_axes=axes)


@contextmanager
def threads(count: int) -> Iterator[None]:
    runtime = cpu_runtime.runtime()
    before = runtime.num_threads
    runtime.num_threads = count
    try:
        yield
    finally:
        runtime.num_threads = before


def reduces_floats(program: Program) -> bool:
    """Whether some floats are combined in an order that is not given."""
    return any(
        b.type.kind in "fc" and not isinstance(c, Concatenation)
        for e in expressions(program.steps)
        for c in e.md_hom.combine
        for b in e.buffers
    )


# ------------------------------------------------------------------------------------------------ agreement


Exactness = Literal["bits", "numbers", "nearly", "products"]
"""Of floats: to the last bit (but any NaN is any other); signs of zeros may differ; the last few bits may differ; so,
but products that Python finds to be 0, infinite or extreme may overflow on the way in another order."""
_MODERATE = 2.0**64


def assert_agree(expected: Outcome, found: Outcome, way: str, exact: Exactness, bits: int = 52) -> None:
    """bits: of the mantissas of what is computed on the way, if results of a wider type differ by its rounding."""
    if isinstance(expected.error, OverflowError):
        return  # the same with a number of Python's that does not fit an array's type
    if expected.error is not None:
        classes = (IndexError, ZeroDivisionError, ValueError)
        kind = next((c for c in classes if isinstance(expected.error, c)), Exception)
        assert isinstance(found.error, (kind, FallbackSignal)), f"{way}: no error, Python: {expected.error!r}"
        return
    if isinstance(found.error, FallbackSignal):
        return
    assert found.error is None, f"{way}: {found.error!r}, but Python has no error"
    for n, (e, f) in enumerate(zip(_flat(expected), _flat(found), strict=True)):
        if isinstance(e, int) and e.bit_length() > 63:
            continue  # Python's own integers have no end, those of the compiled program have 64 bits
        _same(np.asarray(e), np.asarray(f), f"{way}: value {n}", exact, bits)


def _flat(o: Outcome) -> tuple[Any, ...]:
    return (*o.arrays, *(leaves(o.result) if o.result is not None else ()))


def _same(
    expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any], what: str, exact: Exactness, bits: int = 52
) -> None:
    if expected.dtype.names is not None:
        for field in expected.dtype.names:
            _same(expected[field], found[field], f"{what}[{field!r}]", exact, bits)
        return
    if found.dtype.kind == "c" and expected.dtype.kind in "if":
        expected = expected.astype(found.dtype)  # of no iterations: Python's own first value
    kind = "f" if expected.dtype.name == "bfloat16" else expected.dtype.kind
    if kind == "c":
        if exact in ("nearly", "products"):  # what overflows becomes infinite or NaN: it depends on the order
            return _near(expected, found, what, bits, exact == "products")
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected), err_msg=what)
        for part in ("real", "imag"):
            _same(getattr(expected, part), getattr(np.asarray(found), part), f"{what}.{part}", exact, bits)
    elif kind != "f":
        np.testing.assert_array_equal(found, expected, err_msg=what)
    elif exact not in ("nearly", "products"):
        if expected.dtype.name == "bfloat16":  # whose NaN NumPy does not know
            expected, found = (a.astype(np.float32) for a in (expected, found))
        np.testing.assert_array_equal(found, expected, err_msg=what)
        if exact == "numbers":
            return
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(
            np.signbit(found)[numbers], np.signbit(expected)[numbers], err_msg=f"{what}: sign"
        )
    else:
        _near(expected, found, what, bits, exact == "products")


def _near(
    expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any], what: str, bits: int, products: bool = False
) -> None:
    """Within a few units in the last place of the largest number; of complex ones, in the plane."""
    bits = min(precision(expected.dtype), precision(found.dtype), bits)
    if products:
        with np.errstate(all="ignore"):
            size = np.abs(expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64))
        moderate = (size < _MODERATE) & (size > 1 / _MODERATE)
        expected, found = expected[moderate], found[moderate]
    expected, found = (a.astype(np.complex128 if expected.dtype.kind == "c" else np.float64) for a in (expected, found))
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 1.0
    tolerance = 2.0 ** (8 - bits) if bits > 10 else 2.0 ** (3 - bits)
    if expected.dtype.kind == "c":
        np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected), err_msg=what)
        expected, found = (a[np.isfinite(a)] for a in (expected, found))
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def precision(dtype: np.dtype[Any]) -> int:
    """Bits of the mantissa; of integers, as many as can matter."""
    if dtype.name == "bfloat16":
        return 7
    return int(np.finfo(dtype).nmant) if dtype.kind in "fc" else 52


__all__ = [
    "NotAnMdhError",
    "Outcome",
    "assert_agree",
    "native",
    "outcome",
    "precision",
    "reduces_floats",
    "run_low",
    "traced",
]
