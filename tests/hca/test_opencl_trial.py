"""OpenCL devices are tried in a process of their own before they are offered: drivers with one defect each."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import cli
from jitmdh.base.errors import DeviceError
from jitmdh.base.storage.store import Store
from jitmdh.hca import registry
from jitmdh.hca.drivers import opencl as opencl_devices
from jitmdh.hca.drivers import opencl_trial
from jitmdh.hca.interface.device import Device
from tests.waiting import PATIENCE

FAKE = Path(__file__).parent / "fake_opencl"


class Machine:
    """A machine with a fake driver, and an empty store."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch, self.store, self.trials = patch, Store(None), 0
        patch.syspath_prepend(FAKE)
        patch.setattr(opencl_trial, "default_store", lambda: self.store)
        real = opencl_trial.tried

        def counted(number: int) -> opencl_trial.TrialOutcome:
            self.trials += 1
            return real(number)

        patch.setattr(opencl_trial, "tried", counted)

    def has(self, defect: str) -> None:
        """From now on the driver has this defect."""
        self.patch.setenv("FAKE_OPENCL", defect)
        self.patch.setenv("FAKE_OPENCL_PARENT", str(os.getpid()))
        spec = importlib.util.spec_from_file_location("pyopencl", FAKE / "pyopencl.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.patch.setitem(sys.modules, "pyopencl", module)
        every: Any = {"opencl": opencl_devices.devices}
        self.patch.setattr(registry, "_of", lambda target: every[target]() if target in every else ())

    def device(self) -> Device:
        (device,) = opencl_devices.devices()
        return device

    def reason(self) -> str:
        trouble = self.device().trouble
        return trouble.reason if trouble is not None else ""


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("defect", "reason"),
    [
        ("", ""),
        ("no doubles", ""),
        ("builds nothing", "vectors of char: error: unknown target CPU 'generic'"),
        ("crashes", "vectors of float: the driver crashed (SIGSEGV)"),
        ("cannot be listed there", "finding it: the driver crashed (SIGABRT)"),
        ("exits", "vectors of float: the driver ended the process (status 3)"),
        ("wide vectors", "wrong results of long16"),
        ("barriers", "wrong results of work-groups with a barrier"),
    ],
)
def test_what_is_wrong_is_found_once(machine: Machine, defect: str, reason: str) -> None:
    machine.has(defect)
    expected = f"Fake Computing Language, driver 1.0: {reason}" if reason else ""
    assert [machine.reason() for _ in range(2)] == [expected] * 2
    assert machine.trials == 1  # the store knows


@pytest.mark.parametrize(("state", "reason"), [("no space", "[Errno 28] No space left"), ("lacks", "no attribute")])
def test_what_the_driver_is_not_to_blame_for_is_tried_again(machine: Machine, state: str, reason: str) -> None:
    machine.has(state)
    assert f"vectors of float: {reason}" in machine.reason()
    machine.has("")
    assert machine.reason() == ""


def test_a_driver_that_hangs_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its time, which is short here, but only for the step that hangs."""
    hand_on = opencl_trial._hand_on

    class Lines:
        def __init__(self, lines: Any) -> None:
            self.lines = lines

        def put(self, line: str | None) -> None:
            if line == "step vectors of float":
                monkeypatch.setattr(opencl_trial, "STEP_SECONDS", 0.25)
            self.lines.put(line)

    monkeypatch.setattr(opencl_trial, "_hand_on", lambda stream, lines: hand_on(stream, Lines(lines)))
    machine.has("hangs")
    assert machine.reason().endswith("vectors of float: not done after 0.25 s")
    monkeypatch.setattr(opencl_trial, "STEP_SECONDS", PATIENCE)
    monkeypatch.setattr(opencl_trial, "_hand_on", hand_on)
    machine.has("")
    assert machine.reason() and machine.trials == 1, "it is believed for a day"
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_401)
    assert machine.reason() == "" and machine.trials == 2, "the machine may have been busy, or asleep"


def test_another_driver_processor_or_setting_is_tried_anew(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.has("builds nothing")
    assert machine.reason()
    monkeypatch.setenv("POCL_CACHE_DIR", "/elsewhere")  # makes no difference
    assert machine.reason() and machine.trials == 1
    machine.has("")
    cl: Any = sys.modules["pyopencl"]
    assert machine.reason() and machine.trials == 1
    for holder, name in ((cl.DEVICE, "driver_version"), (cl.PLATFORM, "version"), (cl.DEVICE, "name")):
        setattr(holder, name, "another")
        assert machine.reason() == ""
    monkeypatch.setattr(opencl_trial, "host_identity", lambda: "another")
    assert machine.reason() == "" and machine.trials == 5
    monkeypatch.setenv("POCL_DEVICES", "basic")
    assert machine.reason() == "" and machine.trials == 6


def test_an_answer_that_cannot_be_read_is_none(machine: Machine) -> None:
    machine.has("")
    (found, _), *_ = opencl_devices.listed(sys.modules["pyopencl"])
    for value in (b"\xff", b"{}", b"3", b'{"reason": 3}'):
        machine.store.put(opencl_trial._key(found), value)
        assert machine.reason() == ""
    assert machine.trials == 4


def test_what_says_nothing_of_the_driver_is_not_kept(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.has("")
    monkeypatch.setattr(opencl_trial, "_interpreter", lambda: "")
    assert machine.reason().endswith("there is no Python interpreter to try it with")
    monkeypatch.setattr(opencl_trial, "_interpreter", lambda: "/no/such/interpreter")
    assert "no process could be started to try it: " in machine.reason()
    monkeypatch.setattr(opencl_trial, "_interpreter", lambda: sys.executable)
    monkeypatch.setattr(opencl_trial, "_CHILD", "raise ValueError('elsewhere')")
    assert machine.reason().endswith("it could not be tried: ValueError: elsewhere")
    monkeypatch.undo()
    assert machine.store.info().entries == 0


def test_unusable_devices_are_not_offered(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.has("wide vectors")
    message = (
        "no usable device for target 'opencl' [MDH401]\n"
        "  fake processor: Fake Computing Language, driver 1.0: wrong results of long16\n"
        "  hint: update the driver of Fake Computing Language, or install PoCL; "
        "on Debian: apt-get install pocl-opencl-icd"
    )

    @mdh.jit(target="opencl", cache=False)
    def doubled(x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            x[i] = x[i] + x[i]

    x = np.ones(3)
    for use in (lambda: registry.devices("opencl"), lambda: registry.find_device("opencl"), lambda: doubled(x)):
        with pytest.raises(DeviceError) as caught:
            use()
        assert str(caught.value) == message
    assert (x == 1).all()
    assert "opencl" not in {device.target for device in mdh.devices()}
    assert cli.main(["devices"]) == 0
    assert f"opencl: {message}\n" in capsys.readouterr().out


def test_unusable_devices_beside_usable_ones(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.has("crashes")
    cl: Any = sys.modules["pyopencl"]
    good = type(cl.DEVICE)(**{**vars(cl.DEVICE), "name": "better processor"})
    cl.PLATFORM.get_devices = lambda: [cl.DEVICE, good]
    machine.store.put(opencl_trial._key(good), json.dumps({"reason": ""}).encode())
    assert [device.name for device in registry.devices("opencl")] == ["better processor"]
    assert registry.find_device("opencl").name == "better processor"
    with pytest.raises(DeviceError) as caught:
        registry.find_device("opencl", "fake")
    assert "not usable are:\n    fake processor: Fake Computing Language, driver 1.0: vectors of" in str(caught.value)
    assert cli.main(["devices"]) == 0
    shown = capsys.readouterr().out
    assert "opencl: better processor (cpu, 2 cores, 1.0 GiB)\nopencl: fake processor (cpu, 2 cores, 1.0 GiB) " in shown
    assert " is not usable\n  Fake Computing Language, driver 1.0: vectors of float: the driver crashed" in shown


def test_no_driver_and_no_device(machine: Machine) -> None:
    hint = f"\n  hint: {opencl_devices.HOW_TO_GET_ONE}"
    machine.has("none")
    with pytest.raises(DeviceError) as caught:
        registry.devices("opencl")
    reason = "there is no OpenCL driver: PLATFORM_NOT_FOUND_KHR"
    assert str(caught.value) == f"no device for target 'opencl' [MDH401]\n  {reason}{hint}"
    machine.has("")
    sys.modules["pyopencl"].PLATFORM.get_devices = list  # type: ignore[attr-defined]
    with pytest.raises(DeviceError) as caught:
        registry.devices("opencl")
    assert str(caught.value) == f"no device for target 'opencl' [MDH401]\n  the OpenCL drivers have no device{hint}"
    assert cli.main(["devices"]) == 0
