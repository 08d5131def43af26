"""Fault 16: deep nests, deep callers and very large functions: compiled, or plain Python's with one warning."""

from __future__ import annotations

import linecache
import socket
import sys
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import schedule as s
from jitmdh.base.errors import JitWarning, TooLargeError
from jitmdh.base.process.stack import frames_left
from jitmdh.jit.online.channel import Channel
from jitmdh.mdh.frontend.python import tracer

TERMS = " + ".join(f"x[i] * {k}" for k in range(300))
LIMIT = sys.getrecursionlimit()


def doubled(y, x):
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def written(name: str, text: str) -> types.FunctionType:
    """The function that `text` defines, which has a source."""
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, filename, "exec"), space)
    function = space["f"]
    assert isinstance(function, types.FunctionType)
    return function


def with_frames_left(count: int, call: Callable[[], object]) -> object:
    """`call`, where so many more calls are possible, whoever has raised the limit for a while."""
    left = frames_left() - sys.getrecursionlimit() + LIMIT
    return with_frames_left(count, call) if left > count else call()


def same_results(function: Any, *arguments: np.ndarray[Any, Any]) -> None:
    expected = [a.copy() for a in arguments]
    function.py_func(*expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error", JitWarning)
        function(*arguments)
    for found, wanted in zip(arguments, expected):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("left", [300, 150, 60])
def test_a_caller_that_is_deep(left: int) -> None:
    f, y, before = mdh.jit(tune="off", cache=False)(doubled), np.zeros(3), sys.getrecursionlimit()
    with_frames_left(left, lambda: f(y, np.ones(3)))
    assert y.tolist() == [2, 2, 2]
    assert f.stats().compiles == 1 and f.stats().fallbacks == 0
    assert sys.getrecursionlimit() == before


def test_a_caller_that_has_no_frames_left_spoils_nothing() -> None:
    f = mdh.jit(tune="off", cache=False)(doubled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JitWarning)
        for left in range(2, 40, 3):
            try:
                with_frames_left(left, lambda: f(np.zeros(3), np.ones(3)))
            except RecursionError:  # as from any other call there
                continue
    same_results(f, np.zeros(3), np.ones(3))
    assert f.stats().compiles == 1


def test_many_deep_threads_at_once() -> None:
    functions, before = [mdh.jit(tune="off", cache=False)(doubled) for _ in range(4)], sys.getrecursionlimit()
    results: list[Any] = [None] * len(functions)

    def run(n: int) -> None:
        y = np.zeros(3)
        with_frames_left(120, lambda: functions[n](y, np.ones(3)))
        results[n] = y.tolist()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[2, 2, 2]] * len(functions)
    assert sys.getrecursionlimit() == before


def test_twenty_loops() -> None:
    """As many as Python's own parser allows."""
    loops = "".join(" " * (k + 1) + f"for i{k} in range({2 if k % 7 == 0 else 1}):\n" for k in range(20))
    total = " + ".join(f"i{k}" for k in range(20))
    f = written("twenty loops", f"def f(y):\n{loops}{' ' * 21}y[{total}] += 1\n")
    same_results(mdh.jit(tune="off", cache=False)(f), np.zeros(25))


def test_sixty_four_loops() -> None:
    f = mdh.jit(tune="off", cache=False)(written("64 loops", "def f(x):\n    return (x * 2).sum()\n"))
    assert f(np.ones((2, 3) + (1,) * 62)) == 12


def test_a_sum_of_three_hundred_terms() -> None:
    f = written("long sum", f"def f(y, x):\n    for i in range(y.shape[0]):\n        y[i] = {TERMS}\n")
    same_results(mdh.jit(tune="off", cache=False)(f), np.zeros(5), np.ones(5))


QUESTIONS: dict[str, Callable[..., object]] = {
    "explain": lambda f, *a: str(f.explain(*a, measure=False)),
    "inspect": lambda f, *a: f.inspect(*a),
    "draw": lambda f, *a: str(f.draw(*a)),
    "why": lambda f, *a: f.why(*a),
    "tune": lambda f, *a: f.tune(*a, evaluations=2),
    "schedule": lambda f, *a: str(nest := s.build(f, *a).tile(i=4)) + str(nest.draw()) + nest.script(),
    "schedule of a configuration": lambda f, *a: s.of(f.config(*a), f, *a),
}  # fmt: skip


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("question", sorted(QUESTIONS))
def test_what_is_compiled_can_be_asked_about(question: str) -> None:
    """Before the first call, with a stack as small as that of any caller."""
    f = mdh.jit(cache=False)(
        written("deep", f"def f(y, x):\n    for i in range(y.shape[0]):\n        y[i] = {TERMS}\n")
    )
    QUESTIONS[question](f, np.zeros(50), np.ones(50))


def test_messages_to_helpers_are_as_deep_as_programs() -> None:
    deep: Any = 0
    for _ in range(2 * LIMIT):
        deep = (deep,)
    here, there = socket.socketpair()
    with here, there:
        Channel(here, False).send(deep)
        received = Channel(there, True).receive()
    assert received is not None
    found = received[0]
    for _ in range(2 * LIMIT):
        (found,) = found
    assert found == 0


def test_a_function_of_many_lines() -> None:
    lines = (f"        y[i] = y[i] * 0.5 + x[i] * {k}.25\n" for k in range(1500))
    text = "def f(y, x):\n    for i in range(y.shape[0]):\n" + "".join(lines)
    f, y = mdh.jit(tune="off", cache=False)(written("many lines", text)), np.zeros(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(y, np.ones(1))
        f(y, np.ones(1))
    found = [str(w.message) for w in caught if w.category is JitWarning]
    assert len(found) == 1 and "`f` is too large to compile" in found[0]
    expected = np.zeros(1)
    f.py_func(expected, np.ones(1))
    f.py_func(expected, np.ones(1))
    assert y == expected
    with pytest.raises(TooLargeError, match="is too large to compile"):
        f.inspect(y, np.ones(1))


def test_calls_that_double_at_each_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "MOST_STEPS", 1000)
    levels = "".join(f"def f{k}(v):\n    return f{k - 1}(v) + f{k - 1}(v)\n" for k in range(1, 24))
    text = "def f0(v):\n    return v\n" + levels + "def f(y):\n    for i in range(1):\n        y[i] = f23(1.0)\n"
    f = mdh.jit(tune="off", cache=False)(written("doubling", text))
    with pytest.raises(TooLargeError, match="steps"):
        f.inspect(np.zeros(1))
