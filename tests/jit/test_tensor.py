"""Kernels of tensor formulas, as users call them."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, MeaningError

rng = np.random.default_rng(0)
STAR = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]], bool)


def example() -> mt.Kernel:
    Q, I = mt.Tensor("Q", (5, 3)), mt.Tensor("I", (5, 3))
    K = [mt.Tensor(f"K{d}", values=np.tril(np.full((5, 5), d + 1.0), -1)) for d in range(2)]
    S = [mt.Tensor(f"S{d}", (3, 3), pattern=STAR) for d in range(2)]
    return mt.kernel("volume", Q["kp"] <= Q["kp"] + sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(2)))


def arguments() -> dict[str, Any]:
    stars = {f"S{d}": np.where(STAR, rng.random((3, 3)), 0.0) for d in range(2)}
    return {"Q": rng.random((5, 3)), "I": rng.random((5, 3)), **stars}


def expected(given: dict[str, Any]) -> Any:
    K = [np.tril(np.full((5, 5), d + 1.0), -1) for d in range(2)]
    return given["Q"] + sum(K[d] @ given["I"] @ given[f"S{d}"] for d in range(2))


def test_in_place_by_name_and_by_position() -> None:
    kernel, given = example(), arguments()
    assert kernel.parameters == ("Q", "I", "S0", "S1")
    result = expected(given)
    assert kernel(**given) is None
    np.testing.assert_allclose(given["Q"], result, rtol=1e-12)
    result = expected(given)
    kernel(given["Q"], np.asfortranarray(given["I"]), given["S0"], S1=given["S1"])
    np.testing.assert_allclose(given["Q"], result, rtol=1e-12)


def test_as_a_decorator() -> None:
    K = [mt.Tensor(f"K{d}", values=np.tril(np.full((5, 5), d + 1.0), -1)) for d in range(2)]

    @mt.kernel
    def volume(
        Q: mt.f64["k p", 5, 3],  # noqa: F722
        I: mt.f64["l q", 5, 3],  # noqa: F722
        S: 2 * [mt.f64[3, 3].with_pattern(STAR)],
    ) -> None:
        """What it is for."""
        for d in range(2):
            Q["kp"] += K[d]["kl"] * I["lq"] * S[d]["qp"]

    given = arguments()
    result = expected(given)
    volume(**given)
    np.testing.assert_allclose(given["Q"], result, rtol=1e-12)
    assert volume.__doc__ == "What it is for."


def test_outputs_that_are_not_given_are_made() -> None:
    A, u, v = mt.Tensor("A", (3, 4), np.float32), mt.Tensor("u", (3,), np.float32), mt.Tensor("v", (), np.float32)
    kernel = mt.kernel("sums", [u["i"] <= A["ij"], v[""] <= u["i"]])
    rows, all_of_it = kernel(A=np.ones((3, 4), np.float32))
    np.testing.assert_array_equal(rows, np.full(3, 4, np.float32))
    assert all_of_it == 12 and all_of_it.dtype == np.float32


def test_scalars_temporaries_and_statements_one_after_the_other() -> None:
    x, y = mt.Tensor("x", (6,)), mt.Tensor("y", (6,))
    t, dt = mt.temporary("t", (6,)), mt.Scalar("dt")
    kernel = mt.kernel("step", [t["i"] <= dt * x["i"], x["i"] <= x["i"] + t["i"], y["i"] <= t["i"] * x["i"]])
    values = rng.random(6)
    given = values.copy()
    made = kernel(x=given, dt=0.5)
    np.testing.assert_allclose(given, values * 1.5)
    np.testing.assert_allclose(made, 0.5 * values * 1.5 * values)


def test_what_is_read_is_read_before_anything_is_written() -> None:
    x = mt.Tensor("x", (5, 5))
    given = rng.random((5, 5))
    before = given.copy()
    mt.kernel("turned", x["ij"] <= x["ji"])(given)
    np.testing.assert_array_equal(given, before.T)
    mt.kernel("squared", x["ij"] <= x["ik"] * x["kj"])(given)
    np.testing.assert_allclose(given, before.T @ before.T)
    mt.kernel("moved", x["ij"].at(i=slice(1, 5)) <= x["ij"].at(i=slice(0, 4)))(given)
    np.testing.assert_allclose(given[1:], (before.T @ before.T)[:4])


def test_other_operators_and_affine_subscripts() -> None:
    A, B, C = mt.Tensor("A", (4, 5)), mt.Tensor("B", (5, 3)), mt.Tensor("C", (4, 3))
    a, b = rng.random((4, 5)), rng.random((5, 3))
    found = mt.kernel("longest", C["ij"] <= mt.total(mdh.max, "k", A["ik"] + B["kj"]))(A=a, B=b)
    np.testing.assert_array_equal(found, (a[:, :, None] + b).max(axis=1))
    x, w, y = mt.Tensor("x", (9,)), mt.Tensor("w", (3,)), mt.Tensor("y", (7,))
    given, weights = rng.random(9), rng.random(3)
    found = mt.kernel("filter", y["i"] <= x["(i+k)"] * w["k"])(x=given, w=weights)
    np.testing.assert_allclose(found, np.convolve(given, weights[::-1], "valid"))


def test_one_computation_in_four_notations() -> None:
    """As loops, as einsum, with indices and as text."""

    @mdh.jit
    def loops(C: Any, A: Any, B: Any) -> None:
        for i in range(A.shape[0]):
            for j in range(B.shape[1]):
                for k in range(A.shape[1]):
                    C[i, j] += A[i, k] * B[k, j]

    a, b, c = rng.integers(-9, 9, (4, 6)).astype(float), rng.integers(-9, 9, (6, 5)).astype(float), np.zeros((4, 5))
    loops(c, a, b)
    A, B, C = mt.Tensor("A", (4, 6)), mt.Tensor("B", (6, 5)), mt.Tensor("C", (4, 5))
    noted = mt.kernel("product", C["ij"] <= A["ik"] * B["kj"])(A=a, B=b)
    text = mt.parse("var A : [4 6]  var B : [6 5]  var C : [4 5]  C = (A # B) . [2 3]")(A=a, B=b)
    free = mt.kernel("free", C["ij"] <= mt.contract(A, B, (1, 0))["ij"])(A=a, B=b)
    for found in (noted, text, free, mdh.einsum("ik,kj->ij", a, b)):
        np.testing.assert_array_equal(found, c)


def test_qualified_variables_of_the_model_language() -> None:
    kernel = mt.parse("var in A : [2 3]  var t : [3 2]  var out C : [3 2]  t = A ^ [1 2]  C = t + t")
    assert kernel.parameters == ("A", "C")
    a = rng.random((2, 3))
    np.testing.assert_array_equal(kernel(A=a), 2 * a.T)


def test_members_of_a_family() -> None:
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    scaled = mt.family("scaled", (2, 3), lambda i, j: y["i"] <= (10 * i + j) * x["i"])
    np.testing.assert_array_equal(scaled[1, 2](x=np.ones(3)), np.full(3, 12.0))
    assert scaled[1, 2] is scaled[1, 2]
    with pytest.raises(IndexError, match=r"scaled\[2, 0\]: the family has the shape \(2, 3\)"):
        scaled[2, 0]


def test_formulas_are_values() -> None:
    """Using one twice changes neither, and what `repr` prints is the same formula."""
    A, B = mt.Tensor("A", (3, 3)), mt.Tensor("B", (3, 3), np.float32, pattern=mt.lower)
    product = A["ij"] * B["jk"]
    shown = repr(product)
    first, second = product * A["kl"], product + A["ik"]
    assert repr(product) == shown and first != second
    names = {**vars(sys.modules["jitmdh.mdh.frontend.tensor.notation.expr"]), "float32": B.type}
    assert eval(shown, names) == product
    assert str(2 * (A["ij"] + 1) / B["ij"]) == '(2 * (A["ij"] + 1)) / B["ij"]'


def test_a_chain_of_assignments_does_not_pass() -> None:
    A, B, C = (mt.Tensor(n, (2, 2)) for n in "ABC")
    with pytest.raises(MeaningError, match="has no truth value"):
        A["ij"] <= B["ij"] <= C["ij"]  # noqa: B015


def test_what_a_kernel_says_of_itself() -> None:
    kernel = example()
    assert kernel.inspect().startswith('Q["kp"] <= Q["kp"] + ')
    assert kernel.inspect(stage="patterns").splitlines()[0] == "K0: 10 of 25 may be other than zero"
    assert len(kernel.steps) == 4 and kernel.nonzero_flops == sum(_flops(step) for step in kernel.steps)
    assert set(kernel.patterns) == {"K0", "K1", "S0", "S1"}
    given = arguments()
    assert "md_hom" in kernel.inspect(**given, stage="mdh") and "define" in kernel.inspect(**given, stage="llvm")
    assert "volume" in str(kernel.explain(**given, measure=False))


def _flops(step: str) -> int:
    return sum(int(words[0]) for part in step.split(": ")[1].split(", ")[:2] if (words := part.split()))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"I": None}, ArgumentTypeError, "volume: I is an array of float64 with shape (5, 3), got NoneType"),
        ({"I": np.ones((5, 3), np.float32)}, ArgumentTypeError, "with shape (5, 3), got float32"),
        ({"I": np.ones((3, 5))}, ArgumentValueError, "with shape (5, 3), got (3, 5)"),
        ({"I": np.ones(5)}, ArgumentTypeError, "with shape (5, 3), got (5,)"),
        ({"S0": np.ones((3, 3))}, ArgumentValueError, "volume: S0[0, 1] is 1.0, where S0 has a known zero"),
        ({"x": 1}, ArgumentTypeError, "volume: the argument x was given, which"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], error: type[Exception], message: str) -> None:
    kernel, given = example(), arguments()
    before = given["Q"].copy()
    with pytest.raises(error) as caught:
        kernel(**(given | change))
    assert message in str(caught.value)
    np.testing.assert_array_equal(given["Q"], before)


def test_missing_read_only_and_overlapping_arguments() -> None:
    kernel, given = example(), arguments()
    with pytest.raises(ArgumentTypeError, match="the tensor I was not given"):
        kernel(**{n: a for n, a in given.items() if n != "I"})
    with pytest.raises(ArgumentValueError, match="Q shares memory with I"):
        kernel(**(given | {"I": given["Q"]}))
    given["Q"].setflags(write=False)
    with pytest.raises(ArgumentValueError, match="Q is written, but the array is read-only"):
        kernel(**given)


def test_known_zeros_need_not_be_looked_for() -> None:
    kernel, given = example(), arguments()
    given["S0"][0, 1] = 1.0
    with mt.trust():
        kernel(**given)
    with pytest.raises(ArgumentValueError):
        kernel(**given)


def test_nothing_of_it_is_loaded_by_the_package() -> None:
    program = "import sys, jitmdh; jitmdh.jit; print([m for m in sys.modules if 'tensor' in m and 'jitmdh' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_batch_is_as_many_calls() -> None:
    kernel, given = example(), arguments()
    batch = kernel.batched("e", shared=("S1",))
    for elements in (0, 1, 7, 300):
        factors = np.arange(elements).reshape(-1, 1, 1) % 3
        arrays = {n: a if n == "S1" else a * factors for n, a in given.items()}
        want = arrays["Q"].copy()
        for k in range(elements):
            kernel(want[k], arrays["I"][k], arrays["S0"][k], arrays["S1"])
        batch(**arrays)
        np.testing.assert_allclose(arrays["Q"], want, rtol=1e-12)


def test_a_batch_has_no_temporary_in_memory() -> None:
    """The seven nests of the volume term are one loop over elements; what they hand on is local to one."""
    rng = np.random.default_rng(0)
    Q, I = mt.Tensor("Q", (20, 9)), mt.Tensor("I", (20, 9))
    K = [mt.Tensor(f"K{d}", values=rng.random((20, 20))) for d in range(3)]
    S = [mt.Tensor(f"S{d}", (9, 9)) for d in range(3)]
    volume = mt.kernel("volume", Q["kp"] <= Q["kp"] + sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3)))
    batch = volume.batched("e", shared=("S0", "S1", "S2"))
    q, i, s = rng.random((2000, 20, 9)), rng.random((2000, 20, 9)), [rng.random((9, 9)) for _ in range(3)]
    want = q + sum(k.values.array @ i @ n for k, n in zip(K, s))
    batch(q, i, *s)
    np.testing.assert_allclose(q, want, rtol=1e-12)
    text = batch.inspect(q, i, *s, stage="lowlevel")
    assert text.startswith("together for e ∈ [0, Q.shape[0]), by cores:\n  local ")
    assert text.count("\n\n") == text.count("\n\n  ")  # nothing stands outside of it
    local = text.count("  local ")
    assert local == str(batch.lowered.program).count("allocate ")
    assert "Scratch" not in text


def test_elements_with_known_zeros_are_on_vector_lanes() -> None:
    """Every step of a block of elements has full vectors, and products with known zeros are not in the code."""
    zeros, many = np.tri(11, 11, 2) != 0, 9
    A, x, y = mt.Tensor("A", (11, 11), pattern=zeros), mt.Tensor("x", (11,)), mt.Tensor("y", (11,))
    t = [x, *(mt.temporary(f"t{n}", (11,)) for n in range(many - 1)), y]
    batch = mt.kernel("powers", [r["i"] <= A["ij"] * v["j"] for v, r in pairwise(t)]).batched("e", shared="A")
    a, xs = zeros * 1.0, rng.integers(-2, 3, (100, 11)) * 1.0
    np.testing.assert_array_equal(batch(A=a, x=xs), xs @ np.linalg.matrix_power(a, many).T)
    assert "together for e_block" in batch.inspect(stage="mdh")
    text = batch.inspect(A=a, x=xs, stage="kernel")
    assert zeros.sum() <= text.count(" = A[") < many * zeros.size


@pytest.mark.parametrize("elements", [3, 9])
def test_integer_division_meets_no_element_that_is_not_there(elements: int) -> None:
    """The last block of a batch holds zeros behind the last element: they divide nothing."""
    A = mt.Tensor("A", (3, 3), "int64", pattern=STAR)
    B, C = (mt.Tensor(name, (3, 3), "int64") for name in "BC")
    batch = mt.kernel("divided", C["ik"] <= A["ij"] * B["jk"] // B["ik"] % B["ki"]).batched()
    a, b = rng.integers(1, 9, (elements, 3, 3)) * STAR, rng.integers(1, 9, (elements, 3, 3))
    np.testing.assert_array_equal(batch(A=a, B=b), a @ b // b % b.transpose(0, 2, 1))
    with pytest.raises(ArgumentTypeError, match="cannot be computed on elements in blocks"):
        batch(A=mt.zeros(A, elements).pack(a), B=mt.zeros(B, elements).pack(b))


def test_what_elements_in_blocks_refuse() -> None:
    kernel, given = example(), arguments()
    batch = kernel.batched(shared=("S1",))
    tensors = {t.name: t for t in kernel.program.tensors}
    stored = {n: mt.zeros(tensors[n], batch=3) for n in given if n != "S1"}
    plain = {n: np.stack([a] * 3) for n, a in given.items() if n != "S1"}
    with pytest.raises(ArgumentTypeError, match="is stored in blocks of elements, I is not"):
        batch(**{**stored, "I": plain["I"]}, S1=given["S1"])
    with pytest.raises(ArgumentValueError, match="3 elements, but <2 elements of I in blocks of"):
        batch(**{**stored, "I": mt.zeros(tensors["I"], batch=2)}, S1=given["S1"])
    with pytest.raises(ArgumentTypeError, match="S1 is an array"):
        batch(**stored, S1=mt.zeros(tensors["S1"], batch=3))
    with pytest.raises(ArgumentValueError, match="shape"):
        stored["I"].pack(plain["I"][:2])
    plain["S0"][2, 0, 1] = 5.0
    with pytest.raises(ArgumentValueError, match=r"S0\[2, 0, 1\] is 5.0"):
        batch(**{**stored, "S0": stored["S0"].pack(plain["S0"])}, S1=given["S1"])
    with pytest.raises(ArgumentTypeError):
        kernel(**{**given, "I": stored["I"]})


def test_what_a_batch_refuses() -> None:
    kernel, given = example(), arguments()
    for shared, message in (("Q", "the kernel writes it"), ("x", "has no such tensor")):
        with pytest.raises(ArgumentValueError, match=message):
            kernel.batched(shared=(shared,))
    batch = kernel.batched(shared=("S0", "S1"))
    with pytest.raises(ArgumentTypeError, match="batch of a kernel"):
        batch.batched()
    three = {n: a if n in ("S0", "S1") else np.stack([a] * 3) for n, a in given.items()}
    with pytest.raises(ArgumentValueError, match=r"I is an array of float64 with shape \(3, 5, 3\), got \(2, 5, 3\)"):
        batch(**{**three, "I": three["I"][:2]})
    with pytest.raises(ArgumentTypeError, match="got"):
        batch(**given)
    wrong = np.stack([given["S0"]] * 3)
    wrong[2, 0, 1] = 5.0
    with pytest.raises(ArgumentValueError, match=r"S0\[2, 0, 1\] is 5.0"):
        kernel.batched(shared=("S1",))(**{**three, "S0": wrong})


def test_time_is_of_executions_on_copies() -> None:
    """Seconds of one execution: more for more elements; nothing of the user's is written, and mistakes are errors."""
    kernel, given = example(), arguments()
    before = given["Q"].copy()
    one = kernel.time(**given, seconds=0.01)
    np.testing.assert_array_equal(given["Q"], before)
    many = {n: a if n in ("S0", "S1") else np.stack([a] * 5000) for n, a in given.items()}
    assert 0 < one < kernel.batched(shared=("S0", "S1")).time(**many, seconds=0.01)
    with pytest.raises(ArgumentTypeError, match="the tensor I was not given"):
        kernel.time(Q=given["Q"], S0=given["S0"], S1=given["S1"])
