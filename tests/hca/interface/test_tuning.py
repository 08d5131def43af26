"""Kernels that are tuned where they run: once for each device and size, on copies, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jitmdh import atf, hca
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca.interface import tuning
from jitmdh.hca.interface.device import Device

TEXT = """
kernel void scaled(global float *x, int n)
{
    for (int i = 0; i < WPT; i++)
        x[get_global_id(0) * WPT + i] *= FACTOR;
}
"""


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The entry of each kernel that a search was made for."""
    made: list[str] = []
    searched = tuning._searched

    def noted(*given: Any) -> Any:
        made.append(given[1].entry)
        return searched(*given)

    monkeypatch.setattr(tuning, "_searched", noted)
    return made


def sizes(n: int) -> Callable[[Mapping[str, Any]], hca.Launch]:
    return lambda c: hca.nd_range((n // c["WPT"],), (1,))


def kernel(n: int, factor: int = 2) -> hca.Kernel:
    parameter = atf.tuning_parameter("WPT", atf.interval(1, n), atf.divides(n))
    tuner = atf.tuner(parameter).abort_condition(atf.evaluations(3))
    return hca.opencl_source(TEXT, defines={"FACTOR": factor}, tune=tuner)


@pytest.mark.in_turns(3)
def test_a_bare_space_or_a_list_is_tried_whole(opencl: Device, searches: list[str]) -> None:
    """Configurations that cannot run are left out; where none can, the reason is that of the last."""
    tried: list[dict[str, object]] = [{"WPT": 4, "FACTOR": "oops oops"}, {"WPT": 4, "FACTOR": 5}]
    n = 64
    space = atf.search_space(atf.tuning_parameter("WPT", atf.interval(1, n), atf.divides(n)))
    cases: list[tuple[Any, dict[str, int]]] = [(tried, {}), (space, {"FACTOR": 5}), (tuple(tried[1:]), {})]
    for tune, defines in cases:
        x = hca.Buffer(np.ones(n, np.float32))
        for _ in range(2):
            opencl.run(hca.opencl_source(TEXT, defines=defines, tune=tune), hca.read_write(x), n, launch=sizes(n))
        assert (x.host == 25).all()
    assert len(searches) == 3
    with pytest.raises(DeviceError, match="does not compile"):
        opencl.run(hca.opencl_source(TEXT, tune=tried[:1]), hca.read_write(x), n, launch=sizes(n))
    with pytest.raises(ConfigurationError, match="65536 configurations are too many"):
        hca.opencl_source(TEXT, tune=atf.search_space(atf.tuning_parameter("WPT", atf.interval(1, 1 << 16))))
    for wrong in ([], [4, 8], "WPT", 3):
        with pytest.raises(ConfigurationError, match="cannot be tuned by"):
            hca.opencl_source(TEXT, tune=wrong)  # type: ignore[arg-type]


def test_once_for_each_size_and_in_no_later_process(opencl: Device, searches: list[str]) -> None:
    for n in (64, 64, 96):
        x = hca.Buffer(np.ones(n, np.float32))
        for _ in range(2):
            opencl.run(kernel(n, 3), hca.read_write(x), n, launch=sizes(n))
        assert (x.host == 9).all()
    assert searches == ["scaled", "scaled"]
    opencl._tuned.clear()  # as in another process
    opencl.run(kernel(64, 3), hca.read_write(hca.Buffer(np.ones(64, np.float32))), 64, launch=sizes(64))
    assert searches == ["scaled", "scaled"]


def test_again_where_what_was_found_is_not_in_the_space(opencl: Device, searches: list[str]) -> None:
    """The number of the call may be another one, and so what is legal, in buffers of the same size."""
    for n in (35, 35, 22):  # spaces of four configurations, of which one is in both
        x = hca.Buffer(np.ones(40, np.float32))
        made = kernel(n, 11)
        opencl._tuned.update({key: {"WPT": 7} for key in opencl._tuned})
        opencl.run(made, hca.read_write(x), n, launch=sizes(n))
        assert (x.host[:n] == 11).all() and (x.host[n:] == 1).all()
    assert searches == ["scaled", "scaled"]


def test_a_tuner_of_ones_own(opencl: Device) -> None:
    """All that is asked of it is in `KernelTuner`. What it was given is not changed by the search."""

    class First:
        space = ({"WPT": 4}, {"WPT": 2})

        def fresh(self) -> First:
            return First()

        def tune(self, cost: Callable[[Any], float]) -> Any:
            assert cost(self.space[0]) > 0 and (x.host == 1).all()
            return SimpleNamespace(best_configuration=self.space[0])

    x = hca.Buffer(np.ones(32, np.float32))
    opencl.run(hca.opencl_source(TEXT, defines={"FACTOR": 5}, tune=First()), hca.read_write(x), 32, launch=sizes(32))
    assert (x.host == 5).all()


def test_what_cannot_run_is_not_chosen(opencl: Device) -> None:
    text, x = TEXT.replace("WPT;", "WPT + 0 * (WPT == 1 ? missing : 0);"), hca.Buffer(np.ones(8, np.float32))
    wpt = atf.tuning_parameter("WPT", atf.values(1, 8))
    with pytest.raises(DeviceError, match="missing"):
        opencl.run(hca.opencl_source(text, defines={"FACTOR": 7}, tune=atf.tuner(wpt)), hca.read_write(x), 8,
                   launch=sizes(8))  # fmt: skip
    assert (x.host == 1).all()
    with pytest.raises(ConfigurationError, match="nothing tunes the kernel"):
        opencl.run(hca.opencl_source(TEXT), hca.read_write(x), 8, launch=sizes(8))


def test_a_fresh_tuner_knows_nothing() -> None:
    tuner = atf.tuner(atf.tuning_parameter("A", atf.interval(1, 9))).seed(4).abort_condition(atf.evaluations(5))
    first = tuner.tune(lambda c: c["A"])
    again = tuner.fresh()
    assert again.evaluation_count == 0 and again.tune(lambda c: c["A"]).best_configuration == first.best_configuration
    assert again.evaluation_count == 5
