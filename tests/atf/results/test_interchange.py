"""Files of other tuners are read as recorded spaces, and histories are written as theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.atf.results.interchange import write_kernel_tuner, write_t4
from jitmdh.base.errors import ConfigurationError

CACHE = {  # the layout of Kernel Tuner 1.0
    "device_name": "NVIDIA A100", "kernel_name": "vector_add", "problem_size": "10000000", "objective": "time",
    "tune_params_keys": ["block_size_x", "use_cache"], "tune_params": {"block_size_x": [32, 64], "use_cache": [0, 1]},
    "cache": {
        "32,0": {"block_size_x": 32, "use_cache": 0, "time": 0.5, "GFLOP/s": 20.0, "times": [0.5, 0.5]},
        "32,1": {"block_size_x": 32, "use_cache": 1, "time": "CompilationFailedConfig", "times": []},
        "64,0": {"block_size_x": 64, "use_cache": 0, "time": 0.25, "GFLOP/s": 40.0, "times": [0.25]},
        "64,1": {"block_size_x": 64, "use_cache": 1, "time": 1e20},
    },
}  # fmt: skip


def _t4(value: float, invalidity: str, size: int) -> dict[str, Any]:
    return {
        "timestamp": "2024-01-01", "configuration": {"size": size}, "objectives": ["time"], "correctness": 1,
        "times": {"compilation_time": 12.0, "runtimes": [value]}, "invalidity": invalidity,
        "measurements": [{"name": "time", "value": value, "unit": "ms"}, {"name": "power", "value": 9, "unit": "W"}],
    }  # fmt: skip


def test_a_cache_of_kernel_tuner_is_a_recorded_space(tmp_path: Path) -> None:
    (tmp_path / "cache.json").write_text(json.dumps(CACHE))
    recorded = atf.recorded_space(tmp_path / "cache.json")
    assert recorded.name == "vector_add" and recorded.unit_s == 1e-3 and recorded.space.size == 4
    assert recorded.optimum == 0.25
    assert sum(isinstance(cost, atf.Invalid) for cost in recorded.costs.values()) == 2
    rates = atf.recorded_space(CACHE, cost="1/GFLOP/s")  # the greatest rate is the least cost
    assert rates.optimum == 1 / 40 and rates.unit_s == 1.0
    for data in ({"cost": "GFLOP/s"}, {"source": {**CACHE, "objective": "GFLOP/s"}}):
        with pytest.raises(ConfigurationError, match=r"GFLOP/s: more is better of it"):
            atf.recorded_space(**{"source": CACHE, **data})
    with pytest.raises(ConfigurationError, match="no configuration has a cost power"):
        atf.recorded_space(CACHE, cost="power")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        atf.recorded_space({**CACHE, "tune_params_keys": ["block_size_y"]})


def test_t4_results_are_a_recorded_space() -> None:
    data = {
        "schema_version": "1.0.0",
        "results": [_t4(2.0, "correct", 1), _t4(1.0, "runtime", 2), _t4(3.0, "correct", 4)],
    }
    recorded = atf.recorded_space(data)
    assert recorded.optimum == 2.0 and recorded.unit_s == 1e-3 and recorded.space.size == 3
    assert atf.recorded_space(data, cost="power").optimum == 9


@pytest.mark.parametrize("several", [False, True])
def test_what_is_written_is_read_again(tmp_path: Path, several: bool) -> None:
    A = atf.tuning_parameter("A", atf.interval(1, 6))
    B = atf.tuning_parameter("B", atf.values("x", "y"), lambda A, B: A != 3 or B == "x")

    def cost(c: atf.Configuration) -> Any:
        time = c["A"] + (0.5 if c["B"] == "y" else 0.25)
        return atf.invalid("too large") if c["A"] == 5 else (time, 10.0 - c["A"]) if several else time

    result = atf.tuner(A, B).tune(cost)
    path = tmp_path / "results.json"
    write_t4(result.history, path, unit="ms", seed=7)
    data = json.loads(path.read_text())
    assert data["metadata"]["seed"] == 7 and {"machine", "date", "versions"} <= set(data["metadata"])
    assert {r["reason"] for r in data["results"] if r["invalidity"] != "correct"} == {"too large"}
    writers = [path]
    if several:
        with pytest.raises(ConfigurationError, match="one cost"):
            write_kernel_tuner(result.history, tmp_path / "cache.json")
        assert atf.recorded_space(path, cost="cost_1").optimum == 4.0
    else:
        write_kernel_tuner(result.history, tmp_path / "cache.json")
        writers.append(tmp_path / "cache.json")
    for written in writers:
        recorded = atf.recorded_space(written)
        assert recorded.space.size == 11 and recorded.unit_s == 1e-3
        for evaluation in result.history:
            found = recorded.costs[recorded.space.index(dict(evaluation.configuration))]
            expected = evaluation.cost[0] if isinstance(evaluation.cost, tuple) else evaluation.cost
            assert isinstance(found, atf.Invalid) if expected is None else found == expected


def test_values_that_json_does_not_know_are_read_again_too(tmp_path: Path) -> None:
    values = ((1, (2, 3)), "text", None, 2.5, True, frozenset({1}))
    result = atf.tuner(atf.tuning_parameter("P", atf.values(*values))).tune(lambda c: len(str(c["P"])))
    for write, more in ((write_t4, {"unit": "s"}), (write_kernel_tuner, {})):
        write(result.history, tmp_path / "r.json", **more)  # type: ignore[operator]
        recorded = atf.recorded_space(tmp_path / "r.json")
        found = {c["P"]: recorded(c) for c in recorded.space}
        assert found == {p if p != frozenset({1}) else "frozenset({1})": len(str(p)) for p in values}
    with pytest.raises(ConfigurationError, match="cannot be read"):
        atf.recorded_space({"results": [{**_t4(1.0, "correct", 1), "configuration": {"size": {"x": 1}}}]})


def test_of_a_quantity_that_was_maximised_the_inverse_is_a_cost(tmp_path: Path) -> None:
    result = atf.tuner(atf.tuning_parameter("P", atf.interval(1, 5))).tune(atf.maximise(lambda c: 2.0 ** c["P"]))
    write_t4(result.history, tmp_path / "r.json", unit="elements/s")
    with pytest.raises(ConfigurationError, match="cost: more is better of it") as caught:
        atf.recorded_space(tmp_path / "r.json")
    assert "cost='1/cost'" in str(caught.value)
    recorded = atf.recorded_space(tmp_path / "r.json", cost="1/cost")
    assert recorded.optimum == 2.0**-5 and recorded.unit_s == 1.0
    with pytest.raises(ConfigurationError, match="less of which is better"):
        write_kernel_tuner(result.history, tmp_path / "c.json")
