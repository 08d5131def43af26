"""Undecorated Python ≡ the interpreter of the algebra on what the front end makes of it."""

from __future__ import annotations

import copy
import functools
import warnings

import numpy as np
import pytest

from jitmdh.base.dtype import from_numpy, type_of
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Sequential, expressions
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.symbolic.operators import sequential
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ConstantKind, ScalarKind
from tests.mdh.frontend.idiom_table import IDIOMS
from tests.mdh.frontend.kernels import KERNELS, Kernel

ALL = [*KERNELS, *IDIOMS]

SIZES = [(5, 3, 4), (1, 1, 1), (7, 2, 3), (0, 3, 2), (3, 0, 2), (2, 3, 0)]


def argument_type(value):
    if isinstance(value, np.ndarray):
        return ArrayType(from_numpy(value.dtype), value.ndim)
    if value is None:
        return ConstantKind(None)
    return ScalarKind(type_of(value).concrete, weak=not isinstance(value, np.generic))


def random(rng, type):
    def make(*shape):
        if np.dtype(type).kind == "f":
            return rng.uniform(-1, 1, shape).astype(type)
        return rng.integers(-5, 6, shape).astype(type)

    return make


def same(expected, found):
    if expected is None:
        assert found is None
    elif isinstance(expected, tuple):
        assert len(expected) == len(found)
        for e, f in zip(expected, found):
            same(e, f)
    else:
        if isinstance(expected, np.ndarray):
            assert expected.dtype == found.dtype
        e, f = np.asarray(expected), np.asarray(found)
        if e.dtype.kind in "fc" and f.dtype.kind in "fc":
            tolerance = 1e-4 if f.dtype.itemsize == 4 else 1e-12
            np.testing.assert_allclose(f, e, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(f, e)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("kernel", ALL, ids=lambda k: k.function.__name__)
def test_same_as_python(kernel: Kernel) -> None:
    directives = dict.fromkeys(kernel.ordered, sequential)

    @functools.cache  # sizes change nothing
    def traced(*types):
        program = trace(capture(kernel.function), types, combine=directives)
        check(program)
        return program

    for type in kernel.types:
        for sizes in SIZES:
            rng = np.random.default_rng(1)
            arguments = kernel.arguments(*sizes, random(rng, type))
            mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
            program = traced(*map(argument_type, arguments))
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = kernel.function(*theirs)
                except IndexError:
                    with pytest.raises((IndexError, FallbackSignal)):
                        run(program, *(False if a is None else a for a in mine))
                    continue
                found = run(program, *(False if a is None else a for a in mine))
            same(expected, found)
            same(
                tuple(a for a in theirs if isinstance(a, np.ndarray)),
                tuple(a for a in mine if isinstance(a, np.ndarray)),
            )


@pytest.mark.parametrize("kernel", [k for k in ALL if k.combine], ids=lambda k: k.function.__name__)
def test_combine_operators(kernel: Kernel) -> None:
    arguments = kernel.arguments(5, 3, 4, random(np.random.default_rng(1), kernel.types[0]))
    program = trace(capture(kernel.function), tuple(map(argument_type, arguments)))
    assert not any(isinstance(s, Sequential) for s in program.steps)
    assert " ".join(map(str, expressions(program.steps)[0].md_hom.combine)) == kernel.combine
