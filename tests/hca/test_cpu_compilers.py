"""Modules compiled by several processes: the same code, in order, whatever becomes of the helpers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jitmdh.base.errors import InternalError
from jitmdh.hca.devices import cpu_compilers
from jitmdh.hca.devices.cpu_compile import compile_ir
from jitmdh.hca.devices.cpu_compilers import Compilers


def text(number: int) -> str:
    return f"define i64 @f(i64 %x) {{\n  %y = add i64 %x, {number}\n  ret i64 %y\n}}\n"


@pytest.fixture
def compilers() -> Iterator[Compilers]:
    found = Compilers(1)
    yield found
    found.close()


def test_the_same_code_in_order(compilers: Compilers) -> None:
    assert compilers.count == 2
    for count in (9, 0, 1):
        texts = [text(n) for n in range(count)]
        assert compilers.compiled(iter(texts)) == [compile_ir(t) for t in texts]


@pytest.mark.parametrize("helpers", [0, 1])
def test_what_llvm_refuses_is_an_answer(helpers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compilers = Compilers(helpers)
    good, *bad = compilers.compiled([text(1), "nonsense", "define"])
    compilers.close()
    assert good == compile_ir(text(1)) and all(isinstance(b, InternalError) for b in bad)


def test_a_helper_compiles(compilers: Compilers) -> None:
    (helper,) = compilers._helpers
    assert cpu_compilers._asked(helper, text(3)) == compile_ir(text(3))
    assert cpu_compilers._asked(helper, "nonsense") == b""


def test_a_helper_that_dies_is_done_without(compilers: Compilers) -> None:
    (helper,) = compilers._helpers
    helper.kill()
    helper.wait()
    assert compilers.compiled(map(text, range(4))) == [compile_ir(text(n)) for n in range(4)]
    assert cpu_compilers._asked(helper, text(0)) is None
    compilers.close()
    assert compilers.count == 1


def test_no_interpreter_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "")
    assert Compilers(2).count == 1
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert Compilers(2).count == 1


def test_helpers_end_with_their_input() -> None:
    compilers = Compilers(1)
    (helper,) = compilers._helpers
    compilers.close()
    assert helper.returncode == 0
