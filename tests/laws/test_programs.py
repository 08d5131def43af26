"""Undecorated Python ≡ the interpreters ≡ compiled code under several configurations, over generated programs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.expr import Expression, Program, Sequential, expressions
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.model import Machine
from tests.laws.agreement import (
    Chooser,
    Exactness,
    assert_agree,
    legal,
    model,
    native,
    outcome,
    reduces_floats,
    run_low,
    threads,
    traced,
    unit_axes,
)
from tests.laws.configurations import configurations, facts_of
from tests.laws.examples import examples
from tests.laws.program_expressions import INEXACT
from tests.laws.python_programs import Source, sources
from tests.mdh.codegen.native import host

counts: Counter[str] = Counter()
"""What became of the programs, to see that the generator does not degenerate."""


def sizes_for(data: st.DataObject, source: Source) -> dict[str, int]:
    """Sizes 0, 1, prime, not divisible by anything; small for deep nests, which Python has to run, too."""
    most = {1: 67, 2: 33, 3: 13, 4: 7}[max(1, source.depth)]
    possible = [n for n in (5, 0, 1, 2, 3, 4, 7, 8, 11, 13, 16, 17, 31, 33, 67) if n <= most]
    return {name: data.draw(st.sampled_from(possible)) for name in source.sizes}


def random_configuration(data: st.DataObject) -> Chooser:
    """One drawn legal configuration per expression."""
    drawn: dict[Expression, Configuration] = {}

    def chosen(expression: Expression, machine: Machine) -> Configuration:
        if expression not in drawn:
            drawn[expression] = data.draw(configurations(facts_of(expression), machine))
        return drawn[expression]

    return chosen


def check_program(data: st.DataObject, source: Source, special: bool = False, features: str | None = None) -> None:
    """The law for one program under four configurations, on one and two threads, for three sets of sizes."""
    function = source.function()
    calls = [(sizes_for(data, source), data.draw(st.integers(0, 2**16))) for _ in range(3)]
    plain = data.draw(st.booleans())

    def arguments(n: int) -> tuple[Any, ...]:
        slack = -1 if calls[n][1] % 11 == 0 else calls[n][1] % 2
        return source.arguments(*calls[n], special=special, slack=slack, plain=plain)

    first = arguments(0)
    try:
        program = traced(function, first)
    except NotAnMdhError as refusal:
        counts["refused"] += 1
        counts[refusal.message.split("`")[0]] += 1
        return
    counts["programs"] += 1
    exact = exactness(source, program)
    counts[exact] += 1
    check_codes(data, program, function, first, arguments, exact, features)
    check_decorated(function, arguments, exact)


def exactness(source: Source, program: Program) -> Exactness:
    """Reductions may be re-associated, functions differ in last bits; which zero NumPy's maximum gives depends on its
    own vectors."""
    if reduces_floats(program) or any(f"np.{name}(" in source.text for name in INEXACT):
        return "products" if source.products else "nearly"
    return "numbers" if "np.m" in source.text else "bits"


def check_codes(
    data: st.DataObject,
    program: Program,
    function: Any,
    first: Any,
    arguments: Any,
    exact: Exactness,
    features: str | None,
) -> None:
    axes = unit_axes(program, [arguments(n) for n in range(3)])
    one, two = (legal(axes, random_configuration(data)) for _ in range(2))
    choosers = {"model": model(program, first, axes), "default": lambda *_: Configuration(), "one": one, "two": two}
    codes = {name: native(program, chooser, axes, features) for name, chooser in choosers.items()}
    for n in range(3):
        expected = outcome(function, arguments(n))
        counts[type(expected.error).__name__] += 1
        assert_agree(expected, outcome(lambda *a: interp.run(program, *a), arguments(n)), "interpreter", exact)
        low = choosers["one" if n % 2 else "two"]
        found = outcome(lambda *a, low=low: run_low(program, low, host(features), *a), arguments(n))
        assert_agree(expected, found, "low-level interpreter", exact)
        for name, code in codes.items():
            for count in (1, 2):
                with threads(count):
                    assert_agree(expected, outcome(code, arguments(n)), f"{name}, {count} threads", exact)


def check_decorated(function: Any, arguments: Any, exact: Exactness) -> None:
    decorated = mdh.jit(cache=False)(function)
    for n in (0, 1, 2, 0):
        found = outcome(decorated, arguments(n))
        assert_agree(outcome(function, arguments(n)), found, "decorated", exact)
    counts["served by Python"] += bool(decorated.stats().fallbacks)


@given(sources(), st.data())
@examples(70)
def test_programs_agree(source: Source, data: st.DataObject) -> None:
    check_program(data, source)


@pytest.mark.in_turns(2)
@given(sources(complexes=True), st.data())
@examples(40)
def test_complex_programs_agree(source: Source, data: st.DataObject) -> None:
    """Products, quotients and conjugates in element-wise code and in reductions of all forms."""
    check_program(data, source)


@given(sources(elementwise=True, floats=True), st.data())
@examples(25)
def test_special_values_go_through(source: Source, data: st.DataObject) -> None:
    """NaN, ±inf, −0.0 and subnormals in programs without reductions: to the last bit."""
    check_program(data, source, special=True)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("features", ["avx2", "128"])
@given(source=sources(), data=st.data())
@examples(20)
def test_programs_agree_on_lesser_processors(features: str, source: Source, data: st.DataObject) -> None:
    """Code for processors with narrower vectors."""
    check_program(data, source, features=features)


@given(sources(), st.data())
@settings(max_examples=100)
def look_at_what_is_drawn(source: Source, data: st.DataObject) -> None:
    seen["drawn"] += 1
    try:
        steps = traced(source.function(), source.arguments({"n": 5, "m": 7}, 1)).steps
    except NotAnMdhError:
        seen["refused"] += 1
        return
    seen["sequential"] += any(isinstance(s, Sequential) for s in steps)
    combine = [str(c) for e in expressions(steps) for c in e.md_hom.combine]
    seen["parallel"] += "++" in combine
    seen["reductions"] += any(c.startswith("•") for c in combine)
    seen["guarded"] += any(e.md_hom.guard for e in expressions(steps))
    seen["several"] += len(steps) > 1
    seen["data"] += any(e.indirect for e in expressions(steps))


seen: Counter[str] = Counter()


@pytest.mark.in_turns(3)
def test_the_generator_does_not_degenerate() -> None:
    """Nearly all programs are understood, and they are of all kinds: else the laws would say little."""
    seen.clear()
    look_at_what_is_drawn()
    drawn = seen["drawn"]
    assert drawn >= 90 and seen["refused"] <= drawn * 0.1, seen
    kinds = ("sequential", "parallel", "reductions", "guarded", "several", "data")
    assert min(seen[k] for k in kinds) >= drawn * 0.08, seen
