"""TeML's published schedules: the loop optimisation paths of its Table 2, and the variants of its section 5.3.

Written as they are there, with dimensions for ranks; fusions, and blur in overlapped tiles, cross computations.
"""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from benchmarks.suites.schedule_rows import ROWS, Row
from jitmdh import schedule as s


def test_they_are_the_seven_of_table_2_and_the_variants() -> None:
    assert len(ROWS) == 15 and len({row.kernel.function for row in ROWS}) == 8
    assert sum("," not in row.name for row in ROWS) == 7


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_script(row: Row) -> None:
    arguments, expected = row.kernel.data(row.kernel.small)
    nests = s.build(row.kernel.function, *arguments)
    schedule = row.made(nests)
    shown = str(schedule if isinstance(schedule, s.Nest) else next(iter(schedule.values())))
    written = [line.partition("(")[2].partition(" =")[0] for line in shown.splitlines() if "for (" in line]
    assert " ".join(written) == row.loops
    mdh.jit(schedule=schedule, cache=False)(row.kernel.function)(*arguments)
    np.testing.assert_allclose(arguments[0], expected, rtol=1e-12)
    assert row.opened(nests) == schedule or "s.any" in str(row.opened(nests))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("row", {row.kernel.function: row for row in ROWS}.values(), ids=lambda row: row.name)
def test_what_the_model_chooses_is_a_nest(row: Row) -> None:
    """Also where dimensions are one in the code (`ei1` of interp): the nest has that one, and is used with it."""
    function = row.kernel.function
    arguments, _ = row.kernel.data(row.kernel.small)
    chosen = mdh.jit(tune="off", cache=False)(function).config(*arguments)
    nest = s.of(chosen, function, *arguments)
    again = mdh.jit(schedule=nest, tune="off", cache=False)(function).config(*arguments)
    names = [name for name, entry in chosen.items() if "part_size" in entry]
    assert names and all(_said(chosen[name]) == _said(again[name]) for name in names)


def _said(entry: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in entry.items() if name != "reasons"}
