"""Set before jitmdh is imported: every representation is checked, and no test touches the user's own cache."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests import costs, days, hosts

os.environ["MDH_CHECK"] = "1"
os.environ["MDH_CACHE_DIR"] = _cache = tempfile.mkdtemp(prefix="jitmdh-tests-")
_shared = os.environ.setdefault("JITMDH_TESTS_SHARED", _cache)  # workers find that of the process that started them
os.environ["POCL_CACHE_DIR"] = os.path.join(_cache, "pocl")  # of the OpenCL driver that the tests bring along
os.environ["MYPY_CACHE_DIR"] = os.path.join(_shared, "mypy")  # what one test has checked, another need not check again
# Tests start hundreds of processes: where bytecode files are turned off, as in many containers, each compiles jitmdh
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
atexit.register(shutil.rmtree, _cache, ignore_errors=True)

_CASES = pytest.StashKey[float]()

_slow_machines = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=_slow_machines)
settings.register_profile("long", deadline=None, max_examples=2000, suppress_health_check=_slow_machines)
settings.register_profile("mutation", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def _tunes_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread and no process begins in tests that are about other things; see tests/jit/trials. And what `f.tune`
    measures at the end, two seconds long if no time is given, is over as soon as its rules allow."""
    from jitmdh.jit.trials import worker
    from jitmdh.jit.tuning import final_comparison

    monkeypatch.setattr(worker, "_share", [0.0])
    monkeypatch.setattr(final_comparison, "_SECONDS", 0.05)


@pytest.fixture(autouse=True)
def _left_as_it_was() -> Iterator[None]:
    """Settings and cores of this process: whatever a test leaves behind, some other test would fail for."""
    from jitmdh.base.settings import config

    def now() -> dict[str, object]:
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
        return {name: getattr(config, name) for name in config.table()} | {"cores": cores}

    before = now()
    yield
    left = {name: (before[name], then) for name, then in now().items() if before[name] != then}
    assert not left, f"left behind: {left}"


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is chosen is chosen for two cores, however many this process may use."""
    from jitmdh.jit.execution import native_call  # not by its full name: `jitmdh.jit` may be the decorator

    monkeypatch.setattr(native_call, "usable_cores", lambda: 2)


@pytest.fixture(autouse=True, scope="module")
def _on_its_host(request: pytest.FixtureRequest) -> Iterator[None]:
    """As on the machine whose turn it is; see `tests/hosts.py`."""
    with hosts.as_on(hosts.host_of(request.node.nodeid, request.config)):
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--host", metavar="NAME", action="append", default=[],
        help="pretend to run on a machine of jitmdh.mdh.machine.known; several: the tests are run for each",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """What is pretended is in the environment, for processes that tests start, too."""
    days.settle()
    if sys.flags.optimize:
        raise pytest.UsageError("the tests need their assertions: run them without -O, and without PYTHONOPTIMIZE")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what is in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # processes that tests start can be interrupted
    asked = config.getoption("--host")
    if len(asked) == 1:
        os.environ.update(hosts.in_environment(asked[0]))
    if len(asked) > 1 and getattr(config.option, "dist", "no") != "no":
        raise pytest.UsageError("--host: several are run one after another; add -n 0")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Several hosts: each in a process that is forked once all tests are known, and that goes on from here."""
    from jitmdh.base import settings

    asked = session.config.getoption("--host")
    if len(asked) < 2:
        return None
    assert {"machine", "cpu_features"}.isdisjoint(settings.config._values), "a test file asks for the machine"
    for host in asked:
        child = os.fork()
        if not child:
            atexit.unregister(shutil.rmtree)  # the next one needs it
            os.environ.update(hosts.in_environment(host))
            return None
        session.testsfailed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported is no garbage, but the collector would look at all of it a hundred times."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Any, Any]:
    """Of a file without an example, pytest would import the module and read each docstring to find none."""
    found = yield
    if b">>> " not in file_path.read_bytes():
        found[:] = [each for each in found if not type(each).__name__.startswith("Doctest")]
    return found


def pytest_collection_finish() -> None:
    """Modules and tests are no garbage before the end; of what a test makes, little is left when it is over."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)  # tests of collections at any moment set their own


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """A process that has run out of tests takes those that wait for another: long ones do not stay in one half."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler.worksteal import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests first: what is begun last keeps one process busy while the others have nothing left."""
    assert all(map(days.share_of, items))  # a wrong share is told in any run
    cases = Counter(map(costs.function_of, items))
    for item in items:
        item.stash[_CASES] = max(1.0, cases[costs.function_of(item)] / days.marked_share_of(item))
    if not days.is_everything_asked_for(config):
        todays = [(item, days.has_its_turn(item)) for item in items]
        items[:] = [item for item, today in todays if today]
        config.hook.pytest_deselected(items=[item for item, today in todays if not today])
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    with costs.measured(item, item.stash[_CASES]):
        return (yield)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that ask for the fixture `opencl` run on every usable device, or are skipped with the reason."""
    if "opencl" not in metafunc.fixturenames:
        return
    from tests.usable_devices import usable

    several = len(metafunc.config.getoption("--host")) > 1
    found, reason = ((), "devices do not depend on the host") if several else usable("opencl")
    devices = [pytest.param(device, id=device.name) for device in found]
    none = pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))
    metafunc.parametrize("opencl", devices or [none], indirect=True, scope="module")


@pytest.fixture(scope="module")
def opencl(request: pytest.FixtureRequest) -> Iterator[object]:
    """An OpenCL device, which is the only one as long as a test runs.

    Its driver compiles without optimising, in a quarter of the time, but for the test files whose turn it is. Only
    PoCL 3 is asked to: what PoCL 7.1 compiles so computes wrong results, and crashes.
    """
    from jitmdh.hca import registry

    every = registry._of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_of", lambda target: (request.param,) if target == "opencl" else every(target))
        device: Any = request.param
        is_turn = device is None or days.is_turn_of(request.module.__name__, request.config)
        if not is_turn and device.driver._device.driver_version.startswith("3."):
            driver = type(device.driver)
            build = driver._built

            def unoptimised(self: Any, name: str, options: tuple[str, ...], *program: Any) -> Any:
                return build(self, name, (*options, "-cl-opt-disable"), *program)

            patch.setattr(driver, "_built", unoptimised)
        yield request.param


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why tests were skipped: one line for each reason, however many tests and files it concerns."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(r.longrepr[2].removeprefix("Skipped: ") for r in reports if isinstance(r.longrepr, tuple))
    for reason, count in reasons.items():
        terminalreporter.write_line(f"{count} skipped: {' '.join(reason.split())}")
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(f"{days.NAME}={os.environ[days.NAME]} draws the same examples on another day")
    files = {report.nodeid.partition("::")[0] for report in terminalreporter.stats.get("failed", [])}
    for file in sorted(files):
        if (host := hosts.host_of(file, terminalreporter.config)) is not None:
            terminalreporter.write_line(f"{file} ran as on another machine: --host {host}")
