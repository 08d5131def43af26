"""The public interface: names and options that may grow in number, and none of which may vanish or take less."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import atf

NAMES = {
    "jitmdh": """
        add cache cc config constant devices einsum errors get_num_threads guvectorize jit max min mul operator
        prange ps pw sequential set_num_threads vectorize wisdom""",
    "jitmdh.atf": """
        cost divides duration equal evaluations fraction greater_than interval invalid less_than maximise
        multiple_of pow_of program read_directives recorded_space search_space speedup tuner tuning_parameter
        unequal values""",
    "jitmdh.dsl": "Buffer CC PS PW ScalarType fp32 inp inp_view md_hom mdh out out_view",
    "jitmdh.schedule": """
        accumulators among any assign attempt between build choice compare compose compute_at distribute
        divisors fuse_inner fuse_outer inline inside interchange of pack parallelize points read_from reorder
        repeat stage store stripmine tile unroll unroll_and_jam vectorize where write_to""",
    "jitmdh.tensor": """
        Scalar Tensor banded blocks check contract diagonal eq family index kernel lower op outer outerproduct parse
        size temporary total transpose trust vop write zeros""",
}
OPTIONS = {
    mdh.jit: "target tune combine schedule deterministic reassociate fallback static cache",
    mdh.einsum: "out",
    mdh.wisdom.export: "path functions",
    mdh.wisdom.load: "path",
}
MEMBERS = {
    "inspect": "stage",
    "explain": "timing",
    "tune": "seconds evaluations technique progress",
    "config": "",
    "draw": "",
    "stats": "",
    "wait": "seconds",
}
KERNEL = (*MEMBERS, "nonzero_flops", "flops", "patterns", "steps", "storage", "time", "batched")
SETTINGS = "cache_dir cache_size check fallback log num_threads tuning_overhead"
STAGES = "trace mdh lowlevel kernel kernel@licm llvm asm opencl cuda"
TECHNIQUES = """
    exhaustive random simulated_annealing differential_evolution genetic pattern_search torczon nelder_mead
    particle_swarm round_robin auc_bandit surrogate default"""
COMMANDS = "demo devices cache tune explain draw calibrate atf bench"


@mdh.jit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@pytest.mark.parametrize("module", NAMES)
def test_names(module: str) -> None:
    found = importlib.import_module(module)
    wanted = NAMES[module].split()
    assert [name for name in wanted if not hasattr(found, name)] == []
    assert [name for name in wanted if name not in dir(found)] == []


def test_modules_are_there_without_being_imported() -> None:
    ask = "import jitmdh as mdh, sys; assert 'jitmdh.tensor' not in sys.modules"
    ask += "; mdh.tensor.Tensor, mdh.schedule.build, mdh.atf.tuner, mdh.hca.Buffer, mdh.dsl.mdh, mdh.kernels"
    subprocess.run([sys.executable, "-c", ask], check=True)


@pytest.mark.parametrize("function", OPTIONS, ids=lambda function: getattr(function, "__name__", str(function)))
def test_options(function) -> None:
    assert set(OPTIONS[function].split()) <= set(inspect.signature(function).parameters)


def test_members_of_a_decorated_function() -> None:
    for name, options in MEMBERS.items():
        assert set(options.split()) <= set(inspect.signature(getattr(total, name)).parameters), name
    assert total.py_func(np.ones(3)) == 3.0
    shown = [name for name in dir(total) if not name.startswith("_")]
    assert sorted(shown) == sorted([*MEMBERS, "py_func", "why"])  # nothing of the compiler's own


def test_members_of_a_tensor_kernel() -> None:
    from jitmdh import tensor as mt

    kernel = mt.kernel("twice", mt.Tensor("y", (3,))["i"] <= 2.0 * mt.Tensor("x", (3,))["i"])
    assert [name for name in KERNEL if name != "draw" and not hasattr(kernel, name)] == []


@pytest.mark.parametrize("stage", STAGES.split())
def test_stages(stage: str) -> None:
    assert total.inspect(np.ones(100), stage=stage)


def test_names_of_numba_say_what_to_write() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'njit': write jit"):
        getattr(mdh, "njit")  # noqa: B009
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        getattr(mdh, "nothing")  # noqa: B009


def test_settings() -> None:
    for name in SETTINGS.split():
        getattr(mdh.config, name)


@pytest.mark.parametrize("technique", TECHNIQUES.split())
def test_techniques(technique: str) -> None:
    a = atf.tuning_parameter("a", atf.interval(1, 8))
    b = atf.tuning_parameter("b", atf.interval(1, 8), atf.divides(a))
    tuned = atf.tuner(a, b).search_technique(technique).tune(lambda c: c["a"] - c["b"], atf.evaluations(20))
    assert tuned.best_configuration["a"] % tuned.best_configuration["b"] == 0


@pytest.mark.parametrize("command", COMMANDS.split())
def test_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    from jitmdh import cli

    with pytest.raises(SystemExit) as end:
        cli.main([command, "--help"])
    assert end.value.code == 0 and "usage" in capsys.readouterr().out
