"""The printed high-level representation of the thesis's examples."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.show import show
from tests.mdh.algebra import examples as ex

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("make", [ex.matvec, ex.matmul, ex.conv2d, ex.jacobi1d, ex.linkage])
def test_programs(make: Callable[[], Expression], golden: Golden) -> None:
    golden(f"algebra/{make.__name__}", show(ex.program(make())))


def test_completed(golden: Golden) -> None:
    golden("algebra/linkage_completed", show(lift_identities(ex.linkage())))
