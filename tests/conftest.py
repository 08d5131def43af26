"""Set before jitmdh is imported: every representation is checked, and no test touches the user's own cache."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

os.environ["MDH_CHECK"] = "1"
os.environ["MDH_CACHE_DIR"] = _cache = tempfile.mkdtemp(prefix="jitmdh-tests-")
os.environ["POCL_CACHE_DIR"] = os.path.join(_cache, "pocl")  # of the OpenCL driver that the tests bring along
atexit.register(shutil.rmtree, _cache, ignore_errors=True)

_slow_machines = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=_slow_machines)
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=_slow_machines)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
