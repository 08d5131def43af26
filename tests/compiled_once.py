"""Object code of a text that this process has compiled already is not made again: LLVM would make the same.

For laws about what programs mean. They ask for the same code in many ways, such as for calls with one thread and with
two, or of programs that differ in names only; each time it is placed and run. Tests of what happens while something is
compiled (signals, forks, faults, the store) do without.

And code generation takes a quarter of its time there, without optimising, but for the files whose turn it is: a quarter
of them each day, and those that are named. Passes on LLVM IR are the same. Where code itself is looked at (`assembly`),
in all other folders and in processes that tests start, it is what users get.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from jitmdh.hca.drivers.native_code import cpu_compile
from tests import days

_COMPILE_IR = cpu_compile.compile_ir
_SHARE = 4  # so that in twelve days each file has such a day on each kind of host that `hosts.py` gives it


@functools.lru_cache(maxsize=500)
def _object_code(text: str | tuple[str, ...], features: str, thorough: bool, optimising: bool) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        if not optimising:
            patch.setattr(cpu_compile, "_object", _unoptimised)
        return _COMPILE_IR(text, features, thorough)


def _unoptimised(module: Any, features: str, *_: object) -> bytes:
    code: bytes = _machine(features).emit_object(module)
    return code


@functools.cache
def _machine(features: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu_compile, "SPEED_LEVEL", 0)
        return cpu_compile._target_machine.__wrapped__(features)


@contextmanager
def compiled_once(optimising: bool = True) -> Iterator[None]:
    """Within, each text is compiled once, and what is generated from it is as users get it or made quickly."""

    def remembered(text: str | Sequence[str], features: str | None = None, thorough: bool = False) -> bytes:
        texts = text if isinstance(text, str) else tuple(text)
        return _object_code(texts, cpu_compile.features_named(features), thorough, optimising)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu_compile, "compile_ir", remembered)
        yield


@pytest.fixture(autouse=True)
def each_text_compiled_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """For the tests of a folder whose `conftest` imports it."""
    with compiled_once(days.is_turn_of(request.module.__name__, request.config, _SHARE)):
        yield
