"""Anything for any argument of what users call: it is used, or an error says what it is and what is taken.

No AttributeError of something inside. Asked of every public name, every method of what they give, with arguments drawn
from numbers, texts, arrays, functions and objects of this package that belong elsewhere.
"""

from __future__ import annotations

import inspect
import random
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import atf, dsl, hca, kernels
from jitmdh import schedule as s
from jitmdh import tensor as mt
from jitmdh.base.errors import InternalError, MdhError
from tests.days import today

MODULES = {"mdh": mdh, "mt": mt, "s": s, "hca": hca, "atf": atf, "kernels": kernels, "dsl": dsl}
LEFT_OUT = {
    "Technique", "program", "run_time",  # a protocol; they run commands
    "set_num_threads", "tune", "serve", "write",  # change settings, take long, wait, fill folders
    "on", "used_on", "place", "changed", "release", "py_func",  # of buffers: for drivers; the undecorated function
}  # fmt: skip
MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@mdh.jit
def doubled(y, x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


A, B, C = mt.Tensor("A", (3, 4)), mt.Tensor("B", (4, 5)), mt.Tensor("C", (3, 5))


def objects() -> dict[str, Any]:
    return {
        "doubled": doubled, "nest": s.build(doubled, np.zeros(64), np.ones(64)), "A": A, "expression": A["ij"],
        "kernel": mt.kernel("kernel", C["ij"] <= A["ik"] * B["kj"]), "buffer": hca.Buffer(np.zeros(3)),
    }  # fmt: skip


def anything() -> list[Any]:
    return [
        None, 0, -1, 77, 1.5, float("nan"), 2**70, True, "x", "ij", "", b"q", [], [1, 2], {}, {"a": 1}, (1,), range(3),
        np.zeros(3), np.zeros((2, 2), np.int32), np.array("a"), object(), lambda: 0, lambda a, b: a, int, np.float32,
        Ellipsis, doubled, A, A["ij"], s.build(doubled, np.zeros(64), np.ones(64)),
    ]  # fmt: skip


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    for of, owner in {**MODULES, **objects()}.items():
        for name in getattr(owner, "__all__", dir(owner)):
            if name in LEFT_OUT or name.startswith("_"):
                continue
            try:
                value = getattr(owner, name)
            except MdhError:
                continue
            if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException | Warning)):
                yield f"{of}.{name}", value


def drawn(parameters: list[inspect.Parameter], among: list[Any], by: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Arguments in their places, those that are needed and some more; and some by name."""
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in placed)
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    count = by.randint(needed, len(placed) + 2 * several)
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and (p.default is p.empty or by.random() < 0.3)]
    return [by.choice(among) for _ in range(count)], {name: by.choice(among) for name in named}


def is_of_the_call(error: BaseException) -> bool:
    """Whether Python says that arguments are missing or too many, or what the user's own function raises."""
    of_pythons = ("argument: ", "arguments: ", "positional argument", "unexpected keyword", "multiple values")
    if isinstance(error, TypeError) and any(words in str(error) for words in of_pythons):
        return True
    return traceback.extract_tb(error.__traceback__)[-1].filename == __file__


@pytest.mark.filterwarnings("ignore")
def test_what_does_not_fit_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    by, among, every = random.Random(today()), anything(), list(callables())
    assert len(every) > 200
    found, refused = [], 0
    for _ in range(600):
        name, function = by.choice(every)
        try:
            parameters = [*inspect.signature(function).parameters.values()]
        except (TypeError, ValueError):
            continue
        args, kwargs = drawn(parameters, among, by)
        try:
            function(*args, **kwargs)
        except InternalError as error:
            found.append(f"{name}(*{args}, **{kwargs}): {error}")
        except (MdhError, OSError):
            refused += 1
        except MISTAKES as error:
            if not is_of_the_call(error):
                found.append(f"{name}(*{args}, **{kwargs}): {type(error).__name__}: {error}")
    assert not found, "\n".join(found)
    assert refused > 200
