"""Algebra ≡ grids of threads, whatever the configuration: no race, no wrong lane, nothing that nobody wrote."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import model
from tests.laws.configurations import EXPRESSIONS
from tests.laws.examples import examples
from tests.laws.grids import INDIRECT, Grids
from tests.laws.python_programs import Source, sources
from tests.laws.small_work import small_work_is_shared as small_work_is_shared
from tests.mdh.codegen.in_grids import InGrids, begun_early


def in_any_order(code: InGrids) -> Iterator[InGrids]:
    for code.seed in (None, 1):
        yield code


class SomeEarly(InGrids):
    """Of some programs, blocks begin before the first element."""

    after = staticmethod(begun_early)


GRIDS = Grids(SomeEarly, in_any_order)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=3)
def test_configurations_agree(name: str, data: st.DataObject) -> None:
    GRIDS.configurations_agree(name, data)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@settings(max_examples=2)
def test_blocks_agree(name: str, data: st.DataObject) -> None:
    GRIDS.blocks_agree(name, data)


@given(sources(), st.data())
@examples(12)
def test_programs_agree(source: Source, data: st.DataObject) -> None:
    GRIDS.programs_agree(source, data)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("chosen", ["model", "plain"])
@pytest.mark.parametrize("name", sorted(INDIRECT))
def test_what_data_decide(name: str, chosen: str) -> None:
    GRIDS.what_data_decide_agrees(name, model if chosen == "model" else lambda *_: lambda *_: Configuration())


def test_most_were_taken() -> None:
    GRIDS.most_were_taken()
