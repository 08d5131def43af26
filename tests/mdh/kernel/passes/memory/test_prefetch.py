"""Each cache line is prefetched once, some tiles before it is read, or before results are stored."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import For, Load, PrefetchInputs, PrefetchResults, Return, Store
from jitmdh.mdh.kernel.passes.memory.prefetch import PREFETCH_DISTANCE_BYTES, lines_first_read, prefetch
from tests.mdh.kernel.passes.examples import body, kernel, number, text, written

FAR = PREFETCH_DISTANCE_BYTES // 4
ONE, N = integer(1), number("n")


def reads(rows: list[tuple[int, int]], per_tile: int, width: int = 16, along: bool = True) -> PrefetchInputs:
    """Of floats; tiles follow each other `per_tile` rows further."""
    return PrefetchInputs("x", float32, number("at"), (N, ONE), tuple(rows), 1, width, ((per_tile, 0),), along)


def writes(
    places: list[tuple[int, int]], lanes: int, apart: object = ONE, move: int = 0, write: bool = True
) -> PrefetchResults:
    return PrefetchResults("y", float32, number("at"), (N, ONE), tuple(places), lanes, apart, (move, 0), write)  # type: ignore[arg-type]


def test_golden() -> None:
    before = kernel(
        writes([(0, 0), (0, 8), (0, 16), (1, 0)], 8),
        writes([(0, 0), (0, 1)], 2, N),
        writes([(0, 0)], 8, move=4),
        writes([(0, 0), (0, 1)], 2, N, move=2, write=False),
        For(number("j"), integer(0), N, integer(16), (reads([(0, -1), (1, 0), (2, 0)], per_tile=2),)),
    )
    assert body(before) == text("""
        prefetch_results(&y[at], (n, 1), (0, 0), (0, 8), (0, 16), (1, 0); 8 lanes 1 apart);
        prefetch_results(&y[at], (n, 1), (0, 0), (0, 1); 2 lanes n apart);
        prefetch_results(&y[at], (n, 1), (0, 0); 8 lanes 1 apart, tiles of (4, 0));
        prefetch_results(&y[at], (n, 1), (0, 0), (0, 1); 2 lanes n apart, tiles of (2, 0), to read);
        for (long j = 0; j < n; j += 16) {
            prefetch_inputs(&x[at], (n, 1), (0, -1), (1, 0), (2, 0); 16 along axis 1, next (2, 0));
        }
    """)
    assert body(prefetch(before)) == text("""
        prefetch_to_write(&y[at]);
        prefetch_to_write(&y[at + 16]);
        prefetch_to_write(&y[at + n]);
        prefetch_to_write(&y[at]);
        prefetch_to_write(&y[at + n]);
        prefetch_to_write(&y[at + (n * 8)]);
        prefetch(&y[at + (n * 4)]);
        prefetch(&y[(at + (n * 4)) + n]);
        for (long j = 0; j < n; j += 16) {
            prefetch(&x[(at + n) + 256]);
            prefetch(&x[(at + (n * 2)) + 256]);
        }
    """)


def test_results_in_very_many_lines_are_not_prefetched() -> None:
    for rows, lines in ((16, 128), (17, 0)):
        scattered = writes([(row, 0) for row in range(rows)], 8, N)
        assert body(prefetch(kernel(scattered))).count("prefetch_to_write") == lines


def test_nothing_is_written_or_read() -> None:
    """Wherever they point, values and memory stay."""

    def with_(*more: object) -> object:
        return kernel(*more, Store("y", ONE, Load("x", integer(2), float32)), Return(integer(0)))  # type: ignore[arg-type]

    far = PrefetchInputs("x", float32, integer(1 << 40), (ONE,), ((-9,),), 0, 64, (), along=True)
    before = PrefetchResults("y", float32, integer(-(1 << 40)), (ONE,), ((0,),), 1, ONE, (3,))
    np.testing.assert_array_equal(written(prefetch(with_(far, before)), 0), written(with_(), 0))  # type: ignore[arg-type]


def test_each_line_of_a_wide_tile() -> None:
    assert [*lines_first_read(reads([(0, 0)], 1, width=48), 1)] == [(0, FAR), (0, FAR + 16), (0, FAR + 32)]


def test_rows_that_the_tile_before_has_read_are_not_prefetched() -> None:
    window = [(row, 0) for row in range(5)]
    assert [*lines_first_read(reads(window, per_tile=1), 1)] == [(4, FAR)]
    assert [*lines_first_read(reads(window, per_tile=3), 1)] == [(2, FAR), (3, FAR), (4, FAR)]
    assert [*lines_first_read(reads(window, per_tile=5), 1)] == [(row, FAR) for row in range(5)]


def test_rows_that_are_read_side_by_side_share_the_distance() -> None:
    """Memory is as fast for all of them together; in whole lines, and never in the same tile."""
    one = reads([(0, 0)], 1)
    places = [next(iter(lines_first_read(one, together))) for together in (1, 2, 4, 12, 100)]
    assert places == [(0, FAR), (0, FAR // 2), (0, FAR // 4), (0, 32), (0, 16)]
    assert next(iter(lines_first_read(reads([(0, 0)], 1, width=48), 100))) == (0, 48)
    stencil = reads([(row, 0) for row in range(3)], per_tile=2)
    assert [*lines_first_read(stencil, 2)] == [(1, FAR), (2, FAR)]  # there computing sets the pace
    inner = For(number("j"), integer(0), N, integer(16), (one,))
    both = body(prefetch(kernel(one, inner, one)))
    assert both.count(f"&x[at + {FAR // 2}]") == 2 and both.count(f"&x[at + {FAR}]") == 1


def test_the_next_tile_along_the_rows() -> None:
    found = [*lines_first_read(reads([(0, 0), (1, 0)], per_tile=2, width=48, along=False), 2)]
    assert found == [(row, 48 + column) for row in (0, 1) for column in (47, 31, 15)]


@pytest.mark.parametrize("width", range(1, 70))
def test_all_lines_of_the_next_tile_are_near_when_it_begins(width: int) -> None:
    """Wherever in a line rows begin, each of its lines was read by this tile, or is prefetched; as few as can be."""
    found = [place for _, place in lines_first_read(reads([(0, 0)], 1, width=width, along=False), 1)]
    for begin in range(16):
        asked_for = {(begin + place) // 16 for place in found}
        here, next_tile = ({(begin + at + n) // 16 for n in range(width)} for at in (0, width))
        assert next_tile <= here | asked_for <= here | next_tile
    assert len(found) == -(-width // 16)
