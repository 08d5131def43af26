"""What the warps of grids load, store and share, as the interpreter counts it: coalescing is tested without a GPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.bench import on_cuda


@pytest.mark.in_turns(3)
def test_sectors_and_conflicts(golden: Callable[[str, str], None]) -> None:
    """In the model's configurations for a small GPU; results are right, too, and the model counts about the same."""
    rows = [(case, *on_cuda.counted(case)) for case in on_cuda.SMALL]
    golden("kernel/sectors", on_cuda.table(rows))
    for case, report, expected in rows:
        assert expected is not None, case.name
        assert expected.used == pytest.approx(report.used(), abs=0.05), case.name
        assert report.conflicts() <= 1.1, case.name
        assert expected.conflicts == pytest.approx(report.conflicts(), rel=0.1), case.name
