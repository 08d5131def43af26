"""The laws of grids, whoever runs them: on the interpreter of grids, and on devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from jitmdh.base.errors import DivisionError, NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.machine.gpu import gpu
from tests.laws.agreement import assert_agree, legal, model, outcome, traced, unit_axes
from tests.laws.block_configurations import block_configurations
from tests.laws.configurations import EXPRESSIONS, arguments, configurations, facts_of, shapes
from tests.laws.python_programs import Source
from tests.laws.test_programs import exactness, random_configuration, sizes_for
from tests.mdh.algebra import examples as ex


def histogram(h: Any, b: Any) -> None:
    for i in range(b.shape[0]):
        h[b[i]] += 1


def gather(y: Any, x: Any, n: Any) -> None:
    for i in range(n.shape[0]):
        y[i] = x[n[i]]


def spmv(y: Any, row: Any, column: Any, value: Any, x: Any) -> None:
    for i in range(y.shape[0]):
        for k in range(row[i], row[i + 1]):
            y[i] += value[k] * x[column[k]]


def _bins() -> tuple[Any, ...]:
    return np.zeros(7, np.int64), np.random.default_rng(0).integers(0, 7, 500)


def _gathered() -> tuple[Any, ...]:
    return np.zeros(300), np.random.default_rng(0).random(9), np.random.default_rng(1).integers(0, 9, 300)


def _sparse() -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    row = np.concatenate([[0], np.cumsum(random.integers(0, 90, 40))])
    return np.zeros(40), row, random.integers(0, 50, row[-1]), random.random(row[-1]), random.random(50)


INDIRECT: dict[str, tuple[Any, Any]] = {
    "gather": (gather, _gathered), "histogram": (histogram, _bins), "spmv": (spmv, _sparse),
}  # fmt: skip
SIZES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 7, 33]), min_size=4, max_size=4)


def random_blocks(data: st.DataObject) -> Callable[[Any, Any], Configuration]:
    """Drawn blocks of threads for each expression that can have some."""
    drawn: dict[Any, Configuration] = {}

    def chosen(expression: Any, _: Any) -> Configuration:
        if expression not in drawn:
            drawn[expression] = data.draw(block_configurations(facts_of(expression))) or Configuration()
        return drawn[expression]

    return chosen


def _once(code: Any) -> Iterable[Any]:
    yield code


@dataclass
class Grids:
    """Programs as grids. make: code of (program, chooser, unit axes, bits of a warp's registers), which may be refused;
    runs: the ways to run it."""

    make: Callable[[Any, Any, dict[str, int | None] | None, int], Any]
    runs: Callable[[Any], Iterable[Any]] = _once
    counts: Counter[str] = field(default_factory=Counter)

    def code(self, program: Any, chooser: Any, axes: dict[str, int | None] | None, bits: int = 1024) -> Any | None:
        """None: refused."""
        try:
            code = self.make(program, chooser, axes, bits)
        except NotAnMdhError as refusal:
            self.counts[f"refused: {refusal.message}"] += 1
            return None
        self.counts["codes"] += 1
        return code

    def configurations_agree(self, name: str, data: st.DataObject) -> None:
        """Algebra ≡ grids, to the last bit."""
        expression, bits = EXPRESSIONS[name](), data.draw(st.sampled_from([2048, 1024, 256]))
        self.agrees(name, data, data.draw(configurations(facts_of(expression), gpu("sm_90", bits))), bits)

    def blocks_agree(self, name: str, data: st.DataObject) -> None:
        """The same where blocks of threads take parts, together with the interpreter of the low level."""
        facts = facts_of(EXPRESSIONS[name]())
        configuration = data.draw(block_configurations(facts))
        if configuration is None:
            self.counts[f"no blocks: {name}"] += 1
        else:
            check(lower(facts.expression, configuration))
            self.agrees(name, data, configuration, 1024)

    def agrees(self, name: str, data: st.DataObject, configuration: Configuration, bits: int) -> None:
        expression = EXPRESSIONS[name]()
        program = ex.program(expression)
        code = self.code(program, lambda *_: configuration, None, bits)
        if code is None:
            return
        sizes = shapes(name, data.draw(SIZES))
        given = arguments(program, sizes, data.draw(st.integers(0, 2**32)))
        expected = [a.copy() for a in given]
        fails = False
        try:
            interp.run(program, *expected)
        except DivisionError:
            fails = True
        for run in self.runs(code):
            mine = [a.copy() for a in given]
            if fails:
                with pytest.raises(DivisionError):
                    run(*mine)
                continue
            run(*mine)
            for a, b in zip(mine, expected):
                np.testing.assert_array_equal(a, b, err_msg=f"{sizes}, {configuration}")

    def programs_agree(self, source: Source, data: st.DataObject) -> None:
        """Undecorated Python ≡ grids."""
        function = source.function()
        sizes, seed = sizes_for(data, source), data.draw(st.integers(0, 2**16))

        def call() -> tuple[Any, ...]:
            return source.arguments(sizes, seed)

        try:
            program = traced(function, call())
        except NotAnMdhError:
            return
        exact, axes = exactness(source, program), unit_axes(program, [call()])
        choosers = (
            model(program, call(), axes),
            legal(axes, random_configuration(data)),
            legal(axes, random_blocks(data)),
        )
        chooser = data.draw(st.sampled_from(choosers))
        code = self.code(program, chooser, axes, data.draw(st.sampled_from([2048, 1024])))
        if code is not None:
            assert_agree(outcome(function, call()), outcome(code, call()), "grids", exact)

    def what_data_decide_agrees(self, name: str, chooser: Callable[[Any, Any, Any], Any]) -> None:
        """Histograms, gathers and sparse rows: several threads of a warp want one place."""
        function, make = INDIRECT[name]
        program = traced(function, make())
        axes = unit_axes(program, [make()])
        code = self.code(program, chooser(program, make(), axes), axes)
        assert code is not None
        expected, mine = make(), make()
        function(*expected)
        code(*mine)
        np.testing.assert_allclose(mine[0], expected[0], rtol=1e-5)

    def most_were_taken(self) -> None:
        """What is refused is refused by name; the law is not empty."""
        refused = sum(count for what, count in self.counts.items() if what != "codes")
        assert self.counts["codes"] > refused, self.counts
