"""Which expressions of a program are joined, hoisted or reassociated (golden), and that it changes nothing (law)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import float64, int64
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.expr import Expression, Program, Sequential, Step
from jitmdh.mdh.algebra.rewrites.reassociation import reassociate
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from tests.golden.step_forms import CHAINS, CONSUMERS, PLACES, PRODUCERS, PRODUCTS
from tests.mdh.frontend.to_algebra.test_bounds_checks import function_of

HEAD = "import numpy as np\ndef f(x, c, d, v, u, w, y, z, q, at):\n    n, m = x.shape\n    s = 0.0\n"
VECTOR, MATRIX = ArrayType(float64, 1), ArrayType(float64, 2)
TYPES = (MATRIX, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX, ArrayType(int64, 1))


def program_of(body: str, returned: str = "s") -> Any:
    return function_of(HEAD + "".join(f"    {line}\n" for line in body.split(";")) + f"    return {returned}\n")


def arguments(n: int, m: int) -> list[np.ndarray]:
    """Small integers as floats: all sums and products of them are exact, in any order."""
    rng = np.random.default_rng(n * 10 + m)
    shapes = ((n, m), (m, m), (m, m), (m,), (n,), (n,), (n,), (m,), (n, m))
    arrays: list[np.ndarray] = [rng.integers(-3, 4, shape).astype(float) for shape in shapes]
    return [*arrays, rng.integers(0, max(n, 1), max(n, m))]


def shown(steps: tuple[Step, ...]) -> Iterator[str]:
    for step in steps:
        match step:
            case Sequential(body=body):
                yield f"in order ({', '.join(shown(body))})"
            case Expression():
                yield "".join(d.name for d in step.md_hom.dims) or "scalar"


def seen(function: Any, sizes: tuple[tuple[int, int], ...]) -> str:
    """The dimensions of each expression. The program has to mean the same as `function`."""
    try:
        program = trace(capture(function), TYPES)
    except NotAnMdhError:
        return "refused"
    for n, m in sizes:
        wanted, got = arguments(n, m), arguments(n, m)
        try:
            expected = function(*wanted)
            result = run(program, *got)
        except FallbackSignal:
            continue
        except IndexError:
            with pytest.raises((IndexError, FallbackSignal)):
                run(program, *got)
            continue
        for a, b in zip((*got, result if isinstance(result, tuple) else (result,)),
                        (*wanted, expected if isinstance(expected, tuple) else (expected,))):  # fmt: skip
            assert all(np.array_equal(p, q, equal_nan=True) for p, q in zip(a, b)), (n, m, a, b)
    return ", ".join(shown(program.steps))


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def two_steps() -> Iterator[tuple[str, str, str]]:
    """All pairs; and each producer and each consumer with the array at all places."""
    for producer in PRODUCERS:
        for consumer in CONSUMERS:
            yield producer, consumer, "zeros" if producer in ("added in place", "scattered") else "empty"
    for place in PLACES:
        yield from ((producer, "sum", place) for producer in PRODUCERS if place != "empty")
        yield from (("row sums", consumer, place) for consumer in CONSUMERS)


@pytest.mark.parametrize("producer", PRODUCERS)
def test_two_steps(producer: str, golden: Callable[[str, str], None]) -> None:
    lines = []
    for _, consumer, place in dict.fromkeys(form for form in two_steps() if form[0] == producer):
        made, returned = PLACES[place]
        if place == "empty" and ("some" in producer or "where" in producer):
            made = "t = np.ones(n)"  # what is not written has a value, too
        function = program_of(f"{made};{PRODUCERS[producer]};{CONSUMERS[consumer]}", returned)
        lines.append(f"{consumer}, {place}: {seen(function, ((3, 4), (0, 2)))}")
    golden(f"steps/{producer.replace(' ', '_').replace('>', 'above')}", "\n".join(lines))


def test_chains(golden: Callable[[str, str], None]) -> None:
    lines = [f"{name}: {seen(program_of(body), ((3, 2), (2, 3), (0, 2)))}" for name, body in CHAINS.items()]
    golden("steps/chains", "\n".join(lines))


def products(program: Program) -> str:
    *makers, expression = program.steps
    assert isinstance(expression, Expression)
    made = reassociate(expression)
    changed = Program(**{f: getattr(program, f) for f in program.__slots__} | {"steps": (*makers, made)})
    n, m = 3, 2
    before, after = arguments(n, m), arguments(n, m)
    run(program, *before)
    run(changed, *after)
    assert all(np.array_equal(a, b) for a, b in zip(before, after))
    return str(made.md_hom.function.results[0])


@pytest.mark.parametrize("update", ["q[i, j] += {}", "q[i, j] = max(q[i, j], {})"])
def test_factors(update: str, golden: Callable[[str, str], None]) -> None:
    lines = []
    loops = "for i in range(n):;    for j in range(m):;        for k in range(m):;            for l in range(m):;"
    for product in PRODUCTS:
        function = program_of(f"{loops}                {update.format(product)}", "None")
        lines.append(f"{product}  ->  {products(trace(capture(function), TYPES))}")
    golden(f"steps/{'maxima' if 'max' in update else 'sums'}_of_products", "\n".join(lines))
