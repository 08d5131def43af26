"""Random numbers: Philox's, of a place and an iteration; seeds decide them, distributions are NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.jit.compilation import structures
from jitmdh.mdh.frontend.source import random_calls


def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Philox 4x32-10 of Salmon et al. (2011)."""
    (a, b, c, d), (k, m) = counter, key
    for _ in range(10):
        one, other = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = other >> 32 ^ b ^ k, other & 0xFFFFFFFF, one >> 32 ^ d ^ m, one & 0xFFFFFFFF
        k, m = (k + 0x9E3779B9) & 0xFFFFFFFF, (m + 0xBB67AE85) & 0xFFFFFFFF
    return [a, b, c, d]


def unit(first: int, second: int) -> float:
    return ((first >> 5) * 2**26 + (second >> 6)) / 2**53


@mdh.jit
def places(n: int) -> Any:
    out = np.empty((n, 3))
    first = np.random.rand(n)
    for i in range(n):
        for j in range(2):
            out[i, j] = np.random.random()
        out[i, 2] = first[i]
    return out


def test_numbers_are_those_of_the_cipher(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [hex(w) for w in philox((0, 0, 0, 0), (0, 0))] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
    key = np.array([5 << 32 | 9, 7], np.uint64)
    monkeypatch.setattr(structures, "new_key", lambda source=None: key)
    got = places(6)
    for i in range(6):
        assert got[i, 2] == unit(*philox((i, 0, 0, 0 ^ 5), (9, 7))[:2])
        for j in range(2):
            assert got[i, j] == unit(*philox((j, i, 0, 1 ^ 5), (9, 7))[:2])


@mdh.jit
def drawn(n: int) -> Any:
    return (
        np.random.uniform(-1.0, 3.0, n), np.random.normal(2.0, 3.0, size=n), np.random.exponential(2.0, n),
        np.random.randint(3, 9, n), np.random.randn(n, 2)[:, 1], np.random.standard_exponential(size=n),
    )  # fmt: skip


def test_seeds_decide_and_calls_differ() -> None:
    np.random.seed(3)
    one, other = drawn(50), drawn(50)
    np.random.seed(3)
    for a, b, c in zip(one, drawn(50), other):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)


@pytest.mark.parametrize(("low", "high"), [(-(2**63), 2**63 - 1), (-(2**62) - 5, 2**62 + 7), (0, 2**62), (3, 4)])
def test_integers_of_any_range(low: int, high: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a fraction of 128 bits of the range, rounded down: no product is rounded or wraps."""

    def some(n: int, low: int, high: int) -> Any:
        return np.random.randint(low, high, n)

    monkeypatch.setattr(structures, "new_key", lambda *_: np.array([5 << 32 | 9, 7], np.uint64))
    found = mdh.jit(some, cache=False)(50, low, high)
    for n, value in enumerate(found.tolist()):
        a, b, c, d = philox((n, 0, 0, 5), (9, 7))
        assert value == low + ((a << 96 | b << 64 | c << 32 | d) * (high - low) >> 128)


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    """Of so many that threads would share them."""

    def many(x: Any, generator: np.random.Generator) -> Any:
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] = generator.random()
        return x

    with mdh.config(num_threads=threads):
        found = mdh.jit(many, cache=False)(np.zeros((300, 700)), np.random.default_rng(7))
    alone = mdh.jit(many, cache=False)(np.zeros((3, 700)), np.random.default_rng(7))
    assert np.array_equal(found[:3], alone)
    assert len(np.unique(found)) == found.size


def test_distributions_are_those_of_numpy() -> None:
    np.random.seed(4)
    n = 40_000
    uniform, normal, exponential, integers, standard, unit_exponential = drawn(n)
    for values, mean, deviation in (
        (uniform, 1.0, 4 / 12**0.5), (normal, 2.0, 3.0), (exponential, 2.0, 2.0), (integers, 5.5, (35 / 12) ** 0.5),
        (standard, 0.0, 1.0), (unit_exponential, 1.0, 1.0),
    ):  # fmt: skip
        assert abs(values.mean() - mean) < 5 * deviation / n**0.5
        assert abs(values.std() / deviation - 1) < 0.05
        assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 5 / n**0.5  # neighbours have nothing in common
    assert uniform.min() >= -1 and uniform.max() < 3 and set(integers) == set(range(3, 9))
    assert abs(np.corrcoef(normal, standard)[0, 1]) < 5 / n**0.5  # nor have places in the program


def two() -> float:
    return np.random.random() + 10 * np.random.random()


@mdh.jit
def different(n: int, steps: int) -> Any:
    x = np.zeros((steps, n))
    for s in range(steps):
        x[s] = np.random.random(n)
    unrolled = [np.random.random() for _ in (1, 2, 3)]
    helped = two()
    again = two()
    return x, np.array(unrolled), np.array([helped, again])


def test_no_number_is_drawn_twice() -> None:
    x, unrolled, helped = different(20, 10)
    assert len({*x.ravel(), *unrolled, *helped}) == 205


@mdh.jit
def of_generator(rng: Any, n: int) -> Any:
    return rng.normal(size=n), rng.random(), rng.integers(2, 7)


@mdh.jit
def of_seed(seed: int, n: int) -> Any:
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(n):
        total += rng.uniform(2.0, 3.0)
    return total / n


def test_generators() -> None:
    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    first, second = of_generator(rng, 100), of_generator(same, 100)
    np.testing.assert_array_equal(first[0], second[0])
    assert first[1:] == second[1:] and 0 <= first[1] < 1 and 2 <= first[2] < 7
    assert not np.array_equal(of_generator(rng, 100)[0], first[0])
    assert of_seed(1, 1000) == of_seed(1, 1000) != of_seed(2, 1000) and abs(of_seed(1, 1000) - 2.5) < 0.05


@mdh.jit
def none() -> Any:
    return np.random.randint(5, 5)


@mdh.jit
def scaled(x: Any) -> Any:
    return x * np.random.random()


def test_errors_and_types() -> None:
    with pytest.raises(ValueError, match="low >= high"):
        none()
    assert scaled(np.ones(3, np.float32)).dtype == np.float32  # a float of Python's


class Surprising:
    """A global that a decorated function names, and nobody may ask for anything."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


surprising = Surprising()


def test_what_a_function_names_is_not_asked() -> None:
    space: dict[str, Any] = {"surprising": surprising, "np": np}
    exec("def helper(x):\n    return x + np.random.random()", space)  # of no module

    def named(x: Any) -> Any:
        return surprising, space["helper"](x)

    assert isinstance(named, FunctionType) and not random_calls.draws(named)
    made = eval("lambda x: helper(x)", space)
    assert random_calls.draws(made) and not random_calls.draws(eval("lambda x: surprising + x", space))


def test_what_is_not_seen_is_refused() -> None:
    functions = {"draw": np.random.random}

    @mdh.jit
    def hidden(x: Any) -> Any:
        return x + functions["draw"]()

    with pytest.raises(NotAnMdhError):
        hidden(np.ones(3))
