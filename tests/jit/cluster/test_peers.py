"""Codes are made by one of several processes: here several functions of a program, each with a store of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.cluster import peers
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import Pipeline, of_program
from jitmdh.jit.decorator import make
from jitmdh.jit.execution import launch
from tests.jit.prepared_store import with_native_runtime
from tests.laws.agreement import traced


class Together:
    """Peers in this process."""

    def __init__(self) -> None:
        self.codes: dict[str, list[bytes]] = {}
        self.turns: list[str] = []
        self.asked = 0

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        self.turns.append(name)
        yield

    def known(self, name: str) -> list[bytes]:
        self.asked += 1
        return self.codes.get(name, [])

    def keep(self, name: str, values: list[bytes]) -> None:
        self.codes[name] = values


@pytest.fixture
def together() -> Iterator[Together]:
    found = Together()
    peers.use(found)
    yield found
    peers.use(None)


def scaled(y, x):
    for i in range(x.shape[0]):
        y[i] = 3.0 * x[i]


@pytest.fixture
def another(tmp_path: Path) -> Callable[[], Any]:
    """Calls the function as a process of its own would: results are checked. What it did is told."""
    program = traced(mdh.jit(scaled), (np.zeros(8), np.zeros(8)))
    count = 0

    def called(length: int = 8) -> tuple[int, int]:
        nonlocal count
        count += 1
        with config(cache=True, cache_dir=str(with_native_runtime(tmp_path / str(count)))):
            run, pipeline = of_program(program, "part")
            function = make(run, Options(tune="off"), pipeline)
            x, y = np.arange(float(length)), np.zeros(length)
            function(y, x)
            np.testing.assert_array_equal(y, 3 * x)
            found = function.stats()
        return found.compiles, len(found.misses)

    return called


def test_one_compiles_and_the_others_take_it(another: Callable[..., Any], together: Together) -> None:
    assert [another() for _ in range(3)] == [(1, 1), (0, 1), (0, 1)]
    assert together.asked == 3  # who compiles has asked once, too
    assert len(set(together.turns)) == 1 and len(together.turns) == 3


def test_without_peers_everyone_compiles(another: Callable[..., Any]) -> None:
    assert [another()[0] for _ in range(2)] == [1, 1]


def test_what_is_damaged_is_nobodys(another: Callable[..., Any], together: Together) -> None:
    another()
    ((name, (framed,)),) = together.codes.items()
    for place in (0, 20, len(framed) // 2, len(framed) - 1):
        changed = bytearray(framed)
        changed[place] ^= 1
        together.codes[name] = [bytes(changed), framed[:-1], b""]
        assert another() == (1, 1)
    assert another() == (0, 1)  # the last one has offered its own


def test_code_of_another_machine_or_version_has_another_name(
    another: Callable[..., Any], together: Together, monkeypatch: pytest.MonkeyPatch
) -> None:
    another()
    plain = code_cache.key_of
    monkeypatch.setattr(code_cache, "key_of", lambda *a: replace(plain(*a), processor="another"))
    assert another() == (1, 1) and len(together.codes) == 2
    monkeypatch.undo()
    monkeypatch.setattr(peers, "_contents", lambda: "another")
    assert another() == (1, 1) and len(together.codes) == 3
    (name, framed), *_ = together.codes.items()
    monkeypatch.undo()
    together.codes = dict.fromkeys(together.codes, framed)  # under a name that is not its own
    assert another() == (0, 1) and name in together.codes


def test_code_for_other_sizes_is_not_taken(another: Callable[..., Any], together: Together) -> None:
    assert [another(n) for n in (8, 100_000, 8, 100_000)] == [(1, 1), (1, 1), (0, 1), (0, 1)]
    assert sum(map(len, together.codes.values())) == 2


def test_what_one_has_tuned_others_begin_with(tmp_path: Path, together: Together) -> None:
    program = traced(mdh.jit(scaled), (np.zeros(8), np.zeros(8)))
    for count in range(2):
        with config(cache=True, cache_dir=str(with_native_runtime(tmp_path / str(count)))):
            run, pipeline = of_program(program, "part")
            function = make(run, Options(), pipeline)
            x, y = np.arange(500.0), np.zeros(500)
            function(y, x)
            if count == 0:
                adopt_code_for(function, pipeline, (y, x))
            np.testing.assert_array_equal(y, 3 * x)
            (found,) = function.codes.every()
            assert found.threads is not None and found.remembered is (count == 1)
            assert function.stats().compiles == (count == 0)


def adopt_code_for(function: Any, pipeline: Pipeline, arguments: tuple[Any, ...]) -> None:
    """As if tuning had found nothing better than the model's choice for the very sizes."""
    (signature,) = function.codes.signatures()
    compiled = pipeline.compile(function, signature, function.options, arguments, "call", None)
    function.codes.tuned.adopt(launch.load(signature, compiled))


def test_where_there_are_no_peers_no_file_is_read_for_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call in a process spent 20 ms on it."""

    def read() -> str:
        raise AssertionError("jitmdh's files are read")

    monkeypatch.setattr(peers, "_contents", read)
    key = code_cache.Key("function", "signature", "options", "versions", "processor")
    assert list(peers.known(key)) == []
