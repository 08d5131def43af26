"""Set before jitmdh is imported: every representation is checked, and no test touches the user's own cache."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

os.environ["MDH_CHECK"] = "1"
os.environ["MDH_CACHE_DIR"] = _cache = tempfile.mkdtemp(prefix="jitmdh-tests-")
os.environ["POCL_CACHE_DIR"] = os.path.join(_cache, "pocl")  # of the OpenCL driver that the tests bring along
atexit.register(shutil.rmtree, _cache, ignore_errors=True)

_slow_machines = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=_slow_machines)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=_slow_machines)
settings.register_profile("few", settings.get_profile("ci"), max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--host", metavar="NAME", help="pretend to run on a machine of jitmdh.mdh.machine.known")


def pytest_configure(config: pytest.Config) -> None:
    """In the environment, for processes that tests start, too. Instructions that are not there are not pretended."""
    name = config.getoption("--host")
    if name:
        from jitmdh.mdh.machine.known import processor

        os.environ["MDH_MACHINE"] = name
        os.environ["MDH_CPU_FEATURES"] = processor(name).level
