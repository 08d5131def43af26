"""Several simulations at once: the first index of all results goes on vector lanes by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.jit.tensor.storage import lanes_of

random = np.random.default_rng(5)
STAR = random.random((5, 5)) < 0.4
STIFF = random.integers(-3, 4, (7, 7)) * (random.random((7, 7)) < 0.3) * 1.0
K = mt.Tensor("K", values=STIFF)
S = mt.Tensor("S", (5, 5), pattern=STAR)


def volume(*many: int, dtype: Any = np.float64) -> mt.Kernel:
    """Two statements with a temporary; `many` are the extents of leading axes, the first called s."""
    lead = "sr"[: len(many)]
    Q, I, t = (mt.Tensor(n, (*many, 7, 5), dtype, temporary=n == "t") for n in "QIt")
    stiff, star = mt.Tensor("K", values=STIFF.astype(dtype)), mt.Tensor("S", (5, 5), dtype, pattern=STAR)
    inside = t[f"{lead}kq"] <= stiff["kl"] * I[f"{lead}lq"]
    made: mt.Kernel = mt.kernel("volume", [inside, Q[f"{lead}kp"] <= Q[f"{lead}kp"] + t[f"{lead}kq"] * star["qp"]])
    return made


def arrays(*many: int, dtype: Any = np.float64) -> dict[str, Any]:
    q, i = (random.integers(-4, 5, (*many, 7, 5)).astype(dtype) for _ in "QI")
    return {"Q": q, "I": i, "S": (random.integers(1, 5, (5, 5)) * STAR).astype(dtype)}


def lanes() -> int:
    """Of the machine that the test runs on, or as on."""
    return lanes_of(mt.Tensor("x", ()))


def is_on_lanes(kernel: mt.Kernel) -> bool:
    return "together for s_block" in kernel.inspect(stage="mdh")


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("many", [1, 2, 3, 4, 8, 12, 16, 32, 64])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_simulations_at_once_are_each_by_itself(many: int, dtype: str) -> None:
    """P10: bit for bit for whole numbers, on lanes or not, in any memory order."""
    kernel, given = volume(many, dtype=dtype), arrays(many, dtype=dtype)
    expected = given["Q"] + STIFF.astype(dtype) @ given["I"] @ given["S"]
    turned = {n: a if n == "S" else np.asfortranarray(a) for n, a in given.items()}
    for own in (given, turned):
        kernel(**own)
        np.testing.assert_array_equal(own["Q"], expected)


def test_a_few_vectors_of_them_are_on_lanes() -> None:
    many = 2 * lanes()
    assert is_on_lanes(volume(many))
    for other in (lanes(), many + 1, 512 * lanes()):
        assert not is_on_lanes(volume(other))
    kernel, given = volume(many, 3), arrays(many, 3)
    assert is_on_lanes(kernel)
    expected = given["Q"] + STIFF @ given["I"] @ given["S"]
    kernel(**given)
    np.testing.assert_array_equal(given["Q"], expected)


def test_counts_are_those_of_all_of_them() -> None:
    assert volume(8).nonzero_flops == 8 * volume(1).nonzero_flops


def test_indices_that_are_used_otherwise_are_not() -> None:
    """A sum over it, a shift of it, another place, zeros or numbers of its own, a tensor with and without it."""
    many = 2 * lanes()
    Q, I = mt.Tensor("Q", (many, 7)), mt.Tensor("I", (many, 7))
    own = mt.Tensor("M", (many, 7), pattern=random.random((many, 7)) < 0.5)
    C = mt.Tensor("C", values=random.integers(1, 4, (many, 7)) * 1.0)
    formulas = [
        Q["sk"] <= K["kl"] * I["sl"] + K["kl"] * I["rl"],
        Q["sk"].at(s=slice(0, many - 1)) <= K["kl"] * I["sl"].at(s=slice(0, many - 1)),
        Q["sk"] <= K["kl"] * own["sl"],
        Q["sk"] <= K["kl"] * I["sl"] * C["sk"],
        Q["sk"] <= K["kl"] * I["sl"] + mt.total(np.add, "s", I["sk"]).broadcast("s"),
    ]
    assert own.pattern is not None and C.values is not None
    i, m = random.integers(-4, 5, (many, 7)).astype(float), own.pattern.mask * 2.0
    expected = [
        (i + i.sum(0)) @ STIFF.T,
        np.vstack([i[:-1] @ STIFF.T, np.ones(7)]),
        m @ STIFF.T,
        i @ STIFF.T * C.values.array,
        i @ STIFF.T + i.sum(0),
    ]
    for formula, wanted in zip(formulas, expected):
        kernel, q = mt.kernel("other", formula), np.ones((many, 7))
        assert not is_on_lanes(kernel)
        kernel(**{n: a for n, a in {"Q": q, "I": i, "M": m}.items() if n in kernel.parameters})
        np.testing.assert_array_equal(q, wanted)


def test_many_elements_of_several_simulations() -> None:
    kernel, given = volume(2 * lanes()), arrays(5, 2 * lanes())
    given["S"] = np.stack([given["S"]] * 5)
    expected = given["Q"] + STIFF @ given["I"] @ given["S"][:, None]
    kernel.batched()(**given)
    np.testing.assert_array_equal(given["Q"], expected)
