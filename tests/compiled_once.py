"""Object code of a text that this process has compiled already is not made again: LLVM would make the same.

For laws about what programs mean. They ask for the same code in many ways, such as for calls with one thread and with
two, or of programs that differ in names only; each time it is placed and run. Tests of what happens while something is
compiled (signals, forks, faults, the store) do without.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from jitmdh.hca.devices.native_code import cpu_compile

_COMPILE_IR = cpu_compile.compile_ir


@functools.lru_cache(maxsize=500)
def _object_code(text: str | tuple[str, ...], features: str, thorough: bool) -> bytes:
    return _COMPILE_IR(text, features, thorough)


def _remembered(text: str | Sequence[str], features: str | None = None, thorough: bool = False) -> bytes:
    texts = text if isinstance(text, str) else tuple(text)
    return _object_code(texts, cpu_compile.features_named(features), thorough)


@contextmanager
def compiled_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu_compile, "compile_ir", _remembered)
        yield


@pytest.fixture(autouse=True)
def each_text_compiled_once() -> Iterator[None]:
    """For the tests of a folder whose `conftest` imports it."""
    with compiled_once():
        yield
