"""The figures of a processor decide: what is chosen by another one's takes longer by its own."""

from __future__ import annotations

from dataclasses import replace
from statistics import geometric_mean

import pytest

from jitmdh.mdh.lowering.model.register_tiling import RegisterTile, best_tile, tiles
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.known import known
from tests.laws.configurations import EXPRESSIONS
from tests.mdh.lowering.model.test_analytic_model import facts

OWN = known("sapphire-rapids", cores=1)
_EQUAL = 0.999  # tiles that cost as much are chosen from by their length
COMPUTATIONS = (
    "matvec", "conv2d", "linkage", "triangular", "triangular quotients", "sum and maximum", "smallest",
    "affine maps scanned", "written scanned rows", "written declared operator", "padded", "written doubles",
)  # fmt: skip


def _which(tile: RegisterTile) -> tuple[str | None, int, str]:
    return tile.lane, tile.lanes, str(tile.counts)


def _costs(p: Problem, other: str) -> float:
    """How many times as long as what this processor's figures choose that takes which another one's do, by the
    former. Everything else is the same: vectors, registers, sizes of caches."""
    chosen, foreign = best_tile(p, OWN), best_tile(p, replace(OWN, figures=known(other).figures))
    there = next((t for t in tiles(p, OWN) if _which(t) == _which(foreign)), chosen)
    return there.cost / chosen.cost


@pytest.mark.parametrize(("other", "least", "most"), [("zen4", 1.02, 1.3), ("avx2-desktop", 1.1, 1.6)])
def test_the_choice_by_the_figures_of_another_processor_is_worse(other: str, least: float, most: float) -> None:
    found = [_costs(facts(e, (300,) * len(e.md_hom.dims), 1), other) for e in (EXPRESSIONS[n]() for n in COMPUTATIONS)]
    assert min(found) >= _EQUAL
    assert geometric_mean(found) > least and max(found) > most


def test_its_own_figures_are_the_best() -> None:
    assert {_costs(facts(e, (60, 60), 1), "sapphire-rapids") for e in (EXPRESSIONS["matvec"](),)} == {1.0}
