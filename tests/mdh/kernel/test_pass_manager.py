"""Passes in their order, timed and dumped."""

from __future__ import annotations

import pytest

import jitmdh as mdh
from jitmdh.base.errors import ConfigurationError, InternalError
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Kernel, Return
from jitmdh.mdh.kernel.pass_manager import Pass, run_passes
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.targets.llvm.target import PASSES
from tests.mdh.kernel.passes.examples import kernel

MACHINE = known("sapphire-rapids")
DONE = Return(integer(0))


def renamed(name: str) -> Pass:
    return Pass(name, lambda k: Kernel(f"{k.name}_{name}", k.buffers, k.body))


def test_each_pass_takes_what_the_one_before_left() -> None:
    done = run_passes([renamed("a"), renamed("b")], (kernel(DONE), kernel(DONE)), MACHINE)
    assert [(p.name, [k.name for k in p.kernels]) for p in done] == [
        ("a", ["k_a", "k_a"]), ("b", ["k_a_b", "k_a_b"]),
    ]  # fmt: skip
    assert all(p.seconds >= 0 for p in done)


@pytest.mark.parametrize(("setting", "shown"), [("", ""), ("after:b", "b"), ("all", "ab")])
def test_dump(setting: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    with mdh.config(dump=setting):
        done = run_passes([renamed("a"), renamed("b")], (kernel(DONE),), MACHINE)
    texts = {p.name: f"==== kernel IR after {p.name}\n{show_kernel(p.kernels[0])}\n" for p in done}
    assert capsys.readouterr().err == "".join(texts[name] for name in shown)


def test_a_pass_that_is_not_there() -> None:
    with mdh.config(dump="after:fam"), pytest.raises(ConfigurationError) as caught:
        run_passes([renamed("fma"), renamed("cse")], (kernel(DONE),), MACHINE)
    assert str(caught.value) == "there is no pass 'fam' to dump after [MDH301]\n  hint: passes are fma, cse"


def test_names_differ() -> None:
    assert len({step.name for step in PASSES}) == len(PASSES)


def test_what_a_pass_leaves_is_verified() -> None:
    """In tests, representations are checked: a pass that breaks a kernel is named."""
    broken = Pass("careless", lambda k: Kernel(k.name, k.buffers, ()))
    with pytest.raises(InternalError, match="kernel k_a after careless: it does not end with a return"):
        run_passes([renamed("a"), broken], (kernel(DONE),), MACHINE)
    with pytest.raises(InternalError, match="kernel k_a after careless: it does not end with a return"):
        run_passes([renamed("a"), broken, renamed("b")], (kernel(DONE),), MACHINE)
    stumbling = Pass("stumbling", lambda k: Kernel(k.name, k.buffers, (k.body[0],)))
    with pytest.raises(InternalError, match="after careless"):  # not the one that fails by it
        run_passes([broken, stumbling], (kernel(DONE),), MACHINE)
    with pytest.raises(InternalError, match="kernel k after build"):
        run_passes([stumbling], (kernel(),), MACHINE)
    with mdh.config(check=False):
        assert run_passes([renamed("a"), broken], (kernel(DONE),), MACHINE)[-1].kernels[0].body == ()
