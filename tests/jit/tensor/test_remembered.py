"""Kernels of formulas that an earlier process has compiled: no program is made again, and none of others is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.base.errors import InternalError
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.jit.tensor import lowered, remembered
from jitmdh.mdh.frontend.tensor.notation.expr import Array

NUMBERS = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])
LOWER = np.tril(np.ones((3, 3), bool))


@pytest.fixture(autouse=True)
def store(tmp_path: object) -> Iterator[None]:
    """Of its own, and used as by users: nothing is made for the sake of comparing it."""
    with config(cache=True, cache_dir=str(tmp_path), check=False):
        yield


def product(numbers: Array = NUMBERS, pattern: Array = LOWER, name: str = "product", dtype: str = "f8",
            factor: float = 2.0) -> mt.Kernel:  # fmt: skip
    K = mt.Tensor("K", values=numbers.astype(dtype))
    L, C = mt.Tensor("L", (3, 3), dtype, pattern=pattern), mt.Tensor("C", (3, 3), dtype)
    made: mt.Kernel = mt.kernel(name, C["ij"] <= factor * K["ik"] * L["kj"])
    return made


def operand(pattern: Array = LOWER, dtype: str = "f8") -> Array:
    return (np.arange(1, 10).reshape(3, 3) * pattern).astype(dtype)


def without_programs(patch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a program is made")

    patch.setattr(lowered, "lower", refused)


def test_no_program_is_made_where_there_is_code(monkeypatch: pytest.MonkeyPatch) -> None:
    elements, blocks = np.stack([operand()] * 9), mt.Tensor("L", (3, 3), pattern=LOWER)
    stored = mt.zeros(blocks, batch=9).pack(elements)
    wanted = 2 * NUMBERS @ operand()
    product()(L=operand()), product().batched()(L=elements), product().batched()(L=stored)
    without_programs(monkeypatch)
    one, many = product(), product().batched()
    np.testing.assert_array_equal(one(L=operand()), wanted)
    np.testing.assert_array_equal(many(L=elements)[4], wanted)
    np.testing.assert_array_equal(np.asarray(many(L=stored))[8], wanted)
    assert one.stats().cache_hits == many.stats().cache_hits == 1
    assert not one.stats().compiles and not many.stats().compiles


@pytest.mark.parametrize(
    "other",
    [
        {"numbers": NUMBERS.T * 2}, {"numbers": NUMBERS + (NUMBERS == 0)}, {"pattern": LOWER.T}, {"factor": 3.0},
        {"pattern": np.ones((3, 3), bool)}, {"name": "other"}, {"dtype": "f4"},
    ],
)  # fmt: skip
def test_what_differs_has_a_program_of_its_own(other: dict[str, object]) -> None:
    product()(L=operand())
    made = product(**other)  # type: ignore[arg-type]
    given = operand(other.get("pattern", LOWER), other.get("dtype", "f8"))  # type: ignore[arg-type]
    wanted = other.get("factor", 2.0) * other.get("numbers", NUMBERS) @ given  # type: ignore[operator]
    np.testing.assert_array_equal(made(L=given), wanted)
    assert not made.stats().cache_hits
    many = product(**other).batched(shared=("L",) if "name" in other else ())  # type: ignore[arg-type]
    if "name" not in other:
        np.testing.assert_array_equal(many(L=np.stack([given] * 3))[2], wanted)


def test_a_batch_knows_what_its_elements_share(monkeypatch: pytest.MonkeyPatch) -> None:
    K, X, Y = mt.Tensor("K", values=NUMBERS), mt.Tensor("X", (3,)), mt.Tensor("Y", (3,))
    C = mt.Tensor("C", (3,))
    kernel = mt.kernel("sums", C["i"] <= K["ik"] * (X["k"] + Y["k"]))
    one, many = np.arange(3.0), np.arange(12.0).reshape(4, 3)
    for shared, x, y in (((), many, many), (("X",), one, many), (("Y",), many, one)):
        for _ in range(2):
            np.testing.assert_array_equal(kernel.batched(shared=shared)(X=x, Y=y), (x + y) @ NUMBERS.T)


def test_where_formulas_are_written_does_not_matter() -> None:
    def key(*, factor: float = 2.0) -> str | None:
        return remembered._key("k", product(factor=factor)._meaning())

    assert key() == product_key_from_here() != key(factor=2.5)


def product_key_from_here() -> str | None:
    return remembered._key("k", product()._meaning())


def test_formulas_with_operators_of_python_functions_are_not_kept() -> None:
    """What a function does cannot be told by its parts."""

    @mdh.operator
    def larger(a: Any, b: Any) -> Any:
        return np.maximum(a, b)

    A, C = mt.Tensor("A", (3, 4)), mt.Tensor("C", (3,))
    kernel = mt.kernel("largest", C["i"] <= mt.total(larger, "k", A["ik"]))
    assert remembered._key("largest", kernel._meaning()) is None
    np.testing.assert_array_equal(kernel(A=np.arange(12.0).reshape(3, 4)), [3, 7, 11])


def test_sizes_that_come_with_the_call() -> None:
    n = mt.size("n")
    for _ in range(2):
        L, u, v = mt.Tensor("L", (n, n), pattern=mt.lower), mt.Tensor("u", (n,)), mt.Tensor("v", (n,))
        kernel = mt.kernel("triangle", v["i"] <= L["ij"] * u["j"])
        for extent in (3, 5):
            array = np.tril(np.arange(1.0, extent**2 + 1).reshape(extent, extent))
            np.testing.assert_array_equal(kernel(L=array, u=np.ones(extent)), array.sum(axis=1))


def test_damaged_facts_are_made_anew() -> None:
    product()(L=operand())
    key = remembered._key("product", product()._meaning())
    assert key is not None
    for damaged in (b"", b"[1]\n", b'["x", ["a"], [["K", "<f8", [3, 3]]]]\n1234'):
        default_store().put(key, damaged)
        np.testing.assert_array_equal(product()(L=operand()), 2 * NUMBERS @ operand())


def test_facts_of_another_program_are_an_error() -> None:
    """As soon as the program is made, and at once where everything is checked."""
    kernel = product()
    kernel(L=operand())
    key = remembered._key("product", kernel._meaning())
    assert key is not None
    facts = replace(kernel._remembered._facts, fingerprint="tensor of something else")
    default_store().put(key, remembered._to_bytes(facts))
    with pytest.raises(InternalError, match="not the one that the store remembers"):
        product()._remembered.program()
    with config(check=True), pytest.raises(InternalError, match="not the one that the store remembers"):
        product()(L=operand())


def test_constants_come_back_as_they_were() -> None:
    facts = remembered._Facts(
        "f", ("a", "b"), {"a": np.arange(6.0, dtype="f4").reshape(2, 3), "b": np.array([[True], [False]]),
                          "c": np.zeros((0, 3)), "d": np.array(2 - 1j)},
    )  # fmt: skip
    found = remembered._from_bytes(remembered._to_bytes(facts))
    assert found is not None and found.names == facts.names and found.constants.keys() == facts.constants.keys()
    for name, array in facts.constants.items():
        assert found.constants[name].dtype == array.dtype and found.constants[name].shape == array.shape
        np.testing.assert_array_equal(found.constants[name], array)
