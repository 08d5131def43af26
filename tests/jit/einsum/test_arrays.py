"""`mdh.einsum` against `np.einsum`: thousands of random calls in the interpreter, some of them compiled."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.compilation import pipeline
from jitmdh.jit.einsum import arrays as module
from jitmdh.jit.einsum.arrays import einsum
from tests.jit.einsum_cases import Case, case

CASES, COMPILED = 2400, 60


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No code is generated: contractions run in the interpreter of the algebra."""
    _forget()
    monkeypatch.setattr(pipeline, "generate", lambda *_: None)
    yield
    _forget()


def _forget() -> None:
    module._planned.cache_clear()
    module._function.cache_clear()
    module._known.clear()


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.usefixtures("interpreted")
def test_same_as_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(CASES // 8):
        compare(case(rng))


def test_same_as_numpy_compiled() -> None:
    rng = np.random.default_rng(100)
    for _ in range(COMPILED):
        compare(case(rng, dtypes=("i4", "i8", "u1", "f4", "f8", "?"), faults=False))


def compare(c: Case) -> None:
    expected, error = outcome(np.einsum, c)
    mine, my_error = outcome(einsum, c)
    if error is not None:
        kind = ValueError if isinstance(error, ValueError) else TypeError
        assert isinstance(my_error, kind), f"{c}: NumPy raises {error!r}, jitmdh {my_error!r}"
        return
    assert my_error is None, f"{c}: {my_error!r}"
    assert type(mine) is type(expected), str(c)
    assert (mine.dtype, mine.shape) == (expected.dtype, expected.shape), str(c)
    tolerance = {2: 2e-2, 4: 1e-4}.get(expected.real.dtype.itemsize, 1e-10) if expected.dtype.kind in "fc" else 0
    np.testing.assert_allclose(mine, expected, rtol=tolerance, atol=tolerance, err_msg=str(c))


def outcome(function: Any, c: Case) -> tuple[Any, Exception | None]:
    options = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in c.options.items()}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            result = function(*c.arguments, **options)
    except (TypeError, ValueError) as error:
        return None, error
    if "out" in options:
        assert result is options["out"]
    return result, None


# -------------------------------------------------------------------------------------------------------- by hand


def test_views_share_memory() -> None:
    a = np.zeros((3, 3))
    einsum("ii->i", a)[:] = 1
    assert np.array_equal(a, np.eye(3))
    assert np.shares_memory(einsum("ij->ji", a), a)
    assert not np.shares_memory(einsum("ij,->ji", a, 1.0), a)


def test_out_may_be_an_operand() -> None:
    a = np.arange(9.0).reshape(3, 3)
    expected = np.einsum("ij,jk->ik", a, a)
    assert einsum("ij,jk->ik", a, a, out=a) is a
    assert np.array_equal(a, expected)


def test_out_of_another_type_and_layout() -> None:
    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    out = np.full((3, 4), np.nan)[:, ::2]
    assert einsum("ij->ji", a, out=out) is out
    assert np.array_equal(out, a.T)
    with pytest.raises(TypeError, match="cannot cast"):
        einsum("ij->ji", a.astype(float), out=np.zeros((3, 2), np.float32))
    with pytest.raises(ValueError, match="out has shape"):
        einsum("ij->ji", a, out=np.zeros((3, 1)))


def test_what_is_no_number_is_numpys() -> None:
    a = np.array([1, 2, 10**30], object)
    assert einsum("i,i", a, a) == np.einsum("i,i", a, a)
    assert np.array_equal(einsum("i,i->i", np.arange(3.0).astype(">f8"), np.ones(3)), np.arange(3.0))
    assert einsum("i,i", np.ones(3, np.longdouble), np.ones(3)).dtype == np.longdouble


def test_arguments() -> None:
    assert einsum(b"i,i", [1, 2], (3, 4)) == 11
    assert einsum(" i , i -> ", np.ones(3), np.ones(3)) == 3.0
    for wrong in [(), ("i",), (np.ones(3),), ("i", np.ones(3), np.ones(3))]:
        with pytest.raises(ValueError, match="einsum"):
            einsum(*wrong)
    with pytest.raises(ValueError, match="order must be"):
        einsum("i", np.ones(3), order="X")
    with pytest.raises(ValueError, match="casting must be"):
        einsum("i", np.ones(3), casting="maybe")
    with pytest.raises(TypeError, match="out must be an array"):
        einsum("i,i", np.ones(3), np.ones(3), out=[0])
    assert einsum("ij,->ij", np.ones((2, 3)), 2, order="F").flags.f_contiguous


def test_long_chains_are_contracted_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    a, b, c, d = (rng.standard_normal((60, 60)) for _ in range(4))
    found = einsum("ab,bc,cd,de->ae", a, b, c, d)
    np.testing.assert_allclose(found, a @ b @ c @ d, rtol=1e-10)
    forced = einsum("ab,bc,cd,de->ae", a, b, c, d, optimize=["einsum_path", (0, 1), (0, 2), (0, 1)])
    np.testing.assert_allclose(forced, found, rtol=1e-10)


# ------------------------------------------------------------------------------------------------------ semirings


def test_shortest_paths() -> None:
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(0, 50, (7, 7)).astype(np.float32) for _ in range(3))
    once = (a[:, :, None] + b[None]).min(1)
    assert np.array_equal(einsum("ik,kj->ij", a, b, combine=mdh.min, scalar=mdh.add), once)
    twice = (once[:, :, None] + c[None]).min(1)
    assert np.array_equal(einsum("ik,kj,jl->il", a, b, c, combine=np.minimum, scalar=np.add), twice)


def test_semirings_that_do_not_distribute_are_one_nest() -> None:
    rng = np.random.default_rng(2)
    a, b, c = (rng.integers(-9, 9, 5) for _ in range(3))
    expected = np.maximum(np.maximum(a[:, None, None], b[None, :, None]), c).sum()
    assert einsum("i,j,k->", a, b, c, combine="add", scalar=np.maximum) == expected


def test_functions_of_ones_own() -> None:
    a = np.arange(6, dtype=np.float64).reshape(2, 3)
    distance = einsum("ik,jk->ij", a, a, scalar=lambda x, y: (x - y) ** 2)
    assert np.array_equal(distance, ((a[:, None] - a[None]) ** 2).sum(2))

    @mdh.operator(identity=0.0)
    def either(x, y):  # type: ignore[no-untyped-def]
        return x + y - x * y

    p = np.array([0.5, 0.25, 0.5])
    assert einsum("i->", p, combine=either) == pytest.approx(1 - 0.5 * 0.75 * 0.5)


def test_nothing_to_combine() -> None:
    none = np.zeros((2, 0))
    assert np.array_equal(einsum("ij->i", none), [0, 0])
    assert np.array_equal(einsum("ij->i", none, combine=min), [np.inf, np.inf])


def test_combinations_that_are_refused() -> None:
    with pytest.raises(ValueError, match="not associative"):
        einsum("i->", np.ones(3), combine=operator.sub)
    with pytest.raises(ValueError, match="no function of two scalars"):
        einsum("i,i->", np.ones(3), np.ones(3), scalar=3)


@pytest.mark.parametrize("text", ["i,i->i", "i,i,i->i", "i,j->ij", "ij,i->j", "i,i,i->", "ij,j,i->i"])
def test_signs_of_zeros(text: str) -> None:
    """Sums are 0.0; products are what they are, where NumPy adds some of them to 0.0 (`optimize=True`: others)."""
    operands = [np.full((1,) * len(labels), -0.0 if n == 0 else 1.0) for n, labels in enumerate(_operands(text))]
    found, expected = einsum(text, *operands), np.einsum(text, *operands)
    assert np.array_equal(found, expected)
    assert np.signbit(found).all() == (set("".join(_operands(text))) == set(text.split("->")[1]))


def _operands(text: str) -> list[str]:
    return text.split("->")[0].split(",")
