"""Which calls share code: what sizes are asked to be multiples of."""

from __future__ import annotations

import pytest

from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.shape_class import multiples
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from tests.mdh.algebra import examples as ex

I, K = "M.shape[0]", "M.shape[1]"
TILE = Configuration(part_size=((Level("L1", "i"), 6), (Level("L1", "k"), 32), (Level("REG", "k"), 8)))


@pytest.mark.parametrize(
    "rows, columns, expected",
    [
        (60, 64, {I: 6, K: 32}),
        (61, 64, {K: 32}),
        (6, 8, {I: 6, K: 8}),  # vectors are whole, though no tile fits
        (3, 4, {}),
        (0, 0, {}),
        (12, 72, {I: 6, K: 8}),
    ],
)
def test_whole_tiles_or_whole_vectors(rows: int, columns: int, expected: dict[str, int]) -> None:
    low = lower(prepared(ex.matvec()), TILE)
    sizes = {I: rows, K: columns}
    assert multiples(low, sizes, sizes) == expected
    assert multiples(low, sizes, ()) == {}
    assert multiples(low, {}, sizes) == {}
