"""Models of GPUs: a warp is 32 lanes of the widest elements."""

from __future__ import annotations

import pytest

from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.machine.gpu import machines
from jitmdh.mdh.machine.multiprocessors import GPUS


@pytest.mark.parametrize("name", GPUS)
def test_one_model_for_each_width(name: str) -> None:
    found = machines(name)
    assert [m.vector_bits // 32 for m in found] == [64, 32, 16, 8]
    assert all(m.cores >= 400 and m.core_layers == ("COR", "SIMD") for m in found)
    assert found[0].registers < found[1].registers  # elements of 64 bits take two


def test_unknown() -> None:
    with pytest.raises(ConfigurationError, match="there is no GPU `sm_1`"):
        machines("sm_1")
