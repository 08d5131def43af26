"""Which calls share code: classes of sizes, and what sizes are asked to be multiples of."""

from __future__ import annotations

import pytest

from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.configuration.shape_class import multiples, shape_class, small_class, typical_sizes
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


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    "rows, columns, expected",
    [
        (60, 64, {I: (32, 127), K: (32, 127)}),
        (60, 5, {I: (32, 127), K: (5, 5)}),  # a short reduction is unrolled
        (5, 60, {I: (2, 7), K: (32, 127)}),  # what is no reduction is not
        (4096, 8, {I: (512, MOST), K: (8, 8)}),
        (4096, 9, {I: (512, MOST), K: (8, 31)}),
        (511, 512, {I: (128, 511), K: (512, MOST)}),
        (0, 0, {I: (LEAST, 1), K: (LEAST, 1)}),
    ],
)
def test_classes_of_sizes(rows: int, columns: int, expected: dict[str, tuple[int, int]]) -> None:
    assert shape_class(ex.program(ex.matvec()), {I: rows, K: columns}) == expected


def test_wide_classes() -> None:
    program = ex.program(ex.matvec())
    assert shape_class(program, {I: 60, K: 5}, wide=True) == {I: (32, MOST), K: (LEAST, 31)}
    assert small_class(program, {I: 60, K: 64}) == {I: (LEAST, 127), K: (LEAST, 127)}


def test_only_sizes_that_the_caller_names() -> None:
    program = ex.program(ex.matvec())
    assert shape_class(program, {K: 64, "made.shape[0]": 4}) == {K: (32, 127)}


def test_typical_sizes() -> None:
    known = [{I: (2, 7), K: (32, 127)}]
    assert typical_sizes({I: 3, K: 4096}, known) == {I: 3, K: 4096}, "only one is another than it was"
    assert typical_sizes({I: 900, K: 5, "w.shape[0]": 900}, known) == {I: 128, K: 32, "w.shape[0]": 128}
    assert typical_sizes({I: 40, K: 500}, [*known, {I: (32, 127), K: (8, 31)}]) == {I: 40, K: 128}
